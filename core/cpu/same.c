/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/cpu/same.h"

const char *same_refusal(const struct same_rule *rules, size_t count, const struct same_words *boot,
                         const struct same_words *other)
{
    for (size_t i = 0; i < count; i++)
        if ((boot->word[rules[i].word] ^ other->word[rules[i].word]) & rules[i].mask)
            return rules[i].why;
    return NULL;
}
