/* SPDX-License-Identifier: BSD-2-Clause */
/* The Linux machine from the engine's side: windows, faults, counts, and what its files say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/chase/chain.h"
#include "core/mapping/node_map.h"
#include "tests/host/dmi.h"
#include "tests/host/edac.h"
#include "tests/host/linux_machine.h"
#include "tests/host/memory.h"
#include "tests/host/nodes.h"
#include "tests/host/pagemap.h"
#include "tests/host/pin.h"
#include "tests/host/quiet.h"
#include "tests/host/sysfile.h"
#include "tests/host/window.h"

#define SET_BYTES (1u << 20)

static struct linux_machine m;

static int start(void **state)
{
    char message[PIN_MESSAGE_BYTES];
    struct options options;
    uint32_t cpu;

    (void)state;
    options_default(&options);
    assert_true(pin_to_cpu(0, &cpu, message));
    linux_machine_start(&m, cpu, &options);
    return 0;
}

static struct window_request request_of(enum page_size page, uint64_t bytes)
{
    return (struct window_request){.bytes = bytes,
                                   .page = page,
                                   .map = MAP_PROCESS,
                                   .order = FRAMES_AS_ALLOCATED,
                                   .node = NODE_ANY,
                                   .seed = 1};
}

/* A cycle over the whole window. */
struct chased {
    struct window w;
    struct line_order order;
    struct chain chain;
    uint64_t lines;
};

static void build(struct chased *c)
{
    struct window_request request = request_of(PAGE_4K, SET_BYTES);
    struct fault_info fault;

    /* cmocka has installed its own handlers. */
    quiet_prepare();
    assert_int_equal(m.machine.window_open(&m, &request, &c->w), STATUS_OK);
    c->lines = SET_BYTES / 64;
    line_order_start(&c->order, ORDER_RANDOM, c->lines, 64, 7);
    c->chain =
        (struct chain){.order = &c->order, .stride_bytes = 64, .line_bytes = 64, .chains = 1};
    assert_int_equal(
        m.machine.work_run(&m, &c->w, 0, m.machine.chain_build, &c->chain, 0, c->lines, &fault),
        STATUS_OK);
}

static struct chase_plan plan_of(const struct chased *c, uint64_t hops, uint64_t *ticks,
                                 bool *disturbed)
{
    struct chase_plan plan = {.kernel = KERNEL_CYCLE,
                              .chains = 1,
                              .hops = hops,
                              .samples = 1,
                              .ticks = ticks,
                              .disturbed = disturbed,
                              .base = c->w.base,
                              .lines = c->lines,
                              .stride_bytes = 64};

    plan.start.next[0] = chain_node(&c->chain, &c->w, 0);
    return plan;
}

static void a_lap_comes_back_to_its_start(void **state)
{
    struct chased c;
    struct chase_result result;
    struct chase_plan plan;
    uint64_t ticks;
    bool disturbed;

    (void)state;
    build(&c);
    plan = plan_of(&c, c.lines, &ticks, &disturbed);
    assert_int_equal(m.machine.chase_run(&m, &c.w, &plan, &result), STATUS_OK);
    assert_int_equal(result.end.next[0], plan.start.next[0]);
    assert_int_equal(result.hops_done, c.lines);
    assert_true(ticks > 0 && result.quiet_ns > 0);
    assert_true(result.core_hz_before > 1e8 && result.core_hz_before < 2e10);
    m.machine.window_close(&m, &c.w);
}

/* Addresses no process has: one the CPU rejects, one with no page, one past a file's end. */
static void a_pointer_that_went_wrong_is_a_report(void **state)
{
    struct chased c;
    struct chase_result result;
    struct chase_plan plan;
    uintptr_t wrong[3] = {CHAIN_POISON, 8, 0};
    uint64_t ticks;
    bool disturbed;
    FILE *empty = tmpfile();
    char *past = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(empty), 0);

    (void)state;
    assert_ptr_not_equal(past, MAP_FAILED);
    wrong[2] = (uintptr_t)past;
    for (size_t i = 0; i < 3; i++) {
        build(&c);
        plan = plan_of(&c, c.lines, &ticks, &disturbed);
        *(uintptr_t *)chain_node(&c.chain, &c.w, 100) = wrong[i];
        assert_int_equal(m.machine.chase_run(&m, &c.w, &plan, &result), STATUS_FAULT);
        assert_int_equal(result.fault.kind, i == 2 ? SIGBUS : SIGSEGV);
        assert_int_equal(result.fault.address, i == 0 ? 0 : wrong[i]);
        assert_true(result.fault.instruction != 0);
        assert_non_null(strstr(result.fault.text, i == 2 ? "SIGBUS" : "SIGSEGV"));
        m.machine.window_close(&m, &c.w);
    }
    munmap(past, 4096);
    fclose(empty);
    a_lap_comes_back_to_its_start(NULL);
}

