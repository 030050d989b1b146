/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/memory_system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void forget_walks(struct sim_memory_system *system)
{
    system->last_walk_ns = 0;
    for (size_t i = 0; i < SIM_WALKS_KEPT; i++)
        system->walk[i] = (struct sim_walk){.key = SIM_EMPTY, .done_ns = -1};
}

/* Everything but caches and memory. */
static void start(struct sim_memory_system *system, const struct sim_config *config)
{
    system->config = config;
    system->line_log2 = (unsigned)__builtin_ctz(config->cache[0].line_bytes);
    sim_pending_start(&system->pending, config->memory.misses_max);
    sim_tlb_start(&system->tlb, config);
    system->fill_log2 = system->caches.shift[config->cache_count - 1];
    sim_prefetchers_start(&system->prefetchers, config);
    sim_memory_set_frequency(system, config->core_hz);
}

void sim_memory_start(struct sim_memory_system *system, const struct sim_config *config)
{
    memset(system, 0, sizeof *system);
    system->dram = malloc(sizeof *system->dram);
    if (!system->dram) {
        fprintf(stderr, "simulator: no memory for its memory\n");
        exit(2);
    }
    sim_hierarchy_start(&system->caches, config);
    sim_dram_start(system->dram, &config->memory, &config->mapping, config->cache[0].line_bytes);
    start(system, config);
    sim_memory_turn(system);
    /* Memory delivers a whole line of the last cache. */
    system->dram->transfer_ns *= 1u << system->fill_log2;
}

void sim_memory_start_core(struct sim_memory_system *system, const struct sim_config *config,
                           struct sim_memory_system *first, uint32_t core)
{
    memset(system, 0, sizeof *system);
    system->dram = first->dram;
    sim_hierarchy_start_core(&system->caches, config, &first->caches, core);
    start(system, config);
}

void sim_memory_stop(struct sim_memory_system *system)
{
    bool last = system->caches.core == 0;

    sim_hierarchy_stop(&system->caches);
    sim_tlb_stop(&system->tlb);
    if (!last)
        return;
    sim_dram_stop(system->dram);
    free(system->dram);
}

void sim_memory_run_on(struct sim_memory_system *system, const struct sim_cpu *cpu, double core_hz)
{
    struct prefetch_report nobody;

    system->caches.used = true;
    system->node = cpu->node;
    system->far_ns = cpu->far_ns;
    sim_prefetchers_set(&system->prefetchers, system->config, false, &nobody);
    sim_memory_set_frequency(system, core_hz);
    sim_memory_turn(system);
}

void sim_memory_beside(struct sim_memory_system *system, bool others, bool sibling)
{
    system->others = others;
    system->sibling = sibling;
    sim_memory_set_frequency(system, system->core_hz);
}

void sim_memory_set_frequency(struct sim_memory_system *system, double core_hz)
{
    const struct sim_config *config = system->config;
    struct sim_costs *costs = &system->costs;

    sim_memory_ledger(system);
    system->core_hz = core_hz;
    system->away_ns = system->far_ns + (system->others ? 0 : config->core.asleep_ns) +
                      (system->sibling ? config->core.sibling_ns : 0);
    for (size_t i = 0; i < config->cache_count; i++)
        costs->cache_ns[i] = sim_time_ns(&config->cache[i].latency, core_hz) +
                             (i >= system->caches.own ? system->away_ns : 0);
    for (size_t i = 0; i < config->tlb_count; i++)
        costs->tlb_ns[i] = sim_time_ns(&config->tlb[i].penalty, core_hz);
    for (size_t i = 0; i < config->prefetch_count; i++)
        costs->lead_ns[i] = sim_time_ns(&config->prefetch[i].lead, core_hz);
    costs->walk_ns = sim_time_ns(&config->walk.cost, core_hz);
    costs->draw_ns = sim_time_ns(&config->draw, core_hz);
    costs->timer_ns = sim_time_ns(&config->core.timer, core_hz);
    costs->flush_ns = sim_time_ns(&config->core.flush, core_hz);
    costs->answer_ns = sim_time_ns(&config->coherence.answer, core_hz);
    costs->swap_ns = sim_time_ns(&config->coherence.swap, core_hz);
    costs->cycle_ns = 1e9 / core_hz;
}

