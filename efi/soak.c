/* SPDX-License-Identifier: BSD-2-Clause */
#include "efi/soak.h"

#include "core/lib/memory.h"
#include "core/lib/text.h"
#include "efi/boot_next.h"
#include "efi/keys.h"
#include "efi/run_directory.h"

#define FREE_MIN   (256u << 10)
#define WAIT_MS    5000
#define WAIT_STEP  50
#define STATE_SIZE (SOAK_SLOTS * SOAK_SLOT_BYTES)

static const char none_what[] = "no soak";

static void name_files(struct soak *soak, const struct tables *tables)
{
    char key[SOAK_KEY_BYTES], name[SOAK_KEY_BYTES + 16];

    tables_key(tables, key);
    text_print(name, sizeof name, "state-%s.txt", key);
    (void)home_path(name, soak->state_path);
    text_print(name, sizeof name, "history-%s.csv", key);
    (void)home_path(name, soak->history_path);
}

/* ---- writing, and reading back */

static const char *put(const struct soak *soak, const CHAR16 *path, uint64_t position,
                       const char *bytes, size_t count)
{
    bool flushed = true;
    EFI_STATUS status = file_write(soak->volume, path, position, bytes, count, &flushed);

    if (EFI_ERROR(status))
        return firmware_status_words(status);
    return flushed ? NULL : "the firmware could not flush it";
}

/* The whole file into memory of the pool; NULL: *why says so. An absent file is empty. */
static char *get(const struct soak *soak, const CHAR16 *path, size_t capacity, size_t *used,
                 const char **why)
{
    char *bytes = firmware_allocate(soak->fw, capacity);
    EFI_STATUS status;

    *used = 0;
    *why = "no memory to read it";
    if (bytes == NULL)
        return NULL;
    status = file_read(soak->volume, path, bytes, capacity, used);
    if (!EFI_ERROR(status) || status == EFI_NOT_FOUND)
        return bytes;
    *why = firmware_status_words(status);
    firmware_free(soak->fw, bytes);
    return NULL;
}

static const char *same(const char *found, size_t used, uint64_t position, const char *bytes,
                        size_t count)
{
    return used >= position + count && memory_same(found + position, bytes, count)
               ? NULL
               : "it does not read back as it was written";
}

/* NULL, or why the state is not on the stick. A slot that may be torn by now is the one that is
 * written next: the other one is sound. */
static const char *write_state(struct soak *soak)
{
    uint64_t position = (uint64_t)soak->next_slot * SOAK_SLOT_BYTES;
    char *slot = soak->slots, *found = soak->slots + SOAK_SLOT_BYTES;
    const char *why;
    EFI_STATUS status;
    size_t used;

    soak_encode(&soak->state, slot);
    why = put(soak, soak->state_path, position, slot, SOAK_SLOT_BYTES);
    if (why != NULL)
        return why;
    status = file_read(soak->volume, soak->state_path, found, STATE_SIZE, &used);
    why = EFI_ERROR(status) ? firmware_status_words(status)
                            : same(found, used, position, slot, SOAK_SLOT_BYTES);
    if (why == NULL)
        soak->next_slot ^= 1;
    return why;
}

/* The history that was read back is the one that counts from then on. */
static const char *write_line(struct soak *soak)
{
    size_t length = text_length(soak->state.line), used;
    uint64_t position = soak->state.history_bytes - length + soak->returns;
    const char *why = put(soak, soak->history_path, position, soak->state.line, length);
    char *found;

    if (why != NULL)
        return why;
    found = get(soak, soak->history_path, SOAK_HISTORY_MAX, &used, &why);
    if (found == NULL)
        return why;
    firmware_free(soak->fw, soak->history);
    soak->history = found;
    soak->history_bytes = used;
    return same(found, used, position, soak->state.line, length);
}

/* ---- the start */

/* A file with both slots blank, so that no later write makes it longer. */
static const char *make_state(struct soak *soak)
{
    char *blanks = firmware_allocate(soak->fw, STATE_SIZE);
    const char *why = "no memory to write it";

    if (blanks == NULL)
        return why;
    memory_fill(blanks, ' ', STATE_SIZE);
    why = put(soak, soak->state_path, 0, blanks, STATE_SIZE);
    firmware_free(soak->fw, blanks);
    return why;
}

static const char *begin_history(struct soak *soak, struct notes *notes)
{
    size_t length = text_length(soak_header);
    const char *why = soak_refuse_history(NULL, soak->history, soak->history_bytes);

    if (why != NULL)
        return why;
    if (!soak_is_history(soak->history, soak->history_bytes)) {
        soak_start_behind(&soak->state, soak_header, length, &soak->returns);
        return put(soak, soak->history_path, 0, soak_header, length);
    }
    soak_start_behind(&soak->state, soak->history, soak->history_bytes, &soak->returns);
    if (soak->state.history_bytes > length)
        notes_add(
            notes, SEVERITY_WARNING, "a soak begins behind the lines of an earlier one",
            "the history has lines and no state is of them: they are kept, counted by nothing "
            "and not judged");
    return NULL;
}

