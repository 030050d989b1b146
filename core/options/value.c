/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes values of options, and says what is allowed, by the kind of their row. */
#include "core/options/table.h"

#include "core/names.h"
#include "core/options/cpus.h"
#include "core/options/decode.h"
#include "core/options/nodes.h"
#include "core/options/experiments.h"

/* The page sizes that pages= knows. */
static const enum page_size page_sizes[] = {PAGE_4K, PAGE_2M, PAGE_1G};

#define PAGE_SIZES (sizeof(page_sizes) / sizeof(page_sizes[0]))

static void *option_place(const struct option_row *row, struct options *options)
{
    return (char *)options + row->offset;
}

static const void *option_place_const(const struct option_row *row, const struct options *options)
{
    return (const char *)options + row->offset;
}

static const char *list_member_name(const struct option_row *row, size_t index)
{
    if (row->kind == OPTION_TESTS)
        return index < experiment_count ? experiment_list[index].name : NULL;
    if (row->kind == OPTION_PAGES)
        return index < PAGE_SIZES ? page_name(page_sizes[index]) : NULL;
    if (row->high != 0 && index > row->high)
        return NULL;
    return row->words[index];
}

static void allowed_words(const struct option_row *row, struct text *text)
{
    for (size_t i = 0; list_member_name(row, i) != NULL; i++)
        text_format(text, i > 0 ? ", %s" : "%s", list_member_name(row, i));
}

static void allowed_sizes(const struct option_row *row, struct text *text)
{
    uint64_t low_bytes = row->low, high_bytes = row->high, multiple_bytes = row->multiple;

    text_format(text, "a size from %s to %s", TEXT_SIZE(low_bytes), TEXT_SIZE(high_bytes));
    if (multiple_bytes > 1)
        text_format(text, ", a multiple of %s", TEXT_SIZE(multiple_bytes));
}

/* A bound of a row whose kind holds a double. */
static double decimal_bound(const struct option_row *row, uint64_t bound)
{
    return (double)bound / (row->kind == OPTION_PERCENT ? 100 : 1000);
}

static void allowed_decimals(const struct option_row *row, struct text *text)
{
    text_format(text, "a number from %s to %s", TEXT_SHORTEST(decimal_bound(row, row->low)),
                TEXT_SHORTEST(decimal_bound(row, row->high)));
}

static void allowed_numbers(const struct option_row *row, struct text *text)
{
    text_format(text, "a whole number from %lu to %lu", row->low, row->high);
}

void option_allowed(const struct option_row *row, struct text *text)
{
    if (row->open)
        text_add(text, "auto or ");
    switch (row->kind) {
    case OPTION_WORD:
        allowed_words(row, text);
        break;
    case OPTION_ON:
        text_add(text, "on, off");
        break;
    case OPTION_SIZE:
        allowed_sizes(row, text);
        break;
    case OPTION_U32:
    case OPTION_U64:
    case OPTION_CPU:
        allowed_numbers(row, text);
        break;
    case OPTION_PERCENT:
    case OPTION_DECIMAL:
        allowed_decimals(row, text);
        break;
    case OPTION_TESTS:
    case OPTION_PAGES:
        text_add(text, "a comma-separated list of ");
        allowed_words(row, text);
        break;
    case OPTION_RANGE:
        text_add(text, "FROM-BELOW, such as 0x100000000-0x200000000 or 4G-8G");
        break;
    case OPTION_INTERVAL:
        text_format(text, "LOW-HIGH, such as 80-95, from %s to %s",
                    TEXT_SHORTEST(decimal_bound(row, row->low)),
                    TEXT_SHORTEST(decimal_bound(row, row->high)));
        break;
    case OPTION_PATH:
        text_add(text, "a path of printable characters");
        break;
    case OPTION_DECODE:
        text_add(text, "found, or MASK[/MASK...]:SLOT,SLOT[,...], such as 0x2040/0x10000:A1,A2,B1,"
                       "B2");
        break;
    case OPTION_CPUS:
        text_add(text, "all, core, node, performance, efficiency, or numbers such as 0,4-7");
        break;
    case OPTION_NODES:
        text_add(text, "local, all, or numbers such as 0,2-3");
        break;
    case OPTION_PLACE:
        text_add(text, "local, xor:M, add:N, or map:FROM:TO,TO;FROM:TO, such as map:0:1;1:0");
        break;
    }
}

