/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware machine; see machine.h. */
#include "efi/machine.h"

#include "core/lib/memory.h"
#include "core/lib/text.h"
#include "efi/fatal.h"
#include "efi/inject.h"
#include "efi/keys.h"
#include "efi/memory.h"
#include "efi/run_directory.h"

#define SLICE_NS         50000000ull  /* target length of a slice of work */
#define SLICE_FIRST      4096         /* lines, before their cost is known */
#define SHARE_NS         150000000ull /* of one CPU: less is not shared out */
#define PROGRESS_STEP_NS 250000000ull
/* After frequencies were switched: power control units change them within a millisecond or so. */
#define SETTLE_NS 10000000ull
/* Room on a stick for a mark of some bytes, whatever its clusters are. */
#define MARK_FREE_BYTES (256u << 10)

struct quiet_call {
    const struct arch_quiet_plan *plan;
    struct arch_quiet_result *result;
    enum status status;
};

static void quiet_call_body(void *arg)
{
    struct quiet_call *call = arg;

    call->status = arch_quiet_run(call->plan, call->result);
}

/* The only way into the quiet section: TPL first, so that none of the firmware's notifications runs
 * on our page tables; the second clock is read before and after. STATUS_UNSUPPORTED: nothing ran.
 */
static enum status quiet_run(struct firmware_machine *m, uint32_t cpu,
                             const struct arch_quiet_plan *plan)
{
    struct quiet_call call = {.plan = plan, .result = &m->quiet};
    enum status status;

    clock_feed(&m->clock);
    status = processors_run(&m->processors, cpu, quiet_call_body, &call);
    clock_feed(&m->clock);
    return status == STATUS_OK ? call.status : status;
}

/* The same while other CPUs load memory. */
static enum status quiet_run_loaded(struct firmware_machine *m, uint32_t cpu,
                                    const struct arch_quiet_plan *plan)
{
    struct quiet_call call = {.plan = plan, .result = &m->quiet};
    struct fault_info fault;
    enum status status;

    clock_feed(&m->clock);
    status = crew_run(&m->crew, cpu, m->clock.info.hz, quiet_call_body, &call, &fault);
    clock_feed(&m->clock);
    if (status == STATUS_OK)
        return call.status;
    if (status == STATUS_FAULT) {
        m->quiet.fault = fault;
        m->quiet.fault_text[0] = 0;
    }
    return status;
}

/* The fault for the engine, with the quiet section's full text if there is one: a copy, because the
 * engine then looks for the cause, which may fault again. */
static struct fault_info quiet_fault(struct firmware_machine *m)
{
    struct fault_info fault = m->quiet.fault;
    char *kept = m->fault_text[m->faults++ % FAULTS_KEPT];

    if (m->quiet.fault_text[0] != 0) {
        memory_copy(kept, m->quiet.fault_text, sizeof m->quiet.fault_text);
        fault.text = kept;
    }
    return fault;
}

enum status firmware_quiet_failed(struct firmware_machine *m, enum status status,
                                  struct fault_info *fault)
{
    if (status == STATUS_UNSUPPORTED)
        return status;
    *fault = quiet_fault(m);
    return STATUS_FAULT;
}

uint64_t firmware_quiet_root(const struct window *w)
{
    const struct memory_window *own = w->handle;

    return own->tables.root;
}

/* ---- windows */

static uint64_t window_limit(void *self, const struct window_request *request)
{
    const struct firmware_machine *m = self;

    return memory_window_limit(m->fw, &m->tables.numa, request);
}

static enum status window_open(void *self, const struct window_request *request, struct window *out)
{
    const struct firmware_machine *m = self;

    return memory_window_open(m->fw, &m->tables.numa, request, out, m->notes);
}

static void window_close(void *self, struct window *window)
{
    const struct firmware_machine *m = self;

    memory_window_close(m->fw, window);
}

static phys_addr window_phys(void *self, const struct window *window, uint64_t offset)
{
    (void)self;
    return memory_window_phys(window, offset);
}

static void window_span(void *self, const struct window *window, uint64_t bytes,
                        struct window_span *span)
{
    const struct firmware_machine *m = self;

    memory_window_span(&m->tables.numa, window, bytes, span);
}

/* ---- work */

struct slice {
    window_work *work;
    void *arg;
    const struct window *window;
    uint64_t first, end;
};

static void slice_body(void *arg)
{
    const struct slice *slice = arg;

    inject_work(slice->window);
    slice->work(slice->arg, slice->window, slice->first, slice->end);
    inject_work(slice->window);
}

