/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's memory map, and windows allocated from it; see memory.h. */
#include "efi/memory.h"

#include "core/lib/memory.h"
#include "efi/inject.h"

#define PIECES_MAX     4096
#define MEMORY_SP      0x40000ull    /* UEFI 2.10, 7.2.3; gnu-efi has no name for it */
#define PIECE_BYTES    (64ull << 20) /* a refused piece loses at most this */
#define SCATTER_BLOCKS 16            /* small scattered windows get more blocks than they fill */

/* The reported limit is lower than what can be allocated: it must hold although the firmware and we
 * allocate in between, also at the edges of runs. */
#define LIMIT_SLACK (4ull << 20)

/* ---- the map */

bool memory_map_read(const struct firmware *fw, struct memory_map *map)
{
    UINTN size = 0, key, descriptor_bytes = 0;
    UINT32 version;
    EFI_STATUS status;

    *map = (struct memory_map){.bytes = NULL};
    fw->boot->GetMemoryMap(&size, NULL, &key, &descriptor_bytes, &version);
    /* Allocating the buffer adds entries to the map. */
    for (unsigned tries = 0; tries < 4; tries++) {
        size += 16 * 64;
        map->bytes = firmware_allocate(fw, size);
        if (map->bytes == NULL)
            return false;
        status = fw->boot->GetMemoryMap(&size, map->bytes, &key, &descriptor_bytes, &version);
        if (!EFI_ERROR(status)) {
            map->raw = (struct memmap_raw){map->bytes, size, descriptor_bytes};
            return true;
        }
        firmware_free(fw, map->bytes);
        map->bytes = NULL;
    }
    return false;
}

void memory_map_free(const struct firmware *fw, struct memory_map *map)
{
    firmware_free(fw, map->bytes);
    *map = (struct memory_map){.bytes = NULL};
}

static const EFI_MEMORY_DESCRIPTOR *descriptor_at(const struct memory_map *map, size_t index)
{
    size_t offset = index * map->raw.descriptor_bytes;

    if (map->raw.descriptor_bytes < sizeof(EFI_MEMORY_DESCRIPTOR) ||
        offset + map->raw.descriptor_bytes > map->raw.bytes)
        return NULL;
    return (const EFI_MEMORY_DESCRIPTOR *)((const uint8_t *)map->bytes + offset);
}

/* What the firmware keeps for specific purposes is not there for anybody's reserve. */
static uint64_t free_bytes(const struct memory_map *map, bool specific)
{
    const EFI_MEMORY_DESCRIPTOR *d;
    uint64_t bytes = 0;

    for (size_t i = 0; (d = descriptor_at(map, i)) != NULL; i++)
        if (d->Type == EfiConventionalMemory && (specific || !(d->Attribute & MEMORY_SP)))
            bytes += d->NumberOfPages << 12;
    return bytes;
}

bool memory_map_covers(const struct memory_map *map, phys_addr base, uint64_t bytes)
{
    const EFI_MEMORY_DESCRIPTOR *d;
    uint64_t pos = base.value, end = base.value + bytes;
    bool moved = true;

    if (end < pos)
        return false;
    while (pos < end && moved) {
        moved = false;
        for (size_t i = 0; pos < end && (d = descriptor_at(map, i)) != NULL; i++) {
            uint64_t first = d->PhysicalStart, last = first + (d->NumberOfPages << 12);
            if (first <= pos && pos < last) {
                pos = last;
                moved = true;
            }
        }
    }
    return pos >= end;
}

/* ---- choosing */

