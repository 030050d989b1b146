/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads options from the stick and from the loader; see settings.h. */
#include "efi/settings.h"

#include <efishell.h>

#include "core/lib/file_name.h"
#include "efi/inject.h"
#include "efi/load_options.h"
#include "efi/run_directory.h"

#define COMMON "barechase.cfg"

static void parse(struct settings *settings, size_t bytes, const struct option_source *source,
                  enum option_end *end, bool *end_known)
{
    if (load_options_salvage_end(settings->text, bytes, end))
        *end_known = true;
    /* Only the first error is reported. */
    if (settings->valid &&
        options_parse(&settings->options, settings->text, bytes, source, inject_option(),
                      settings->pool, sizeof settings->pool, &settings->error) != STATUS_OK)
        settings->valid = false;
}

/* On the boot volume it is what the run was to go by: nothing runs without it. */
static void not_readable(struct settings *settings, const struct volume *volume, const char *name,
                         EFI_STATUS status, struct notes *notes)
{
    const char *why = status == EFI_UNSUPPORTED ? "a directory; allowed: a text file"
                                                : firmware_status_words(status);

    if (volume->boot) {
        settings->valid = false;
        text_print(settings->error.text, sizeof settings->error.text, "%s on %s: %s", name,
                   volume->name, why);
        return;
    }
    notes_format(notes, SEVERITY_WARNING, "configuration not readable", "%s on %s: %s", name,
                 volume->name, why);
}

/* A configuration file of that name, from the first volume that has one. */
static bool read_file(struct settings *settings, const struct volumes *volumes, const char *name,
                      struct notes *notes, size_t *used)
{
    CHAR16 path[FILE_PATH_MAX];

    (void)home_path(name, path);
    for (size_t i = 0; i < volumes->count; i++) {
        const struct volume *volume = &volumes->volume[i];
        EFI_STATUS status = file_read(volume, path, settings->text, sizeof settings->text, used);

        if (status == EFI_NOT_FOUND)
            continue;
        if (EFI_ERROR(status)) {
            not_readable(settings, volume, name, status, notes);
            continue;
        }
        if (!volume->boot)
            notes_add(notes, SEVERITY_INFO, "configuration from another volume", volume->name);
        return true;
    }
    return false;
}

static enum load_options_kind read_load_options(struct settings *settings,
                                                const struct firmware *fw, size_t *used)
{
    static const EFI_GUID shell = EFI_SHELL_PARAMETERS_PROTOCOL_GUID;

    if (fw->loaded == NULL)
        return LOAD_OPTIONS_NONE;
    return load_options_read(fw->loaded->LoadOptions, fw->loaded->LoadOptionsSize,
                             firmware_protocol(fw, fw->image, &shell) != NULL, settings->text,
                             sizeof settings->text, used);
}

static void skip_foreign(struct settings *settings, struct notes *notes, size_t *used)
{
    char words[120];
    struct text skipped;

    text_start(&skipped, words, sizeof words);
    *used = load_options_skip_foreign(settings->text, *used, &skipped);
    if (skipped.used > 0)
        notes_add(notes, SEVERITY_WARNING, "load options of another program skipped", words);
}

/* What all boards have in common, and then what this one has of its own. */
static void read_files(struct settings *settings, const struct volumes *volumes, const char *board,
                       enum option_end *end, bool *end_known, struct notes *notes)
{
    struct option_source file = {COMMON, true, OPTION_FIRMWARE};
    char name[FILE_NAME_BYTES], own[FILE_NAME_BYTES + 4];
    bool common, own_found;
    size_t used = 0;

    common = read_file(settings, volumes, COMMON, notes, &used);
    if (common)
        parse(settings, used, &file, end, end_known);
    file_name_of(board, name);
    text_print(own, sizeof own, "%s.cfg", name);
    own_found = read_file(settings, volumes, own, notes, &used);
    file.name = own;
    if (own_found)
        parse(settings, used, &file, end, end_known);
    notes_format(notes, SEVERITY_INFO, "configuration", "%s; %s%s", common ? COMMON : "no " COMMON,
                 own_found ? "of this board: " : "this board has none of its own, which would be ",
                 own);
}

void settings_read(struct settings *settings, const struct firmware *fw,
                   const struct volumes *volumes, const char *board, struct notes *notes)
{
    static const struct option_source loader = {"load options", false, OPTION_FIRMWARE};
    enum option_end end = END_MENU;
    bool end_known = false;
    size_t used = 0;

    options_default(&settings->options);
    settings->valid = true;
    read_files(settings, volumes, board, &end, &end_known, notes);
    switch (read_load_options(settings, fw, &used)) {
    case LOAD_OPTIONS_TEXT:
        skip_foreign(settings, notes, &used);
        parse(settings, used, &loader, &end, &end_known);
        break;
    case LOAD_OPTIONS_NOT_TEXT:
        notes_add(notes, SEVERITY_INFO, "load options ignored", "they are not text");
        break;
    case LOAD_OPTIONS_NONE:
        break;
    }
    if (!settings->valid) {
        options_default(&settings->options);
        if (end_known)
            settings->options.end = end;
    }
}
