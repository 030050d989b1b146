/* SPDX-License-Identifier: BSD-2-Clause */
/* Values from small files below /proc and /sys. */
#ifndef TESTS_HOST_SYSFILE_H
#define TESTS_HOST_SYSFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first line without its newline and without blanks at its ends. False: there is no such file,
 * or it may not be read; text is then "". */
bool sysfile_line(const char *path, char *text, size_t capacity);
/* The same for a file that holds one decimal number, or a size such as 32K. */
bool sysfile_number(const char *path, uint64_t *number);
/* A "name: 123 kB" line of a file such as /proc/meminfo; name includes the colon. */
bool sysfile_kib(const char *path, const char *name, uint64_t *bytes);
/* Whether a list such as 0-3,8 holds a number. Pure. */
bool sysfile_list_holds(const char *list, uint32_t number);

#endif
