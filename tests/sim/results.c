/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/results.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES   (OPTIONS_LINE_MAX + 32)
#define RECORDS_NAME "results.jsonl"
#define REPORT_NAME  "report.txt"
#define POINTS_NAME  "points.csv"

static enum status complain(const char *what, const char *name)
{
    fprintf(stderr, "barechase: %s: %s: %s\n", name, what, strerror(errno));
    return STATUS_IO;
}

/* x: the file must be new. Nothing that stands is ever overwritten. */
static FILE *create(const struct results *results, const char *name)
{
    char path[PATH_BYTES];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", results->directory, name);
    file = fopen(path, "wx");
    if (!file)
        complain("cannot be created", path);
    return file;
}

static enum status make_numbered(struct results *results, const char *prefix)
{
    for (unsigned number = 1; number <= 9999; number++) {
        snprintf(results->directory, sizeof results->directory, "%s%04u", prefix, number);
        if (mkdir(results->directory, 0777) == 0)
            return STATUS_OK;
        if (errno != EEXIST)
            return complain("cannot be made", results->directory);
    }
    fprintf(stderr, "barechase: %s0001 to %s9999 all stand already: move some away\n", prefix,
            prefix);
    return STATUS_IO;
}

static void take_back_file(const struct results *results, FILE *file, const char *name)
{
    char path[PATH_BYTES];

    if (!file)
        return;
    fclose(file);
    snprintf(path, sizeof path, "%s/%s", results->directory, name);
    unlink(path);
}

/* Files that could all be made but for the last would pass for those of a run. */
static void take_back(struct results *results, bool made)
{
    take_back_file(results, results->records, RECORDS_NAME);
    take_back_file(results, results->report, REPORT_NAME);
    if (made)
        rmdir(results->directory);
    results->records = results->report = NULL;
}

enum status results_open(struct results *results, const char *out, const char *prefix)
{
    enum status status = STATUS_OK;
    bool made = true;

    *results = (struct results){.records = NULL};
    if (out[0] == '\0') {
        status = make_numbered(results, prefix);
    } else {
        snprintf(results->directory, sizeof results->directory, "%s", out);
        made = mkdir(results->directory, 0777) == 0;
        if (!made && errno != EEXIST)
            status = complain("cannot be made", out);
    }
    if (status != STATUS_OK)
        return status;
    results->records = create(results, RECORDS_NAME);
    results->report = results->records ? create(results, REPORT_NAME) : NULL;
    results->points = results->report ? create(results, POINTS_NAME) : NULL;
    if (results->points) {
        /* Whatever kills a run leaves whole records. */
        setvbuf(results->records, NULL, _IOLBF, 0);
        return STATUS_OK;
    }
    take_back(results, made);
    return STATUS_IO;
}

static bool close_one(FILE *file)
{
    bool good = !file || ferror(file) == 0;

    return (!file || fclose(file) == 0) && good;
}

enum status results_close(struct results *results)
{
    bool records = close_one(results->records);
    bool report = close_one(results->report);
    bool points = close_one(results->points);

    if (records && report && points)
        return STATUS_OK;
    return complain("not everything could be written", results->directory);
}

static enum status write_record(void *context, const char *line, size_t bytes)
{
    FILE *file = context;

    if (fwrite(line, 1, bytes, file) != bytes || fputc('\n', file) == EOF)
        return STATUS_IO;
    return STATUS_OK;
}

static enum status flush_records(void *context)
{
    return fflush(context) == 0 ? STATUS_OK : STATUS_IO;
}

struct record_sink results_record_sink(struct results *results)
{
    if (!results->records)
        return (struct record_sink){.write = NULL};
    return (struct record_sink){
        .context = results->records, .write = write_record, .flush = flush_records};
}

static void write_text(void *context, const char *text, size_t bytes)
{
    if (context)
        fwrite(text, 1, bytes, context);
}

struct text_sink results_text_sink(FILE *file)
{
    return (struct text_sink){.context = file, .write = write_text};
}
