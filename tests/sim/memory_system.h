/* SPDX-License-Identifier: BSD-2-Clause */
/* What an access of one core of the simulated machine costs: translation, caches, outstanding
 * lines, memory. It knows addresses and time, not contents: a test can drive it without a window.
 */
#ifndef TESTS_SIM_MEMORY_SYSTEM_H
#define TESTS_SIM_MEMORY_SYSTEM_H

#include "tests/sim/coherence.h"
#include "tests/sim/crew.h"
#include "tests/sim/dram.h"
#include "tests/sim/hierarchy.h"
#include "tests/sim/ledger.h"
#include "tests/sim/pending.h"
#include "tests/sim/prefetcher.h"
#include "tests/sim/tlb.h"

/* Lengths of time at the core's present frequency. */
struct sim_costs {
    double cache_ns[SIM_CACHES_MAX], tlb_ns[SIM_TLBS_MAX], walk_ns, draw_ns;
    double cycle_ns, timer_ns, flush_ns, answer_ns, swap_ns;
    double lead_ns[SIM_PREFETCHERS_MAX];
};

/* A recent walk: an access to the same page waits for its end. */
struct sim_walk {
    uint32_t key; /* what the TLBs know the page by */
    double done_ns;
};
#define SIM_WALKS_KEPT 32

/* Where an access goes. */
struct sim_reference {
    uint64_t line; /* physical: offset from SIM_MEMORY_BASE in lines */
    uint32_t page; /* of the window */
};

struct sim_memory_system {
    const struct sim_config *config;
    uint32_t node; /* that the core is of */
    double far_ns; /* it is from the caches that cores share */
    double core_hz;
    bool others, sibling; /* at the same time run: other cores; another thread of it */
    double away_ns;       /* what leaves the core's own caches takes longer, by all these */
    unsigned line_log2, fill_log2; /* fill_log2: of the first cache's lines in a last one's */
    struct sim_hierarchy caches;
    struct sim_tlb tlb;
    struct sim_dram *dram;           /* all cores' */
    struct sim_coherence *coherence; /* all cores'; NULL: it takes nothing that others have lines */
    struct sim_crew *crew;           /* of CPUs that run at the same time; NULL: there is one */
    double reached_ns; /* the latest time that it had its turn at; where there is a crew */
    double stored_ns;  /* when every line that was stored to is there; where there is a crew */
    struct sim_prefetchers prefetchers;
    struct sim_costs costs;
    struct sim_pending pending;           /* lines of the last cache */
    struct sim_walk walk[SIM_WALKS_KEPT]; /* a ring */
    uint32_t walks;
    double last_walk_ns;      /* when the last of them ends */
    const uint32_t *page_key; /* [page_count]: what the TLBs know a page by; NULL: its number */
    uint32_t page_count;
    /* Of everything so far, but for what is counted below: sim_memory_ledger books it. */
    struct sim_ledger ledger;
    uint64_t accesses, draws, hits[SIM_CACHES_MAX]; /* since then */
};

/* Core 0. sim_memory_stop frees; config must outlive it. */
void sim_memory_start(struct sim_memory_system *system, const struct sim_config *config);
/* A further core of the same machine, which is stopped before core 0 is; both stay where they are.
 */
void sim_memory_start_core(struct sim_memory_system *system, const struct sim_config *config,
                           struct sim_memory_system *first, uint32_t core);
void sim_memory_stop(struct sim_memory_system *system);
/* From now on that CPU, one of the core's, does all accesses, at that frequency. The core's
 * prefetchers are as the firmware left them. */
void sim_memory_run_on(struct sim_memory_system *system, const struct sim_cpu *cpu, double core_hz);
/* At the same time CPUs of other cores run, or a further thread of this one. At first: neither. */
void sim_memory_beside(struct sim_memory_system *system, bool others, bool sibling);
/* The accesses that come are this core's, after some of another one's. */
static inline void sim_memory_turn(struct sim_memory_system *system)
{
    sim_dram_ask_from(system->dram, system->node, system->away_ns);
}
/* The core runs at that frequency from now on. */
void sim_memory_set_frequency(struct sim_memory_system *system, double core_hz);
/* A window of pages of that size is open; the keys stay the caller's. */
void sim_memory_open(struct sim_memory_system *system, enum sim_page page, const uint32_t *page_key,
                     uint32_t page_count);
