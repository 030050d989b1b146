/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows of a process: anonymous memory in pages of the size asked for, and in no other. */
#ifndef TESTS_HOST_WINDOW_H
#define TESTS_HOST_WINDOW_H

#include "core/results/notes.h"

/* Bit n: pages of 2^n bytes can be had; what cannot, and why, becomes a note. */
uint32_t window_page_sizes(struct notes *notes);
/* See core/machine.h. */
uint64_t window_limit(const struct window_request *request);
/* The first pages are there and written to when it returns; the others are window_populate's. Each
 * way in which pages were had is noted once; pages that turn out not to be of the size asked for
 * are given back: STATUS_NO_MEMORY. */
enum status window_open(const struct window_request *request, struct window *out,
                        struct notes *notes);
/* See core/machine.h. */
enum status window_populate(const struct window *window, uint64_t bytes, struct notes *notes);
/* Its pages are kept for the next window of their size, until their memory is needed. */
void window_close(struct window *window);
/* Ordinary memory that windows hold, open or kept. */
uint64_t window_held_bytes(void);

#endif
