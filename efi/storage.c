/* SPDX-License-Identifier: BSD-2-Clause */
/* Connects drivers to storage; see storage.h. */
#include "efi/storage.h"

#include <efipciio.h>

#define PCI_SUBCLASS 0x0a /* PCI Local Bus 3.0, section 6.2.1; the base class follows it */

/* PCI Code and ID Assignment 1.11, section 1. */
static bool holds_volumes(uint8_t base, uint8_t subclass)
{
    return base == 0x01 ||                       /* mass storage: IDE, AHCI, NVMe, SCSI, virtio */
           (base == 0x0c && subclass == 0x03) || /* USB host controllers */
           (base == 0x08 && subclass == 0x05);   /* SD host controllers */
}

static void connect_each(const struct firmware *fw, const EFI_GUID *guid, bool storage_only)
{
    EFI_HANDLE *handles = NULL;
    UINTN count = 0;

    if (EFI_ERROR(
            fw->boot->LocateHandleBuffer(ByProtocol, (EFI_GUID *)guid, NULL, &count, &handles)))
        return;
    for (UINTN i = 0; i < count; i++) {
        uint8_t class[2] = {0, 0};

        if (storage_only) {
            EFI_PCI_IO_PROTOCOL *pci = firmware_protocol(fw, handles[i], guid);

            if (pci == NULL ||
                EFI_ERROR(
                    pci->Pci.Read(pci, EfiPciIoWidthUint8, PCI_SUBCLASS, sizeof class, class)) ||
                !holds_volumes(class[1], class[0]))
                continue;
        }
        fw->boot->ConnectController(handles[i], NULL, NULL, storage_only);
    }
    firmware_free(fw, handles);
}

void storage_connect(const struct firmware *fw)
{
    static const EFI_GUID root_bridge = EFI_PCI_ROOT_BRIDGE_IO_PROTOCOL_GUID;
    static const EFI_GUID device = EFI_PCI_IO_PROTOCOL_GUID;

    connect_each(fw, &root_bridge, false);
    connect_each(fw, &device, true);
}
