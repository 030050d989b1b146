/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/verdict/soak.h"

#include "core/lib/crc32.h"
#include "core/lib/file_name.h"
#include "core/lib/memory.h"
#include "core/lib/text.h"

#define VERSION 3
#define FIELDS  10
#define MARK_NS 2000000000ull

const char soak_header[] =
    "boot,run,status,verdict,conclusive,errors,warnings,seconds,died,firmware_s\n";

/* ---- slots */

/* "barechase soak 3 <fields>\nat <where>\n<line>crc <8 digits>\n", and blanks. The line may be
 * empty. */
void soak_encode(const struct soak_state *state, char slot[SOAK_SLOT_BYTES])
{
    struct text text;

    text_start(&text, slot, SOAK_SLOT_BYTES);
    text_format(&text, "barechase soak %u %lu %u %u %u %u %u %u %lu %u\nat %s\n%s", VERSION,
                state->sequence, state->boots, state->done, state->died, state->row,
                state->first_run, (unsigned)state->phase, state->history_bytes, state->before_crc,
                state->where, state->line);
    text_format(&text, "crc %08x\n", crc32_add(0, slot, text.used));
    memory_fill(slot + text.used, ' ', SOAK_SLOT_BYTES - text.used);
    slot[SOAK_SLOT_BYTES - 1] = '\n';
}

/* The end of the line at pos; SOAK_SLOT_BYTES: there is none. */
static size_t line_end(const char *slot, size_t pos)
{
    while (pos < SOAK_SLOT_BYTES && slot[pos] != '\n')
        pos++;
    return pos;
}

static bool read_fields(const char *line, size_t bytes, uint64_t field[FIELDS])
{
    static const char start[] = "barechase soak ";
    size_t pos = sizeof start - 1, count = 0;

    if (bytes <= pos || !memory_same(line, start, pos))
        return false;
    while (pos < bytes && count < FIELDS) {
        size_t end = pos;
        while (end < bytes && line[end] != ' ')
            end++;
        if (!text_read_u64(line + pos, end - pos, &field[count++]))
            return false;
        pos = end + 1;
    }
    return count == FIELDS && pos == bytes + 1 && field[0] == VERSION && field[7] <= SOAK_OVER;
}

static bool is_crc(const char *line, size_t bytes, uint32_t crc)
{
    char expected[16];

    text_print(expected, sizeof expected, "crc %08x", crc);
    return text_is(line, bytes, expected);
}

bool soak_decode(const char slot[SOAK_SLOT_BYTES], struct soak_state *state)
{
    size_t first = line_end(slot, 0), at = line_end(slot, first + 1), crc = at + 1;
    size_t end = line_end(slot, crc), where = first + 1 + 3;
    uint64_t field[FIELDS];

    if (end >= SOAK_SLOT_BYTES || !read_fields(slot, first, field))
        return false;
    /* The history's line, if there is one yet. */
    if (field[3] != 0) {
        crc = end + 1;
        end = line_end(slot, crc);
    }
    if (end >= SOAK_SLOT_BYTES || crc - at > SOAK_LINE_BYTES || at < where ||
        at - where >= SOAK_WHERE_BYTES || !is_crc(slot + crc, end - crc, crc32_add(0, slot, crc)))
        return false;
    *state = (struct soak_state){.sequence = field[1],
                                 .boots = (uint32_t)field[2],
                                 .done = (uint32_t)field[3],
                                 .died = (uint32_t)field[4],
                                 .row = (uint32_t)field[5],
                                 .first_run = (uint32_t)field[6],
                                 .phase = (enum soak_phase)field[7],
                                 .history_bytes = field[8],
                                 .before_crc = (uint32_t)field[9]};
    memory_copy(state->line, slot + at + 1, crc - at - 1);
    memory_copy(state->where, slot + where, at - where);
    return true;
}

bool soak_newest(const char slots[SOAK_SLOTS][SOAK_SLOT_BYTES], struct soak_state *state,
                 unsigned *next)
{
    struct soak_state other;
    bool first = soak_decode(slots[0], state), second = soak_decode(slots[1], &other);

    *next = first ? 1 : 0;
    if (second && (!first || other.sequence > state->sequence)) {
        *state = other;
        *next = 0;
    }
    return first || second;
}

bool soak_is_foreign(const char slots[SOAK_SLOTS][SOAK_SLOT_BYTES])
{
    for (unsigned i = 0; i < SOAK_SLOTS; i++)
        for (size_t pos = 0; pos < SOAK_SLOT_BYTES; pos++)
            if (slots[i][pos] != ' ' && slots[i][pos] != '\n' && slots[i][pos] != '\0')
                return true;
    return false;
}

