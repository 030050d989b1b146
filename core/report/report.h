/* SPDX-License-Identifier: BSD-2-Clause */
/* The report: records as text for people, at most 80 columns, '\n' line ends, ASCII. The console
 * and report.txt are two sinks of this one view. */
#ifndef CORE_REPORT_REPORT_H
#define CORE_REPORT_REPORT_H

#include "core/report/grid.h"
#include "core/report/screen.h"
#include "core/results/journal.h"

#define REPORT_POINTS_MAX  768 /* a longer table is printed in parts */
#define REPORT_LEVELS_MAX  24
#define REPORT_NOTES_MAX   32 /* different warnings and errors that the summary repeats */
#define REPORT_HEAT_BLOCKS 60 /* of a row, behind its address */
#define REPORT_WIDTH       SCREEN_WIDTH
#define REPORT_NOTE_BYTES  700
#define REPORT_GRIDS_MAX   3 /* of pairs of an experiment: of each kind one */
#define REPORT_MODULES     2 /* kinds of memory modules that the last screen tells apart */

/* What a point is shown as: a figure of its own, or serving another figure. */
enum report_purpose {
    REPORT_FIGURE,
    REPORT_PROOF,
    REPORT_TRANSLATION,
    REPORT_WITNESS,
    REPORT_PURPOSES
};

/* What the report keeps of a point to print a table when the experiment is over. */
struct report_point {
    uint64_t bytes;
    double ns, cycles, rel_error;
    char pattern[96]; /* and what is unusual about the hop */
    char experiment[24];
    uint8_t page_log2;
    uint8_t prefetch; /* enum prefetch_state */
    uint8_t purpose;  /* enum report_purpose */
    bool listed;      /* is in a list, not in a table */
    bool fitted;      /* levels are looked for in it, and not shown yet */
    bool contiguous, found, identity, disturbed;
    bool moving; /* while it was measured */
    char limit;  /* ' ' as many samples as asked for, 'c' cap, 'b' budget, 'a' abort */
};

/* The same for a level. NAN: unknown. */
struct report_level {
    char name[48];
    double bytes, bytes_low, bytes_high, ns, ns_low, ns_high, cycles;
    uint64_t declared_bytes; /* RECORD_UNKNOWN: nothing */
    bool adds;               /* ns is an additional cost: a TLB or walks */
    bool extrapolated;
    doubt_set doubt;
};

/* Words of the header that the last screen repeats. */
enum report_kept {
    KEPT_VERSION,
    KEPT_BOARD,
    KEPT_FIRMWARE,
    KEPT_BIOS,
    KEPT_CPU,
    KEPT_CLOCK,
    KEPT_MEMORY,
    KEPT_COUNT
};

/* What the behaviour of the prefetchers was found to be. */
struct report_verdict {
    bool known;
    char word[16];
    char control[64];                    /* the first of those that it was told with */
    double ratio, ratio_low, ratio_high; /* NAN: not known; so the next line, of the footprint */
    double share, share_low, share_high;
    doubt_set doubt;
    bool by_ratio; /* the footprint, though known, decides nothing */
    bool followed; /* said to be off, but the chase shows that its pointers are followed */
    enum prefetch_state state; /* what the controls said */
    bool counted;              /* one of them counts; else the state is PREFETCH_UNSUPPORTED */
};

#define REPORT_LOADS_MAX 192

struct report_dot {
    char mark;
    double ns, gb_per_s;
};

#define REPORT_CELLS_MAX 256

struct report_cell {
    uint64_t from, to; /* nodes; RECORD_UNKNOWN */
    double value[4];   /* as matrix.c numbers them; NAN: none */
};

struct report_matrix {
    uint32_t count, more; /* more: for which there is no room */
    enum prefetch_state prefetch;
    struct report_cell cell[REPORT_CELLS_MAX];
};

/* Pairs of one kind. */
struct report_grid {
    char kind[16];                /* "": none */
    enum prefetch_state prefetch; /* of those that have a figure */
    bool differ;                  /* it is not the same for all */
    uint64_t home_node;           /* of lines that CPUs hand over; else RECORD_UNKNOWN */
    uint64_t unlisted;            /* pairs that have no line of their own */
    struct grid grid;
};

