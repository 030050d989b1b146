/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves on a scripted file system that loses writes: whatever it loses of what was not flushed,
 * every record whose flush returned is read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/lib/random.h"
#include "core/results/save.h"

#define SECTOR     512
#define FILE_MAX   (80u << 10)
#define FILES      6 /* 0: the temporary name; else the part */
#define TEXT_MAX   (400u << 10)
#define WRITES_MAX 4000
#define LINES_MAX  2000

/* ---- records */

static char text[TEXT_MAX];
static size_t line_at[LINES_MAX + 1], lines, used;

static void text_grow(struct random *random, unsigned more)
{
    for (unsigned i = 0; i < more && lines < LINES_MAX; i++) {
        size_t pad = random_below(random, 1400);

        line_at[lines++] = used;
        used += (size_t)snprintf(text + used, 32, "{\"run\":1,\"n\":%zu,\"p\":\"", lines);
        memset(text + used, 'x', pad);
        used += pad;
        used += (size_t)snprintf(text + used, 8, "\"}\n");
        assert_true(used < TEXT_MAX - 2000);
        line_at[lines] = used;
    }
}

/* ---- the file system */

struct file {
    bool stands;
    size_t size;
    char bytes[FILE_MAX];
};

struct write {
    enum { WRITE_SIZE, WRITE_DATA, WRITE_NAME, FLUSHED } kind;
    unsigned file;
    bool whole;   /* everything given to save is saved */
    size_t value; /* size, place of the data, the new name, records flushed */
    char data[SECTOR];
};

static struct write *written;
static size_t writes;
static struct file *now, *replayed; /* [FILES] */
static bool size_last;              /* as in U-Boot; else as in EDK2 */

/* What a file grows into: whole records of a run that was deleted. */
static void stale(struct file *file)
{
    static const char old[] = "{\"run\":0,\"n\":1,\"p\":\"old\"}\n";

    static char all[FILE_MAX];

    for (size_t i = 0; all[FILE_MAX - 1] == 0 && i < FILE_MAX; i++)
        all[i] = old[i % (sizeof old - 1)];
    memcpy(file->bytes, all, FILE_MAX);
    file->stands = false;
    file->size = 0;
}

static void apply(struct file *files, const struct write *write, size_t bytes)
{
    struct file *file = &files[write->file];

    switch (write->kind) {
    case WRITE_SIZE:
        file->stands = true;
        file->size = write->value;
        break;
    case WRITE_DATA:
        memcpy(file->bytes + write->value, write->data, bytes);
        break;
    case WRITE_NAME:
        files[write->value] = *file;
        stale(file);
        break;
    case FLUSHED:
        break;
    }
}

static void put(struct write write)
{
    assert_true(writes < WRITES_MAX);
    written[writes++] = write;
    apply(now, &write, SECTOR);
}

/* Sector by sector, each as a whole. */
static void put_data(unsigned number, size_t pos, const char *bytes, size_t count)
{
    static char merged[FILE_MAX];
    size_t first = pos / SECTOR * SECTOR;

    memcpy(merged, now[number].bytes, FILE_MAX);
    memcpy(merged + pos, bytes, count);
    for (size_t at = first; at < pos + count; at += SECTOR) {
        struct write write = {.kind = WRITE_DATA, .file = number, .value = at};
        memcpy(write.data, merged + at, SECTOR);
        put(write);
    }
}

static void put_file(unsigned number, size_t pos, const char *bytes, size_t count)
{
    bool grows = pos + count > now[number].size;
    struct write size = {.kind = WRITE_SIZE, .file = number, .value = pos + count};

    if (grows && !size_last)
        put(size);
    put_data(number, pos, bytes, count);
    if (grows && size_last)
        put(size);
}

static void flush(size_t records)
{
    put((struct write){.kind = FLUSHED, .value = records});
}

static size_t flushed_by(const struct save *save)
{
    size_t records = 0;

    while (records < lines && line_at[records + 1] - 1 <= save->saved)
        records++;
    return records;
}

static void act(struct save *save, const struct save_step *step)
{
    static char blanks[FILE_MAX];

    if (step->act == SAVE_MAKE) {
        memset(blanks, ' ', step->bytes);
        blanks[step->bytes - 1] = '\n';
        put_file(0, 0, blanks, step->bytes);
        flush(flushed_by(save));
        put((struct write){.kind = WRITE_NAME, .file = 0, .value = step->part});
    } else {
        size_t pos = step->act == SAVE_APPEND ? now[step->part].size : (size_t)step->position;
        put_file(step->part, pos, text + step->from, step->bytes);
    }
    save_did(save, step);
    flush(flushed_by(save));
}

