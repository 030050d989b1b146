/* SPDX-License-Identifier: BSD-2-Clause */
/* Refreshes of a memory, from the times of single accesses to one line. While its bank is refreshed
 * a line cannot be read, and an access that waited ends with the refresh: the ends of slow
 * accesses, whenever these began, are a refresh's period apart (JESD79-4, 4.26; JESD79-5, 4.13).
 * Pure. */
#ifndef CORE_DRAM_REFRESH_H
#define CORE_DRAM_REFRESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Accesses in the order of time, to one line or to several in turn. */
struct refresh_series {
    const uint64_t *start, *ticks; /* [count]: when each began, and how long it took */
    size_t count;
    double tick_ns;  /* between two values of the clock that can be told apart */
    double clock_ns; /* of one unit of start and ticks */
};

enum refresh_verdict {
    REFRESH_UNSURE, /* see why */
    REFRESH_FOUND
};

struct refresh {
    enum refresh_verdict verdict;
    const char *why;                           /* it is unsure; else NULL */
    double period_ns, period_low, period_high; /* 95 % bounds within this run; NAN: unsure */
    double stall_ns, stall_low, stall_high;    /* how much longer an access takes that comes just
                                                  as a refresh begins; NAN: unsure */
    double coherence;  /* of the slow accesses' ends at that period, 0 to 1; NAN: nothing to fold */
    size_t events;     /* slow accesses that were folded */
    uint64_t turn;     /* 2^64ths of a period in one unit of the clock */
    double late_turns; /* of the ends that are in step */
    double scatter_turns;          /* standard deviation of an end's phase */
    double usual_ticks;            /* by how much accesses that do not wait differ */
    double base_ticks, slow_ticks; /* what an access takes; those above slow_ticks were slow */
};

/* When a line's refreshes end. */
struct refresh_phase {
    size_t events;
    double cosine, sine; /* summed over the events */
};

/* Finds the period. room: for count values. A period is given only if it is the longest that the
 * slow accesses keep, so that it is neither a part nor a multiple of the true one. */
void refresh_find(const struct refresh_series *series, uint64_t *room, struct refresh *refresh);

/* Whether its stall is known, and with it its period. */
bool refresh_stall_known(const struct refresh *refresh);
/* Makes it unsure, for that reason: its period and stall are no longer known. */
void refresh_doubt(struct refresh *refresh, const char *why);

/* The phase of the line that accesses first, first + step, ... of the series went to. room: for
 * count values. */
void refresh_phase_of(const struct refresh *refresh, const struct refresh_series *series,
                      size_t first, size_t step, uint64_t *room, struct refresh_phase *phase);
/* How far apart two phases are, and how far they may be by chance, in turns: one in 400, and what
 * refreshes that are late do to lines that are not asked at once. False: too few events to tell. */
bool refresh_apart(const struct refresh *refresh, const struct refresh_phase *a,
                   const struct refresh_phase *b, double *apart, double *chance);

/* Whether an access to that line which began at `start` met no refresh and found nothing that one
 * left behind: the access before it, which began at `before`, came after the last refresh as well,
 * and the next one is not due. The stall is known. */
bool refresh_is_over(const struct refresh *refresh, const struct refresh_phase *phase,
                     uint64_t before, uint64_t start);

/* Which banks are refreshed together. */
enum refresh_scope {
    SCOPE_UNSURE,
    SCOPE_TOGETHER, /* several banks of a rank: all, or one of each group */
    SCOPE_PER_BANK
};

/* Lines of other banks than a base line's, by their phases against it. */
struct refresh_partners {
    uint32_t tried, same;
    double by_chance;             /* of those tried, that share its phase by chance */
    double banks_low, banks_high; /* bounds of the number of banks; high NAN: no bound */
};

enum refresh_scope refresh_scope_of(const struct refresh_partners *partners);
const char *refresh_scope_name(enum refresh_scope scope); /* "unsure", "together", "per-bank" */
const char *refresh_verdict_name(enum refresh_verdict verdict); /* "unsure", "found" */

#endif
