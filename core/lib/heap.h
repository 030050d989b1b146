/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the first few of many items in the caller's array (a bounded binary heap), to sort
 * thousands of descriptors without allocating. */
#ifndef CORE_LIB_HEAP_H
#define CORE_LIB_HEAP_H

#include <stdbool.h>
#include <stddef.h>

#define HEAP_ITEM_MAX 64

struct heap {
    void *items;       /* caller's array of `max` items */
    size_t item_bytes; /* at most HEAP_ITEM_MAX */
    size_t count, max;
    bool (*before)(const void *a, const void *b); /* a strict order */
};

/* Adds an item. If the heap is full, the last item by `before` (possibly the new one) is removed
 * and copied to *out, which must not be `item`. Returns true if an item was removed. O(log
 * most). */
bool heap_offer(struct heap *heap, const void *item, void *out);

/* Returns the last kept item by `before`; NULL if empty. O(1). */
const void *heap_last(const struct heap *heap);

/* Sorts the kept items by `before`, which may differ from the heap's order. The heap is then a
 * plain array: no more offers. O(count log count). */
void heap_sort(struct heap *heap, bool (*before)(const void *a, const void *b));

#endif
