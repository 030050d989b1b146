/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/support_same.h"

const char *same_turned(same_judge *judge, const struct same_words *boot, unsigned word,
                        uint64_t bits)
{
    struct same_words other = *boot;

    other.hardware_id += 6;
    other.word[word] ^= bits;
    return judge(boot, &other);
}

void same_check(same_judge *judge, const struct same_words *boot, const struct same_case *cases,
                size_t count)
{
    assert_null(same_turned(judge, boot, 0, 0));
    for (size_t i = 0; i < count; i++) {
        const char *why = same_turned(judge, boot, cases[i].word, cases[i].bits);
        if (why == NULL || strstr(why, cases[i].names) == NULL)
            fail_msg("word %u, bits 0x%llx: %s", cases[i].word, (unsigned long long)cases[i].bits,
                     why == NULL ? "taken" : why);
    }
}
