/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/window.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch/arch.h"
#include "tests/host/memory.h"
#include "tests/host/pagemap.h"
#include "tests/host/quiet.h"

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
enum said { SAID_POOL = 1, SAID_TRANSPARENT = 2, SAID_SMALL = 4, SAID_PART = 8 };
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
            "the pool is empty and transparent huge pages are switched off; root can fill it: "
            "/proc/sys/vm/nr_hugepages");
    if (memory_pool_bytes(PAGE_1G) != 0)
        sizes |= 1u << PAGE_1G;
    else
        notes_add(notes, SEVERITY_INFO, "no 1g pages",
                  "the pool is empty; root can fill it: "
                  "/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages");
    return sizes;
}

uint64_t window_limit(const struct window_request *request)
{
    uint64_t pool = request->page == PAGE_4K ? 0 : memory_pool_bytes(request->page);
    uint64_t ordinary =
        request->page == PAGE_4K || (request->page == PAGE_2M && memory_transparent())
            ? memory_available() >> request->page << request->page
            : 0;

    if (request->map != MAP_PROCESS || request->from.value != request->below.value)
        return 0;
    return pool > ordinary ? pool : ordinary;
}

struct touch {
    volatile char *base;
    uint64_t bytes;
};

static void touch_body(void *arg)
{
    const struct touch *touch = arg;

    for (uint64_t at = 0; at < touch->bytes; at += SMALL_PAGE)
        touch->base[at] = 0;
}

/* Kernels before MADV_POPULATE_WRITE take a touch, and kill by a signal where there is no page. */
static bool populate_part(char *base, uint64_t bytes)
{
    static struct arch_quiet_result result;
    struct touch touch = {base, bytes};
    struct arch_quiet_plan plan = {.body = touch_body, .arg = &touch};

    if (madvise(base, bytes, MADV_POPULATE_WRITE) == 0)
        return true;
    return errno == EINVAL && arch_quiet_run(&plan, &result) == STATUS_OK;
}

/* A process's memory behind a window: of `bytes`, the first `made` have pages. */
struct mapping {
    enum backing { POOL, TRANSPARENT, SMALL } backing;
    char *base;
    uint64_t bytes, made;
};

/* In parts: many gibibytes take a minute, and a stop is not to wait for that. */
static bool populate(struct mapping *mapping, uint64_t bytes)
{
    while (mapping->made < bytes) {
        uint64_t left = mapping->bytes - mapping->made;
        uint64_t part = left < PART_BYTES ? left : PART_BYTES;
        if (quiet_stop_asked() || !populate_part(mapping->base + mapping->made, part))
            return false;
        mapping->made += part;
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

/* All of it on huge pages, or nothing: a set that is half in small ones has no page size. */
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

/* With a first part made, so that what cannot be had at all is found now. */
static bool map_as(struct mapping *mapping, enum backing backing, enum page_size page,
                   uint64_t bytes, struct notes *notes)
{
    *mapping = (struct mapping){.backing = backing, .bytes = bytes};
    mapping->base = backing == POOL
                        ? map_pool(page, bytes)
                        : map_ordinary(bytes, backing == SMALL ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
    if (mapping->base == NULL)
        return false;
    if (mapping_make(mapping, 1, notes))
        return true;
    munmap(mapping->base, bytes);
    return false;
}

static bool map_huge(struct mapping *mapping, enum page_size page, uint64_t bytes,
                     struct notes *notes)
{
    if (memory_pool_bytes(page) >= bytes && map_as(mapping, POOL, page, bytes, notes)) {
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

enum status window_open(const struct window_request *request, struct window *out,
                        struct notes *notes)
{
    uint64_t page_bytes = 1ull << request->page;
    uint64_t bytes = (request->bytes + page_bytes - 1) / page_bytes * page_bytes;
    struct mapping *mapping;
    bool mapped;

    if (request->map != MAP_PROCESS || request->from.value != request->below.value)
        return STATUS_UNSUPPORTED;
    if (bytes == 0 || bytes > window_limit(request) || !(mapping = malloc(sizeof *mapping)))
        return STATUS_NO_MEMORY;
    mapped = request->page == PAGE_4K ? map_as(mapping, SMALL, PAGE_4K, bytes, notes)
                                      : map_huge(mapping, request->page, bytes, notes);
    if (!mapped) {
        free(mapping);
        return why_not();
    }
    if (request->page == PAGE_4K)
        note_frames((uintptr_t)mapping->base, mapping->made, notes);
    *out = (struct window){.base = (uintptr_t)mapping->base,
                           .bytes = bytes,
                           .table_bytes = (bytes >> request->page) * 8,
                           .page = request->page,
                           .map = MAP_PROCESS,
                           .order = FRAMES_FOUND,
                           .handle = mapping};
    return STATUS_OK;
}

enum status window_make(const struct window *window, uint64_t bytes, struct notes *notes)
{
    struct mapping *mapping = window->handle;

    if (mapping->made >= bytes)
        return STATUS_OK;
    /* A pool's pages are ours since the window was opened. Of ordinary memory, others may have
     * taken some meanwhile, and the kernel kills somebody where there is none left. */
    if (bytes > mapping->bytes ||
        (mapping->backing != POOL && bytes - mapping->made > memory_unreserved()))
        return STATUS_NO_MEMORY;
    return mapping_make(mapping, bytes, notes) ? STATUS_OK : why_not();
}

void window_close(struct window *window)
{
    struct mapping *mapping = window->handle;

    munmap(mapping->base, mapping->bytes);
    free(mapping);
    *window = (struct window){.bytes = 0};
}
