/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether memory came up right, by what the records of a run say: OK, SUSPECT or INCOMPLETE, rule
 * by rule. Knows records only. Pure but for the record that it emits. */
#ifndef CORE_VERDICT_VERDICT_H
#define CORE_VERDICT_VERDICT_H

#include "core/results/journal.h"
#include "core/verdict/baseline.h"
#include "core/verdict/figures.h"

#define VERDICT_WORDS     56
#define VERDICT_WHY_BYTES 240

/* What the rules hold figures against; see docs/options.md. */
struct verdict_limits {
    bool contents;   /* of memory: tests=verify is asked for */
    bool lines;      /* and ranges: tests=regions is asked for */
    double coverage; /* share of memory that has to be tested; 0: none */
    double slower;   /* share that a range or lines may take longer than others */
    double latency_low_ns, latency_high_ns; /* of the headline; 0: anything */
    uint64_t corrected; /* errors that the hardware may correct during the run */
    const char *decode; /* as the option has it; NULL: not told */
    struct baseline_limits baseline;
};

/* A rule and what came of it; texts are kept in the struct verdict. */
struct verdict_rule {
    char name[24], figure[VERDICT_WORDS], threshold[VERDICT_WORDS], why[VERDICT_WHY_BYTES];
    const char *against;
    enum answer met;
    bool said; /* a note of its own has named it already */
};

struct verdict {
    struct verdict_limits limits;
    bool wanted; /* a verdict is to be given */
    /* Figures of the run, and of the baseline; baseline.one NULL: none is held against. */
    struct figures now, baseline;
    struct baseline_of run, of;
    struct lines_room lines;
    struct decode decode;
    const char *baseline_file;
    char baseline_why[VERDICT_WHY_BYTES]; /* it cannot be used, with its file; "": it can */
    /* What records said. */
    struct record_verify verify;
    char verify_why[JOURNAL_WHY_MAX]; /* the last warning about it; "": there was none */
    struct record_hardware_errors hardware;
    bool hardware_known;
    bool verified, verify_whole, headline_known, headline_doubted, prefetch_off, slower_known;
    double headline_low_ns, headline_high_ns;
    double slower_low, slower_high; /* the greatest share, with its bounds */
    double access_ns;               /* in the blocks of the last node; NAN: not known */
    uint64_t access_node;
    double unseen;          /* the greatest share that halves of all lines may differ by unseen */
    const char *unseen_why; /* more may have stayed unseen: why; NULL: no */
    uint32_t slower_parts, other_errors;
    struct baseline_unseen could; /* what could be worse and not show */
    bool held;                    /* figures were, against a baseline or other boots */
    uint32_t could_run;           /* the boot in which that is so; 0: this one */
    enum answer all;              /* the verdict, once it is given */
    bool conclusive;
    uint32_t rules;
    struct verdict_rule rule[RECORD_RULES_MAX];
};

/* Starts without a baseline. one: room for the run's figures. */
void verdict_start(struct verdict *verdict, const struct verdict_limits *limits, bool wanted,
                   struct figures_one *one, size_t room);
/* Reads a baseline into one[room]; what is wrong with it becomes a rule that nobody can meet. file:
 * what it is called, needed as long as *verdict. */
void verdict_take_baseline(struct verdict *verdict, const char *file, const char *text,
                           size_t bytes, struct figures_one *one, size_t room);
/* The baseline cannot be had at all: why. */
void verdict_lacks_baseline(struct verdict *verdict, const char *file, const char *why);

/* A journal's view: takes what it needs from a record. */
void verdict_record(void *context, const struct record *record);

/* "OK", "SUSPECT", "INCOMPLETE" */
const char *verdict_name(enum answer all);

/* Holds the boots of a soak against each other, by their figures: a rule, and records of how far
 * figures are apart. boots[i] is of the results run[i]. one[room]: for as many figures. To be
 * called before verdict_conclude. */
void verdict_take_boots(struct verdict *verdict, const struct figures boots[], const uint32_t run[],
                        size_t count, struct figures_one *one, size_t room,
                        struct journal *journal);

/* A warning: what an earlier boot saved cannot be read, and why; its figures are missing. */
void verdict_note_unread(uint32_t run, const char *why, struct journal *journal);

/* The time that the firmware took in boot i, s[i] seconds (0: not known): a record of how far these
 * are apart, and a warning for each boot that took longer than the others. No rule: how long a boot
 * takes says nothing of how memory came up. */
void verdict_note_firmware(const double s[], const uint32_t run[], size_t count,
                           struct journal *journal);

/* Of all boots of the soak: so many died, and so many had the verdict SUSPECT. The same. */
void verdict_take_past(struct verdict *verdict, uint32_t boots, uint32_t died, uint32_t suspect);
/* A soak was asked for and there is none: why. The same. */
void verdict_lacks_soak(struct verdict *verdict, const char *why);
/* Notes what speaks against a baseline of this run, after verdict_conclude. */
void verdict_note_saved(const struct verdict *verdict, struct journal *journal);

/* Judges, and emits the verdict record, if one is wanted; to be called before the end record, which
 * it looks at. */
void verdict_conclude(struct verdict *verdict, const struct record_end *end,
                      struct journal *journal);

#endif
