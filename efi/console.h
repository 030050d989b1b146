/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's console, and nothing beside it: the firmware itself mirrors it to serial ports.
 * Plain ASCII text, no colours, no cursor moves but '\r' for the one live line; a graphics screen
 * is cleared once, at the start. */
#ifndef EFI_CONSOLE_H
#define EFI_CONSOLE_H

#include "core/machine.h"
#include "efi/firmware.h"

#define CONSOLE_LIVE_COLUMNS 79 /* one less than the narrowest console, so that no line wraps */

struct console {
    SIMPLE_TEXT_OUTPUT_INTERFACE *out; /* NULL: there is none, text goes nowhere */
    bool live;                         /* the live line is on the screen */
    size_t live_used;
};

void console_start(struct console *console, const struct firmware *fw);
/* Lines end in '\n' ("\r\n" on the way out). Clears the live line first. */
void console_write(struct console *console, const char *text, size_t bytes);
void console_print(struct console *console, const char *text);
/* Replaces the live line; words without line ends, cut at CONSOLE_LIVE_COLUMNS. */
void console_live(struct console *console, const char *words);
/* console_write as the sink of a view. */
struct text_sink console_sink(struct console *console);

/* arch_fatal: the minimum on the console, then a reset. console_start has been called. */
void console_fatal(const char *text);

#endif