static uint64_t round_up(uint64_t bytes, uint64_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static uint64_t page_bytes(enum page_size page)
{
    return 1ull << page;
}

/* Memory is taken in large pieces, except of what others have left. */
static uint64_t granule_of(const struct window_request *request)
{
    if (request->avoid != NULL)
        return page_bytes(request->page);
    return request->page == PAGE_1G ? 1ull << PAGE_1G : 1ull << PAGE_2M;
}

static bool is_writeback(phys_addr base, uint64_t bytes)
{
    phys_addr end = phys_make(base.value + bytes);
    bool writeback = true;

    while (base.value < end.value && writeback)
        base = arch_memory_same_type(base, end, &writeback);
    return writeback;
}

/* What memory a window may be made of. */
struct wanted {
    const struct numa_facts *numa;
    const struct window_request *request;
    struct numa_wanted memory;
};

static phys_addr is_wanted(void *context, phys_addr base, phys_addr end, bool *yes)
{
    const struct wanted *wanted = context;
    bool memory, avoided;

    end = arch_memory_same_type(base, end, yes);
    end = numa_same_wanted(wanted->numa, &wanted->memory, base, end, &memory);
    end = phys_ranges_same(wanted->request->avoid, wanted->request->avoided, base, end, &avoided);
    *yes = *yes && memory && !avoided;
    return end;
}

/* Within range=, memory of every node and every kind. */
static bool asked_by_range(const struct window_request *request)
{
    return request->from.value != request->below.value;
}

static size_t find_runs(const struct numa_facts *numa, const struct memory_map *map,
                        const struct window_request *request, struct memmap_run *runs, size_t max)
{
    struct wanted wanted = {numa, request, {request->node, asked_by_range(request)}};
    struct memmap_filter filter = {.from = request->from,
                                   .below = request->below,
                                   .specific = asked_by_range(request),
                                   .granule = granule_of(request),
                                   .same_type = is_wanted,
                                   .context = &wanted};
    uint64_t dropped;

    return memmap_runs(&map->raw, &filter, runs, max, &dropped);
}

static uint64_t table_bytes(enum page_size page, enum map_mode map, uint64_t bytes)
{
    struct arch_paging paging;

    arch_paging_read(&paging);
    return round_up(arch_tables_bytes(&paging, page, map, bytes >> page), 4096);
}

/* The most bytes that these runs can provide while the firmware's reserve and tables of 4K pages
 * remain free: whatever the page size, so that a set that fits in large pages also fits in small
 * ones and the two can be compared. `slack` is kept free in addition. */
static uint64_t limit_of(const struct memory_map *map, const struct window_request *request,
                         const struct memmap_run *runs, size_t count, uint64_t slack)
{
    uint64_t granule = granule_of(request), available = 0,
             free = free_bytes(map, asked_by_range(request));
    uint64_t reserve = free / 8 < MEMORY_RESERVE_BYTES ? free / 8 : MEMORY_RESERVE_BYTES;
    uint64_t bytes, tables;

    reserve += slack;
    if (free <= reserve)
        return 0;

    for (size_t i = 0; i < count; i++) {
        if (request->map == MAP_WINDOW)
            available += runs[i].bytes;
        else if (runs[i].bytes > available)
            available = runs[i].bytes;
    }
    if (granule < slack && request->avoid == NULL)
        available -= available < slack ? available : slack;
    bytes = available < free - reserve ? available : free - reserve;
    tables = table_bytes(PAGE_4K, request->map, bytes);
    if (tables + reserve >= free)
        return 0;
    if (bytes > free - reserve - tables)
        bytes = free - reserve - tables;
    return bytes / granule * granule;
}

/* ---- allocating */

static bool pages_allocate(const struct firmware *fw, EFI_ALLOCATE_TYPE type, uint64_t bytes,
                           phys_addr *pos)
{
    EFI_PHYSICAL_ADDRESS address = pos->value;

    if (inject_alloc_fails() ||
        EFI_ERROR(fw->boot->AllocatePages(type, EfiLoaderData, bytes >> 12, &address)))
        return false;
    *pos = phys_make(address);
    return true;
}

static void pages_free(const struct firmware *fw, const struct memmap_run *run)
{
    fw->boot->FreePages(run->base.value, run->bytes >> 12);
}

/* Removes a range from the free runs; it lies within one of them. */
static void runs_remove(struct memory_window *window, const struct memmap_run *gone)
{
    for (size_t i = 0; i < window->run_count; i++) {
        struct memmap_run *run = &window->runs[i];
        uint64_t before = gone->base.value - run->base.value;
        uint64_t end = gone->base.value + gone->bytes;

        if (gone->base.value < run->base.value || before >= run->bytes)
            continue;
        if (run->base.value + run->bytes > end && window->run_count < PIECES_MAX)
            window->runs[window->run_count++] =
                (struct memmap_run){phys_make(end), run->base.value + run->bytes - end};
        run->bytes = before;
        return;
    }
}

static bool allocate_piece(const struct firmware *fw, struct memory_window *window,
                           const struct memmap_run *piece)
{
    phys_addr pos = piece->base;

    if (window->allocated_count == PIECES_MAX ||
        !pages_allocate(fw, AllocateAddress, piece->bytes, &pos))
        return false;
    window->allocated[window->allocated_count++] = *piece;
    window->gathered += piece->bytes;
    return true;
}

/* Allocates one chosen piece; even if refused, it is no longer free. */
static bool take_piece(const struct firmware *fw, struct memory_window *window,
                       const struct memmap_run *piece)
{
    runs_remove(window, piece);
    if (allocate_piece(fw, window, piece))
        return true;
    window->refused_bytes += piece->bytes;
    return false;
}

/* The same, but where firmware refuses it because of some pages only these are lost. */
static void take_parts(const struct firmware *fw, struct memory_window *window,
                       const struct memmap_run *piece, uint64_t granule)
{
    uint64_t pos = 0, step = piece->bytes;

    runs_remove(window, piece);
    while (pos < piece->bytes) {
        uint64_t left = piece->bytes - pos;
        struct memmap_run part = {phys_make(piece->base.value + pos), step < left ? step : left};
        bool taken = allocate_piece(fw, window, &part);
        if (!taken && part.bytes > granule && window->allocated_count < PIECES_MAX) {
            step = round_up(part.bytes / 2, granule);
            continue;
        }
        window->refused_bytes += taken ? 0 : part.bytes;
        pos += part.bytes;
        step = taken ? step * 2 : step;
    }
}

/* Gathers pieces until there are `bytes`; false if the map has no more. parts: of a piece that is
 * refused, what of it is not. */
static bool gather(const struct firmware *fw, struct memory_window *window, uint64_t granule,
                   uint64_t bytes, bool parts)
{
    uint64_t piece_max = round_up(bytes / 256, granule);

    if (piece_max < PIECE_BYTES)
        piece_max = round_up(PIECE_BYTES, granule);
    while (window->gathered < bytes) {
        size_t count = memmap_choose(window->runs, window->run_count, bytes - window->gathered,
                                     granule, piece_max, window->pieces, PIECES_MAX);
        if (count == 0)
            return false;
        for (size_t i = 0; i < count; i++) {
            if (parts)
                take_parts(fw, window, &window->pieces[i], granule);
            else
                take_piece(fw, window, &window->pieces[i]);
        }
    }
    return true;
}

/* What there still is of `bytes`, however little; false: nothing. */
static bool gather_left(const struct firmware *fw, struct memory_window *window, uint64_t granule,
                        uint64_t bytes)
{
    uint64_t left = bytes, before = UINT64_MAX;

    while (left > 0 && left < before &&
           !gather(fw, window, granule, window->gathered + left, true)) {
        before = left;
        left = 0;
        for (size_t i = 0; i < window->run_count; i++)
            left += window->runs[i].bytes;
        if (left > bytes - window->gathered)
            left = bytes - window->gathered;
    }
    return window->gathered > 0;
}

static void free_gathered(const struct firmware *fw, struct memory_window *window)
{
    while (window->allocated_count > 0)
        pages_free(fw, &window->allocated[--window->allocated_count]);
    window->gathered = 0;
}

/* One contiguous range from the largest run, still in pieces, because firmware tends to refuse one
 * huge request; after a refused piece the search continues behind it. */
static bool gather_contiguous(const struct firmware *fw, struct memory_window *window,
                              uint64_t granule, uint64_t bytes)
{
    uint64_t piece_max = round_up(PIECE_BYTES, granule);

    for (;;) {
        struct memmap_run largest = {.bytes = 0};

        for (size_t i = 0; i < window->run_count; i++)
            if (window->runs[i].bytes > largest.bytes)
                largest = window->runs[i];
        if (largest.bytes < bytes)
            return false;
        while (window->gathered < bytes) {
            uint64_t left = bytes - window->gathered;
            struct memmap_run piece = {phys_make(largest.base.value + window->gathered),
                                       left < piece_max ? left : piece_max};
            if (!take_piece(fw, window, &piece))
                break;
        }
        if (window->gathered >= bytes)
            return true;
        free_gathered(fw, window);
    }
}

/* Makes pieces from the allocated ones, sorted by address and joined: insertion sort, since they
 * are nearly in order. */
static void join_pieces(struct memory_window *window)
{
    struct memmap_run *pieces = window->pieces;
    size_t joined = 0;

    for (size_t i = 0; i < window->allocated_count; i++) {
        struct memmap_run run = window->allocated[i];
        size_t pos = i;
        for (; pos > 0 && pieces[pos - 1].base.value > run.base.value; pos--)
            pieces[pos] = pieces[pos - 1];
        pieces[pos] = run;
    }
    for (size_t i = 0; i < window->allocated_count; i++) {
        if (joined > 0 &&
            pieces[joined - 1].base.value + pieces[joined - 1].bytes == pieces[i].base.value)
            pieces[joined - 1].bytes += pieces[i].bytes;
        else
            pieces[joined++] = pieces[i];
    }
    window->piece_count = joined;
}

static enum status gather_frames(const struct firmware *fw, const struct numa_facts *numa,
                                 const struct window_request *request, struct memory_window *window)
{
    uint64_t granule = granule_of(request), bytes = round_up(request->bytes, granule);
    struct memory_map map;
    uint64_t limit;

    if (!memory_map_read(fw, &map))
        return STATUS_NO_MEMORY;
    window->run_count = find_runs(numa, &map, request, window->runs, PIECES_MAX);
    limit = limit_of(&map, request, window->runs, window->run_count, 0);
    memory_map_free(fw, &map);
    if (request->avoid != NULL)
        bytes = limit;
    if (bytes == 0 || bytes > limit)
        return STATUS_NO_MEMORY;
    if (request->avoid != NULL && request->map == MAP_WINDOW)
        return gather_left(fw, window, granule, bytes) ? STATUS_OK : STATUS_NO_MEMORY;
    if (request->map != MAP_WINDOW)
        return gather_contiguous(fw, window, granule, bytes) ? STATUS_OK : STATUS_NO_MEMORY;
    if (request->order == FRAMES_SCATTERED && bytes < SCATTER_BLOCKS * granule &&
        SCATTER_BLOCKS * granule <= limit && request->page != PAGE_1G)
        gather(fw, window, granule, SCATTER_BLOCKS * granule, false);
    return gather(fw, window, granule, bytes, false) ? STATUS_OK : STATUS_NO_MEMORY;
}

/* ---- tables */

/* Anywhere, or below 4 GiB if that is refused or not cached. */
static bool allocate_arena(const struct firmware *fw, struct memory_window *window, uint64_t bytes)
{
    static const EFI_ALLOCATE_TYPE types[] = {AllocateAnyPages, AllocateMaxAddress};

    for (unsigned i = 0; i < 2; i++) {
        struct memmap_run arena = {phys_make(UINT32_MAX), bytes};

        if (!pages_allocate(fw, types[i], bytes, &arena.base)) {
            window->refused_bytes += bytes;
            continue;
        }
        if (is_writeback(arena.base, bytes)) {
            window->arena = arena;
            return true;
        }
        pages_free(fw, &arena);
    }
    return false;
}

static void *reach(void *context, phys_addr table)
{
    (void)context;
    return (void *)(uintptr_t)table.value;
}

static phys_addr frame_of(void *context, uint64_t page)
{
    return frames_of_page(context, page);
}

/* The map reported this memory as free. */
static void note_refused(const struct memory_window *window, struct notes *notes)
{
    if (window->refused_bytes != 0)
        notes_format(notes, SEVERITY_WARNING, "memory refused by the firmware",
                     "%s that its map calls free; other memory was requested",
                     TEXT_SIZE(window->refused_bytes));
}

static enum status build_tables(const struct firmware *fw, const struct window_request *request,
                                struct memory_window *window, uint64_t pages, struct notes *notes)
{
    struct arch_table_request tables = {.window = {.page = request->page,
                                                   .map = request->map,
                                                   .pages = pages,
                                                   .frame = frame_of,
                                                   .frame_context = &window->frames,
                                                   .reach = reach}};
    enum status status;

    if (!allocate_arena(fw, window,
                        table_bytes(request->page, request->map, pages << request->page))) {
        notes_add(notes, SEVERITY_WARNING, "window refused", "no cached memory for page tables");
        return STATUS_NO_MEMORY;
    }
    arch_paging_read(&tables.paging);
    tables.window.arena = window->arena.base;
    tables.window.arena_bytes = window->arena.bytes;
    status = arch_tables_build(&tables, &window->tables);
    if (status != STATUS_OK)
        notes_add(notes, SEVERITY_WARNING, "page tables refused",
                  window->tables.refusal != NULL ? window->tables.refusal : status_name(status));
    return status;
}

static phys_addr frame_on_trial(void *context, uint64_t page)
{
    (void)page;
    return *(const phys_addr *)context;
}

const char *memory_tables_refusal(const struct firmware *fw)
{
    struct memmap_run arena = {.bytes = table_bytes(PAGE_4K, MAP_WINDOW, 1ull << PAGE_4K)};
    struct arch_table_request trial = {.window = {.page = PAGE_4K,
                                                  .map = MAP_WINDOW,
                                                  .pages = 1,
                                                  .frame = frame_on_trial,
                                                  .frame_context = &arena.base,
                                                  .reach = reach}};
    struct table_tree tables;
    enum status status;

    if (inject_tables_refused())
        return "refused on purpose";
    if (!pages_allocate(fw, AllocateAnyPages, arena.bytes, &arena.base))
        return NULL;
    arch_paging_read(&trial.paging);
    trial.window.arena = arena.base;
    trial.window.arena_bytes = arena.bytes;
    status = arch_tables_build(&trial, &tables);
    pages_free(fw, &arena);
    return status == STATUS_REFUSED ? tables.refusal : NULL;
}

/* ---- windows */

static void window_free(const struct firmware *fw, struct memory_window *window)
{
    if (window->arena.bytes != 0)
        pages_free(fw, &window->arena);
    free_gathered(fw, window);
    firmware_free(fw, window->runs);
    firmware_free(fw, window->pieces);
    firmware_free(fw, window->allocated);
    firmware_free(fw, window);
}

static struct memory_window *window_new(const struct firmware *fw)
{
    struct memory_window *window = firmware_allocate(fw, sizeof *window);

    if (window == NULL)
        return NULL;
    window->allocated = firmware_allocate(fw, PIECES_MAX * sizeof *window->allocated);
    window->pieces = firmware_allocate(fw, PIECES_MAX * sizeof *window->pieces);
    window->runs = firmware_allocate(fw, PIECES_MAX * sizeof *window->runs);
    if (window->allocated == NULL || window->pieces == NULL || window->runs == NULL) {
        window_free(fw, window);
        return NULL;
    }
    return window;
}

uint64_t memory_window_limit(const struct firmware *fw, const struct numa_facts *numa,
                             const struct window_request *request)
{
    struct memmap_run *runs = firmware_allocate(fw, PIECES_MAX * sizeof *runs);
    struct memory_map map;
    uint64_t limit = 0;

    if (runs != NULL && memory_map_read(fw, &map)) {
        size_t count = find_runs(numa, &map, request, runs, PIECES_MAX);
        limit = limit_of(&map, request, runs, count, LIMIT_SLACK);
        memory_map_free(fw, &map);
    }
    firmware_free(fw, runs);
    return limit;
}

enum status memory_window_open(const struct firmware *fw, const struct numa_facts *numa,
                               const struct window_request *request, struct window *out,
                               struct notes *notes)
{
    uint64_t pages = round_up(request->bytes, page_bytes(request->page)) >> request->page;
    struct memory_window *window;
    enum status status;

    if (request->map != MAP_WINDOW && request->order != FRAMES_CONTIGUOUS)
        return STATUS_UNSUPPORTED;
    window = window_new(fw);
    if (window == NULL)
        return STATUS_NO_MEMORY;
    status = gather_frames(fw, numa, request, window);
    if (status == STATUS_OK) {
        if (request->avoid != NULL)
            pages = window->gathered >> request->page;
        join_pieces(window);
        frames_start(&window->frames, window->pieces, window->piece_count, request->page,
                     request->order, request->seed);
        if (request->map == MAP_FIRMWARE)
            window->tables.base = (uintptr_t)frames_of_page(&window->frames, 0).value;
        else
            status = build_tables(fw, request, window, pages, notes);
    }
    note_refused(window, notes);
    if (status != STATUS_OK) {
        window_free(fw, window);
        return status;
    }
    *out = (struct window){.base = window->tables.base,
                           .bytes = pages << request->page,
                           .table_bytes = window->tables.leaf_bytes,
                           .page = request->page,
                           .map = request->map,
                           .order = request->order,
                           .handle = window};
    return STATUS_OK;
}

void memory_window_close(const struct firmware *fw, struct window *window)
{
    if (window->handle != NULL)
        window_free(fw, window->handle);
    window->handle = NULL;
}

phys_addr memory_window_phys(const struct window *window, uint64_t offset)
{
    struct memory_window *own = window->handle;
    uint64_t size = page_bytes(window->page);

    return phys_make(frames_of_page(&own->frames, offset / size).value + offset % size);
}

static phys_addr same_node(void *context, phys_addr base, phys_addr end, uint32_t *node)
{
    return numa_same_node(context, base, end, node);
}

void memory_window_span(const struct numa_facts *numa, const struct window *window, uint64_t bytes,
                        struct window_span *span)
{
    struct memory_window *own = window->handle;
    struct numa_facts *context = (struct numa_facts *)(uintptr_t)numa;
    uint64_t size = page_bytes(window->page);

    frames_span(&own->frames, (bytes + size - 1) / size, same_node, context, span);
}
