/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a machine that cannot go on: a machine check, a double fault or an uncontainable
 * SError within a quiet section. The screen first, then one EFI variable for the next start, then
 * half a minute to read the screen, then a reset. Outside quiet sections the firmware's handlers
 * have it. */
#ifndef EFI_FATAL_H
#define EFI_FATAL_H

#include "core/machine.h"
#include "core/results/notes.h"
#include "efi/firmware.h"

/* The variable is "fatal" under BREADCRUMB_GUID (efi/breadcrumb.h), text of at most so many bytes.
 */
#define FATAL_VARIABLE_BYTES 128
#define FATAL_WAIT_S         30

/* To be called once, before any quiet section. If the last start left the variable, its text
 * becomes a note and it is deleted. */
void fatal_start(const struct firmware *fw, struct notes *notes);
/* What is under way, for the variable. *now may change afterwards, its experiment not. */
void fatal_doing(const struct progress *now);
/* The counter's frequency, which the half minute is waited by; until it is known nothing is waited.
 */
void fatal_clock(uint64_t hz);
/* An arch_fatal; does not return. */
void fatal_end(const char *text, const char *banks);

#endif