/* The next slice from the cost of the last one, growing at most eightfold: the first lines may have
 * been cheaper than later ones. */
static uint64_t next_slice(const struct firmware_machine *m, uint64_t lines)
{
    uint64_t aim = m->clock.info.hz / (1000000000ull / SLICE_NS);
    uint64_t max = lines * 8, ticks = m->quiet.ticks == 0 ? 1 : m->quiet.ticks;
    double fit = (double)lines * (double)aim / (double)ticks;

    if (fit >= (double)max)
        return max;
    return fit < 64 ? 64 : (uint64_t)fit;
}

/* Not while loads are in force: their stacks are known then. */
static uint32_t work_cpus(void *self)
{
    struct firmware_machine *m = self;

    return m->crew.count == 0 ? share_cpus(&m->share) : 1;
}

static enum status work_alone(struct firmware_machine *m, uint32_t cpu, const struct slice *all,
                              struct fault_info *fault)
{
    struct slice slice = *all;
    struct arch_quiet_plan plan = {
        .root = firmware_quiet_root(all->window), .body = slice_body, .arg = &slice};
    uint64_t lines = SLICE_FIRST;

    for (slice.first = all->first; slice.first < all->end; slice.first = slice.end) {
        enum status status;
        slice.end = all->end - slice.first > lines ? slice.first + lines : all->end;
        status = quiet_run(m, cpu, &plan);
        if (status != STATUS_OK)
            return firmware_quiet_failed(m, status, fault);
        lines = next_slice(m, slice.end - slice.first);
    }
    return STATUS_OK;
}

/* The next lines by all CPUs; each: all lines, a part for each of them. */
static enum status work_shared(struct firmware_machine *m, struct slice *slice, bool each,
                               struct fault_info *fault)
{
    struct share_work work = {.work = slice->work,
                              .arg = slice->arg,
                              .window = slice->window,
                              .first = slice->first,
                              .end = slice->end,
                              .root = firmware_quiet_root(slice->window),
                              .hz = m->clock.info.hz};
    enum status status;

    clock_feed(&m->clock);
    status = each ? share_each(&m->share, &work, &m->quiet)
                  : share_parts(&m->share, &work, &m->quiet, &slice->first);
    clock_feed(&m->clock);
    return status == STATUS_FAULT ? firmware_quiet_failed(m, status, fault) : status;
}

/* Starting the others takes its time: some lines alone tell whether the rest is worth that. */
static enum status work_every(struct firmware_machine *m, struct slice slice,
                              struct fault_info *fault)
{
    struct slice trial = slice;
    enum status status;
    double long_ticks = (double)m->clock.info.hz * ((double)inject_share_ns(SHARE_NS) * 1e-9),
           line_ticks;

    if (slice.end - slice.first <= SLICE_FIRST || work_cpus(m) == 1)
        return work_alone(m, 0, &slice, fault);
    trial.end = slice.first + SLICE_FIRST;
    status = work_alone(m, 0, &trial, fault);
    line_ticks = (double)m->quiet.ticks / SLICE_FIRST;
    slice.first = trial.end;
    while (status != STATUS_FAULT && (double)(slice.end - slice.first) * line_ticks > long_ticks &&
           work_cpus(m) > 1)
        status = work_shared(m, &slice, false, fault);
    return status == STATUS_FAULT ? status : work_alone(m, 0, &slice, fault);
}

static void sum_body(void *arg)
{
    const struct slice *all = arg;

    inject_sum(all->window, all->end);
}

static void sum(struct firmware_machine *m, struct slice *all)
{
    struct arch_quiet_plan plan = {
        .root = firmware_quiet_root(all->window), .body = sum_body, .arg = all};

    if (inject_sums(all->end) && quiet_run(m, 0, &plan) == STATUS_OK)
        inject_sum_say(m->console, all->end, m->share.workers);
}

static enum status work_run(void *self, const struct window *w, uint32_t cpu, window_work *work,
                            void *arg, uint64_t first, uint64_t end, struct fault_info *fault)
{
    struct firmware_machine *m = self;
    struct slice slice = {.work = work, .arg = arg, .window = w, .first = first, .end = end};
    enum status status;

    if (cpu == CPU_EACH)
        return m->crew.count == 0 ? work_shared(m, &slice, true, fault) : STATUS_UNSUPPORTED;
    if (cpu != CPU_EVERY)
        return work_alone(m, cpu, &slice, fault);
    if (first == 0)
        m->share.workers = 0;
    status = work_every(m, slice, fault);
    if (status == STATUS_OK)
        sum(m, &slice);
    return status;
}

