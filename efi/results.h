/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a run's results go: \barechase\run-NNNN\ on a volume (run_directory.h), with results.jsonl,
 * report.txt and points.csv. Texts grow in memory. Records are saved at each flush, by the rules of
 * core/results/save.h, the views of them when the run has ended. When a volume fails, what was
 * saved there stays, and everything of this run goes to the next one; when none is left, records go
 * to the console. */
#ifndef EFI_RESULTS_H
#define EFI_RESULTS_H

#include "core/results/journal.h"
#include "core/results/notes.h"
#include "core/results/save.h"
#include "efi/console.h"
#include "efi/file.h"

enum results_file { RESULTS_RECORDS, RESULTS_REPORT, RESULTS_POINTS, RESULTS_FILES };

/* A text that grows. */
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
    bool save, echo;   /* write files; records on the console too */
    size_t volume;     /* in use or tried next; volumes->count: none left */
    bool directory;    /* run-NNNN exists and is ours */
    unsigned run;      /* its number */
    uint64_t expected; /* points of the plan */
    struct save saved; /* of the records, in that directory */
    bool flush_said;   /* a flush failed, and that was said */
    bool left;         /* records were saved on a volume that then failed */
    size_t last;       /* where the last record's line begins */
    bool ended;        /* that is the end record: the views' files are written too */
    bool complete;     /* all files stand in that directory */
    struct record end;
    size_t echoed; /* bytes of the records' text already on the console */
};

/* Chooses the first volume that looks writable (the boot volume, then those that have a `barechase`
 * directory); nothing is written before the first flush. journal and notes are used from the first
 * flush on. echo: records=on. */
void results_start(struct results *results, const struct firmware *fw, struct volumes *volumes,
                   struct console *console, struct journal *journal, struct notes *notes, bool save,
                   bool echo);
void results_free(struct results *results);

/* To be the journal's first view: emits what notes there are before the next record that is not
 * part of the header. What is noted when the end record could not be written goes before it: it
 * stays the last one. */
struct journal_view results_notes_view(struct results *results);
struct record_sink results_record_sink(struct results *results);
struct text_sink results_text_sink(struct results *results, enum results_file file);
/* "\barechase\run-0007 on boot volume BARECHASE", or where else the results went. */
void results_where(const struct results *results, struct text *text);
/* The text of a file so far, not '\0'-terminated; valid until results_free. */
const char *results_text(const struct results *results, enum results_file file, size_t *bytes);
/* How many runs stand where this one was saved; 0: it was not saved. */
unsigned results_runs(const struct results *results);
/* True when something was written, so that a stick may still hold it in its cache. */
bool results_wrote(const struct results *results);

#endif
