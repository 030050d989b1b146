/* SPDX-License-Identifier: BSD-2-Clause */
/* What the engine remembers of a run; shared by engine.c, plan.c, point.c, estimate.c and the
 * experiments, nobody else. It lives in the caller's workspace: nothing in core/ allocates. */
#ifndef CORE_ENGINE_STATE_H
#define CORE_ENGINE_STATE_H

#include "core/chase/chain.h"
#include "core/chase/order.h"
#include "core/engine.h"
#include "core/experiments/dram.h"
#include "core/experiments/table.h"
#include "core/levels/levels.h"
#include "core/levels/tlb_knees.h"
#include "core/lib/text.h"
#include "core/measure/footprint_run.h"
#include "core/stats/doubt.h"
#include "core/stats/stats.h"

#define ENGINE_POINTS_MAX  1024
#define ENGINE_SAMPLES_MAX 4096
#define PLAN_WHY_MAX       160

/* Which part a point plays in its experiment's conclusion. */
enum point_role {
    ROLE_PLAIN,
    ROLE_FIT,         /* curve: levels are found from these */
    ROLE_REACH,       /* curve: and from these, each line in a page of its own */
    ROLE_HEADLINE,    /* dram: a set in the largest pages, and smaller ones beside it */
    ROLE_SMALL_PAGES, /* dram: the same set in scattered 4K pages */
    ROLE_DRAW,        /* dram: the same two by independent draws */
    ROLE_DRAW_SMALL_PAGES,
    ROLE_APART, /* dram: a line of each 2 MiB of the set, and as many lines that lie together */
    ROLE_TOGETHER,
    ROLE_FOOTPRINT, /* no chase: core/measure/footprint_run.h */
    ROLE_RANDOM,    /* the prefetcher proof's five chases */
    ROLE_SPARSE,
    ROLE_SEQUENTIAL,
    ROLE_PAIRED,
    ROLE_HALVED,
    ROLE_ALONE,  /* parallel: page after page, with few TLB misses */
    ROLE_BURST,  /* parallel: one round of all chains at a time, from rest */
    ROLE_SPREAD, /* tlb: one line in each page */
    ROLE_PACKED  /* tlb: as many lines side by side */
};

/* Coarse before fine: every point of a pass, of all experiments, is measured before those of a
 * later one. */
enum point_pass {
    PASS_LEAST, /* the headline; experiments whose points are of one kind */
    PASS_PROOF, /* what says how the headline is to be read */
    PASS_ENDS,  /* of every curve */
    PASS_OCTAVES,
    PASS_HALVES, /* of octaves; then quarters, and what is finer */
    PASS_QUARTERS,
    PASS_FINE,
    PASS_DEAR /* what took too large a part of the rest when it was due, the cheapest first */
};

/* Why a point is over without a figure. */
enum left_out {
    LEFT_NOT,
    LEFT_DEAR,      /* the budget's rest did not hold it */
    LEFT_LATE,      /* it was begun, and the budget was used up */
    LEFT_UNMAPPED,  /* its pages could not be mapped */
    LEFT_NO_MEMORY, /* they were mapped, but there was no memory for them */
    LEFT_REASONS
};

struct point_result {
    bool known;
    uint32_t samples;
    double sampling_s;            /* beyond building, warming and verifying */
    double ns, rel_error, cycles; /* median, per hop, a draw's arithmetic taken off; NAN: unknown */
    double total_ns;              /* of all samples together */
    double hz_before, hz_after;   /* the core's own; 0: unknown */
    double hz;                    /* median over the samples; NAN: unknown */
    double mean_ns, mean_rel_error; /* the same of the mean without outliers (stats_mean) */
    double mean_own_error_ns;       /* without the draw's, which all draws have in common */
    enum answer settled;            /* the caches were seen in steady state */
    double drift_ns; /* how far a hop's cost moved over the samples; 0: not seen to */
    double hz_step;  /* largest step of the core's frequency, over itself; NAN: unknown */
    doubt_set doubt; /* what measuring it says against the figures */
    bool part;       /* its samples are a part of a lap, of which caches may keep another */
};