static void work_that_faults_is_a_report(void **state)
{
    struct chased c;
    struct fault_info fault = {.kind = 0};
    struct window gone;

    (void)state;
    build(&c);
    gone = c.w;
    gone.base = 4096;
    assert_int_equal(
        m.machine.work_run(&m, &gone, 0, m.machine.chain_build, &c.chain, 0, c.lines, &fault),
        STATUS_FAULT);
    assert_int_equal(fault.kind, SIGSEGV);
    assert_non_null(strstr(fault.text, "instruction 0x"));
    m.machine.window_close(&m, &c.w);
}

/* A CPU beside the first one that may be had; 0: there is none. */
static uint32_t other_cpu(void)
{
    const char *why;

    for (uint32_t cpu = 1; cpu < m.description.cpu_count; cpu++)
        if (m.machine.cpu_ready(&m, cpu, &why))
            return cpu;
    return 0;
}

#define LOAD_LINES 4096u

static struct traffic traffic_of(enum traffic_kind kind)
{
    static _Alignas(4096) unsigned char lines[LOAD_LINES * 64];

    return (struct traffic){.cpu = other_cpu(),
                            .kind = kind,
                            .base = (uintptr_t)lines,
                            .lines = LOAD_LINES,
                            .random = kind == TRAFFIC_2_1};
}

/* Loads, and chases until the kernel lets the other CPU run through all of a chase; the load stays.
 */
static struct traffic_done chase_beside(const struct chased *c, const struct traffic *traffic)
{
    struct traffic_done done = {.ticks = 0};
    struct chase_result result;
    const char *why;
    uint64_t ticks;
    bool disturbed;
    struct chase_plan plan = plan_of(c, 2 * c->lines, &ticks, &disturbed);

    assert_int_equal(m.machine.load_start(&m, &c->w, 0, traffic, 1, &why), STATUS_OK);
    plan.done = &done;
    for (unsigned tries = 0; tries < 20000 && done.ticks == 0; tries++)
        assert_int_equal(m.machine.chase_run(&m, &c->w, &plan, &result), STATUS_OK);
    assert_true(done.ticks > 0);
    return done;
}

static void others_load_memory_and_count(void **state)
{
    struct traffic_done done;
    struct chased c;

    (void)state;
    if (other_cpu() == 0)
        skip();
    build(&c);
    for (enum traffic_kind kind = TRAFFIC_READ; kind <= TRAFFIC_STORE_NT; kind++) {
        struct traffic traffic = traffic_of(kind);
        done = chase_beside(&c, &traffic);
        assert_int_equal((done.read_lines + done.written_lines) % (TRAFFIC_BLOCK / 2), 0);
        assert_int_equal(done.written_lines, kind == TRAFFIC_READ  ? 0
                                             : kind == TRAFFIC_2_1 ? done.read_lines / 2
                                             : kind == TRAFFIC_1_1 ? done.read_lines
                                                                   : done.written_lines);
        assert_int_equal(done.read_lines == 0, kind == TRAFFIC_STORE_NT);
        assert_true(done.read_lines + done.written_lines > 0);
        m.machine.load_stop(&m);
    }
    m.machine.window_close(&m, &c.w);
}

/* Its chains are those of the chase; it goes on where it stopped. */
static void another_cpu_chases_too(void **state)
{
    struct traffic traffic = {.cpu = other_cpu(), .kind = TRAFFIC_CHASE, .chains = 1};
    struct traffic_done done;
    struct chased c;

    (void)state;
    if (other_cpu() == 0)
        skip();
    build(&c);
    traffic.start.next[0] = chain_node(&c.chain, &c.w, c.lines / 2);
    done = chase_beside(&c, &traffic);
    assert_true(done.read_lines > 0);
    assert_int_equal(done.written_lines, 0);
    m.machine.load_stop(&m);
    m.machine.load_stop(&m);
    m.machine.window_close(&m, &c.w);
}