static bool read_word(const struct option_row *row, const char *value, size_t bytes, unsigned *to)
{
    for (unsigned i = 0; list_member_name(row, i) != NULL; i++)
        if (text_is(value, bytes, row->words[i])) {
            *to = i;
            return true;
        }
    return false;
}

static bool read_number(const struct option_row *row, const char *value, size_t bytes, uint64_t *to)
{
    uint64_t number;
    bool good = row->kind == OPTION_SIZE ? text_read_size(value, bytes, &number)
                                         : text_read_u64(value, bytes, &number);

    if (!good || number < row->low || number > row->high)
        return false;
    if (row->multiple > 1 && number % row->multiple != 0)
        return false;
    *to = number;
    return true;
}

static bool read_decimal(const struct option_row *row, const char *value, size_t bytes, double *to)
{
    double number;

    if (!text_read_double(value, bytes, &number))
        return false;
    if (!(number >= decimal_bound(row, row->low) && number <= decimal_bound(row, row->high)))
        return false;
    *to = number;
    return true;
}

static bool add_test(struct options *next, size_t index)
{
    for (uint32_t i = 0; i < next->test_count; i++)
        if (next->tests[i] == index)
            return false;
    if (next->test_count == OPTIONS_TESTS_MAX)
        return false;
    next->tests[next->test_count++] = (uint32_t)index;
    return true;
}

static bool add_page(struct options *next, size_t index)
{
    uint32_t bit = (uint32_t)1 << page_sizes[index];

    if ((next->pages & bit) != 0)
        return false;
    next->pages |= bit;
    return true;
}

/* 2M equals 2m, as in every other size. */
static bool member_is(const char *member, size_t bytes, const char *name)
{
    for (size_t i = 0; i < bytes; i++) {
        char c = member[i] >= 'A' && member[i] <= 'Z' ? (char)(member[i] - 'A' + 'a') : member[i];

        if (name[i] == '\0' || c != name[i])
            return false;
    }
    return name[bytes] == '\0';
}

static bool add_member(const struct option_row *row, const char *member, size_t bytes,
                       struct options *next, const char **why)
{
    if (bytes == 0) {
        *why = "is empty";
        return false;
    }
    for (size_t i = 0; list_member_name(row, i) != NULL; i++)
        if (member_is(member, bytes, list_member_name(row, i))) {
            bool added = row->kind == OPTION_TESTS ? add_test(next, i) : add_page(next, i);

            if (!added)
                *why = "is listed twice";
            return added;
        }
    *why = option_known_later(row->key, member, bytes) ? "is not yet known in this version"
                                                       : "is none of them";
    return false;
}

static bool read_list(const struct option_row *row, const char *value, size_t bytes,
                      struct options *options, struct option_fault *fault)
{
    struct options next = *options;
    size_t start = 0, place = 1;

    if (row->kind == OPTION_TESTS)
        next.test_count = 0;
    else
        next.pages = 0;
    for (size_t pos = 0; pos <= bytes; pos++) {
        if (pos < bytes && value[pos] != ',')
            continue;
        if (!add_member(row, value + start, pos - start, &next, &fault->why)) {
            fault->member = value + start;
            fault->member_bytes = pos - start;
            fault->place = place;
            return false;
        }
        start = pos + 1;
        place++;
    }
    *options = next;
    return true;
}

