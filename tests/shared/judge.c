/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/shared/judge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FIGURES_ROOM 40000
#define FILE_MAX     (8u << 20)

/* A pipe would be waited for, and a device has no end. */
static FILE *open_regular(const char *path, const char **why)
{
    struct stat found;
    FILE *file;

    *why = "it is not a regular file";
    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode))
        return NULL;
    file = fopen(path, "rb");
    *why = strerror(errno);
    return file;
}

static void take_baseline(struct judge *judge, const char *path)
{
    const char *why;
    FILE *file = open_regular(path, &why);
    char *text = malloc(FILE_MAX);
    size_t bytes;

    if (file == NULL || text == NULL) {
        verdict_lacks_baseline(&judge->verdict, path, text == NULL ? strerror(ENOMEM) : why);
    } else {
        bytes = fread(text, 1, FILE_MAX, file);
        verdict_take_baseline(&judge->verdict, path, text, bytes, judge->then, FIGURES_ROOM);
    }
    if (file != NULL)
        fclose(file);
    free(text);
}

bool judge_start(struct judge *judge, const struct options *options, struct results *results)
{
    struct verdict_limits limits = verdict_limits_of(options);

    *judge = (struct judge){.options = options, .results = results};
    judge->now = calloc(FIGURES_ROOM, sizeof *judge->now);
    judge->then = calloc(FIGURES_ROOM, sizeof *judge->then);
    if (judge->now == NULL || judge->then == NULL)
        return false;
    verdict_start(&judge->verdict, &limits, verdict_is_wanted(options), judge->now, FIGURES_ROOM);
    if (verdict_baseline_path(options) != NULL)
        take_baseline(judge, verdict_baseline_path(options));
    if (judge->verdict.baseline_why[0] != '\0')
        fprintf(stderr, "barechase: the baseline cannot be used: %s\n",
                judge->verdict.baseline_why);
    return true;
}

static void save_baseline(struct judge *judge, const struct record_end *end,
                          struct journal *journal)
{
    static const char what[] = "no baseline was saved";
    FILE *file;
    struct text_sink sink;

    if (strcmp(end->status, "ok") != 0) {
        journal_note(journal, SEVERITY_WARNING, what, "the run is not ok");
        return;
    }
    file = results_add(judge->results, "baseline.txt");
    if (file == NULL) {
        journal_note(journal, SEVERITY_WARNING, what, "no file could be made beside the results");
        return;
    }
    sink = results_text_sink(file);
    baseline_write(&judge->verdict.run, &judge->verdict.now, &sink);
    if (fclose(file) != 0)
        journal_note(journal, SEVERITY_WARNING, what, strerror(errno));
    verdict_note_saved(&judge->verdict, journal);
}

void judge_conclude(void *context, const struct record_end *end, struct journal *journal)
{
    struct judge *judge = context;

    verdict_conclude(&judge->verdict, end, journal);
    if (verdict_saves_baseline(judge->options))
        save_baseline(judge, end, journal);
}

void judge_stop(struct judge *judge)
{
    free(judge->now);
    free(judge->then);
}
