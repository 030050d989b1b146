/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/linux_machine.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/host/edac.h"
#include "tests/host/handoff.h"
#include "tests/host/process.h"
#include "tests/host/nodes.h"
#include "tests/host/pagemap.h"
#include "tests/host/pin.h"
#include "tests/host/progress.h"
#include "tests/host/quiet.h"
#include "tests/host/share.h"
#include "tests/host/traffic.h"
#include "tests/host/window.h"

/* After frequencies were switched: power control units change them within a millisecond or so. */
#define SETTLE_NS 10000000ull
/* Disturbances are checked at this rate, or once per sample if samples take longer. */
#define LOOKS_PER_S 1000
/* A stop takes effect between two chases. */
#define CHASE_LIMIT_NS 400000000ull
/* The least run time before sharing of this CPU is noted. */
#define SHARING_MIN_NS 2000000000ull

static enum status quiet_run(struct linux_machine *m, const struct arch_quiet_plan *plan,
                             struct fault_info *fault)
{
    enum status status = arch_quiet_run(plan, &m->quiet);

    if (status != STATUS_FAULT)
        return status;
    *fault = m->quiet.fault;
    memcpy(m->fault_text, m->quiet.fault_text, sizeof m->fault_text);
    fault->text = m->fault_text;
    return status;
}

/* ---- windows */

static uint64_t limit(void *self, const struct window_request *request)
{
    (void)self;
    return window_limit(request);
}

static enum status open(void *self, const struct window_request *request, struct window *out)
{
    struct linux_machine *m = self;

    return window_open(request, out, &m->notes);
}

static enum status make(void *self, const struct window *window, uint64_t bytes)
{
    struct linux_machine *m = self;

    return window_populate(window, bytes, &m->notes);
}

static void close(void *self, struct window *window)
{
    (void)self;
    window_close(window);
}

static phys_addr phys(void *self, const struct window *window, uint64_t offset)
{
    (void)self;
    return pagemap_phys(window->base + offset);
}

static void span(void *self, const struct window *window, uint64_t bytes, struct window_span *out)
{
    (void)self;
    pagemap_span(window->base, bytes, &out->low, &out->high);
    out->node = nodes_of_pages(window->base, bytes, 1ull << window->page);
}

/* ---- work and chases */

static void slice_body(void *arg)
{
    const struct share *slice = arg;

    slice->work(slice->arg, slice->window, slice->first, slice->end);
}

/* The process goes to that CPU and stays there; so do its controls. */
static bool move_to(struct linux_machine *m, uint32_t cpu)
{
    uint32_t number = m->description.cpus[cpu].number;
    char why[NOTES_WHY_BYTES];

    if (cpu == m->cpu)
        return true;
    if (!pin_move(number))
        return false;
    (void)process_controls_open(number, why, sizeof why);
    m->cpu = cpu;
    return true;
}

/* Asked of the kernel, which has the last word. */
static bool cpu_ready(void *self, uint32_t cpu, const char **why)
{
    struct linux_machine *m = self;
    uint32_t here = m->cpu;
    bool ready = move_to(m, cpu);

    *why = ready ? NULL : "the kernel does not let this process run there";
    (void)move_to(m, here);
    return ready;
}

static uint32_t work_cpus(void *self)
{
    const struct linux_machine *m = self;

    return share_count(m->description.cpus, m->description.cpu_count);
}

static enum status work_run(void *self, const struct window *w, uint32_t cpu, window_work *work,
                            void *arg, uint64_t first, uint64_t end, struct fault_info *fault)
{
    struct linux_machine *m = self;
    struct share share = {work, arg, w, first, end};
    struct arch_quiet_plan plan = {.body = slice_body, .arg = &share};

    if (!move_to(m, cpu == CPU_EVERY || cpu == CPU_EACH ? 0 : cpu))
        return STATUS_UNSUPPORTED;
    if (cpu == CPU_EVERY || cpu == CPU_EACH)
        return (cpu == CPU_EACH ? share_each : share_out)(
            m->description.cpus, m->description.cpu_count, &share, fault, m->fault_text);
    return quiet_run(m, &plan, fault) == STATUS_OK ? STATUS_OK : STATUS_FAULT;
}

struct chase {
    uint64_t hz;
    bool settle;
    const struct chase_plan *plan;
    struct chase_result *result;
};

