/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of page tables have in common, whatever the architecture: memory for a firmware's
 * tables and for ours, and the frames of a window. The walkers are each test's own. */
#ifndef TESTS_UNIT_SUPPORT_TABLES_H
#define TESTS_UNIT_SUPPORT_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"

#define TABLES_BASE 0x90000000ull
#define TABLES_MAX  512
#define ARENA_BASE  0xa0000000ull

/* Physical memory; words between tables cannot be reached. */
struct table_memory {
    unsigned alignment; /* bytes, of what a table's address must be a multiple */
    unsigned tables;
    uint64_t (*table)[512]; /* the firmware's: at TABLES_BASE + 4096 i */
    uint8_t *arena;         /* at ARENA_BASE */
    uint64_t arena_bytes;
    uint64_t unreadable; /* physical address that is refused; 0: none */
};

void table_memory_start(struct table_memory *memory, unsigned alignment);
void table_memory_stop(struct table_memory *memory);
/* A struct table_request's reach, with the memory as context. */
void *table_memory_reach(void *memory, phys_addr address);
/* Adds an all-zero table to the firmware's; returns its address. */
uint64_t table_memory_add(struct table_memory *memory);
/* A new arena, filled with garbage, for the request. */
void table_memory_arena(struct table_memory *memory, struct table_request *request, uint64_t bytes);

/* Builds twice more: exactly the arena that was used is enough, one table less is not. */
void arena_is_exact(struct table_memory *memory,
                    enum status (*build)(const struct arch_table_request *request,
                                         struct table_tree *tree),
                    struct arch_table_request *request, uint64_t used);

/* Frames of a window: contiguous from base for MAP_IDENTITY, else each of them once in a mixed
 * order. */
struct frames_of {
    enum map_mode map;
    enum page_size page;
    uint64_t base, pages, stray; /* stray: page that gets a wrong frame; UINT64_MAX: none */
    uint64_t wrong;
};

/* A struct table_request's frame, with the frames as context. */
phys_addr frames_give(void *frames, uint64_t page);
/* For these frames, none of them stray, with tables in that memory; no arena yet. */
struct table_request frames_request(struct frames_of *frames, struct table_memory *memory);
bool frames_hold(const struct frames_of *frames, const struct table_tree *tree, uint64_t va);

uint64_t random_next(uint64_t *state);

#endif
