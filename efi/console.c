/* SPDX-License-Identifier: BSD-2-Clause */
/* Text onto ConOut; see console.h. */
#include "efi/console.h"

#define CHUNK 128 /* CHAR16s handed to the firmware at once */

/* console_fatal is called from an exception and gets no context. */
static const EFI_SYSTEM_TABLE *fatal_system;

static void out_text(SIMPLE_TEXT_OUTPUT_INTERFACE *out, const char *text, size_t bytes)
{
    CHAR16 wide[CHUNK + 3];
    size_t used = 0;

    if (out == NULL)
        return;
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\n')
            wide[used++] = '\r';
        wide[used++] = (unsigned char)text[i] < 0x80 ? (CHAR16)text[i] : '?';
        if (used >= CHUNK || i + 1 == bytes) {
            wide[used] = 0;
            out->OutputString(out, wide);
            used = 0;
        }
    }
}

static void clear_live(struct console *console)
{
    static const char blanks[CONSOLE_LIVE_COLUMNS + 1] = "                                        "
                                                         "                                       ";

    if (!console->live)
        return;
    console->live = false;
    out_text(console->out, "\r", 1);
    out_text(console->out, blanks, console->live_used);
    out_text(console->out, "\r", 1);
}

/* A firmware's logo stays on a graphics screen until somebody clears it, and our lines would run
 * across it. Without graphics nothing is cleared: a serial log is read as it is. */
static void clear_logo(const struct console *console, const struct firmware *fw)
{
    static const EFI_GUID graphics = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
    void *found = NULL;

    if (console->out != NULL &&
        !EFI_ERROR(fw->boot->LocateProtocol((EFI_GUID *)&graphics, NULL, &found)))
        console->out->ClearScreen(console->out);
}

void console_start(struct console *console, const struct firmware *fw)
{
    console->out = fw->system->ConOut;
    clear_logo(console, fw);
    console->live = false;
    console->live_used = 0;
    fatal_system = fw->system;
}

void console_write(struct console *console, const char *text, size_t bytes)
{
    clear_live(console);
    out_text(console->out, text, bytes);
}

void console_print(struct console *console, const char *text)
{
    console_write(console, text, text_length(text));
}

void console_live(struct console *console, const char *words)
{
    char line[CONSOLE_LIVE_COLUMNS + 2];
    size_t used = 1, shown = console->live ? console->live_used : 0;
    size_t length = text_length(words);

    if (length > CONSOLE_LIVE_COLUMNS)
        length = CONSOLE_LIVE_COLUMNS;
    line[0] = '\r';
    for (size_t i = 0; i < length; i++)
        line[used++] = words[i];
    while (used < shown + 1)
        line[used++] = ' ';
    out_text(console->out, line, used);
    console->live = true;
    console->live_used = used - 1;
}

static void sink_write(void *context, const char *text, size_t bytes)
{
    console_write(context, text, bytes);
}

struct text_sink console_sink(struct console *console)
{
    return (struct text_sink){.context = console, .write = sink_write};
}

void console_fatal(const char *text)
{
    SIMPLE_TEXT_OUTPUT_INTERFACE *out = fatal_system->ConOut;

    out_text(out, "\n", 1);
    out_text(out, text, text_length(text));
    out_text(out, "\nthe machine resets now\n", 24);
    fatal_system->RuntimeServices->ResetSystem(EfiResetCold, EFI_SUCCESS, 0, NULL);
    for (;;)
        continue;
}