static void loads_that_cannot_be_are_refused(void **state)
{
    struct traffic traffic[2] = {traffic_of(TRAFFIC_READ), traffic_of(TRAFFIC_READ)};
    struct chase_result result;
    struct chased c;
    struct chase_plan plan;
    const char *why = NULL;
    uint64_t ticks;
    bool disturbed;

    (void)state;
    if (other_cpu() == 0)
        skip();
    build(&c);
    plan = plan_of(&c, c.lines, &ticks, &disturbed);
    assert_int_equal(m.machine.load_start(&m, &c.w, 0, traffic, 2, &why), STATUS_UNSUPPORTED);
    assert_non_null(why);
    assert_int_equal(m.machine.load_start(&m, &c.w, traffic[0].cpu, traffic, 1, &why),
                     STATUS_UNSUPPORTED);
    assert_int_equal(m.machine.load_start(&m, &c.w, 0, traffic, 1, &why), STATUS_OK);
    plan.cpu = traffic[0].cpu;
    assert_int_equal(m.machine.chase_run(&m, &c.w, &plan, &result), STATUS_UNSUPPORTED);
    m.machine.load_stop(&m);
    assert_int_equal(m.machine.chase_run(&m, &c.w, &plan, &result), STATUS_OK);
    m.machine.window_close(&m, &c.w);
}

static void a_load_that_faults_is_a_report(void **state)
{
    struct traffic traffic = traffic_of(TRAFFIC_READ);
    struct chase_result result;
    struct chased c;
    struct chase_plan plan;
    const char *why;
    uint64_t ticks;
    bool disturbed;

    (void)state;
    if (other_cpu() == 0)
        skip();
    build(&c);
    plan = plan_of(&c, c.lines, &ticks, &disturbed);
    traffic.base = 4096;
    assert_int_equal(m.machine.load_start(&m, &c.w, 0, &traffic, 1, &why), STATUS_OK);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(m.machine.chase_run(&m, &c.w, &plan, &result), STATUS_FAULT);
        assert_int_equal(result.fault.kind, SIGSEGV);
        assert_non_null(strstr(result.fault.text, "SIGSEGV"));
    }
    m.machine.load_stop(&m);
    m.machine.window_close(&m, &c.w);
    a_lap_comes_back_to_its_start(NULL);
}

/* Large enough that every CPU has a part of it, and no multiple of the parts. */
#define SHARED_BYTES (37u << 20)

static void build_on(const struct chased *c, uint32_t cpu)
{
    struct fault_info fault;

    memset((void *)c->w.base, 0, c->w.bytes);
    assert_int_equal(m.machine.work_run(&m, &c->w, cpu, m.machine.chain_build, (void *)&c->chain, 0,
                                        c->lines, &fault),
                     STATUS_OK);
}

/* A chain is the same bytes whoever builds it. */
static void all_cpus_build_the_same_chain(void **state)
{
    struct window_request request = request_of(PAGE_4K, SHARED_BYTES);
    struct fault_info fault = {.kind = 0};
    struct chased c;
    struct window gone;
    void *alone = malloc(SHARED_BYTES);

    (void)state;
    quiet_prepare();
    assert_int_equal(m.machine.window_open(&m, &request, &c.w), STATUS_OK);
    c.lines = SHARED_BYTES / 64 - 3;
    line_order_start(&c.order, ORDER_RANDOM, c.lines, 64, 7);
    c.chain = (struct chain){.order = &c.order, .stride_bytes = 64, .line_bytes = 64, .chains = 3};
    build_on(&c, 0);
    memcpy(alone, (void *)c.w.base, SHARED_BYTES);
    build_on(&c, CPU_EVERY);
    assert_memory_equal(alone, (void *)c.w.base, SHARED_BYTES);
    free(alone);
    gone = c.w;
    gone.base = 4096;
    assert_int_equal(m.machine.work_run(&m, &gone, CPU_EVERY, m.machine.chain_build, &c.chain, 0,
                                        c.lines, &fault),
                     STATUS_FAULT);
    assert_int_equal(fault.kind, SIGSEGV);
    assert_non_null(strstr(fault.text, "instruction 0x"));
    m.machine.window_close(&m, &c.w);
}

struct parts {
    uint32_t count;
    uint64_t first[CPU_EACH_MAX], end[CPU_EACH_MAX];
};

static void enter_part(void *arg, const struct window *w, uint64_t first, uint64_t end)
{
    struct parts *parts = arg;
    uint32_t number = __atomic_fetch_add(&parts->count, 1, __ATOMIC_SEQ_CST);

    (void)w;
    parts->first[number] = first;
    parts->end[number] = end;
}

