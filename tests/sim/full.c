/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/full.h"

#include <stdio.h>
#include <stdlib.h>

#define NO_KEY UINT32_MAX

void sim_full_start(struct sim_full *full, uint32_t entries, enum sim_policy policy,
                    struct random *random)
{
    uint32_t buckets = 1;

    while (buckets < entries)
        buckets *= 2;
    *full = (struct sim_full){.entries = entries,
                              .bucket_mask = buckets - 1,
                              .policy = policy,
                              .entry = calloc(entries + 1, sizeof *full->entry),
                              .bucket = calloc(buckets, sizeof *full->bucket),
                              .random = random};
    if (!full->entry || !full->bucket) {
        fprintf(stderr, "simulator: no memory for %u entries\n", entries);
        exit(2);
    }
    sim_full_clear(full);
}

void sim_full_stop(struct sim_full *full)
{
    free(full->entry);
    free(full->bucket);
}

/* All entries are in the ring at all times: empty ones are the least recently used. */
void sim_full_clear(struct sim_full *full)
{
    full->used = 0;
    for (uint32_t i = 0; i <= full->entries; i++)
        full->entry[i] = (struct sim_full_entry){.key = NO_KEY,
                                                 .chain = full->entries,
                                                 .before = i == 0 ? full->entries : i - 1,
                                                 .after = i == full->entries ? 0 : i + 1};
    for (uint32_t i = 0; i <= full->bucket_mask; i++)
        full->bucket[i] = full->entries;
}

static uint32_t *bucket_of(const struct sim_full *full, uint32_t key)
{
    return &full->bucket[(key * 0x9e3779b1u >> 7) & full->bucket_mask];
}

static uint32_t find(const struct sim_full *full, uint32_t key)
{
    uint32_t i = *bucket_of(full, key);

    while (i != full->entries && full->entry[i].key != key)
        i = full->entry[i].chain;
    return i;
}

/* Next to the entry that closes the ring: behind it is the most recent one, before it the next
 * victim. */
static void move(struct sim_full *full, uint32_t i, bool front)
{
    struct sim_full_entry *entry = full->entry;
    uint32_t ring = full->entries, before, after;

    entry[entry[i].before].after = entry[i].after;
    entry[entry[i].after].before = entry[i].before;
    before = front ? ring : entry[ring].before;
    after = front ? entry[ring].after : ring;
    entry[i].before = before;
    entry[i].after = after;
    entry[before].after = entry[after].before = i;
}

static void forget(struct sim_full *full, uint32_t i)
{
    uint32_t *link = bucket_of(full, full->entry[i].key);

    while (*link != i)
        link = &full->entry[*link].chain;
    *link = full->entry[i].chain;
    full->entry[i].key = NO_KEY;
    full->used--;
}

bool sim_full_holds(const struct sim_full *full, uint32_t key)
{
    return find(full, key) != full->entries;
}

bool sim_full_touch(struct sim_full *full, uint32_t key)
{
    uint32_t i = find(full, key);

    if (i == full->entries)
        return false;
    move(full, i, true);
    return true;
}

uint32_t sim_full_fill(struct sim_full *full, uint32_t key)
{
    bool any = full->policy == SIM_RANDOM_ANY ||
               (full->policy == SIM_RANDOM && full->used == full->entries);
    uint32_t i = any ? (uint32_t)random_below(full->random, full->entries)
                     : full->entry[full->entries].before;
    uint32_t gone = full->entry[i].key, *bucket = bucket_of(full, key);

    if (gone != NO_KEY)
        forget(full, i);
    full->entry[i].key = key;
    full->entry[i].chain = *bucket;
    *bucket = i;
    full->used++;
    move(full, i, true);
    return gone;
}

bool sim_full_drop(struct sim_full *full, uint32_t key)
{
    uint32_t i = find(full, key);

    if (i == full->entries)
        return false;
    forget(full, i);
    move(full, i, false);
    return true;
}
