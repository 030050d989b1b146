/* SPDX-License-Identifier: BSD-2-Clause */
/* EFI_MP_SERVICES_PROTOCOL as far as it is called here, which gnu-efi does not have: UEFI Platform
 * Initialization Specification 1.8, volume 2, 13.4. All of it is for the boot CPU alone. */
#ifndef EFI_MP_SERVICES_H
#define EFI_MP_SERVICES_H

#include <efi.h>

#define MP_SERVICES_GUID                                   \
    {                                                      \
        0x3fdda605, 0xa76e, 0x4f46,                        \
        {                                                  \
            0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08 \
        }                                                  \
    }

/* mp_processor.flags */
#define MP_BOOT_CPU 1u
#define MP_ENABLED  2u
#define MP_HEALTHY  4u

/* EFI_PROCESSOR_INFORMATION. */
struct mp_processor {
    UINT64 id; /* APIC id, MPIDR */
    UINT32 flags;
    UINT32 package, core, thread;
    UINT32 extended[6]; /* PI 1.7 and later fill it in when asked to */
};

typedef VOID(EFIAPI *mp_procedure)(VOID *argument);

struct mp_services {
    EFI_STATUS(EFIAPI *processors_count)
    (struct mp_services *services, UINTN *count, UINTN *enabled);
    EFI_STATUS(EFIAPI *processor_info)
    (struct mp_services *services, UINTN number, struct mp_processor *info);
    /* On all enabled ones but the boot CPU, at the same time unless one_by_one. event NULL: returns
     * when the procedure has on all of them; else at once, and the event is signalled then. EDK2
     * looks every 100 ms whether it has (MdeModulePkg and UefiCpuPkg, MpInitLib). */
    EFI_STATUS(EFIAPI *startup_all)
    (struct mp_services *services, mp_procedure procedure, BOOLEAN one_by_one, EFI_EVENT event,
     UINTN microseconds, VOID *argument, UINTN **failed);
    /* event NULL: returns when the procedure has. microseconds other than 0: it is cut off then, by
     * a reset of that CPU. */
    EFI_STATUS(EFIAPI *startup_this)
    (struct mp_services *services, mp_procedure procedure, UINTN number, EFI_EVENT event,
     UINTN microseconds, VOID *argument, BOOLEAN *finished);
};

#endif