/* One point of the plan, and what came of it. */
struct point {
    uint32_t experiment;
    enum point_role role;
    enum chase_kernel kernel;
    enum order_kind order; /* of KERNEL_CYCLE */
    enum page_size page;
    enum map_mode map;
    enum frame_order frames;
    bool prefetch_off;       /* asked for */
    uint32_t prefetch_alone; /* number of the one prefetcher off, from 1 on; 0: as above */
    enum turbo_choice turbo;
    uint64_t bytes, stride_bytes; /* of all chains together */
    uint64_t group_bytes;         /* of the orders that go by groups; else 0 */
    uint32_t chains;              /* each has an equal part of the lines, a cycle of its own */
    enum chase_load load;
    enum chase_hint hint;
    uint32_t work; /* cycles a hop */
    uint32_t word; /* which word of its line a node is */
    bool cold;     /* nothing is warmed up */
    bool spare;    /* one of many: a dear one waits until all others are measured */
    enum point_pass pass;
    uint64_t hops;      /* of a sample; 0: the options or the clock decide */
    uint32_t samples;   /* exactly so many; 0: until the error target */
    double error_share; /* of the options' error target, for the mean; 0: all of it, the median */
    uint64_t patience_hops; /* after so many, error_share has risen to 1; 0: it does not */
    const char *label;      /* what the experiment calls it: "L2", "memory"; NULL: nothing */
    bool over;              /* measured, or given up */
    bool again;             /* due once more (schedule.c), or was */
    enum left_out left_out;
    enum prefetch_state prefetch; /* as it was while measuring */
    struct point_result result;
    struct footprint_summary footprint; /* of ROLE_FOOTPRINT */
};

/* What one independent draw costs beside its load: measured on a set that every first-level cache
 * holds, as the difference to a plain hop there. */
struct draw_cost {
    bool known;
    double ns, error_ns; /* standard error */
    double hz;           /* of the core, at which that holds; NAN: unknown */
    uint32_t experiment; /* that asked for it */
};

/* What measurements of the core's frequency are worth: how far neighbouring ones lie apart. */
#define CORE_CLOCK_KEPT 32
struct core_clock {
    double last_hz; /* 0: none yet */
    double apart[CORE_CLOCK_KEPT];
    uint32_t count;
};

/* Hops that are reckoned alike, and octaves of what the caches have to hold of their sets. */
enum estimate_kind {
    ESTIMATE_CHASE, /* the plain one */
    ESTIMATE_EXACT, /* the same to a part of the error target */
    ESTIMATE_DRAWS,
    ESTIMATE_STREAM,
    ESTIMATE_OTHER,
    ESTIMATE_KINDS
};
#define ESTIMATE_OCTAVES 64
#define ESTIMATE_PAGES   3 /* 4K, 2M, 1G */

struct estimate_cost {
    bool known;
    double hop_ns, sampling_s;
};

/* What measured points teach about the ones to come. */
struct estimate_model {
    double build_ns, verify_ns;     /* per line */
    double make_ns[ESTIMATE_PAGES]; /* per byte: machine.window_make */
    double took_s, reckoned_s;      /* of the last seconds: what they took, and were reckoned to */
    bool learnt;
    struct estimate_cost cost[ESTIMATE_KINDS][ESTIMATE_OCTAVES];
};

/* What one measured point took, a line; verify_ns 0: it was not read back. */
struct estimate_seen {
    double build_ns, verify_ns;
};

struct engine {
    const struct machine *machine;
    const struct options *options;
    struct journal *journal;
    const char *version;
    uint64_t started_ns, deadline_ns; /* no point is begun that would end later */
    uint64_t promise_ns;              /* then what is under way is given up */
    bool lenient, least_said;         /* but for the first point, where it may take longer */
    double cap_s;                     /* per point */
    enum status outcome;
    struct prefetch_report prefetch[2]; /* [1]: asked off, [0]: as the firmware has it */
    bool prefetch_known[2];             /* which of them have been asked for */
    bool prefetch_off;                  /* which holds now */
    uint32_t prefetch_alone;            /* 0; else the number of the only one off, from 1 on */
    struct prefetch_report alone;       /* of that one */
    bool turbo_known;                   /* turbo_choice has been asked for */
    enum turbo_choice turbo_choice;
    struct turbo_report turbo;
    double clock_ppm_noted;
    uint32_t unsettled; /* experiments, one bit each, with a point not seen in steady state */
    uint32_t stepped;   /* the same, in which the core's frequency stepped */
    bool parts;         /* caches were seen to keep one part of a set that they cannot hold */