static void wait_ns(uint64_t ns)
{
    uint64_t begun = clock_wall_ns();

    while (clock_wall_ns() - begun < ns)
        ;
}

/* Disturbances not checked for after the last sample count for that sample. */
static void note_late(const struct chase *chase)
{
    const struct chase_plan *plan = chase->plan;
    uint32_t taken = chase->result->samples;
    uint64_t seen = quiet_disturbances_seen();

    quiet_look_now();
    if (plan->disturbed != NULL && taken != 0 && quiet_disturbances_seen() != seen)
        plan->disturbed[taken - 1] = true;
}

static void chase_body(void *arg)
{
    const struct chase *chase = arg;
    const char *source;

    if (chase->settle)
        wait_ns(SETTLE_NS);
    chase->result->core_hz_before = arch_core_hz(chase->hz, &source);
    quiet_look_now();
    arch_chase(chase->plan, chase->hz, chase->result);
    note_late(chase);
    chase->result->core_hz_after = arch_core_hz(chase->hz, &source);
    arch_frequency_read(&chase->result->frequency);
}

/* The chase, with the load around it that is in force. */
static enum status quiet_run_loaded(struct linux_machine *m, const struct arch_quiet_plan *plan,
                                    const struct chase_plan *asked, struct fault_info *fault)
{
    enum status status = traffic_go() ? quiet_run(m, plan, fault) : STATUS_OK;
    struct fault_info others;

    if (!traffic_halt(&others) && status == STATUS_OK) {
        status = STATUS_FAULT;
        *fault = others;
        snprintf(m->fault_text, sizeof m->fault_text, "%s", others.text);
        fault->text = m->fault_text;
    }
    if (asked->done != NULL)
        traffic_answer(asked->done);
    return status;
}

static enum status chase_run(void *self, const struct window *w, const struct chase_plan *asked,
                             struct chase_result *result)
{
    struct linux_machine *m = self;
    struct chase_plan limited = *asked;
    struct chase chase = {m->clock.info.hz, m->turbo_requested || m->speed != 0, &limited, result};
    struct arch_quiet_plan plan = {.prefetch_off = m->prefetch_off,
                                   .turbo = m->turbo_requested,
                                   .speed = m->speed,
                                   .body = chase_body,
                                   .arg = &chase};
    enum status status;

    (void)w;
    if (traffic_is_on(asked->cpu) || !move_to(m, asked->cpu))
        return STATUS_UNSUPPORTED;
    if (limited.limit_ns == 0 || limited.limit_ns > CHASE_LIMIT_NS)
        limited.limit_ns = CHASE_LIMIT_NS;
    *result = (struct chase_result){.end = asked->start};
    status = quiet_run_loaded(m, &plan, asked, &result->fault);
    result->delta = (struct machine_counters){
        .core_cycles = MACHINE_UNKNOWN, .smi = MACHINE_UNKNOWN, .machine_checks = MACHINE_UNKNOWN};
    arch_pmu_counts(&result->delta);
    result->quiet_ns = (uint64_t)((double)m->quiet.ticks * 1e9 / (double)m->clock.info.hz);
    return status == STATUS_OK ? STATUS_OK : STATUS_FAULT;
}

static enum status load_start(void *self, const struct window *w, uint32_t cpu,
                              const struct traffic *traffic, uint32_t count, const char **why)
{
    const struct linux_machine *m = self;

    (void)w;
    *why = "one of these CPUs is the one that chases, or is named twice";
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k <= i; k++)
            if (traffic[i].cpu == (k == i ? cpu : traffic[k].cpu))
                return STATUS_UNSUPPORTED;
    return traffic_start(m->description.cpus, m->description.line_bytes, traffic, count, why);
}

static void load_stop(void *self)
{
    (void)self;
    traffic_end();
}

static enum status single_loads_run(struct linux_machine *m, void (*body)(void *arg), void *arg,
                                    struct fault_info *fault)
{
    struct arch_quiet_plan plan = {.prefetch_off = m->prefetch_off,
                                   .turbo = m->turbo_requested,
                                   .speed = m->speed,
                                   .body = body,
                                   .arg = arg};

    if (!move_to(m, 0))
        return STATUS_UNSUPPORTED;
    return quiet_run(m, &plan, fault) == STATUS_OK ? STATUS_OK : STATUS_FAULT;
}

static void probe_body(void *arg)
{
    arch_probe(arg);
}

