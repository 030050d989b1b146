/* SPDX-License-Identifier: BSD-2-Clause */
/* Readings that a search by single hinges does not come upon: true where anything has changed. */
#ifndef CORE_LEVELS_HINGE_SETTLE_H
#define CORE_LEVELS_HINGE_SETTLE_H

#include "core/levels/hinge_fit.h"

/* TLBs that are walks, or the other way round. */
void hinge_settle_kinds(struct hinge_fit *fit);
/* Small pages whose frames are in random order. */
bool hinge_settle_scattered(struct hinge_fit *fit);
/* Rows of memory that stay open. */
bool hinge_settle_rows(struct hinge_fit *fit);
/* What caches do with the lines of those before. */
bool hinge_settle_laws(struct hinge_fit *fit);

#endif
