/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's console, and nothing else: the firmware mirrors it to serial ports. Output is
 * plain ASCII text, with '\r' for the one live line. A graphics screen is never scrolled, because
 * that copies every pixel through slow memory: a full one is cleared and filled from the top. Its
 * last screen has colours. Without graphics nothing is cleared or coloured, which keeps serial logs
 * readable. */
#ifndef EFI_CONSOLE_H
#define EFI_CONSOLE_H

#include "core/machine.h"
#include "core/report/screen.h"
#include "efi/firmware.h"

#define CONSOLE_LIVE_COLUMNS 79 /* one less than the narrowest console, so that no line wraps */

struct console {
    SIMPLE_TEXT_OUTPUT_INTERFACE *out; /* NULL: none; text is dropped */
    bool graphics;
    size_t columns, rows; /* of the text mode; 0: not known */
    size_t mode_found, attribute_found;
    bool mode_changed;
    bool live; /* the live line is on the screen */
    size_t live_used;
};

/* Clears a graphics screen, in the text mode that fits the report best. */
void console_start(struct console *console, const struct firmware *fw);
/* Restores mode and colours. Returns true if the mode had been changed, which leaves an empty
 * screen. Text may still be written. */
bool console_end(struct console *console);
/* The most lines that a screen can have without scrolling; at least SCREEN_ROWS. */
size_t console_rows(const struct console *console);
/* Replaces the contents of a graphics screen, in colours; without graphics it is appended, without
 * colours. */
void console_show(struct console *console, const struct screen *screen);
/* Lines end in '\n' ("\r\n" on the way out). Clears the live line first. */
void console_write(struct console *console, const char *text, size_t bytes);
void console_print(struct console *console, const char *text);
/* Replaces the live line; words without line ends, cut at CONSOLE_LIVE_COLUMNS. */
void console_live(struct console *console, const char *words);
/* console_write as the sink of a view. */
struct text_sink console_sink(struct console *console);

/* Prints a line where nothing else can be counted on. console_start has been called. */
void console_last_words(const char *text);

#endif
