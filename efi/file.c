/* SPDX-License-Identifier: BSD-2-Clause */
/* Files through the firmware; see file.h. */
#include "efi/file.h"

#include "efi/inject.h"
#include "efi/storage.h"

/* 2 MiB of 32 bytes each (Microsoft's FAT specification 1.03, "FAT Directory Structure"). */
#define ENTRIES_MAX 65536u

#define INFO_BYTES 1024 /* file and volume information with names up to 255 characters */

/* The union keeps the buffer aligned for what the firmware writes into it. */
union info {
    EFI_FILE_INFO file;
    EFI_FILE_SYSTEM_INFO system;
    uint8_t bytes[INFO_BYTES];
};

static EFI_STATUS open_root(const struct volume *volume, EFI_FILE_HANDLE *root)
{
    return volume->system->OpenVolume(volume->system, root);
}

static EFI_STATUS open_path(const struct volume *volume, const CHAR16 *path, UINT64 mode,
                            UINT64 attributes, EFI_FILE_HANDLE *file)
{
    EFI_FILE_HANDLE root;
    EFI_STATUS status = open_root(volume, &root);

    if (EFI_ERROR(status))
        return status;
    status = root->Open(root, file, (CHAR16 *)path, mode, attributes);
    root->Close(root);
    return status;
}

static EFI_STATUS read_system_info(const struct volume *volume, union info *info)
{
    static const EFI_GUID id = EFI_FILE_SYSTEM_INFO_ID;
    UINTN size = sizeof *info;
    EFI_FILE_HANDLE root;
    EFI_STATUS status = open_root(volume, &root);

    if (EFI_ERROR(status))
        return status;
    status = root->GetInfo(root, (EFI_GUID *)&id, &size, info);
    root->Close(root);
    return status;
}

static void name_volume(struct volume *volume, size_t number)
{
    union info info;
    struct text text;

    text_start(&text, volume->name, sizeof volume->name);
    if (volume->boot)
        text_add(&text, "boot volume");
    else
        text_format(&text, "volume %zu", number);
    if (!EFI_ERROR(read_system_info(volume, &info)) && info.system.VolumeLabel[0] != 0) {
        text_char(&text, ' ');
        firmware_text(&text, info.system.VolumeLabel, 16);
    }
}

static bool is_known(const struct volumes *volumes, const EFI_FILE_IO_INTERFACE *system)
{
    for (size_t i = 0; i < volumes->count; i++)
        if (volumes->volume[i].system == system)
            return true;
    return false;
}

static void add_volumes(const struct firmware *fw, struct volumes *volumes)
{
    static const EFI_GUID guid = SIMPLE_FILE_SYSTEM_PROTOCOL;
    EFI_HANDLE boot = fw->loaded != NULL ? fw->loaded->DeviceHandle : NULL;
    EFI_HANDLE *handles = NULL;
    UINTN count = 0;

    if (EFI_ERROR(
            fw->boot->LocateHandleBuffer(ByProtocol, (EFI_GUID *)&guid, NULL, &count, &handles)))
        return;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (UINTN i = 0; i < count && volumes->count < VOLUMES_MAX; i++) {
            struct volume *volume = &volumes->volume[volumes->count];
            volume->boot = handles[i] == boot;
            volume->system = firmware_protocol(fw, handles[i], &guid);
            if (volume->boot != (pass == 0) || volume->system == NULL ||
                is_known(volumes, volume->system))
                continue;
            name_volume(volume, volumes->count);
            volumes->count++;
        }
    }
    firmware_free(fw, handles);
}

void volumes_find(const struct firmware *fw, struct volumes *volumes)
{
    volumes->complete = false;
    volumes->count = 0;
    add_volumes(fw, volumes);
}

bool volumes_more(const struct firmware *fw, struct volumes *volumes)
{
    size_t before = volumes->count;

    if (volumes->complete)
        return false;
    volumes->complete = true;
    storage_connect(fw);
    add_volumes(fw, volumes);
    return volumes->count > before;
}

static bool is_directory(EFI_FILE_HANDLE file)
{
    static const EFI_GUID id = EFI_FILE_INFO_ID;
    union info info;
    UINTN size = sizeof info;

    return !EFI_ERROR(file->GetInfo(file, (EFI_GUID *)&id, &size, &info)) &&
           (info.file.Attribute & EFI_FILE_DIRECTORY) != 0;
}

bool volume_has_directory(const struct volume *volume, const CHAR16 *path)
{
    EFI_FILE_HANDLE file;
    bool answer;

    if (EFI_ERROR(open_path(volume, path, EFI_FILE_MODE_READ, 0, &file)))
        return false;
    answer = is_directory(file);
    file->Close(file);
    return answer;
}

bool volumes_have_directory(const struct volumes *volumes, const CHAR16 *path)
{
    for (size_t i = 0; i < volumes->count; i++)
        if (volume_has_directory(&volumes->volume[i], path))
            return true;
    return false;
}

EFI_STATUS volume_writable(const struct volume *volume, uint64_t bytes_needed)
{
    union info info;
    EFI_STATUS status = read_system_info(volume, &info);

    if (EFI_ERROR(status))
        return status;
    if (info.system.ReadOnly)
        return EFI_WRITE_PROTECTED;
    return info.system.FreeSpace < bytes_needed ? EFI_VOLUME_FULL : EFI_SUCCESS;
}

