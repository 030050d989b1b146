/* SPDX-License-Identifier: BSD-2-Clause */
/* Test build only: one deliberate fault per run, selected by the key inject=. CPU faults fire
 * inside the quiet section of the third chase, when everything before them has worked. */
#include "efi/inject.h"

#include "arch/arch.h"
#include "core/lib/text.h"
#include "efi/mp_stub.h"

#define FIRE_AT_CHASE 3
#define FIRE_AT_SHOWN 20
#define SOON_S        20
#define SUM_LINES     (1u << 18)
#define LINE_BIT      6 /* keeps pointers inside the window and aligned to lines */

enum kind {
    KIND_NONE,
    KIND_CPU,
    KIND_ABORT,
    KIND_FLIP,
    KIND_STUCK,
    KIND_WRITE_FAIL,
    KIND_LAST_WRITE_FAIL,
    KIND_FLUSH_FAIL,
    KIND_ALLOC_FAIL,
    KIND_NO_TABLES,
    KIND_HALT,
    KIND_HANG,
    KIND_WATCHDOG,
    KIND_CPU_HANG,
    KIND_NO_MARK,
    KIND_LOAD_FAULT,
    KIND_PART_FAULT,
    KIND_CPUS,
    KIND_SUMS,
    KIND_CPU_IS_ON,
    KIND_CPU_REFUSED
};

static struct {
    enum kind kind;
    enum arch_inject cpu;
    const char *name; /* of a CPU fault */
    uint64_t on;      /* which CPU it is to be raised on */
    uint64_t number;  /* the line to flip, the stuck byte, or which allocation fails */
    unsigned bit;
    /* counted during a run */
    uint64_t chases, allocations, shown, sum;
    bool fired, survived;
} state;

static const struct {
    const char *word;
    enum kind kind;
    enum arch_inject cpu;
    const char *name;
} kinds[] = {
    {"ud", KIND_CPU, ARCH_INJECT_UD, "#UD"},
    {"pf", KIND_CPU, ARCH_INJECT_PF, "#PF"},
    {"gp", KIND_CPU, ARCH_INJECT_GP, "#GP"},
    {"msr-gp", KIND_CPU, ARCH_INJECT_MSR_GP, "#GP at a register write"},
    {"nmi", KIND_CPU, ARCH_INJECT_NMI, "NMI"},
    {"mc", KIND_CPU, ARCH_INJECT_MC, "#MC"},
    {"df", KIND_CPU, ARCH_INJECT_DF, "#DF"},
    {"serror", KIND_CPU, ARCH_INJECT_SERROR, "SError"},
    {"abort", KIND_ABORT, ARCH_INJECT_UD, ""},
    {"write-fail", KIND_WRITE_FAIL, ARCH_INJECT_UD, ""},
    {"flush-fail", KIND_FLUSH_FAIL, ARCH_INJECT_UD, ""},
    {"last-write-fail", KIND_LAST_WRITE_FAIL, ARCH_INJECT_UD, ""},
    {"no-tables", KIND_NO_TABLES, ARCH_INJECT_UD, ""},
    {"prefetch-halt", KIND_HALT, ARCH_INJECT_UD, ""},
    {"hang", KIND_HANG, ARCH_INJECT_UD, ""},
    {"watchdog", KIND_WATCHDOG, ARCH_INJECT_UD, ""},
    {"cpu-hang", KIND_CPU_HANG, ARCH_INJECT_UD, ""},
    {"no-mark", KIND_NO_MARK, ARCH_INJECT_UD, ""},
    {"load-pf", KIND_LOAD_FAULT, ARCH_INJECT_PF, ""},
    {"part-pf", KIND_PART_FAULT, ARCH_INJECT_PF, ""},
    {"cpus", KIND_CPUS, ARCH_INJECT_UD, ""},
    {"sums", KIND_SUMS, ARCH_INJECT_UD, ""},
    {"cpu-is-on", KIND_CPU_IS_ON, ARCH_INJECT_UD, ""},
    {"cpu-refused", KIND_CPU_REFUSED, ARCH_INJECT_UD, ""},
};

