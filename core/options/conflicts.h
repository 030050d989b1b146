/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that are each allowed but exclude each other, whatever the machine. */
#ifndef CORE_OPTIONS_CONFLICTS_H
#define CORE_OPTIONS_CONFLICTS_H

#include "core/options/options.h"

struct option_clash {
    const char *key, *other; /* the two that conflict */
    char what[120];          /* "min=1G is above max=1M" */
    const char *allowed;
};

/* Pure. True if no options in *options conflict; otherwise *clash describes the first conflict. Its
 * strings but what are static. */
bool options_conflicts(const struct options *options, struct option_clash *clash);

#endif
