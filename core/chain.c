/* SPDX-License-Identifier: BSD-2-Clause */
/* Walking and verifying a chain; building is a kernel (core/kernels.h), because it stores. */
#include "core/chain.h"

#include "core/random.h"

#define RUN_NODES 64

uint64_t chain_length(const struct chain *chain)
{
    return chain->chains > 1 ? chain->order->lines / chain->chains : chain->order->lines;
}

uint64_t chain_positions(const struct chain *chain)
{
    return chain->chains > 1 ? chain_length(chain) * chain->chains : chain->order->lines;
}

bool chain_has_lines(const struct chain *chain)
{
    return chain->stride_bytes % chain->line_bytes == 0;
}

static uintptr_t node_of(const struct chain *chain, const struct window *w, uint64_t line)
{
    return w->base + (uintptr_t)(line * chain->stride_bytes) + chain->word * sizeof(uintptr_t);
}

uintptr_t chain_node(const struct chain *chain, const struct window *w, uint64_t position)
{
    return node_of(chain, w, line_order_at(chain->order, position));
}

uint64_t chain_next(const struct chain *chain, uint64_t position)
{
    uint64_t length = chain_length(chain);

    return (position + 1) % length == 0 ? position + 1 - length : position + 1;
}

uintptr_t chain_after(const struct chain *chain, const struct window *w, uint32_t k, uint64_t hops)
{
    uint64_t length = chain_length(chain);

    return chain_node(chain, w, k * length + hops % length);
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
    const struct chain *chain = check->chain;
    uint64_t length = chain_length(chain), lines[RUN_NODES + 1];

    /* Runs that end where a chain does, so that only a run's last node can have its successor
     * elsewhere. */
    for (uint64_t position = first; position < end;) {
        uint64_t last = (position / length + 1) * length;
        uint32_t count = (uint32_t)(last - position < RUN_NODES ? last - position : RUN_NODES);
        bool closes = position + count == last;

        line_order_run(chain->order, position, count + !closes, lines);
        if (closes)
            lines[count] = line_order_at(chain->order, last - length);
        for (uint32_t i = 0; i < count && position < end; i++, position++) {
            uintptr_t node = node_of(chain, w, lines[i]);
            uintptr_t next = node_of(chain, w, lines[i + 1]);
            uintptr_t read = *(const volatile uintptr_t *)node;
            if (read != next)
                note_mismatch(check, w, position, node, next, read);
        }
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
