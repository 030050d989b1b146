/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the report, private to core/report/. */
#ifndef CORE_REPORT_INTERNAL_H
#define CORE_REPORT_INTERNAL_H

#include "core/lib/text.h"
#include "core/report/report.h"

/* ---- line.c: the only way out */

/* Writes one line of at most REPORT_WIDTH columns, ASCII only; longer ones end in "...". */
void report_line(struct report *report, const char *words);
/* Writes as many lines as needed, broken at blanks, later ones indented. */
void report_wrapped(struct report *report, const char *words, size_t indent);
/* The same for a sentence from a format. */
void report_print(struct report *report, const char *format, ...) TEXT_CHECKED(2, 3);
void report_print_wrapped(struct report *report, size_t indent, const char *format, ...)
    TEXT_CHECKED(3, 4);
void report_rule(struct report *report, const char *title);
/* Returns what follows a line of `room` columns; *share: how many bytes are on it. */
const char *report_wrap_next(const char *words, size_t room, size_t *share);

/* ---- words.c: figures as words for a %s, which live as long as the block that they stand in */

/* As many decimals as are significant; "-" if unknown. */
#define REPORT_NUMBER(value, decimals) \
    report_number_in((char[REPORT_NUMBER_BYTES]){0}, value, decimals)
/* RECORD_UNKNOWN is "-"; so is a size of 0. */
#define REPORT_COUNT(count) report_count_in((char[REPORT_NUMBER_BYTES]){0}, count)
#define REPORT_SIZE(bytes)  report_size_in((char[TEXT_SIZE_BYTES]){0}, bytes)
/* " (1.0 to 1.2)"; nothing if one is unknown. */
#define REPORT_BOUNDS(low, high, decimals) \
    report_bounds_in((char[REPORT_BOUNDS_BYTES]){0}, low, high, decimals)

#define REPORT_NUMBER_BYTES 32
#define REPORT_BOUNDS_BYTES (2 * REPORT_NUMBER_BYTES)
const char *report_number_in(char buffer[REPORT_NUMBER_BYTES], double value, unsigned decimals);
const char *report_count_in(char buffer[REPORT_NUMBER_BYTES], uint64_t count);
const char *report_size_in(char buffer[TEXT_SIZE_BYTES], uint64_t bytes);
const char *report_bounds_in(char buffer[REPORT_BOUNDS_BYTES], double low, double high,
                             unsigned decimals);
/* words, or "-" for NULL and "" */
const char *report_words(const char *words);
/* Whether what was measured in state `of` cannot stand below the words of state `kept`. */
bool report_prefetch_differs(enum prefetch_state kept, enum prefetch_state of);
/* Adds the numbers of a function's address bits, each with a blank before it. */
void report_add_bits(struct text *line, uint64_t function);
bool report_known(double value);
/* Whether bounds are wider than a tenth of the figure. */
bool report_is_wide(double value, double low, double high);
/* "34 % (16 to 46)" for a share and its bounds. */
#define REPORT_SHARE(share, low, high) \
    report_share_in((char[REPORT_SHARE_BYTES]){0}, share, low, high)
/* "1 line ahead after 3 touches", "12 lines back after 1 touch" */
#define REPORT_DISTANCE(lines, touches) \
    report_distance_in((char[REPORT_DISTANCE_BYTES]){0}, lines, touches)
/* before and "doubt: unsettled, drift"; nothing if there are none. */
#define REPORT_DOUBT(before, doubt) report_doubt_in((char[REPORT_DOUBT_BYTES]){0}, before, doubt)

#define REPORT_SHARE_BYTES    (REPORT_NUMBER_BYTES + REPORT_BOUNDS_BYTES)
#define REPORT_DISTANCE_BYTES 72
#define REPORT_DOUBT_BYTES    160
const char *report_share_in(char buffer[REPORT_SHARE_BYTES], double share, double low, double high);
const char *report_distance_in(char buffer[REPORT_DISTANCE_BYTES], double lines, uint64_t touches);
const char *report_doubt_in(char buffer[REPORT_DOUBT_BYTES], const char *before, doubt_set doubt);
/* What is to follow "off": ", known controls" where it is only said of those; else "". */
const char *report_known_words(const struct report *report, enum prefetch_state state);

/* ---- memory_lines.c */

