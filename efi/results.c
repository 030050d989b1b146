/* SPDX-License-Identifier: BSD-2-Clause */
/* A run's files; see results.h. */
#include "efi/results.h"

#include "core/lib/memory.h"

#define RUN_MAX  9999u
#define FREE_MIN (256u << 10) /* bytes a volume must have free to be worth trying */

static const CHAR16 *const file_names[RESULTS_FILES] = {L"results.jsonl", L"report.txt",
                                                        L"points.csv"};

/* ---- texts */

static bool text_grow(struct results_text *text, size_t bytes)
{
    size_t capacity = text->capacity == 0 ? 16384 : text->capacity * 2;
    char *grown;

    while (capacity < text->used + bytes)
        capacity *= 2;
    grown = firmware_allocate(text->fw, capacity);
    if (grown == NULL)
        return false;
    if (text->used != 0)
        memory_copy(grown, text->bytes, text->used);
    firmware_free(text->fw, text->bytes);
    text->bytes = grown;
    text->capacity = capacity;
    return true;
}

/* A whole piece or nothing, so that a file never ends inside a line. */
static bool text_append(struct results_text *text, const char *bytes, size_t count)
{
    if (text->cut || (text->used + count > text->capacity && !text_grow(text, count))) {
        text->cut = true;
        return false;
    }
    memory_copy(text->bytes + text->used, bytes, count);
    text->used += count;
    return true;
}

static void text_sink_write(void *context, const char *bytes, size_t count)
{
    text_append(context, bytes, count);
}

/* ---- paths and run numbers */

static size_t put_path(CHAR16 *path, size_t pos, const CHAR16 *words)
{
    while (*words != 0 && pos + 1 < FILE_PATH_MAX)
        path[pos++] = *words++;
    path[pos] = 0;
    return pos;
}

/* "\barechase\run-0042" and, when name is not NULL, "\name". */
static void run_path(unsigned run, const CHAR16 *name, CHAR16 path[FILE_PATH_MAX])
{
    size_t pos = put_path(path, 0, RESULTS_HOME L"\\run-");

    for (unsigned unit = 1000; unit != 0; unit /= 10)
        path[pos++] = (CHAR16)('0' + run / unit % 10);
    path[pos] = 0;
    if (name != NULL)
        put_path(path, put_path(path, pos, L"\\"), name);
}

/* The number of "run-NNNN" (any case), or 0. */
static unsigned run_number(const CHAR16 *name)
{
    static const char prefix[] = "run-";
    unsigned number = 0;

    for (size_t i = 0; i < 4; i++, name++)
        if (*name != (CHAR16)prefix[i] && *name != (CHAR16)(prefix[i] - 32))
            return 0;
    for (size_t i = 0; i < 4; i++, name++) {
        if (*name < '0' || *name > '9')
            return 0;
        number = number * 10 + (unsigned)(*name - '0');
    }
    return *name == 0 ? number : 0;
}

struct run_scan {
    unsigned highest;
    uint8_t taken[RUN_MAX / 8 + 1];
};

static void scan_entry(void *context, const CHAR16 *name)
{
    struct run_scan *scan = context;
    unsigned number = run_number(name);

    scan->taken[number / 8] |= (uint8_t)(1u << number % 8);
    if (number > scan->highest)
        scan->highest = number;
}

/* The number after the highest one; once 9999 is there, the lowest free one; 0: all are taken. */
static unsigned next_run(const struct run_scan *scan)
{
    if (scan->highest < RUN_MAX)
        return scan->highest + 1;
    for (unsigned i = 1; i <= RUN_MAX; i++)
        if ((scan->taken[i / 8] & 1u << i % 8) == 0)
            return i;
    return 0;
}

/* ---- one volume */

static bool volume_counts(const struct volume *volume)
{
    return volume->boot || volume_has_directory(volume, RESULTS_HOME);
}

