/* SPDX-License-Identifier: BSD-2-Clause */
/* Work for another CPU: begun once at most, and never after whoever handed it out gave up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>

#include "core/lib/gate.h"

#define ROUNDS 20000

static void count_one(void *arg)
{
    ++*(uint32_t *)arg;
}

static void it_is_done_once(void **state)
{
    struct gate gate = {0};
    uint32_t done = 0;
    (void)state;

    assert_false(gate_enter(&gate));
    gate_open(&gate, count_one, &done);
    assert_int_equal(gate_look(&gate), GATE_OPEN);
    assert_true(gate_enter(&gate));
    assert_int_equal(gate_look(&gate), GATE_INSIDE);
    assert_false(gate_enter(&gate));
    gate.body(gate.arg);
    gate_leave(&gate);
    assert_int_equal(done, 1);
    assert_int_equal(gate_look(&gate), GATE_LEFT);
    assert_false(gate_enter(&gate));
    gate_open(&gate, count_one, &done);
    assert_true(gate_enter(&gate));
}

static void nobody_begins_it_after_it_was_shut(void **state)
{
    struct gate gate = {0};
    uint32_t done = 0;
    (void)state;

    gate_open(&gate, count_one, &done);
    gate_shut(&gate);
    assert_int_equal(gate_look(&gate), GATE_MISSED);
    assert_false(gate_enter(&gate));
    assert_int_equal(gate_look(&gate), GATE_MISSED);
}

static void who_is_inside_stays_inside(void **state)
{
    struct gate gate = {0};
    uint32_t done = 0;
    (void)state;

    gate_open(&gate, count_one, &done);
    assert_true(gate_enter(&gate));
    gate_shut(&gate);
    assert_int_equal(gate_look(&gate), GATE_INSIDE);
    gate_leave(&gate);
    gate_shut(&gate);
    assert_int_equal(gate_look(&gate), GATE_LEFT);
}

struct round {
    struct gate gate;
    uint32_t done, over;
};

static void *other_cpu(void *context)
{
    struct round *round = context;

    while (__atomic_load_n(&round->over, __ATOMIC_ACQUIRE) == 0)
        if (gate_enter(&round->gate)) {
            round->gate.body(round->gate.arg);
            gate_leave(&round->gate);
        }
    return NULL;
}

/* Two that would do it, and one that gives up at once: what was missed was not done, what was not
 * missed was done once. */
static void two_come_while_it_is_shut(void **state)
{
    struct round round = {.over = 0};
    pthread_t thread[2];
    uint32_t left = 0;
    (void)state;

    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, other_cpu, &round), 0);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        gate_open(&round.gate, count_one, &round.done);
        if (i % 2 == 0)
            while (gate_look(&round.gate) == GATE_OPEN)
                continue;
        gate_shut(&round.gate);
        while (gate_look(&round.gate) == GATE_INSIDE)
            continue;
        left += gate_look(&round.gate) == GATE_LEFT;
        assert_int_equal(round.done, left);
    }
    __atomic_store_n(&round.over, 1, __ATOMIC_RELEASE);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_true(left >= ROUNDS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_done_once),
        cmocka_unit_test(nobody_begins_it_after_it_was_shut),
        cmocka_unit_test(who_is_inside_stays_inside),
        cmocka_unit_test(two_come_while_it_is_shut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
