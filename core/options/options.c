/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits a text of options into key=value items and applies them only if all are valid. */
#include "core/options/options.h"

#include "core/options/conflicts.h"
#include "core/options/experiments.h"
#include "core/options/table.h"

#define SOURCE_NAME_MAX 60
#define SHOWN_MAX       40 /* bytes of the input that a message repeats */

/* A value found in the text, used once everything has been read. */
struct option_slice {
    const char *text; /* NULL: not given */
    size_t bytes;
    size_t place; /* line or word, from 1 */
};

struct options_parser {
    const struct option_source *source;
    const struct option_extra *extra;
    struct options next;
    struct option_slice path[OPTIONS_PATHS], extra_value; /* paths in the order of their rows */
    size_t place[OPTION_ROWS_MAX]; /* line or word of each row's key; 0: not in this text */
    struct option_error *error;
};

void options_default(struct options *options)
{
    *options = (struct options){.plan = PLAN_QUICK,
                                .pattern = PATTERN_AUTO,
                                .fit = FIT_TIMING,
                                .map = MAP_WINDOW,
                                .chains = 1,
                                .warmup = true,
                                .prefetch = PREFETCH_REQUEST_OFF,
                                .repeats = 1,
                                .error_percent = 0.5,
                                .seed = 1,
                                .save = true,
                                .end = END_MENU,
                                .expect_spread_percent = OPTIONS_SPREAD_PERCENT,
                                .rule_coverage_percent = 99,
                                .rule_latency_percent = 5,
                                .rule_bandwidth_percent = 10,
                                .baseline = "",
                                .cpus = "",
                                .node = "",
                                .place = "",
                                .decode = "",
                                .out = "",
                                .machine_file = ""};
}

/* Adds input in quotes, shortened, with unprintable bytes as '?'. */
static void add_quoted(struct text *text, const char *bytes, size_t count)
{
    text_char(text, '\'');
    for (size_t i = 0; i < count && i < SHOWN_MAX; i++)
        text_char(text, bytes[i] >= 0x20 && bytes[i] < 0x7f ? bytes[i] : '?');
    text_add(text, count > SHOWN_MAX ? "...'" : "'");
}

/* Starts a message: "barechase.cfg line 3: "; place 0 is the text as a whole. */
static void message_start(const struct options_parser *p, size_t place, struct text *text)
{
    text_start(text, p->error->text, sizeof(p->error->text));
    for (size_t i = 0; p->source->name[i] != '\0' && i < SOURCE_NAME_MAX; i++)
        text_char(text, p->source->name[i]);
    if (place > 0)
        text_format(text, p->source->lines ? " line %zu" : " word %zu", place);
    text_add(text, ": ");
}

static bool refuse(const struct options_parser *p, size_t place, const char *format, ...)
    TEXT_CHECKED(3, 4);
static bool refuse(const struct options_parser *p, size_t place, const char *format, ...)
{
    struct text text;
    va_list list;

    message_start(p, place, &text);
    va_start(list, format);
    text_format_list(&text, format, list);
    va_end(list);
    return false;
}

static bool refuse_length(const struct options_parser *p, size_t place, const char *what,
                          size_t bytes)
{
    return refuse(p, place, "the %s is %zu bytes long; at most %u are allowed", what, bytes,
                  OPTIONS_LINE_MAX);
}

static void add_known_keys(const struct options_parser *p, struct text *text)
{
    const char *between = "";

    for (size_t i = 0; i < option_row_count; i++)
        if ((option_rows[i].hosts & p->source->host) != 0) {
            text_format(text, "%s%s", between, option_rows[i].key);
            between = ", ";
        }
    if (p->extra != NULL)
        text_format(text, "%s%s", between, p->extra->key);
}

static bool is_experiment(const char *name, size_t bytes)
{
    for (size_t i = 0; i < experiment_count; i++)
        if (text_is(name, bytes, experiment_list[i].name))
            return true;
    return false;
}

static bool refuse_key(const struct options_parser *p, size_t place, const char *key, size_t bytes)
{
    const struct option_row *elsewhere = option_find(key, bytes);
    const char *nearest = option_nearest(p->source->host, key, bytes);
    struct text text;

    message_start(p, place, &text);
    text_add(&text,
             elsewhere != NULL || option_known_later(NULL, key, bytes) ? "key " : "unknown key ");
    add_quoted(&text, key, bytes);
    if (elsewhere != NULL)
        text_add(&text, " is for another kind of machine");
    else if (option_known_later(NULL, key, bytes))
        text_add(&text, " is not yet known in this version");
    else if (is_experiment(key, bytes)) {
        text_add(&text, ", but an experiment: tests=");
        text_bytes(&text, key, bytes);
    } else if (nearest != NULL)
        text_format(&text, "; did you mean '%s'", nearest);
    text_add(&text, "; known: ");
    add_known_keys(p, &text);
    return false;
}

