/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/sparse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PLACES_MIN 1024
#define HUGE_PAGE  (2u << 20)

/* Where the word is, or would be put: places are searched one after the other. */
static struct sim_sparse_word *find(const struct sim_sparse *sparse, uintptr_t address)
{
    uint64_t place = ((uint64_t)address * 0x9e3779b97f4a7c15u) >> 20;

    for (;; place++) {
        struct sim_sparse_word *word = &sparse->word[place & (sparse->places - 1)];
        if (word->address == address || word->address == 0)
            return word;
    }
}

/* Places are far apart in it: the host's small pages would each take a walk, and a fault first. */
static struct sim_sparse_word *table(uint64_t places)
{
    uint64_t bytes = places * sizeof(struct sim_sparse_word);
    size_t unit = bytes < HUGE_PAGE ? 64 : HUGE_PAGE;
    void *word = aligned_alloc(unit, bytes);

    if (!word) {
        fprintf(stderr, "simulator: no memory for %llu words\n", (unsigned long long)places);
        exit(2);
    }
    if (unit == HUGE_PAGE)
        madvise(word, bytes, MADV_HUGEPAGE);
    return memset(word, 0, bytes);
}

static void grow(struct sim_sparse *sparse)
{
    struct sim_sparse old = *sparse;

    sparse->places = old.places != 0 ? 2 * old.places : PLACES_MIN;
    sparse->word = table(sparse->places);
    for (uint64_t i = 0; i < old.places; i++)
        if (old.word[i].address != 0)
            *find(sparse, old.word[i].address) = old.word[i];
    free(old.word);
}

void sim_sparse_put(struct sim_sparse *sparse, uintptr_t address, uintptr_t value)
{
    struct sim_sparse_word *word;

    if (sparse->count >= sparse->places / 4 * 3)
        grow(sparse);
    word = find(sparse, address);
    sparse->count += word->address == 0;
    *word = (struct sim_sparse_word){address, value};
}

bool sim_sparse_get(const struct sim_sparse *sparse, uintptr_t address, uintptr_t *value)
{
    const struct sim_sparse_word *word;

    if (sparse->count == 0)
        return false;
    word = find(sparse, address);
    *value = word->value;
    return word->address != 0;
}

void sim_sparse_clear(struct sim_sparse *sparse)
{
    free(sparse->word);
    *sparse = (struct sim_sparse){.count = 0};
}
