/* SPDX-License-Identifier: BSD-2-Clause */
/* The hop orders of other latency programs, written anew from what they are known to do, so that
 * barechase's patterns can be held against them on one machine. One order, one set, one figure.
 *
 *     peers order=NAME bytes=N [pages=4k|2m] [stride=N] [seed=N] [seconds=S]
 *
 * It prints the median of the samples in ns per access. Memory and CPU are as barechase's on Linux:
 * pages of the pool or all transparent ones, the CPU it starts on. */
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define LINE        64u
#define SAMPLES_MAX 4096
#define SMALL_PAGE  4096u

struct request {
    const char *order;
    uint64_t bytes, stride, seed;
    bool huge;
    double seconds;
};

static uint64_t random_state;

/* splitmix64 */
static uint64_t random_below(uint64_t below)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint64_t)(((unsigned __int128)(z ^ z >> 31) * below) >> 64);
}

static _Noreturn void give_up(const char *why)
{
    fprintf(stderr, "peers: %s\n", why);
    exit(2);
}

static void shuffle(uint32_t *list, uint64_t count)
{
    for (uint64_t i = count; i > 1; i--) {
        uint64_t j = random_below(i);
        uint32_t other = list[j];
        list[j] = list[i - 1];
        list[i - 1] = other;
    }
}

static uint32_t *numbers(uint64_t count, bool random)
{
    uint32_t *list = malloc(count * sizeof *list);

    if (!list)
        give_up("no memory");
    for (uint64_t i = 0; i < count; i++)
        list[i] = (uint32_t)i;
    if (random)
        shuffle(list, count);
    return list;
}

/* What is linked: each visited node points to the next, the last to the first. */
struct ring {
    char *base;
    uintptr_t first, last;
};

static void visit(struct ring *ring, uint64_t offset)
{
    uintptr_t node = (uintptr_t)ring->base + offset;

    if (ring->last == 0)
        ring->first = node;
    else
        *(uintptr_t *)ring->last = node;
    ring->last = node;
    *(uintptr_t *)node = ring->first;
}

/* clamchowder's and test-tlb's: one permutation of all lines. */
static void order_full(struct ring *ring, const struct request *request)
{
    uint64_t lines = request->bytes / request->stride;
    uint32_t *list = numbers(lines, true);

    for (uint64_t i = 0; i < lines; i++)
        visit(ring, list[i] * request->stride);
    free(list);
}

/* pChase: pages by page = (f * i + o) % pages, lines of a page likewise, f of a few primes: a
 * constant stride inside each page, and inside the row of pages. */
static void order_pchase(struct ring *ring, const struct request *request)
{
    static const uint32_t primes[] = {5,  11,  13,  17,  19,  23,  29,  37,  41, 43,
                                      47, 53,  59,  61,  67,  71,  73,  79,  83, 89,
                                      97, 101, 103, 107, 109, 113, 131, 137, 139};
    uint64_t pages = request->bytes / SMALL_PAGE, lines = SMALL_PAGE / LINE;
    uint64_t prime = primes[random_below(29)], from = random_below(pages);

    while (pages % prime == 0)
        prime = primes[random_below(29)];
    for (uint64_t i = 0; i < pages; i++) {
        uint64_t page = (prime * i + from) % pages;
        uint64_t step = primes[random_below(29)], start = random_below(lines);
        for (uint64_t j = 0; j < lines; j++)
            visit(ring, page * SMALL_PAGE + (step * j + start) % lines * LINE);
    }
}

/* Groups in random order, all nodes of a group in random order before the next: multichase with
 * groups of 64 pages, pChase as it says it is with groups of a page. mixed: the pointer stands in
 * any word of its stride, as multichase has it. */
static void order_groups(struct ring *ring, const struct request *request, uint64_t group,
                         bool mixed)
{
    uint64_t size = group < request->bytes ? group : request->bytes;
    uint64_t groups = request->bytes / size, nodes = size / request->stride;
    uint32_t *outer = numbers(groups, true), *inner = numbers(nodes, false);

    for (uint64_t i = 0; i < groups; i++) {
        shuffle(inner, nodes);
        for (uint64_t j = 0; j < nodes; j++)
            visit(ring, outer[i] * size + inner[j] * request->stride +
                            (mixed ? random_below(request->stride / 8) * 8 : 0));
    }
    free(outer);
    free(inner);
}

static uint64_t bits_reversed(uint64_t value, uint64_t below)
{
    uint64_t reversed = 0;

    for (; below > 1; below >>= 1, value >>= 1)
        reversed = reversed << 1 | (value & 1);
    return reversed;
}

/* lat_mem_rd -t: another page every hop, pages in one random order in every pass, lines of the
 * pages in bit-reversed order, another one in each page and pass. */
