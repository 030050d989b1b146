/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/path.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/chase/kernels_sample.h"
#include "tests/sim/simulator.h"

/* Windows below this size are in the host's caches, and in few of its pages. */
#define SPAN_MIN_BYTES (2u << 20)
/* Above it, a window with a line here and there would take too much of the host's memory. */
#define DENSE_MAX_BYTES (1ull << 30)

void sim_path_forget(struct simulator *sim)
{
    sim->path.known = sim->path.ahead = false;
}

void sim_path_open(struct simulator *sim)
{
    sim_path_forget(sim);
    sim->path.few = false;
    sim_sparse_clear(&sim->path.words);
}

/* Whether anything was ever stored in the host's large page of an address. */
static bool *page_stored(const struct simulator *sim, uintptr_t address)
{
    return &sim->host_stored[(address - sim->window.base) >> SIM_HOST_PAGE_LOG2];
}

/* A chase reads its nodes' words and no others: words between nodes need not hold anything. */
void sim_path_keep(struct simulator *sim, uintptr_t address, uintptr_t value)
{
    if (sim->faults.acts) {
        sim_faults_keep(sim, address, value);
    } else if (!sim->path.few) {
        *page_stored(sim, address) = true;
        *(volatile uintptr_t *)address = value;
    } else if (value != (uintptr_t)CHAIN_POISON) {
        sim_sparse_put(&sim->path.words, address, value);
    }
}

void sim_path_stop(struct simulator *sim)
{
    sim_sparse_clear(&sim->path.words);
    free(sim->path.order);
}

static bool is_same(const struct sim_path *path, const struct chain *chain, bool draws)
{
    const struct chain *known = &path->chain;

    return path->known && path->draws == draws && known->stride_bytes == chain->stride_bytes &&
           known->line_bytes == chain->line_bytes && known->chains == chain->chains &&
           known->word == chain->word && path->order->kind == chain->order->kind &&
           path->order->lines == chain->order->lines &&
           path->order->per_group == chain->order->per_group &&
           path->order->bijection.key == chain->order->bijection.key;
}

static void learn(struct sim_path *path, const struct chain *chain, bool draws)
{
    uint64_t length = chain_length(chain);

    if (!path->order)
        path->order = malloc(sizeof *path->order);
    if (!path->order) {
        fprintf(stderr, "simulator: no memory for an order\n");
        exit(2);
    }
    *path->order = *chain->order;
    path->chain = *chain;
    path->chain.order = path->order;
    path->known = true;
    path->stored = false;
    path->draws = draws;
    path->ahead = false;
    path->pos = path->count = 0;
    path->written_at[0] = path->written_at[1] = 0;
    for (uint32_t k = 0; k < chain->chains && !draws; k++) {
        path->first[k] = line_order_at(chain->order, k * length);
        path->closing[k] = line_order_at(chain->order, k * length + length - 1);
    }
}

static void store_all(struct simulator *sim)
{
    const struct window w = {.base = sim->window.base, .bytes = sim->window.bytes};

    simulator_store_all(sim, &w);
    sim->path.stored = true;
}

bool sim_path_build(struct simulator *sim, const struct chain *chain, bool draws)
{
    struct sim_path *path = &sim->path;

    /* With faults, the contents of memory cannot be predicted; a list of lines is the caller's, and
     * many such chains share a window. */
    if (chain->order->kind == ORDER_LISTED ||
        chain->order->lines * chain->stride_bytes < SPAN_MIN_BYTES ||
        sim->config->fault_count != 0) {
        path->few |= chain->order->kind == ORDER_LISTED && sim->config->fault_count == 0 &&
                     sim->window.bytes > DENSE_MAX_BYTES;
        sim_path_forget(sim);
        return false;
    }
    if (!is_same(path, chain, draws))
        learn(path, chain, draws);
    return true;
}

/* In other orders than the random one, a position has a known successor but a line does not, so
 * reading a word means storing all of them first. */
static bool is_stored(struct simulator *sim)
{
    const struct sim_path *path = &sim->path;

    if (path->known && !path->stored && !path->draws && path->order->kind != ORDER_RANDOM)
        store_all(sim);
    return !path->known || path->stored;
}

void sim_path_expose(struct simulator *sim)
{
    (void)is_stored(sim);
}

static uintptr_t node_of(const struct simulator *sim, uint64_t line)
{
    const struct chain *chain = &sim->path.chain;

    return sim->window.base + (uintptr_t)(line * chain->stride_bytes) +
           chain->word * sizeof(uintptr_t) + chain_lead(chain, line);
}

static uint64_t line_after(const struct sim_path *path, uint64_t line)
{
    uint64_t next;

    for (uint32_t k = 0; k < path->chain.chains; k++)
        if (path->closing[k] == line)
            return path->first[k];
    bijection_next_run(&path->order->bijection, line, 1, &next);
    return next;
}

