/* SPDX-License-Identifier: BSD-2-Clause */
#include "efi/boot_next.h"

#define ATTRIBUTES \
    (EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS | EFI_VARIABLE_RUNTIME_ACCESS)

static EFI_GUID global = EFI_GLOBAL_VARIABLE;
static CHAR16 next_name[] = L"BootNext";

/* A boot manager whose first choice is not what we were started from would start that. */
bool boot_next_here(const struct firmware *fw)
{
    static CHAR16 current_name[] = L"BootCurrent", order_name[] = L"BootOrder";
    EFI_RUNTIME_SERVICES *runtime = fw->system->RuntimeServices;
    UINT16 current, order[64];
    UINTN bytes = sizeof current;
    bool known = !EFI_ERROR(runtime->GetVariable(current_name, &global, NULL, &bytes, &current));

    bytes = sizeof order;
    if (!known || (!EFI_ERROR(runtime->GetVariable(order_name, &global, NULL, &bytes, order)) &&
                   bytes >= sizeof order[0] && order[0] == current))
        return false;
    return !EFI_ERROR(
        runtime->SetVariable(next_name, &global, ATTRIBUTES, sizeof current, &current));
}

void boot_next_forget(const struct firmware *fw)
{
    (void)fw->system->RuntimeServices->SetVariable(next_name, &global, 0, 0, NULL);
}
