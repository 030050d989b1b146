/* SPDX-License-Identifier: BSD-2-Clause */
/* build/sim/barechase [machine=FILE] [key=value ...]: the engine on a simulated machine. Exit
 * status: enum session_exit. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "core/results/run_id.h"
#include "tests/sim/machine_file.h"
#include "tests/shared/session.h"
#include "tests/sim/simulator.h"

static const struct option_source source = {
    .name = "command line", .lines = false, .host = OPTION_SIMULATOR};

static volatile sig_atomic_t stop;

static void on_stop(int number)
{
    (void)number;
    stop = 1;
}

/* A run that is stopped ends well, with what it has; what is ignored stays so, as under nohup. */
static void catch_stops(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_stop, .sa_flags = SA_RESTART}, found;

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (sigaction(numbers[i], NULL, &found) == 0 && found.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

int main(int argc, char **argv)
{
    static char words[OPTIONS_TEXT_MAX + 2], pool[OPTIONS_POOL_BYTES];
    static struct simulator sim;
    struct results results = {.records = NULL};
    struct options options;
    struct option_error error;
    struct sim_config config = sim_config_default;
    struct sim_file_error file_error;
    struct session session = {.options = &options,
                              .results = &results,
                              .console = results_text_sink(stdout),
                              .version = BARECHASE_VERSION};
    enum session_exit end;

    /* Whoever reads a pipe or a file sees each line when it is said. */
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    options_default(&options);
    if (session_asked(argc, argv, "--help", "-h")) {
        options_help(OPTION_SIMULATOR, &session.console);
        return SESSION_OK;
    }
    if (session_asked(argc, argv, "--version", NULL)) {
        puts("barechase " BARECHASE_VERSION);
        return SESSION_OK;
    }
    session_join(argc, argv, words, sizeof words);
    if (options_parse(&options, words, strlen(words), &source, NULL, pool, sizeof pool, &error) !=
        STATUS_OK) {
        fprintf(stderr, "barechase: %s\n", error.text);
        return SESSION_BAD_INPUT;
    }
    if (options.machine_file[0] != '\0' &&
        !sim_machine_load(&config, options.machine_file, &file_error)) {
        fprintf(stderr, "barechase: %s\n", file_error.text);
        return SESSION_BAD_INPUT;
    }
    if (options.save && results_open(&results, options.out, "run-") != STATUS_OK)
        return SESSION_BAD_INPUT;
    simulator_start(&sim, &config, false);
    sim.stop = &stop;
    catch_stops();
    session.machine = &sim.machine;
    session.run_id = run_id_of(options.seed, 0);
    end = session_run(&session);
    simulator_stop(&sim);
    if (results_close(&results) != STATUS_OK)
        end = SESSION_FAILED;
    if (options.save)
        printf("results: %s\n", results.directory);
    return (int)end;
}
