/* SPDX-License-Identifier: BSD-2-Clause */
/* The bounded heap against a plain insertion sort. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/lib/heap.h"
#include "core/lib/random.h"

#define ITEMS 300

struct item {
    uint64_t key;
    uint32_t tag;
};

static bool less(const void *a, const void *b)
{
    return ((const struct item *)a)->key < ((const struct item *)b)->key;
}

static bool greater(const void *a, const void *b)
{
    return less(b, a);
}

static void insert_sorted(struct item *items, size_t count, struct item item)
{
    while (count > 0 && less(&item, &items[count - 1])) {
        items[count] = items[count - 1];
        count--;
    }
    items[count] = item;
}

static void keeps_the_first_ones(void **state)
{
    (void)state;
    struct random random;
    random_start(&random, 7);
    for (unsigned round = 0; round < 2000; round++) {
        struct item kept[ITEMS], all[ITEMS], out;
        size_t count = random_below(&random, ITEMS), gone = 0;
        struct heap heap = {kept, sizeof kept[0], 0, random_below(&random, 40), less};
        for (uint32_t i = 0; i < count; i++) {
            struct item item = {random_below(&random, 500), 0};
            item.tag = (uint32_t)item.key * 3;
            insert_sorted(all, i, item);
            size_t before = heap.count;
            bool left = heap_offer(&heap, &item, &out);
            assert_int_equal(left, before == heap.max);
            gone += left;
            if (left && heap.count > 0)
                assert_false(less(&out, heap_last(&heap)));
        }
        assert_int_equal(heap.count, count < heap.max ? count : heap.max);
        assert_int_equal(heap.count + gone, count);
        assert_true((heap_last(&heap) == NULL) == (heap.count == 0));
        bool down = round % 2 == 1;
        heap_sort(&heap, down ? greater : less);
        for (size_t i = 0; i < heap.count; i++) {
            struct item *item = &kept[down ? heap.count - 1 - i : i];
            assert_int_equal(item->key, all[i].key);
            assert_int_equal(item->tag, item->key * 3);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_the_first_ones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