static const char *mend_history(struct soak *soak, struct notes *notes)
{
    const char *why = soak_refuse_history(&soak->state, soak->history, soak->history_bytes);

    if (why != NULL || soak_check_history(&soak->state, soak->history, soak->history_bytes,
                                          &soak->returns) == SOAK_HISTORY_WHOLE)
        return why;
    notes_add(notes, SEVERITY_WARNING, "the last line of the soak's history was torn",
              "it was written again from the state");
    return write_line(soak);
}

/* NULL, or why there is no soak. */
static const char *take_state(struct soak *soak, const char *bytes, size_t used,
                              struct notes *notes)
{
    char(*slots)[SOAK_SLOT_BYTES] = firmware_allocate(soak->fw, STATE_SIZE);
    const char *why = NULL;

    if (slots == NULL)
        return "no memory for its state";
    memory_fill(slots, ' ', STATE_SIZE);
    memory_copy(slots, bytes, used < STATE_SIZE ? used : STATE_SIZE);
    if (soak_newest((const char(*)[SOAK_SLOT_BYTES])slots, &soak->state, &soak->next_slot))
        why = mend_history(soak, notes);
    else if (used > STATE_SIZE || soak_is_foreign((const char(*)[SOAK_SLOT_BYTES])slots))
        why = "its state is damaged or of another version, and is kept as it is";
    else
        why = begin_history(soak, notes);
    firmware_free(soak->fw, slots);
    if (why == NULL && used != STATE_SIZE)
        why = make_state(soak);
    return why;
}

static const char *read_stick(struct soak *soak, struct notes *notes)
{
    const char *why;
    size_t used;
    char *state;

    soak->slots = firmware_allocate(soak->fw, SOAK_SLOT_BYTES + STATE_SIZE);
    if (soak->slots == NULL)
        return "no memory for its state";
    soak->history = get(soak, soak->history_path, SOAK_HISTORY_MAX, &soak->history_bytes, &why);
    if (soak->history == NULL)
        return why;
    state = get(soak, soak->state_path, STATE_SIZE + 1, &used, &why);
    if (state == NULL)
        return why;
    why = take_state(soak, state, used, notes);
    firmware_free(soak->fw, state);
    return why;
}

/* NULL, or why there is no soak. */
static const char *begin(struct soak *soak, struct notes *notes)
{
    uint32_t died = soak->state.died;
    char where[SOAK_WHERE_BYTES];
    const char *why;

    if (soak->state.phase == SOAK_OVER && soak->state.done >= soak->options->boots) {
        notes_format(notes, SEVERITY_INFO, "the soak of this board is over",
                     "%u boots are in its history; more boots=, or another start without its state "
                     "file, go on",
                     soak->state.done);
        return NULL;
    }
    text_print(where, sizeof where, "%s", soak->state.where);
    soak_begin(&soak->state, soak->options->boots);
    if (soak->state.died != died)
        notes_format(notes, SEVERITY_WARNING, "a boot of the soak died",
                     "the start before this one has no line, and died %s%s; %u did in all",
                     where[0] != '\0' ? "in " : "before it measured anything", where,
                     soak->state.died);
    why = write_state(soak);
    soak->active = why == NULL;
    return why;
}

/* A boot that hangs is over after the watchdog's time, and comes back here. */
static void guard(struct soak *soak, struct notes *notes)
{
    static const char what[] = "a boot that hangs is not reset";

    soak->next = boot_next_here(soak->fw);
    if (!soak_may_reset(&soak->state))
        notes_format(notes, SEVERITY_WARNING, what,
                     "%u starts died one after the other: the watchdog stays off until one has a "
                     "line",
                     soak->state.row);
    else if (!watchdog_arm(&soak->watchdog, soak->fw, WATCHDOG_S))
        notes_add(notes, SEVERITY_INFO, what, "the firmware has no watchdog");
}

/* Once in a soak. */
static void note_times(const struct soak *soak, const struct tables *tables, struct notes *notes)
{
    if (tables->times_why != NULL && soak->state.done == 0)
        notes_add(notes, SEVERITY_INFO, "how long the firmware takes is not known",
                  tables->times_why);
}

void soak_start(struct soak *soak, const struct firmware *fw, const struct volumes *volumes,
                const struct options *options, const struct tables *tables, struct notes *notes)
{
    const char *why;

    *soak = (struct soak){.fw = fw,
                          .options = options,
                          .notes = notes,
                          .firmware_s = (double)tables->times.took_ns * 1e-9};
    if (options->boots == 0)
        return;
    why = options->save && !options->dry ? home_volume(volumes, FREE_MIN, &soak->volume)
                                         : "save=off or dry=on";
    if (why == NULL) {
        name_files(soak, tables);
        why = read_stick(soak, notes);
    }
    if (why == NULL)
        why = begin(soak, notes);
    soak->refused = why;
    if (soak->active) {
        guard(soak, notes);
        note_times(soak, tables, notes);
    }
    if (why != NULL)
        notes_add(notes, SEVERITY_WARNING, none_what, why);
    if (options->runs != 0)
        notes_add(notes, SEVERITY_INFO, "runs= is not followed", "boots= says how many there are");
}

