/* SPDX-License-Identifier: BSD-2-Clause */
/* print_options firmware|linux|simulator: the help of every key that this machine has, for
 * tools/options. */
#include <stdio.h>
#include <string.h>

#include "core/options/options.h"

static void print(void *context, const char *text, size_t bytes)
{
    (void)context;
    fwrite(text, 1, bytes, stdout);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        enum option_host host;
    } hosts[] = {
        {"firmware", OPTION_FIRMWARE}, {"linux", OPTION_LINUX}, {"simulator", OPTION_SIMULATOR}};
    struct text_sink sink = {.write = print};

    for (size_t i = 0; argc == 2 && i < sizeof(hosts) / sizeof(hosts[0]); i++)
        if (strcmp(argv[1], hosts[i].name) == 0) {
            options_help(hosts[i].host, &sink);
            return 0;
        }
    fprintf(stderr, "usage: print_options firmware|linux|simulator\n");
    return 2;
}
