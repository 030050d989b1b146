/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefetchers and turbo as each point asks for them, and what is said of them. */
#include "core/engine_state.h"
#include "core/lib/real.h"

static void note_stuck(struct engine *engine, const struct prefetch_report *report)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->control[i].stuck)
            journal_note(engine->journal, SEVERITY_WARNING,
                         "a prefetcher control could not be given back its value",
                         report->control[i].name);
}

void controls_prefetch(struct engine *engine, bool off)
{
    const struct machine *machine = engine->machine;
    struct prefetch_report *report = &engine->prefetch[off];
    bool first = !engine->prefetch_known[off];
    enum status status;

    if (!first && engine->prefetch_off == off && engine->prefetch_alone == 0)
        return;
    status = machine->prefetch_set(machine->self, 0, off, report);
    engine->prefetch_known[off] = true;
    engine->prefetch_off = off;
    engine->prefetch_alone = 0;
    if (!first)
        return;
    describe_prefetch(engine, off, NULL);
    note_stuck(engine, report);
    if (status != STATUS_OK)
        journal_note(engine->journal, SEVERITY_WARNING, "prefetchers could not be set",
                     status_name(status));
    else if (off && report->state != PREFETCH_OFF)
        journal_note(engine->journal, SEVERITY_WARNING,
                     "prefetchers are not off: every figure may contain their work",
                     prefetch_state_name(report->state));
}

bool controls_prefetch_alone(struct engine *engine, uint32_t number)
{
    const struct machine *machine = engine->machine;

    if (engine->prefetch_alone == number)
        return true;
    if (!machine->prefetch_alone ||
        machine->prefetch_alone(machine->self, 0, number - 1, &engine->alone) != STATUS_OK) {
        /* What holds after a refusal is for the machine to know: it is asked anew. */
        engine->prefetch_alone = PREFETCH_ALONE_NONE;
        return false;
    }
    engine->prefetch_alone = number;
    note_stuck(engine, &engine->alone);
    return true;
}

enum turbo_state controls_turbo(struct engine *engine, enum turbo_choice choice)
{
    const struct machine *machine = engine->machine;

    if (!machine->turbo_set) {
        engine->turbo = (struct turbo_report){.state = TURBO_UNSUPPORTED, .name = ""};
        return TURBO_UNSUPPORTED;
    }
    if (engine->turbo_known && engine->turbo_choice == choice)
        return engine->turbo.state;
    if (machine->turbo_set(machine->self, 0, choice, &engine->turbo) != STATUS_OK)
        engine->turbo.state = TURBO_REFUSED;
    engine->turbo_known = true;
    engine->turbo_choice = choice;
    if (engine->turbo.stuck)
        journal_note(engine->journal, SEVERITY_WARNING,
                     "turbo's control could not be given back its value", engine->turbo.name);
    return engine->turbo.state;
}

void controls_set(struct engine *engine, const struct point *point)
{
    if (point->prefetch_alone == 0 || !controls_prefetch_alone(engine, point->prefetch_alone))
        controls_prefetch(engine, point->prefetch_off);
    if (point->turbo != TURBO_AS_FOUND || engine->turbo_known)
        (void)controls_turbo(engine, point->turbo);
}

enum prefetch_state controls_prefetch_state(const struct engine *engine)
{
    return engine->prefetch_alone != 0 ? engine->alone.state
                                       : engine->prefetch[engine->prefetch_off].state;
}

const char *controls_alone_name(const struct engine *engine)
{
    return engine->prefetch_alone != 0 ? engine->alone.control[0].name : NULL;
}

const char *controls_turbo_name(const struct engine *engine)
{
    if (!engine->turbo_known || engine->turbo_choice == TURBO_AS_FOUND)
        return NULL;
    return turbo_state_name(engine->turbo.state);
}

const char *turbo_state_name(enum turbo_state state)
{
    switch (state) {
    case TURBO_STATE_OFF:
        return "off";
    case TURBO_STATE_ON:
        return "on";
    case TURBO_UNSUPPORTED:
        return "unsupported";
    case TURBO_REFUSED:
        return "refused";
    case TURBO_NOT_HONOURED:
        return "not-honoured";
    }
    return "unknown";
}
