/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures one point: build, warm, sample, verify, emit. */
#include "core/lib/real.h"
#include "core/measure/run.h"
#include "core/measure/time.h"
#include "core/plan/estimate.h"
#include "core/plan/sampling.h"

#define CALIBRATION_SHARE            0.2 /* factor on the error target: every draw inherits this error */
#define CALIBRATION_RELAX_AFTER_HOPS (16u << 20)
#define CALIBRATION_TRIES            3

/* Checks that the clock is fine enough for hops timed one by one: its step may be at most a quarter
 * of a hop, as measured on a few hundred of them. */
static enum status check_single(struct measurement *run)
{
    double step = run->m->machine->description->clock.resolution_ticks, ticks;
    enum status status;

    if (run->point->load != LOAD_FLUSH)
        return STATUS_OK;
    run->hops = POINT_PILOT_HOPS;
    status = point_enter(run, 0, 1);
    if (status != STATUS_OK)
        return status;
    ticks = (double)run->m->samples.ticks[0] / (double)run->hops - run->single_ticks;
    run->samples = 0;
    run->too_coarse = !(ticks >= 4 * step);
    if (run->too_coarse)
        point_note_coarse(run, ticks);
    return STATUS_OK;
}

/* Reads every node back unless a whole lap was walked. */
static enum status verify(struct measurement *run, double *verify_ns)
{
    struct measure *m = run->m;
    const struct machine *machine = m->machine;
    uint64_t begun_ns = time_now_ns(machine);
    uint64_t nodes = diagnose_nodes(run->point, &run->chain);
    struct fault_info fault = {.kind = 0};
    enum status status;

    *verify_ns = 0;
    run->verified = "lap";
    if (run->lap)
        return STATUS_OK;
    diagnose_start(&m->diagnosis, &run->chain);
    status =
        point_work(run, 0, diagnose_verifier(run->point), &m->diagnosis.check, 0, nodes, &fault);
    if (status == STATUS_ABORTED || status == STATUS_LATE) {
        run->verified = "none";
        return status == STATUS_LATE ? STATUS_OK : status;
    }
    if (status == STATUS_OK && m->diagnosis.check.errors == 0) {
        run->verified = "readback";
        *verify_ns = time_since_s(m->machine, begun_ns) * 1e9 / (double)nodes;
        return STATUS_OK;
    }
    diagnose_chain(&m->diagnosis, run->point, run->w, &run->chain,
                   status == STATUS_FAULT ? &fault : NULL, 0, 0);
    return STATUS_FAULT;
}

static enum status build(struct measurement *run, double *build_ns)
{
    struct measure *m = run->m;
    const struct machine *machine = m->machine;
    const struct point *point = run->point;
    uint64_t begun_ns = time_now_ns(machine), nodes;
    struct fault_info fault = {.kind = 0};
    window_work *work;
    enum status status;

    line_order_start(&m->order, point->order, point->bytes / point->stride_bytes,
                     point->group_bytes / point->stride_bytes, m->options->seed);
    nodes = diagnose_nodes(point, &run->chain);
    work = point->kernel == KERNEL_IID ? machine->draw_fill : machine->chain_build;
    status = point_work(run, CPU_EVERY, work, &run->chain, 0, nodes, &fault);
    if (status == STATUS_FAULT)
        diagnose_fault(m->journal, &fault);
    *build_ns = time_since_s(m->machine, begun_ns) * 1e9 / (double)nodes;
    for (uint32_t k = 0; k < point->chains; k++)
        run->cursor.next[k] = chain_after(&run->chain, run->w, k, 0);
    /* A stream's loads are independent and go through the set in order of addresses. */
    if (point->kernel == KERNEL_STREAM)
        run->cursor.next[0] = run->w->base;
    return status;
}

/* All chases of the chain that was built. */
static enum status walk(struct measurement *run)
{
    const struct machine *machine = run->m->machine;
    enum status status = point_warm(run);
    uint64_t begun_ns;

    if (status == STATUS_OK)
        status = check_single(run);
    if (status != STATUS_OK || run->too_coarse)
        return status;
    begun_ns = time_now_ns(machine);
    run->sampled = true;
    point_load_spread(run);
    status = point_sample(run);
    run->point->result.sampling_s = time_since_s(machine, begun_ns);
    return status == STATUS_OK ? point_sample_loads(run) : status;
}

/* Builds, warms, samples and verifies; *seen is for later estimates. */
static enum status measure(struct measurement *run, struct estimate_seen *seen)
{
    struct measure *m = run->m;
    enum status status;