/* "bad value '4G-2G', which does not end above its start"; "member 2, 'drum', is none of them". */
static void add_fault(struct text *text, const struct option_slice *value,
                      const struct option_fault *fault)
{
    if (fault->member != NULL) {
        text_format(text, "member %zu", fault->place);
        if (fault->member_bytes > 0) {
            text_add(text, ", ");
            add_quoted(text, fault->member, fault->member_bytes);
            text_char(text, ',');
        }
        text_format(text, " %s", fault->why);
        return;
    }
    text_add(text, "bad value ");
    add_quoted(text, value->text, value->bytes);
    if (fault->why != NULL)
        text_format(text, ", which %s", fault->why);
}

static bool refuse_value(const struct options_parser *p, const char *key,
                         const struct option_slice *value, const struct option_fault *fault,
                         const struct option_row *row, const char *allowed)
{
    struct text text;

    message_start(p, value->place, &text);
    text_format(&text, value->bytes == 0 ? "%s: no value" : "%s: ", key);
    if (value->bytes != 0)
        add_fault(&text, value, fault);
    text_format(&text, "; allowed: %s", row == NULL ? allowed : "");
    if (row != NULL)
        option_allowed(row, &text);
    return false;
}

/* How many rows of paths there are before this one. */
static size_t path_index(const struct option_row *row)
{
    size_t index = 0;

    for (const struct option_row *before = option_rows; before < row; before++)
        index += option_is_text(before);
    return index;
}

/* Remembers what can only be checked or stored at the end. */
static void note_place(struct options_parser *p, const struct option_row *row,
                       const struct option_slice *value)
{
    p->place[row - option_rows] = value->place;
    if (option_is_text(row))
        p->path[path_index(row)] = *value;
}

static bool parse_pair(struct options_parser *p, const char *key, size_t key_bytes,
                       const struct option_slice *value)
{
    const struct option_row *row = option_find(key, key_bytes);
    struct option_fault fault;

    if (p->extra != NULL && text_is(key, key_bytes, p->extra->key)) {
        p->extra_value = *value;
        return true;
    }
    if (row == NULL || (row->hosts & p->source->host) == 0)
        return refuse_key(p, value->place, key, key_bytes);
    if (value->bytes == 0 || !option_read(row, value->text, value->bytes, &p->next, &fault))
        return refuse_value(p, row->key, value, &fault, row, NULL);
    note_place(p, row, value);
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool refuse_word(const struct options_parser *p, const char *word, size_t bytes,
                        size_t place, const char *why)
{
    struct text text;

    message_start(p, place, &text);
    add_quoted(&text, word, bytes);
    text_format(&text, "%s; write key=value, without blanks; keys: ", why);
    add_known_keys(p, &text);
    return false;
}

/* One key=value without blanks around it. */
static bool parse_item(struct options_parser *p, const char *item, size_t bytes, size_t place)
{
    size_t equal = 0, key_bytes;
    struct option_slice value = {.place = place};

    while (equal < bytes && item[equal] != '=')
        equal++;
    if (equal == bytes)
        return refuse_word(p, item, bytes, place, " has no '='");
    for (key_bytes = equal; key_bytes > 0 && is_blank(item[key_bytes - 1]);)
        key_bytes--;
    if (key_bytes == 0)
        return refuse_word(p, item, bytes, place, " has no key before its '='");
    value.text = item + equal + 1;
    value.bytes = bytes - equal - 1;
    for (; value.bytes > 0 && is_blank(value.text[0]); value.bytes--)
        value.text++;
    return parse_pair(p, item, key_bytes, &value);
}

/* A comment starts the line or follows a blank. */
static size_t without_comment(const char *line, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (line[i] == '#' && (i == 0 || is_blank(line[i - 1])))
            return i;
    return bytes;
}

static bool parse_line(struct options_parser *p, const char *line, size_t bytes, size_t place)
{
    if (bytes > OPTIONS_LINE_MAX)
        return refuse_length(p, place, "line", bytes);
    bytes = without_comment(line, bytes);
    while (bytes > 0 && is_blank(line[bytes - 1]))
        bytes--;
    for (; bytes > 0 && is_blank(line[0]); bytes--)
        line++;
    return bytes == 0 || parse_item(p, line, bytes, place);
}

static bool parse_lines(struct options_parser *p, const char *text, size_t bytes)
{
    size_t start = 0, place = 1;

    for (size_t pos = 0; pos <= bytes; pos++) {
        if (pos < bytes && text[pos] != '\n')
            continue;
        if (!parse_line(p, text + start, pos - start, place++))
            return false;
        start = pos + 1;
    }
    return true;
}

static bool parse_words(struct options_parser *p, const char *text, size_t bytes)
{
    size_t pos = 0, place = 1;

    while (pos < bytes) {
        size_t start = pos;

        while (pos < bytes && !is_blank(text[pos]) && text[pos] != '\n')
            pos++;
        if (pos - start > OPTIONS_LINE_MAX)
            return refuse_length(p, place, "word", pos - start);
        if (pos > start && !parse_item(p, text + start, pos - start, place++))
            return false;
        pos++;
    }
    return true;
}

/* Plain text only. The first bytes distinguish UTF-16 from other text with NUL bytes. */
static bool check_bytes(const struct options_parser *p, const char *text, size_t bytes)
{
    const unsigned char *b = (const unsigned char *)text;
    size_t line = 1;

    if (bytes >= 2 && ((b[0] == 0xff && b[1] == 0xfe) || (b[0] == 0xfe && b[1] == 0xff)))
        return refuse(p, 0, "is UTF-16; save it as plain text");
    if (bytes >= 4 && ((b[0] == 0 && b[2] == 0 && b[1] != 0 && b[3] != 0) ||
                       (b[1] == 0 && b[3] == 0 && b[0] != 0 && b[2] != 0)))
        return refuse(p, 0, "is UTF-16; save it as plain text");
    if (bytes > OPTIONS_TEXT_MAX)
        /* Files are read only a little beyond the limit, so the length is unknown. */
        return refuse(p, 0, "is longer than the %u bytes that are allowed", OPTIONS_TEXT_MAX);
    for (size_t i = 0; i < bytes; i++) {
        if (b[i] == 0)
            return refuse(p, p->source->lines ? line : 0,
                          "has a NUL byte; only plain text is allowed");
        line += b[i] == '\n';
    }
    return true;
}

static size_t place_of(const struct options_parser *p, const char *key)
{
    return p->place[option_find(key, text_length(key)) - option_rows];
}

/* A conflict is reported at the later of the two keys: before it, all was valid. */
static bool check_together(const struct options_parser *p)
{
    struct option_clash clash;
    const char *key;

    if (options_conflicts(&p->next, &clash))
        return true;
    key = place_of(p, clash.other) > place_of(p, clash.key) ? clash.other : clash.key;
    return refuse(p, place_of(p, key), "%s: %s; allowed: %s", key, clash.what, clash.allowed);
}

static bool any_path(const struct options_parser *p)
{
    for (size_t i = 0; i < OPTIONS_PATHS; i++)
        if (p->path[i].text != NULL)
            return true;
    return false;
}

static void keep_paths(const struct options_parser *p, char *text_pool, struct options *options)
{
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        size_t index = path_index(row);
        struct text text;
        if (!option_is_text(row) || p->path[index].text == NULL)
            continue;
        text_start(&text, text_pool + index * OPTIONS_LINE_MAX, OPTIONS_LINE_MAX);
        text_bytes(&text, p->path[index].text, p->path[index].bytes);
        *(const char **)((char *)options + row->offset) = text_pool + index * OPTIONS_LINE_MAX;
    }
}

