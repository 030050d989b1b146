/* SPDX-License-Identifier: BSD-2-Clause */
/* Text for people, kept for a test to read. */
#ifndef TESTS_UNIT_SUPPORT_TEXT_H
#define TESTS_UNIT_SUPPORT_TEXT_H

#include "core/machine.h"

#define KEPT_TEXT_MAX (1u << 20)

/* What was written since the start; text ends with a 0. Writing more fails the test. */
struct kept_text {
    size_t bytes;
    char text[KEPT_TEXT_MAX];
};

/* Empties it; what is written to the sink is kept there. */
struct text_sink kept_text_start(struct kept_text *kept);

/* Fail the test, and show the text, if it lacks these words, or has them. */
void kept_text_expect(const struct kept_text *kept, const char *words);
void kept_text_expect_not(const struct kept_text *kept, const char *words);

#endif
