/* SPDX-License-Identifier: BSD-2-Clause */
/* Test build only: prints registers before and after a run for the boot tests to compare. They are
 * read by arch_dump, not by the code that restores them. */
#include "arch/arch.h"
#include "efi/inject.h"
#include "efi/processors.h"

#define LINES_MAX 384

struct dump {
    struct console *console;
    const char *when;
    uint32_t cpu;
};

/* Kept until the boot CPU prints them: no other one may call the firmware. */
static struct {
    size_t count;
    struct {
        char name[40];
        uint64_t value;
    } line[LINES_MAX];
} kept;

static void dump_line(void *context, const char *name, uint64_t value)
{
    const struct dump *dump = context;
    char line[96];

    text_print(line, sizeof line, "dump %s %s=0x%lx\n", dump->when, name, value);
    console_print(dump->console, line);
}

static void keep_line(void *context, const char *name, uint64_t value)
{
    const struct dump *dump = context;

    if (kept.count == LINES_MAX)
        return;
    text_print(kept.line[kept.count].name, sizeof kept.line[0].name, "CPU%u:%s", dump->cpu, name);
    kept.line[kept.count++].value = value;
}

static void keep_body(void *arg)
{
    kept.count = 0;
    arch_dump(keep_line, arg);
}

static void dump_other(struct dump *dump, struct processors *processors)
{
    const char *why;

    if (!processors_ready(processors, dump->cpu, &why) ||
        processors_run(processors, dump->cpu, keep_body, dump) != STATUS_OK)
        return;
    for (size_t i = 0; i < kept.count; i++)
        dump_line(dump, kept.line[i].name, kept.line[i].value);
}

void dump_registers(const struct firmware *fw, struct console *console,
                    struct processors *processors, const char *when)
{
    struct dump dump = {console, when, 0};
    EFI_TPL tpl = fw->boot->RaiseTPL(TPL_HIGH_LEVEL);

    fw->boot->RestoreTPL(tpl);
    dump_line(&dump, "TPL", tpl);
    arch_dump(dump_line, &dump);
    if (!inject_dumps_cpus())
        return;
    for (dump.cpu = 1; dump.cpu < processors->count; dump.cpu++)
        dump_other(&dump, processors);
}
