/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as options, in each form and for each machine: no crash, no read past the end; a
 * refusal changes nothing and its message is printable; what is accepted reads back from its own
 * text. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/options/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void refused_well(const struct options *now, const struct options *before,
                         const struct option_error *error)
{
    if (memcmp(now, before, sizeof(*now)) != 0 || error->text[0] == '\0')
        __builtin_trap();
    for (const char *c = error->text; *c != '\0'; c++)
        if (*c < 0x20 || *c > 0x7e)
            __builtin_trap();
}

static void reads_back(const struct options *accepted, enum option_host host)
{
    static char pool[OPTIONS_POOL_BYTES];
    struct option_source source = {"in effect", false, OPTION_FIRMWARE};
    char text[OPTIONS_EFFECTIVE_MAX], again[OPTIONS_EFFECTIVE_MAX];
    struct options read;
    struct option_error error;
    size_t bytes = options_effective(accepted, text, sizeof(text));

    /* Only the firmware has end=, and only there can no path be cut or hold a blank. */
    if (host != OPTION_FIRMWARE)
        return;
    options_default(&read);
    if (options_parse(&read, text, bytes, &source, NULL, pool, sizeof(pool), &error) != STATUS_OK)
        __builtin_trap();
    options_effective(&read, again, sizeof(again));
    if (strcmp(text, again) != 0)
        __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum option_host hosts[] = {OPTION_FIRMWARE, OPTION_LINUX, OPTION_SIMULATOR};
    static char pool[OPTIONS_POOL_BYTES];

    for (int form = 0; form < 6; form++) {
        struct option_source source = {"fuzz", form < 3, hosts[form % 3]};
        struct options options, before;
        struct option_error error;

        options_default(&options);
        memcpy(&before, &options, sizeof(before));
        if (options_parse(&options, (const char *)data, size, &source, NULL, pool, sizeof(pool),
                          &error) != STATUS_OK)
            refused_well(&options, &before, &error);
        else
            reads_back(&options, source.host);
    }
    return 0;
}