uint64_t volume_free_bytes(const struct volume *volume)
{
    union info info;

    return EFI_ERROR(read_system_info(volume, &info)) ? 0 : info.system.FreeSpace;
}

EFI_STATUS file_read(const struct volume *volume, const CHAR16 *path, void *bytes, size_t capacity,
                     size_t *used)
{
    EFI_FILE_HANDLE file;
    UINTN count = capacity;
    EFI_STATUS status = open_path(volume, path, EFI_FILE_MODE_READ, 0, &file);

    *used = 0;
    if (EFI_ERROR(status))
        return status;
    status = is_directory(file) ? EFI_UNSUPPORTED : file->Read(file, &count, bytes);
    if (!EFI_ERROR(status))
        *used = count;
    file->Close(file);
    return status;
}

static EFI_STATUS list_entries(EFI_FILE_HANDLE directory, union info *info, directory_entry *each,
                               void *context)
{
    for (unsigned entries = 0; entries <= ENTRIES_MAX; entries++) {
        UINTN size = sizeof *info;
        EFI_STATUS status = directory->Read(directory, &size, info);
        if (EFI_ERROR(status) || size == 0)
            return status;
        each(context, info->file.FileName);
    }
    return EFI_VOLUME_CORRUPTED;
}

EFI_STATUS directory_list(const struct firmware *fw, const struct volume *volume,
                          const CHAR16 *path, directory_entry *each, void *context)
{
    union info *info = firmware_allocate(fw, sizeof *info);
    EFI_FILE_HANDLE directory;
    EFI_STATUS status = EFI_OUT_OF_RESOURCES;

    if (info == NULL)
        return status;
    status = open_path(volume, path, EFI_FILE_MODE_READ, 0, &directory);
    if (!EFI_ERROR(status)) {
        status = list_entries(directory, info, each, context);
        directory->Close(directory);
    }
    firmware_free(fw, info);
    return status;
}

EFI_STATUS directory_make(const struct volume *volume, const CHAR16 *path)
{
    EFI_FILE_HANDLE file;
    EFI_STATUS status = open_path(volume, path, EFI_FILE_MODE_READ, 0, &file);

    if (!EFI_ERROR(status)) {
        file->Close(file);
        return EFI_ACCESS_DENIED;
    }
    if (status != EFI_NOT_FOUND)
        return status;
    if (inject_write_fails(path))
        return EFI_DEVICE_ERROR;
    status =
        open_path(volume, path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE,
                  EFI_FILE_DIRECTORY, &file);
    if (EFI_ERROR(status))
        return status;
    file->Flush(file);
    return file->Close(file);
}

/* The data have been written: what cannot be flushed may still be kept. */
static void flush(EFI_FILE_HANDLE file, bool *flushed)
{
    *flushed = !inject_flush_fails() && !EFI_ERROR(file->Flush(file));
}

EFI_STATUS file_write(const struct volume *volume, const CHAR16 *path, uint64_t position,
                      const void *bytes, size_t count, bool *flushed)
{
    EFI_FILE_HANDLE file;
    UINTN done = count;
    EFI_STATUS status = open_path(
        volume, path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE, 0, &file);

    if (EFI_ERROR(status))
        return status;
    status = inject_write_fails(path) ? EFI_DEVICE_ERROR : file->SetPosition(file, position);
    if (!EFI_ERROR(status) && count != 0)
        status = file->Write(file, &done, (void *)bytes);
    if (!EFI_ERROR(status) && done != count)
        status = EFI_VOLUME_FULL;
    if (!EFI_ERROR(status))
        flush(file, flushed);
    file->Close(file);
    return status;
}

static void set_name(EFI_FILE_INFO *info, const CHAR16 *name)
{
    size_t length = 0;

    do
        info->FileName[length] = name[length];
    while (name[length++] != 0);
    info->Size = SIZE_OF_EFI_FILE_INFO + length * sizeof *name;
}

EFI_STATUS file_rename(const struct volume *volume, const CHAR16 *path, const CHAR16 *name)
{
    static const EFI_GUID id = EFI_FILE_INFO_ID;
    union info info;
    UINTN size = sizeof info;
    EFI_FILE_HANDLE file;
    EFI_STATUS status = open_path(volume, path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, 0, &file);

    if (EFI_ERROR(status))
        return status;
    status = file->GetInfo(file, (EFI_GUID *)&id, &size, &info);
    if (!EFI_ERROR(status)) {
        set_name(&info.file, name);
        status = file->SetInfo(file, (EFI_GUID *)&id, info.file.Size, &info);
    }
    if (!EFI_ERROR(status))
        file->Flush(file);
    file->Close(file);
    return status;
}

EFI_STATUS file_remove(const struct volume *volume, const CHAR16 *path)
{
    EFI_FILE_HANDLE file;
    EFI_STATUS status = open_path(volume, path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, 0, &file);

    if (status == EFI_NOT_FOUND)
        return EFI_SUCCESS;
    if (EFI_ERROR(status))
        return status;
    /* A failed delete is a warning code, not an error. */
    return file->Delete(file) == EFI_SUCCESS ? EFI_SUCCESS : EFI_DEVICE_ERROR;
}
