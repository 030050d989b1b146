/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns what a loader passes as load options (UEFI 2.10, sections 3.1.3 and 9.1) into the words
 * that options_parse reads. Pure: any bytes in, bounded text out; tested on the host. */
#ifndef EFI_LOAD_OPTIONS_H
#define EFI_LOAD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/lib/text.h"
#include "core/options/options.h"

enum load_options_kind {
    LOAD_OPTIONS_NONE,    /* nothing, or blanks only */
    LOAD_OPTIONS_TEXT,    /* words */
    LOAD_OPTIONS_NOT_TEXT /* bytes that the firmware put there for itself (automatic boot entries)
                           */
};

/* Reads UTF-16 (what a loader should pass, with or without byte order mark and terminator) or plain
 * ASCII (what some tools write into boot entries). The program's own name is removed: the first
 * word if from_shell, else the first word if it ends in ".efi". text gets at most capacity bytes of
 * UTF-8, *used of them; longer text is cut. */
enum load_options_kind load_options_read(const void *options, size_t bytes, bool from_shell,
                                         char *text, size_t capacity, size_t *used);

/* For texts that do not parse: finds the last `end=` with a valid value, so that an unattended
 * machine does not wait at a menu because another word is wrong. NUL bytes are skipped (UTF-16).
 * False if there is none; *end is then unchanged. */
bool load_options_salvage_end(const char *text, size_t bytes, enum option_end *end);

/* Takes words out that boot managers add for kernels (initrd=...), whole words only, so that no
 * end= beside them is lost. Returns how many bytes of the text are left; those words, with blanks
 * between them, are appended to skipped. */
size_t load_options_skip_foreign(char *text, size_t bytes, struct text *skipped);

/* What a run is to end with when it was told `end`: a reboot only until so many runs (0: for ever)
 * are on the stick, and not when this one is not among them (saved 0), since then no number of
 * reboots gets there. */
enum option_end load_options_end(enum option_end end, unsigned runs, unsigned saved);

#endif