static void save_all(struct save *save, size_t room)
{
    struct save_step step;

    while ((step = save_next(save, text, used, room)).act != SAVE_NOTHING)
        act(save, &step);
    if (writes > 0)
        written[writes - 1].whole = true;
}

/* ---- reading */

struct reading {
    size_t records; /* that are right, from the first on */
    size_t torn;    /* lines behind them that are not blank */
    bool foreign;   /* one of those is a record of the deleted run */
    bool open;      /* the last line has no newline */
};

static void read_line(struct reading *reading, const char *line, size_t bytes)
{
    size_t n = reading->records;

    while (bytes > 0 && line[bytes - 1] == ' ')
        bytes--;
    if (bytes == 0)
        return;
    if (reading->torn == 0 && n < lines && bytes == line_at[n + 1] - line_at[n] - 1 &&
        memcmp(line, text + line_at[n], bytes) == 0) {
        reading->records++;
        return;
    }
    reading->torn++;
    reading->foreign = reading->foreign || strncmp(line, "{\"run\":0", 8) == 0;
}

static struct reading read_files(const struct file *files)
{
    struct reading reading = {.records = 0};

    for (unsigned part = 1; part < FILES && files[part].stands; part++) {
        const struct file *file = &files[part];
        size_t from = 0;
        for (size_t i = 0; i < file->size; i++) {
            if (file->bytes[i] != '\n')
                continue;
            read_line(&reading, file->bytes + from, i - from);
            from = i + 1;
        }
        reading.open = reading.open || from < file->size;
        reading.torn += from < file->size;
    }
    return reading;
}

/* ---- power cuts */

static void restart(struct file *files)
{
    for (unsigned i = 0; i < FILES; i++)
        stale(&files[i]);
}

/* All writes before `end`, without `missing`, and only so much of the last. */
static struct reading cut(size_t end, size_t missing, size_t bytes_of_last)
{
    restart(replayed);
    for (size_t i = 0; i < end; i++)
        if (i != missing)
            apply(replayed, &written[i], i + 1 == end ? bytes_of_last : SECTOR);
    return read_files(replayed);
}

static size_t flushed_before(size_t end)
{
    size_t records = 0;

    for (size_t i = 0; i < end; i++)
        if (written[i].kind == FLUSHED)
            records = written[i].value;
    return records;
}

static size_t last_flush(size_t end)
{
    size_t flushes = 0;

    for (size_t i = 0; i < end; i++)
        if (written[i].kind == FLUSHED)
            flushes = i + 1;
    return flushes;
}

/* States in which a record was lost or a foreign one is present. */
static size_t bad_states(void)
{
    size_t bad = 0;

    for (size_t end = 0; end <= writes; end += 1 + end / 60) {
        size_t records = flushed_before(end);
        struct reading whole = cut(end, SIZE_MAX, SECTOR), half = cut(end, SIZE_MAX, 200);

        bad += whole.records < records || whole.torn > 1 || whole.foreign;
        bad += half.records < records || half.torn > 1 || half.foreign;
        for (size_t i = last_flush(end); i + 1 < end; i += 3) {
            struct reading missing = cut(end, i, SECTOR);
            bad += missing.records < records || missing.foreign;
        }
    }
    return bad;
}

static void run(struct save *save, uint64_t seed, unsigned saves, size_t room)
{
    struct random random;

    random_start(&random, seed);
    used = lines = writes = 0;
    restart(now);
    for (unsigned i = 0; i < saves; i++) {
        text_grow(&random, (unsigned)random_below(&random, 9));
        save_all(save, room);
        assert_int_equal(flushed_by(save), lines);
    }
}

static int set_up(void **state)
{
    (void)state;
    written = malloc(WRITES_MAX * sizeof *written);
    now = malloc(FILES * sizeof *now);
    replayed = malloc(FILES * sizeof *replayed);
    size_last = false;
    return written == NULL || now == NULL || replayed == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    free(written);
    free(now);
    free(replayed);
    return 0;
}

