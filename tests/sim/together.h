/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs of the simulated machine at the same time; part of simulator.c, whose kernels they run:
 * machine.load_start, .load_stop and .handoff_run, and what a chase needs of them. */
#ifndef TESTS_SIM_TOGETHER_H
#define TESTS_SIM_TOGETHER_H

/* Until every loader has done a block, which one with a long pause need not do. */
#define LOADERS_START_NS   1e6
#define LOADERS_START_STEP 1e3

static void change_to(void *context, uint32_t number)
{
    struct simulator *sim = context;

    sim->run = sim->together[number];
    sim->system = sim->run->system;
    sim_memory_turn(sim->system);
}

static void set_crew(struct simulator *sim, struct sim_crew *crew)
{
    for (uint32_t core = 0; core < sim_config_cores(sim->config); core++) {
        sim->cores[core].crew = crew;
        sim->cores[core].reached_ns = 0;
    }
}

/* Of those that run at the same time, and are not parked: how many are on that core; SIM_ANY: on
 * all of them. */
static uint32_t running_on(const struct simulator *sim, uint32_t count, uint32_t core)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < count; i++)
        found +=
            !sim->together[i]->parked &&
            (core == SIM_ANY || sim_config_cpu(sim->config, sim->together[i]->cpu).core == core);
    return found;
}

/* Tells each core of the first so many of the crew what runs beside it; 0: nothing does. */
static void tell_beside(struct simulator *sim, uint32_t count)
{
    const struct sim_core_config *core = &sim->config->core;
    uint32_t all = running_on(sim, count, SIM_ANY);

    if (core->asleep_ns <= 0 && core->sibling_ns <= 0)
        return;
    for (uint32_t i = 0; i < sim_config_cores(sim->config); i++) {
        uint32_t own = running_on(sim, count, i);
        if (sim->cores[i].caches.used)
            sim_memory_beside(&sim->cores[i], all > own, own > 1);
    }
    sim_memory_turn(sim->system);
}

static void crew_open(struct simulator *sim)
{
    sim->together[0] = &sim->first;
    sim_crew_start(&sim->crew, change_to, sim);
    set_crew(sim, &sim->crew);
}

static void crew_add(struct simulator *sim, struct sim_thread *thread, void (*work)(void *),
                     void *argument)
{
    double now = simulator_now_ns(sim);

    sim_core_open(&thread->core, thread->chains, now);
    sim->together[sim->crew.count] = thread;
    sim_crew_add(&sim->crew, now, work, argument);
}

/* Whoever waits for all others has waited until the last one was done. */
static void crew_close(struct simulator *sim)
{
    uint32_t count = sim->crew.count;
    double end_ns = 0;

    sim_crew_join(&sim->crew);
    set_crew(sim, NULL);
    tell_beside(sim, 0);
    for (uint32_t i = 0; i < count; i++) {
        sim->run = sim->together[i];
        end_ns = simulator_now_ns(sim) > end_ns ? simulator_now_ns(sim) : end_ns;
    }
    sim->run = &sim->first;
    sim_core_open(&sim->run->core, sim->run->chains, end_ns);
}

/* Another CPU than that of the machine's calls, with its prefetchers as the firmware left them.
 * False: it cannot be had. */
static bool prepare_thread(struct simulator *sim, struct sim_thread *thread, uint32_t cpu,
                           uint32_t chains)
{
    bool had;

    start_thread(sim, thread, simulator_now_ns(sim));
    thread->chains = chains;
    thread->cpu = SIM_ANY;
    sim->run = thread;
    had = sim_cpu_run_on(sim, cpu);
    sim->run = &sim->first;
    sim->system = sim->run->system;
    /* Its core's prefetchers may have been set for a thread of the same core. */
    sim->run->cpu = SIM_ANY;
    return had;
}

/* ---- CPUs that load memory while one chases */

/* False: one of these CPUs cannot be had, or is the one that is to chase. */
static bool loaders_prepare(struct simulator *sim, uint32_t chaser)
{
    for (uint32_t i = 0; i < sim->loaders; i++) {
        struct sim_loader *loader = &sim->loader[i];
        bool chases = loader->traffic->kind == TRAFFIC_CHASE;
        if (loader->traffic->cpu == chaser)
            return false;
        if (!prepare_thread(sim, &loader->thread, loader->traffic->cpu,
                            chases ? loader->traffic->chains : 1))
            return false;
        loader->thread.direct = chases && loader->traffic->chains == 1;
        loader->thread.streams = true;
        loader->thread.parked = loader->traffic->kind == TRAFFIC_PARK;
        loader->faulted = false;
        loader->begun = loader->ended = (struct traffic_done){.ticks = 0};
        traffic_begin(&loader->progress);
    }
    return true;
}

static void load(void *argument)
{
    struct sim_loader *loader = argument;

    if (setjmp(loader->thread.out) != 0)
        loader->faulted = true;
    else
        kernel_traffic(loader->traffic, &loader->progress);
}

