/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads options from the stick and from the loader; see settings.h. */
#include "efi/settings.h"

#include <efishell.h>

#include "efi/inject.h"
#include "efi/load_options.h"

#define FILE_PATH L"\\barechase\\barechase.cfg"

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
static void not_readable(struct settings *settings, const struct volume *volume, EFI_STATUS status,
                         struct notes *notes)
{
    const char *why = status == EFI_UNSUPPORTED ? "a directory; allowed: a text file"
                                                : firmware_status_words(status);

    if (volume->boot) {
        settings->valid = false;
        text_print(settings->error.text, sizeof settings->error.text, "barechase.cfg on %s: %s",
                   volume->name, why);
        return;
    }
    notes_format(notes, SEVERITY_WARNING, "configuration not readable", "barechase.cfg on %s: %s",
                 volume->name, why);
}

static bool read_file(struct settings *settings, const struct volumes *volumes, struct notes *notes,
                      size_t *used)
{
    for (size_t i = 0; i < volumes->count; i++) {
        const struct volume *volume = &volumes->volume[i];
        EFI_STATUS status =
            file_read(volume, FILE_PATH, settings->text, sizeof settings->text, used);

        if (status == EFI_NOT_FOUND)
            continue;
        if (EFI_ERROR(status)) {
            not_readable(settings, volume, status, notes);
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

void settings_read(struct settings *settings, const struct firmware *fw,
                   const struct volumes *volumes, struct notes *notes)
{
    static const struct option_source file = {"barechase.cfg", true, OPTION_FIRMWARE};
    static const struct option_source loader = {"load options", false, OPTION_FIRMWARE};
    enum option_end end = END_MENU;
    bool end_known = false;
    size_t used = 0;

    options_default(&settings->options);
    settings->valid = true;
    if (read_file(settings, volumes, notes, &used))
        parse(settings, used, &file, &end, &end_known);
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