static void nothing_that_was_flushed_is_lost(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct save save;

        save_start(&save);
        run(&save, seed, 12, SAVE_ROOM_BYTES);
        assert_true(lines > 20);
        assert_int_equal(bad_states(), 0);
    }
}

/* The same test and the same driver: what becomes of files that grow. */
static void appending_under_such_a_driver_loses_records(void **state)
{
    struct save save;

    (void)state;
    save_start(&save);
    save_append(&save);
    run(&save, 1, 12, SAVE_ROOM_BYTES);
    assert_true(bad_states() > 10);
    size_last = true;
    save_start(&save);
    save_append(&save);
    run(&save, 1, 12, SAVE_ROOM_BYTES);
    for (size_t end = 0; end <= writes; end++) {
        struct reading state_read = cut(end, SIZE_MAX, SECTOR);
        assert_true(state_read.records >= flushed_before(end) && !state_read.foreign);
    }
}

static void each_whole_state_is_json_lines(void **state)
{
    struct save save;
    struct reading reading;

    (void)state;
    save_start(&save);
    run(&save, 5, 60, SAVE_ROOM_BYTES);
    for (size_t end = 0; end <= writes; end++) {
        if (end > 0 && !written[end - 1].whole)
            continue;
        reading = cut(end, SIZE_MAX, SECTOR);
        assert_false(reading.open);
        assert_int_equal(reading.torn, 0);
    }
    assert_int_equal(reading.records, lines);
}

static void what_overflows_goes_on_in_further_parts(void **state)
{
    struct save save;
    size_t sizes[FILES];

    (void)state;
    save_start(&save);
    run(&save, 7, 60, SAVE_ROOM_BYTES + 4096);
    assert_true(save.part >= 3);
    assert_int_equal(now[1].size, SAVE_ROOM_BYTES + 4096);
    for (unsigned part = 1; part <= save.part; part++)
        sizes[part] = now[part].size;
    for (unsigned part = 2; part <= save.part; part++)
        assert_int_equal(sizes[part], SAVE_ROOM_BYTES);
    assert_int_equal(read_files(now).records, lines);
    assert_int_equal(bad_states(), 0);
}

/* A record that ends where the blanks do leaves the newline there alone. */
static void room_is_used_to_its_last_byte(void **state)
{
    struct save save;
    struct save_step step;

    (void)state;
    for (size_t more = 0; more < 2; more++) {
        size_t first = 100, second = SAVE_ROOM_BYTES - 100 - 1 + more;
        memset(text, 'y', first + second + 2);
        text[first] = text[first + 1 + second - 1] = '\n';
        used = first + 1 + second;
        save_start(&save);
        step = save_next(&save, text, used, SAVE_ROOM_BYTES);
        assert_int_equal(step.act, SAVE_MAKE);
        save_did(&save, &step);
        step = save_next(&save, text, used, SAVE_ROOM_BYTES);
        assert_int_equal(step.act, SAVE_OVERWRITE);
        assert_int_equal(step.position, 0);
        assert_int_equal(step.bytes, more == 0 ? SAVE_ROOM_BYTES - 1 : first);
        save_did(&save, &step);
        step = save_next(&save, text, used, SAVE_ROOM_BYTES);
        assert_int_equal(step.act, more == 0 ? SAVE_NOTHING : SAVE_MAKE);
        assert_int_equal(step.from, more == 0 ? save.saved : first + 1);
        assert_int_equal(step.part, 1 + more);
    }
}

static void room_is_for_all_points_and_half_a_volume_at_most(void **state)
{
    (void)state;
    assert_int_equal(save_room(0, 1 << 30), SAVE_ROOM_BYTES);
    assert_int_equal(save_room(100, 1 << 30), 100 * 1536 + SAVE_ROOM_BYTES);
    assert_int_equal(save_room(100, 256 << 10), 128 << 10);
    assert_int_equal(save_room(UINT64_MAX, 1 << 20), 512 << 10);
    assert_int_equal(save_room(100, 0), SAVE_ROOM_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_that_was_flushed_is_lost, set_up, tear_down),
        cmocka_unit_test_setup_teardown(appending_under_such_a_driver_loses_records, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(each_whole_state_is_json_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_overflows_goes_on_in_further_parts, set_up, tear_down),
        cmocka_unit_test(room_is_used_to_its_last_byte),
        cmocka_unit_test(room_is_for_all_points_and_half_a_volume_at_most),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
