/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/controls.h"

#include "core/lib/text.h"
#include "core/measure/describe.h"
#include "core/names.h"
#include "core/options/cpus.h"

static void note_stuck(struct controls *controls, const struct prefetch_report *report)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->control[i].stuck)
            journal_note(controls->journal, SEVERITY_WARNING,
                         "a prefetcher control could not be restored", report->control[i].name);
}

/* One that was asked for and could not be had. The others are as they are said to be. */
static void note_control(struct controls *controls, const struct prefetch_control *control)
{
    bool refused = control->state == PREFETCH_REFUSED;
    bool lied = control->state == PREFETCH_NOT_HONOURED;
    /* A write that faults says of a disputed one that it is not there. */
    bool absent = control->disputed && control->state == PREFETCH_UNSUPPORTED &&
                  control->readback != MACHINE_UNKNOWN;

    if (!refused && !lied && !absent)
        return;
    if (control->readback == MACHINE_UNKNOWN)
        journal_note(controls->journal, SEVERITY_INFO,
                     "a prefetcher control was written and cannot be read", control->name);
    else
        journal_note_format(controls->journal, SEVERITY_INFO,
                            refused ? "a prefetcher control was refused"
                            : control->disputed
                                ? "a disputed prefetcher control is absent or locked"
                                : "a prefetcher control does not obey",
                            "%s: asked for 0x%lx, reads 0x%lx", control->name, control->requested,
                            control->readback);
}

/* What "off" leaves out, or does beside. */
static void note_what_off_means(struct controls *controls, const struct prefetch_report *report)
{
    struct journal *journal = controls->journal;

    for (size_t i = 0; i < report->count; i++)
        note_control(controls, &report->control[i]);
    if (report->known_only)
        journal_note(journal, SEVERITY_INFO, "prefetchers off by known controls only",
                     "no source lists this core's controls; those of its predecessors were tried");
    if (report->aggregation)
        journal_note(journal, SEVERITY_INFO, "prefetch=off also stops page aggregation",
                     "4k figures with prefetchers off and on differ by both");
}

static void note_speculation(struct controls *controls, const struct prefetch_report *report)
{
    if (report->speculates && !controls->prefetch_known[0] && !controls->prefetch_known[1])
        journal_note(
            controls->journal, SEVERITY_INFO, "memory-controller speculation as the BIOS left it",
            "reads may start in DRAM before the last cache has answered, for random misses "
            "too; prefetch= does not change that");
}

static uint32_t number_of(const struct controls *controls)
{
    const struct machine_description *d = controls->machine->description;

    return cpus_number(d->cpus, d->cpu_count, controls->cpu);
}

static void tell_prefetch(struct controls *controls, bool off, enum status status)
{
    struct prefetch_report *report = &controls->prefetch[off];
    struct text words;
    char why[48];

    describe_prefetch(report, number_of(controls), NULL, controls->journal);
    note_stuck(controls, report);
    if (off)
        note_what_off_means(controls, report);
    words =
        text_open(why, sizeof why, "%s",
                  status != STATUS_OK ? status_name(status) : prefetch_state_name(report->state));
    if (controls->cpu != 0)
        text_format(&words, " on CPU %u", number_of(controls));
    if (status != STATUS_OK)
        journal_note(controls->journal, SEVERITY_WARNING, "prefetchers could not be set", why);
    else if (off && report->state != PREFETCH_OFF)
        journal_note(controls->journal, SEVERITY_WARNING,
                     "prefetchers are not off: every figure may contain their work", why);
}

static void set_prefetch(struct controls *controls, bool off, uint32_t cpu)
{
    const struct machine *machine = controls->machine;
    struct prefetch_report *report = &controls->prefetch[off];
    enum prefetch_state before = report->state;
    bool first = !controls->prefetch_known[off];
    enum status status;

    if (!first && controls->prefetch_off == off && controls->prefetch_only_off == 0 &&
        controls->cpu == cpu)
        return;
    status = machine->prefetch_set(machine->self, cpu, off, report);
    note_speculation(controls, report);
    controls->prefetch_known[off] = true;
    controls->prefetch_off = off;
    controls->prefetch_only_off = 0;
    controls->cpu = cpu;
    if (first || report->state != before)
        tell_prefetch(controls, off, status);
}

void controls_prefetch(struct controls *controls, bool off)
{
    set_prefetch(controls, off, controls->cpu);
}

bool controls_prefetch_only_off(struct controls *controls, uint32_t number)
{
    const struct machine *machine = controls->machine;

    if (controls->prefetch_only_off == number)
        return true;
    if (!machine->prefetch_only_off ||
        machine->prefetch_only_off(machine->self, 0, number - 1, &controls->only_off) !=
            STATUS_OK) {
        /* After a refusal only the machine knows what holds, so the next request goes through to
         * it. */
        controls->prefetch_only_off = PREFETCH_ONLY_OFF_NONE;
        return false;
    }
    controls->prefetch_only_off = number;
    note_stuck(controls, &controls->only_off);
    return true;
}

static enum turbo_state set_turbo(struct controls *controls, enum turbo_choice choice, uint32_t cpu)
{
    const struct machine *machine = controls->machine;