const struct sim_ledger *sim_memory_ledger(struct sim_memory_system *system)
{
    struct sim_ledger *ledger = &system->ledger;

    ledger->accesses += (double)system->accesses;
    for (size_t i = 0; i < system->caches.count; i++) {
        double hits = (double)system->hits[i], ns = hits * system->costs.cache_ns[i];
        ledger->served[i] += hits;
        ledger->served_ns[i] += ns;
        ledger->cause_ns[SIM_BY_CACHE] += ns;
        system->hits[i] = 0;
    }
    ledger->cause_ns[SIM_BY_DRAW] += (double)system->draws * system->costs.draw_ns;
    system->accesses = system->draws = 0;
    return ledger;
}

void sim_memory_open(struct sim_memory_system *system, enum sim_page page, const uint32_t *page_key,
                     uint32_t page_count)
{
    sim_tlb_open(&system->tlb, page);
    system->page_key = page_key;
    system->page_count = page_count;
    forget_walks(system);
}

/* The TLBs' key of an address: where a page of the window is several of the host's, the host's
 * page. */
static uint32_t key_of(const struct sim_memory_system *system, const struct sim_reference *to)
{
    if (system->tlb.piece != system->tlb.page)
        return (uint32_t)(to->line >> (sim_page_log2(system->tlb.piece) - system->line_log2));
    return system->page_key ? system->page_key[to->page] : to->page;
}

/* Dirty lines that the last cache access left no room for go back to memory. */
static inline void give_back(struct sim_memory_system *system, double when_ns)
{
    struct sim_hierarchy *caches = &system->caches;

    while (caches->given_up_count != 0) {
        sim_dram_write(system->dram, caches->given_up[--caches->given_up_count], when_ns);
        system->ledger.writes++;
    }
}

/* Nothing of what others do before that time is still to come. */
static inline void take_turn(struct sim_memory_system *system, double when_ns)
{
    if (!system->crew)
        return;
    sim_crew_reach(system->crew, when_ns);
    if (when_ns > system->reached_ns)
        system->reached_ns = when_ns;
}

/* The entries of a walk are loaded one after the other: each says where the next one is. */
static double walk(struct sim_memory_system *system, const struct sim_reference *to, double when_ns)
{
    uint64_t lines[SIM_WALK_LOADS_MAX];
    size_t first = system->config->walk.first_cache - 1;
    double now = when_ns + system->costs.walk_ns;
    size_t count;

    if (!system->config->walk.loads)
        return now;
    count = sim_tlb_walk(&system->tlb, to->page, to->line, lines);
    for (size_t i = 0; i < count; i++) {
        struct sim_dram_cost cost;
        size_t server;
        take_turn(system, now);
        server = sim_hierarchy_access(&system->caches, lines[i], first);
        now = server < system->caches.count ? now + system->costs.cache_ns[server]
                                            : sim_dram_access(system->dram, lines[i], now, &cost);
        give_back(system, now);
    }
    return now;
}

static void remember_walk(struct sim_memory_system *system, uint32_t key, double done_ns)
{
    system->walk[system->walks++ % SIM_WALKS_KEPT] =
        (struct sim_walk){.key = key, .done_ns = done_ns};
    if (done_ns > system->last_walk_ns)
        system->last_walk_ns = done_ns;
}

/* The TLBs hold a page in name from the moment its walk begins. */
static double end_of_walk(const struct sim_memory_system *system, uint32_t key, double when_ns)
{
    for (size_t i = 0; i < SIM_WALKS_KEPT; i++)
        if (system->walk[i].key == key && system->walk[i].done_ns > when_ns)
            return system->walk[i].done_ns;
    return when_ns;
}

/* When the translation is there; *cause is what it took, where it took anything. */
static double translate(struct sim_memory_system *system, const struct sim_reference *to,
                        double when_ns, enum sim_cause *cause)
{
    uint32_t key = key_of(system, to);
    size_t level = sim_tlb_access(&system->tlb, key);
    double now;

    *cause = SIM_BY_TLB;
    if (level == 0 || level < system->config->tlb_count) {
        now = level == 0 ? when_ns : when_ns + system->costs.tlb_ns[level];
        return now < system->last_walk_ns ? end_of_walk(system, key, now) : now;
    }
    *cause = SIM_BY_WALK;
    now = walk(system, to, when_ns);
    remember_walk(system, key, now);
    if (system->prefetchers.pages)
        sim_prefetchers_after_walk(system, to->page, now);
    return now;
}

