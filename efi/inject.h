/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults on purpose. The test build links inject.c, which knows the key that asks for them; the
 * product links inject_none.c, where every function answers "nothing". */
#ifndef EFI_INJECT_H
#define EFI_INJECT_H

#include <stdbool.h>

#include "core/machine.h"
#include "core/options/options.h"
#include "core/results/notes.h"
#include "efi/console.h"

/* The key of the test build, NULL in the product. */
const struct option_extra *inject_option(void);
/* A run begins: everything is counted anew. */
void inject_start(void);
/* Inside the quiet section, with the window mapped, before the chase. */
void inject_chase(const struct chase_plan *plan);
/* After that quiet section: a note when a fault fired and the run went on. */
void inject_after(struct notes *notes);
/* After the mark was laid, before a risky prefetcher write: stands still where firmware would. */
void inject_halt(struct console *console);
bool inject_abort(void);
/* path: of the file or directory that is to be written. */
bool inject_write_fails(const CHAR16 *path);
/* Every flush fails, though all was written. */
bool inject_flush_fails(void);
bool inject_alloc_fails(void);
/* Page tables of our own are refused, from the start. */
bool inject_tables_refused(void);

/* Test build only: every register that a run could have changed, as lines
 * "dump before NAME=0x..." on the console. */
void dump_registers(const struct firmware *fw, struct console *console, const char *when);

#endif
