/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/window.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch/arch.h"
#include "core/lib/phys.h"
#include "tests/host/memory.h"
#include "tests/host/nodes.h"
#include "tests/host/pagemap.h"
#include "tests/host/quiet.h"
#include "tests/host/sorted.h"

#ifndef MAP_HUGE_SHIFT
#define MAP_HUGE_SHIFT 26
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1 */
#endif

#define SMALL_PAGE 4096u
#define PART_BYTES ((uint64_t)64 << 20)

/* What has been noted already. */
enum said { SAID_POOL = 1, SAID_TRANSPARENT = 2, SAID_SMALL = 4, SAID_PART = 8, SAID_ORDER = 16 };
static unsigned said;

static void say(struct notes *notes, enum said what, enum severity severity, const char *words,
                const char *why)
{
    if (!(said & what))
        notes_add(notes, severity, words, why);
    said |= what;
}

uint32_t window_page_sizes(struct notes *notes)
{
    uint32_t sizes = 0;

    if (sysconf(_SC_PAGESIZE) == SMALL_PAGE)
        sizes |= 1u << PAGE_4K;
    else
        notes_add(notes, SEVERITY_WARNING, "no 4k pages", "this kernel's own pages are larger");
    if (memory_pool_bytes(PAGE_2M) != 0 || memory_transparent())
        sizes |= 1u << PAGE_2M;
    else
        notes_add(
            notes, SEVERITY_WARNING, "no 2m pages",
            "the pool is empty, and transparent huge pages are switched off, for all or for this "
            "process; root can fill it: "
            "/proc/sys/vm/nr_hugepages");
    if (memory_pool_bytes(PAGE_1G) != 0)
        sizes |= 1u << PAGE_1G;
    else
        notes_add(notes, SEVERITY_INFO, "no 1g pages",
                  "the pool is empty; root can fill it: "
                  "/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages");
    return sizes;
}

struct touch {
    volatile char *base;
    uint64_t bytes;
};

static void touch_body(void *arg)
{
    const struct touch *touch = arg;

    for (uint64_t pos = 0; pos < touch->bytes; pos += SMALL_PAGE)
        touch->base[pos] = 0;
}

/* For kernels without MADV_POPULATE_WRITE: touches each page. A signal kills the process if a page
 * cannot be had. */
static bool populate_part(char *base, uint64_t bytes)
{
    static struct arch_quiet_result result;
    struct touch touch = {base, bytes};
    struct arch_quiet_plan plan = {.body = touch_body, .arg = &touch};

    if (madvise(base, bytes, MADV_POPULATE_WRITE) == 0)
        return true;
    return errno == EINVAL && arch_quiet_run(&plan, &result) == STATUS_OK;
}

/* The memory of a window: of `bytes`, the first `made` are populated. */
struct mapping {
    enum backing { POOL, TRANSPARENT, SMALL } backing;
    enum page_size page;
    uint32_t node; /* that it is bound to; NODE_ANY */
    char *base;
    uint64_t bytes, made;
};

/* Mappings of closed windows. Populating their pages took seconds, so they are kept for the next
 * window of that size until the memory is needed. */
#define SIZES 3
static struct mapping *kept[SIZES];

static struct mapping **kept_of(enum page_size page)
{
    return &kept[(page - PAGE_4K) / (PAGE_2M - PAGE_4K)];
}

/* What all mappings of ordinary memory hold, and those of each pool. */
static uint64_t ordinary_bytes, pool_bytes[SIZES];

static uint64_t *held_bytes(const struct mapping *mapping)
{
    return mapping->backing == POOL ? &pool_bytes[kept_of(mapping->page) - kept] : &ordinary_bytes;
}

static void unmap(struct mapping *mapping)
{
    *held_bytes(mapping) -= mapping->backing == POOL ? mapping->bytes : mapping->made;
    munmap(mapping->base, mapping->bytes);
}

static void give_back_kept(void)
{
    for (size_t i = 0; i < SIZES; i++) {
        if (kept[i] != NULL)
            unmap(kept[i]);
        free(kept[i]);
        kept[i] = NULL;
    }
}

uint64_t window_held_bytes(void)
{
    return ordinary_bytes;
}

/* A process cannot choose where its memory lies. */
static bool is_anywhere(const struct window_request *request)
{
    return request->from.value == request->below.value ||
           (request->from.value == 0 && request->below.value == PHYS_ALL);
}

uint64_t window_limit(const struct window_request *request)
{
    uint64_t pool = request->page == PAGE_4K ? 0
                                             : memory_pool_bytes(request->page) +
                                                   pool_bytes[kept_of(request->page) - kept];
    uint64_t ordinary =
        request->page == PAGE_4K || (request->page == PAGE_2M && memory_transparent())
            ? (memory_available() + ordinary_bytes) >> request->page << request->page
            : 0;

    uint32_t node = nodes_to_bind(request->node);

    if (request->map != MAP_PROCESS || !is_anywhere(request))
        return 0;
    if (pool > nodes_pool_bytes(node, request->page))
        pool = nodes_pool_bytes(node, request->page);
    if (ordinary > memory_less_reserve(nodes_free_bytes(node)))
        ordinary = memory_less_reserve(nodes_free_bytes(node)) >> request->page << request->page;
    if (pool > ordinary)
        ordinary = pool;
    if (request->order == FRAMES_CONTIGUOUS && ordinary >> request->page > sorted_pages_max())
        ordinary = sorted_pages_max() << request->page;
    return ordinary;
}

