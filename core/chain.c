/* SPDX-License-Identifier: BSD-2-Clause */
/* Walking and verifying a chain; building is a kernel (core/kernels.h), because it stores. */
#include "core/chain.h"

#include "core/random.h"

uintptr_t chain_node(const struct chain *chain, const struct window *w, uint64_t position)
{
    uint64_t line = line_order_at(chain->order, position % chain->order->lines);

    return w->base + (uintptr_t)(line * chain->stride_bytes);
}

static void note_mismatch(struct chain_check *check, const struct window *w, uint64_t position,
                          uintptr_t node, uintptr_t expected, uintptr_t read)
{
    struct chain_error *error;

    if (check->errors++ >= CHAIN_ERRORS_MAX)
        return;
    error = &check->error[check->errors - 1];
    error->position = position;
    error->offset = node - w->base;
    error->expected = expected;
    error->read = read;
    check->flush((const void *)node);
    error->reread = *(const volatile uintptr_t *)node;
}

void chain_verify(void *arg, const struct window *w, uint64_t first, uint64_t end)
{
    struct chain_check *check = arg;
    uintptr_t node;

    if (first >= end)
        return;
    node = chain_node(check->chain, w, first);
    for (uint64_t position = first; position < end; position++) {
        uintptr_t next = chain_node(check->chain, w, position + 1);
        uintptr_t read = *(const volatile uintptr_t *)node;
        if (read != next)
            note_mismatch(check, w, position, node, next, read);
        node = next;
    }
}

uintptr_t draw_word(const struct chain *chain, uint64_t line)
{
    return (uintptr_t)random_mix(line ^ chain->order->bijection.key);
}

void draw_verify(void *arg, const struct window *w, uint64_t first, uint64_t end)
{
    struct chain_check *check = arg;

    for (uint64_t line = first; line < end; line++) {
        uintptr_t node = w->base + (uintptr_t)(line * check->chain->stride_bytes);
        uintptr_t expected = draw_word(check->chain, line);
        uintptr_t read = *(const volatile uintptr_t *)node;
        if (read != expected)
            note_mismatch(check, w, line, node, expected, read);
    }
}
