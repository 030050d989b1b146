/* SPDX-License-Identifier: BSD-2-Clause */
/* What the options say of the verdict. Pure. */
#ifndef CORE_VERDICT_CHOOSE_H
#define CORE_VERDICT_CHOOSE_H

#include "core/options/options.h"
#include "core/verdict/verdict.h"

/* Whether a verdict is to be given: verdict=on, or auto, and tests=verify, baseline=, boots= or one
 * of the expect- options asks for one. */
bool verdict_is_wanted(const struct options *options);
struct verdict_limits verdict_limits_of(const struct options *options);
/* baseline=save; baseline=FILE: its path, else NULL. */
bool verdict_saves_baseline(const struct options *options);
const char *verdict_baseline_path(const struct options *options);

#endif
