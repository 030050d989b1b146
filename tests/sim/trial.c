/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/machine_file.h"
#include "tests/shared/words.h"

struct watch {
    struct sim_trial *trial;
    const struct simulator *sim;
};

static void stop_with(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    abort();
}

static void keep_point(struct sim_trial *trial, const struct simulator *sim,
                       const struct record_point *point)
{
    if (trial->points == SIM_TRIAL_POINTS)
        stop_with("trial", "too many points");
    if (!sim_truth_samples(sim, point->hops, point->samples, &trial->ledger[trial->points]))
        trial->ledger[trial->points] = (struct sim_ledger){.accesses = 0};
    trial->point[trial->points++] = *point;
}

static void keep_text(const char *text, char *place, size_t bytes, const char **kept)
{
    snprintf(place, bytes, "%s", text ? text : "");
    *kept = text ? place : NULL;
}

static void keep_finding(struct sim_trial *trial, const struct record_finding *finding)
{
    struct sim_trial_finding *kept = &trial->finding[trial->findings];

    if (trial->findings++ == SIM_TRIAL_FINDINGS)
        stop_with("trial", "too many findings");
    kept->finding = *finding;
    keep_text(finding->name, kept->name, sizeof kept->name, &kept->finding.name);
    keep_text(finding->detail, kept->detail, sizeof kept->detail, &kept->finding.detail);
    keep_text(finding->limited_by, kept->limited_by, sizeof kept->limited_by,
              &kept->finding.limited_by);
}

static void keep_pair(struct sim_trial *trial, const struct record_pair *pair)
{
    struct sim_trial_pair *kept = &trial->pair[trial->pairs];

    if (trial->pairs++ == SIM_TRIAL_PAIRS)
        stop_with("trial", "too many pairs");
    kept->pair = *pair;
    keep_text(pair->why, kept->why, sizeof kept->why, &kept->pair.why);
}

static void keep_load(struct sim_trial *trial, const struct record_load *load)
{
    struct sim_trial_load *kept = &trial->load[trial->loads];

    if (trial->loads++ == SIM_TRIAL_LOADS)
        stop_with("trial", "too many loads");
    kept->load = *load;
    keep_text(load->why, kept->why, sizeof kept->why, &kept->load.why);
}

static void keep(void *context, const struct record *record)
{
    const struct watch *watch = context;
    struct sim_trial *trial = watch->trial;

    if (record->kind == RECORD_POINT)
        keep_point(trial, watch->sim, &record->u.point);
    else if (record->kind == RECORD_FINDING)
        keep_finding(trial, &record->u.finding);
    else if (record->kind == RECORD_PAIR)
        keep_pair(trial, &record->u.pair);
    else if (record->kind == RECORD_LOAD)
        keep_load(trial, &record->u.load);
    else if (record->kind == RECORD_ERROR && trial->errors++ == 0)
        trial->first_error = record->u.error;
    else if (record->kind == RECORD_END) {
        snprintf(trial->end, sizeof trial->end, "%s", record->u.end.status);
        trial->seconds = record->u.end.seconds;
    } else if (record->kind == RECORD_NOTE && trial->notes < SIM_TRIAL_NOTES)
        snprintf(trial->note[trial->notes++], sizeof trial->note[0], "%s: %s", record->u.note.what,
                 record->u.note.why);
}

static void run(struct sim_trial *trial, const struct sim_config *config, const char *words,
                void (*change)(struct simulator *sim))
{
    struct simulator *sim = malloc(sizeof *sim);
    struct watch watch = {trial, sim};
    struct option_error error;

    memset(trial, 0, sizeof *trial);
    trial->config = *config;
    simulator_start(sim, &trial->config, false);
    if (change != NULL)
        change(sim);
    (void)words_run(&sim->machine, words, keep, &watch, &error);
    snprintf(trial->refused, sizeof trial->refused, "%s", error.text);
    simulator_stop(sim);
    free(sim);
}

void sim_trial_run_changed(struct sim_trial *trial, const char *machine, const char *words,
                           void (*change)(struct simulator *sim))
{
    char text[4096];
    struct sim_config config;
    struct sim_file_error error;

    snprintf(text, sizeof text, "machine name=trial pages=4k,2m\n%s\nend", machine);
    if (!sim_machine_parse(&config, text, strlen(text), "trial", &error))
        stop_with(error.text, text);
    run(trial, &config, words, change);
}

void sim_trial_run(struct sim_trial *trial, const char *machine, const char *words)
{
    sim_trial_run_changed(trial, machine, words, NULL);
}

void sim_trial_run_on(struct sim_trial *trial, const struct sim_config *config, const char *words)
{
    run(trial, config, words, NULL);
}

const struct sim_trial_finding *sim_trial_find(const struct sim_trial *trial, const char *name,
                                               const char *detail)
{
    for (size_t i = 0; i < trial->findings; i++)
        if (strcmp(trial->finding[i].name, name) == 0 &&
            (!detail || strcmp(trial->finding[i].detail, detail) == 0))
            return &trial->finding[i];
    return NULL;
}

bool sim_trial_noted(const struct sim_trial *trial, const char *words)
{
    for (size_t i = 0; i < trial->notes; i++)
        if (strstr(trial->note[i], words))
            return true;
    return false;
}
