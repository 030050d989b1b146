/* SPDX-License-Identifier: BSD-2-Clause */
/* One machine, one run, one line of JSON: every figure with its truth. tests/score/score calls it.
 *
 *     score SEED|FILE quiet|noisy [WORDS]
 *     score SEED|FILE print       the drawn machine's file, for build/sim/barechase
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/score/draw.h"
#include "tests/score/listen.h"
#include "tests/sim/machine_file.h"
#include "tests/shared/words.h"

#define JITTER       0.02
#define SPIKE_EVERY  200
#define SPIKE_FACTOR 3

static void print_number(const char *key, double value)
{
    if (isfinite(value))
        printf(",\"%s\":%.8g", key, value);
    else
        printf(",\"%s\":null", key);
}

static void print_doubt(doubt_set doubt)
{
    const char *comma = "";

    printf(",\"doubt\":[");
    for (unsigned reason = 0; reason < DOUBT_REASONS; reason++) {
        if (!(doubt >> reason & 1))
            continue;
        printf("%s\"%s\"", comma, doubt_name((enum doubt_reason)reason));
        comma = ",";
    }
    printf("]");
}

static void print_figures(const struct score_figure *figure, size_t count)
{
    printf(",\"figures\":[");
    for (size_t i = 0; i < count; i++) {
        const struct score_figure *f = &figure[i];
        printf("%s{\"kind\":\"%s\",\"name\":\"%s\",\"class\":\"%s\",\"marked\":%s", i ? "," : "",
               f->kind, f->name, score_class_name(f->class), f->marked ? "true" : "false");
        print_number("found", f->found);
        print_number("low", f->low);
        print_number("high", f->high);
        print_number("truth", f->truth);
        print_number("tolerance", f->tolerance);
        print_doubt(f->doubt);
        printf("}");
    }
    printf("]");
}

static bool read_machine(const char *name, struct sim_config *config, unsigned *rejected)
{
    struct sim_file_error error;

    *rejected = 0;
    if (isdigit((unsigned char)name[0]) && strspn(name, "0123456789") == strlen(name)) {
        *rejected = score_draw(config, strtoull(name, NULL, 10));
        return true;
    }
    if (sim_machine_load(config, name, &error))
        return true;
    fprintf(stderr, "score: %s\n", error.text);
    return false;
}

static void make_noisy(struct sim_config *config)
{
    config->noise.jitter = JITTER;
    config->noise.spike_every = SPIKE_EVERY;
    config->noise.spike_factor = SPIKE_FACTOR;
}

/* The exit status. */
static int run_machine(const struct sim_config *config, const char *noise, const char *words,
                       unsigned rejected)
{
    static struct score_figure figure[SCORE_FIGURES_MAX];
    static struct simulator sim;
    static struct score_run run;
    struct option_error error;
    size_t count;

    simulator_start(&sim, config, false);
    (void)words_run(&sim.machine, words, score_listen, &run, &error);
    if (error.text[0] != '\0') {
        fprintf(stderr, "score: %s\n", error.text);
        return 2;
    }
    count = score_figures(config, &run, strcmp(noise, "noisy") == 0, figure);
    printf("{\"machine\":\"%s\",\"noise\":\"%s\",\"words\":\"%s\",\"rejected\":%u,\"end\":\"%s\"",
           config->name, noise, words, rejected, run.end);
    printf(",\"verdict\":\"%s\",\"verdict_class\":\"%s\"", run.verdict,
           score_verdict(&run, config));
    print_number("seconds", run.seconds);
    print_number("cpu_seconds", (double)clock() / CLOCKS_PER_SEC);
    print_figures(figure, count);
    printf("}\n");
    simulator_stop(&sim);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[2] : "";
    struct sim_config config;
    unsigned rejected;

    if (strcmp(what, "noisy") != 0 && strcmp(what, "quiet") != 0 && strcmp(what, "print") != 0) {
        fprintf(stderr, "usage: score SEED|FILE quiet|noisy [WORDS], score SEED|FILE print\n");
        return 2;
    }
    if (!read_machine(argv[1], &config, &rejected))
        return 2;
    if (strcmp(what, "print") == 0) {
        sim_config_print(&config, stdout);
        return 0;
    }
    config.fault_count = 0;
    if (strcmp(what, "noisy") == 0)
        make_noisy(&config);
    return run_machine(&config, what, argc > 3 ? argv[3] : "", rejected);
}