/* ---- the history */

/* At the end the LF behind it was torn off. */
static bool is_return(const char *history, size_t bytes, size_t pos)
{
    return history[pos] == '\r' && (pos + 1 == bytes || history[pos + 1] == '\n');
}

void soak_start_behind(struct soak_state *state, const char *history, size_t bytes, size_t *returns)
{
    *state = (struct soak_state){.sequence = 0};
    *returns = 0;
    for (size_t pos = 0; pos < bytes; pos++) {
        if (is_return(history, bytes, pos)) {
            ++*returns;
            continue;
        }
        state->history_bytes++;
        state->before_crc = crc32_add(state->before_crc, history + pos, 1);
    }
}

enum soak_history soak_check_history(const struct soak_state *state, const char *history,
                                     size_t bytes, size_t *returns)
{
    uint64_t first = state->history_bytes - text_length(state->line), plain = 0;
    uint32_t crc = 0;
    bool same = true;

    *returns = 0;
    for (size_t pos = 0; pos < bytes; pos++) {
        if (is_return(history, bytes, pos)) {
            *returns += plain < first;
            continue;
        }
        if (plain < first)
            crc = crc32_add(crc, history + pos, 1);
        else if (plain < state->history_bytes)
            same = same && history[pos] == state->line[plain - first];
        plain++;
    }
    if (plain < first || plain > state->history_bytes || crc != state->before_crc)
        return SOAK_HISTORY_OTHER;
    if (plain < state->history_bytes || !same)
        return SOAK_HISTORY_TORN;
    *returns = bytes - plain;
    return SOAK_HISTORY_WHOLE;
}

bool soak_is_history(const char *history, size_t bytes)
{
    size_t line = sizeof soak_header - 2;

    if (bytes <= line || !memory_same(history, soak_header, line))
        return false;
    line += is_return(history, bytes, line);
    return line < bytes && history[line] == '\n';
}

const char *soak_refuse_history(const struct soak_state *state, const char *history, size_t bytes)
{
    size_t returns;

    if (state == NULL && bytes < sizeof soak_header)
        return NULL;
    if (bytes == 0)
        return "its history is missing, and its state is kept: put the history back, or move the "
               "state away too";
    if (!soak_is_history(history, bytes))
        return "its history is of another version, and is kept as it is";
    if (state == NULL)
        return history[bytes - 1] == '\n' ? NULL
                                          : "the last line of its history is torn, no state says "
                                            "what it was, and it is kept as it is";
    return soak_check_history(state, history, bytes, &returns) == SOAK_HISTORY_OTHER
               ? "lines of the history are not what the state says: both are kept as they are"
               : NULL;
}

void soak_begin(struct soak_state *state, uint32_t boots)
{
    if (state->phase == SOAK_RUNNING && state->sequence != 0) {
        state->died++;
        state->row++;
    }
    state->where[0] = '\0';
    state->boots = boots;
    state->phase = SOAK_RUNNING;
    state->sequence++;
}

void soak_end(struct soak_state *state, const char *line)
{
    state->before_crc = crc32_add(state->before_crc, state->line, text_length(state->line));
    text_print(state->line, sizeof state->line, "%s", line);
    state->history_bytes += text_length(state->line);
    state->done++;
    state->row = 0;
    state->where[0] = '\0';
    state->phase = state->done < state->boots ? SOAK_DONE : SOAK_OVER;
    state->sequence++;
}

bool soak_goes_on(const struct soak_state *state)
{
    return state->phase != SOAK_OVER && state->done < state->boots;
}

bool soak_may_reset(const struct soak_state *state)
{
    return state->row < SOAK_ROW_MAX;
}

/* ---- where a boot is */

bool soak_mark_due(struct soak_mark *mark, const struct progress *now, uint64_t now_ns)
{
    uint32_t number = now->part != NULL ? now->number : now->done;
    bool other = !mark->any || mark->experiment != now->experiment;

    if (!other &&
        (now_ns - mark->at_ns < MARK_NS || (mark->part == now->part && mark->number == number)))
        return false;
    *mark = (struct soak_mark){true, now_ns, now->experiment, now->part, number};
    return true;
}

void soak_where(const struct progress *now, char where[SOAK_WHERE_BYTES])
{
    if (now->part != NULL)
        text_print(where, SOAK_WHERE_BYTES, "tests=%s, %s %u", now->experiment, now->part,
                   now->number);
    else if (now->total != 0)
        text_print(where, SOAK_WHERE_BYTES, "tests=%s, point %u of %u", now->experiment,
                   now->done < now->total ? now->done + 1 : now->total, now->total);
    else
        text_print(where, SOAK_WHERE_BYTES, "%s", now->experiment);
}

