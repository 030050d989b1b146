/* SPDX-License-Identifier: BSD-2-Clause */
/* build/sim/barechase [machine=FILE] [key=value ...]: the engine on a simulated machine. Exit
 * status: enum session_exit. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "core/results/run_id.h"
#include "tests/shared/output.h"
#include "tests/shared/session.h"
#include "tests/sim/machine_file.h"
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

static bool saves;

/* A run whose only results go to the screen stops if nothing can be written there. */
static void write_text(void *context, const char *text, size_t bytes)
{
    (void)context;
    if (!output_write(text, bytes) && !saves)
        stop = 1;
}

static enum session_exit help(const struct text_sink *console)
{
    static const char usage[] = "usage: barechase [machine=FILE] [key=value ...]\n"
                                "       barechase --version\n"
                                "\n"
                                "Measures a simulated machine, whose file is the truth.\n";

    console->write(console->context, usage, strlen(usage));
    console->write(console->context, session_statuses, strlen(session_statuses));
    console->write(console->context, "\n", 1);
    options_help(OPTION_SIMULATOR, console);
    return output_end() ? SESSION_OK : SESSION_FAILED;
}

static enum session_exit version(void)
{
    static const char line[] = "barechase " BARECHASE_VERSION "\n";

    (void)output_write(line, sizeof line - 1);
    return output_end() ? SESSION_OK : SESSION_FAILED;
}

static enum session_exit run(struct session *session, const struct sim_config *config)
{
    static struct simulator sim;
    enum session_exit end;

    simulator_start(&sim, config, false);
    sim.stop = &stop;
    catch_stops();
    session->machine = &sim.machine;
    session->run_id = run_id_of(session->options->seed, 0);
    end = session_run(session);
    simulator_stop(&sim);
    if (results_close(session->results) != STATUS_OK)
        end = SESSION_FAILED;
    if (saves)
        printf("results: %s\n", session->results->directory);
    /* Files keep the results even if the screen failed. */
    return output_end() || saves ? end : SESSION_FAILED;
}

int main(int argc, char **argv)
{
    static char words[OPTIONS_TEXT_MAX + 2], pool[OPTIONS_POOL_BYTES];
    struct results results = {.records = NULL};
    struct options options;
    struct option_error error;
    struct sim_config config = sim_config_default;
    struct sim_file_error file_error;
    struct session session = {.options = &options,
                              .results = &results,
                              .console = {.write = write_text},
                              .version = BARECHASE_VERSION};

    if (!output_prepare())
        return SESSION_BAD_INPUT;
    options_default(&options);
    if (session_asked(argc, argv, "--help", "-h"))
        return (int)help(&session.console);
    if (session_asked(argc, argv, "--version", NULL))
        return (int)version();
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
    saves = options.save;
    if (saves && results_open(&results, options.out, "run-") != STATUS_OK)
        return SESSION_BAD_INPUT;
    return (int)run(&session, &config);
}
