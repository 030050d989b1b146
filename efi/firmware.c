/* SPDX-License-Identifier: BSD-2-Clause */
/* Thin wrappers of firmware calls; see firmware.h. */
#include "efi/firmware.h"

#include "core/lib/memory.h"

void firmware_start(struct firmware *fw, EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    static const EFI_GUID loaded_image = LOADED_IMAGE_PROTOCOL;

    fw->image = image;
    fw->system = system;
    fw->boot = system->BootServices;
    fw->boot->SetWatchdogTimer(0, 0, 0, NULL);
    fw->loaded = firmware_protocol(fw, image, &loaded_image);
}

void *firmware_protocol(const struct firmware *fw, EFI_HANDLE handle, const EFI_GUID *guid)
{
    void *interface = NULL;

    if (handle == NULL || EFI_ERROR(fw->boot->HandleProtocol(handle, (EFI_GUID *)guid, &interface)))
        return NULL;
    return interface;
}

void *firmware_table(const struct firmware *fw, const EFI_GUID *guid)
{
    const EFI_SYSTEM_TABLE *system = fw->system;

    for (UINTN i = 0; i < system->NumberOfTableEntries; i++)
        if (memory_same(&system->ConfigurationTable[i].VendorGuid, guid, sizeof *guid))
            return system->ConfigurationTable[i].VendorTable;
    return NULL;
}

void *firmware_allocate(const struct firmware *fw, size_t bytes)
{
    void *memory = NULL;

    if (EFI_ERROR(fw->boot->AllocatePool(EfiLoaderData, bytes, &memory)))
        return NULL;
    memory_fill(memory, 0, bytes);
    return memory;
}

void firmware_free(const struct firmware *fw, void *memory)
{
    if (memory != NULL)
        fw->boot->FreePool(memory);
}

void firmware_wait_ms(const struct firmware *fw, uint64_t ms)
{
    fw->boot->Stall(ms * 1000);
}

const char *firmware_status_words(EFI_STATUS status)
{
    static const struct {
        EFI_STATUS status;
        const char *words;
    } known[] = {
        {EFI_SUCCESS, "ok"},
        {EFI_INVALID_PARAMETER, "invalid parameter"},
        {EFI_UNSUPPORTED, "unsupported"},
        {EFI_NOT_READY, "not ready"},
        {EFI_DEVICE_ERROR, "device error"},
        {EFI_WRITE_PROTECTED, "write protected"},
        {EFI_OUT_OF_RESOURCES, "out of resources"},
        {EFI_VOLUME_CORRUPTED, "volume corrupted"},
        {EFI_VOLUME_FULL, "volume full"},
        {EFI_NO_MEDIA, "no media"},
        {EFI_MEDIA_CHANGED, "media changed"},
        {EFI_NOT_FOUND, "not found"},
        {EFI_ACCESS_DENIED, "access denied"},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].status == status)
            return known[i].words;
    return "firmware error";
}

void firmware_text(struct text *text, const CHAR16 *words, size_t max)
{
    if (words == NULL)
        return;
    for (size_t i = 0; i < max && words[i] != 0; i++)
        text_char(text, words[i] >= 0x20 && words[i] < 0x7f ? (char)words[i] : '?');
}