/* ---- boards */

static bool is_filled(const uint8_t uuid[16])
{
    static const uint8_t placeholder[16] = {0x00, 0x02, 0x00, 0x03, 0x00, 0x04, 0x00, 0x05,
                                            0x00, 0x06, 0x00, 0x07, 0x00, 0x08, 0x00, 0x09};
    unsigned same = 0;

    for (unsigned i = 0; i < 16; i++)
        same += uuid[i] == uuid[0];
    return !memory_same(uuid, placeholder, 16) &&
           !(same == 16 && (uuid[0] == 0 || uuid[0] == 0xff));
}

/* "To be filled by O.E.M." was made "" when it was read; what is left says nothing if it is one
 * character again and again, or counts up from 0 or 1. */
static bool says_something(const char *serial)
{
    static const char *const counting = "0123456789";
    size_t length = text_length(serial), same = 0;

    for (size_t i = 0; i < length; i++)
        same += serial[i] == serial[0];
    return length > 2 && same < length && !text_is(counting, length < 10 ? length : 10, serial) &&
           !text_is(counting + 1, length < 9 ? length : 9, serial);
}

void soak_key(const char *board, const uint8_t uuid[16], const char *serial, const void *other,
              size_t other_bytes, char key[SOAK_KEY_BYTES])
{
    char name[FILE_NAME_BYTES];
    uint32_t crc;

    file_name_of(board, name);
    if (is_filled(uuid))
        crc = crc32_add(0, uuid, 16);
    else if (says_something(serial))
        crc = crc32_add(0, serial, text_length(serial));
    else
        crc = crc32_add(0, other, other_bytes);
    text_print(key, SOAK_KEY_BYTES, "%s-%08x", name, crc);
}

/* ---- lines of the history */

void soak_line(const struct soak_state *state, const struct soak_said *said,
               char line[SOAK_LINE_BYTES])
{
    struct text text =
        text_open(line, SOAK_LINE_BYTES, "%u,%u,%s,%s,%s,%lu,%lu,%.1f,%u,", state->done + 1,
                  said->run, said->status, said->verdict, said->conclusive ? "yes" : "no",
                  said->errors, said->warnings, said->seconds, state->died);

    if (said->firmware_s > 0)
        text_format(&text, "%.2f", said->firmware_s);
    text_char(&text, '\n');
}

size_t soak_line_before(const char *history, size_t end)
{
    size_t first = end - 1;

    while (first > 0 && history[first - 1] != '\n')
        first--;
    return first;
}

const char *soak_column(const char *line, size_t bytes, enum soak_column column, size_t *length)
{
    size_t pos = 0;

    for (unsigned i = 0; i < (unsigned)column; i++) {
        while (pos < bytes && line[pos] != ',')
            pos++;
        pos++;
    }
    for (*length = 0; pos + *length < bytes; ++*length) {
        char c = line[pos + *length];
        if (c != ',' && c != '\n')
            continue;
        if (c == '\n' && *length > 0 && line[pos + *length - 1] == '\r')
            --*length;
        return line + pos;
    }
    return NULL;
}

static struct soak_boot boot_of(const char *line, size_t bytes)
{
    struct soak_boot boot = {.run = 0};
    size_t length;
    const char *text = soak_column(line, bytes, SOAK_RUN, &length);
    uint64_t run;

    if (text != NULL && text_read_u64(text, length, &run))
        boot.run = (uint32_t)run;
    text = soak_column(line, bytes, SOAK_FIRMWARE_S, &length);
    if (text == NULL || !text_read_double(text, length, &boot.firmware_s) || !(boot.firmware_s > 0))
        boot.firmware_s = 0;
    return boot;
}

size_t soak_boots(const char *history, size_t bytes, struct soak_boot boot[], size_t count)
{
    size_t end = bytes, found = 0;

    while (found < count && end > 0) {
        size_t first = soak_line_before(history, end);
        boot[count - ++found] = boot_of(history + first, end - first);
        end = first;
    }
    for (size_t i = 0; i < found; i++)
        boot[i] = boot[count - found + i];
    return found;
}

uint32_t soak_with_verdict(const char *history, size_t bytes, uint32_t count, const char *verdict)
{
    uint32_t found = 0;

    for (size_t end = bytes, first; count > 0 && end > 0; count--, end = first) {
        size_t length;
        const char *word;
        first = soak_line_before(history, end);
        word = soak_column(history + first, end - first, SOAK_VERDICT, &length);
        found += word != NULL && text_is(word, length, verdict);
    }
    return found;
}