static bool read_range(const char *value, size_t bytes, struct options *options, const char **why)
{
    size_t dash = 0;
    uint64_t from, below;

    while (dash < bytes && value[dash] != '-')
        dash++;
    if (dash == bytes || !text_read_size(value, dash, &from) ||
        !text_read_size(value + dash + 1, bytes - dash - 1, &below))
        return false;
    if (from >= below) {
        *why = "does not end above its start";
        return false;
    }
    options->range_from = phys_make(from);
    options->range_below = phys_make(below);
    return true;
}

static bool read_interval(const struct option_row *row, const char *value, size_t bytes,
                          double to[2], const char **why)
{
    double number[2];
    size_t dash = 0;

    while (dash < bytes && value[dash] != '-')
        dash++;
    if (dash == bytes || !read_decimal(row, value, dash, &number[0]) ||
        !read_decimal(row, value + dash + 1, bytes - dash - 1, &number[1]))
        return false;
    if (number[0] >= number[1]) {
        *why = "does not end above its start";
        return false;
    }
    to[0] = number[0];
    to[1] = number[1];
    return true;
}

static bool read_path(const char *value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if ((unsigned char)value[i] < 0x20 || value[i] == 0x7f)
            return false;
    return true;
}

/* `auto` is 0 or none in every open row. */
static void read_auto(const struct option_row *row, struct options *options)
{
    switch (row->kind) {
    case OPTION_SIZE:
    case OPTION_U64:
        *(uint64_t *)option_place(row, options) = 0;
        break;
    case OPTION_U32:
    case OPTION_CPU:
        *(uint32_t *)option_place(row, options) = 0;
        break;
    case OPTION_DECIMAL:
        *(double *)option_place(row, options) = 0;
        break;
    case OPTION_INTERVAL:
        ((double *)option_place(row, options))[0] = 0;
        ((double *)option_place(row, options))[1] = 0;
        break;
    case OPTION_TESTS:
        options->test_count = 0;
        break;
    case OPTION_PAGES:
        options->pages = 0;
        break;
    case OPTION_RANGE:
        options->range_from = options->range_below = phys_make(0);
        break;
    default:
        break;
    }
}

static bool read_u32(const struct option_row *row, const char *value, size_t bytes, uint32_t *to)
{
    uint64_t number;

    if (!read_number(row, value, bytes, &number))
        return false;
    *to = (uint32_t)number + (row->kind == OPTION_CPU);
    return true;
}

bool option_read(const struct option_row *row, const char *value, size_t bytes,
                 struct options *options, struct option_fault *fault)
{
    void *place = option_place(row, options);

    *fault = (struct option_fault){.why = NULL};
    if (row->open && text_is(value, bytes, "auto")) {
        read_auto(row, options);
        return true;
    }
    switch (row->kind) {
    case OPTION_WORD:
        if (option_known_later(row->key, value, bytes))
            fault->why = "is not yet known in this version";
        return read_word(row, value, bytes, place);
    case OPTION_ON:
        *(bool *)place = text_is(value, bytes, "on");
        return *(bool *)place || text_is(value, bytes, "off");
    case OPTION_SIZE:
    case OPTION_U64:
        return read_number(row, value, bytes, place);
    case OPTION_U32:
    case OPTION_CPU:
        return read_u32(row, value, bytes, place);
    case OPTION_PERCENT:
    case OPTION_DECIMAL:
        return read_decimal(row, value, bytes, place);
    case OPTION_TESTS:
    case OPTION_PAGES:
        return read_list(row, value, bytes, options, fault);
    case OPTION_RANGE:
        return read_range(value, bytes, options, &fault->why);
    case OPTION_INTERVAL:
        return read_interval(row, value, bytes, place, &fault->why);
    case OPTION_PATH:
        return read_path(value, bytes);
    case OPTION_DECODE:
        return decode_read(value, bytes, &(struct decode){.masks = 0}, &fault->why);
    case OPTION_CPUS:
        return cpus_read(value, bytes, &(struct cpus_choice){.kind = CPUS_ALL}, &fault->why);
    case OPTION_NODES:
        return node_read(value, bytes, &(struct node_choice){.kind = NODE_CHOICE_ALL}, &fault->why);
    case OPTION_PLACE:
        return place_read(value, bytes, &(struct place_choice){.kind = PLACE_ANY}, &fault->why);
    }
    return false;
}