static void fault_in_a_part(void *arg, const struct window *w, uint64_t first, uint64_t end)
{
    enter_part(arg, w, first, end);
    if (first == 1000)
        *(volatile char *)w->base = 0;
}

/* One call on each CPU, and all of them cover every line once; a few lines are for one CPU. */
static void each_cpu_has_a_part_of_its_own(void **state)
{
    uint64_t lines = 1u << 20, reached = 1000;
    struct window gone = {.base = 4096, .bytes = 64};
    struct fault_info fault;
    struct parts parts = {.count = 0};
    uint32_t cpus = m.machine.work_cpus(&m);

    (void)state;
    quiet_prepare();
    assert_int_equal(
        m.machine.work_run(&m, &gone, CPU_EACH, enter_part, &parts, 1000, 1010, &fault),
        STATUS_UNSUPPORTED);
    assert_int_equal(parts.count, 0);
    if (cpus == 1)
        skip();
    assert_int_equal(
        m.machine.work_run(&m, &gone, CPU_EACH, enter_part, &parts, 1000, 1000 + lines, &fault),
        STATUS_OK);
    assert_int_equal(parts.count, cpus);
    for (uint32_t done = 0; done < cpus; done++)
        for (uint32_t i = 0; i < cpus; i++)
            if (parts.first[i] == reached) {
                assert_true(parts.end[i] - reached >= lines / cpus);
                reached = parts.end[i];
                break;
            }
    assert_int_equal(reached, 1000 + lines);
    parts.count = 0;
    assert_int_equal(m.machine.work_run(&m, &gone, CPU_EACH, fault_in_a_part, &parts, 1000,
                                        1000 + lines, &fault),
                     STATUS_FAULT);
    assert_int_equal(fault.kind, SIGSEGV);
    assert_non_null(strstr(fault.text, "instruction 0x"));
}

static void what_the_kernel_does_is_counted(void **state)
{
    uint64_t before = quiet_disturbances();
    volatile char *page =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)state;
    page[0] = 1;
    assert_true(quiet_disturbances() > before);
    before = quiet_disturbances();
    usleep(1);
    assert_true(quiet_disturbances() > before);
    munmap((void *)page, 4096);
}

/* Disturbances are checked only now and then; none of those in between is lost. */
static void short_samples_share_a_look(void **state)
{
    uint64_t before;

    (void)state;
    quiet_look_every(UINT64_MAX);
    quiet_look_now();
    before = quiet_disturbances_seen();
    usleep(1);
    assert_int_equal(quiet_disturbances_seen(), before);
    quiet_look_every(0);
    assert_true(quiet_disturbances_seen() > before);
    quiet_look_every(m.clock.info.hz / 1000);
}

static void sleep_a_little(int number)
{
    (void)number;
    usleep(1);
}

static uint32_t marked_of(const bool *disturbed, uint32_t samples)
{
    uint32_t marked = 0;

    for (uint32_t i = 0; i < samples; i++)
        marked += disturbed[i];
    return marked;
}

/* A timer interrupts every millisecond: each long sample is marked, and at least one of those that
 * are shorter than the time between two checks. */
static void disturbed_samples_are_marked(void **state)
{
    static const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    struct chased c;
    struct chase_result result;
    struct chase_plan plan;
    uint64_t ticks[16];
    bool disturbed[16] = {false};

    (void)state;
    build(&c);
    signal(SIGALRM, sleep_a_little);
    setitimer(ITIMER_REAL, &often, NULL);
    plan = plan_of(&c, 400 * c.lines, ticks, disturbed);
    plan.samples = 3;
    assert_int_equal(m.machine.chase_run(&m, &c.w, &plan, &result), STATUS_OK);
    assert_true(result.samples > 0);
    assert_int_equal(marked_of(disturbed, result.samples), result.samples);
    memset(disturbed, 0, sizeof disturbed);
    plan.hops = 40 * c.lines;
    plan.samples = 16;
    quiet_look_every(UINT64_MAX);
    assert_int_equal(m.machine.chase_run(&m, &c.w, &plan, &result), STATUS_OK);
    quiet_look_every(m.clock.info.hz / 1000);
    assert_int_equal(marked_of(disturbed, result.samples), 1);
    assert_true(disturbed[result.samples - 1]);
    setitimer(ITIMER_REAL, &never, NULL);
    signal(SIGALRM, SIG_DFL);
    m.machine.window_close(&m, &c.w);
}