static enum status probe_run(void *self, const struct window *w, const struct probe_plan *asked,
                             struct fault_info *fault)
{
    struct probe_plan probes = *asked;

    (void)w;
    return single_loads_run(self, probe_body, &probes, fault);
}

static void pair_body(void *arg)
{
    arch_pairs(arg);
}

static enum status pair_run(void *self, const struct window *w, const struct pair_plan *asked,
                            struct fault_info *fault)
{
    struct pair_plan pairs = *asked;

    (void)w;
    return single_loads_run(self, pair_body, &pairs, fault);
}

static void single_body(void *arg)
{
    arch_singles(arg);
}

static enum status single_run(void *self, const struct window *w, const struct single_plan *asked,
                              struct fault_info *fault)
{
    struct single_plan singles = *asked;

    (void)w;
    return single_loads_run(self, single_body, &singles, fault);
}

static void reads_body(void *arg)
{
    arch_reads(arg);
}

static enum status reads_run(void *self, const struct window *w, const struct reads_plan *asked,
                             struct fault_info *fault)
{
    struct reads_plan reads = *asked;

    (void)w;
    return single_loads_run(self, reads_body, &reads, fault);
}

static enum status handoff_run(void *self, const struct window *w, struct handoff_plan *plan,
                               struct fault_info *fault)
{
    struct linux_machine *m = self;
    struct handoff handoff = {.plan = plan, .hz = m->clock.info.hz};
    struct arch_quiet_plan quiet = {.prefetch_off = m->prefetch_off,
                                    .turbo = m->turbo_requested,
                                    .speed = m->speed,
                                    .body = handoff_time,
                                    .arg = &handoff};
    enum status status;

    (void)w;
    plan->lines_done = 0;
    if (plan->cpu == plan->other || !move_to(m, plan->cpu) ||
        !handoff_start(&handoff, m->description.cpus[plan->other].number))
        return STATUS_UNSUPPORTED;
    status = quiet_run(m, &quiet, fault);
    handoff_end(&handoff);
    if (status != STATUS_OK)
        return STATUS_FAULT;
    return handoff.done ? STATUS_OK : STATUS_ABORTED;
}

/* ---- prefetchers, time, the live line */

static enum status prefetch_set(void *self, uint32_t cpu, bool off, struct prefetch_report *report)
{
    struct linux_machine *m = self;
    struct prefetch_request request = {
        .off = off, .unofficial = m->prefetch_unofficial, .write = off};

    if (!move_to(m, cpu))
        return STATUS_UNSUPPORTED;
    arch_prefetch_try(&request, report);
    m->prefetch_off = off;
    return STATUS_OK;
}

static enum status prefetch_only_off(void *self, uint32_t cpu, uint32_t index,
                                     struct prefetch_report *report)
{
    struct prefetch_report whole;

    (void)prefetch_set(self, cpu, true, &whole);
    return arch_prefetch_only_off(index, report) ? STATUS_OK : STATUS_UNSUPPORTED;
}

static enum status turbo_set(void *self, uint32_t cpu, enum turbo_choice choice,
                             struct turbo_report *report)
{
    struct linux_machine *m = self;

    if (!move_to(m, cpu))
        return STATUS_UNSUPPORTED;
    arch_turbo_try(choice, report);
    m->turbo_requested = choice != TURBO_AS_FOUND;
    return STATUS_OK;
}

static enum status speed_set(void *self, uint32_t cpu, enum speed_kind kind, bool max,
                             struct speed_report *report)
{
    struct linux_machine *m = self;

    m->speed &= ~(1u << kind);
    if (!max)
        return STATUS_OK;
    if (!move_to(m, cpu))
        return STATUS_UNSUPPORTED;
    arch_speed_try(kind, report);
    m->speed |= 1u << kind;
    return STATUS_OK;
}

static void sampler_try(void *self, struct sampler_report *report)
{
    (void)self;
    arch_sampler_try(report);
}

static void errors_read(void *self, struct error_banks *now)
{
    (void)self;
    edac_read("/sys/devices/system/edac/mc", now);
}

static uint64_t wall_ns(void *self)
{
    (void)self;
    return clock_wall_ns();
}

/* Nobody has taken the CPU from who sleeps. */
static void wait(void *self, uint64_t ns)
{
    struct timespec left = {.tv_sec = (time_t)(ns / 1000000000),
                            .tv_nsec = (long)(ns % 1000000000)};
    struct linux_machine *m = self;
    uint64_t begun_ns = clock_wall_ns();

    nanosleep(&left, NULL);
    m->started_ns += clock_wall_ns() - begun_ns;
}

