/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/support_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void keep(void *context, const char *text, size_t bytes)
{
    struct kept_text *kept = context;

    assert_true(kept->bytes + bytes < sizeof kept->text);
    memcpy(kept->text + kept->bytes, text, bytes);
    kept->bytes += bytes;
    kept->text[kept->bytes] = '\0';
}

struct text_sink kept_text_start(struct kept_text *kept)
{
    kept->bytes = 0;
    kept->text[0] = '\0';
    return (struct text_sink){.context = kept, .write = keep};
}

void kept_text_expect(const struct kept_text *kept, const char *words)
{
    if (strstr(kept->text, words) == NULL)
        fail_msg("not shown: %s\nshown:\n%s", words, kept->text);
}

void kept_text_expect_not(const struct kept_text *kept, const char *words)
{
    if (strstr(kept->text, words) != NULL)
        fail_msg("shown: %s\nin:\n%s", words, kept->text);
}