/* Everything so far, by what served it and what it cost. */
const struct sim_ledger *sim_memory_ledger(struct sim_memory_system *system);
/* A load of this reference will come: the host prefetches what it will need. The simulation does
 * not change. */
__attribute__((always_inline)) static inline void
sim_memory_expect(const struct sim_memory_system *system, const struct sim_reference *to)
{
    sim_hierarchy_expect(&system->caches, to->line, 0);
    if (system->config->walk.loads)
        sim_hierarchy_expect(&system->caches, sim_tlb_leaf(&system->tlb, to->page),
                             system->config->walk.first_cache - 1);
}
/* When the translation of an access of that time is there: everything that others do before is
 * done, and the next one that happens is this access, if it is made at that time. Books it. */
double sim_memory_reach(struct sim_memory_system *system, const struct sim_reference *to,
                        double when_ns);
/* The rest of a load: at the time that sim_memory_reach has returned. */
double sim_memory_load(struct sim_memory_system *system, uint64_t line, double when_ns);
/* The same of a store that is waited for, until no other core has the line. *begun_ns, if not NULL:
 * when it had a place among what is outstanding. */
double sim_memory_own(struct sim_memory_system *system, uint64_t line, double when_ns,
                      double *begun_ns);
/* The same of one that compares and swaps: it has the line until that is done. */
double sim_memory_swap(struct sim_memory_system *system, uint64_t line, double when_ns);
/* A load at that time; returns when its value is there, and records its cost. */
double sim_memory_access(struct sim_memory_system *system, const struct sim_reference *to,
                         double when_ns);
/* The same for a non-temporal load: the farther caches are left alone where the machine honours
 * that. */
double sim_memory_access_nt(struct sim_memory_system *system, const struct sim_reference *to,
                            double when_ns);
/* Brings a line into cache `into` (0 the first) without anyone waiting. Returns when it has
 * arrived; when_ns if it was there, or if too much is outstanding to request it. */
double sim_memory_prefetch(struct sim_memory_system *system, uint64_t line, size_t into,
                           double when_ns);
/* True: no prefetch can start at that time, whatever the line. */
static inline bool sim_memory_busy(const struct sim_memory_system *system, double when_ns)
{
    return sim_pending_full(&system->pending, when_ns);
}
/* A prefetch instruction: it translates, walks included, and books no time, since no load waits for
 * it. into: as above, limited to the last cache private to the core; alone: the caches beyond are
 * left unchanged. */
void sim_memory_hint(struct sim_memory_system *system, const struct sim_reference *to, size_t into,
                     bool alone, double when_ns);
/* A store into the caches: the line is dirty from then on. Stores wait in a buffer, and nothing
 * waits for them. Where CPUs run at the same time, they wait for a place among what is outstanding;
 * returns when it has one. */
double sim_memory_store(struct sim_memory_system *system, const struct sim_reference *to,
                        double when_ns);
/* Flushes the line from all caches but a memory-side one, to memory if dirty; returns when that is
 * done. Books nothing.
 */
double sim_memory_flush(struct sim_memory_system *system, const struct sim_reference *to,
                        double when_ns);
/* A whole line is stored past the caches, which lose it; returns when that had a place among what
 * is outstanding. */
double sim_memory_stream(struct sim_memory_system *system, const struct sim_reference *to,
                         double when_ns);
/* A store past the caches: they lose the line if they had it. */
void sim_memory_overwrite(struct sim_memory_system *system, uint64_t line);
/* Brings the translation of a page into the farthest TLB level. */
void sim_memory_prefetch_page(struct sim_memory_system *system, uint32_t page, double when_ns);

#endif
