/* SPDX-License-Identifier: BSD-2-Clause */
/* A fully associative store of any number of entries: a TLB in which every page may be anywhere.
 * Its time does not grow with its entries. */
#ifndef TESTS_SIM_FULL_H
#define TESTS_SIM_FULL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/lib/random.h"
#include "tests/sim/config.h"

struct sim_full_entry {
    uint32_t key;
    uint32_t chain;         /* the next entry of the same bucket */
    uint32_t before, after; /* in the order of use; entry [entries] closes the ring */
};

struct sim_full {
    uint32_t entries, used, bucket_mask;
    enum sim_policy policy;
    struct sim_full_entry *entry; /* [entries + 1] */
    uint32_t *bucket;             /* [bucket_mask + 1]: an entry, or `entries` for none */
    struct random *random;        /* the owner's */
};

/* policy: LRU, or one of the random ones. sim_full_stop frees. Exits the program when memory runs
 * out. */
void sim_full_start(struct sim_full *full, uint32_t entries, enum sim_policy policy,
                    struct random *random);
void sim_full_stop(struct sim_full *full);
void sim_full_clear(struct sim_full *full);
bool sim_full_holds(const struct sim_full *full, uint32_t key);
/* True when the key is there; it becomes the most recently used one. */
bool sim_full_touch(struct sim_full *full, uint32_t key);
/* Inserts a key that is not there. Returns the evicted key, or UINT32_MAX. */
uint32_t sim_full_fill(struct sim_full *full, uint32_t key);
/* False when it was not there. */
bool sim_full_drop(struct sim_full *full, uint32_t key);

#endif
