/* SPDX-License-Identifier: BSD-2-Clause */
/* A run's report on the console, page by page, until the user has seen enough. */
#ifndef EFI_PAGER_H
#define EFI_PAGER_H

#include "core/report/pager.h"
#include "efi/console.h"

/* pager is the caller's, for it is large. */
void pager_show(struct pager *pager, const char *text, size_t bytes, struct console *console,
                const struct firmware *fw);

#endif
