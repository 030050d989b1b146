/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a baseline, as they are and with a last line that fits: no crash, no read past the
 * end; a refusal says something printable, what is accepted reads back as it is written, nothing of
 * it is accepted that was cut off, and it is as good as itself. The bytes as figures of a run: what
 * is written is accepted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lib/crc32.h"
#include "core/verdict/baseline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ROOM      16
#define OUT_BYTES (ROOM * BASELINE_LINE_MAX + 2048)

struct out {
    char text[OUT_BYTES];
    size_t used;
};

static void keep(void *context, const char *text, size_t bytes)
{
    struct out *out = context;

    if (bytes > sizeof out->text - out->used)
        abort();
    memcpy(out->text + out->used, text, bytes);
    out->used += bytes;
}

static void assert_terminated(const char *text, size_t capacity)
{
    if (memchr(text, '\0', capacity) == NULL)
        abort();
}

static void assert_why(const char why[BASELINE_WHY_BYTES])
{
    assert_terminated(why, BASELINE_WHY_BYTES);
    if (*why == '\0')
        abort();
    for (; *why != '\0'; why++)
        if (*why < 0x20 || *why > 0x7e)
            abort();
}

/* A control character is written as a blank. */
static bool same_text(const char *a, const char *b)
{
    for (; *a != '\0' || *b != '\0'; a++, b++)
        if (*a != *b && ((unsigned char)*a >= ' ' || *a == '\0' || *b != ' '))
            return false;
    return true;
}

static void assert_same(const struct figures *a, const struct figures *b)
{
    if (a->count != b->count)
        abort();
    for (size_t i = 0; i < a->count; i++) {
        const struct figures_one *x = &a->one[i], *y = &b->one[i];
        if (x->kind != y->kind || x->marked != y->marked || x->value != y->value ||
            x->low != y->low || x->high != y->high || !same_text(x->name, y->name) ||
            !same_text(x->words, y->words))
            abort();
    }
}

/* What is written of these figures reads back; where they were read, as the same. */
static void writes_and_reads(const struct baseline_of *of, const struct figures *figures,
                             bool were_read)
{
    static struct out first, second;
    static struct figures_one one[ROOM];
    struct figures again;
    struct baseline_of of_again;
    char why[BASELINE_WHY_BYTES];

    first.used = second.used = 0;
    baseline_write(of, figures, &(struct text_sink){&first, keep});
    figures_start(&again, one, ROOM);
    if (!baseline_read(first.text, first.used, &of_again, &again, why) ||
        again.count != figures->count)
        abort();
    if (were_read)
        assert_same(figures, &again);
    baseline_write(&of_again, &again, &(struct text_sink){&second, keep});
    if (first.used != second.used || memcmp(first.text, second.text, first.used) != 0)
        abort();
}

static void is_as_good_as_itself(const struct figures *figures)
{
    static const struct baseline_limits limits = {.latency = 0.05, .rate = 0.1};
    static struct lines_room room;
    struct baseline_result result;

    baseline_compare(figures, figures, &limits, &room, &result);
    for (size_t i = 0; i < result.told_count; i++) {
        char words[300];
        struct text text;
        text_start(&text, words, sizeof words);
        baseline_words(&result.told[i], &text);
    }
}

/* Reads a copy of exactly these bytes; false: it was refused. */
static bool try(const char *text, size_t bytes)
{
    static struct figures_one one[ROOM];
    struct figures figures;
    struct baseline_of of;
    char why[BASELINE_WHY_BYTES] = "", *copy = malloc(bytes + (bytes == 0));
    bool taken;

    if (copy == NULL)
        abort();
    memcpy(copy, text, bytes);
    figures_start(&figures, one, ROOM);
    taken = baseline_read(copy, bytes, &of, &figures, why);
    free(copy);
    if (figures.count > ROOM)
        abort();
    assert_terminated(of.board, sizeof of.board);
    assert_terminated(of.plan, sizeof of.plan);
    for (size_t i = 0; i < figures.count; i++) {
        assert_terminated(one[i].name, sizeof one[i].name);
        assert_terminated(one[i].words, sizeof one[i].words);
    }
    if (!taken) {
        assert_why(why);
        return false;
    }
    writes_and_reads(&of, &figures, true);
    is_as_good_as_itself(&figures);
    return true;
}

/* The same lines with a last one that fits them. */
static void try_ended(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 64);
    size_t lines = 0, bytes = size;

    if (text == NULL)
        abort();
    if (size > 0)
        memcpy(text, data, size);
    if (bytes > 0 && text[bytes - 1] != '\n')
        text[bytes++] = '\n';
    for (size_t i = 0; i < bytes; i++)
        lines += text[i] == '\n';
    bytes += (size_t)snprintf(text + bytes, 40, "end\t%zu\t%08x\n", lines - 1,
                              crc32_add(0, text, bytes));
    if (try(text, bytes) && try(text, bytes - 1))
        abort();
    free(text);
}

/* Takes up to `bytes` of the input, to be the start of `to`. */
static void take(const uint8_t **data, size_t *size, void *to, size_t bytes)
{
    size_t count = *size < bytes ? *size : bytes;

    if (count > 0)
        memcpy(to, *data, count);
    *data += count;
    *size -= count;
}

static double take_number(const uint8_t **data, size_t *size)
{
    double number = 0;

    take(data, size, &number, sizeof number);
    return isfinite(number) ? number : 0;
}

static void try_figures(const uint8_t *data, size_t size)
{
    static struct figures_one one[ROOM];
    struct figures figures;
    struct baseline_of of = {.board = ""};

    figures_start(&figures, one, ROOM);
    take(&data, &size, of.board, sizeof of.board / 4);
    take(&data, &size, of.plan, sizeof of.plan / 16);
    while (size > 0 && figures.count < ROOM) {
        struct figures_one *next = &one[figures.count++];
        uint8_t kind = 0;
        take(&data, &size, &kind, 1);
        *next = (struct figures_one){.kind = (enum figures_kind)(kind % (FIGURES_WORDS + 1)),
                                     .marked = kind >= 128};
        take(&data, &size, next->name, (kind & 64) != 0 ? sizeof next->name - 1 : 8);
        next->value = take_number(&data, &size);
        next->low = take_number(&data, &size);
        next->high = take_number(&data, &size);
        if (next->kind == FIGURES_WORDS)
            take(&data, &size, next->words, (kind & 32) != 0 ? sizeof next->words - 1 : 8);
    }
    writes_and_reads(&of, &figures, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try((const char *)data, size);
    try_ended(data, size);
    try_figures(data, size);
    return 0;
}