static double book_translation(struct sim_memory_system *system, const struct sim_reference *to,
                               double when_ns)
{
    enum sim_cause cause;
    double now = translate(system, to, when_ns, &cause);

    system->ledger.cause_ns[cause] += now - when_ns;
    system->ledger.walks += cause == SIM_BY_WALK;
    return now;
}

/* When an outstanding line arrives; 0: it is not outstanding. */
static inline double arrival_of(const struct sim_memory_system *system, uint64_t line,
                                double when_ns)
{
    return sim_pending_arrival(&system->pending, line >> system->fill_log2, when_ns);
}

static inline void put_under_way(struct sim_memory_system *system, uint32_t place, uint64_t line,
                                 double done_ns)
{
    sim_pending_put(&system->pending, place, line >> system->fill_log2, done_ns);
}

static double book_memory(struct sim_memory_system *system, const struct sim_dram_cost *cost)
{
    struct sim_ledger *ledger = &system->ledger;
    double ns = cost->memory_ns + cost->row_ns + cost->refresh_ns + cost->queue_ns + cost->write_ns;

    ledger->served[SIM_SERVED_MEMORY]++;
    ledger->served_ns[SIM_SERVED_MEMORY] += ns;
    ledger->cause_ns[SIM_BY_MEMORY] += cost->memory_ns;
    ledger->cause_ns[SIM_BY_ROW] += cost->row_ns;
    ledger->cause_ns[SIM_BY_REFRESH] += cost->refresh_ns;
    ledger->cause_ns[SIM_BY_QUEUE] += cost->queue_ns;
    ledger->cause_ns[SIM_BY_WRITE] += cost->write_ns;
    return ns;
}

/* A line that is already being fetched: the caches list it, but a load waits until it arrives. */
static double wait_for(struct sim_memory_system *system, size_t server, double when_ns,
                       double arrival_ns)
{
    struct sim_ledger *ledger = &system->ledger;
    double ns = server < system->caches.count ? system->costs.cache_ns[server] : 0;

    if (when_ns + ns >= arrival_ns) {
        system->hits[server]++;
        return when_ns + ns;
    }
    ledger->served[SIM_SERVED_PENDING]++;
    ledger->served_ns[SIM_SERVED_PENDING] += arrival_ns - when_ns;
    ledger->cause_ns[SIM_BY_PENDING] += arrival_ns - when_ns;
    return arrival_ns;
}

/* When a line that no place is free for at that time can be asked for; whether it waited. */
static bool wait_for_place(struct sim_memory_system *system, double *when_ns)
{
    const struct sim_pending *pending = &system->pending;
    bool waits = false;

    while (sim_pending_full(pending, *when_ns)) {
        *when_ns = pending->done_ns[sim_pending_first(pending)];
        waits = true;
        take_turn(system, *when_ns);
    }
    return waits;
}

static uint32_t take_place(struct sim_memory_system *system, double *when_ns)
{
    bool waited = wait_for_place(system, when_ns);

    return waited ? sim_pending_first(&system->pending)
                  : sim_pending_place(&system->pending, *when_ns);
}

/* A line that another core alone can give, or that is on its way to one; *start is when it can be
 * asked for. Returns when it is there; 0: it comes from where it always does. */
static double fetch_from_other(struct sim_memory_system *system, uint64_t line, double *start)
{
    struct sim_ledger *ledger = &system->ledger;
    double free_ns = sim_coherence_free(system->coherence, line, *start);
    double ns = sim_coherence_read(system->coherence, system, line);

    ledger->cause_ns[SIM_BY_OTHER] += free_ns - *start + ns;
    if (ns > 0) {
        ledger->served[SIM_SERVED_OTHER]++;
        ledger->served_ns[SIM_SERVED_OTHER] += free_ns - *start + ns;
        sim_coherence_hand_on(system->coherence, line, free_ns + ns);
    }
    *start = free_ns;
    return ns > 0 ? free_ns + ns : 0;
}

/* Cores that are not asked keep out of it. */
static bool is_coherent(const struct sim_memory_system *system, size_t server)
{
    return system->coherence != NULL && server >= system->caches.own;
}

static double fetch(struct sim_memory_system *system, uint64_t line, size_t server, double when_ns)
{
    double start = when_ns, asked, done = 0;
    uint32_t place = take_place(system, &start);

    asked = start;
    if (is_coherent(system, server))
        done = fetch_from_other(system, line, &asked);
    if (done > 0) {
        system->ledger.cause_ns[SIM_BY_QUEUE] += start - when_ns;
    } else if (server < system->caches.count) {
        done = asked + system->costs.cache_ns[server];
        system->hits[server]++;
        system->ledger.cause_ns[SIM_BY_QUEUE] += start - when_ns;
    } else {
        struct sim_dram_cost cost;
        take_turn(system, asked);
        done = sim_dram_access(system->dram, line, asked, &cost);
        cost.queue_ns += start - when_ns;
        book_memory(system, &cost);
    }
    put_under_way(system, place, line, done);
    return done;
}