    if (!machine->turbo_set) {
        controls->turbo = (struct turbo_report){.state = TURBO_UNSUPPORTED, .name = ""};
        return TURBO_UNSUPPORTED;
    }
    if (controls->turbo_known && controls->turbo_choice == choice && controls->turbo_cpu == cpu)
        return controls->turbo.state;
    if (machine->turbo_set(machine->self, cpu, choice, &controls->turbo) != STATUS_OK)
        controls->turbo.state = TURBO_REFUSED;
    controls->turbo_known = true;
    controls->turbo_choice = choice;
    controls->turbo_cpu = cpu;
    if (controls->turbo.stuck)
        journal_note(controls->journal, SEVERITY_WARNING, "turbo's control could not be restored",
                     controls->turbo.name);
    return controls->turbo.state;
}

enum turbo_state controls_turbo(struct controls *controls, enum turbo_choice choice)
{
    return set_turbo(controls, choice, 0);
}

/* The words that begin a note on that kind; both are of one shape. */
static const struct {
    const char *unsupported, *refused, *not_honoured, *stuck;
} speed_notes[] = {
    [SPEED_PSTATE] = {"pstate=max is not supported: the core's frequency is as found",
                      "pstate=max was refused: the core's frequency is as found",
                      "pstate=max was written and does not read back",
                      "the core's frequency control could not be restored"},
    [SPEED_UNCORE] = {"uncore=max is not supported: the uncore's frequency is as found",
                      "uncore=max was refused: the uncore's frequency is as found",
                      "uncore=max was written and does not read back",
                      "the uncore's frequency control could not be restored"}};

static void note_speed(struct controls *controls, enum speed_kind kind)
{
    const struct speed_report *report = &controls->speed[kind];
    struct journal *journal = controls->journal;

    if (report->state == SPEED_UNSUPPORTED)
        journal_note(journal, SEVERITY_WARNING, speed_notes[kind].unsupported, report->why);
    else if (report->state != SPEED_AT_MAX)
        journal_note_format(journal, SEVERITY_WARNING,
                            report->state == SPEED_REFUSED ? speed_notes[kind].refused
                                                           : speed_notes[kind].not_honoured,
                            "%s: asked for 0x%lx, reads 0x%lx", report->name, report->requested,
                            report->readback);
    if (report->stuck)
        journal_note(journal, SEVERITY_WARNING, speed_notes[kind].stuck, report->name);
}

static void set_speed(struct controls *controls, enum speed_kind kind, bool max, uint32_t cpu)
{
    const struct machine *machine = controls->machine;
    struct speed_report *report = &controls->speed[kind];

    *report = (struct speed_report){.state = SPEED_UNSUPPORTED,
                                    .name = "",
                                    .source = "",
                                    .why = "this machine has no control of frequencies"};
    controls->speed_max[kind] = max;
    controls->speed_cpu[kind] = cpu;
    if (machine->speed_set &&
        machine->speed_set(machine->self, cpu, kind, max, report) != STATUS_OK)
        report->state = SPEED_REFUSED;
}

void controls_speed(struct controls *controls, enum speed_kind kind, enum speed_choice choice)
{
    set_speed(controls, kind, choice == SPEED_MAX, 0);
    if (choice == SPEED_MAX)
        note_speed(controls, kind);
}

/* The run's frequencies on another CPU; a note where they came out otherwise there. */
static void move_speed(struct controls *controls, enum speed_kind kind, uint32_t cpu)
{
    enum speed_state before = controls->speed[kind].state;

    if (!controls->speed_max[kind] || controls->speed_cpu[kind] == cpu)
        return;
    set_speed(controls, kind, true, cpu);
    if (controls->speed[kind].state != before || controls->speed[kind].stuck)
        note_speed(controls, kind);
}

void controls_set(struct controls *controls, const struct point *point)
{
    if (point->prefetch_only_off == 0 ||
        !controls_prefetch_only_off(controls, point->prefetch_only_off))
        set_prefetch(controls, point->prefetch_off, point->cpu);
    if (point->turbo != TURBO_AS_FOUND || controls->turbo_known)
        (void)set_turbo(controls, point->turbo, point->cpu);
    for (unsigned kind = 0; kind < SPEED_KINDS; kind++)
        move_speed(controls, (enum speed_kind)kind, point->cpu);
}

enum prefetch_state controls_prefetch_state(const struct controls *controls)
{
    return controls->prefetch_only_off != 0 ? controls->only_off.state
                                            : controls->prefetch[controls->prefetch_off].state;
}

const char *controls_only_off_name(const struct controls *controls)
{
    return controls->prefetch_only_off != 0 ? controls->only_off.control[0].name : NULL;
}

const char *controls_turbo_name(const struct controls *controls)
{
    if (!controls->turbo_known || controls->turbo_choice == TURBO_AS_FOUND)
        return NULL;
    return turbo_state_name(controls->turbo.state);
}

const char *controls_speed_name(const struct controls *controls, enum speed_kind kind)
{
    return controls->speed_max[kind] ? speed_state_name(controls->speed[kind].state) : NULL;
}