/* ---- counters */

static void counters_body(void *report)
{
    arch_pmu_try(report);
}

static bool event_is_same(const struct counter_event *one, const struct counter_event *two)
{
    if (one->name == NULL || two->name == NULL)
        return one->name == two->name;
    return text_is(one->name, text_length(one->name), two->name);
}

/* Tries the counters of that CPU unless they are those that were tried last. They count only where
 * they count what the description names. False: nothing could run there. */
static bool counters_try(struct firmware_machine *m, uint32_t cpu)
{
    struct pmu_report report;

    if (m->counters_cpu == cpu)
        return true;
    if (processors_run(&m->processors, cpu, counters_body, &report) != STATUS_OK)
        return false;
    m->counters_cpu = cpu;
    m->counters_alike = event_is_same(&report.event[PMU_LLC_MISSES], &m->description.llc_misses) &&
                        event_is_same(&report.event[PMU_PAGE_WALKS], &m->description.page_walks);
    return true;
}

/* ---- chases */

struct chase {
    const struct firmware_machine *m;
    const struct window *window;
    const struct chase_plan *plan;
    struct chase_result *result;
    bool settle; /* frequencies were switched */
};

static void settle(uint64_t hz)
{
    uint64_t begun = arch_ticks(), ticks = hz / (1000000000ull / SETTLE_NS);

    while (arch_ticks() - begun < ticks)
        ;
}

static void chase_body(void *arg)
{
    const struct chase *chase = arg;
    uint64_t hz = chase->m->clock.info.hz;
    const char *source;

    inject_chase(chase->plan);
    if (chase->settle)
        settle(hz);
    chase->result->core_hz_before = arch_core_hz(hz, &source);
    arch_chase(chase->plan, hz, chase->result);
    chase->result->core_hz_after = arch_core_hz(hz, &source);
    arch_frequency_read(&chase->result->frequency);
}

struct arch_quiet_plan firmware_quiet_controlled(const struct firmware_machine *m,
                                                 const struct window *w, uint32_t cpu)
{
    struct arch_quiet_plan plan = {.root = firmware_quiet_root(w),
                                   .prefetch_off = m->prefetch_off && m->prefetch_cpu == cpu,
                                   .turbo = m->turbo_requested && m->turbo_cpu == cpu};

    for (unsigned kind = 0; kind < SPEED_KINDS; kind++)
        if (m->speed_cpu[kind] == cpu)
            plan.speed |= m->speed & 1u << kind;
    return plan;
}

static enum status chase_run(void *self, const struct window *w, const struct chase_plan *asked,
                             struct chase_result *result)
{
    struct firmware_machine *m = self;
    struct chase_plan limited = *asked;
    struct chase chase = {m, w, &limited, result, false};
    struct arch_quiet_plan plan = firmware_quiet_controlled(m, w, asked->cpu);
    enum status status;

    if (!counters_try(m, asked->cpu))
        return STATUS_UNSUPPORTED;
    plan.count = m->counters_alike;
    /* The sampler was tried on the boot CPU alone. */
    plan.sample = asked->sampled != NULL && asked->cpu == 0;
    plan.body = chase_body;
    plan.arg = &chase;
    chase.settle = plan.turbo || plan.speed != 0;
    if (limited.limit_ns == 0 || limited.limit_ns > QUIET_LIMIT_NS)
        limited.limit_ns = QUIET_LIMIT_NS;
    *result = (struct chase_result){.end = asked->start};
    limited.loads = asked->done == NULL ? NULL : m->crew.progress;
    limited.load_count = m->crew.count;
    status = (m->crew.count == 0 ? quiet_run : quiet_run_loaded)(m, asked->cpu, &plan);
    result->delta = (struct machine_counters){.core_cycles = MACHINE_UNKNOWN,
                                              .smi = m->quiet.delta.smi,
                                              .machine_checks = m->quiet.delta.machine_checks,
                                              .llc_misses = MACHINE_UNKNOWN,
                                              .page_walks = MACHINE_UNKNOWN,
                                              .accesses = MACHINE_UNKNOWN};
    if (plan.count)
        arch_pmu_counts(&result->delta);
    result->quiet_ns =
        (uint64_t)((double)m->quiet.ticks * 1e9 / (double)(m->clock.info.hz + !m->clock.info.hz));
    if (status != STATUS_OK)
        return firmware_quiet_failed(m, status, &result->fault);
    inject_after(m->notes);
    return STATUS_OK;
}