static EFI_STATUS make_run_directory(struct results *results, const struct volume *volume)
{
    CHAR16 path[FILE_PATH_MAX];
    struct run_scan scan;
    EFI_STATUS status;

    memory_fill(&scan, 0, sizeof scan);
    if (!volume_has_directory(volume, RESULTS_HOME)) {
        status = directory_make(volume, RESULTS_HOME);
        if (EFI_ERROR(status))
            return status;
    }
    status = directory_list(results->fw, volume, RESULTS_HOME, scan_entry, &scan);
    if (EFI_ERROR(status))
        return status;
    results->run = next_run(&scan);
    if (results->run == 0)
        return EFI_VOLUME_FULL;
    run_path(results->run, NULL, path);
    status = directory_make(volume, path);
    results->directory = !EFI_ERROR(status);
    return status;
}

static EFI_STATUS append_texts(struct results *results, const struct volume *volume)
{
    CHAR16 path[RESULTS_FILES][FILE_PATH_MAX];
    struct file_piece piece[RESULTS_FILES];
    unsigned files = results->ended ? RESULTS_FILES : RESULTS_RECORDS + 1;
    EFI_STATUS status;

    /* Until the end, records alone: everything else is a view of them, and each write is a moment
     * in which a pulled stick is left with clusters that no file has yet. */
    for (unsigned i = 0; i < files; i++) {
        struct results_text *text = &results->text[i];
        run_path(results->run, file_names[i], path[i]);
        piece[i] =
            (struct file_piece){path[i], text->bytes + text->written, text->used - text->written};
    }
    status = file_append(volume, piece, files);
    if (!EFI_ERROR(status))
        for (unsigned i = 0; i < files; i++)
            results->text[i].written = results->text[i].used;
    return status;
}

static EFI_STATUS store(struct results *results, const struct volume *volume)
{
    EFI_STATUS status = EFI_SUCCESS;

    if (!results->directory) {
        status = volume_writable(volume, FREE_MIN);
        if (!EFI_ERROR(status))
            status = make_run_directory(results, volume);
    }
    return EFI_ERROR(status) ? status : append_texts(results, volume);
}

/* What this run began on a volume that then failed; the directory is ours, so is all in it. */
static void remove_partial(struct results *results, const struct volume *volume)
{
    CHAR16 path[FILE_PATH_MAX];

    if (!results->directory)
        return;
    for (unsigned i = 0; i < RESULTS_FILES; i++) {
        run_path(results->run, file_names[i], path);
        file_remove(volume, path);
        results->text[i].written = 0;
    }
    run_path(results->run, NULL, path);
    file_remove(volume, path);
    results->directory = false;
}

/* ---- all volumes */

static void note_volume(struct results *results, const struct volume *volume, EFI_STATUS status)
{
    notes_format(results->notes, SEVERITY_WARNING, "results not written to a volume", "%s: %s",
                 volume->name, firmware_status_words(status));
}

static void echo_records(struct results *results)
{
    const struct results_text *records = &results->text[RESULTS_RECORDS];

    if (results->echoed < records->used)
        console_write(results->console, records->bytes + results->echoed,
                      records->used - results->echoed);
    results->echoed = records->used;
}

/* Moves on, from this volume on, to one that counts and looks writable; false when there is none.
 */
static bool find_volume(struct results *results)
{
    for (; results->volume < results->volumes->count; results->volume++) {
        const struct volume *volume = &results->volumes->volume[results->volume];
        EFI_STATUS status;

        if (!volume_counts(volume))
            continue;
        status = volume_writable(volume, FREE_MIN);
        if (!EFI_ERROR(status))
            return true;
        note_volume(results, volume, status);
    }
    return false;
}

/* The next volume, also one that the firmware has not looked at yet; without one, the console. */
static void next_volume(struct results *results)
{
    if (find_volume(results) ||
        (volumes_more(results->fw, results->volumes) && find_volume(results)))
        return;
    results->echo = true;
    notes_add(results->notes, SEVERITY_WARNING, "records on console",
              "no writable volume with a barechase directory; nothing was saved");
}

/* A line before the end record, which is in no file yet: writing it is what failed. */
static void put_before_end(struct results_text *text, size_t end, const char *line, size_t bytes)
{
    for (size_t i = text->used; i-- > end;)
        text->bytes[i + bytes + 1] = text->bytes[i];
    memory_copy(text->bytes + end, line, bytes);
    text->bytes[end + bytes] = '\n';
    text->used += bytes + 1;
}