/* As a size if that is exact. */
static void write_size(struct text *text, uint64_t bytes)
{
    const char *size = TEXT_SIZE(bytes);
    uint64_t back;

    if (text_read_size(size, text_length(size), &back) && back == bytes)
        text_add(text, size);
    else
        text_format(text, "%lu", bytes);
}

static void write_open_number(const struct option_row *row, uint64_t value, struct text *text)
{
    if (row->open && value == 0)
        text_add(text, "auto");
    else if (row->kind == OPTION_SIZE)
        write_size(text, value);
    else
        text_format(text, "%lu", value);
}

static void write_decimal(const struct option_row *row, double value, struct text *text)
{
    if (row->open && value == 0)
        text_add(text, "auto");
    else
        text_shortest(text, value);
}

static void write_list(const struct option_row *row, const struct options *options,
                       struct text *text)
{
    size_t written = 0;

    if (row->kind == OPTION_TESTS)
        for (; written < options->test_count; written++)
            text_format(text, written > 0 ? ",%s" : "%s",
                        list_member_name(row, options->tests[written]));
    for (size_t i = 0; row->kind == OPTION_PAGES && i < PAGE_SIZES; i++)
        if ((options->pages >> page_sizes[i] & 1) != 0)
            text_format(text, written++ > 0 ? ",%s" : "%s", page_name(page_sizes[i]));
    if (written == 0)
        text_add(text, "auto");
}

static void write_range(const struct options *options, struct text *text)
{
    if (options->range_from.value == options->range_below.value)
        text_add(text, "auto");
    else
        text_format(text, "0x%lx-0x%lx", options->range_from.value, options->range_below.value);
}

static void write_interval(const double interval[2], struct text *text)
{
    if (interval[1] == 0)
        text_add(text, "auto");
    else
        text_format(text, "%s-%s", TEXT_SHORTEST(interval[0]), TEXT_SHORTEST(interval[1]));
}

bool option_is_text(const struct option_row *row)
{
    return row->kind == OPTION_PATH || row->kind == OPTION_DECODE || row->kind == OPTION_CPUS ||
           row->kind == OPTION_NODES || row->kind == OPTION_PLACE;
}

bool option_is_empty(const struct option_row *row, const struct options *options)
{
    const void *place = option_place_const(row, options);

    if (row->kind == OPTION_CPU)
        return *(const uint32_t *)place == 0;
    return option_is_text(row) && (*(const char *const *)place)[0] == '\0';
}

void option_write(const struct option_row *row, const struct options *options, struct text *text)
{
    const void *place = option_place_const(row, options);

    switch (row->kind) {
    case OPTION_WORD:
        text_add(text, row->words[*(const unsigned *)place]);
        break;
    case OPTION_ON:
        text_add(text, *(const bool *)place ? "on" : "off");
        break;
    case OPTION_SIZE:
    case OPTION_U64:
        write_open_number(row, *(const uint64_t *)place, text);
        break;
    case OPTION_U32:
        write_open_number(row, *(const uint32_t *)place, text);
        break;
    case OPTION_CPU:
        text_format(text, "%u", *(const uint32_t *)place - 1);
        break;
    case OPTION_PERCENT:
    case OPTION_DECIMAL:
        write_decimal(row, *(const double *)place, text);
        break;
    case OPTION_TESTS:
    case OPTION_PAGES:
        write_list(row, options, text);
        break;
    case OPTION_RANGE:
        write_range(options, text);
        break;
    case OPTION_INTERVAL:
        write_interval(place, text);
        break;
    case OPTION_PATH:
    case OPTION_DECODE:
    case OPTION_CPUS:
    case OPTION_NODES:
    case OPTION_PLACE:
        text_add(text, *(const char *const *)place);
        break;
    }
}
