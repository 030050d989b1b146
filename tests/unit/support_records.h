/* SPDX-License-Identifier: BSD-2-Clause */
/* Records for tests: plausible ones, and every kind at its extremes. */
#ifndef TESTS_UNIT_SUPPORT_RECORDS_H
#define TESTS_UNIT_SUPPORT_RECORDS_H

#include "core/results/record.h"

struct record support_run(void);
/* A point of 2 MiB pages, 64 MiB, 80 ns, 232 cycles, prefetchers off. */
struct record support_point(void);
/* 1 GiB pages, 1 GiB set, 91.23 ns, prefetchers off, 4K costs 22.5 ns. */
struct record support_dram(void);
/* Outstanding misses of the parallel experiment: at least 10 (9.9 to 10.1), limited by chains. */
struct record support_finding(void);
struct record support_ibs(void);
struct record support_end(void);

/* Calls use with each kind of record, several variants of it: plausible, all unknown, all fields at
 * their longest and largest, texts full of bytes that JSON must escape or replace. */
void support_every_record(void (*use)(void *context, const struct record *record), void *context);

#endif
