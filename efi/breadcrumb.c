/* SPDX-License-Identifier: BSD-2-Clause */
/* The mark before a dangerous write, as an EFI variable; see breadcrumb.h. */
#include "efi/breadcrumb.h"

#define ATTRIBUTES (EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS)

static const char refused_what[] = "prefetchers are not written";

static CHAR16 name[] = L"prefetch-try";
static EFI_GUID guid = BREADCRUMB_GUID;

static EFI_STATUS variable_read(const struct firmware *fw, uint64_t *identity, UINT32 *attributes)
{
    UINTN bytes = sizeof *identity;

    *identity = 0;
    *attributes = 0;
    return fw->system->RuntimeServices->GetVariable(name, &guid, attributes, &bytes, identity);
}

static EFI_STATUS variable_write(const struct firmware *fw, uint64_t *identity)
{
    return fw->system->RuntimeServices->SetVariable(name, &guid, identity != NULL ? ATTRIBUTES : 0,
                                                    identity != NULL ? sizeof *identity : 0,
                                                    identity);
}

static bool refuse(struct breadcrumb *crumb)
{
    crumb->refused = true;
    return false;
}

static bool refuse_status(struct breadcrumb *crumb, struct notes *notes, const char *words,
                          EFI_STATUS status)
{
    notes_format(notes, SEVERITY_WARNING, refused_what, "%s: %s", words,
                 firmware_status_words(status));
    return refuse(crumb);
}

/* Reported once: the next start may try again. */
static bool refuse_found(struct breadcrumb *crumb, const struct firmware *fw, uint64_t identity,
                         struct notes *notes)
{
    bool stays = EFI_ERROR(variable_write(fw, NULL));

    notes_format(notes, SEVERITY_WARNING, refused_what,
                 "the last try did not come back (EFI variable prefetch-try, CPU 0x%lx); %s",
                 identity, stays ? "it cannot be deleted" : "now deleted, the next start may try");
    return refuse(crumb);
}

bool breadcrumb_lay(struct breadcrumb *crumb, const struct firmware *fw, uint64_t identity,
                    struct notes *notes)
{
    uint64_t found;
    UINT32 attributes;
    EFI_STATUS status;

    if (crumb->refused) {
        notes_add(notes, SEVERITY_WARNING, refused_what, "as in the run before");
        return false;
    }
    if (crumb->asked)
        return true;
    crumb->asked = true;
    status = variable_read(fw, &found, &attributes);
    /* EFI_BUFFER_TOO_SMALL: other data under our name, which also counts as a mark. */
    if (status == EFI_SUCCESS || status == EFI_BUFFER_TOO_SMALL)
        return refuse_found(crumb, fw, found, notes);
    if (status != EFI_NOT_FOUND)
        return refuse_status(crumb, notes, "EFI variables cannot be read", status);
    status = variable_write(fw, &identity);
    if (EFI_ERROR(status))
        return refuse_status(crumb, notes,
                             "the firmware keeps no EFI variable to warn the next start", status);
    crumb->laid = true;
    status = variable_read(fw, &found, &attributes);
    if (EFI_ERROR(status) || found != identity || !(attributes & EFI_VARIABLE_NON_VOLATILE)) {
        breadcrumb_take(crumb, fw, notes);
        notes_add(notes, SEVERITY_WARNING, refused_what,
                  "the firmware does not keep the EFI variable prefetch-try");
        return refuse(crumb);
    }
    return true;
}

void breadcrumb_take(struct breadcrumb *crumb, const struct firmware *fw, struct notes *notes)
{
    if (!crumb->laid)
        return;
    crumb->laid = false;
    if (EFI_ERROR(variable_write(fw, NULL)))
        notes_add(notes, SEVERITY_WARNING, "EFI variable prefetch-try could not be deleted",
                  "the next start will not write prefetchers and say so");
}
