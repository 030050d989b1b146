/* SPDX-License-Identifier: BSD-2-Clause */
/* build/sim/barechase [machine=FILE] [key=value ...]: the engine on a simulated machine. Exit
 * status 0 only when the end record says ok. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/csv.h"
#include "core/engine.h"
#include "core/report.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/results.h"
#include "tests/sim/simulator.h"

#define EXIT_BAD_INPUT 2

static const struct option_source source = {
    .name = "command line", .lines = false, .host = OPTION_SIMULATOR};

static void echo_record(void *context, const struct record *record)
{
    char line[RECORD_LINE_MAX];

    (void)context;
    record_json(record, line);
    puts(line);
}

static void join_words(int argc, char **argv, char *text, size_t capacity)
{
    text[0] = '\0';
    for (int i = 1; i < argc; i++) {
        strncat(text, argv[i], capacity - strlen(text) - 1);
        strncat(text, " ", capacity - strlen(text) - 1);
    }
}

static void run(struct simulator *sim, const struct options *options, struct results *results,
                int *exit_status)
{
    static struct journal journal;
    static struct report console, report;
    static struct csv csv;
    struct record_sink sink = results_record_sink(results);
    struct text_sink to_console = results_text_sink(stdout);
    struct text_sink to_report = results_text_sink(results->report);
    struct text_sink to_points = results_text_sink(results->points);
    struct engine_request request = {.machine = &sim->machine,
                                     .options = options,
                                     .journal = &journal,
                                     .version = BARECHASE_VERSION,
                                     .workspace = calloc(1, engine_workspace_bytes())};

    if (!request.workspace) {
        fprintf(stderr, "barechase: no memory for the engine's workspace\n");
        return;
    }
    journal_start(&journal, &sink);
    report_start(&console, &to_console);
    report_start(&report, &to_report);
    csv_start(&csv, &to_points);
    journal_watch(&journal, (struct journal_view){&console, report_record, report_flush});
    journal_watch(&journal, (struct journal_view){&report, report_record, report_flush});
    journal_watch(&journal, (struct journal_view){&csv, csv_record, NULL});
    if (options->records)
        journal_watch(&journal, (struct journal_view){NULL, echo_record, NULL});
    *exit_status = engine_run(&request) == STATUS_OK ? EXIT_SUCCESS : EXIT_FAILURE;
    free(request.workspace);
    if (journal.sink_failed)
        *exit_status = EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    static char words[OPTIONS_TEXT_MAX + 2], pool[2 * OPTIONS_LINE_MAX];
    static struct simulator sim;
    struct results results = {.records = NULL};
    struct options options;
    struct option_error error;
    struct sim_config config = sim_config_default;
    struct sim_file_error file_error;
    int exit_status = EXIT_FAILURE;

    options_default(&options);
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        struct text_sink sink = results_text_sink(stdout);
        options_help(OPTION_SIMULATOR, &sink);
        return EXIT_SUCCESS;
    }
    join_words(argc, argv, words, sizeof words);
    if (options_parse(&options, words, strlen(words), &source, NULL, pool, sizeof pool, &error) !=
        STATUS_OK) {
        fprintf(stderr, "barechase: %s\n", error.text);
        return EXIT_BAD_INPUT;
    }
    if (options.machine_file[0] != '\0' &&
        !sim_machine_load(&config, options.machine_file, &file_error)) {
        fprintf(stderr, "barechase: %s\n", file_error.text);
        return EXIT_BAD_INPUT;
    }
    if (options.save && results_open(&results, options.out) != STATUS_OK)
        return EXIT_BAD_INPUT;
    simulator_start(&sim, &config, false);
    run(&sim, &options, &results, &exit_status);
    simulator_stop(&sim);
    if (results_close(&results) != STATUS_OK)
        exit_status = EXIT_FAILURE;
    if (options.save)
        printf("results: %s\n", results.directory);
    return exit_status;
}
