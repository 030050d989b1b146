/* SPDX-License-Identifier: BSD-2-Clause */
/* The live line of a run on a terminal, and text that does not run into it. */
#ifndef TESTS_HOST_PROGRESS_H
#define TESTS_HOST_PROGRESS_H

#include "core/machine.h"

/* The line appears only where standard error is a terminal. */
void progress_start(void);
void progress_show(const struct progress *now);
void progress_clear(void);
/* Standard output; a live line makes room first. */
struct text_sink progress_text_sink(void);

#endif