    const struct point *current; /* being measured since current_ns; NULL: none */
    uint64_t current_ns;
    enum point_pass pass;
    bool begun;        /* some point has been */
    bool window_known; /* a window is open: that of points like this one */
    struct point window_like;
    struct window window;

    uint32_t point_count;
    bool plan_full;
    char refused[PLAN_WHY_MAX]; /* why a point was last left out of the plan; "": none was */
    struct point point[ENGINE_POINTS_MAX];
    struct estimate_model model;
    uint64_t made_bytes[ESTIMATE_PAGES]; /* of windows of each page size (window.made_bytes) */
    struct draw_cost draw[2];            /* [1]: for strides that are no power of two */

    double core_hz; /* as of the last point; NAN: not measurable */
    struct core_clock clock;

    struct level_point level_point[LEVELS_POINTS_MAX];
    struct level_spread level_spread[LEVELS_SPREAD_MAX];
    struct level level[LEVELS_MOST];
    void *levels_workspace;
    bool decided;              /* adaptive caches know how to take lines in (point_decide) */
    uint64_t undeclared_bytes; /* of a cache that only timing has shown: no less; 0: none so far */
    bool memory_level_known;   /* of the curve, as its points alone say */
    struct dram_bounds memory_level;
    struct tlb_step tlb_steps[TLB_STEPS_MAX];
    struct tlb_rest tlb_rest;

    struct footprint_run footprint;
    struct line_order order;
    struct chain_check check;
    struct point_result repeat[OPTIONS_REPEATS_MAX];
    uint64_t ticks[ENGINE_SAMPLES_MAX], sorted[ENGINE_SAMPLES_MAX], scratch[ENGINE_SAMPLES_MAX];
    bool disturbed[ENGINE_SAMPLES_MAX];
    double sample_hz[ENGINE_SAMPLES_MAX]; /* of the core, about each sample; 0: unknown */
    char options_text[OPTIONS_EFFECTIVE_MAX];
};

/* ---- engine.c */

/* A clock that is too far off the second one is said once, when it first is. */
void engine_check_clock(struct engine *engine);
/* Emits a note whose reason is put together from words, a size and more words. */
void engine_note_size(struct engine *engine, enum severity severity, const char *what,
                      const char *why, uint64_t bytes, const char *more);

/* ---- controls.c: prefetchers and turbo as points ask for them */

/* No prefetcher has this number. */
#define PREFETCH_ALONE_NONE UINT32_MAX

/* Prefetchers off, or as the firmware has them; the records of a state are emitted when it is asked
 * for first. */
void controls_prefetch(struct engine *engine, bool off);
/* The one prefetcher of that number (from 1 on) off by itself; engine->alone tells of it. False:
 * there is none; controls_prefetch or controls_set must follow. */
bool controls_prefetch_alone(struct engine *engine, uint32_t number);
/* Answers what came of it; engine->turbo tells more. */
enum turbo_state controls_turbo(struct engine *engine, enum turbo_choice choice);
/* All that a point asks for. */
void controls_set(struct engine *engine, const struct point *point);
/* As they are now, for records: the state, the only one off or NULL, "on", "off", ... or NULL when
 * turbo is as found. */
enum prefetch_state controls_prefetch_state(const struct engine *engine);
const char *controls_alone_name(const struct engine *engine);
const char *controls_turbo_name(const struct engine *engine);
const char *turbo_state_name(enum turbo_state state);

/* ---- plan.c: which points are to be measured; nothing here touches memory or a clock */

/* The largest declared data cache; 0 when none is declared. */
uint64_t plan_last_level_bytes(const struct engine *engine);
/* Bit n: pages of 2^n bytes are asked for and can be had. */
uint32_t plan_page_sizes(const struct engine *engine);
/* The same without those that no memory can be had for now, each with a note `what`. */
uint32_t plan_usable_sizes(struct engine *engine, const char *what);
/* A set far beyond every declared cache. */
uint64_t plan_memory_bytes(const struct engine *engine);
/* The largest and smallest page size of such a mask. */
enum page_size plan_largest_page(uint32_t page_sizes);
/* A point of the options' map, whole lines of their stride, and the page size's frame order: the
 * plain, warm chase of one random cycle. */
