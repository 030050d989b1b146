/* SPDX-License-Identifier: BSD-2-Clause */
/* How far memory has to be from the rest to be told, whoever tells it or judges what was told. */
#ifndef CORE_STATS_APART_H
#define CORE_STATS_APART_H

/* In standard deviations of the rest. */
#define APART_SIGMAS 6.0
/* As a share of the rest: less is not told from what distance and placement do on any machine. */
#define APART_SHARE 0.01

#endif
