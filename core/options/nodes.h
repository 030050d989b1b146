/* SPDX-License-Identifier: BSD-2-Clause */
/* Which pairs of nodes an experiment takes: `node=` and `place=`. Pure. */
#ifndef CORE_OPTIONS_NODES_H
#define CORE_OPTIONS_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/options/numbers.h"

#define OPTIONS_NODE_MAX 65535

enum node_kind {
    NODE_CHOICE_ALL,
    NODE_CHOICE_LOCAL, /* the memory of the CPU's own node */
    NODE_CHOICE_LIST
};

struct node_choice {
    enum node_kind kind;
    struct numbers list; /* of NODE_CHOICE_LIST */
};

/* Reads "local", "all", or numbers and ranges such as "0,2-3"; "" is all. False: it is none of
 * these; *why: a phrase that follows "which", or NULL. */
bool node_read(const char *text, size_t bytes, struct node_choice *choice, const char **why);
/* Whether it takes the memory of node `to` for a CPU of node `from`. */
bool node_chosen(const struct node_choice *choice, uint32_t from, uint32_t to);
/* A number that it lists and that is not among node[count], the smallest; UINT32_MAX: none. */
uint32_t node_missing(const struct node_choice *choice, const uint32_t node[], size_t count);

enum place_kind { PLACE_ANY, PLACE_LOCAL, PLACE_XOR, PLACE_ADD, PLACE_MAP };

#define PLACE_PAIRS_MAX 64

/* pChase's placements: which node's memory holds what a CPU of a node walks through. */
struct place_choice {
    enum place_kind kind;
    uint32_t number; /* of PLACE_XOR and PLACE_ADD */
    uint32_t pairs;  /* of PLACE_MAP, by the numbers of nodes */
    struct {
        uint32_t from, to;
    } pair[PLACE_PAIRS_MAX];
};

/* Reads "local", "xor:M", "add:N", or "map:FROM:TO,TO;FROM:TO" as pChase does; "" is PLACE_ANY.
 * False: it is none of these; *why as above. */
bool place_read(const char *text, size_t bytes, struct place_choice *choice, const char **why);
/* Whether it puts what a CPU of node[from] walks through into the memory of node[to]; node[count]
 * in ascending order. xor and add count places in that list, which are the nodes' numbers where
 * none is left out: place `from` xor M, which may be none; place `from` plus N, from the first on
 * again after the last. */
bool place_chosen(const struct place_choice *choice, const uint32_t node[], uint32_t count,
                  uint32_t from, uint32_t to);

#endif
