/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as what a stick holds of a soak: as both slots of its state, as they are and with sums
 * that fit, and as its history. No crash, no read past the end; what is accepted is the same when
 * it is written and read again; a history that was torn is mended to what it was; columns and
 * verdicts are those that a plain reading finds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lib/crc32.h"
#include "core/verdict/soak.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- slots */

/* The same state, whatever fields it has. */
static void reads_back(const struct soak_state *state)
{
    char slot[SOAK_SLOT_BYTES], again[SOAK_SLOT_BYTES];
    struct soak_state read;

    soak_encode(state, slot);
    if (!soak_decode(slot, &read) || strcmp(state->line, read.line) != 0 ||
        strcmp(state->where, read.where) != 0 || read.sequence != state->sequence ||
        read.boots != state->boots || read.done != state->done || read.died != state->died ||
        read.row != state->row || read.first_run != state->first_run ||
        read.phase != state->phase || read.history_bytes != state->history_bytes ||
        read.before_crc != state->before_crc)
        abort();
    soak_encode(&read, again);
    if (memcmp(slot, again, sizeof slot) != 0)
        abort();
}

static bool try_slot(const char slot[SOAK_SLOT_BYTES], struct soak_state *state)
{
    if (!soak_decode(slot, state))
        return false;
    if (memchr(state->line, '\0', sizeof state->line) == NULL ||
        memchr(state->where, '\0', sizeof state->where) == NULL || state->phase > SOAK_OVER)
        abort();
    reads_back(state);
    return true;
}

static void try_slots(const char slots[SOAK_SLOTS][SOAK_SLOT_BYTES])
{
    struct soak_state of[SOAK_SLOTS], newest;
    unsigned next = SOAK_SLOTS;
    bool valid[SOAK_SLOTS] = {try_slot(slots[0], &of[0]), try_slot(slots[1], &of[1])};
    unsigned kept;

    if (soak_newest(slots, &newest, &next) != (valid[0] || valid[1]) || next >= SOAK_SLOTS)
        abort();
    if (!valid[0] && !valid[1])
        return;
    kept = 1 - next;
    /* The slot that is written next never holds the only state, or the newer one. */
    if (!valid[kept] || newest.sequence != of[kept].sequence ||
        strcmp(newest.line, of[kept].line) != 0 ||
        (valid[next] && of[next].sequence > newest.sequence) || !soak_is_foreign(slots))
        abort();
}

/* Puts a sum behind that many lines. What has one is text: a NUL in it is made a blank. */
static void mend(char slot[SOAK_SLOT_BYTES], unsigned lines)
{
    size_t pos = 0;
    char sum[16];

    for (char *c = slot; (c = memchr(c, '\0', (size_t)(slot + SOAK_SLOT_BYTES - c))) != NULL;)
        *c = ' ';
    for (; lines > 0; lines--, pos++)
        while (pos < SOAK_SLOT_BYTES && slot[pos] != '\n')
            pos++;
    if (pos + 13 > SOAK_SLOT_BYTES)
        return;
    snprintf(sum, sizeof sum, "crc %08x\n", crc32_add(0, slot, pos));
    memcpy(slot + pos, sum, 13);
}

static void fill(char slots[SOAK_SLOTS][SOAK_SLOT_BYTES], const uint8_t *data, size_t size)
{
    memset(slots, ' ', SOAK_SLOTS * SOAK_SLOT_BYTES);
    for (size_t i = 0; i < SOAK_SLOTS; i++) {
        size_t half = size / 2 < SOAK_SLOT_BYTES ? size / 2 : SOAK_SLOT_BYTES;
        if (half > 0)
            memcpy(slots[i], data + i * (size / 2), half);
    }
}

static void as_slots(const uint8_t *data, size_t size)
{
    static char slots[SOAK_SLOTS][SOAK_SLOT_BYTES];

    for (unsigned mended = 0; mended < 5; mended++) {
        fill(slots, data, size);
        if (mended != 0) {
            mend(slots[0], 2 + (mended & 1));
            mend(slots[1], 2 + (mended >> 1 & 1));
        }
        try_slots((const char(*)[SOAK_SLOT_BYTES])slots);
    }
}

/* ---- the history and the state that is written before it */

/* A line of a history out of any bytes. */
static size_t make_line(const uint8_t *data, size_t size, char line[SOAK_LINE_BYTES])
{
    size_t bytes = size < SOAK_LINE_BYTES - 2 ? size : SOAK_LINE_BYTES - 2;

    for (size_t i = 0; i < bytes; i++)
        line[i] = data[i] == '\0' || data[i] == '\n' || data[i] == '\r' ? ',' : (char)data[i];
    line[bytes] = '\n';
    line[bytes + 1] = '\0';
    return bytes + 1;
}

static enum soak_history check(const struct soak_state *state, const char *history, size_t bytes)
{
    size_t returns;
    enum soak_history found = soak_check_history(state, history, bytes, &returns);

    if (returns > bytes)
        abort();
    return found;
}

/* Power goes anywhere in the writing of the last line, behind a history of `before` bytes: it is
 * written again or is whole, and what is more or less than that, or edited at `edit` before it, is
 * another's. It is behind the others then; returns how long they all are. */