static void clock_check(void *self, struct clock_check *out)
{
    struct linux_machine *m = self;

    clock_answer(&m->clock, out);
}

static bool abort_requested(void *self)
{
    (void)self;
    return quiet_stop_asked();
}

/* Others on this CPU also share its caches and memory channels. */
static void note_sharing(struct linux_machine *m)
{
    uint64_t wall_ns = clock_wall_ns() - m->started_ns;
    uint64_t own_ns = clock_own_ns() - m->started_own_ns;
    char why[NOTES_WHY_BYTES];

    if (m->sharing_noted || wall_ns < SHARING_MIN_NS || own_ns > wall_ns / 5 * 4)
        return;
    m->sharing_noted = true;
    snprintf(why, sizeof why,
             "of the first %.1f s it ran for %.1f: figures hold what others do to caches and "
             "memory, and all takes longer than planned",
             (double)wall_ns * 1e-9, (double)own_ns * 1e-9);
    notes_add(&m->notes, SEVERITY_WARNING, "the CPU is shared", why);
}

static void progress(void *self, const struct progress *now)
{
    struct linux_machine *m = self;

    note_sharing(m);
    progress_show(now);
}

/* ---- start */

static void describe_counters(struct linux_machine *m)
{
    struct pmu_report report;

    arch_pmu_try(&report);
    m->description.llc_misses = report.event[PMU_LLC_MISSES];
    m->description.page_walks = report.event[PMU_PAGE_WALKS];
    notes_not_counted(&m->notes, report.why[PMU_LLC_MISSES], report.why[PMU_PAGE_WALKS]);
}

static void note_what_is_missing(struct linux_machine *m, uint32_t cpu)
{
    char why[NOTES_WHY_BYTES];

    if (!process_controls_open(cpu, why, sizeof why))
        notes_add(&m->notes, SEVERITY_INFO, "no prefetcher controls", why);
    notes_add(&m->notes, SEVERITY_INFO, "no quiet section",
              "interrupts go on; samples with a context switch or page fault in them are marked");
    notes_add(&m->notes, SEVERITY_INFO, "not counted here",
              "SMIs and machine checks need the firmware machine");
}

void linux_machine_start(struct linux_machine *m, uint32_t cpu, const struct options *options)
{
    memset(m, 0, sizeof *m);
    m->prefetch_unofficial = options->prefetch_unofficial;
    m->started_ns = clock_wall_ns();
    m->started_own_ns = clock_own_ns();
    quiet_prepare();
    describe(&m->description, &m->words, cpu, &m->notes);
    note_what_is_missing(m, cpu);
    clock_start(&m->clock, &m->notes);
    m->description.clock = m->clock.info;
    quiet_look_every(m->clock.info.hz / LOOKS_PER_S);
    m->description.page_sizes = window_page_sizes(&m->notes);
    describe_counters(m);
    m->description.notes = m->notes.note;
    m->description.note_count = m->notes.count;
    m->notes.emitted = m->notes.count;
    m->machine = (struct machine){.self = m,
                                  .description = &m->description,
                                  .window_limit = limit,
                                  .window_open = open,
                                  .window_populate = make,
                                  .window_close = close,
                                  .window_phys = phys,
                                  .window_span = span,
                                  .work_cpus = work_cpus,
                                  .work_run = work_run,
                                  .cpu_ready = cpu_ready,
                                  .chase_run = chase_run,
                                  .probe_run = probe_run,
                                  .pair_run = pair_run,
                                  .single_run = single_run,
                                  .reads_run = reads_run,
                                  .load_start = load_start,
                                  .load_stop = load_stop,
                                  .handoff_run = handoff_run,
                                  .prefetch_set = prefetch_set,
                                  .prefetch_only_off = prefetch_only_off,
                                  .turbo_set = turbo_set,
                                  .speed_set = speed_set,
                                  .sampler_try = sampler_try,
                                  .errors_read = errors_read,
                                  .wall_ns = wall_ns,
                                  .wait = wait,
                                  .clock_check = clock_check,
                                  .abort_requested = abort_requested,
                                  .progress = progress};
    arch_kernels_offer(&m->machine, &m->description);
}