uintptr_t sim_path_word(struct simulator *sim, uintptr_t address)
{
    const struct sim_path *path = &sim->path;
    uintptr_t value;
    uint64_t line;

    if (is_stored(sim)) {
        if (sim->faults.acts)
            return sim_faults_word(sim, address);
        /* The host would have to make and clear a page for a word that is read. */
        if (!path->few)
            return *page_stored(sim, address) ? *(const volatile uintptr_t *)address : 0;
        return sim_sparse_get(&path->words, address, &value) ? value : (uintptr_t)CHAIN_POISON;
    }
    for (unsigned node = 0; node < 2; node++)
        if (address == path->written_at[node])
            return path->written[node];
    line = (address - sim->window.base) / path->chain.stride_bytes;
    if (path->draws)
        return draw_word(&path->chain, line);
    return line < path->order->lines && address == node_of(sim, line)
               ? node_of(sim, line_after(path, line))
               : (uintptr_t)CHAIN_POISON;
}

void sim_path_write(struct simulator *sim, uintptr_t address, uintptr_t value)
{
    struct sim_path *path = &sim->path;
    uint64_t line;
    bool node;

    if (is_stored(sim)) {
        sim_path_keep(sim, address, value);
        return;
    }
    line = (address - sim->window.base) / path->chain.stride_bytes;
    node = line < path->order->lines && address == node_of(sim, line);
    path->written_at[node] = address;
    path->written[node] = value;
}

/* ---- ahead */

static void expect(struct simulator *sim, struct sim_step *step)
{
    step->to = simulator_reference(sim, step->address);
    sim_memory_expect(sim->system, &step->to);
    if (sim->path.stored)
        __builtin_prefetch((const void *)step->address);
}

static void expect_chain(struct simulator *sim)
{
    struct sim_path *path = &sim->path;
    uint64_t line[SIM_PATH_STEPS + 1], length = chain_length(&path->chain);
    uint64_t pos = path->position;

    for (uint32_t i = 0; i <= SIM_PATH_STEPS;) {
        uint64_t left = length - pos;
        uint32_t count = SIM_PATH_STEPS + 1 - i;
        count = left < count ? (uint32_t)left : count;
        line_order_run(path->order, pos, count, line + i);
        i += count;
        pos = (pos + count) % length;
    }
    for (uint32_t i = 0; i < SIM_PATH_STEPS; i++) {
        path->step[i].address = node_of(sim, line[i]);
        expect(sim, &path->step[i]);
    }
    for (uint32_t i = 0; i + 1 < SIM_PATH_STEPS; i++)
        path->step[i].value = path->step[i + 1].address;
    path->step[SIM_PATH_STEPS - 1].value = node_of(sim, line[SIM_PATH_STEPS]);
    path->position = (path->position + SIM_PATH_STEPS) % length;
}

static void expect_draws(struct simulator *sim)
{
    struct sim_path *path = &sim->path;
    uint64_t stride = path->chain.stride_bytes;

    for (uint32_t i = 0; i < SIM_PATH_STEPS; i++) {
        struct sim_step *step = &path->step[i];
        uint64_t line = (path->draw_at - sim->window.base) / stride;
        step->address = path->draw_at;
        step->value = draw_word(&path->chain, line);
        expect(sim, step);
        path->draw = path->draw * KERNEL_DRAW_A + KERNEL_DRAW_C;
        line = (uint64_t)(((unsigned __int128)(step->value + path->draw) * path->draw_lines) >> 64);
        path->draw_at = path->draw_base + (uintptr_t)(line * stride);
    }
}

static void fill_steps(struct simulator *sim)
{
    if (sim->path.draws)
        expect_draws(sim);
    else
        expect_chain(sim);
    sim->path.pos = 0;
    sim->path.count = SIM_PATH_STEPS;
}

/* The position of an address in the order, if it is known. */
static bool find_position(struct simulator *sim, uintptr_t address)
{
    struct sim_path *path = &sim->path;
    uint64_t line = (address - sim->window.base) / path->chain.stride_bytes;

    if (path->draws || line >= path->order->lines)
        return false;
    path->position = 0;
    if (path->order->kind == ORDER_RANDOM)
        path->position = bijection_position(&path->order->bijection, line);
    return address == node_of(sim, line_order_at(path->order, path->position));
}

const struct sim_step *sim_path_seek(struct simulator *sim, uintptr_t address)
{
    struct sim_path *path = &sim->path;

    if (path->pos == path->count && path->count != 0)
        fill_steps(sim);
    if (path->count == 0 || path->step[path->pos].address != address) {
        path->ahead = find_position(sim, address);
        if (!path->ahead)
            return NULL;
        fill_steps(sim);
    }
    return &path->step[path->pos++];
}

/* A chain continues where it stopped, draws begin where the plan says. */
void sim_path_chase(struct simulator *sim, const struct chase_plan *plan)
{
    struct sim_path *path = &sim->path;

    path->ahead = path->known && plan->chains == 1 && path->chain.chains <= 1 &&
                  (plan->kernel == KERNEL_IID) == path->draws;
    if (!path->ahead || !path->draws)
        return;
    path->draw_at = plan->start.next[0];
    path->draw = plan->start.draw[0];
    path->draw_base = plan->base;
    path->draw_lines = plan->lines;
    fill_steps(sim);
}

void sim_path_store(struct simulator *sim)
{
    if (sim->path.known && !sim->path.stored)
        store_all(sim);
    sim_path_forget(sim);
}
