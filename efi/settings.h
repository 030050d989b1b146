/* SPDX-License-Identifier: BSD-2-Clause */
/* The options in effect: defaults, then \barechase\barechase.cfg, then load options. */
#ifndef EFI_SETTINGS_H
#define EFI_SETTINGS_H

#include "core/options/options.h"
#include "core/results/notes.h"
#include "efi/file.h"

struct settings {
    struct options options;
    bool valid; /* false: error says why, and only options.end is valid */
    struct option_error error;
    char pool[OPTIONS_POOL_BYTES];
    char text[OPTIONS_TEXT_MAX + 4]; /* one byte more than allowed shows that a text is too long */
};

/* Options come from \barechase\barechase.cfg, then from the file of this board there, which is
 * called like it (core/lib/file_name.h), then from the load options. Each file comes from the boot
 * volume or, if that has none, from the first other volume that has one; if it cannot be read from
 * the boot volume, that is an error as in a text. A note says which were taken. If a text does not
 * parse, options are the defaults, with the last valid end= of all texts, so that an unattended
 * machine does not wait at the menu. */
void settings_read(struct settings *settings, const struct firmware *fw,
                   const struct volumes *volumes, const char *board, struct notes *notes);

#endif
