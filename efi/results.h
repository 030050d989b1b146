/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a run's results go: \barechase\run-NNNN\ on a volume (run_directory.h), with results.jsonl,
 * report.txt, points.csv and, where it is asked for, baseline.txt. Texts grow in memory. Records
 * are saved at each flush, by the rules of core/results/save.h, the views of them when the run has
 * ended. When a volume fails, what was saved there stays, and everything of this run goes to the
 * next one; when none is left, records go to the console. */
#ifndef EFI_RESULTS_H
#define EFI_RESULTS_H

#include "core/results/journal.h"
#include "core/results/notes.h"
#include "core/results/save.h"
#include "efi/console.h"
#include "efi/file.h"

enum results_file {
    RESULTS_RECORDS,
    RESULTS_REPORT,
    RESULTS_POINTS,
    RESULTS_BASELINE, /* only if anything was written to it */
    RESULTS_FILES
};

/* A growing text. */
struct results_text {
    const struct firmware *fw;
    char *bytes;
    size_t used, capacity;
    bool cut; /* memory ran out: the rest is missing */
};

struct results {
    const struct firmware *fw;
    struct volumes *volumes;
    struct console *console;
    struct journal *journal;
    struct notes *notes; /* emitted as records as soon as they can be */
    bool emitting;
    struct results_text text[RESULTS_FILES];
    bool save, echo;   /* write files; also print records on the console */
    size_t volume;     /* in use or tried next; volumes->count: none left */
    bool directory;    /* run-NNNN exists and is ours */
    unsigned run;      /* its number */
    uint64_t expected; /* the plan's points */
    struct save saved; /* state of the records' files in that directory */
    bool flush_said;   /* a flush failed, and a note about it was emitted */
    bool left;         /* records were saved on a volume that then failed */
    size_t last;       /* offset of the last record's line */
    bool ended;    /* the last record is the end record: the files of the views are written too */
    bool complete; /* all files are written in that directory */
    struct record end;
    size_t echoed; /* bytes of the records' text already on the console */
};

/* Chooses the first volume that looks writable (the boot volume, then those with a `barechase`
 * directory). Nothing is written before the first flush, which is also when journal and notes are
 * first used. echo: records=on. */
void results_start(struct results *results, const struct firmware *fw, struct volumes *volumes,
                   struct console *console, struct journal *journal, struct notes *notes, bool save,
                   bool echo);
void results_free(struct results *results);

/* Must be the journal's first view: emits pending notes before the next record that is not part of
 * the header. Notes about a failure to write the end record are emitted before it, so that it stays
 * the last one. */
struct journal_view results_notes_view(struct results *results);
struct record_sink results_record_sink(struct results *results);
struct text_sink results_text_sink(struct results *results, enum results_file file);
/* Prints where the results are: "\barechase\run-0007 on boot volume BARECHASE", or elsewhere. */
void results_where(const struct results *results, struct text *text);
/* The text of a file so far, not '\0'-terminated; valid until results_free. */
const char *results_text(const struct results *results, enum results_file file, size_t *bytes);
/* How many runs there are on the volume that holds this one; 0: this one was not saved. */
unsigned results_runs(const struct results *results);
/* True if anything was written, so that a stick may still hold it in its cache. */
bool results_wrote(const struct results *results);

#endif
