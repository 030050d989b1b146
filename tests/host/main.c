/* SPDX-License-Identifier: BSD-2-Clause */
/* build/host/barechase [key=value ...]: the engine as a Linux process. Exit status: enum
 * session_exit. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/results/run_id.h"
#include "tests/host/linux_machine.h"
#include "tests/host/pin.h"
#include "tests/host/progress.h"
#include "tests/host/quiet.h"
#include "tests/shared/output.h"
#include "tests/shared/session.h"

static const struct option_source source = {
    .name = "command line", .lines = false, .host = OPTION_LINUX};

static const char usage[] =
    "usage: barechase [key=value ...]\n"
    "       barechase --version\n"
    "\n"
    "Measures the latency of memory by chasing pointers, as a process on one CPU.\n"
    "Results go to a directory of their own, barechase-run-NNNN here, or to out=.\n"
    "Root gets more: pools of huge pages (/proc/sys/vm/nr_hugepages), prefetchers\n"
    "off (modprobe msr), physical addresses. The results say what was not to be had.\n"
    "\n";

/* Options that every machine accepts but that mean nothing to a process. */
static const char *refusal(const struct options *options)
{
    if (options->map == MAP_IDENTITY)
        return "map: a process has no identity mapping; allowed: window";
    if (options->range_from.value != options->range_below.value)
        return "range: a process cannot choose physical memory; allowed: auto";
    return NULL;
}

static bool read_options(int argc, char **argv, struct options *options, uint32_t *cpu)
{
    static char words[OPTIONS_TEXT_MAX + 2], pool[OPTIONS_POOL_BYTES];
    char pinning[PIN_MESSAGE_BYTES];
    struct option_error error;
    const char *why = NULL;

    session_join(argc, argv, words, sizeof words);
    options_default(options);
    if (options_parse(options, words, strlen(words), &source, NULL, pool, sizeof pool, &error) !=
        STATUS_OK) {
        fprintf(stderr, "barechase: %s\n", error.text);
        return false;
    }
    why = refusal(options);
    if (why == NULL && !pin_to_cpu(options->cpu, cpu, pinning))
        why = pinning;
    if (why != NULL) {
        fprintf(stderr, "barechase: command line: %s\n", why);
        return false;
    }
    options->cpu = *cpu + 1;
    return true;
}

static enum session_exit help(void)
{
    struct text_sink sink = progress_text_sink();

    sink.write(sink.context, usage, strlen(usage));
    sink.write(sink.context, session_statuses, strlen(session_statuses));
    sink.write(sink.context, "\n", 1);
    options_help(OPTION_LINUX, &sink);
    return progress_end() ? SESSION_OK : SESSION_FAILED;
}

static enum session_exit version(void)
{
    static const char line[] = "barechase " BARECHASE_VERSION "\n";
    struct text_sink sink = progress_text_sink();

    sink.write(sink.context, line, sizeof line - 1);
    return progress_end() ? SESSION_OK : SESSION_FAILED;
}

static uint64_t new_run_id(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return run_id_of((uint64_t)now.tv_sec, (uint64_t)now.tv_nsec << 32 | (uint32_t)getpid());
}

static enum session_exit run(const struct options *options, uint32_t cpu)
{
    static struct linux_machine machine;
    struct results results = {.records = NULL};
    struct session session = {.machine = &machine.machine,
                              .options = options,
                              .results = &results,
                              .console = progress_text_sink(),
                              .notes = &machine.notes,
                              .version = BARECHASE_VERSION,
                              .run_id = new_run_id()};
    enum session_exit end;

    quiet_prepare(); /* before any state exists that a signal could leave behind */
    if (options->save && results_open(&results, options->out, "barechase-run-") != STATUS_OK)
        return SESSION_BAD_INPUT;
    progress_start(!options->save);
    linux_machine_start(&machine, cpu, options);
    end = session_run(&session);
    if (results_close(&results) != STATUS_OK)
        end = SESSION_FAILED;
    if (options->save)
        printf("results: %s\n", results.directory);
    /* Files keep the results even if the screen failed. */
    if (!progress_end() && !options->save)
        end = SESSION_FAILED;
    return end;
}

int main(int argc, char **argv)
{
    struct options options;
    uint32_t cpu;

    if (!output_prepare())
        return SESSION_BAD_INPUT;
    if (session_asked(argc, argv, "--help", "-h"))
        return (int)help();
    if (session_asked(argc, argv, "--version", NULL))
        return (int)version();
    if (!read_options(argc, argv, &options, &cpu))
        return SESSION_BAD_INPUT;
    return (int)run(&options, cpu);
}