static enum status single_loads_run(struct firmware_machine *m, const struct window *w,
                                    uint32_t cpu, void (*body)(void *arg), void *arg,
                                    struct fault_info *fault)
{
    struct arch_quiet_plan plan = firmware_quiet_controlled(m, w, cpu);
    enum status status;

    plan.body = body;
    plan.arg = arg;
    status = quiet_run(m, cpu, &plan);
    return status == STATUS_OK ? STATUS_OK : firmware_quiet_failed(m, status, fault);
}

static void probe_body(void *arg)
{
    arch_probe(arg);
}

static enum status probe_run(void *self, const struct window *w, const struct probe_plan *asked,
                             struct fault_info *fault)
{
    struct probe_plan probes = *asked;

    return single_loads_run(self, w, asked->cpu, probe_body, &probes, fault);
}

static void pair_body(void *arg)
{
    arch_pairs(arg);
}

static enum status pair_run(void *self, const struct window *w, const struct pair_plan *asked,
                            struct fault_info *fault)
{
    struct pair_plan pairs = *asked;

    return single_loads_run(self, w, asked->cpu, pair_body, &pairs, fault);
}

static void single_body(void *arg)
{
    arch_singles(arg);
}

static enum status single_run(void *self, const struct window *w, const struct single_plan *asked,
                              struct fault_info *fault)
{
    struct single_plan singles = *asked;

    return single_loads_run(self, w, asked->cpu, single_body, &singles, fault);
}

static void reads_body(void *arg)
{
    arch_reads(arg);
}

static enum status reads_run(void *self, const struct window *w, const struct reads_plan *asked,
                             struct fault_info *fault)
{
    struct reads_plan reads = *asked;

    return single_loads_run(self, w, asked->cpu, reads_body, &reads, fault);
}

/* ---- other CPUs */

static bool cpu_ready(void *self, uint32_t cpu, const char **why)
{
    struct firmware_machine *m = self;
    bool ready = processors_ready(&m->processors, cpu, why);

    if (ready && cpu != 0)
        share_reserve(&m->share);
    return ready;
}

/* ---- time, keys, the live line */

static uint64_t wall_ns(void *self)
{
    const struct firmware_machine *m = self;

    return clock_ns(&m->clock);
}

static void wait(void *self, uint64_t ns)
{
    const struct firmware_machine *m = self;

    m->fw->boot->Stall((UINTN)(ns / 1000 + 1));
}

static void clock_check(void *self, struct clock_check *out)
{
    struct firmware_machine *m = self;

    clock_answer(&m->clock, out);
}

static bool abort_requested(void *self)
{
    struct firmware_machine *m = self;
    unsigned key;

    clock_feed(&m->clock);
    if (keys_poll(m->fw, &key) || inject_abort())
        m->aborted = true;
    return m->aborted;
}

/* A serial log keeps every version of the line, so it does not change with every step. */
static void progress(void *self, const struct progress *now)
{
    struct firmware_machine *m = self;
    uint64_t now_ns = wall_ns(m);
    char line[LIVE_BYTES];

    fatal_doing(now);
    if (live_words(&m->live, now, now_ns, PROGRESS_STEP_NS, line))
        console_live(m->console, line);
    if (m->watch.alive != NULL)
        m->watch.alive(m->watch.context, now, now_ns);
    inject_hang(m->fw, m->console);
}

static bool mark(void *self)
{
    const struct firmware_machine *m = self;

    return m->watch.mark != NULL && m->watch.mark(m->watch.context, wall_ns(self));
}

/* ---- start */

static void mapping_choose(struct firmware_machine *m)
{
    const char *refusal = memory_tables_refusal(m->fw);

    if (refusal == NULL)
        return;
    m->description.firmware_mapping = true;
    m->description.page_sizes = 1u << PAGE_4K;
    notes_format(m->notes, SEVERITY_WARNING, "no page tables of our own",
                 "%s; everything is measured as the firmware maps it, in pages of unknown size",
                 refusal);
}

static void registers_body(void *arg)
{
    struct firmware_machine *m = arg;

    arch_memory_types_read();
    arch_state_read(&m->tables.state, &m->tables.bits);
}

static void describe_counters(struct firmware_machine *m)
{
    struct pmu_report report;

    m->counters_cpu = 0;
    m->counters_alike = true;
    (void)processors_run(&m->processors, 0, counters_body, &report);
    m->description.llc_misses = report.event[PMU_LLC_MISSES];
    m->description.page_walks = report.event[PMU_PAGE_WALKS];
    notes_not_counted(m->notes, report.why[PMU_LLC_MISSES], report.why[PMU_PAGE_WALKS]);
}

