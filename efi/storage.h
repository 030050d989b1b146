/* SPDX-License-Identifier: BSD-2-Clause */
/* Storage that the firmware has not connected: with a fast boot, over the network or from a loader
 * it starts drivers only for what it boots from. */
#ifndef EFI_STORAGE_H
#define EFI_STORAGE_H

#include "efi/firmware.h"

/* Connects the firmware's drivers to every PCI device that can hold a volume (mass storage, USB,
 * SD), and to nothing else: network devices can take minutes. */
void storage_connect(const struct firmware *fw);

#endif