struct point plan_point(const struct engine *engine, uint32_t experiment, enum page_size page,
                        bool prefetch_off, uint64_t bytes);
/* The same as the options ask for it: their pattern, stride, group, and every key of the hop. */
struct point plan_asked(const struct engine *engine, uint32_t experiment, enum page_size page,
                        bool prefetch_off, uint64_t bytes);
/* Bytes of a group of such an order: as asked for, or the order's own; 0 where it has none. */
uint64_t plan_group_bytes(const struct options *options, enum order_kind order);
/* A plan that is full keeps what it has, and a note says so. A point that this machine cannot
 * measure is left out with a warning (once for each reason in a row). */
void plan_add(struct engine *engine, const struct point *point);
/* The window a point needs, for a working set of `bytes`. */
struct window_request plan_window(const struct engine *engine, const struct point *point,
                                  uint64_t bytes);
/* How large a working set can be had in such a window. */
uint64_t plan_limit(const struct engine *engine, enum page_size page);
/* Cuts *bytes to what limit allows, and notes it under `what` when asked for more. */
void plan_clamp(struct engine *engine, const char *what, uint64_t limit, uint64_t *bytes);
/* The states asked for: writes 1 or 2 values (off first), answers how many. */
uint32_t plan_prefetch_states(const struct engine *engine, bool off[2]);
/* Whether two points can be measured in one window. */
bool plan_same_window(const struct point *a, const struct point *b);
/* "footprint", "iid", "stream", or the name of the order. */
const char *plan_pattern_name(const struct point *point);
/* "levels", "headline", "proof", "translation"; NULL: the point is an end in itself. */
const char *plan_purpose_name(const struct point *point);
/* "plain", "nt", ...; "none", "nta", ... */
const char *plan_load_name(enum chase_load load);
const char *plan_hint_name(enum chase_hint hint);
const char *plan_map_name(const struct point *point);
/* "scattered", "contiguous", "as-found". */
const char *plan_frames_name(const struct point *point);
/* 0: unknown. */
uint64_t plan_pages_bytes(const struct point *point);
/* "4k", "2m", "1g". */
const char *plan_page_name(enum page_size page);

/* ---- estimate.c: how long points take; it learns from those that were measured */

void estimate_start(struct engine *engine);
/* What one measured point took, its result included. */
void estimate_learn(struct engine *engine, const struct point *point,
                    const struct estimate_seen *seen);
/* What estimate_point_s says now of a point that was measured, and what it took. */
void estimate_learn_pace(struct engine *engine, double expected_s, double took_s);
/* Nanoseconds a hop of this point will take. */
double estimate_hop_ns(const struct engine *engine, const struct point *point);
/* Memory, building, warming, sampling and reading back, all repeats, at the last seconds' pace. */
double estimate_point_s(const struct engine *engine, const struct point *point);

/* ---- estimate_make.c: what making memory takes (machine.window_make) */

void estimate_make_start(struct engine *engine);
/* What making so many bytes of a window took (machine.window_make). */
void estimate_learn_make(struct engine *engine, enum page_size page, uint64_t bytes, uint64_t ns);
/* How much of windows of such pages needs no making any more. */
uint64_t *estimate_made_bytes(struct engine *engine, enum page_size page);
/* Making the memory that the point still needs; and a byte of it. */
double estimate_make_s(const struct engine *engine, const struct point *point);
double estimate_make_ns(const struct engine *engine, enum page_size page);

/* ---- estimate_warm.c: how far a point is warmed */

/* Lines of a set of draws that are touched before it is warmed: as many as caches may hold twice.
 * 0: no draws, or cold. */
uint64_t estimate_touches(const struct engine *engine, const struct point *point);

/* The largest cache, declared or seen by timing; failing both, a guess. */
uint64_t estimate_last_level_bytes(const struct engine *engine);
/* Hops of each chain, hop_ns nanoseconds each, until the machine's caches and TLBs are in steady
 * state; 0 for a cold point. */
uint64_t estimate_warm_hops(const struct engine *engine, const struct point *point, double hop_ns);
bool estimate_lap_fits(const struct engine *engine, const struct point *point, double hop_ns);

/* ---- budget.c: what is left of it, and whom it is for */