    run->chain = (struct chain){.order = &m->order,
                                .stride_bytes = run->point->stride_bytes,
                                .line_bytes = m->machine->description->line_bytes,
                                .chains = run->point->chains,
                                .word = run->point->word};
    run->hop_ns = estimate_hop_ns(m->plan, run->point);
    run->verified = "none";
    status = build(run, &seen->build_ns);
    if (status == STATUS_OK)
        status = point_poll(run);
    if (status == STATUS_OK)
        status = point_try_witness(run);
    if (status == STATUS_OK)
        status = point_load_start(run);
    if (status == STATUS_OK)
        status = walk(run);
    point_load_stop(run);
    if (!run->sampled)
        return status;
    seen->verify_ns = 0;
    if (status == STATUS_OK)
        status = verify(run, &seen->verify_ns);
    if (status != STATUS_FAULT && run->samples > 0)
        point_conclude(run);
    return status == STATUS_OK ? point_leave(run) : status;
}

/* The difference in cycles, since the core's frequency may have stepped in between. */
static struct draw_cost draw_cost_of(const struct measure *m, const struct point_result *plain,
                                     const struct point_result *drawn)
{
    double plain_error = plain->mean_rel_error * plain->mean_ns;
    double drawn_error = drawn->mean_rel_error * drawn->mean_ns;
    bool stepped = core_clock_differs(&m->clock, plain->hz, drawn->hz);
    double plain_ns = plain->mean_ns * (stepped ? plain->hz / drawn->hz : 1);

    return (struct draw_cost){.known = true,
                              .ns = drawn->mean_ns - plain_ns,
                              .error_ns = real_hypotenuse(plain_error, drawn_error),
                              .hz = drawn->hz};
}

static enum status measure_small(struct measure *m, const struct point *wanted,
                                 enum chase_kernel kernel, const struct window *w,
                                 struct point_result *result)
{
    struct point small = *wanted;
    struct measurement run = {.m = m, .point = &small, .w = w};
    struct estimate_seen seen;
    enum status status;

    small.kernel = kernel;
    small.stride_bytes =
        sampling_calibration_stride_bytes(m->machine->description->line_bytes, wanted);
    small.bytes = sampling_calibration_bytes(m->machine->description->line_bytes, wanted);
    small.error_scale = sampling_multiplies(wanted) ? 0 : CALIBRATION_SHARE;
    small.relax_after_hops = CALIBRATION_RELAX_AFTER_HOPS;
    small.work = 0;
    small.cold = false;
    small.traffic.cpus = 0;
    small.hops = 0;
    small.samples = 0;
    small.result.known = false;
    status = measure(&run, &seen);
    *result = small.result;
    return status;
}

/* Measures what a draw's arithmetic costs: the same small set chased both ways. Its error is in
 * every figure of draws, so it is measured precisely, except where draws multiply: only differences
 * between those are used. A step of the core's frequency spoils the measurement, which is then
 * repeated. */
static enum status calibrate_draw(struct measure *m, const struct point *wanted,
                                  const struct window *w)
{
    struct draw_cost *draw = &m->draw[sampling_multiplies(wanted)];
    enum status status = STATUS_OK;
    bool stepped = true;

    for (unsigned i = 0; i < CALIBRATION_TRIES && stepped; i++) {
        struct point_result plain, drawn = {.known = false};
        status = measure_small(m, wanted, KERNEL_CYCLE, w, &plain);
        if (status == STATUS_OK)
            status = measure_small(m, wanted, KERNEL_IID, w, &drawn);
        if (status != STATUS_OK || !plain.known || !drawn.known)
            return status;
        *draw = draw_cost_of(m, &plain, &drawn);
        draw->experiment = wanted->experiment;
        stepped = ((plain.doubt | drawn.doubt) & doubt_of(DOUBT_DRIFT)) != 0;
    }
    return status;
}

/* At a known frequency the cost carries over to others, in cycles; if it is unknown, it may differ
 * between experiments. */
static bool calibrated(const struct measure *m, const struct point *point)
{
    const struct draw_cost *draw = &m->draw[sampling_multiplies(point)];

    return draw->known && (draw->hz > 0 || draw->experiment == point->experiment);
}

enum status point_measure(struct measure *m, struct point *point, const struct window *w)
{
    struct measurement run = {.m = m, .point = point, .w = w};
    struct estimate_seen seen = {.build_ns = 0};
    enum status status = STATUS_OK;

    if (point->kernel == KERNEL_IID && !calibrated(m, point))
        status = calibrate_draw(m, point, w);
    if (point->kernel == KERNEL_IID)
        run.draw = m->draw[sampling_multiplies(point)];
    if (status == STATUS_OK)
        status = measure(&run, &seen);
    if (!point->result.known)
        return status;
    if (!point->unrecorded)
        point_emit(&run);
    estimate_learn(m->plan, point, &seen);
    return status;
}