/* Keeps what the last screen says of banks, blocks and channels. */
void report_memory_keep(struct report *report, const struct record *record);
void report_memory_lines(struct screen *screen, const struct report *report, unsigned rank);

/* ---- header.c */

void report_run(struct report *report, const struct record_run *run);
void report_cpu(struct report *report, const struct record_cpu *cpu);
void report_memory(struct report *report, const struct record_memory *memory);
void report_prefetch(struct report *report, const struct record_prefetch *prefetch);
/* Prints the verdict that waits for the states of all controls, unless next is another of them;
 * NULL: nothing follows. */
void report_verdict_close(struct report *report, const struct record *next);
/* Sums that wait for more of their kind are printed; kind is what comes next. */
void report_header_close(struct report *report, enum record_kind next);

/* ---- modules.c */

void report_dimm(struct report *report, const struct dimm_info *dimm);
void report_modules(struct report *report, const struct record_modules *modules);
void report_expectation(struct report *report, const struct record_expectation *expectation);
/* What waits for more slots of its kind is printed. */
void report_modules_close(struct report *report);
/* "16G DDR4 ECC 2-rank, MT/s rated 3200 configured 3200, Acme X-1" */
void report_add_module(struct text *line, const struct dimm_info *dimm);

/* ---- turns.c */

/* Keeps a point; prints what is complete before it first. */
void report_take_point(struct report *report, const struct record_point *point);
/* Selects the experiment whose points all following calls use. */
void report_select(struct report *report, const char *experiment);
/* Prints the points of the selected experiment, once. */
void report_tables(struct report *report);
/* Prints tables, pictures and levels of the selected experiment and forgets its points. */
void report_close(struct report *report);
/* The same for every experiment with points. */
void report_close_all(struct report *report);

/* ---- points.c */

/* Keeps a point; the caller has checked that there is room. */
void report_point_keep(struct report *report, const struct record_point *point);
/* Whether both have one pattern and purpose and one state of the prefetchers. */
bool report_same_curve(const struct report_point *a, const struct report_point *b);
/* Whether no earlier point is of its curve. */
bool report_curve_begins(const struct report *report, size_t index);
/* The smallest set above `above` of that curve; 0: none. */
uint64_t report_next_set(const struct report *report, const struct report_point *like,
                         uint64_t above);
/* An empty line and "curve: <what>, pattern cycle, prefetchers off". */
void report_curve_title(struct report *report, const char *what, const struct report_point *like);
/* The same for points of several patterns: "dram: <what>, prefetchers off". */
void report_list_title(struct report *report, const char *what, const struct report_point *like);
/* A point's pages: what the points of one column of a table have in common. */
struct report_pages {
    uint8_t page_log2;
    bool contiguous, found, identity;
};
struct report_pages report_pages_of(const struct report_point *point);
/* "4k scattered", "1g identity", "firmware's own". */
void report_add_pages(struct text *line, const struct report_pages *pages);
void report_add_frames(struct text *line, const struct report_point *point);
/* The three characters after a point's figures. */
void report_add_marks(struct text *line, const struct report_point *point);

/* ---- table.c */

/* Prints those of the selected experiment's points that are not listed. */
void report_print_tables(struct report *report);

/* ---- list.c */

/* Prints the listed points, and counts those that have no line. */
void report_lists(struct report *report);

/* ---- pattern.c */

/* "cycle", "forward stride=128 chains=4 cold": the pattern, and what is unusual. */
void report_pattern_words(struct text *line, const struct report *report,
                          const struct record_point *point);
/* Whether its cost changed while it was measured: the caches were not steady, or the core's
 * frequency stepped. */
bool report_point_moved(const struct record_point *point);
/* Keeps a point that Intel MLC's idle latency can be compared with. */
void report_mlc_keep(struct report *report, const struct record_point *point);
/* Its line below the headline. */
void report_mlc_line(struct screen *screen, const struct report *report, unsigned rank,
                     const char *mark);

/* ---- levels.c */

void report_level_keep(struct report *report, const struct record_level *level);
/* Prints the levels kept so far and forgets them; says so if points should have levels and have
 * none. */
void report_levels(struct report *report);
/* The same on the last screen, a line each. */
void report_level_lines(struct screen *screen, const struct report *report, unsigned rank);

/* ---- curves.c */

/* Prints each curve of the points gathered so far as a picture (plot.c). */
void report_plots(struct report *report);
/* Whether it is of draws whose curve has a table of cycles too: the same levels a second time. */
bool report_is_second(const struct report *report, const struct report_point *point);