/* Every page size that is reported can be had, in a window of the requested size. */
static void windows_are_as_requested(void **state)
{
    (void)state;
    for (unsigned bit = PAGE_4K; bit <= PAGE_1G; bit++) {
        struct window_request request = request_of((enum page_size)bit, 3 << 20);
        struct window w;
        if (!(m.description.page_sizes & 1u << bit)) {
            if (bit == PAGE_2M || bit == PAGE_1G)
                assert_int_equal(m.machine.window_limit(&m, &request), 0);
            continue;
        }
        if (m.machine.window_open(&m, &request, &w) != STATUS_OK) {
            /* Transparent pages may run out; never silently. */
            assert_int_equal(bit, PAGE_2M);
            continue;
        }
        assert_true(w.bytes >= request.bytes && w.bytes % (1ull << bit) == 0);
        assert_int_equal(w.base % (1ull << bit), 0);
        assert_int_equal(m.machine.window_populate(&m, &w, w.bytes), STATUS_OK);
        assert_int_equal(m.machine.window_populate(&m, &w, w.bytes + 1), STATUS_NO_MEMORY);
        assert_true(w.page == request.page && w.map == MAP_PROCESS &&
                    w.order == FRAMES_AS_ALLOCATED);
        ((char *)w.base)[w.bytes - 1] = 1;
        if (bit == PAGE_4K)
            assert_int_equal(pagemap_transparent_bytes(w.base, w.bytes), 0);
        m.machine.window_close(&m, &w);
    }
}

/* Whether the first `bytes` bytes are populated. */
static bool is_made(const struct window *w, uint64_t bytes)
{
    unsigned char there[2];
    void *last = (void *)(w->base + (bytes - 1) / 4096 * 4096);

    return mincore((void *)w->base, 4096, there) == 0 && (there[0] & 1) &&
           mincore(last, 4096, there + 1) == 0 && (there[1] & 1);
}

/* A budget too small for the large sets is not spent on populating memory for them. */
static void memory_is_populated_on_demand(void **state)
{
    const uint64_t part = 64 << 20;
    struct window_request request = request_of(PAGE_4K, 4 * part);
    struct window w;

    (void)state;
    assert_int_equal(m.machine.window_open(&m, &request, &w), STATUS_OK);
    assert_true(is_made(&w, part));
    assert_false(is_made(&w, 2 * part));
    assert_int_equal(m.machine.window_populate(&m, &w, part + 1), STATUS_OK);
    assert_true(is_made(&w, 2 * part));
    assert_false(is_made(&w, 4 * part));
    assert_int_equal(m.machine.window_populate(&m, &w, 4 * part), STATUS_OK);
    assert_true(is_made(&w, 4 * part));
    m.machine.window_close(&m, &w);
}

static void what_cannot_be_had_is_refused(void **state)
{
    struct window_request request = request_of(PAGE_4K, SET_BYTES);
    struct window w;
    uint64_t max = m.machine.window_limit(&m, &request);

    (void)state;
    assert_true(max > SET_BYTES && max <= memory_available() + window_held_bytes());
    request.bytes = max + ((uint64_t)1 << 40);
    assert_int_equal(m.machine.window_open(&m, &request, &w), STATUS_NO_MEMORY);
    request.bytes = 0;
    assert_int_equal(m.machine.window_open(&m, &request, &w), STATUS_NO_MEMORY);
    request = request_of(PAGE_4K, SET_BYTES);
    request.below = phys_make(1);
    assert_int_equal(m.machine.window_open(&m, &request, &w), STATUS_UNSUPPORTED);
    assert_int_equal(m.machine.window_limit(&m, &request), 0);
    request = request_of(PAGE_4K, SET_BYTES);
    request.map = MAP_WINDOW;
    assert_int_equal(m.machine.window_open(&m, &request, &w), STATUS_UNSUPPORTED);
}

static void physical_addresses_are_told_or_unknown(void **state)
{
    struct window_request request = request_of(PAGE_4K, SET_BYTES);
    struct window w;
    double share;

    (void)state;
    assert_int_equal(m.machine.window_open(&m, &request, &w), STATUS_OK);
    uint64_t first = m.machine.window_phys(&m, &w, 0).value;
    uint64_t inside = m.machine.window_phys(&m, &w, 100).value;
    if (first == UINT64_MAX) {
        assert_true(inside == UINT64_MAX);
        assert_false(pagemap_neighbours(w.base, w.bytes, &share));
    } else {
        assert_true(first % 4096 == 0 && inside == first + 100);
        assert_true(first != m.machine.window_phys(&m, &w, 4096).value);
        assert_true(pagemap_neighbours(w.base, w.bytes, &share) && share >= 0 && share <= 1);
    }
    m.machine.window_close(&m, &w);
    assert_true(pagemap_phys(w.base).value == UINT64_MAX);
}