static bool loaders_run(const struct simulator *sim)
{
    bool all = true;

    for (uint32_t i = 0; i < sim->loaders; i++)
        all &= sim->loader[i].faulted || traffic_runs(&sim->loader[i].progress);
    return all;
}

static void loaders_begin(struct simulator *sim)
{
    double latest = simulator_now_ns(sim) + LOADERS_START_NS;

    if (sim->loaders == 0)
        return;
    /* What comes next is known of one chain alone, and loaders cannot be kept waiting by stores of
     * what nobody has stored. */
    sim->path.ahead = false;
    sim_path_expose(sim);
    crew_open(sim);
    for (uint32_t i = 0; i < sim->loaders; i++)
        crew_add(sim, &sim->loader[i].thread, load, &sim->loader[i]);
    tell_beside(sim, sim->crew.count);
    while (!loaders_run(sim) && simulator_now_ns(sim) < latest) {
        spend_ns(sim, LOADERS_START_STEP);
        sim_crew_reach(&sim->crew, simulator_now_ns(sim));
    }
}

/* False: one of them loaded from outside the window. */
static bool loaders_end(struct simulator *sim, struct traffic_done *done)
{
    bool faulted = false;

    if (sim->loaders == 0)
        return true;
    for (uint32_t i = 0; i < sim->loaders; i++)
        traffic_stop(&sim->loader[i].progress);
    crew_close(sim);
    for (uint32_t i = 0; i < sim->loaders; i++) {
        struct sim_loader *loader = &sim->loader[i];
        faulted |= loader->faulted;
        if (done)
            done[i] = traffic_between(loader->begun, loader->ended);
    }
    return !faulted;
}

static void sim_load_stop(void *self)
{
    struct simulator *sim = self;

    free(sim->loader);
    sim->loader = NULL;
    sim->loaders = 0;
}

static bool can_load(struct simulator *sim, uint32_t cpu, const struct traffic *traffic,
                     uint32_t count, const char **why)
{
    if (!sim_cpu_ready(sim, cpu, why))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!sim_cpu_ready(sim, traffic[i].cpu, why))
            return false;
        *why = "one of these CPUs is the one that chases, or is named twice";
        for (uint32_t k = 0; k <= i; k++)
            if (traffic[i].cpu == (k == i ? cpu : traffic[k].cpu))
                return false;
    }
    return true;
}

static enum status sim_load_start(void *self, const struct window *w, uint32_t cpu,
                                  const struct traffic *traffic, uint32_t count, const char **why)
{
    struct simulator *sim = self;

    (void)w;
    sim_load_stop(sim);
    if (!can_load(sim, cpu, traffic, count, why))
        return STATUS_UNSUPPORTED;
    *why = "there is no memory for CPUs that load memory";
    sim->loader = aligned_alloc(TRAFFIC_APART_BYTES, (count + 1) * sizeof *sim->loader);
    if (!sim->loader)
        return STATUS_UNSUPPORTED;
    for (uint32_t i = 0; i < count; i++) {
        sim->loader[i].traffic = &traffic[i];
        traffic_open(&sim->loader[i].progress, &traffic[i], sim->description.line_bytes);
    }
    sim->loaders = count;
    *why = NULL;
    return STATUS_OK;
}

/* ---- lines handed from one CPU to another */

struct answer {
    const struct handoff_plan *plan;
    struct sim_thread thread;
    uint64_t tick_hz;
    bool faulted;
};

static void answer(void *argument)
{
    struct answer *other = argument;

    if (setjmp(other->thread.out) != 0)
        other->faulted = true;
    else
        kernel_handoff_answer(other->plan, other->tick_hz);
}

/* False: a load of that CPU went outside the window. */
static bool hand_over_lines(struct handoff_plan *plan, uint64_t tick_hz, bool *complete)
{
    if (setjmp(running->run->out) != 0)
        return false;
    *complete = kernel_handoff_time(plan, tick_hz);
    return true;
}

static enum status sim_handoff_run(void *self, const struct window *w, struct handoff_plan *plan,
                                   struct fault_info *fault)
{
    struct simulator *sim = self;
    struct answer *other = malloc(sizeof *other);
    enum status status = STATUS_UNSUPPORTED;
    bool complete = false, good;

    (void)w;
    plan->lines_done = 0;
    if (other && plan->cpu != plan->other && prepare_thread(sim, &other->thread, plan->other, 1) &&
        enter(sim, plan->cpu, 1)) {
        other->plan = plan;
        other->tick_hz = (uint64_t)sim->config->counter_hz;
        other->faulted = false;
        /* Words that are stored to are read by others. */
        sim_path_store(sim);
        crew_open(sim);
        kernel_handoff_prepare(plan);
        crew_add(sim, &other->thread, answer, other);
        tell_beside(sim, sim->crew.count);
        good = hand_over_lines(plan, other->tick_hz, &complete) && !other->faulted;
        crew_close(sim);
        status = complete ? STATUS_OK : STATUS_ABORTED;
        if (!good) {
            *fault = sim->fault;
            status = STATUS_FAULT;
        }
    }
    free(other);
    return status;
}

#endif