uint32_t soak_suspects(const struct soak *soak)
{
    return soak_with_verdict(soak->history, soak->history_bytes, soak->state.done, "SUSPECT");
}

bool soak_is_last(const struct soak *soak)
{
    return soak->active && soak->state.done + 1 >= soak->state.boots;
}

size_t soak_earlier(const struct soak *soak, struct soak_boot boot[], size_t max)
{
    size_t wanted = soak->state.done < max ? soak->state.done : max;

    return soak_boots(soak->history, soak->history_bytes, boot, wanted);
}

/* ---- while it runs */

static void alive(void *context, const struct progress *now, uint64_t now_ns)
{
    struct soak *soak = context;

    soak->now = *now;
    soak->shown = true;
    watchdog_again(&soak->watchdog, now_ns);
}

static bool mark(void *context, uint64_t now_ns)
{
    struct soak *soak = context;
    const char *why;

    if (!soak->active || !soak->shown || soak->unmarked ||
        !soak_mark_due(&soak->mark, &soak->now, now_ns))
        return false;
    soak_where(&soak->now, soak->state.where);
    soak->state.sequence++;
    why = write_state(soak);
    soak->unmarked = why != NULL;
    if (why != NULL)
        notes_format(soak->notes, SEVERITY_WARNING, "where the boot is cannot be kept", "%s", why);
    return true;
}

struct watch soak_watch(struct soak *soak)
{
    return (struct watch){soak, alive, mark};
}

/* ---- the end */

/* True: a key was pressed. */
static bool key_within(const struct firmware *fw, unsigned ms)
{
    unsigned key;

    keys_flush(fw);
    for (unsigned waited = 0; waited < ms; waited += WAIT_STEP) {
        if (keys_poll(fw, &key))
            return true;
        firmware_wait_ms(fw, WAIT_STEP);
    }
    return false;
}

/* The boot that runs is over without a line, and did not die. */
static const char *write_over(struct soak *soak)
{
    soak->state.phase = SOAK_OVER;
    soak->state.where[0] = '\0';
    soak->state.sequence++;
    return write_state(soak);
}

static const char *write_end(struct soak *soak, struct soak_said *said)
{
    char line[SOAK_LINE_BYTES];
    const char *why;

    if (said->run == 0) {
        (void)write_over(soak);
        return "the boot's results were not saved";
    }
    said->firmware_s = soak->firmware_s;
    soak_line(&soak->state, said, line);
    if (soak->state.done == 0)
        soak->state.first_run = said->run;
    soak_end(&soak->state, line);
    why = write_state(soak);
    return why != NULL ? why : write_line(soak);
}

static void say_why(struct console *console, const char *what, const char *why)
{
    char line[200];

    text_print(line, sizeof line, "soak: %s: %s\n", what, why);
    console_print(console, line);
}

static void say_done(const struct soak *soak, struct console *console)
{
    char line[100];

    text_print(line, sizeof line, "soak: boot %u of %u done; the next in 5 s, any key stops\n",
               soak->state.done, soak->state.boots);
    console_print(console, line);
}

static void stop(struct soak *soak, struct console *console)
{
    const char *why = write_over(soak);

    console_print(console, "soak: stopped by a key\n");
    if (why != NULL)
        say_why(console, "its state", why);
}

/* Nobody who waits at the menu is to be reset, and the next boot is the firmware's choice again. */
static void leave(struct soak *soak)
{
    watchdog_off(&soak->watchdog);
    if (soak->next)
        boot_next_forget(soak->fw);
    soak->next = false;
}

static bool finish(struct soak *soak, struct soak_said *said, struct console *console)
{
    const char *why = write_end(soak, said);

    if (why != NULL) {
        say_why(console, "ended", why);
        return false;
    }
    if (!soak_goes_on(&soak->state))
        return false;
    say_done(soak, console);
    if (!key_within(soak->fw, WAIT_MS))
        return true;
    stop(soak, console);
    return false;
}

bool soak_finish(struct soak *soak, struct soak_said *said, struct console *console)
{
    bool again;

    if (!soak->active)
        return false;
    again = finish(soak, said, console);
    soak->active = false;
    if (!again)
        leave(soak);
    return again;
}

void soak_reset(struct soak *soak, struct console *console)
{
    static const EFI_RESET_TYPE types[] = {
        [BOOT_COLD] = EfiResetCold, [BOOT_WARM] = EfiResetWarm, [BOOT_SHUTDOWN] = EfiResetShutdown};

    soak->fw->system->RuntimeServices->ResetSystem(types[soak->options->boot], EFI_SUCCESS, 0,
                                                   NULL);
    leave(soak);
    console_print(console, "soak: the firmware refused to reset\n");
}

void soak_stop(struct soak *soak)
{
    leave(soak);
    firmware_free(soak->fw, soak->history);
    firmware_free(soak->fw, soak->slots);
    soak->history = soak->slots = NULL;
}