/* The extra key's value is handed over last, when nothing else can be refused. */
static bool hand_to_extra(const struct options_parser *p)
{
    static const struct option_fault unknown = {.why = NULL};
    const char *allowed;

    if (p->extra_value.text == NULL)
        return true;
    allowed = p->extra->parse(p->extra->context, p->extra_value.text, p->extra_value.bytes);
    return allowed == NULL ||
           refuse_value(p, p->extra->key, &p->extra_value, &unknown, NULL, allowed);
}

enum status options_parse(struct options *options, const char *text, size_t bytes,
                          const struct option_source *source, const struct option_extra *extra,
                          char *text_pool, size_t pool_bytes, struct option_error *error)
{
    struct options_parser p = {.source = source, .extra = extra, .next = *options, .error = error};
    bool good;

    error->text[0] = '\0';
    good = check_bytes(&p, text, bytes);
    if (bytes >= 3 && text_is(text, 3, "\xef\xbb\xbf")) {
        text += 3;
        bytes -= 3;
    }
    good = good && (source->lines ? parse_lines(&p, text, bytes) : parse_words(&p, text, bytes)) &&
           check_together(&p);
    if (good && pool_bytes < OPTIONS_POOL_BYTES && any_path(&p))
        good = refuse(&p, 0, "no room is left for paths");
    if (!good || !hand_to_extra(&p))
        return STATUS_BAD_INPUT;
    p.next.host = source->host;
    keep_paths(&p, text_pool, &p.next);
    *options = p.next;
    return STATUS_OK;
}

size_t options_effective(const struct options *options, char *text, size_t capacity)
{
    struct text out;

    text_start(&out, text, capacity);
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];

        if (option_is_empty(row, options) ||
            (options->host != 0 && (row->hosts & options->host) == 0))
            continue;
        text_format(&out, i > 0 ? " %s=" : "%s=", row->key);
        option_write(row, options, &out);
    }
    return out.used;
}