/* Reads "NUMBER" or "NUMBER:BIT"; false if it is neither. */
static bool read_numbers(const char *words, size_t bytes, bool with_bit)
{
    size_t colon = 0;
    uint64_t bit = LINE_BIT;

    while (colon < bytes && words[colon] != ':')
        colon++;
    if (!text_read_u64(words, colon, &state.number))
        return false;
    if (colon < bytes &&
        (!with_bit || !text_read_u64(words + colon + 1, bytes - colon - 1, &bit) || bit > 63))
        return false;
    state.bit = (unsigned)bit;
    return true;
}

static bool starts_with(const char *words, size_t bytes, const char *start)
{
    size_t length = text_length(start);

    return bytes > length && text_is(words, length, start);
}

/* "KIND@CPU"; returns how long KIND is. */
static size_t read_cpu(const char *value, size_t bytes)
{
    size_t at = 0;

    while (at < bytes && value[at] != '@')
        at++;
    state.on = 0;
    return at < bytes && text_read_u64(value + at + 1, bytes - at - 1, &state.on) ? at : bytes;
}

static const char *parse(void *context, const char *value, size_t bytes)
{
    (void)context;
    bytes = read_cpu(value, bytes);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (text_is(value, bytes, kinds[i].word)) {
            state.kind = kinds[i].kind;
            state.cpu = kinds[i].cpu;
            state.name = kinds[i].name;
            return NULL;
        }
    }
    if (starts_with(value, bytes, "flip:") && read_numbers(value + 5, bytes - 5, true)) {
        state.kind = KIND_FLIP;
        return NULL;
    }
    if (starts_with(value, bytes, "stuck:") && read_numbers(value + 6, bytes - 6, true)) {
        state.kind = KIND_STUCK;
        return NULL;
    }
    if (starts_with(value, bytes, "alloc-fail:") && read_numbers(value + 11, bytes - 11, false)) {
        state.kind = KIND_ALLOC_FAIL;
        return NULL;
    }
    if (starts_with(value, bytes, "mp-") && mp_stub_choose(value + 3, bytes - 3, state.on))
        return NULL;
    return "ud, pf, gp, msr-gp, nmi, mc, df, serror (each also with @CPU), abort, write-fail, "
           "last-write-fail, flush-fail, no-tables, prefetch-halt, hang, watchdog, cpu-hang, "
           "no-mark, load-pf, part-pf, cpus, sums, cpu-is-on, cpu-refused[@CPU], "
           "mp-FAULT[:NUMBER][@CPU] (efi/mp_stub.h), flip:LINE[:BIT], stuck:OFFSET[:BIT], "
           "alloc-fail:K";
}

const struct option_extra *inject_option(void)
{
    static const struct option_extra option = {
        .key = "inject", .help = "test build: a fault on purpose", .parse = parse};

    return &option;
}

void inject_start(void)
{
    state.chases = 0;
    state.allocations = 0;
    state.shown = 0;
    state.fired = false;
    state.survived = false;
}

/* Draws hold no pointers. All nodes have the same offset in their stride as the first node of the
 * walk. */
static bool is_to_flip(const struct chase_plan *plan)
{
    return state.kind == KIND_FLIP && !state.fired && plan->kernel == KERNEL_CYCLE &&
           state.number < plan->lines;
}

void inject_chase(const struct chase_plan *plan)
{
    if (plan->cpu != state.on)
        return;
    state.chases++;
    if (state.kind == KIND_CPU && state.chases == FIRE_AT_CHASE)
        state.survived = arch_inject(state.cpu);
    if (is_to_flip(plan)) {
        uintptr_t first = plan->base + (plan->start.next[0] - plan->base) % plan->stride_bytes;
        volatile uintptr_t *node =
            (volatile uintptr_t *)(first + state.number * plan->stride_bytes);
        state.fired = true;
        *node ^= (uintptr_t)1 << state.bit;
    }
}

/* Before and after every slice of work: as if the cell had never taken the 0, whoever else writes
 * there meanwhile. */
void inject_work(const struct window *w)
{
    if (state.kind == KIND_STUCK && state.number + sizeof(uint64_t) <= w->bytes)
        __atomic_fetch_or((uint64_t *)(w->base + (uintptr_t)(state.number & ~7ull)),
                          1ull << state.bit, __ATOMIC_SEQ_CST);
}

uint64_t inject_share_ns(uint64_t ns)
{
    return state.kind == KIND_SUMS || state.kind == KIND_PART_FAULT ? ns / 16 : ns;
}

/* Sets of the tests are powers of two; nobody stops there but at their end. */
bool inject_sums(uint64_t lines)
{
    return state.kind == KIND_SUMS && lines >= SUM_LINES && (lines & (lines - 1)) == 0;
}

