/* SPDX-License-Identifier: BSD-2-Clause */
#include "efi/fatal.h"

#include "arch/arch.h"
#include "core/lib/text.h"
#include "efi/breadcrumb.h"
#include "efi/console.h"
#include "efi/inject.h"

#define ATTRIBUTES (EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS)

static CHAR16 name[] = L"fatal";
static EFI_GUID guid = BREADCRUMB_GUID;

/* fatal_end is called from an exception and gets no context. */
static struct {
    const struct firmware *fw;
    uint64_t hz;
    const char *experiment;
    uint32_t done, total;
    char words[FATAL_VARIABLE_BYTES];
} fatal;

void fatal_start(const struct firmware *fw, struct notes *notes)
{
    EFI_RUNTIME_SERVICES *runtime = fw->system->RuntimeServices;
    char found[FATAL_VARIABLE_BYTES + 1];
    UINTN bytes = FATAL_VARIABLE_BYTES;
    EFI_STATUS status;

    fatal.fw = fw;
    status = runtime->GetVariable(name, &guid, NULL, &bytes, found);
    if (status != EFI_SUCCESS && status != EFI_BUFFER_TOO_SMALL)
        return;
    found[status == EFI_SUCCESS ? bytes : 0] = '\0';
    for (size_t i = 0; found[i] != '\0'; i++)
        if (found[i] < ' ' || found[i] > '~')
            found[i] = '?';
    notes_add(notes, SEVERITY_ERROR, "an earlier start ended in a fatal exception", found);
    if (EFI_ERROR(runtime->SetVariable(name, &guid, 0, 0, NULL)))
        notes_add(notes, SEVERITY_WARNING, "an EFI variable stays",
                  "fatal cannot be deleted: the next start will report it again");
}

void fatal_doing(const struct progress *now)
{
    fatal.experiment = now->experiment;
    fatal.done = now->done;
    fatal.total = now->total;
}

void fatal_clock(uint64_t hz)
{
    fatal.hz = hz;
}

/* Up to the registers: the variable has no room for them. */
static void add_brief(struct text *line, const char *text)
{
    char brief[FATAL_VARIABLE_BYTES];
    size_t bytes = 0;

    while (bytes + 1 < sizeof brief && text[bytes] != '\0' && text[bytes] != ',' &&
           text[bytes] != ';') {
        brief[bytes] = text[bytes];
        bytes++;
    }
    brief[bytes] = '\0';
    text_add(line, brief);
}

static void compose(const char *text, const char *banks)
{
    struct text line;

    text_start(&line, fatal.words, sizeof fatal.words);
    if (fatal.experiment != NULL && fatal.total != 0)
        text_format(&line, "%s %u/%u: ", fatal.experiment, fatal.done, fatal.total);
    else if (fatal.experiment != NULL)
        text_format(&line, "%s: ", fatal.experiment);
    add_brief(&line, text);
    text_format(&line, "%s%s", banks[0] != '\0' ? "; " : "", banks);
}

static void wait(void)
{
    uint64_t begun = arch_ticks(), ticks = fatal.hz * inject_fatal_wait_s(FATAL_WAIT_S);

    while (arch_ticks() - begun < ticks)
        continue;
}

void fatal_end(const char *text, const char *banks)
{
    EFI_RUNTIME_SERVICES *runtime = fatal.fw->system->RuntimeServices;

    console_last_words(text);
    console_last_words(banks);
    compose(text, banks);
    /* The highest level at which variables may be written (UEFI 2.10, table 7.3). */
    fatal.fw->boot->RestoreTPL(TPL_CALLBACK);
    if (EFI_ERROR(
            runtime->SetVariable(name, &guid, ATTRIBUTES, text_length(fatal.words), fatal.words)))
        console_last_words("the firmware keeps no note of it for the next start");
    console_last_words("the machine resets in half a minute");
    wait();
    runtime->ResetSystem(EfiResetCold, EFI_SUCCESS, 0, NULL);
    for (;;)
        continue;
}
