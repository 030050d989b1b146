/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/sorted.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "tests/host/pagemap.h"
#include "tests/host/sysfile.h"

#define MAPPINGS_DEFAULT 65530

struct page {
    uint64_t physical, number;
};

uint64_t sorted_pages_max(void)
{
    uint64_t mappings;

    if (!sysfile_number("/proc/sys/vm/max_map_count", &mappings))
        mappings = MAPPINGS_DEFAULT;
    return mappings / 2;
}

static int by_physical(const void *a, const void *b)
{
    const struct page *x = a, *y = b;

    return (x->physical > y->physical) - (x->physical < y->physical);
}

/* False: some address is hidden. *ascend: nothing is to be done. */
static bool look(struct page *page, uint64_t count, const char *base, uint64_t page_bytes,
                 bool *ascend)
{
    *ascend = true;
    for (uint64_t i = 0; i < count; i++) {
        page[i] = (struct page){pagemap_phys((uintptr_t)base + i * page_bytes).value, i};
        if (page[i].physical == UINT64_MAX)
            return false;
        *ascend = *ascend && (i == 0 || page[i].physical > page[i - 1].physical);
    }
    return true;
}

static bool move(char *from, char *to, uint64_t page_bytes)
{
    return mremap(from, page_bytes, page_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == (void *)to;
}

/* Out in their order, and back. */
static bool move_all(const struct page *page, uint64_t count, char *base, char *beside,
                     uint64_t page_bytes)
{
    for (uint64_t i = 0; i < count; i++)
        if (!move(base + page[i].number * page_bytes, beside + i * page_bytes, page_bytes))
            return false;
    for (uint64_t i = 0; i < count; i++)
        if (!move(beside + i * page_bytes, base + i * page_bytes, page_bytes))
            return false;
    return true;
}

/* Huge pages are moved whole between addresses that are multiples of their size. */
static bool sort(struct page *page, uint64_t count, char *base, uint64_t page_bytes)
{
    uint64_t bytes = (count + 1) * page_bytes;
    char *wide = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    bool moved;

    if (wide == MAP_FAILED)
        return false;
    qsort(page, count, sizeof *page, by_physical);
    moved = move_all(page, count, base,
                     wide + (page_bytes - (uintptr_t)wide % page_bytes) % page_bytes, page_bytes);
    munmap(wide, bytes);
    return moved;
}

bool sorted_make(char *base, uint64_t bytes, uint64_t page_bytes)
{
    uint64_t count = bytes / page_bytes;
    struct page *page = calloc(count, sizeof *page);
    bool ascend, done;

    done = page != NULL && look(page, count, base, page_bytes, &ascend) &&
           (ascend || sort(page, count, base, page_bytes));
    free(page);
    return done;
}
