/* SPDX-License-Identifier: BSD-2-Clause */
/* The mark before a dangerous act; see breadcrumb.h. */
#include "efi/breadcrumb.h"

#include "core/lib/text.h"
#include "efi/inject.h"

#define ATTRIBUTES (EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS)

static CHAR16 prefetch_variable[] = L"prefetch-try", start_variable[] = L"cpu-start",
              all_variable[] = L"cpus-start", beside_variable[] = L"cpus-beside";
static EFI_GUID guid = BREADCRUMB_GUID;

const struct breadcrumb_kind breadcrumb_prefetch_try = {
    .variable = prefetch_variable,
    .name = "prefetch-try",
    .found = "the last try did not come back",
    .stays = "the next start will not write prefetchers and say so"};

const struct breadcrumb_kind breadcrumb_cpu_start = {
    .variable = start_variable,
    .name = "cpu-start",
    .found = "this machine did not come back from starting one",
    .stays = "the next start will not start other CPUs and say so"};

const struct breadcrumb_kind breadcrumb_cpus_start = {
    .variable = all_variable,
    .name = "cpus-start",
    .found = "this machine did not come back from starting all at once",
    .stays = "the next start will not start several CPUs at once and say so"};

const struct breadcrumb_kind breadcrumb_cpus_beside = {
    .variable = beside_variable,
    .name = "cpus-beside",
    .found = "this machine did not come back from starting all at once",
    .stays = "the next start will not start other CPUs beside the boot CPU and say so"};

/* ---- where it lies */

static EFI_STATUS variable_read(const struct breadcrumb *crumb, const struct firmware *fw,
                                uint64_t *identity, UINT32 *attributes)
{
    UINTN bytes = sizeof *identity;

    *identity = 0;
    *attributes = 0;
    return fw->system->RuntimeServices->GetVariable(crumb->kind->variable, &guid, attributes,
                                                    &bytes, identity);
}

static EFI_STATUS variable_write(const struct breadcrumb *crumb, const struct firmware *fw,
                                 uint64_t *identity)
{
    return fw->system->RuntimeServices->SetVariable(
        crumb->kind->variable, &guid, identity != NULL ? ATTRIBUTES : 0,
        identity != NULL ? sizeof *identity : 0, identity);
}

static EFI_STATUS file_there(const struct breadcrumb *crumb, uint64_t *identity)
{
    size_t used;

    *identity = 0;
    if (crumb->volume == NULL)
        return EFI_NOT_FOUND;
    return file_read(crumb->volume, crumb->path, identity, sizeof *identity, &used);
}

/* ---- an earlier start's */

static void say_found(struct breadcrumb *crumb, const char *what, uint64_t identity, bool stays)
{
    text_print(crumb->why, sizeof crumb->why, "%s (%s %s, CPU 0x%lx); %s", crumb->kind->found, what,
               crumb->kind->name, identity,
               stays ? "it cannot be deleted" : "now deleted, the next start may try");
}

/* EFI_BUFFER_TOO_SMALL: other data under our name, which also counts as a mark. */
static bool find(struct breadcrumb *crumb, const struct firmware *fw)
{
    uint64_t identity;
    UINT32 attributes;
    EFI_STATUS status = variable_read(crumb, fw, &identity, &attributes);
    bool found = status == EFI_SUCCESS || status == EFI_BUFFER_TOO_SMALL;

    if (found)
        say_found(crumb, "EFI variable", identity, EFI_ERROR(variable_write(crumb, fw, NULL)));
    if (!EFI_ERROR(file_there(crumb, &identity))) {
        found = true;
        say_found(crumb, "the stick's", identity,
                  EFI_ERROR(file_remove(crumb->volume, crumb->path)));
    }
    return found;
}

/* ---- laying it */

static bool lay_on_volume(struct breadcrumb *crumb, uint64_t identity)
{
    uint64_t found;
    bool flushed = false;
    EFI_STATUS status;

    if (crumb->volume == NULL || inject_mark_fails())
        return false;
    crumb->on_volume = true;
    status = file_write(crumb->volume, crumb->path, 0, &identity, sizeof identity, &flushed);
    if (!EFI_ERROR(status) && flushed && !EFI_ERROR(file_there(crumb, &found)) && found == identity)
        return true;
    (void)file_remove(crumb->volume, crumb->path);
    crumb->on_volume = false;
    return false;
}

static bool refuse(struct breadcrumb *crumb, const char *words, EFI_STATUS status)
{
    text_print(crumb->why, sizeof crumb->why, "%s: %s", words, firmware_status_words(status));
    return false;
}

static bool lay_in_variable(struct breadcrumb *crumb, const struct firmware *fw, uint64_t identity)
{
    uint64_t found;
    UINT32 attributes;
    EFI_STATUS status =
        inject_mark_fails() ? EFI_UNSUPPORTED : variable_read(crumb, fw, &found, &attributes);

    if (status != EFI_NOT_FOUND)
        return refuse(crumb, "EFI variables cannot be read", status);
    status = variable_write(crumb, fw, &identity);
    if (EFI_ERROR(status))
        return refuse(crumb, "the firmware keeps no EFI variable to warn the next start", status);
    status = variable_read(crumb, fw, &found, &attributes);
    crumb->in_variable = true;
    if (!EFI_ERROR(status) && found == identity && attributes & EFI_VARIABLE_NON_VOLATILE)
        return true;
    crumb->in_variable = EFI_ERROR(variable_write(crumb, fw, NULL));
    text_print(crumb->why, sizeof crumb->why, "the firmware does not keep the EFI variable %s",
               crumb->kind->name);
    return false;
}

enum breadcrumb_answer breadcrumb_lay(struct breadcrumb *crumb, const struct firmware *fw,
                                      uint64_t identity)
{
    if (crumb->asked && (crumb->answer != BREADCRUMB_LAID || crumb->identity == identity))
        return crumb->answer;
    crumb->asked = true;
    crumb->identity = identity;
    if (find(crumb, fw))
        crumb->answer = BREADCRUMB_FOUND;
    else if (lay_on_volume(crumb, identity) || lay_in_variable(crumb, fw, identity))
        crumb->answer = BREADCRUMB_LAID;
    else
        crumb->answer = BREADCRUMB_NOWHERE;
    return crumb->answer;
}

void breadcrumb_take(struct breadcrumb *crumb, const struct firmware *fw, struct notes *notes)
{
    bool stays = false;

    if (crumb->on_volume)
        stays = EFI_ERROR(file_remove(crumb->volume, crumb->path));
    if (crumb->in_variable && EFI_ERROR(variable_write(crumb, fw, NULL)))
        stays = true;
    crumb->on_volume = crumb->in_variable = false;
    if (stays)
        notes_format(notes, SEVERITY_WARNING, "a mark could not be deleted", "%s: %s",
                     crumb->kind->name, crumb->kind->stays);
}
