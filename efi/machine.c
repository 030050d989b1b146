/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware machine; see machine.h. */
#include "efi/machine.h"

#include "core/lib/memory.h"
#include "core/lib/text.h"
#include "efi/fatal.h"
#include "efi/inject.h"
#include "efi/keys.h"
#include "efi/memory.h"

#define QUIET_LIMIT_NS   400000000ull /* interrupts stay masked for at most about this */
#define SLICE_NS         50000000ull  /* target length of a slice of work */
#define SLICE_FIRST      4096         /* lines, before their cost is known */
#define PROGRESS_STEP_NS 250000000ull
/* After frequencies were switched: power control units change them within a millisecond or so. */
#define SETTLE_NS 10000000ull

/* The only way into the quiet section: TPL first, so that none of the firmware's notifications runs
 * on our page tables; the second clock is read before and after. */
static enum status quiet_run(struct firmware_machine *m, const struct arch_quiet_plan *plan)
{
    EFI_BOOT_SERVICES *boot = m->fw->boot;
    enum status status;
    EFI_TPL tpl;

    clock_feed(&m->clock);
    tpl = boot->RaiseTPL(TPL_HIGH_LEVEL);
    status = arch_quiet_run(plan, &m->quiet);
    boot->RestoreTPL(tpl);
    clock_feed(&m->clock);
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

static uint64_t quiet_root(const struct window *w)
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

static enum status work_run(void *self, const struct window *w, uint32_t cpu, window_work *work,
                            void *arg, uint64_t first, uint64_t end, struct fault_info *fault)
{
    struct firmware_machine *m = self;
    struct slice slice = {.work = work, .arg = arg, .window = w};
    struct arch_quiet_plan plan = {.root = quiet_root(w), .body = slice_body, .arg = &slice};
    uint64_t lines = SLICE_FIRST;

    (void)cpu;
    while (first < end) {
        slice.first = first;
        slice.end = end - first > lines ? first + lines : end;
        if (quiet_run(m, &plan) != STATUS_OK) {
            *fault = quiet_fault(m);
            return STATUS_FAULT;
        }
        lines = next_slice(m, slice.end - first);
        first = slice.end;
    }
    return STATUS_OK;
}

/* ---- chases */

struct chase {
    const struct firmware_machine *m;
    const struct window *window;
    const struct chase_plan *plan;
    struct chase_result *result;
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
    if (chase->m->turbo_requested || chase->m->speed != 0)
        settle(hz);
    chase->result->core_hz_before = arch_core_hz(hz, &source);
    arch_chase(chase->plan, hz, chase->result);
    chase->result->core_hz_after = arch_core_hz(hz, &source);
    arch_frequency_read(&chase->result->frequency);
}

static enum status chase_run(void *self, const struct window *w, const struct chase_plan *asked,
                             struct chase_result *result)
{
    struct firmware_machine *m = self;
    struct chase_plan limited = *asked;
    struct chase chase = {m, w, &limited, result};
    struct arch_quiet_plan plan = {.root = quiet_root(w),
                                   .prefetch_off = m->prefetch_off,
                                   .turbo = m->turbo_requested,
                                   .speed = m->speed,
                                   .count = true,
                                   .sample = asked->sampled != NULL,
                                   .body = chase_body,
                                   .arg = &chase};
    enum status status;