/* A load whose translation is there at that time and which cache `server` had. */
static double serve(struct sim_memory_system *system, uint64_t line, size_t server,
                    double arrival_ns, double when_ns)
{
    double done;

    system->accesses++;
    if (arrival_ns > 0) {
        done = wait_for(system, server, when_ns, arrival_ns);
    } else if (server == 0) {
        system->hits[0]++;
        done = when_ns + system->costs.cache_ns[0];
    } else {
        done = fetch(system, line, server, when_ns);
    }
    give_back(system, done);
    if (system->prefetchers.lines)
        sim_prefetchers_after_access(system, line, server, when_ns);
    return done;
}

double sim_memory_reach(struct sim_memory_system *system, const struct sim_reference *to,
                        double when_ns)
{
    double now = book_translation(system, to, when_ns);

    take_turn(system, now);
    return now;
}

double sim_memory_load(struct sim_memory_system *system, uint64_t line, double when_ns)
{
    double arrival = arrival_of(system, line, when_ns);
    size_t server = sim_hierarchy_access(&system->caches, line, 0);

    return serve(system, line, server, arrival, when_ns);
}

double sim_memory_access(struct sim_memory_system *system, const struct sim_reference *to,
                         double when_ns)
{
    return sim_memory_load(system, to->line, sim_memory_reach(system, to, when_ns));
}

double sim_memory_access_nt(struct sim_memory_system *system, const struct sim_reference *to,
                            double when_ns)
{
    double now, arrival;

    if (system->config->core.nt_fills_all)
        return sim_memory_access(system, to, when_ns);
    now = sim_memory_reach(system, to, when_ns);
    arrival = arrival_of(system, to->line, now);
    return serve(system, to->line, sim_hierarchy_access_one(&system->caches, to->line, 0), arrival,
                 now);
}

/* Requests a line; alone: only the cache `into` is filled. */
static double request_line(struct sim_memory_system *system, uint64_t line, size_t into, bool alone,
                           double when_ns)
{
    double done = arrival_of(system, line, when_ns), ns;
    struct sim_dram_cost cost;
    size_t server;

    if (done > 0)
        return done;
    if (sim_pending_full(&system->pending, when_ns) ||
        sim_hierarchy_holds_before(&system->caches, line, into + 1))
        return when_ns;
    server = alone ? sim_hierarchy_access_one(&system->caches, line, into)
                   : sim_hierarchy_access(&system->caches, line, into);
    ns = is_coherent(system, server) ? sim_coherence_read(system->coherence, system, line) : 0;
    if (ns > 0)
        done = when_ns + ns;
    else
        done = server < system->caches.count ? when_ns + system->costs.cache_ns[server]
                                             : sim_dram_access(system->dram, line, when_ns, &cost);
    put_under_way(system, sim_pending_place(&system->pending, when_ns), line, done);
    give_back(system, done);
    return done;
}

double sim_memory_prefetch(struct sim_memory_system *system, uint64_t line, size_t into,
                           double when_ns)
{
    return request_line(system, line, into, false, when_ns);
}

void sim_memory_hint(struct sim_memory_system *system, const struct sim_reference *to, size_t into,
                     bool alone, double when_ns)
{
    const struct sim_config *config = system->config;
    size_t last = config->cache_count - 1;
    enum sim_cause nobody;

    if (last > 0 && config->cache[last].memory_side)
        last--;
    request_line(system, to->line, into < last ? into : last, alone,
                 translate(system, to, when_ns, &nobody));
}

/* The line is this core's alone, and dirty. */
static void claim(struct sim_memory_system *system, uint64_t line, double when_ns)
{
    sim_hierarchy_claim(&system->caches, line);
    /* An instruction that has been in the window for long waits for a place, not for its turn. */
    give_back(system, when_ns > system->reached_ns ? when_ns : system->reached_ns);
    sim_hierarchy_soil(&system->caches, line);
}