static enum status sink_write(void *context, const char *line, size_t bytes)
{
    struct results *results = context;
    struct results_text *records = &results->text[RESULTS_RECORDS];

    /* Both or neither: a file's lines are whole. */
    if (records->used + bytes + 1 > records->capacity && !text_grow(records, bytes + 1))
        records->cut = true;
    if (records->cut) {
        console_write(results->console, line, bytes);
        console_print(results->console, "\n");
        return STATUS_NO_MEMORY;
    }
    if (results->ended) {
        put_before_end(records, results->last, line, bytes);
        results->last += bytes + 1;
        return STATUS_OK;
    }
    results->last = records->used;
    text_append(records, line, bytes);
    text_append(records, "\n", 1);
    return STATUS_OK;
}

/* The notes' own records come back to the view, which must not start again with the next one. */
static void emit_notes(struct results *results)
{
    if (results->emitting)
        return;
    results->emitting = true;
    notes_emit(results->notes, results->journal);
    results->emitting = false;
}

/* The end record waits for the last flush: notes may still come before it. */
static void notes_view_record(void *context, const struct record *record)
{
    struct results *results = context;

    if (results->echo && record->kind != RECORD_END && !results->ended)
        echo_records(results);
    switch (record->kind) {
    case RECORD_POINT:
    case RECORD_LEVEL:
    case RECORD_DRAM:
    case RECORD_FINDING:
    case RECORD_ERROR:
    case RECORD_NOTE:
        emit_notes(results);
        break;
    case RECORD_END:
        results->ended = true;
        break;
    default:
        break;
    }
}

static enum status sink_flush(void *context)
{
    struct results *results = context;

    emit_notes(results);
    while (results->save && results->volume < results->volumes->count) {
        const struct volume *volume = &results->volumes->volume[results->volume];
        EFI_STATUS status = store(results, volume);

        if (!EFI_ERROR(status))
            return STATUS_OK;
        note_volume(results, volume, status);
        remove_partial(results, volume);
        results->volume++;
        next_volume(results);
        emit_notes(results);
    }
    if (results->echo)
        echo_records(results);
    return STATUS_OK;
}

void results_start(struct results *results, const struct firmware *fw, struct volumes *volumes,
                   struct console *console, struct journal *journal, struct notes *notes, bool save,
                   bool echo)
{
    *results = (struct results){.fw = fw,
                                .volumes = volumes,
                                .console = console,
                                .journal = journal,
                                .notes = notes,
                                .save = save,
                                .echo = echo};
    for (unsigned i = 0; i < RESULTS_FILES; i++)
        results->text[i].fw = fw;
    if (save)
        next_volume(results);
}

void results_free(struct results *results)
{
    for (unsigned i = 0; i < RESULTS_FILES; i++) {
        firmware_free(results->fw, results->text[i].bytes);
        results->text[i] = (struct results_text){.fw = results->fw};
    }
}

struct journal_view results_notes_view(struct results *results)
{
    return (struct journal_view){.context = results, .record = notes_view_record};
}

struct record_sink results_record_sink(struct results *results)
{
    return (struct record_sink){.context = results, .write = sink_write, .flush = sink_flush};
}

struct text_sink results_text_sink(struct results *results, enum results_file file)
{
    return (struct text_sink){.context = &results->text[file], .write = text_sink_write};
}

const char *results_text(const struct results *results, enum results_file file, size_t *bytes)
{
    *bytes = results->text[file].used;
    return results->text[file].bytes;
}

bool results_wrote(const struct results *results)
{
    return results->directory;
}

void results_where(const struct results *results, struct text *text)
{
    CHAR16 path[FILE_PATH_MAX];

    if (!results->directory) {
        text_add(text, results->save ? "on the console only" : "not saved (save=off)");
        return;
    }
    run_path(results->run, NULL, path);
    firmware_text(text, path, FILE_PATH_MAX);
    text_format(text, " on %s", results->volumes->volume[results->volume].name);
}
