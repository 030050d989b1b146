/* SPDX-License-Identifier: BSD-2-Clause */
/* A run's files; see results.h. */
#include "efi/results.h"

#include "core/lib/memory.h"
#include "efi/inject.h"
#include "efi/run_directory.h"

#define FREE_MIN (256u << 10) /* bytes a volume must have free to be worth trying */
#define UNNAMED  L"results.tmp"

#define FLUSH_FAILED \
    "the firmware could not flush what it wrote: it may be lost if power goes at once"

static const CHAR16 *const view_names[RESULTS_FILES] = {[RESULTS_REPORT] = L"report.txt",
                                                        [RESULTS_POINTS] = L"points.csv",
                                                        [RESULTS_BASELINE] = L"baseline.txt"};

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

/* Appends all of it or nothing, so that a file never ends inside a line. */
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

/* ---- one volume */

static bool volume_counts(const struct volume *volume)
{
    return volume->boot || volume_has_directory(volume, RESULTS_HOME);
}

static void say_flush(struct results *results, const struct volume *volume)
{
    if (results->flush_said)
        return;
    results->flush_said = true;
    /* Nothing follows the end record. */
    if (results->ended) {
        console_print(results->console, "results: " FLUSH_FAILED "\n");
        return;
    }
    notes_format(results->notes, SEVERITY_WARNING, "results may not be safe yet", "%s: %s",
                 volume->name, FLUSH_FAILED);
}

static EFI_STATUS put(struct results *results, const struct volume *volume, const CHAR16 *path,
                      uint64_t position, const char *bytes, size_t count)
{
    bool flushed = true;
    EFI_STATUS status = file_write(volume, path, position, bytes, count, &flushed);

    if (!EFI_ERROR(status) && !flushed)
        say_flush(results, volume);
    return status;
}

/* Writes a file under a temporary name and renames it once it is complete; *named is file_rename's
 * status. */
static EFI_STATUS put_whole(struct results *results, const struct volume *volume,
                            const CHAR16 *name, const char *bytes, size_t count, EFI_STATUS *named)
{
    CHAR16 unnamed[FILE_PATH_MAX];
    EFI_STATUS status;

    run_directory_path(results->run, UNNAMED, unnamed);
    status = put(results, volume, unnamed, 0, bytes, count);
    *named = EFI_ERROR(status) ? status : file_rename(volume, unnamed, name);
    if (EFI_ERROR(*named))
        file_remove(volume, unnamed);
    return status;
}

static void part_name(unsigned part, CHAR16 name[FILE_PATH_MAX])
{
    char words[FILE_PATH_MAX];
    size_t i = 0;

    text_print(words, sizeof words, part == 1 ? "results.jsonl" : "results-%u.jsonl", part);
    do
        name[i] = (CHAR16)words[i];
    while (words[i++] != '\0');
}

static EFI_STATUS make_room(struct results *results, const struct volume *volume,
                            const struct save_step *step, const CHAR16 *name)
{
    char *blanks = firmware_allocate(results->fw, step->bytes);
    EFI_STATUS status, named;

    if (blanks == NULL)
        return EFI_OUT_OF_RESOURCES;
    memory_fill(blanks, ' ', step->bytes);
    blanks[step->bytes - 1] = '\n';
    status = put_whole(results, volume, name, blanks, step->bytes, &named);
    firmware_free(results->fw, blanks);
    if (EFI_ERROR(status) || !EFI_ERROR(named)) {
        if (!EFI_ERROR(status))
            save_did(&results->saved, step);
        return status;
    }
    if (results->saved.saved != 0)
        return named;
    save_append(&results->saved);
    return EFI_SUCCESS;
}

static EFI_STATUS save_step(struct results *results, const struct volume *volume,
                            const struct save_step *step)
{
    CHAR16 name[FILE_PATH_MAX], path[FILE_PATH_MAX];
    EFI_STATUS status;

    part_name(step->part, name);
    if (step->act == SAVE_MAKE)
        return make_room(results, volume, step, name);
    run_directory_path(results->run, name, path);
    status = put(results, volume, path, step->act == SAVE_APPEND ? FILE_END : step->position,
                 results->text[RESULTS_RECORDS].bytes + step->from, step->bytes);
    if (!EFI_ERROR(status))
        save_did(&results->saved, step);
    return status;
}

static EFI_STATUS save_records(struct results *results, const struct volume *volume)
{
    const struct results_text *text = &results->text[RESULTS_RECORDS];
    size_t room = save_room(results->expected, volume_free_bytes(volume));
    EFI_STATUS status = EFI_SUCCESS;

    while (!EFI_ERROR(status)) {
        struct save_step step = save_next(&results->saved, text->bytes, text->used, room);
        if (step.act == SAVE_NOTHING)
            break;
        status = save_step(results, volume, &step);
    }
    return status;
}

/* Writes a view of the records once they are complete. */
static EFI_STATUS save_view(struct results *results, const struct volume *volume,
                            enum results_file file)
{
    const struct results_text *text = &results->text[file];
    CHAR16 path[FILE_PATH_MAX];
    EFI_STATUS named, status;

    run_directory_path(results->run, view_names[file], path);
    if (inject_write_fails(path))
        return EFI_DEVICE_ERROR;
    status = put_whole(results, volume, view_names[file], text->bytes, text->used, &named);
    if (!EFI_ERROR(status) && EFI_ERROR(named))
        status = put(results, volume, path, FILE_END, text->bytes, text->used);
    return status;
}

static bool is_written(const struct results *results, unsigned file)
{
    return file != RESULTS_BASELINE || results->text[file].used != 0;
}

