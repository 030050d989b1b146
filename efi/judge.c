/* SPDX-License-Identifier: BSD-2-Clause */
#include "efi/judge.h"

#include "core/verdict/boots.h"
#include "efi/run_directory.h"

#define FIGURES_ROOM 20000
#define FILE_MAX     (4u << 20)

/* NULL, or why none was read. */
static const char *read(struct judge *judge, const struct volumes *volumes, const char *name,
                        char *text)
{
    const char *why = "no volume has it below \\barechase";
    CHAR16 path[FILE_PATH_MAX];

    if (!home_path(name, path))
        return "its path is too long";
    for (size_t i = 0; i < volumes->count; i++) {
        size_t bytes = 0;
        EFI_STATUS status = file_read(&volumes->volume[i], path, text, FILE_MAX, &bytes);
        if (!EFI_ERROR(status)) {
            verdict_take_baseline(&judge->verdict, name, text, bytes, judge->then, FIGURES_ROOM);
            return NULL;
        }
        if (status != EFI_NOT_FOUND)
            why = firmware_status_words(status);
    }
    return why;
}

static void take_baseline(struct judge *judge, const struct volumes *volumes, const char *name)
{
    char *text = firmware_allocate(judge->fw, FILE_MAX);
    const char *why = "there is no memory to read it";

    judge->then = firmware_allocate(judge->fw, FIGURES_ROOM * sizeof *judge->then);
    if (text != NULL && judge->then != NULL)
        why = read(judge, volumes, name, text);
    if (why != NULL)
        verdict_lacks_baseline(&judge->verdict, name, why);
    firmware_free(judge->fw, text);
}

void judge_start(struct judge *judge, const struct firmware *fw, const struct volumes *volumes,
                 const struct options *options, struct results *results, const struct soak *soak,
                 struct notes *notes)
{
    struct verdict_limits limits = verdict_limits_of(options);
    const char *name = verdict_baseline_path(options);
    bool wanted = verdict_is_wanted(options);
    bool figures = name != NULL || verdict_saves_baseline(options) || soak->active;

    judge->fw = fw;
    judge->options = options;
    judge->results = results;
    judge->soak = soak;
    judge->end = (struct record_end){.status = "failed"};
    judge->now = judge->then = NULL;
    if (figures)
        judge->now = firmware_allocate(fw, FIGURES_ROOM * sizeof *judge->now);
    verdict_start(&judge->verdict, &limits, wanted, judge->now,
                  judge->now != NULL ? FIGURES_ROOM : 0);
    if (name != NULL)
        take_baseline(judge, volumes, name);
    if (judge->verdict.baseline_why[0] != '\0')
        notes_add(notes, SEVERITY_WARNING, "the baseline cannot be used",
                  judge->verdict.baseline_why);
}

static void save_baseline(struct judge *judge, const struct record_end *end,
                          struct journal *journal)
{
    struct text_sink sink = results_text_sink(judge->results, RESULTS_BASELINE);

    /* The figures of every boot of a soak are needed at its end. */
    if (text_equal(end->status, "ok") || judge->soak->active)
        baseline_write(&judge->verdict.run, &judge->verdict.now, &sink);
    else
        journal_note(journal, SEVERITY_WARNING, "no baseline was saved", "the run is not ok");
}

/* ---- boots of a soak */

/* The figures that an earlier boot has saved; an empty set, and a note, where they cannot be read.
 * The caller frees figures->one. */
static void read_boot(const struct judge *judge, uint32_t run, char *text, struct figures *figures,
                      struct journal *journal)
{
    char why[BASELINE_WHY_BYTES];
    struct baseline_of of;
    EFI_STATUS status;
    CHAR16 path[FILE_PATH_MAX];
    size_t bytes = 0, lines = 0;
    struct figures_one *one;

    figures_start(figures, NULL, 0);
    run_directory_path(run, L"baseline.txt", path);
    status = file_read(judge->soak->volume, path, text, FILE_MAX, &bytes);
    if (EFI_ERROR(status)) {
        verdict_note_unread(run, firmware_status_words(status), journal);
        return;
    }
    for (size_t i = 0; i < bytes; i++)
        lines += text[i] == '\n';
    one = firmware_allocate(judge->fw, (lines + 1) * sizeof *one);
    if (one == NULL)
        return;
    figures_start(figures, one, lines + 1);
    if (!baseline_read(text, bytes, &of, figures, why)) {
        figures->count = 0;
        verdict_note_unread(run, why, journal);
    }
}

struct boots {
    struct figures of[BOOTS_MAX];
    uint32_t run[BOOTS_MAX];
    struct soak_boot said[BOOTS_MAX];
    double firmware_s[BOOTS_MAX];
};

static void compare_boots(struct judge *judge, struct boots *boots, char *text,
                          struct figures_one *room, struct journal *journal)
{
    size_t earlier = soak_earlier(judge->soak, boots->said, BOOTS_MAX - 1);

    for (size_t i = 0; i < earlier; i++) {
        boots->run[i] = boots->said[i].run;
        boots->firmware_s[i] = boots->said[i].firmware_s;
        read_boot(judge, boots->run[i], text, &boots->of[i], journal);
    }
    boots->of[earlier] = judge->verdict.now;
    boots->run[earlier] = judge->results->run;
    boots->firmware_s[earlier] = judge->soak->firmware_s;
    verdict_take_boots(&judge->verdict, boots->of, boots->run, earlier + 1, room, FIGURES_ROOM,
                       journal);
    verdict_note_firmware(boots->firmware_s, boots->run, earlier + 1, journal);
    for (size_t i = 0; i < earlier; i++)
        firmware_free(judge->fw, boots->of[i].one);
}

static void judge_boots(struct judge *judge, struct journal *journal)
{
    struct boots *boots = firmware_allocate(judge->fw, sizeof *boots);
    char *text = firmware_allocate(judge->fw, FILE_MAX);
    struct figures_one *room = firmware_allocate(judge->fw, FIGURES_ROOM * sizeof *room);

    verdict_take_past(&judge->verdict, judge->soak->state.done + 1, judge->soak->state.died,
                      soak_suspects(judge->soak));
    if (boots != NULL && text != NULL && room != NULL)
        compare_boots(judge, boots, text, room, journal);
    else
        journal_note(journal, SEVERITY_WARNING, "boots were not compared",
                     "there is no memory for their figures");
    firmware_free(judge->fw, boots);
    firmware_free(judge->fw, text);
    firmware_free(judge->fw, room);
}

void judge_conclude(void *context, const struct record_end *end, struct journal *journal)
{
    struct judge *judge = context;

    if (soak_is_last(judge->soak))
        judge_boots(judge, journal);
    if (judge->soak->refused != NULL)
        verdict_lacks_soak(&judge->verdict, judge->soak->refused);
    verdict_conclude(&judge->verdict, end, journal);
    if (verdict_saves_baseline(judge->options) || judge->soak->active)
        save_baseline(judge, end, journal);
    if (verdict_saves_baseline(judge->options))
        verdict_note_saved(&judge->verdict, journal);
    judge->end = *end;
}

void judge_stop(struct judge *judge)
{
    firmware_free(judge->fw, judge->now);
    firmware_free(judge->fw, judge->then);
    judge->now = judge->then = NULL;
}