/* In parts: many gibibytes take a minute, and a stop must not wait for that. */
static bool populate(struct mapping *mapping, uint64_t bytes)
{
    while (mapping->made < bytes) {
        uint64_t left = mapping->bytes - mapping->made;
        uint64_t part = left < PART_BYTES ? left : PART_BYTES;
        if (quiet_stop_asked() || !populate_part(mapping->base + mapping->made, part))
            return false;
        mapping->made += part;
        if (mapping->backing != POOL)
            ordinary_bytes += part;
    }
    return true;
}

static enum status why_not(void)
{
    return quiet_stop_asked() ? STATUS_ABORTED : STATUS_NO_MEMORY;
}

static char *map_pool(enum page_size page, uint64_t bytes)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | (int)((unsigned)page << MAP_HUGE_SHIFT);
    char *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);

    return base == MAP_FAILED ? NULL : base;
}

/* Ordinary memory, at a multiple of 2 MiB so that sets of every page size lie alike. */
static char *map_aligned(uint64_t bytes)
{
    uint64_t align = 1ull << PAGE_2M;
    char *wide = mmap(NULL, bytes + align, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    uint64_t skip;

    if (wide == MAP_FAILED)
        return NULL;
    skip = (align - (uintptr_t)wide % align) % align;
    if (skip != 0)
        munmap(wide, skip);
    munmap(wide + skip + bytes, align - skip);
    return wide + skip;
}

static char *map_ordinary(uint64_t bytes, int advice)
{
    char *base = map_aligned(bytes);

    /* EINVAL: a kernel without transparent huge pages, which is what MADV_NOHUGEPAGE asks for. */
    if (base == NULL || madvise(base, bytes, advice) == 0 || advice == MADV_NOHUGEPAGE)
        return base;
    munmap(base, bytes);
    return NULL;
}

/* All of it is on huge pages, or it is rejected: a set partly in small pages has no single page
 * size. */
static bool is_huge(const struct mapping *mapping, struct notes *notes)
{
    uint64_t huge = pagemap_transparent_bytes((uintptr_t)mapping->base, mapping->bytes);

    if (huge != mapping->made && huge != UINT64_MAX &&
        madvise(mapping->base, mapping->made, MADV_COLLAPSE) == 0)
        huge = pagemap_transparent_bytes((uintptr_t)mapping->base, mapping->bytes);
    if (huge == mapping->made)
        return true;
    say(notes, SAID_PART, SEVERITY_WARNING, "transparent huge pages not had",
        huge == UINT64_MAX ? "the kernel does not tell which pages are huge"
                           : "the kernel gave small pages in part; a pool of huge pages is sure: "
                             "/proc/sys/vm/nr_hugepages");
    return false;
}

static bool mapping_make(struct mapping *mapping, uint64_t bytes, struct notes *notes)
{
    bool more = mapping->made < bytes;

    return populate(mapping, bytes) &&
           (!more || mapping->backing != TRANSPARENT || is_huge(mapping, notes));
}

/* Reserves addresses for larger sets to come, which costs nothing. */
static char *map_roomy(enum backing backing, enum page_size page, uint64_t *bytes)
{
    int advice = backing == SMALL ? MADV_NOHUGEPAGE : MADV_HUGEPAGE;
    uint64_t room = (memory_available() + ordinary_bytes) >> page << page;
    char *base = NULL;

    if (backing == POOL)
        return map_pool(page, *bytes);
    if (room > *bytes)
        base = map_ordinary(room, advice);
    if (base == NULL)
        return map_ordinary(*bytes, advice);
    *bytes = room;
    return base;
}

/* Populates a first part too, so that a failure shows now. */
static bool map_as(struct mapping *mapping, enum backing backing, enum page_size page,
                   uint64_t bytes, struct notes *notes)
{
    uint32_t node = mapping->node;

    *mapping = (struct mapping){.backing = backing, .page = page, .node = node, .bytes = bytes};
    mapping->base = map_roomy(backing, page, &mapping->bytes);
    if (mapping->base == NULL)
        return false;
    if (backing == POOL)
        *held_bytes(mapping) += mapping->bytes;
    if (nodes_bind(mapping->base, mapping->bytes, node) && mapping_make(mapping, 1, notes))
        return true;
    unmap(mapping);
    return false;
}

static bool map_huge(struct mapping *mapping, enum page_size page, uint64_t bytes,
                     struct notes *notes)
{
    if (memory_pool_bytes(page) >= bytes && nodes_pool_bytes(mapping->node, page) >= bytes &&
        map_as(mapping, POOL, page, bytes, notes)) {
        said |= SAID_POOL;
        return true;
    }
    if (page != PAGE_2M || !memory_transparent() ||
        !map_as(mapping, TRANSPARENT, page, bytes, notes))
        return false;
    say(notes, SAID_TRANSPARENT, SEVERITY_INFO, "2m pages are transparent ones",
        "the pool of 2m pages is too small for these sets; all their memory was seen to be huge");
    return true;
}

static void note_frames(uintptr_t base, uint64_t bytes, struct notes *notes)
{
    char why[NOTES_WHY_BYTES];
    double share;

    if (pagemap_neighbours(base, bytes, &share))
        snprintf(why, sizeof why,
                 "a process cannot choose them; %.0f %% of neighbouring pages are neighbours in "
                 "memory, which some TLBs profit from",
                 share * 100);
    else
        snprintf(why, sizeof why,
                 "a process cannot choose them, nor see them without CAP_SYS_ADMIN");
    say(notes, SAID_SMALL, SEVERITY_INFO, "frames of 4k pages are as found", why);
}

static bool map_new(struct mapping *mapping, enum page_size page, uint64_t bytes,
                    struct notes *notes)
{
    if (page != PAGE_4K)
        return map_huge(mapping, page, bytes, notes);
    if (!map_as(mapping, SMALL, PAGE_4K, bytes, notes))
        return false;
    note_frames((uintptr_t)mapping->base, mapping->made, notes);
    return true;
}

/* A kept mapping, or a new one; NULL: not available. */
static struct mapping *mapping_of(enum page_size page, uint32_t node, uint64_t bytes,
                                  struct notes *notes)
{
    struct mapping *mapping = *kept_of(page);

    *kept_of(page) = NULL;
    if (mapping != NULL && mapping->bytes >= bytes && mapping->node == node)
        return mapping;
    if (mapping != NULL)
        unmap(mapping);
    else
        mapping = malloc(sizeof *mapping);
    if (mapping != NULL)
        mapping->node = node;
    if (mapping != NULL && map_new(mapping, page, bytes, notes))
        return mapping;
    free(mapping);
    return NULL;
}

/* Where asked for, what is populated lies in the order of physical memory. Pages may be gone where
 * that failed: they are populated anew, should the mapping be used again. */
static bool in_order(struct mapping *mapping, enum frame_order order, struct notes *notes)
{
    if (order != FRAMES_CONTIGUOUS || mapping->made == 0 ||
        (sorted_make(mapping->base, mapping->made, 1ull << mapping->page) &&
         (mapping->backing != TRANSPARENT ||
          pagemap_transparent_bytes((uintptr_t)mapping->base, mapping->made) == mapping->made)))
        return true;
    say(notes, SAID_ORDER, SEVERITY_WARNING, "pages cannot be put in the order of memory",
        "the kernel hides physical addresses or moves no pages of this size");
    return false;
}

static void drop(struct mapping *mapping)
{
    unmap(mapping);
    free(mapping);
}

enum status window_open(const struct window_request *request, struct window *out,
                        struct notes *notes)
{
    uint64_t page_bytes = 1ull << request->page;
    uint64_t bytes = (request->bytes + page_bytes - 1) / page_bytes * page_bytes;
    struct mapping *mapping;

    if (request->map != MAP_PROCESS || !is_anywhere(request))
        return STATUS_UNSUPPORTED;
    if (bytes == 0 || bytes > window_limit(request))
        return STATUS_NO_MEMORY;
    mapping = mapping_of(request->page, nodes_to_bind(request->node), bytes, notes);
    if (mapping == NULL)
        return why_not();
    if (!in_order(mapping, request->order, notes)) {
        drop(mapping);
        return STATUS_NO_MEMORY;
    }
    *out = (struct window){.base = (uintptr_t)mapping->base,
                           .bytes = bytes,
                           .populated_bytes = mapping->made < bytes ? mapping->made : bytes,
                           .table_bytes = (bytes >> request->page) * 8,
                           .page = request->page,
                           .map = MAP_PROCESS,
                           .order = request->order,
                           .handle = mapping};
    return STATUS_OK;
}

enum status window_populate(const struct window *window, uint64_t bytes, struct notes *notes)
{
    struct mapping *mapping = window->handle;
    bool pool = mapping->backing == POOL;

    if (bytes > window->bytes)
        return STATUS_NO_MEMORY;
    if (mapping->made >= bytes)
        return STATUS_OK;
    /* Pages of a pool were reserved when the window was opened. Ordinary memory may have been taken
     * by others since, and the kernel kills a process when it runs out. */
    if (!pool && bytes - mapping->made > memory_available())
        give_back_kept();
    if (!pool && bytes - mapping->made > memory_unreserved())
        return STATUS_NO_MEMORY;
    if (!pool && bytes - mapping->made > nodes_free_bytes(mapping->node))
        return STATUS_NO_MEMORY;
    if (!mapping_make(mapping, bytes, notes))
        return why_not();
    return in_order(mapping, window->order, notes) ? STATUS_OK : STATUS_NO_MEMORY;
}

void window_close(struct window *window)
{
    struct mapping *mapping = window->handle, **place = kept_of(mapping->page);

    if (*place != NULL) {
        unmap(*place);
        free(*place);
    }
    *place = mapping;
    *window = (struct window){.bytes = 0};
}