/* Seconds until then by the wall clock; below 0: since. */
double estimate_until_s(const struct engine *engine, uint64_t ns);
/* Seconds of budget= that are left, below 0 when it is used up. */
double estimate_budget_left_s(const struct engine *engine);
/* Whether the budget's rest holds this point; of a spare one that is not among the dear yet, a
 * small part of it. */
bool estimate_affords(const struct engine *engine, const struct point *point);
/* The sum over all points that are not over, less what the current one has used already, and no
 * more than the budget holds. */
double estimate_left_s(const struct engine *engine);
/* Twice the even share of the budget's rest, since most points end early: of all that are not over,
 * and of those that are due in this pass. */
double estimate_share_s(const struct engine *engine);
double estimate_sampling_share_s(const struct engine *engine);

/* ---- schedule.c: which point is next */

/* STATUS_OK; STATUS_ABORTED when somebody asked to stop, STATUS_LATE when engine->promise_ns has.
 * To be asked every half second of any work. */
enum status schedule_go_on(struct engine *engine);
/* Measures all that these experiments have planned, pass by pass, and what they add to it, and
 * concludes each experiment once it and those before it are over. */
enum status schedule_run(struct engine *engine, const uint32_t tests[], uint32_t count);

/* ---- left_out.c */

/* A note for each curve of the experiment's points that were planned and not measured, and why. */
void left_out_note(struct engine *engine, uint32_t experiment);

/* ---- point.c: measuring one point */

/* Bytes that its window must have: the set's, or more where a draw is calibrated on more. */
uint64_t point_window_bytes(const struct engine *engine, const struct point *point);

/* Builds, warms, samples, verifies, and emits the point record (and error records). The window is
 * open and at least as large as the point. STATUS_OK, STATUS_ABORTED (what there is was emitted),
 * STATUS_LATE (engine->promise_ns has come before the first sample) or STATUS_FAULT (error records
 * were emitted). point->result.known false with STATUS_OK: this machine cannot time it, a note says
 * why. */
enum status point_measure(struct engine *engine, struct point *point, const struct window *w);

/* A warm point is looked at for so long at least, whether its cost moves. */
#define POINT_SETTLE_LEAST_NS 1e5
/* Hops of each sample, where the point or the options say so; else 0. */
uint64_t point_hops_asked(const struct options *options, const struct point *point);
/* How many samples must be had before their scatter says when it is enough. */
uint32_t point_samples_least(const struct point *point);
/* Whether its set is dropped from the caches when it is over, which takes about as long as reading
 * it back. */
bool point_leaves(const struct point *point);
/* Seconds after which sampling ends where neither samples nor seconds= are asked for, whatever
 * error there still is; it may end earlier where the budget is short. */
double point_cap_s(const struct engine *engine, const struct point *point);

/* ---- core/measure/clock.c: the core's frequency */

/* A step of less is the measurements' own error: the larger of 0.3 % and three of those. */
double core_clock_step_least(const struct core_clock *clock);
/* Whether both are known, and further apart than that. */
bool core_clock_differs(const struct core_clock *clock, double a_hz, double b_hz);

/* ---- diagnose.c: what a chase that went wrong is telling */

/* Reads the whole chain back and emits one error record for each bad node; when memory holds what
 * was written, one record of the fault itself (fault_text, or NULL for a lap that did not close at
 * `at` instead of `expected`). */
void diagnose_chain(struct engine *engine, const struct point *point, const struct window *w,
                    const struct chain *chain, const struct fault_info *fault, uintptr_t expected,
                    uintptr_t at);
/* How many positions or lines of a point are built, and read back. */
uint64_t diagnose_nodes(const struct point *point, const struct chain *chain);
/* What reads a point's pattern back; arg is a struct chain_check. */
window_work *diagnose_verifier(const struct point *point);
/* The error record of a fault that no memory content explains. */
void diagnose_fault(struct engine *engine, const struct fault_info *fault);

/* ---- describe.c: the records that say what the machine is */

void describe_run(struct engine *engine);
void describe_machine(struct engine *engine);
/* The prefetch records of that state. The behaviour's fields, from sequential_over_random on, are
 * taken from `seen`; NULL: not measured. */
void describe_prefetch(struct engine *engine, bool off, const struct record_prefetch *seen);

#endif
