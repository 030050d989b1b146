/* SPDX-License-Identifier: BSD-2-Clause */
/* The live line of a run on a terminal, and text that does not run into it. */
#ifndef TESTS_HOST_PROGRESS_H
#define TESTS_HOST_PROGRESS_H

#include "core/machine.h"

/* The line appears only where standard error is a terminal. alone: what is written to standard
 * output is kept nowhere else, so that the run is asked to stop when that fails. */
void progress_start(bool alone);
void progress_show(const struct progress *now);
/* Standard output, a line at a time; a live line makes room first. */
struct text_sink progress_text_sink(void);
/* Takes the line away. False: standard output could not be written; a message says why. */
bool progress_end(void);

#endif