static void order_lmbench(struct ring *ring, const struct request *request)
{
    uint64_t pages = request->bytes / SMALL_PAGE, lines = SMALL_PAGE / LINE;
    uint32_t *list = numbers(pages, true);

    for (uint64_t pass = 0; pass < lines; pass++)
        for (uint64_t i = 0; i < pages; i++)
            visit(ring,
                  (uint64_t)list[i] * SMALL_PAGE + bits_reversed((pass + i) % lines, lines) * LINE);
    free(list);
}

static void build(struct ring *ring, const struct request *request)
{
    if (strcmp(request->order, "full") == 0)
        order_full(ring, request);
    else if (strcmp(request->order, "pchase") == 0)
        order_pchase(ring, request);
    else if (strcmp(request->order, "paged") == 0)
        order_groups(ring, request, SMALL_PAGE, false);
    else if (strcmp(request->order, "grouped") == 0)
        order_groups(ring, request, 64 * SMALL_PAGE, false);
    else if (strcmp(request->order, "multichase") == 0)
        order_groups(ring, request, 64 * SMALL_PAGE, true);
    else if (strcmp(request->order, "lmbench") == 0)
        order_lmbench(ring, request);
    else
        give_up("order= is none of full, pchase, paged, grouped, multichase, lmbench");
}

/* ---- memory and time */

static char *memory(const struct request *request)
{
    uint64_t page = 2u << 20, bytes = (request->bytes + page - 1) / page * page;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    char *wide;

    if (request->huge) {
        wide = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_HUGETLB | 21 << 26, -1, 0);
        if (wide != MAP_FAILED)
            return memset(wide, 0, bytes);
    }
    wide = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (wide == MAP_FAILED)
        give_up("no memory");
    wide += (page - (uintptr_t)wide % page) % page;
    if (madvise(wide, bytes, request->huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) != 0 && request->huge)
        give_up("no huge pages");
    return memset(wide, 0, bytes);
}

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

#define HOP   p = *(const volatile uintptr_t *)p;
#define HOP_8 HOP HOP HOP HOP HOP HOP HOP HOP

static uintptr_t chase(uintptr_t p, uint64_t hops)
{
    for (uint64_t i = 0; i < hops; i += 64) {
        HOP_8 HOP_8 HOP_8 HOP_8 HOP_8 HOP_8 HOP_8 HOP_8
    }
    return p;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* A lap first where one fits into the time, then samples that carry on. */
static double measure(const struct ring *ring, const struct request *request)
{
    static double sample[SAMPLES_MAX];
    uint64_t lap = request->bytes / request->stride;
    uintptr_t p = chase(ring->first, lap < 1u << 22 ? 4 * lap : lap);
    double begun = now_ns();
    /* Short enough that most are not interrupted on a busy machine, long for the clock. */
    uint64_t hops = request->bytes > 1u << 20 ? 1u << 12 : 1u << 16;
    size_t count = 0;

    while (count < SAMPLES_MAX && (count < 5 || now_ns() - begun < request->seconds * 1e9)) {
        double before = now_ns();
        p = chase(p, hops);
        sample[count++] = (now_ns() - before) / (double)hops;
    }
    if (p == 0)
        give_up("the chase is broken");
    qsort(sample, count, sizeof sample[0], ascending);
    return sample[count / 2];
}

static uint64_t size_of(const char *words)
{
    char *end;
    uint64_t size = strtoull(words, &end, 0);

    return *end == 'K' ? size << 10 : *end == 'M' ? size << 20 : *end == 'G' ? size << 30 : size;
}

static void read_word(struct request *request, const char *word)
{
    if (strncmp(word, "order=", 6) == 0)
        request->order = word + 6;
    else if (strncmp(word, "bytes=", 6) == 0)
        request->bytes = size_of(word + 6);
    else if (strncmp(word, "stride=", 7) == 0)
        request->stride = size_of(word + 7);
    else if (strncmp(word, "seed=", 5) == 0)
        request->seed = size_of(word + 5);
    else if (strncmp(word, "seconds=", 8) == 0)
        request->seconds = strtod(word + 8, NULL);
    else if (strcmp(word, "pages=2m") == 0 || strcmp(word, "pages=4k") == 0)
        request->huge = word[6] == '2';
    else
        give_up(word);
}

int main(int argc, char **argv)
{
    struct request request = {.order = "full", .bytes = 16u << 10, .stride = LINE, .seconds = 0.5};
    struct ring ring = {.last = 0};
    cpu_set_t set;

    for (int i = 1; i < argc; i++)
        read_word(&request, argv[i]);
    if (request.bytes < SMALL_PAGE || request.bytes % SMALL_PAGE != 0 || request.stride < 8 ||
        request.bytes >> 38 != 0 || SMALL_PAGE % request.stride != 0)
        give_up("bytes= is whole pages, at most 256G, stride= divides a page");
    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    sched_setaffinity(0, sizeof set, &set);
    random_state = request.seed;
    ring.base = memory(&request);
    build(&ring, &request);
    printf("%.4f\n", measure(&ring, &request));
    return 0;
}
