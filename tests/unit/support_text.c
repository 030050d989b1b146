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
