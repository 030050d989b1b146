/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's console, and nothing beside it: the firmware itself mirrors it to serial ports.
 * Plain ASCII text, and '\r' for the one live line. Where there is a graphics screen it is never
 * scrolled, for that moves every pixel through slow memory: a full one is cleared and begun anew.
 * Its last screen has colours. Without graphics nothing is cleared or coloured: a serial log is
 * read as it is. */
#ifndef EFI_CONSOLE_H
#define EFI_CONSOLE_H

#include "core/machine.h"
#include "core/report/screen.h"
#include "efi/firmware.h"

#define CONSOLE_LIVE_COLUMNS 79 /* one less than the narrowest console, so that no line wraps */

struct console {
    SIMPLE_TEXT_OUTPUT_INTERFACE *out; /* NULL: there is none, text goes nowhere */
    bool graphics;
    size_t columns, rows; /* of the text mode; 0: not known */
    size_t mode_found, attribute_found;
    bool mode_changed;
    bool live; /* the live line is on the screen */
    size_t live_used;
};

/* Clears a graphics screen, in the text mode that fits the report best. */
void console_start(struct console *console, const struct firmware *fw);
/* Gives mode and colours back as they were found; a mode that was changed leaves an empty screen,
 * and true is answered. Text may still be written. */
bool console_end(struct console *console);
/* How many lines a screen may have, so that none of them scrolls away; at least SCREEN_ROWS. */
size_t console_rows(const struct console *console);
/* A screen in place of what stands there, in colours; without graphics below it, without. */
void console_show(struct console *console, const struct screen *screen);
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