    if (limited.limit_ns == 0 || limited.limit_ns > QUIET_LIMIT_NS)
        limited.limit_ns = QUIET_LIMIT_NS;
    *result = (struct chase_result){.end = asked->start};
    status = quiet_run(m, &plan);
    result->delta = (struct machine_counters){.core_cycles = MACHINE_UNKNOWN,
                                              .smi = m->quiet.delta.smi,
                                              .machine_checks = m->quiet.delta.machine_checks};
    arch_pmu_counts(&result->delta);
    result->quiet_ns =
        (uint64_t)((double)m->quiet.ticks * 1e9 / (double)(m->clock.info.hz + !m->clock.info.hz));
    if (status != STATUS_OK) {
        result->fault = quiet_fault(m);
        return STATUS_FAULT;
    }
    inject_after(m->notes);
    return STATUS_OK;
}

static enum status single_loads_run(struct firmware_machine *m, const struct window *w,
                                    void (*body)(void *arg), void *arg, struct fault_info *fault)
{
    struct arch_quiet_plan plan = {.root = quiet_root(w),
                                   .prefetch_off = m->prefetch_off,
                                   .turbo = m->turbo_requested,
                                   .speed = m->speed,
                                   .body = body,
                                   .arg = arg};

    if (quiet_run(m, &plan) == STATUS_OK)
        return STATUS_OK;
    *fault = quiet_fault(m);
    return STATUS_FAULT;
}

static void probe_body(void *arg)
{
    arch_probe(arg);
}

static enum status probe_run(void *self, const struct window *w, const struct probe_plan *asked,
                             struct fault_info *fault)
{
    struct probe_plan probes = *asked;

    return single_loads_run(self, w, probe_body, &probes, fault);
}

static void pair_body(void *arg)
{
    arch_pairs(arg);
}

static enum status pair_run(void *self, const struct window *w, const struct pair_plan *asked,
                            struct fault_info *fault)
{
    struct pair_plan pairs = *asked;

    return single_loads_run(self, w, pair_body, &pairs, fault);
}

static void single_body(void *arg)
{
    arch_singles(arg);
}

static enum status single_run(void *self, const struct window *w, const struct single_plan *asked,
                              struct fault_info *fault)
{
    struct single_plan singles = *asked;

    return single_loads_run(self, w, single_body, &singles, fault);
}

static void reads_body(void *arg)
{
    arch_reads(arg);
}

static enum status reads_run(void *self, const struct window *w, const struct reads_plan *asked,
                             struct fault_info *fault)
{
    struct reads_plan reads = *asked;

    return single_loads_run(self, w, reads_body, &reads, fault);
}

/* ---- prefetchers */

static void prefetch_try(const struct firmware_machine *m, bool off, bool write,
                         struct prefetch_report *report)
{
    struct prefetch_request request = {
        .off = off, .unofficial = m->prefetch_unofficial, .write = write};
    EFI_TPL tpl = m->fw->boot->RaiseTPL(TPL_HIGH_LEVEL);

    arch_prefetch_try(&request, report);
    m->fw->boot->RestoreTPL(tpl);
}

static bool prefetch_any_on(const struct prefetch_report *report)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->control[i].state == PREFETCH_ON)
            return true;
    return false;
}

/* First only reads: there may be nothing to write. */
static void prefetch_try_risky(struct firmware_machine *m, bool off, uint64_t identity,
                               struct prefetch_report *report)
{
    prefetch_try(m, off, false, report);
    if (!off || !prefetch_any_on(report))
        return;
    if (!m->prefetch_write) {
        if (!m->prefetch_only_read)
            notes_add(m->notes, SEVERITY_INFO, "prefetchers are only read",
                      "writing can halt a machine of older firmware; prefetch-write=on does it");
        m->prefetch_only_read = true;
        return;
    }
    if (!breadcrumb_lay(&m->breadcrumb, m->fw, identity, m->notes))
        return;
    inject_halt(m->fw, m->console);
    prefetch_try(m, off, true, report);
    breadcrumb_take(&m->breadcrumb, m->fw, m->notes);
}

static enum status prefetch_set(void *self, uint32_t cpu, bool off, struct prefetch_report *report)
{
    struct firmware_machine *m = self;
    uint64_t identity;

    (void)cpu;
    if (arch_prefetch_is_risky(&identity))
        prefetch_try_risky(m, off, identity, report);
    else
        prefetch_try(m, off, off, report);
    m->prefetch_off = off;
    return STATUS_OK;
}

static enum status prefetch_only_off(void *self, uint32_t cpu, uint32_t index,
                                     struct prefetch_report *report)
{
    struct firmware_machine *m = self;
    struct prefetch_report whole;
    EFI_TPL tpl;
    bool found;