/* Which word is where counts too. */
void inject_sum(const struct window *w, uint64_t lines)
{
    const uint64_t *word = (const uint64_t *)w->base;

    state.sum = 0;
    for (uint64_t i = 0; i < lines * 64 / sizeof *word; i++)
        state.sum = (state.sum << 1 | state.sum >> 63) + word[i];
}

void inject_sum_say(struct console *console, uint64_t lines, uint32_t workers)
{
    char line[80];

    text_print(line, sizeof line, "sum 0x%lx of %lu lines, %u CPUs\n", state.sum, lines, workers);
    console_print(console, line);
}

void inject_after(struct notes *notes)
{
    if (state.kind != KIND_CPU || state.chases != FIRE_AT_CHASE || state.fired)
        return;
    state.fired = true;
    notes_format(notes, SEVERITY_WARNING, "fault on purpose", "%s: %s", state.name,
                 state.survived ? "raised, caught and resumed"
                                : "this CPU does not know it, or it did not fault");
}

/* The firmware lets the CPU sleep while it waits, where it can. */
static void halt(const struct firmware *fw, struct console *console, const char *words)
{
    UINTN index;

    console_print(console, words);
    for (;;)
        fw->boot->WaitForEvent(1, &fw->system->ConIn->WaitForKey, &index);
}

uint64_t inject_fatal_wait_s(uint64_t asked_s)
{
    (void)asked_s;
    return 1;
}

void inject_halt(const struct firmware *fw, struct console *console)
{
    if (state.kind == KIND_HALT)
        halt(fw, console, "fault on purpose: halted before a prefetcher write\n");
}

void inject_hang(const struct firmware *fw, struct console *console)
{
    if (state.kind == KIND_HANG && ++state.shown == FIRE_AT_SHOWN)
        halt(fw, console, "fault on purpose: hung outside quiet sections\n");
}

unsigned inject_watchdog_s(unsigned s)
{
    bool soon = state.kind == KIND_HANG || state.kind == KIND_WATCHDOG ||
                state.kind == KIND_CPU_HANG || mp_stub_hangs();

    return soon ? SOON_S : s;
}

void inject_cpu_start(void)
{
    while (state.kind == KIND_CPU_HANG)
        continue;
}

void inject_load(void)
{
    if (state.kind == KIND_LOAD_FAULT)
        (void)arch_inject(ARCH_INJECT_PF);
}

void inject_part(void)
{
    if (state.kind == KIND_PART_FAULT)
        (void)arch_inject(ARCH_INJECT_PF);
}

struct mp_services *inject_services(const struct firmware *fw, struct mp_services *services)
{
    return mp_stub_services(fw, services);
}

bool inject_mark_fails(void)
{
    return state.kind == KIND_NO_MARK;
}

bool inject_dumps_cpus(void)
{
    return state.kind == KIND_CPUS;
}

bool inject_cpu_is_on(void)
{
    return state.kind == KIND_CPU_IS_ON;
}

bool inject_cpu_on_refused(uint32_t cpu)
{
    static unsigned starts;

    if (state.kind != KIND_CPU_REFUSED || state.on == 0)
        return state.kind == KIND_CPU_REFUSED;
    return cpu == state.on && ++starts > 1;
}

bool inject_abort(void)
{
    return state.kind == KIND_ABORT && state.chases >= FIRE_AT_CHASE;
}

/* points.csv is written once, last of all. */
static bool is_last(const CHAR16 *path)
{
    static const char last[] = ".csv";
    size_t length = 0;

    while (path[length] != 0)
        length++;
    for (size_t i = 0; i < sizeof last - 1; i++)
        if (length < sizeof last || path[length - sizeof last + 1 + i] != (CHAR16)last[i])
            return false;
    return true;
}

bool inject_write_fails(const CHAR16 *path)
{
    return state.kind == KIND_WRITE_FAIL || (state.kind == KIND_LAST_WRITE_FAIL && is_last(path));
}

bool inject_flush_fails(void)
{
    return state.kind == KIND_FLUSH_FAIL;
}

bool inject_tables_refused(void)
{
    return state.kind == KIND_NO_TABLES;
}

bool inject_alloc_fails(void)
{
    return state.kind == KIND_ALLOC_FAIL && ++state.allocations == state.number;
}
