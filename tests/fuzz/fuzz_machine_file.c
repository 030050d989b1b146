/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a machine file: no crash, no read past the end; a refusal says something printable
 * and short, and what is accepted passes its own check and is accepted again as it is printed. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tests/sim/machine_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_and_read(const struct sim_config *config)
{
    static char text[SIM_FILE_MAX];
    FILE *file = fmemopen(text, sizeof text, "w");
    struct sim_config again;
    struct sim_file_error error;
    long bytes;

    if (!file)
        return;
    sim_config_print(config, file);
    bytes = ftell(file);
    fclose(file);
    if (bytes <= 0 || !sim_machine_parse(&again, text, (size_t)bytes, "printed", &error))
        __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sim_config config;
    struct sim_file_error error;
    struct sim_problem problem;

    memset(&error, 0, sizeof error);
    if (sim_machine_parse(&config, (const char *)data, size, "fuzz", &error)) {
        if (!sim_config_check(&config, &problem) || config.cache_count == 0 ||
            config.cache_count > SIM_CACHES_MAX || config.fault_count > SIM_FAULTS_MAX)
            __builtin_trap();
        print_and_read(&config);
        return 0;
    }
    if (error.text[0] == '\0' || !memchr(error.text, '\0', sizeof error.text))
        __builtin_trap();
    for (const char *c = error.text; *c != '\0'; c++)
        if (*c < 0x20 || *c > 0x7e)
            __builtin_trap();
    return 0;
}