/* Returns NULL, or why it failed, in words. Before the end only records are written: all other
 * files are views of them. */
static const char *store(struct results *results, const struct volume *volume)
{
    const char *why = NULL;
    EFI_STATUS status = EFI_SUCCESS;

    if (!results->directory) {
        status = volume_writable(volume, FREE_MIN);
        if (!EFI_ERROR(status))
            why = run_directory_make(results->fw, volume, &results->run);
        results->directory = !EFI_ERROR(status) && why == NULL;
        save_start(&results->saved);
    }
    if (results->directory)
        status = save_records(results, volume);
    for (unsigned i = RESULTS_REPORT; i < RESULTS_FILES && results->ended; i++)
        if (results->directory && !EFI_ERROR(status) && !results->complete &&
            is_written(results, i))
            status = save_view(results, volume, (enum results_file)i);
    results->complete = results->ended && results->directory && !EFI_ERROR(status);
    return EFI_ERROR(status) ? firmware_status_words(status) : why;
}

/* After the volume failed: saved records stay, and a directory without any is removed. */
static void leave_volume(struct results *results, const struct volume *volume)
{
    CHAR16 name[FILE_PATH_MAX], path[FILE_PATH_MAX];

    if (!results->directory)
        return;
    results->directory = false;
    if (results->saved.saved != 0) {
        results->left = true;
        return;
    }
    part_name(1, name);
    run_directory_path(results->run, name, path);
    file_remove(volume, path);
    run_directory_path(results->run, NULL, path);
    file_remove(volume, path);
}

/* ---- all volumes */

static void note_volume(struct results *results, const struct volume *volume, const char *why)
{
    notes_format(results->notes, SEVERITY_WARNING, "results not written to a volume", "%s: %s",
                 volume->name, why);
}

static void echo_records(struct results *results)
{
    const struct results_text *records = &results->text[RESULTS_RECORDS];

    if (results->echoed < records->used)
        console_write(results->console, records->bytes + results->echoed,
                      records->used - results->echoed);
    results->echoed = records->used;
}

/* Advances from this volume to the first one that counts and looks writable; false: there is none.
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
        note_volume(results, volume, firmware_status_words(status));
    }
    return false;
}

/* Falls back to the console where there is no next volume, even among those that the firmware had
 * not connected yet. */
static void next_volume(struct results *results)
{
    if (find_volume(results) ||
        (volumes_more(results->fw, results->volumes) && find_volume(results)))
        return;
    results->echo = true;
    notes_add(results->notes, SEVERITY_WARNING, "records on console",
              results->left ? "no other writable volume with a barechase directory; what was "
                              "saved before stays where it is"
                            : "no writable volume with a barechase directory; nothing was saved");
}

static enum status sink_write(void *context, const char *line, size_t bytes)
{
    struct results *results = context;
    struct results_text *records = &results->text[RESULTS_RECORDS];

    /* A line and its newline, or neither: files hold whole lines. */
    if (records->used + bytes + 1 > records->capacity && !text_grow(records, bytes + 1))
        records->cut = true;
    if (records->cut) {
        console_write(results->console, line, bytes);
        console_print(results->console, "\n");
        return STATUS_NO_MEMORY;
    }
    results->last = records->used;
    text_append(records, line, bytes);
    text_append(records, "\n", 1);
    return STATUS_OK;
}

/* Used when writing the end record failed: takes it back, emits the notes, and appends it again
 * with a new number. */
static void emit_before_end(struct results *results)
{
    struct results_text *records = &results->text[RESULTS_RECORDS];
    struct record end = results->end;
    char *line = results->journal->line; /* unused by then, and large */
    size_t bytes;

    records->used = results->last;
    results->journal->number--;
    notes_emit(results->notes, results->journal);
    end.number = ++results->journal->number;
    bytes = record_json(&end, line);
    line[bytes] = '\n';
    results->last = records->used;
    text_append(records, line, bytes + 1);
}

/* The records of the notes come back to this view, which must not start again on the next one. */
static void emit_notes(struct results *results)
{
    if (results->emitting)
        return;
    results->emitting = true;
    if (results->ended && results->notes->emitted < results->notes->count)
        emit_before_end(results);
    else
        notes_emit(results->notes, results->journal);
    results->emitting = false;
}

/* The end record waits for the last flush, since notes may still come before it. */
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
        results->end = *record;
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
        const char *why = store(results, volume);

        if (why == NULL)
            return STATUS_OK;
        note_volume(results, volume, why);
        leave_volume(results, volume);
        results->volume++;
        next_volume(results);
        emit_notes(results);
    }
    if (results->echo)
        echo_records(results);
    return STATUS_OK;
}

static void sink_expect(void *context, uint64_t points)
{
    struct results *results = context;

    results->expected = points;
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
    return (struct record_sink){
        .context = results, .write = sink_write, .flush = sink_flush, .expect = sink_expect};
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
    return results->directory || results->left;
}

unsigned results_runs(const struct results *results)
{
    return results->directory
               ? run_directory_count(results->fw, &results->volumes->volume[results->volume])
               : 0;
}

void results_where(const struct results *results, struct text *text)
{
    CHAR16 path[FILE_PATH_MAX];

    if (!results->directory) {
        text_add(text, results->save ? "on the console only" : "not saved (save=off)");
        return;
    }
    run_directory_path(results->run, NULL, path);
    firmware_text(text, path, FILE_PATH_MAX);
    text_format(text, " on %s", results->volumes->volume[results->volume].name);
}
