/* SPDX-License-Identifier: BSD-2-Clause */
/* Building stores, so it is a kernel: core/chase/kernels.h. */
#include "core/chase/chain.h"

#include "core/lib/random.h"

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

uint64_t chain_lead(const struct chain *chain, uint64_t line)
{
    uint64_t lines;

    if (chain->order->kind != ORDER_GROUPED || chain->stride_bytes < 2 * chain->line_bytes)
        return 0;
    lines = chain->stride_bytes / chain->line_bytes;
    return (draw_word(chain, line) >> 32) * lines >> 32 << __builtin_ctz(chain->line_bytes);
}

static uintptr_t node_of(const struct chain *chain, const struct window *w, uint64_t line)
{
    return w->base + (uintptr_t)(line * chain->stride_bytes + chain_lead(chain, line)) +
           chain->word * sizeof(uintptr_t);
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

/* ---- links */

void chain_links_start(struct chain_links *links, const struct chain *chain, const struct window *w,
                       uint64_t first, uint64_t end)
{
    uint64_t length = chain_length(chain);

    links->chain = chain;
    links->w = w;
    links->pos = first;
    links->end = end;
    if (chain->order->kind != ORDER_RANDOM)
        return;
    if (end == chain_positions(chain))
        links->end = chain->order->lines;
    for (uint32_t k = 0; k < chain->chains; k++) {
        links->first[k] = line_order_at(chain->order, k * length);
        links->closing[k] = line_order_at(chain->order, k * length + length - 1);
    }
}

static uint32_t links_count(const struct chain_links *links)
{
    uint64_t left = links->end - links->pos;

    return left < CHAIN_LINKS_RUN ? (uint32_t)left : CHAIN_LINKS_RUN;
}

uint32_t chain_links_lines(struct chain_links *links, uint64_t next[CHAIN_LINKS_RUN])
{
    const struct chain *chain = links->chain;
    uint32_t count = links_count(links);

    bijection_next_run(&chain->order->bijection, links->pos, count, next);
    /* The bijection is one cycle through all lines; each chain's last line links back to its
     * first. */
    for (uint32_t k = 0; k < chain->chains; k++)
        if (links->closing[k] - links->pos < count)
            next[links->closing[k] - links->pos] = links->first[k];
    links->pos += count;
    return count;
}

static uint32_t link_by_address(struct chain_links *links, struct chain_link link[])
{
    const struct chain *chain = links->chain;
    uint64_t next[CHAIN_LINKS_RUN], line = links->pos;
    uint32_t count = chain_links_lines(links, next);

    for (uint32_t i = 0; i < count; i++)
        link[i] = (struct chain_link){node_of(chain, links->w, line + i),
                                      node_of(chain, links->w, next[i])};
    return count;
}

static uint32_t link_by_position(struct chain_links *links, struct chain_link link[])
{
    const struct chain *chain = links->chain;
    uint64_t length = chain_length(chain), lines[CHAIN_LINKS_RUN + 1];
    uint64_t left = length - links->pos % length; /* until the chain closes */
    uint32_t count = links_count(links);
    bool more = links->pos + count < chain->order->lines;

    line_order_run(chain->order, links->pos, count + more, lines);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t next = lines[i + 1];
        if (--left == 0) {
            left = length;
            next = line_order_at(chain->order, links->pos + i + 1 - length);
        }
        link[i] =
            (struct chain_link){node_of(chain, links->w, lines[i]), node_of(chain, links->w, next)};
    }
    links->pos += count;
    return count;
}

uint32_t chain_links_next(struct chain_links *links, struct chain_link link[CHAIN_LINKS_RUN])
{
    if (links->pos == links->end)
        return 0;
    return links->chain->order->kind == ORDER_RANDOM ? link_by_address(links, link)
                                                     : link_by_position(links, link);
}

/* ---- reading back */

static uintptr_t word_at(const struct chain_check *check, uintptr_t node)
{
    return check->word != NULL ? check->word((const void *)node)
                               : *(const volatile uintptr_t *)node;
}

static void note_mismatch(struct chain_check *check, const struct window *w, uintptr_t node,
                          uintptr_t expected, uintptr_t read)
{
    struct chain_error *error;

    if (check->errors++ >= CHAIN_ERRORS_MAX)
        return;
    error = &check->error[check->errors - 1];
    error->offset = node - w->base;
    error->expected = expected;
    error->read = read;
    check->flush((const void *)node);
    error->reread = word_at(check, node);
}

static void fetch_nodes(const struct chain_check *check, const struct chain_link link[],
                        uint32_t count)
{
    for (uint32_t i = 0; i < count && check->fresh; i++)
        check->flush((const void *)link[i].node);
    for (uint32_t i = 0; i < count; i++)
        __builtin_prefetch((const void *)link[i].node);
}

static void check_nodes(struct chain_check *check, const struct window *w,
                        const struct chain_link link[], uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uintptr_t read = word_at(check, link[i].node);
        if (read != link[i].next)
            note_mismatch(check, w, link[i].node, link[i].next, read);
    }
}

/* Fetches one batch of nodes while checking the previous one. */
void chain_verify(void *arg, const struct window *w, uint64_t first, uint64_t end)
{
    struct chain_check *check = arg;
    struct chain_link link[2][CHAIN_LINKS_RUN];
    struct chain_links links;
    uint32_t count[2] = {0, 0}, now = 0;

    chain_links_start(&links, check->chain, w, first, end);
    do {
        count[now] = chain_links_next(&links, link[now]);
        fetch_nodes(check, link[now], count[now]);
        now ^= 1;
        check_nodes(check, w, link[now], count[now]);
    } while (count[now ^ 1] != 0);
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
        uintptr_t read;
        if (check->fresh)
            check->flush((const void *)node);
        read = word_at(check, node);
        if (read != expected)
            note_mismatch(check, w, node, expected, read);
    }
}
