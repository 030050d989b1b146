/* SPDX-License-Identifier: BSD-2-Clause */
/* The root of the heap is the last item. */
#include "core/lib/heap.h"

#include "core/lib/memory.h"

static void *item_at(const struct heap *heap, size_t index)
{
    return (unsigned char *)heap->items + index * heap->item_bytes;
}

static void item_swap(const struct heap *heap, size_t a, size_t b)
{
    unsigned char held[HEAP_ITEM_MAX];
    memory_copy(held, item_at(heap, a), heap->item_bytes);
    memory_copy(item_at(heap, a), item_at(heap, b), heap->item_bytes);
    memory_copy(item_at(heap, b), held, heap->item_bytes);
}

static void sink(const struct heap *heap, size_t pos, size_t count)
{
    for (;;) {
        size_t child = 2 * pos + 1;
        if (child >= count)
            return;
        if (child + 1 < count && heap->before(item_at(heap, child), item_at(heap, child + 1)))
            child++;
        if (!heap->before(item_at(heap, pos), item_at(heap, child)))
            return;
        item_swap(heap, pos, child);
        pos = child;
    }
}

static void rise(const struct heap *heap, size_t pos)
{
    while (pos > 0) {
        size_t parent = (pos - 1) / 2;
        if (!heap->before(item_at(heap, parent), item_at(heap, pos)))
            return;
        item_swap(heap, parent, pos);
        pos = parent;
    }
}

bool heap_offer(struct heap *heap, const void *item, void *out)
{
    if (heap->count < heap->max) {
        memory_copy(item_at(heap, heap->count), item, heap->item_bytes);
        rise(heap, heap->count++);
        return false;
    }
    if (heap->max == 0 || !heap->before(item, heap->items)) {
        memory_copy(out, item, heap->item_bytes);
        return true;
    }
    memory_copy(out, heap->items, heap->item_bytes);
    memory_copy(heap->items, item, heap->item_bytes);
    sink(heap, 0, heap->count);
    return true;
}

const void *heap_last(const struct heap *heap)
{
    return heap->count == 0 ? NULL : heap->items;
}

void heap_sort(struct heap *heap, bool (*before)(const void *a, const void *b))
{
    heap->before = before;
    for (size_t i = heap->count / 2; i-- > 0;)
        sink(heap, i, heap->count);
    for (size_t left = heap->count; left > 1; left--) {
        item_swap(heap, 0, left - 1);
        sink(heap, 0, left - 1);
    }
}
