/* SPDX-License-Identifier: BSD-2-Clause */
/* A program's standard output: line by line, and what could not be written is not lost in silence.
 */
#ifndef TESTS_SHARED_OUTPUT_H
#define TESTS_SHARED_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* To be called before any file is opened: gives closed standard descriptors to /dev/null, since a
 * closed one would be reused for the next file, and text for the screen would end up in it. A pipe
 * that nobody reads makes writes fail, as other errors do. False: there is no /dev/null. */
bool output_prepare(void);
/* False: this write, or one before, failed; after the first that failed nothing is written. */
bool output_write(const char *text, size_t bytes);
/* Writes what is left. False: writing failed; a message on standard error says why. */
bool output_end(void);

#endif
