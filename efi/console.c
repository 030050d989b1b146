/* SPDX-License-Identifier: BSD-2-Clause */
/* Text onto ConOut; see console.h. */
#include "efi/console.h"

#define CHUNK      128 /* CHAR16s handed to the firmware at once */
#define MODES_MAX  32
#define BACKGROUND 0x70 /* of an attribute: UEFI 2.10, 12.4.7 */

/* console_last_words is called from an exception and gets no context. */
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

/* ---- mode and colours */

static size_t modes_of(SIMPLE_TEXT_OUTPUT_INTERFACE *out, struct screen_mode mode[MODES_MAX])
{
    size_t count = out->Mode->MaxMode < MODES_MAX ? (size_t)out->Mode->MaxMode : MODES_MAX;

    for (size_t i = 0; i < count; i++) {
        UINTN columns = 0, rows = 0;
        bool known = !EFI_ERROR(out->QueryMode(out, i, &columns, &rows));
        mode[i] = (struct screen_mode){known ? columns : 0, known ? rows : 0};
    }
    return count;
}

/* SetMode clears, and so does ClearScreen: a firmware's logo stays on a graphics screen until
 * somebody clears it, and our lines would run across it. */
static void choose_mode(struct console *console)
{
    SIMPLE_TEXT_OUTPUT_INTERFACE *out = console->out;
    struct screen_mode mode[MODES_MAX];
    size_t count = modes_of(out, mode), now = console->mode_found;
    size_t chosen = screen_mode_choose(mode, count, now);

    if (chosen != now && !EFI_ERROR(out->SetMode(out, chosen))) {
        console->mode_changed = true;
        now = chosen;
    } else {
        out->ClearScreen(out);
    }
    if (now < count) {
        console->columns = mode[now].columns;
        console->rows = mode[now].rows;
    }
}

void console_start(struct console *console, const struct firmware *fw)
{
    static const EFI_GUID graphics = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
    void *found = NULL;

    *console = (struct console){.out = fw->system->ConOut};
    fatal_system = fw->system;
    if (console->out == NULL || console->out->Mode == NULL ||
        EFI_ERROR(fw->boot->LocateProtocol((EFI_GUID *)&graphics, NULL, &found)))
        return;
    console->graphics = true;
    console->mode_found = (size_t)console->out->Mode->Mode;
    console->attribute_found = (size_t)console->out->Mode->Attribute;
    choose_mode(console);
}

bool console_end(struct console *console)
{
    bool changed = console->mode_changed;

    if (!console->graphics)
        return false;
    clear_live(console);
    console->out->SetAttribute(console->out, console->attribute_found);
    if (changed)
        console->out->SetMode(console->out, console->mode_found);
    console->mode_changed = console->graphics = false;
    return changed;
}

size_t console_rows(const struct console *console)
{
    /* The cursor waits on a row of its own. */
    return console->rows > SCREEN_ROWS ? console->rows - 1 : SCREEN_ROWS;
}

/* Bright colours, to stand out from grey on any background; the background is left as found. */
static void colour(struct console *console, enum screen_meaning meaning)
{
    static const UINTN colours[SCREEN_MEANINGS] = {[SCREEN_HEADLINE] = EFI_WHITE,
                                                   [SCREEN_OK] = EFI_LIGHTGREEN,
                                                   [SCREEN_MARK] = EFI_YELLOW,
                                                   [SCREEN_ERROR] = EFI_LIGHTRED};
    UINTN background = console->attribute_found & BACKGROUND;

    if (console->graphics)
        console->out->SetAttribute(console->out, meaning == SCREEN_PLAIN
                                                     ? console->attribute_found
                                                     : colours[meaning] | background);
}

/* ---- text */

/* Clears the screen before text that would end below the last row. */
static void make_room(struct console *console, size_t bytes)
{
    size_t rows = console->columns > 0 ? bytes / console->columns + 1 : 1;

    if (console->graphics && (size_t)console->out->Mode->CursorRow + rows >= console->rows)
        console->out->ClearScreen(console->out);
}

void console_write(struct console *console, const char *text, size_t bytes)
{
    clear_live(console);
    while (bytes > 0) {
        size_t line = 0;

        while (line < bytes && text[line] != '\n')
            line++;
        line += line < bytes;
        make_room(console, line);
        out_text(console->out, text, line);
        text += line;
        bytes -= line;
    }
}

void console_show(struct console *console, const struct screen *screen)
{
    clear_live(console);
    if (console->graphics)
        console->out->ClearScreen(console->out);
    else
        out_text(console->out, "\n", 1);
    for (size_t i = 0; i < screen->lines; i++) {
        colour(console, screen->line[i].meaning);
        out_text(console->out, screen->line[i].words, text_length(screen->line[i].words));
        colour(console, SCREEN_PLAIN);
        out_text(console->out, "\n", 1);
    }
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

void console_last_words(const char *text)
{
    SIMPLE_TEXT_OUTPUT_INTERFACE *out = fatal_system->ConOut;

    out_text(out, "\n", 1);
    out_text(out, text, text_length(text));
    out_text(out, "\n", 1);
}
