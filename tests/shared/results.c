/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/shared/results.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES   (OPTIONS_LINE_MAX + 32)
#define RECORDS_NAME "results.jsonl"
#define REPORT_NAME  "report.txt"
#define POINTS_NAME  "points.csv"

static const char *const file_names[] = {RECORDS_NAME, REPORT_NAME, POINTS_NAME};
#define FILE_NAMES (sizeof file_names / sizeof file_names[0])

static void path_of(const struct results *results, const char *name, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/%s", results->directory, name);
}

/* Mode x: the file must be new, so nothing is ever overwritten. */
static FILE *create(const struct results *results, const char *name)
{
    char path[PATH_BYTES];
    FILE *file;

    path_of(results, name, path);
    file = fopen(path, "wx");
    if (!file)
        fprintf(stderr, "barechase: results cannot be written to %s: %s: %s\n", results->directory,
                name, strerror(errno));
    return file;
}

FILE *results_add(const struct results *results, const char *name)
{
    return results->records != NULL ? create(results, name) : NULL;
}

/* The files there may be a run's whole results, or unrelated files of the same name. */
static enum status refuse_results(const struct results *results)
{
    char path[PATH_BYTES];
    struct stat found;

    for (size_t i = 0; i < FILE_NAMES; i++) {
        path_of(results, file_names[i], path);
        if (lstat(path, &found) != 0)
            continue;
        fprintf(stderr,
                "barechase: out: %s holds results already (%s), and nothing is overwritten; "
                "allowed: a directory without them, or one that can be made\n",
                results->directory, file_names[i]);
        return STATUS_IO;
    }
    return STATUS_OK;
}

static enum status make_named(struct results *results, const char *out, bool *made)
{
    struct stat found;

    snprintf(results->directory, sizeof results->directory, "%s", out);
    *made = mkdir(out, 0777) == 0;
    if (*made)
        return STATUS_OK;
    if (errno == EEXIST && stat(out, &found) == 0 && !S_ISDIR(found.st_mode))
        errno = ENOTDIR;
    if (errno != EEXIST) {
        fprintf(stderr,
                "barechase: out: %s: no directory can be made: %s; allowed: a directory, or a name "
                "in one that may be written to\n",
                out, strerror(errno));
        return STATUS_IO;
    }
    return refuse_results(results);
}

static enum status make_numbered(struct results *results, const char *prefix)
{
    for (unsigned number = 1; number <= 9999; number++) {
        snprintf(results->directory, sizeof results->directory, "%s%04u", prefix, number);
        if (mkdir(results->directory, 0777) == 0)
            return STATUS_OK;
        if (errno != EEXIST) {
            fprintf(stderr,
                    "barechase: results: no directory %s can be made here: %s; out= names "
                    "another place, save=off keeps nothing\n",
                    results->directory, strerror(errno));
            return STATUS_IO;
        }
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
    path_of(results, name, path);
    unlink(path);
}

/* If the last file cannot be made, the others are removed, since they would pass for a run's
 * results. */
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
    enum status status;
    bool made = true;

    *results = (struct results){.records = NULL};
    status = out[0] == '\0' ? make_numbered(results, prefix) : make_named(results, out, &made);
    if (status != STATUS_OK)
        return status;
    results->records = create(results, RECORDS_NAME);
    results->report = results->records ? create(results, REPORT_NAME) : NULL;
    results->points = results->report ? create(results, POINTS_NAME) : NULL;
    if (results->points) {
        /* Line by line: whatever kills a run, the file holds whole records. */
        setvbuf(results->records, NULL, _IOLBF, 0);
        return STATUS_OK;
    }
    take_back(results, made);
    return STATUS_IO;
}

static bool close_one(struct results *results, FILE *file, const char *name)
{
    bool failed = file && ferror(file) != 0;

    if (file && fclose(file) != 0) {
        failed = true;
        results->reason = errno;
    }
    if (failed)
        fprintf(stderr, "barechase: results in %s are not whole: %s: %s\n", results->directory,
                name, results->reason != 0 ? strerror(results->reason) : "a write failed");
    return !failed;
}

/* A full disk takes part of a line, and closing may write more of it. */
static void cut_to_whole(const struct results *results)
{
    char path[PATH_BYTES];

    path_of(results, RECORDS_NAME, path);
    if (truncate(path, (off_t)results->whole_bytes) != 0)
        fprintf(stderr, "barechase: %s: the last line may be cut off: %s\n", path, strerror(errno));
}

enum status results_close(struct results *results)
{
    bool records = close_one(results, results->records, RECORDS_NAME);
    bool report = close_one(results, results->report, REPORT_NAME);
    bool points = close_one(results, results->points, POINTS_NAME);

    if (!records)
        cut_to_whole(results);
    return records && report && points ? STATUS_OK : STATUS_IO;
}

static enum status write_record(void *context, const char *line, size_t bytes)
{
    struct results *results = context;

    if (fwrite(line, 1, bytes, results->records) == bytes && fputc('\n', results->records) != EOF) {
        results->whole_bytes += bytes + 1;
        return STATUS_OK;
    }
    results->reason = errno;
    return STATUS_IO;
}

static enum status flush_records(void *context)
{
    struct results *results = context;

    if (fflush(results->records) == 0)
        return STATUS_OK;
    results->reason = errno;
    return STATUS_IO;
}

struct record_sink results_record_sink(struct results *results)
{
    if (!results->records)
        return (struct record_sink){.write = NULL};
    return (struct record_sink){.context = results, .write = write_record, .flush = flush_records};
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
