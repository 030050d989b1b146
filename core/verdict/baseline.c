/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/verdict/baseline.h"

#include "core/lib/crc32.h"
#include "core/lib/memory.h"
#include "core/lib/real.h"

#define FIRST_LINE "barechase baseline"
#define FIELDS_MAX 8
#define PARTS_MAX  (1u << ADDRESS_FUNCTIONS_MAX)
/* Firmware keeps more or less of memory to itself from boot to boot, and rounds the speeds of
 * modules (2933, 2934 MT/s); a rank is more, and the next speed too. */
#define SAYS_SHARE 0.01

/* ---- of which run */

static const char *const plan_keys[] = {"plan",   "tests",    "min",    "max",    "pages",
                                        "map",    "range",    "block",  "chains", "pattern",
                                        "stride", "prefetch", "pstate", "uncore", "load"};

static bool decides(const char *word, size_t bytes)
{
    for (size_t i = 0; i < sizeof plan_keys / sizeof plan_keys[0]; i++) {
        size_t length = text_length(plan_keys[i]);
        if (bytes > length && word[length] == '=' && text_is(word, length, plan_keys[i]))
            return true;
    }
    return false;
}

void baseline_of_run(const struct record_run *run, struct baseline_of *of)
{
    const char *word = run->options != NULL ? run->options : "";
    struct text plan;

    text_print(of->board, sizeof of->board, "%s", run->board);
    text_start(&plan, of->plan, sizeof of->plan);
    while (*word != '\0') {
        size_t bytes = 0;
        while (word[bytes] != '\0' && word[bytes] != ' ')
            bytes++;
        if (decides(word, bytes)) {
            text_add(&plan, plan.used != 0 ? " " : "");
            text_bytes(&plan, word, bytes);
        }
        word += bytes + (word[bytes] == ' ');
    }
}

/* ---- writing */

struct writer {
    const struct text_sink *sink;
    uint32_t crc;
    size_t lines;
};

static void put(struct writer *writer, const char *line)
{
    size_t bytes = text_length(line);

    writer->sink->write(writer->sink->context, line, bytes);
    writer->sink->write(writer->sink->context, "\n", 1);
    writer->crc = crc32_add(crc32_add(writer->crc, line, bytes), "\n", 1);
    writer->lines++;
}

/* Names come from firmware: what would end a field or a line becomes a blank. */
static void add_clean(struct text *line, const char *words)
{
    for (; *words != '\0'; words++)
        text_char(line, (unsigned char)*words < ' ' ? ' ' : *words);
}

static void put_words(struct writer *writer, const char *what, const char *words)
{
    char buffer[BASELINE_LINE_MAX];
    struct text line = text_open(buffer, sizeof buffer, "%s\t", what);

    add_clean(&line, words);
    put(writer, buffer);
}

