/* SPDX-License-Identifier: BSD-2-Clause */
/* Test build only: prints registers before and after a run for the boot tests to compare. They are
 * read by arch_dump, not by the code that restores them. */
#include "arch/arch.h"
#include "efi/inject.h"

struct dump {
    struct console *console;
    const char *when;
};

static void dump_line(void *context, const char *name, uint64_t value)
{
    const struct dump *dump = context;
    char line[96];

    text_print(line, sizeof line, "dump %s %s=0x%lx\n", dump->when, name, value);
    console_print(dump->console, line);
}

void dump_registers(const struct firmware *fw, struct console *console, const char *when)
{
    struct dump dump = {console, when};
    EFI_TPL tpl = fw->boot->RaiseTPL(TPL_HIGH_LEVEL);

    fw->boot->RestoreTPL(tpl);
    dump_line(&dump, "TPL", tpl);
    arch_dump(dump_line, &dump);
}