/* ---- footprint.c */

/* A footprint: a line, and where any line was found three more, with a character for each line. */
void report_witness(struct report *report, const struct record_witness *witness);
void report_ibs(struct report *report, const struct record_ibs *ibs);
void report_mapping(struct report *report, const struct record_mapping *mapping);
void report_distribution(struct report *report, const struct record_distribution *distribution);
void report_footprint(struct report *report, const struct record_footprint *footprint);

/* Keeps it that prefetchers which read back as off were seen at work. */
void report_behaviour(struct report *report, enum prefetch_state state, const char *verdict);

/* ---- regions.c */

void report_regions(struct report *report, const struct record_regions *regions);
/* Adds a character to the heat row. */
void report_block(struct report *report, const struct record_block *block);
/* Prints what waits for its row to be full. */
void report_heat_close(struct report *report);
void report_range(struct report *report, const struct record_range *range);
void report_bandwidth(struct report *report, const struct record_bandwidth *bandwidth);
void report_class(struct report *report, const struct record_class *class);
/* pairs.c */
void report_pair(struct report *report, const struct record_pair *pair);
/* loads.c */
void report_load(struct report *report, const struct record_load *load);
/* load_plot.c: keeps one for the picture; draws it once the last is known. */
void report_load_keep(struct report *report, const struct record_load *load);
void report_loads_close(struct report *report);

/* ---- matrix.c */

/* Keeps a pair of nodes; prints what is complete before it first. */
void report_matrix_keep(struct report *report, const struct record_pair *pair);
/* Prints the pairs of nodes that were kept as tables, and forgets them. */
void report_matrix_close(struct report *report);

/* ---- grids.c */

/* Whether the pair is of another matrix than those that are kept: its lines are of another node's
 * memory. */
bool report_grids_end_before(const struct report *report, const struct record_pair *pair);
/* Keeps a pair; those of another experiment or matrix have been closed. listed: it has a line. */
void report_grids_keep(struct report *report, const struct record_pair *pair, bool listed);
/* Prints the pairs that were kept as tables or maps, and forgets them. */
void report_grids_close(struct report *report);

/* Sums up those that were not printed, once the last is known. */
void report_gaps_close(struct report *report);
void report_gap(struct report *report, const struct record_gap *gap);

/* ---- contents.c */

void report_verify(struct report *report, const struct record_verify *verify);
void report_bad_memory(struct report *report, const struct record_bad_memory *bad);
void report_bad_part(struct report *report, const struct record_bad_part *part);
/* An error record that has a cause. */
void report_bad_word(struct report *report, const struct record_error *error);
void report_contents_line(struct screen *screen, const struct report *report, unsigned rank);
void report_spread(struct report *report, const struct record_spread *spread);
void report_verdict(struct report *report, const struct record_verdict *verdict);
void report_verdict_line(struct screen *screen, const struct report *report, unsigned rank);

/* ---- hardware.c */

void report_hardware_error(struct report *report, const struct record_hardware_error *error);
void report_hardware_errors(struct report *report, const struct record_hardware_errors *sum);

/* ---- finding.c */

/* One finding in a line or two, below the name of its experiment. */
void report_finding(struct report *report, const struct record_finding *finding);

/* ---- summary.c */

void report_dram(struct report *report, const struct record_dram *dram);
/* "prefetchers off (proven ...)", "prefetchers NOT off (not-honoured)", ... */
void report_prefetch_words(struct text *line, const struct report *report,
                           enum prefetch_state state, const struct report_verdict *verdict);
void report_summary(struct report *report, const struct record_end *end);

/* ---- notes.c */

/* Keeps a warning or error for the summary. The first what_bytes of its words say what it is about:
 * notes that have these in common, and what stands behind their last colon, are told as one; 0:
 * this one is told alone. */
void report_note_keep(struct report *report, enum severity severity, const char *words,
                      size_t what_bytes);

/* A note as it is told. */
struct report_told {
    enum severity severity;
    uint64_t times;
    const char *words; /* all of it */
    const char *about; /* what it names before its first colon, if that is a single word; or "" */
};
typedef void report_tell(void *context, const struct report_told *told);

/* Tells them, errors first; returns how many were dropped because there was no room to keep them.
 */
uint64_t report_notes_tell(struct report *report, void *context, report_tell *use);

#endif
