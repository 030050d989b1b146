/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows of a process: anonymous memory in pages of exactly the requested size. */
#ifndef TESTS_HOST_WINDOW_H
#define TESTS_HOST_WINDOW_H

#include "core/results/notes.h"

/* Bit n: pages of 2^n bytes are available; for other sizes a note says why not. */
uint32_t window_page_sizes(struct notes *notes);
/* See core/machine.h. */
uint64_t window_limit(const struct window_request *request);
/* The first pages are populated on return; window_populate does the others. Each way of getting
 * pages is noted once. Pages that turn out to have another size than requested are released:
 * STATUS_NO_MEMORY. */
enum status window_open(const struct window_request *request, struct window *out,
                        struct notes *notes);
/* See core/machine.h. */
enum status window_populate(const struct window *window, uint64_t bytes, struct notes *notes);
/* Its pages are kept for the next window of their size, until the memory is needed. */
void window_close(struct window *window);
/* Ordinary memory that windows hold, open or kept. */
uint64_t window_held_bytes(void);

#endif
