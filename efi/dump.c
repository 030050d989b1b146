/* SPDX-License-Identifier: BSD-2-Clause */
/* Test build only: registers on the console before and after a run, read by arch_dump and not by
 * the code that restores them, for the boot tests to compare. */
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
    struct text text;

    text_start(&text, line, sizeof line);
    text_add(&text, "dump ");
    text_add(&text, dump->when);
    text_char(&text, ' ');
    text_add(&text, name);
    text_char(&text, '=');
    text_hex(&text, value);
    text_char(&text, '\n');
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
