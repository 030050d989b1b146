/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of conflicts. */
#include "core/options/conflicts.h"

#include "core/options/table.h"

#define LINE_MIN \
    64 /* bytes; no machine has shorter lines, so a stride of whole lines is a multiple of it */

/* Whether the stride is not whole lines. */
static bool stride_in_line(const struct options *o)
{
    return o->stride_bytes % LINE_MIN != 0;
}

static bool min_above_max(const struct options *o)
{
    return o->max_bytes != 0 && o->min_bytes > o->max_bytes;
}

static bool stride_above_max(const struct options *o)
{
    return o->max_bytes != 0 && o->stride_bytes > o->max_bytes;
}

static bool hops_twice(const struct options *o)
{
    return o->hops != 0 && o->iterations != 0;
}

static bool stride_needs_lines(const struct options *o)
{
    return stride_in_line(o) && o->pattern != PATTERN_FORWARD && o->pattern != PATTERN_REVERSE;
}

static bool group_unused(const struct options *o)
{
    return o->group_bytes != 0 && o->pattern != PATTERN_PAGED && o->pattern != PATTERN_GROUPED &&
           o->pattern != PATTERN_HOP_PAGE && o->pattern != PATTERN_SHUFFLED_PAGES;
}

static bool group_of_parts(const struct options *o)
{
    return o->stride_bytes != 0 && o->group_bytes % o->stride_bytes != 0;
}

static bool iid_chains(const struct options *o)
{
    return o->pattern == PATTERN_IID && o->chains != 1;
}

static bool iid_load(const struct options *o)
{
    return o->pattern == PATTERN_IID && o->load != LOAD_PLAIN;
}

static bool iid_hint(const struct options *o)
{
    return o->pattern == PATTERN_IID && o->hint != HINT_NONE;
}

static bool iid_word(const struct options *o)
{
    return o->pattern == PATTERN_IID && o->word != 0;
}

static bool flush_chains(const struct options *o)
{
    return o->load == LOAD_FLUSH && o->chains != 1;
}

static bool flush_hint(const struct options *o)
{
    return o->load == LOAD_FLUSH && o->hint != HINT_NONE;
}

static bool flush_work(const struct options *o)
{
    return o->load == LOAD_FLUSH && o->work != 0;
}

static bool many_load(const struct options *o)
{
    return o->chains > CHAINS_ANY_HOP && o->load != LOAD_PLAIN;
}

static bool many_hint(const struct options *o)
{
    return o->chains > CHAINS_ANY_HOP && o->hint != HINT_NONE;
}

static bool many_work(const struct options *o)
{
    return o->chains > CHAINS_ANY_HOP && o->work != 0;
}

static bool word_in_part(const struct options *o)
{
    return o->word != 0 && stride_in_line(o);
}

static bool dirty_part(const struct options *o)
{
    return o->load == LOAD_DIRTY && stride_in_line(o);
}

struct together_row {
    const char *key, *between, *other;
    bool (*clashes)(const struct options *o);
    const char *allowed;
};

_Static_assert(CHAINS_ANY_HOP == 7, "the words below name it");

static const struct together_row together_rows[] = {
    {"min", " is above ", "max", min_above_max, "min up to max"},
    {"stride", " is above ", "max", stride_above_max, "stride up to max"},
    {"hops", " beside ", "iterations", hops_twice, "one of them, auto for the other"},
    {"stride", " with ", "pattern", stride_needs_lines,
     "multiples of 64; multiples of 8 with pattern=forward or reverse"},
    {"group", " with ", "pattern", group_unused,
     "group=auto, or pattern=paged, grouped, hop-page or shuffled-pages"},
    {"group", " with ", "stride", group_of_parts, "a group that is a multiple of the stride"},
    {"chains", " with ", "pattern", iid_chains, "chains=1 with pattern=iid"},
    {"load", " with ", "pattern", iid_load, "load=plain with pattern=iid"},
    {"hint", " with ", "pattern", iid_hint, "hint=none with pattern=iid"},
    {"word", " with ", "pattern", iid_word, "word=0 with pattern=iid"},
    {"chains", " with ", "load", flush_chains, "chains=1 with load=flush"},
    {"hint", " with ", "load", flush_hint, "hint=none with load=flush"},
    {"work", " with ", "load", flush_work, "work=0 with load=flush"},
    {"load", " with ", "chains", many_load, "load=plain above 7 chains"},
    {"hint", " with ", "chains", many_hint, "hint=none above 7 chains"},
    {"work", " with ", "chains", many_work, "work=0 above 7 chains"},
    {"word", " with ", "stride", word_in_part, "word=0 with a stride that is not a multiple of 64"},
    {"load", " with ", "stride", dirty_part, "load=dirty with a stride that is a multiple of 64"},
};

static void add_pair(struct text *text, const struct options *options, const char *key)
{
    text_format(text, "%s=", key);
    option_write(option_find(key, text_length(key)), options, text);
}

bool options_conflicts(const struct options *options, struct option_clash *clash)
{
    for (size_t i = 0; i < sizeof together_rows / sizeof together_rows[0]; i++) {
        const struct together_row *row = &together_rows[i];
        struct text text;

        if (!row->clashes(options))
            continue;
        clash->key = row->key;
        clash->other = row->other;
        clash->allowed = row->allowed;
        text_start(&text, clash->what, sizeof clash->what);
        add_pair(&text, options, row->key);
        text_add(&text, row->between);
        add_pair(&text, options, row->other);
        return false;
    }
    return true;
}
