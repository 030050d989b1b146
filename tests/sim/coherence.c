/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/coherence.h"

#include "tests/sim/memory_system.h"
#include "tests/sim/reserve.h"

void sim_coherence_start(struct sim_coherence *c, const struct sim_config *config,
                         struct sim_memory_system *cores)
{
    c->config = config;
    c->cores = cores;
    c->count = sim_config_cores(config);
    c->lines = config->memory.bytes / config->cache[0].line_bytes;
    c->toucher = sim_reserve(c->lines);
    c->writer = sim_reserve(c->lines);
    for (uint32_t i = 0; i < SIM_HANDED_ON; i++)
        c->handed_on[i] = (struct sim_transfer_of_line){.line = SIM_NO_KEY};
}

void sim_coherence_stop(struct sim_coherence *c)
{
    sim_reserve_free(c->toucher, c->lines);
    sim_reserve_free(c->writer, c->lines);
}

void sim_coherence_clear(struct sim_coherence *c)
{
    sim_reserve_clear(c->toucher, c->lines);
    sim_reserve_clear(c->writer, c->lines);
}

void sim_coherence_forget(struct sim_coherence *c, uint64_t line)
{
    c->toucher[line] = c->writer[line] = 0;
}

/* Multiplicative hashing (Knuth, 6.4): lines of one set of a cache are in many places here. */
static uint64_t hashed(uint64_t line)
{
    return line * 0x9e3779b97f4a7c15ull >> 40;
}

uint32_t sim_coherence_slice(const struct sim_coherence *c, uint64_t line)
{
    uint32_t slices = c->config->coherence.slices.count;

    return slices != 0 ? (uint32_t)(hashed(line) % slices) : 0;
}

static double slice_ns(const struct sim_coherence *c, uint64_t line)
{
    const struct sim_times *slices = &c->config->coherence.slices;

    return slices->count != 0 ? slices->ns[sim_coherence_slice(c, line)] : 0;
}

static uint32_t home_of(const struct sim_coherence *c, uint64_t line)
{
    uint64_t far_lines = c->config->memory.far_bytes / c->config->cache[0].line_bytes;

    return line < far_lines ? SIM_NODE_FAR : SIM_NODE_NEAR;
}

/* From who asks to the home, from there to another core, and back to who asks. What memory's far
 * node is farther away is there and back, and so is what a core is away from what all share. The
 * home's own time is that of the cache that cores share. */
static double around_ns(const struct sim_coherence *c, const struct sim_memory_system *asks,
                        const struct sim_memory_system *other, uint64_t line)
{
    uint32_t home = home_of(c, line);
    int crossings = (asks->node != home) + (home != other->node) + (other->node != asks->node);

    return asks->costs.cache_ns[asks->caches.own] + other->away_ns + slice_ns(c, line) +
           crossings * c->config->memory.far_ns / 2;
}

static bool has(const struct sim_memory_system *core, uint64_t line)
{
    return core->caches.used && sim_hierarchy_holds_before(&core->caches, line, core->caches.own);
}

/* Notes that the core touches the line; whether others may have it. */
static bool touch(struct sim_coherence *c, const struct sim_memory_system *core, uint64_t line)
{
    uint8_t *toucher = &c->toucher[line], self = (uint8_t)(core->caches.core + 1);

    if (*toucher != 0 && *toucher != self) {
        *toucher = SIM_SEVERAL;
        return true;
    }
    *toucher = self;
    return false;
}

/* The only other core that has it; NULL: none has, or several have. */
static const struct sim_memory_system *
only_other(const struct sim_coherence *c, const struct sim_memory_system *core, uint64_t line)
{
    const struct sim_memory_system *only = NULL;

    for (uint32_t i = 0; i < c->count; i++) {
        if (&c->cores[i] == core || !has(&c->cores[i], line))
            continue;
        if (only != NULL)
            return NULL;
        only = &c->cores[i];
    }
    return only;
}

/* The core whose caches alone can answer; NULL: there is none. */
static const struct sim_memory_system *owner(const struct sim_coherence *c,
                                             const struct sim_memory_system *core, uint64_t line)
{
    uint8_t writer = c->writer[line];

    if (writer != 0 && &c->cores[writer - 1] != core && has(&c->cores[writer - 1], line))
        return &c->cores[writer - 1];
    return c->config->coherence.clean_from_owner ? only_other(c, core, line) : NULL;
}

double sim_coherence_free(const struct sim_coherence *c, uint64_t line, double when_ns)
{
    const struct sim_transfer_of_line *last = &c->handed_on[hashed(line) % SIM_HANDED_ON];

    return last->line == line && last->until_ns > when_ns ? last->until_ns : when_ns;
}

void sim_coherence_hand_on(struct sim_coherence *c, uint64_t line, double until_ns)
{
    c->handed_on[hashed(line) % SIM_HANDED_ON] = (struct sim_transfer_of_line){line, until_ns};
}

static double answer_ns(const struct sim_coherence *c, const struct sim_memory_system *core,
                        uint64_t line)
{
    const struct sim_memory_system *other = owner(c, core, line);

    return other != NULL ? around_ns(c, core, other, line) + other->costs.answer_ns : 0;
}

double sim_coherence_read(struct sim_coherence *c, const struct sim_memory_system *core,
                          uint64_t line)
{
    double ns = touch(c, core, line) ? answer_ns(c, core, line) : 0;

    c->writer[line] = 0;
    return ns;
}

/* Until the farthest of the others has dropped it, and has said so to the core that asks. */
static double drop_ns(const struct sim_coherence *c, const struct sim_memory_system *core,
                      uint64_t line)
{
    double longest = 0;

    for (uint32_t i = 0; i < c->count; i++) {
        double ns;
        if (&c->cores[i] == core || !has(&c->cores[i], line))
            continue;
        ns = around_ns(c, core, &c->cores[i], line);
        longest = ns > longest ? ns : longest;
    }
    return longest;
}

double sim_coherence_write(struct sim_coherence *c, const struct sim_memory_system *core,
                           uint64_t line, bool owns, double *others)
{
    double ns = 0;

    *others = 0;
    if (touch(c, core, line)) {
        ns = owns ? 0 : answer_ns(c, core, line);
        *others = drop_ns(c, core, line);
    }
    c->writer[line] = (uint8_t)(core->caches.core + 1);
    return ns;
}
