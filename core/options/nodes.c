/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/options/nodes.h"

#include "core/lib/text.h"

bool node_read(const char *text, size_t bytes, struct node_choice *choice, const char **why)
{
    *why = NULL;
    *choice = (struct node_choice){.kind = NODE_CHOICE_ALL};
    if (bytes == 0 || text_is(text, bytes, "all"))
        return true;
    choice->kind = text_is(text, bytes, "local") ? NODE_CHOICE_LOCAL : NODE_CHOICE_LIST;
    return choice->kind == NODE_CHOICE_LOCAL ||
           numbers_read(text, bytes, OPTIONS_NODE_MAX, &choice->list, why);
}

bool node_chosen(const struct node_choice *choice, uint32_t from, uint32_t to)
{
    switch (choice->kind) {
    case NODE_CHOICE_LOCAL:
        return from == to;
    case NODE_CHOICE_LIST:
        return numbers_hold(&choice->list, to);
    case NODE_CHOICE_ALL:
        break;
    }
    return true;
}

struct node_list {
    const uint32_t *node;
    size_t count;
};

static bool exists(const void *context, uint32_t number)
{
    const struct node_list *list = context;

    for (size_t i = 0; i < list->count; i++)
        if (list->node[i] == number)
            return true;
    return false;
}

uint32_t node_missing(const struct node_choice *choice, const uint32_t node[], size_t count)
{
    struct node_list list = {node, count};

    return choice->kind == NODE_CHOICE_LIST ? numbers_missing(&choice->list, exists, &list)
                                            : UINT32_MAX;
}

/* Whether text begins with the word; *rest: what stands behind it. */
static bool follows(const char *text, size_t bytes, const char *word, size_t *rest)
{
    *rest = text_length(word);
    return bytes >= *rest && text_is(text, *rest, word);
}

static bool add_pair(struct place_choice *choice, uint32_t from, uint32_t to, const char **why)
{
    if (choice->pairs == PLACE_PAIRS_MAX) {
        *why = "has more than 64 pairs";
        return false;
    }
    choice->pair[choice->pairs].from = from;
    choice->pair[choice->pairs++].to = to;
    return true;
}

/* "0:1,2". */
static bool read_row(const char *text, size_t bytes, struct place_choice *choice, const char **why)
{
    size_t pos = 0;
    uint32_t from, to;

    while (pos < bytes && text[pos] != ':')
        pos++;
    if (pos == bytes || !number_read(text, pos, OPTIONS_NODE_MAX, &from))
        return false;
    for (pos++; pos <= bytes;) {
        size_t end = pos;
        while (end < bytes && text[end] != ',')
            end++;
        if (!number_read(text + pos, end - pos, OPTIONS_NODE_MAX, &to) ||
            !add_pair(choice, from, to, why))
            return false;
        pos = end + 1;
    }
    return true;
}

static bool read_map(const char *text, size_t bytes, struct place_choice *choice, const char **why)
{
    choice->kind = PLACE_MAP;
    for (size_t pos = 0; pos <= bytes;) {
        size_t end = pos;
        while (end < bytes && text[end] != ';')
            end++;
        if (!read_row(text + pos, end - pos, choice, why))
            return false;
        pos = end + 1;
    }
    return true;
}

bool place_read(const char *text, size_t bytes, struct place_choice *choice, const char **why)
{
    size_t rest;

    *why = NULL;
    *choice = (struct place_choice){.kind = PLACE_ANY};
    if (bytes == 0)
        return true;
    if (text_is(text, bytes, "local")) {
        choice->kind = PLACE_LOCAL;
        return true;
    }
    if (follows(text, bytes, "map:", &rest))
        return read_map(text + rest, bytes - rest, choice, why);
    if (!follows(text, bytes, "xor:", &rest) && !follows(text, bytes, "add:", &rest))
        return false;
    choice->kind = text[0] == 'x' ? PLACE_XOR : PLACE_ADD;
    return number_read(text + rest, bytes - rest, OPTIONS_NODE_MAX, &choice->number);
}

static bool is_mapped(const struct place_choice *choice, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < choice->pairs; i++)
        if (choice->pair[i].from == from && choice->pair[i].to == to)
            return true;
    return false;
}

bool place_chosen(const struct place_choice *choice, const uint32_t node[], uint32_t count,
                  uint32_t from, uint32_t to)
{
    switch (choice->kind) {
    case PLACE_LOCAL:
        return from == to;
    case PLACE_XOR:
        return (from ^ choice->number) == to;
    case PLACE_ADD:
        return (from + choice->number) % count == to;
    case PLACE_MAP:
        return is_mapped(choice, node[from], node[to]);
    case PLACE_ANY:
        break;
    }
    return true;
}