struct report {
    struct text_sink sink;
    bool on_console;
    size_t gathered, points; /* of all experiments; the first ones, of the selected experiment */
    struct report_point point[REPORT_POINTS_MAX];
    bool tabled; /* the points stand in tables already, and wait for their pictures */
    size_t levels;
    struct report_level level[REPORT_LEVELS_MAX];
    size_t all_levels; /* of the whole run, for the last screen, which has room for the first */
    struct report_level first_level[REPORT_LEVELS_MAX];
    char experiment[24];    /* that is selected; "" none */
    char found[24];         /* the experiment whose findings are being printed; "" none */
    char found_subject[72]; /* what the last of them was about */
    uint64_t errors, warnings;
    size_t notes;  /* warnings and errors kept for the summary */
    uint64_t told; /* of all of them */
    struct report_kept_note {
        enum severity severity;
        uint64_t times;
        size_t head, tail; /* where in the text its parts begin and end; 0: it has none */
        bool told;         /* in the summary */
        char text[REPORT_NOTE_BYTES];
    } note[REPORT_NOTES_MAX];
    struct record_dram dram;            /* the headline; its texts point to dram_words */
    char dram_words[3][16];             /* pattern, frames, map */
    struct report_verdict dram_verdict; /* of the same state as the headline */
    bool dram_known;
    struct {
        bool known;
        double ns;
        uint64_t bytes, pages_bytes;
        char pattern[16];
        bool moving;      /* while it was measured */
        double random_ns; /* of the proof's random chase, over random_bytes; 0: none */
        uint64_t random_bytes, random_pages_bytes;
    } mlc;                         /* what is to be held against Intel MLC's idle latency */
    uint32_t line_bytes;           /* as declared; 0: not known */
    uint64_t last_level_bytes;     /* the same */
    struct report_verdict verdict; /* the last one, until a dram record takes it */
    char verdict_line[300];   /* its line, until the states of all controls are known; "": none */
    bool known_only;          /* "off" is only said of the controls that are known */
    bool registers_lie;       /* prefetchers that read back as off were seen at work */
    bool footprint_explained; /* the legend of its picture stands above */
    char kept[KEPT_COUNT][96];
    struct {
        bool banks, blocks, by_class, rate; /* each is known */
        bool by_bits;                       /* no functions were */
        char verdict[16];                   /* of the banks' functions */
        uint64_t rank;
        uint64_t block_count, block_bytes, bytes;
        uint64_t ranges, classes; /* that differ, of which the next lines tell the furthest */
        phys_addr range_first;
        uint64_t range_bytes, class_part; /* one line in so many */
        double range_slower_ns, class_slower_ns;
        double bytes_per_s;
        uint64_t wrong;        /* blocks */
        uint32_t slower_parts; /* by rate */
        uint64_t channels;     /* RECORD_UNKNOWN: not told */
    } found_memory;
    struct {
        bool known, whole; /* whole: the test came to its end */
        uint64_t bytes, written_bytes, read_bytes, words, outside;
        bool more; /* words than have a record */
    } contents;
    struct {
        char verdict[16], why[100]; /* "": none was given */
        char unseen[RECORD_UNSEEN_BYTES];
        uint32_t rules;
        uint32_t unmet, open; /* of the rules */
    } judged;
    double heat_step_ns;             /* of the heat row */
    phys_addr heat_first, heat_last; /* bytes of its blocks, which follow each other */
    uint32_t heat_count;             /* characters that wait for their row to be full */
    char heat[REPORT_HEAT_BLOCKS + 1];
    struct {
        char experiment[24]; /* whose table of pairs is being printed; "": none */
        uint64_t bytes;
        enum prefetch_state prefetch;
        uint64_t home_node; /* of lines that CPUs hand over */
        uint32_t lines;     /* of pairs of CPUs */
    } pair;
    struct {
        char experiment[24]; /* whose loads are being printed; "": none */
        char kind[16], pattern[16];
        uint64_t bytes;
        enum prefetch_state prefetch;
        size_t dots; /* of its picture */
        struct report_dot dot[REPORT_LOADS_MAX];
    } load;
    struct report_matrix matrix; /* of nodes, until the last of its pairs has come */
    char grids_of[24];           /* the experiment whose pairs are kept; "": none */
    size_t grids;
    struct report_grid grid[REPORT_GRIDS_MAX];
    uint64_t grids_lost; /* pairs of kinds that have no grid */
    uint32_t gaps;       /* in a row, and what of them is not shown one by one */
    uint64_t gap_bytes;

    bool memory_pending, dimm_pending;
    uint64_t memory_bytes, memory_usable_bytes;
    uint32_t dimm_count; /* equal ones in a row, of which dimm is the first */
    struct dimm_info dimm;
    char dimm_last[48]; /* locator of the last one */
    struct {
        struct dimm_info dimm; /* the first of them */
        uint32_t count;
    } module[REPORT_MODULES];
    size_t modules;
    uint32_t empty, other_modules; /* slots; modules of further kinds */

    struct {
        bool known;
        char status[16];
        double seconds, clock_check_ppm;
    } end;
    struct screen screen; /* the last one */
};

/* What else the last screen holds, below the run. */
struct report_foot {
    const char *where; /* "results: run-0007"; NULL: nothing */
    const char *menu;
};

/* sink is copied. */
void report_start(struct report *report, const struct text_sink *sink);
/* What scrolls by is kept short: a curve's second table, of its draws, stands in other reports and
 * in records. The summary is not printed at the end record: the caller shows report_screen. */
void report_on_console(struct report *report);
/* The last screen, of the records so far, in at most so many rows (SCREEN_ROWS or more;
 * SCREEN_LINES_MAX: with all there is). It lives in the report. foot may be NULL. */
const struct screen *report_screen(struct report *report, size_t rows,
                                   const struct report_foot *foot);
/* journal_view.record: prints the header line by line as run, cpu, memory, dimm and prefetch
 * records arrive (ranges and equal modules are summed up first), notes and errors at once, tables,
 * curves as pictures and levels when an experiment is closed, at the end record the last screen
 * with all there is. */
void report_record(void *report, const struct record *record);
/* journal_view.flush: prints tables, pictures and levels of the experiment that the last derived
 * records were of; without such records since the last call, of all that points were gathered of.
 */
void report_flush(void *report);

#endif