/* The span equals that of the pages one by one; the node is the only one, or that of all pages. */
static void spans_are_those_of_the_pages(void **state)
{
    struct window_request request = request_of(PAGE_4K, SET_BYTES);
    uint64_t low = UINT64_MAX, high = 0;
    struct window_span span;
    struct window w;

    (void)state;
    assert_int_equal(m.machine.window_open(&m, &request, &w), STATUS_OK);
    assert_int_equal(m.machine.window_populate(&m, &w, w.bytes), STATUS_OK);
    for (uint64_t pos = 0; pos < SET_BYTES; pos += 4096) {
        uint64_t base = m.machine.window_phys(&m, &w, pos).value;
        low = base < low ? base : low;
        high = base > high ? base : high;
    }
    m.machine.window_span(&m, &w, SET_BYTES, &span);
    assert_int_equal(span.low.value, low);
    assert_int_equal(span.high.value, high == UINT64_MAX ? high : high + 4095);
    if (nodes_only() != NODE_UNKNOWN)
        assert_int_equal(span.node, nodes_only());
    m.machine.window_close(&m, &w);
}

static void lists_of_cpus_are_read(void **state)
{
    (void)state;
    assert_true(sysfile_list_holds("0-1", 0));
    assert_true(sysfile_list_holds("0-1", 1));
    assert_false(sysfile_list_holds("0-1", 2));
    assert_true(sysfile_list_holds("0,4-7,9", 5));
    assert_true(sysfile_list_holds("0,4-7,9", 9));
    assert_false(sysfile_list_holds("0,4-7,9", 8));
    assert_false(sysfile_list_holds("", 0));
    assert_false(sysfile_list_holds("x", 0));
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void small_files_are_read(void **state)
{
    char path[] = "/tmp/barechase-XXXXXX", line[32];
    uint64_t number;

    (void)state;
    close(mkstemp(path));
    write_file(path, "  two words \nmore\n");
    assert_true(sysfile_line(path, line, sizeof line));
    assert_string_equal(line, "two words");
    assert_false(sysfile_number(path, &number));
    write_file(path, "48K\n");
    assert_true(sysfile_number(path, &number));
    assert_int_equal(number, 48 << 10);
    write_file(path, "2M");
    assert_true(sysfile_number(path, &number));
    assert_int_equal(number, 2 << 20);
    write_file(path, "12x\n");
    assert_false(sysfile_number(path, &number));
    write_file(path, "A:   1 kB\nAB:  2048 kB\n");
    assert_true(sysfile_kib(path, "AB:", &number));
    assert_int_equal(number, 2 << 20);
    assert_false(sysfile_kib(path, "C:", &number));
    unlink(path);
    assert_false(sysfile_line(path, line, sizeof line));
    assert_string_equal(line, "");
}

/* A group of 200 MiB is measured in, and a large machine keeps what it needs for itself. */
static void the_reserve_leaves_most(void **state)
{
    (void)state;
    assert_true(memory_less_reserve(0) == 0);
    assert_true(memory_less_reserve(200u << 20) == 150u << 20);
    assert_true(memory_less_reserve(2ull << 30) == (2ull << 30) - (256u << 20));
    assert_true(memory_less_reserve(64ull << 30) == 60ull << 30);
}

static void keep(const char *path, const uint8_t *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

/* One slot of 2 GiB of DDR4, called A1, and the end; claimed: bytes by the entry point, of which
 * the kernel keeps only those up to the end. */
static void keep_tables(const char *entry_path, const char *table_path, bool wide, uint8_t claimed)
{
    static const uint8_t table[] = {17,  0x15, 1, 0,   0xfe, 0xff, 0xfe, 0xff, 64,   0, 64,
                                    0,   0,    8, 9,   0,    1,    0,    0x1a, 0x80, 0, 'A',
                                    '1', 0,    0, 127, 4,    2,    0,    0,    0};
    uint8_t entry[31] = {'_', 'S', 'M', '3', '_', 0, 24, 3, 7, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x10};
    size_t bytes = 24, checksum = 5;

    entry[12] = claimed;
    if (!wide) {
        static const uint8_t old[31] = {'_', 'S', 'M', '_', 0,  31,  2,   8,   0,   0,   0,
                                        0,   0,   0,   0,   0,  '_', 'D', 'M', 'I', '_', 0,
                                        0,   0,   0,   0,   16, 0,   2,   0,   0x28};
        memcpy(entry, old, sizeof old);
        entry[22] = claimed;
        for (size_t i = 16; i < 31; i++)
            entry[21] = (uint8_t)(entry[21] - (i == 21 ? 0 : entry[i]));
        bytes = 31;
        checksum = 4;
    }
    for (size_t i = 0; i < bytes; i++)
        entry[checksum] = (uint8_t)(entry[checksum] - (i == checksum ? 0 : entry[i]));
    keep(entry_path, entry, bytes);
    keep(table_path, table, sizeof table);
}

static void modules_are_read_from_the_kernels_files(void **state)
{
    static struct smbios_facts facts;
    char folder[] = "/tmp/barechase-dmi-XXXXXX", entry[60], table[60], why[120] = "";

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(entry, sizeof entry, "%s/entry", folder);
    snprintf(table, sizeof table, "%s/table", folder);
    assert_false(dmi_read(entry, table, &facts, why, sizeof why));
    assert_non_null(strstr(why, "/entry: No such file"));
    for (unsigned way = 0; way < 4; way++) {
        keep_tables(entry, table, way % 2 == 0, way < 2 ? 31 : 200);
        if (!dmi_read(entry, table, &facts, why, sizeof why))
            fail_msg("way %u: %s", way, why);
        assert_int_equal(facts.dimm_count, 1);
        assert_false(facts.truncated);
        assert_int_equal(facts.dimms[0].bytes, 2048ull << 20);
        assert_string_equal(facts.dimms[0].locator, "A1");
    }
    keep(entry, (const uint8_t *)"_SM3_ and no more of it", 23);
    assert_false(dmi_read(entry, table, &facts, why, sizeof why));
    assert_non_null(strstr(why, "/entry: no valid entry point"));
    assert_int_equal(facts.dimm_count, 0);
    keep(table, NULL, 0);
    assert_false(dmi_read(entry, table, &facts, why, sizeof why));
    assert_non_null(strstr(why, "/table: empty"));
    unlink(entry);
    unlink(table);
    rmdir(folder);
}

static void put_line(const char *root, const char *name, const char *line)
{
    char path[200];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", root, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s\n", line);
    assert_int_equal(fclose(file), 0);
}

static void put_count(const char *root, const char *name, unsigned count)
{
    char line[24];

    snprintf(line, sizeof line, "%u", count);
    put_line(root, name, line);
}

static void errors_are_read_as_edac_counts_them(void **unused)
{
    char root[] = "/tmp/edac-XXXXXX", path[64];
    static struct error_banks before, now;

    (void)unused;
    assert_non_null(mkdtemp(root));
    edac_read(root, &now);
    assert_int_equal(now.counting, ERRORS_UNREAD);
    assert_non_null(now.why);
    for (unsigned i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/mc%u", root, i);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    put_count(root, "mc0/ce_count", 7);
    put_count(root, "mc0/ue_count", 0);
    put_count(root, "mc1/ce_count", 0);
    put_count(root, "mc1/ue_count", 1);
    edac_read(root, &before);
    assert_int_equal(before.counting, ERRORS_COUNTED);
    assert_int_equal(before.banks, 2);
    put_count(root, "mc0/ce_count", 9);
    put_count(root, "mc1/ue_count", 2);
    edac_read(root, &now);
    assert_int_equal(now.bank[0].corrected, before.bank[0].corrected + 2);
    assert_false(now.bank[0].valid);
    assert_true(now.bank[1].valid && now.bank[1].severity == ERROR_UNCORRECTED);
    assert_true(now.bank[1].status != before.bank[1].status);
    for (unsigned i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/mc%u/%s_count", root, i / 2, i % 2 ? "ue" : "ce");
        assert_int_equal(unlink(path), 0);
    }
    for (unsigned i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/mc%u", root, i);
        assert_int_equal(rmdir(path), 0);
    }
    assert_int_equal(rmdir(root), 0);
}

static void put_folder(const char *root, const char *name)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s", root, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

/* Everything in a folder, and itself. */
static void drop_folder(const char *root)
{
    char command[200];

    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

/* Nodes 0 and 2, the second without CPUs: its memory's nearest initiator is the first. */
static void nodes_are_told_as_the_kernel_shows_them(void **unused)
{
    const struct cpu_info cpus[] = {{.node = 0, .enabled = true}};
    char root[] = "/tmp/nodes-XXXXXX";
    static struct node_map map;

    (void)unused;
    assert_non_null(mkdtemp(root));
    node_map_start(&map, NULL, 0, NULL, 0);
    nodes_describe(root, &map);
    assert_int_equal(map.count, 0); /* a kernel without nodes */
    put_line(root, "online", "0,2");
    put_folder(root, "node0");
    put_folder(root, "node2");
    put_folder(root, "node2/access0");
    put_folder(root, "node2/access0/initiators");
    put_folder(root, "node2/access0/initiators/node0");
    put_line(root, "node0/meminfo", "Node 0 MemTotal:       1024 kB");
    put_line(root, "node2/meminfo", "Node 2 MemTotal:       2048 kB");
    put_line(root, "node0/distance", "10 17");
    put_line(root, "node2/distance", "17 10");
    put_line(root, "node2/access0/initiators/read_latency", "250");
    put_line(root, "node2/access0/initiators/read_bandwidth", "30000");
    node_map_start(&map, NULL, 0, cpus, 1);
    nodes_describe(root, &map);
    drop_folder(root);
    assert_int_equal(map.count, 2);
    assert_int_equal(map.node[0].bytes, 1 << 20);
    assert_int_equal(map.node[1].number, 2);
    assert_int_equal(map.node[1].ordinary_bytes, 2 << 20);
    assert_string_equal(map.source, "the kernel");
    assert_int_equal(map.claim_count, 4);
    assert_true(map.claim[0].distance == 10 && map.claim[0].latency_ns == 0);
    assert_true(map.claim[1].from == 0 && map.claim[1].to == 2 && map.claim[1].distance == 17);
    assert_true(map.claim[1].latency_ns == 250);
    assert_true(map.claim[1].bytes_per_s == 30000.0 * (1 << 20));
    assert_true(map.claim[2].from == 2 && map.claim[2].to == 0 && map.claim[2].distance == 17);
    assert_true(map.claim[3].latency_ns == 0); /* no initiator is itself */
}

/* On the node that it is on, and not on one that there is not. */
static void memory_is_bound_to_a_node(void **unused)
{
    uint32_t here = nodes_of_cpu(0);
    size_t bytes = 64 << 10;
    char *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)unused;
    assert_true(base != MAP_FAILED);
    if (here == NODE_UNKNOWN)
        skip();
    assert_false(nodes_bind(base, bytes, 1023));
    assert_false(nodes_bind(base, bytes, 5000));
    assert_true(nodes_bind(base, bytes, NODE_ANY));
    assert_true(nodes_bind(base, bytes, here));
    memset(base, 1, bytes);
    assert_int_equal(nodes_of_pages((uintptr_t)base, bytes, 4096), here);
    assert_true(nodes_free_bytes(here) > 0 && nodes_free_bytes(here) < UINT64_MAX);
    assert_int_equal(nodes_free_bytes(1023), 0);
    munmap(base, bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reserve_leaves_most),
        cmocka_unit_test(a_lap_comes_back_to_its_start),
        cmocka_unit_test(a_pointer_that_went_wrong_is_a_report),
        cmocka_unit_test(work_that_faults_is_a_report),
        cmocka_unit_test(others_load_memory_and_count),
        cmocka_unit_test(another_cpu_chases_too),
        cmocka_unit_test(loads_that_cannot_be_are_refused),
        cmocka_unit_test(a_load_that_faults_is_a_report),
        cmocka_unit_test(all_cpus_build_the_same_chain),
        cmocka_unit_test(each_cpu_has_a_part_of_its_own),
        cmocka_unit_test(what_the_kernel_does_is_counted),
        cmocka_unit_test(short_samples_share_a_look),
        cmocka_unit_test(disturbed_samples_are_marked),
        cmocka_unit_test(windows_are_as_requested),
        cmocka_unit_test(memory_is_populated_on_demand),
        cmocka_unit_test(what_cannot_be_had_is_refused),
        cmocka_unit_test(physical_addresses_are_told_or_unknown),
        cmocka_unit_test(spans_are_those_of_the_pages),
        cmocka_unit_test(lists_of_cpus_are_read),
        cmocka_unit_test(small_files_are_read),
        cmocka_unit_test(modules_are_read_from_the_kernels_files),
        cmocka_unit_test(errors_are_read_as_edac_counts_them),
        cmocka_unit_test(nodes_are_told_as_the_kernel_shows_them),
        cmocka_unit_test(memory_is_bound_to_a_node),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
