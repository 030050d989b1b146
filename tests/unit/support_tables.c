/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/support_tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

void table_memory_start(struct table_memory *memory, unsigned alignment)
{
    *memory = (struct table_memory){.alignment = alignment};
    memory->table = calloc(TABLES_MAX, sizeof *memory->table);
    assert_non_null(memory->table);
}

void table_memory_stop(struct table_memory *memory)
{
    free(memory->arena);
    free(memory->table);
}

void *table_memory_reach(void *context, phys_addr address)
{
    struct table_memory *memory = context;
    uint64_t pos = address.value;

    if (pos % memory->alignment || (memory->unreadable && pos == memory->unreadable))
        return NULL;
    if (pos >= TABLES_BASE && pos < TABLES_BASE + memory->tables * 4096ull)
        return (uint8_t *)memory->table + (pos - TABLES_BASE);
    if (pos >= ARENA_BASE && pos < ARENA_BASE + memory->arena_bytes)
        return memory->arena + (pos - ARENA_BASE);
    return NULL;
}

uint64_t table_memory_add(struct table_memory *memory)
{
    assert_true(memory->tables < TABLES_MAX);
    return TABLES_BASE + 4096ull * memory->tables++;
}

void table_memory_arena(struct table_memory *memory, struct table_request *request, uint64_t bytes)
{
    free(memory->arena);
    memory->arena = malloc(bytes ? bytes : 1);
    assert_non_null(memory->arena);
    memset(memory->arena, 0xa5, bytes ? bytes : 1);
    memory->arena_bytes = request->arena_bytes = bytes;
}

void arena_is_exact(struct table_memory *memory,
                    enum status (*build)(const struct arch_table_request *request,
                                         struct table_tree *tree),
                    struct arch_table_request *request, uint64_t used)
{
    struct table_tree tree;

    table_memory_arena(memory, &request->window, used - 4096);
    assert_int_equal(build(request, &tree), STATUS_NO_MEMORY);
    assert_non_null(tree.refusal);
    assert_int_equal(tree.root, 0);
    table_memory_arena(memory, &request->window, used);
    assert_int_equal(build(request, &tree), STATUS_OK);
    assert_int_equal(tree.arena_used, used);
}

phys_addr frames_give(void *context, uint64_t page)
{
    const struct frames_of *f = context;

    assert_true(page < f->pages);
    if (page == f->stray)
        return phys_make(f->wrong);
    if (f->map == MAP_IDENTITY)
        return phys_make(f->base + (page << f->page));
    /* 1237 is coprime to every count used: each frame once, no two neighbours in order */
    return phys_make(f->base + ((page * 1237 + 11) % f->pages << f->page));
}

struct table_request frames_request(struct frames_of *frames, struct table_memory *memory)
{
    frames->stray = UINT64_MAX;
    return (struct table_request){.page = frames->page,
                                  .map = frames->map,
                                  .pages = frames->pages,
                                  .frame = frames_give,
                                  .frame_context = frames,
                                  .arena = phys_make(ARENA_BASE),
                                  .reach = table_memory_reach,
                                  .reach_context = memory};
}

bool frames_hold(const struct frames_of *frames, const struct table_tree *tree, uint64_t va)
{
    return va - tree->base < frames->pages << frames->page;
}

uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}
