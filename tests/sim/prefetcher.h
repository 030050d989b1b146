/* SPDX-License-Identifier: BSD-2-Clause */
/* The prefetchers of the simulated machine: what each does after an access, and what a request to
 * switch them off achieves. */
#ifndef TESTS_SIM_PREFETCHER_H
#define TESTS_SIM_PREFETCHER_H

#include "core/lib/random.h"
#include "core/machine.h"
#include "tests/sim/config.h"

#define SIM_TRACKERS      16
#define SIM_TRACKER_HINTS 256 /* a power of two */

struct sim_memory_system;

/* What a prefetcher remembers of one block of memory. */
struct sim_tracker {
    uint64_t last;
    uint32_t seen; /* seen: hits in the region, or of the same stride in a row */
    int32_t stride;
};

struct sim_prefetcher {
    bool active;
    uint32_t next; /* tracker to be used again */
    uint8_t
        hint[SIM_TRACKER_HINTS]; /* by the region's low bits: its tracker, if it is still tracked */
    uint32_t region_key[SIM_TRACKERS]; /* what 32 bits hold of it */
    struct sim_tracker tracker[SIM_TRACKERS];
};

struct sim_prefetchers {
    struct sim_prefetcher each[SIM_PREFETCHERS_MAX];
    struct random random;
    bool lines, pages, follows; /* one is active that goes by lines; by pages; by pointers */
};

/* The word at an address, for a prefetcher that follows values. False: not an address of the
 * window. */
typedef bool sim_peek(void *context, uintptr_t value, uint64_t *line, uintptr_t *word);

void sim_prefetchers_start(struct sim_prefetchers *all, const struct sim_config *config);
/* Requests off (off true) or the firmware's setting; reports as core/machine.h says. */
void sim_prefetchers_set(struct sim_prefetchers *all, const struct sim_config *config, bool off,
                         struct prefetch_report *report);
/* Switches off only prefetcher number `index` of those with a working control; the others stay as
 * the firmware left them. False: there is no such prefetcher, nothing changes. */
bool sim_prefetchers_alone(struct sim_prefetchers *all, const struct sim_config *config,
                           uint32_t index, struct prefetch_report *report);
/* After a demand access to a line at that time, served by cache `server` (count: memory). */
void sim_prefetchers_after_access(struct sim_memory_system *system, uint64_t line, size_t server,
                                  double when_ns);
void sim_prefetchers_after_walk(struct sim_memory_system *system, uint32_t page, double when_ns);
/* A load returned this value at that time. */
void sim_prefetchers_after_value(struct sim_memory_system *system, uintptr_t value, double done_ns,
                                 sim_peek *peek, void *context);

#endif
