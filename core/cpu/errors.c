/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/cpu/errors.h"

static const struct error_bank none;

/* The same error still stands in a bank that nobody has cleared. */
static bool is_same(const struct error_bank *a, const struct error_bank *b)
{
    return a->valid && b->valid && a->severity == b->severity && a->status == b->status &&
           a->address == b->address && a->misc == b->misc;
}

static struct error_news compare(const struct error_bank *before, const struct error_bank *now)
{
    struct error_news news = {.at_least = now->saturated};

    news.other = now->valid && now->severity != ERROR_CORRECTED && !is_same(before, now);
    news.corrected =
        now->corrected >= before->corrected ? now->corrected - before->corrected : now->corrected;
    if (news.corrected == 0 && now->saturated && !is_same(before, now))
        news.corrected = 1;
    return news;
}

size_t errors_since(const struct error_banks *before, const struct error_banks *now,
                    struct error_news news[ERROR_BANKS_MAX])
{
    size_t count = 0;

    for (uint32_t i = 0; i < now->banks; i++) {
        struct error_news one = compare(before != NULL ? &before->bank[i] : &none, &now->bank[i]);
        one.bank = i;
        if (one.corrected != 0 || one.other)
            news[count++] = one;
    }
    return count;
}

const char *error_severity_name(enum error_severity severity)
{
    static const char *const names[] = {[ERROR_CORRECTED] = "corrected",
                                        [ERROR_DEFERRED] = "deferred",
                                        [ERROR_UNCORRECTED] = "uncorrected"};

    return names[severity];
}

const char *error_counting_name(enum error_counting counting)
{
    static const char *const names[] = {
        [ERRORS_UNREAD] = "unread", [ERRORS_PRESENT] = "presence", [ERRORS_COUNTED] = "counted"};

    return names[counting];
}
