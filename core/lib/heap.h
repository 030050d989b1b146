/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the first few of many items: a bounded binary heap over the caller's array. It lets a walk
 * over thousands of descriptors sort without memory of its own. */
#ifndef CORE_LIB_HEAP_H
#define CORE_LIB_HEAP_H

#include <stdbool.h>
#include <stddef.h>

#define HEAP_ITEM_MAX 64

struct heap {
    void *items;       /* caller's array of `most` items */
    size_t item_bytes; /* at most HEAP_ITEM_MAX */
    size_t count, most;
    bool (*before)(const void *a, const void *b); /* a strict order */
};

/* Offers an item: it is kept while there is room; else the last one of all by `before` leaves, and
 * stands in *out (caller's, not item itself) afterwards. Answers whether something left. O(log
 * most). */
bool heap_offer(struct heap *heap, const void *item, void *out);

/* The kept item that comes last by `before`; NULL when there is none. O(1). */
const void *heap_last(const struct heap *heap);

/* Sorts the kept items by `before`, which need not be the order they were kept by. Afterwards only
 * the array is of use: no more offers. O(count log count). */
void heap_sort(struct heap *heap, bool (*before)(const void *a, const void *b));

#endif