    (void)prefetch_set(self, cpu, true, &whole);
    tpl = m->fw->boot->RaiseTPL(TPL_HIGH_LEVEL);
    found = arch_prefetch_only_off(index, report);
    m->fw->boot->RestoreTPL(tpl);
    return found ? STATUS_OK : STATUS_UNSUPPORTED;
}

static enum status turbo_set(void *self, uint32_t cpu, enum turbo_choice choice,
                             struct turbo_report *report)
{
    struct firmware_machine *m = self;
    EFI_TPL tpl = m->fw->boot->RaiseTPL(TPL_HIGH_LEVEL);

    (void)cpu;
    arch_turbo_try(choice, report);
    m->fw->boot->RestoreTPL(tpl);
    m->turbo_requested = choice != TURBO_AS_FOUND;
    return STATUS_OK;
}

static enum status speed_set(void *self, uint32_t cpu, enum speed_kind kind, bool max,
                             struct speed_report *report)
{
    struct firmware_machine *m = self;
    EFI_TPL tpl;

    (void)cpu;
    m->speed &= ~(1u << kind);
    if (!max)
        return STATUS_OK;
    tpl = m->fw->boot->RaiseTPL(TPL_HIGH_LEVEL);
    arch_speed_try(kind, report);
    m->fw->boot->RestoreTPL(tpl);
    m->speed |= 1u << kind;
    return STATUS_OK;
}

/* Registers that older firmware of AArch64 halts the machine at are left alone unless asked for. */
static void errors_read(void *self, struct error_banks *now)
{
    struct firmware_machine *m = self;
    uint64_t identity;
    EFI_TPL tpl;

    if (arch_prefetch_is_risky(&identity) && !m->prefetch_write) {
        *now = (struct error_banks){.source = "error records",
                                    .why = "reading them can halt a machine of older firmware; "
                                           "prefetch-write=on does it"};
        return;
    }
    tpl = m->fw->boot->RaiseTPL(TPL_HIGH_LEVEL);
    arch_errors_read(now);
    m->fw->boot->RestoreTPL(tpl);
}

static void sampler_try(void *self, struct sampler_report *report)
{
    struct firmware_machine *m = self;
    EFI_TPL tpl = m->fw->boot->RaiseTPL(TPL_HIGH_LEVEL);

    arch_sampler_try(report);
    m->fw->boot->RestoreTPL(tpl);
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

static void registers_read(struct firmware_machine *m)
{
    EFI_TPL tpl = m->fw->boot->RaiseTPL(TPL_HIGH_LEVEL);

    arch_memory_types_read();
    arch_state_read(&m->tables.state, &m->tables.bits);
    m->fw->boot->RestoreTPL(tpl);
}

static void describe_counters(struct firmware_machine *m)
{
    EFI_TPL tpl = m->fw->boot->RaiseTPL(TPL_HIGH_LEVEL);
    struct pmu_report report;

    arch_pmu_try(&report);
    m->fw->boot->RestoreTPL(tpl);
    m->description.llc_misses = report.event[PMU_LLC_MISSES];
    m->description.page_walks = report.event[PMU_PAGE_WALKS];
    notes_not_counted(m->notes, report.why[PMU_LLC_MISSES], report.why[PMU_PAGE_WALKS]);
}

enum status firmware_machine_start(struct firmware_machine *m, const struct firmware *fw,
                                   struct console *console, struct notes *notes)
{
    uintptr_t base = fw->loaded != NULL ? (uintptr_t)fw->loaded->ImageBase : 0;
    enum status status = arch_quiet_prepare(base, fatal_end);

    m->fw = fw;
    m->console = console;
    m->notes = notes;
    if (status != STATUS_OK)
        notes_add(notes, SEVERITY_ERROR, "no quiet section on this CPU", status_name(status));
    if (status == STATUS_OK)
        registers_read(m);
    tables_describe(&m->tables, &m->description);
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
                                  .work_run = work_run,
                                  .chase_run = chase_run,
                                  .probe_run = probe_run,
                                  .pair_run = pair_run,
                                  .single_run = single_run,
                                  .reads_run = reads_run,
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
                                  .progress = progress,
                                  .mark = mark};
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