static size_t tear(const struct soak_state *state, char *history, size_t before, size_t edit)
{
    size_t length = strlen(state->line), bytes = before + length;

    for (size_t written = 0; written <= length; written++) {
        enum soak_history expected = written == length ? SOAK_HISTORY_WHOLE : SOAK_HISTORY_TORN;
        memcpy(history + before, state->line, written);
        if (check(state, history, before + written) != expected)
            abort();
    }
    history[bytes] = '\0'; /* which no line has */
    if (check(state, history, bytes + 1) != SOAK_HISTORY_OTHER ||
        check(state, history, before - 1) != SOAK_HISTORY_OTHER)
        abort();
    history[edit % before] ^= 2;
    if (check(state, history, bytes) != SOAK_HISTORY_OTHER)
        abort();
    history[edit % before] ^= 2;
    history[before] ^= 2;
    if (check(state, history, bytes) != SOAK_HISTORY_TORN)
        abort();
    history[before] ^= 2;
    return bytes;
}

/* What a boot says of where it is: any words. */
static void say_where(struct soak_state *state, const uint8_t *data, size_t size)
{
    size_t bytes = size < SOAK_WHERE_BYTES - 1 ? size : SOAK_WHERE_BYTES - 1;

    for (size_t i = 0; i < bytes; i++)
        state->where[i] = data[i] < ' ' ? ' ' : (char)data[i];
    state->where[bytes] = '\0';
}

/* Each byte is a boot that ends or dies, with a line of the bytes behind it. */
static void as_boots(const uint8_t *data, size_t size)
{
    static char history[200 + 6 * SOAK_LINE_BYTES];
    size_t bytes = strlen(soak_header), returns;
    struct soak_state state;
    uint32_t done = 0, died = 0;

    memcpy(history, soak_header, bytes);
    soak_start_behind(&state, history, bytes, &returns);

    for (size_t i = 0; i < size && i < 6; i++) {
        char line[SOAK_LINE_BYTES];
        size_t length = make_line(data + i, size - i < data[i] ? size - i : data[i], line), before;
        uint64_t sequence = state.sequence;
        soak_begin(&state, 3);
        reads_back(&state);
        say_where(&state, data + i, size - i);
        reads_back(&state);
        if (state.died != died || state.sequence <= sequence)
            abort();
        died += data[i] & 1;
        if (data[i] & 1)
            continue;
        soak_end(&state, line);
        done++;
        before = bytes;
        bytes = tear(&state, history, before, data[i] * 7u);
        if (bytes != before + length)
            abort();
        reads_back(&state);
        if (state.done != done || state.died != died || state.history_bytes != bytes ||
            soak_goes_on(&state) != (done < 3))
            abort();
    }
}

/* ---- lines of a history */

/* The word of that number, or NULL, by a plain reading: a comma or the line's end is behind it, of
 * which a CR in front of the LF is part. */
static const char *word_of(const char *line, size_t bytes, unsigned column, size_t *length)
{
    const char *end = line + bytes;

    for (const char *pos = line; pos < end; pos++) {
        if (*pos != ',' && *pos != '\n')
            continue;
        *length = (size_t)(pos - line);
        if (*pos == '\n' && *length > 0 && pos[-1] == '\r')
            --*length;
        if (column-- == 0)
            return line;
        line = pos + 1;
    }
    return NULL;
}

static void try_line(const char *line, size_t bytes)
{
    for (unsigned column = SOAK_BOOT; column <= SOAK_FIRMWARE_S; column++) {
        size_t length = 0, expected = 0;
        const char *found = soak_column(line, bytes, (enum soak_column)column, &length);
        if (found != word_of(line, bytes, column, &expected) ||
            (found != NULL && length != expected))
            abort();
    }
}

/* The last boots are the same however many are asked for. */
static void try_boots(const char *history, size_t bytes, uint32_t lines)
{
    struct soak_boot boot[4], last;
    size_t all = soak_boots(history, bytes, boot, 4);

    if (all != (lines < 4 ? lines : 4))
        abort();
    if (all == 0)
        return;
    if (soak_boots(history, bytes, &last, 1) != 1 || last.run != boot[all - 1].run ||
        last.firmware_s != boot[all - 1].firmware_s)
        abort();
    for (size_t i = 0; i < all; i++)
        if (!(boot[i].firmware_s >= 0))
            abort();
}

/* A history that goes on has a first line and an end. */
static void try_first(const char *history, size_t bytes)
{
    size_t header = strlen(soak_header);
    char *whole = malloc(header + bytes);

    if (whole == NULL)
        abort();
    memcpy(whole, soak_header, header);
    memcpy(whole + header, history, bytes);
    if (!soak_is_history(whole, header + bytes) || soak_is_history(whole, header - 1) ||
        (soak_refuse_history(NULL, whole, header + bytes) == NULL) !=
            (whole[header + bytes - 1] == '\n'))
        abort();
    free(whole);
    if (bytes > header && soak_refuse_history(NULL, history, bytes) == NULL &&
        !soak_is_history(history, bytes))
        abort();
}

static void as_history(const uint8_t *data, size_t size)
{
    char *history = malloc(size + (size == 0));
    uint32_t verdicts = 0, lines = 0;

    if (history == NULL)
        abort();
    if (size > 0)
        memcpy(history, data, size);
    if (soak_with_verdict(history, size, 0, "OK") != 0)
        abort();
    for (size_t end = size, first, length; end > 0; end = first) {
        const char *word;
        first = soak_line_before(history, end);
        if (first >= end || (first > 0 && history[first - 1] != '\n') ||
            memchr(history + first, '\n', end - 1 - first) != NULL)
            abort();
        try_line(history + first, end - first);
        word = word_of(history + first, end - first, SOAK_VERDICT, &length);
        verdicts += word != NULL && length == 2 && memcmp(word, "OK", 2) == 0;
        lines++;
        if (soak_with_verdict(history, size, lines, "OK") != verdicts)
            abort();
        if (lines > 64)
            break;
    }
    try_boots(history, size, lines);
    try_first(history, size);
    free(history);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    as_slots(data, size);
    as_boots(data, size);
    as_history(data, size);
    return 0;
}
