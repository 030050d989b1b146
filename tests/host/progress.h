/* SPDX-License-Identifier: BSD-2-Clause */
/* The live line of a run on a terminal, and text output that does not collide with it. */
#ifndef TESTS_HOST_PROGRESS_H
#define TESTS_HOST_PROGRESS_H

#include "core/machine.h"

/* The line appears only if standard error is a terminal. alone: standard output is the only place
 * that results go to, so the run is stopped if writing to it fails. */
void progress_start(bool alone);
void progress_show(const struct progress *now);
/* Standard output, a line at a time; the live line is cleared first. */
struct text_sink progress_text_sink(void);
/* Clears the line. False: writing to standard output failed; a message says why. */
bool progress_end(void);

#endif