/* Where the mark before a start of that kind goes. */
static void choose_mark(const struct firmware_machine *m, const struct volume *volume,
                        const struct breadcrumb_kind *kind, struct breadcrumb *mark)
{
    char key[SOAK_KEY_BYTES], name[SOAK_KEY_BYTES + 16];

    *mark = (struct breadcrumb){.kind = kind, .volume = volume};
    tables_key(&m->tables, key);
    text_print(name, sizeof name, "%s-%s", kind->name, key);
    if (!home_path(name, mark->path))
        mark->volume = NULL;
}

static void choose_marks(struct firmware_machine *m, const struct options *options,
                         const struct volumes *volumes)
{
    struct processors *p = &m->processors;
    const struct volume *volume = NULL;

    p->asked_for = options->cpus[0] != '\0';
    if (!options->save || home_volume(volumes, MARK_FREE_BYTES, &volume) != NULL)
        volume = NULL;
    choose_mark(m, volume, &breadcrumb_cpu_start, &p->mark);
    choose_mark(m, volume, &breadcrumb_cpus_start, &p->together[0].mark);
    choose_mark(m, volume, &breadcrumb_cpus_beside, &p->together[1].mark);
}

enum status firmware_machine_start(struct firmware_machine *m, const struct firmware *fw,
                                   const struct options *options, const struct volumes *volumes,
                                   struct console *console, struct notes *notes)
{
    uintptr_t base = fw->loaded != NULL ? (uintptr_t)fw->loaded->ImageBase : 0;
    enum status status = arch_quiet_prepare(base, fatal_end);

    m->fw = fw;
    m->console = console;
    m->notes = notes;
    if (status != STATUS_OK)
        notes_add(notes, SEVERITY_ERROR, "no quiet section on this CPU", status_name(status));
    m->breadcrumb = (struct breadcrumb){.kind = &breadcrumb_prefetch_try};
    m->processors.fw = fw;
    if (status == STATUS_OK)
        (void)processors_run(&m->processors, 0, registers_body, m);
    tables_describe(&m->tables, &m->description);
    choose_marks(m, options, volumes);
    m->processors.power =
        (struct power){.acpi = &m->tables.acpi, .tree = &m->tables.devicetree, .fw = fw};
    processors_start(&m->processors, fw, m->description.cpus, m->description.cpu_count, notes);
    m->crew = (struct crew){.processors = &m->processors, .line_bytes = m->description.line_bytes};
    m->share = (struct share){.processors = &m->processors};
    mapping_choose(m);
    clock_start(&m->clock, fw, &m->tables.acpi, notes);
    m->description.clock = m->clock.info;
    fatal_clock(m->clock.info.hz);
    describe_counters(m);
    m->machine = (struct machine){.self = m,
                                  .description = &m->description,
                                  .window_limit = window_limit,
                                  .window_open = window_open,
                                  .window_close = window_close,
                                  .window_phys = window_phys,
                                  .window_span = window_span,
                                  .cpu_ready = cpu_ready,
                                  .work_cpus = work_cpus,
                                  .work_run = work_run,
                                  .chase_run = chase_run,
                                  .probe_run = probe_run,
                                  .pair_run = pair_run,
                                  .single_run = single_run,
                                  .reads_run = reads_run,
                                  .wall_ns = wall_ns,
                                  .wait = wait,
                                  .clock_check = clock_check,
                                  .abort_requested = abort_requested,
                                  .progress = progress,
                                  .mark = mark};
    firmware_machine_controls(&m->machine);
    firmware_machine_together(&m->machine);
    arch_kernels_offer(&m->machine, &m->description);
    return status;
}

void firmware_machine_run_starts(struct firmware_machine *m, const struct options *options)
{
    m->prefetch_unofficial = options->prefetch_unofficial;
    m->prefetch_write = options->prefetch_write;
    m->prefetch_off = false;
    m->prefetch_only_read = false;
    m->turbo_requested = false;
    m->speed = 0;
    m->aborted = false;
    m->live = (struct live_line){.shown = false};
    m->description.notes = m->notes->note;
    m->description.note_count = m->notes->count;
    m->notes->emitted = m->notes->count;
    clock_run_starts(&m->clock);
    keys_flush(m->fw);
    inject_start();
}

void firmware_machine_stop(struct firmware_machine *m)
{
    share_free(&m->share);
    processors_stop(&m->processors);
}
