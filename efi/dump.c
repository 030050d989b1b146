/* SPDX-License-Identifier: BSD-2-Clause */
/* Test build only: prints registers before and after a run for the boot tests to compare. They are
 * read by arch_dump, not by the code that restores them. */
#include "arch/arch.h"
#include "efi/inject.h"
#include "efi/mp_stub.h"
#include "efi/processors.h"

#define LINES_MAX 384

struct dump {
    struct console *console;
    const char *when;
    uint32_t cpu;
};

/* Kept until the boot CPU prints them: no other one may call the firmware. */
struct kept {
    size_t count;
    struct {
        char name[40];
        uint64_t value;
    } line[LINES_MAX];
};
static struct kept kept, before, after;
static uint32_t starts, changes;
static char changed[40]; /* the last one */

static void dump_line(void *context, const char *name, uint64_t value)
{
    const struct dump *dump = context;
    char line[96];

    text_print(line, sizeof line, "dump %s %s=0x%lx\n", dump->when, name, value);
    console_print(dump->console, line);
}

static void keep_line(void *context, const char *name, uint64_t value)
{
    struct kept *list = context;

    if (list->count == LINES_MAX)
        return;
    text_print(list->line[list->count].name, sizeof list->line[0].name, "%s", name);
    list->line[list->count++].value = value;
}

static void keep_body(void *list)
{
    ((struct kept *)list)->count = 0;
    arch_dump(keep_line, list);
}

void dump_around(void (*body)(void *arg), void *arg)
{
    static bool taken;

    mp_stub_body();
    /* Of several at the same time one is looked at. */
    if (!inject_dumps_cpus() || __atomic_test_and_set(&taken, __ATOMIC_ACQUIRE)) {
        body(arg);
        return;
    }
    keep_body(&before);
    body(arg);
    keep_body(&after);
    starts++;
    for (size_t i = 0; i < before.count; i++) {
        if (i < after.count && after.line[i].value == before.line[i].value)
            continue;
        changes++;
        text_print(changed, sizeof changed, "%s", before.line[i].name);
    }
    __atomic_clear(&taken, __ATOMIC_RELEASE);
}

static void dump_other(struct dump *dump, struct processors *processors)
{
    const char *why;

    if (!processors_ready(processors, dump->cpu, &why) ||
        processors_run(processors, dump->cpu, keep_body, &kept) != STATUS_OK)
        return;
    for (size_t i = 0; i < kept.count; i++) {
        char name[48];
        text_print(name, sizeof name, "CPU%u:%s", dump->cpu, kept.line[i].name);
        dump_line(dump, name, kept.line[i].value);
    }
}

void dump_registers(const struct firmware *fw, struct console *console,
                    struct processors *processors, const char *when)
{
    struct dump dump = {console, when, 0};
    char line[120];
    EFI_TPL tpl = fw->boot->RaiseTPL(TPL_HIGH_LEVEL);

    fw->boot->RestoreTPL(tpl);
    mp_stub_report(console);
    dump_line(&dump, "TPL", tpl);
    arch_dump(dump_line, &dump);
    if (!inject_dumps_cpus())
        return;
    for (dump.cpu = 1; dump.cpu < processors->count; dump.cpu++)
        dump_other(&dump, processors);
    text_print(line, sizeof line, "%u starts of other CPUs, %u registers changed in them %s\n",
               starts, changes, changed);
    console_print(console, line);
}