/* Of a line that is in the core's own caches from `server` on: when nobody else has it. */
static double make_own(struct sim_memory_system *system, uint64_t line, size_t server,
                       double others_ns, double when_ns)
{
    double own_ns = server == 0 ? system->costs.cycle_ns : system->costs.cache_ns[server];
    double start = when_ns;

    /* A thread of the same core may be about to swap a word of it. */
    if (system->coherence)
        start = sim_coherence_free(system->coherence, line, when_ns);
    return start + (others_ns > own_ns ? others_ns : own_ns);
}

/* Of a line that is not: it comes from another core, or from where it always does. */
static double bring_own(struct sim_memory_system *system, uint64_t line, size_t server,
                        double answer_ns, double others_ns, double *begun_ns)
{
    uint32_t place = take_place(system, begun_ns);
    double start = *begun_ns, done;
    struct sim_dram_cost cost;

    if (system->coherence)
        start = sim_coherence_free(system->coherence, line, start);
    if (answer_ns > 0) {
        done = start + answer_ns;
    } else if (server < system->caches.count) {
        done = start + system->costs.cache_ns[server];
    } else {
        take_turn(system, start);
        done = sim_dram_access(system->dram, line, start, &cost);
    }
    done = start + others_ns > done ? start + others_ns : done;
    put_under_way(system, place, line, done);
    return done;
}

double sim_memory_own(struct sim_memory_system *system, uint64_t line, double when_ns,
                      double *begun_ns)
{
    double arrival = arrival_of(system, line, when_ns), answer = 0, others = 0, begun = when_ns,
           done;
    size_t server = sim_hierarchy_access(&system->caches, line, 0);
    bool owns = server < system->caches.own;

    if (system->coherence)
        answer = sim_coherence_write(system->coherence, system, line, owns, &others);
    claim(system, line, when_ns);
    done = owns ? make_own(system, line, server, others, when_ns)
                : bring_own(system, line, server, answer, others, &begun);
    done = done > arrival ? done : arrival;
    if (system->coherence && (others > 0 || answer > 0))
        sim_coherence_hand_on(system->coherence, line, done);
    if (begun_ns)
        *begun_ns = begun;
    if (done > system->stored_ns)
        system->stored_ns = done;
    return done;
}

double sim_memory_swap(struct sim_memory_system *system, uint64_t line, double when_ns)
{
    double done = sim_memory_own(system, line, when_ns, NULL) + system->costs.swap_ns;

    if (system->coherence)
        sim_coherence_hand_on(system->coherence, line, done);
    return done;
}

double sim_memory_store(struct sim_memory_system *system, const struct sim_reference *to,
                        double when_ns)
{
    double begun;

    if (!system->crew) {
        sim_hierarchy_access(&system->caches, to->line, 0);
        claim(system, to->line, when_ns);
        return when_ns;
    }
    begun = sim_memory_reach(system, to, when_ns);
    (void)sim_memory_own(system, to->line, begun, &begun);
    return begun;
}

double sim_memory_stream(struct sim_memory_system *system, const struct sim_reference *to,
                         double when_ns)
{
    double begun = sim_memory_reach(system, to, when_ns);
    uint32_t place = take_place(system, &begun);
    struct sim_dram_cost cost;

    sim_memory_overwrite(system, to->line);
    system->ledger.writes++;
    put_under_way(system, place, to->line, sim_dram_store(system->dram, to->line, begun, &cost));
    return begun;
}

double sim_memory_flush(struct sim_memory_system *system, const struct sim_reference *to,
                        double when_ns)
{
    enum sim_cause nobody;
    double now = translate(system, to, when_ns, &nobody);

    take_turn(system, now);
    if (system->coherence)
        sim_coherence_forget(system->coherence, to->line);
    if (sim_hierarchy_flush(&system->caches, to->line)) {
        sim_dram_write(system->dram, to->line, now);
        system->ledger.writes++;
    }
    return now + system->costs.flush_ns;
}

void sim_memory_overwrite(struct sim_memory_system *system, uint64_t line)
{
    (void)sim_hierarchy_drop(&system->caches, line);
    if (system->coherence)
        sim_coherence_forget(system->coherence, line);
}

void sim_memory_prefetch_page(struct sim_memory_system *system, uint32_t page, double when_ns)
{
    /* Its place in memory matters only with a host's tables, and with those there are no such
     * prefetchers. */
    struct sim_reference to = {.page = page};

    if (page < system->page_count && sim_tlb_prefetch(&system->tlb, key_of(system, &to)))
        (void)walk(system, &to, when_ns);
}