static void add_numbers(struct text *line, const double number[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_format(line, "\t%s", TEXT_SHORTEST(number[i]));
}

static void put_figure(struct writer *writer, const struct figures_one *one)
{
    const double bounded[] = {one->value, one->low, one->high};
    char buffer[BASELINE_LINE_MAX];
    struct text line = text_open(buffer, sizeof buffer, "%s\t", figures_kind_name(one->kind));

    add_clean(&line, one->name);
    if (one->kind == FIGURES_WORDS) {
        text_char(&line, '\t');
        add_clean(&line, one->words);
    } else {
        add_numbers(&line, bounded, 3);
        text_format(&line, "\t%s\t", one->marked ? "marked" : "-");
        add_clean(&line, one->slot);
    }
    if (one->kind == FIGURES_DIFFERENCE)
        add_numbers(&line, &one->against_ns, 1);
    put(writer, buffer);
}

static void put_unseen(struct writer *writer, const struct figures_unseen *unseen)
{
    const double number[] = {unseen->range_ns, unseen->half_ns, unseen->part_ns, unseen->parts,
                             unseen->against_ns};
    char buffer[BASELINE_LINE_MAX];
    struct text line = text_open(buffer, sizeof buffer, "unseen");

    add_numbers(&line, number, 5);
    put(writer, buffer);
}

void baseline_write(const struct baseline_of *of, const struct figures *figures,
                    const struct text_sink *sink)
{
    struct writer writer = {.sink = sink};
    char line[BASELINE_LINE_MAX];

    text_print(line, sizeof line, "%s %u", FIRST_LINE, BASELINE_VERSION);
    put(&writer, line);
    put_words(&writer, "board", of->board);
    put_words(&writer, "plan", of->plan);
    put_unseen(&writer, &figures->unseen);
    for (size_t i = 0; i < figures->count; i++)
        put_figure(&writer, &figures->one[i]);
    text_print(line, sizeof line, "end\t%zu\t%08x", writer.lines - 1, writer.crc);
    put(&writer, line);
}

/* ---- reading */

struct field {
    const char *text;
    size_t bytes;
};

static size_t cut(const char *line, size_t bytes, struct field field[FIELDS_MAX])
{
    size_t count = 1;

    field[0] = (struct field){line, 0};
    for (size_t i = 0; i < bytes; i++) {
        if (line[i] != '\t') {
            field[count - 1].bytes++;
            continue;
        }
        if (count == FIELDS_MAX)
            return FIELDS_MAX + 1;
        field[count++] = (struct field){line + i + 1, 0};
    }
    return count;
}

static void keep(const struct field *field, char *to, size_t capacity)
{
    struct text text;

    text_start(&text, to, capacity);
    text_bytes(&text, field->text, field->bytes);
}

static bool read_number(const struct field *field, double *number)
{
    return text_read_double(field->text, field->bytes, number);
}

static bool read_unseen(const struct field field[], size_t count, struct figures_unseen *unseen)
{
    return count == 6 && read_number(&field[1], &unseen->range_ns) &&
           read_number(&field[2], &unseen->half_ns) && read_number(&field[3], &unseen->part_ns) &&
           read_number(&field[4], &unseen->parts) && unseen->parts >= 0 &&
           unseen->parts <= PARTS_MAX && read_number(&field[5], &unseen->against_ns);
}

static bool read_figure(const struct field field[], size_t count, struct figures_one *one)
{
    for (unsigned kind = 0; kind <= FIGURES_WORDS; kind++) {
        if (!text_is(field[0].text, field[0].bytes, figures_kind_name((enum figures_kind)kind)))
            continue;
        *one = (struct figures_one){.kind = (enum figures_kind)kind};
        keep(&field[1], one->name, sizeof one->name);
        if (kind == FIGURES_WORDS) {
            keep(&field[2], one->words, sizeof one->words);
            return count == 3;
        }
        if (count != (kind == FIGURES_DIFFERENCE ? 8 : 7))
            return false;
        keep(&field[6], one->slot, sizeof one->slot);
        one->marked = text_is(field[5].text, field[5].bytes, "marked");
        return read_number(&field[2], &one->value) && read_number(&field[3], &one->low) &&
               read_number(&field[4], &one->high) &&
               (kind != FIGURES_DIFFERENCE || read_number(&field[7], &one->against_ns));
    }
    return false;
}

static bool read_line(const char *line, size_t bytes, struct baseline_of *of,
                      struct figures *figures)
{
    struct field field[FIELDS_MAX];
    size_t count = cut(line, bytes, field);

    if (count < 2 || count > FIELDS_MAX)
        return false;
    if (text_is(field[0].text, field[0].bytes, "board")) {
        keep(&field[1], of->board, sizeof of->board);
        return count == 2;
    }
    if (text_is(field[0].text, field[0].bytes, "plan")) {
        keep(&field[1], of->plan, sizeof of->plan);
        return count == 2;
    }
    if (text_is(field[0].text, field[0].bytes, "unseen"))
        return read_unseen(field, count, &figures->unseen);
    return figures->count < figures->room && count >= 3 &&
           read_figure(field, count, &figures->one[figures->count]) && ++figures->count != 0;
}

static bool read_first(const char *line, size_t bytes, char why[BASELINE_WHY_BYTES])
{
    size_t length = text_length(FIRST_LINE);
    uint64_t version;

    if (bytes <= length + 1 || !text_is(line, length, FIRST_LINE) ||
        !text_read_u64(line + length + 1, bytes - length - 1, &version)) {
        text_print(why, BASELINE_WHY_BYTES,
                   "it is no baseline: it does not begin with \"%s\" and a number", FIRST_LINE);
        return false;
    }
    if (version != BASELINE_VERSION)
        text_print(why, BASELINE_WHY_BYTES, "it is of version %lu instead of %u", version,
                   BASELINE_VERSION);
    return version == BASELINE_VERSION;
}

/* A line of a text and what stands before it. */
struct reader {
    const char *text, *line;
    size_t bytes, pos; /* of the text, and where its next line begins */
    size_t length;     /* of the line, without its end */
    size_t lines;      /* before this one */
    uint32_t crc;      /* of them, as they were written */
};

/* Steps to the next line, whose end is LF or, after an editor, CR LF. False: there is none that has
 * an end. */
static bool next_line(struct reader *reader)
{
    size_t end = reader->pos;

    if (reader->line != NULL) {
        reader->crc = crc32_add(reader->crc, reader->line, reader->length);
        reader->crc = crc32_add(reader->crc, "\n", 1);
        reader->lines++;
    }
    while (end < reader->bytes && reader->text[end] != '\n')
        end++;
    if (end == reader->bytes)
        return false;
    reader->line = reader->text + reader->pos;
    reader->length = end - reader->pos;
    if (reader->length > 0 && reader->line[reader->length - 1] == '\r')
        reader->length--;
    reader->pos = end + 1;
    return true;
}

/* The last line: how many there are before it, and their CRC. */
static bool read_end(const struct reader *reader, char why[BASELINE_WHY_BYTES])
{
    struct field field[FIELDS_MAX];
    char found[12], expected[12];
    size_t lines = reader->lines - 1;

    text_print(expected, sizeof expected, "%08x", reader->crc);
    if (cut(reader->line, reader->length, field) == 3) {
        uint64_t told;
        keep(&field[2], found, sizeof found);
        if (text_read_u64(field[1].text, field[1].bytes, &told) && told == lines &&
            text_equal(found, expected))
            return true;
    }
    text_print(why, BASELINE_WHY_BYTES,
               "it was edited or damaged: its last line does not fit the %zu before it", lines);
    return false;
}

/* Editors leave empty lines behind the last one. */
static bool is_last(const char *behind, size_t bytes, char why[BASELINE_WHY_BYTES])
{
    for (size_t i = 0; i < bytes; i++)
        if (behind[i] != '\n' && behind[i] != '\r' && behind[i] != ' ' && behind[i] != '\t') {
            text_print(why, BASELINE_WHY_BYTES, "it was edited or damaged: text follows its end");
            return false;
        }
    return true;
}

/* Cuts off the mark that editors put before UTF-8. False: it is not text as it was written. */
static bool read_encoding(const char **text, size_t *bytes, char why[BASELINE_WHY_BYTES])
{
    const unsigned char *b = (const unsigned char *)*text;

    if (*bytes >= 2 && ((b[0] == 0xff && b[1] == 0xfe) || (b[0] == 0xfe && b[1] == 0xff))) {
        text_print(why, BASELINE_WHY_BYTES, "it is UTF-16; save it as plain text");
        return false;
    }
    if (*bytes >= 3 && b[0] == 0xef && b[1] == 0xbb && b[2] == 0xbf) {
        *text += 3;
        *bytes -= 3;
    }
    return true;
}

bool baseline_read(const char *text, size_t bytes, struct baseline_of *of, struct figures *figures,
                   char why[BASELINE_WHY_BYTES])
{
    struct reader reader;

    *of = (struct baseline_of){.board = ""};
    if (!read_encoding(&text, &bytes, why))
        return false;
    reader = (struct reader){.text = text, .bytes = bytes};
    while (next_line(&reader)) {
        if (reader.lines == 0) {
            if (!read_first(reader.line, reader.length, why))
                return false;
            continue;
        }
        if (reader.length > 4 && text_is(reader.line, 4, "end\t"))
            return read_end(&reader, why) && is_last(text + reader.pos, bytes - reader.pos, why);
        if (!read_line(reader.line, reader.length, of, figures)) {
            text_print(why, BASELINE_WHY_BYTES, "line %zu is not one of a baseline",
                       reader.lines + 1);
            return false;
        }
    }
    text_print(why, BASELINE_WHY_BYTES, "it is cut off: it has no last line");
    return false;
}

/* ---- comparing */

/* How much worse `now` is, in the figure's unit. */
static double worse_by(const struct figures_one *then, const struct figures_one *now)
{
    double change = now->value - then->value;

    if (then->kind == FIGURES_RATE || then->kind == FIGURES_SIZE)
        return -change;
    return then->kind == FIGURES_TIME || then->kind == FIGURES_SPEED ? real_abs(change) : change;
}

static double limit_of(const struct figures_one *then, const struct baseline_limits *limits)
{
    if (then->kind == FIGURES_SIZE || then->kind == FIGURES_SPEED)
        return real_abs(then->value) * SAYS_SHARE;
    return real_abs(then->value) * (then->kind == FIGURES_RATE ? limits->rate : limits->latency);
}

/* A difference that one of both does not tell is none, to within what would have been told. More is
 * worse for sure from where change and difference are more than a latency may be, and more than the
 * boots are apart by themselves; less of that is left open. */
static enum baseline_outcome outcome_of_change(const struct lines_change *change, double limit_ns,
                                               const struct baseline_limits *limits)
{
    double error = change->error_ns, scatter = change->then.scatter_ns;
    double told_error = real_hypotenuse(change->then.error_ns, change->now.error_ns);
    double least = (limit_ns < scatter ? limit_ns : scatter) + error;

    if (change->ns > least && change->ns > scatter + error && change->ns > limit_ns + told_error &&
        change->now.ns > limit_ns)
        return BASELINE_WORSE;
    return change->ns > least || (limits->alike && -change->ns > least) ? BASELINE_DOUBTED
                                                                        : BASELINE_SAME;
}

static enum baseline_outcome outcome_of(const struct figures_one *then,
                                        const struct figures_one *now,
                                        const struct baseline_limits *limits)
{
    bool level = then->kind == FIGURES_LATENCY || then->kind == FIGURES_RATE;
    double error, change, limit;

    if (now == NULL)
        return BASELINE_MISSING;
    if (then->kind == FIGURES_WORDS)
        return text_equal(then->words, now->words) ? BASELINE_SAME : BASELINE_WORSE;
    error = real_hypotenuse(figures_error(then), figures_error(now));
    change = worse_by(then, now);
    limit = limit_of(then, limits);
    if (then->marked || now->marked)
        return then->marked && limits->alike ? BASELINE_SAME : BASELINE_DOUBTED;
    if (change > limit + error)
        return BASELINE_WORSE;
    /* Refresh is small: a share of it is within the errors. */
    return level && change + error > limit ? BASELINE_DOUBTED : BASELINE_SAME;
}

/* Sure ones first, then by how much. */
static bool comes_first(const struct baseline_difference *a, const struct baseline_difference *b)
{
    return a->outcome != b->outcome ? a->outcome < b->outcome : a->share > b->share;
}

static void tell(struct baseline_result *result, const struct baseline_difference *difference)
{
    size_t pos = result->told_count;

    while (pos > 0 && comes_first(difference, &result->told[pos - 1]))
        pos--;
    if (pos == BASELINE_TOLD_MAX)
        return;
    if (result->told_count < BASELINE_TOLD_MAX)
        result->told_count++;
    for (size_t i = result->told_count - 1; i > pos; i--)
        result->told[i] = result->told[i - 1];
    result->told[pos] = *difference;
}

static void enter(struct baseline_result *result, enum baseline_outcome outcome,
                  const struct figures_one *then, const struct figures_one *now)
{
    struct baseline_difference difference = {.outcome = outcome, .then = then, .now = now};

    result->counts[outcome]++;
    if (outcome == BASELINE_SAME)
        return;
    difference.share = 1;
    if (then != NULL && now != NULL && then->kind != FIGURES_WORDS && then->value != 0)
        difference.share = worse_by(then, now) / real_abs(then->value);
    tell(result, &difference);
}

/* ---- differences */

static struct lines_value value_of(const struct figures_one *range,
                                   const struct figures_unseen *unseen)
{
    if (range == NULL)
        return (struct lines_value){.unseen_ns = unseen->range_ns};
    return (struct lines_value){
        .ns = range->value, .error_ns = figures_error(range), .scatter_ns = range->scatter};
}

/* A range that differs from the rest in one of the two runs, or in both. */
static void enter_range(struct baseline_result *result, const struct lines_room *room,
                        const struct figures_one *then, const struct figures_one *now,
                        const struct baseline_limits *limits)
{
    struct lines_change change = {.then = value_of(then, &room->then.unseen),
                                  .now = value_of(now, &room->now.unseen)};
    double limit_ns = (now != NULL ? now : then)->against_ns * limits->latency;

    change.ns = change.now.ns - change.then.ns;
    change.error_ns = lines_error_ns(&change.then, &change.now);
    enter(result, outcome_of_change(&change, limit_ns, limits), then, now);
}

static void raise_unseen(struct baseline_unseen *unseen, double ns, const char *of)
{
    if (ns <= unseen->lines_ns)
        return;
    unseen->lines_ns = ns;
    text_print(unseen->lines, sizeof unseen->lines, "%s", of);
}

/* What lines may take more now without its being told: of those that one of the runs tells, as much
 * as boots are apart and errors allow; of all others, as much as a run does not tell. */
static void take_unseen(struct baseline_unseen *unseen, const struct lines_room *room,
                        double limit_ns)
{
    const struct lines *const run[2] = {&room->then, &room->now};

    unseen->compared = true;
    for (unsigned i = 0; i < 2; i++) {
        char any[FIGURES_NAME_BYTES];
        text_print(any, sizeof any, "one line in %lu", (uint64_t)run[i]->unseen.parts);
        raise_unseen(unseen, run[i]->unseen.part_ns, any);
        unseen->compared = unseen->compared && run[i]->unseen.part_ns > 0;
        for (size_t k = 0; k < run[i]->count; k++) {
            const struct lines_told *told = &run[i]->told[k];
            struct lines_value a = lines_value(&room->then, &told->group);
            struct lines_value b = lines_value(&room->now, &told->group);
            double apart_ns = a.scatter_ns < limit_ns ? a.scatter_ns : limit_ns;
            raise_unseen(unseen, apart_ns + 2 * lines_error_ns(&a, &b), told->name);
        }
    }
    unseen->lines_share = unseen->lines_ns / room->now.against_ns;
}

/* Lines by address bits: not group by group, since one memory may be told by other groups now. */
static void enter_lines(struct baseline_result *result, struct lines_room *room,
                        const struct figures *then, const struct figures *now,
                        const struct baseline_limits *limits)
{
    double limit_ns = room->now.against_ns * limits->latency;
    struct lines_change change;

    while (lines_next(room, limit_ns, &change)) {
        struct figures_one *one = room->one[room->changes - 1];
        lines_figure(&change, &change.then, then, limits->decode, &one[0]);
        lines_figure(&change, &change.now, now, limits->decode, &one[1]);
        enter(result, outcome_of_change(&change, limit_ns, limits),
              change.then.ns != 0 ? &one[0] : NULL, &one[1]);
    }
    take_unseen(&result->unseen, room, limit_ns);
    result->too_little = room->now.unseen.against_ns > 0 &&
                         (!result->unseen.compared || result->unseen.lines_ns > limit_ns);
    result->compared += room->then.count;
    result->counts[BASELINE_UNHELD] += room->then.more || room->now.more;
}

/* ---- all figures */

/* Ranges that are slower than others, and were not in the baseline; what else was not there was
 * held against nothing. */
static void enter_new(const struct figures *then, const struct figures *now,
                      const struct lines_room *room, const struct baseline_limits *limits,
                      struct baseline_result *result)
{
    size_t from = 0;

    for (size_t i = 0; i < now->count; i++) {
        const struct figures_one *one = &now->one[i];
        if (lines_are(one) || figures_find(then, one->name, &from) != NULL)
            continue;
        if (one->kind == FIGURES_DIFFERENCE)
            enter_range(result, room, NULL, one, limits);
        else
            enter(result, BASELINE_UNHELD, NULL, one);
    }
}

void baseline_compare(const struct figures *then, const struct figures *now,
                      const struct baseline_limits *limits, struct lines_room *room,
                      struct baseline_result *result)
{
    size_t from = 0;

    memory_fill(result, 0, sizeof *result);
    lines_start(room, then, now);
    for (size_t i = 0; i < then->count; i++) {
        const struct figures_one *one = &then->one[i], *found;
        if (lines_are(one))
            continue;
        found = figures_find(now, one->name, &from);
        result->compared++;
        result->unseen.latency |= one->kind == FIGURES_LATENCY;
        result->unseen.rate |= one->kind == FIGURES_RATE;
        if (one->kind == FIGURES_DIFFERENCE)
            enter_range(result, room, one, found, limits);
        else
            enter(result, outcome_of(one, found, limits), one, found);
    }
    enter_new(then, now, room, limits, result);
    enter_lines(result, room, then, now, limits);
}

size_t baseline_left_open(const struct baseline_result *result)
{
    return result->counts[BASELINE_DOUBTED] + result->counts[BASELINE_MISSING] +
           result->counts[BASELINE_UNHELD] + result->too_little;
}

static const char *unit_of(const struct figures_one *one, double *scale)
{
    *scale = one->kind == FIGURES_RATE ? 1e-9 : one->kind == FIGURES_SIZE ? 0x1p-30 : 1;
    return one->kind == FIGURES_RATE    ? "GB/s"
           : one->kind == FIGURES_SIZE  ? "GiB"
           : one->kind == FIGURES_SPEED ? "MT/s"
                                        : "ns";
}

/* Of lines that are slower than others, or were. */
static void lines_words(const struct baseline_difference *difference, struct text *words)
{
    double then_ns = difference->then != NULL ? difference->then->value : 0;
    double now_ns = difference->now != NULL ? difference->now->value : 0;

    if (difference->then == NULL)
        text_format(words, "%.2f ns slower than others, which is new", now_ns);
    else
        text_format(words, "%.2f instead of %.2f ns slower than others", now_ns, then_ns);
    if (difference->outcome == BASELINE_DOUBTED)
        text_add(words,
                 now_ns < then_ns ? ": faster, or the others slower" : ", no more than is allowed");
}

void baseline_words(const struct baseline_difference *difference, struct text *words)
{
    const struct figures_one *then = difference->then, *now = difference->now;
    const struct figures_one *any = then != NULL ? then : now;
    const char *slot = now != NULL && now->slot[0] != '\0' ? now->slot : any->slot;
    double scale;
    const char *unit = unit_of(any, &scale);

    text_add(words, any->name);
    if (slot[0] != '\0')
        text_format(words, " (%s)", slot);
    text_add(words, ": ");
    if (any->kind == FIGURES_DIFFERENCE) {
        lines_words(difference, words);
        return;
    }
    if (now == NULL)
        text_add(words, "not measured now");
    else if (difference->outcome == BASELINE_UNHELD)
        text_add(words, "not in the baseline");
    else if (any->kind == FIGURES_WORDS)
        text_format(words, "%s instead of %s", now->words, then->words);
    else if (now->value == then->value)
        text_format(words, "%.2f %s in both", now->value * scale, unit);
    else
        text_format(words, "%.2f instead of %.2f %s", now->value * scale, then->value * scale,
                    unit);
    if (difference->outcome == BASELINE_DOUBTED)
        text_add(words, then->marked || now->marked
                            ? ", doubted: a run marks it"
                            : ", doubted: what is allowed is within the errors");
}
