/* SPDX-License-Identifier: BSD-2-Clause */
#include "efi/mp_stub.h"

#include "arch/arch.h"
#include "core/lib/text.h"

#define MILLION      1000000
#define HZ_WAIT_MS   20
#define PATIENCE_MS  15000 /* for late ones, before they are counted */
#define GOES_BACK_MS 50    /* between the end of what a CPU does and its own end */

enum fault {
    NONE,
    MISSING,
    COUNT_ERROR,
    COUNT_MILLION,
    INFO_ERROR,
    TWICE,
    DISABLED,
    SICK,
    ERROR,
    ERROR_RAN,
    NOBODY,
    LATE,
    OTHER,
    STAYS,
    HANG,
    NO_BESIDE,
    ALL_REFUSED,
    ALL_ERROR,
    ALL_NOBODY,
    ALL_LATE,
    ALL_STAYS,
    ALL_HANG,
    ALL_WITHOUT,
    NO_EVENT,
    LATE_EVENT
};

static const char *const words_of[] = {
    [NONE] = "none",
    [MISSING] = "missing",
    [COUNT_ERROR] = "count-error",
    [COUNT_MILLION] = "count-million",
    [INFO_ERROR] = "info-error",
    [TWICE] = "twice",
    [DISABLED] = "disabled",
    [SICK] = "sick",
    [ERROR] = "error",
    [ERROR_RAN] = "error-ran",
    [NOBODY] = "nobody",
    [LATE] = "late",
    [OTHER] = "other",
    [STAYS] = "stays",
    [HANG] = "hang",
    [NO_BESIDE] = "no-beside",
    [ALL_REFUSED] = "all-refused",
    [ALL_ERROR] = "all-error",
    [ALL_NOBODY] = "all-nobody",
    [ALL_LATE] = "all-late",
    [ALL_STAYS] = "all-stays",
    [ALL_HANG] = "all-hang",
    [ALL_WITHOUT] = "all-without",
    [NO_EVENT] = "no-event",
    [LATE_EVENT] = "late-event",
};

/* What a CPU is to do instead of what it was started for. Never on a stack: it may come late. */
struct relay {
    mp_procedure procedure;
    VOID *argument;
    uint64_t begun, wait_ticks;
    bool late;
};

static struct {
    const struct firmware *fw;
    struct mp_services *real, own;
    enum fault fault;
    uint64_t cpu, number, id; /* whose fault it is, as the firmware numbers and as hardware does */
    uint64_t hz;
    struct relay relay;
    EFI_EVENT said, timer, theirs; /* by the firmware to us, our own, the caller's */
    bool staying;
    /* counted */
    uint32_t starts, starts_of_all, turns;
    uint32_t pending; /* that may still run, as far as the caller can know */
    uint32_t overlaps, time_outs, late_came, late_ran, bodies, refused_signals;
} stub;

bool mp_stub_choose(const char *words, size_t bytes, uint64_t cpu)
{
    size_t colon = 0;

    while (colon < bytes && words[colon] != ':')
        colon++;
    stub.number = 1;
    stub.cpu = cpu != 0 ? cpu : 1;
    if (colon < bytes && !text_read_u64(words + colon + 1, bytes - colon - 1, &stub.number))
        return false;
    for (size_t i = 1; i < sizeof words_of / sizeof words_of[0]; i++)
        if (text_is(words, colon, words_of[i])) {
            stub.fault = (enum fault)i;
            return true;
        }
    return false;
}

bool mp_stub_hangs(void)
{
    return stub.fault == HANG || stub.fault == ALL_HANG;
}

/* ---- on another CPU */

static bool is_there(void)
{
    struct same_words own;

    arch_same_read(&own);
    return own.hardware_id == stub.id;
}

void mp_stub_body(void)
{
    (void)__atomic_add_fetch(&stub.bodies, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&stub.staying, __ATOMIC_RELAXED) && is_there())
        continue;
}

static VOID EFIAPI relay_procedure(VOID *argument)
{
    const struct relay *relay = argument;
    uint32_t bodies;

    if (stub.fault == ALL_WITHOUT && is_there())
        return;
    while (arch_ticks() - relay->begun < relay->wait_ticks)
        continue;
    bodies = __atomic_load_n(&stub.bodies, __ATOMIC_RELAXED);
    relay->procedure(relay->argument);
    if (!relay->late)
        return;
    if (bodies != __atomic_load_n(&stub.bodies, __ATOMIC_RELAXED))
        (void)__atomic_add_fetch(&stub.late_ran, 1, __ATOMIC_RELAXED);
    (void)__atomic_add_fetch(&stub.late_came, 1, __ATOMIC_RELAXED);
    (void)__atomic_sub_fetch(&stub.pending, 1, __ATOMIC_RELAXED);
}

static struct relay *relay(mp_procedure procedure, VOID *argument, bool late, uint64_t ms)
{
    stub.relay = (struct relay){.procedure = procedure,
                                .argument = argument,
                                .begun = arch_ticks(),
                                .wait_ticks = stub.hz / 1000 * ms,
                                .late = late};
    return &stub.relay;
}

/* ---- what the firmware lists */

static EFI_STATUS EFIAPI processors_count(struct mp_services *services, UINTN *count,
                                          UINTN *enabled)
{
    EFI_STATUS status = stub.real->processors_count(stub.real, count, enabled);

    (void)services;
    if (stub.fault == COUNT_ERROR)
        return EFI_DEVICE_ERROR;
    if (stub.fault == COUNT_MILLION)
        *count = *enabled = MILLION;
    return status;
}

static EFI_STATUS EFIAPI processor_info(struct mp_services *services, UINTN number,
                                        struct mp_processor *info)
{
    bool here = number == stub.cpu;
    EFI_STATUS status;

    (void)services;
    if (here && stub.fault == INFO_ERROR)
        return EFI_DEVICE_ERROR;
    status = stub.real->processor_info(stub.real, number - (here && stub.fault == TWICE), info);
    if (here && stub.fault == DISABLED)
        info->flags &= ~MP_ENABLED;
    if (here && stub.fault == SICK)
        info->flags &= ~MP_HEALTHY;
    return status;
}

/* ---- starts */

/* Whether this start is the one that goes wrong. */
static bool ask(UINTN microseconds, bool there)
{
    for (uint32_t ms = 0; __atomic_load_n(&stub.pending, __ATOMIC_RELAXED) != 0; ms++) {
        if (ms == GOES_BACK_MS) {
            stub.overlaps++;
            break;
        }
        firmware_wait_ms(stub.fw, 1);
    }
    stub.time_outs += microseconds != 0;
    stub.turns += there;
    if (stub.fault == LATE || stub.fault == ALL_LATE || stub.fault == LATE_EVENT)
        return there && stub.turns == 1;
    return there && stub.turns >= stub.number;
}

static void hang(void)
{
    static CHAR16 words[] = L"fault on purpose: hung in a start\r\n";

    stub.fw->system->ConOut->OutputString(stub.fw->system->ConOut, words);
    for (;;)
        firmware_wait_ms(stub.fw, 1);
}

/* One CPU, without waiting for it. */
static EFI_STATUS start_beside(UINTN number, mp_procedure procedure, VOID *argument, uint64_t ms,
                               EFI_STATUS answer)
{
    EFI_STATUS status;

    stub.pending++;
    status = stub.real->startup_this(stub.real, relay_procedure, number, stub.said, 0,
                                     relay(procedure, argument, true, ms), NULL);
    return EFI_ERROR(status) ? EFI_ABORTED : answer;
}

static EFI_STATUS EFIAPI startup_this(struct mp_services *services, mp_procedure procedure,
                                      UINTN number, EFI_EVENT event, UINTN microseconds,
                                      VOID *argument, BOOLEAN *finished)
{
    bool now = ask(microseconds, number == stub.cpu && stub.fault < ALL_REFUSED);

    (void)services;
    stub.starts++;
    switch (now ? stub.fault : NONE) {
    case HANG:
        hang();
        break;
    case ERROR:
        return EFI_NOT_READY;
    case ERROR_RAN:
        return start_beside(number, procedure, argument, 5, EFI_DEVICE_ERROR);
    case NOBODY:
        stub.pending++;
        return EFI_SUCCESS;
    case LATE:
        return start_beside(number, procedure, argument, stub.number, EFI_SUCCESS);
    case STAYS:
        stub.staying = true;
        return start_beside(number, procedure, argument, 0, EFI_SUCCESS);
    case OTHER:
        number++;
        break;
    default:
        break;
    }
    return stub.real->startup_this(stub.real, procedure, number, event, microseconds, argument,
                                   finished);
}

static VOID EFIAPI signal_theirs(EFI_EVENT event, VOID *context)
{
    (void)event;
    (void)context;
    stub.refused_signals += EFI_ERROR(stub.fw->boot->SignalEvent(stub.theirs));
    stub.pending--;
}

static EFI_STATUS start_all_beside(mp_procedure procedure, VOID *argument, uint64_t ms,
                                   EFI_STATUS answer)
{
    UINTN all, enabled = 0;
    EFI_STATUS status = stub.real->processors_count(stub.real, &all, &enabled);

    stub.pending += (uint32_t)enabled - 1;
    status = stub.real->startup_all(stub.real, relay_procedure, FALSE, stub.said, 0,
                                    relay(procedure, argument, true, ms), NULL);
    return EFI_ERROR(status) ? EFI_ABORTED : answer;
}

/* The firmware tells us, and we do not tell the caller, or later. */
static EFI_STATUS start_unsaid(mp_procedure procedure, VOID *argument, EFI_EVENT event)
{
    EFI_STATUS status;

    stub.pending++;
    stub.theirs = event;
    status = stub.real->startup_all(stub.real, relay_procedure, FALSE, stub.said, 0,
                                    relay(procedure, argument, false, 0), NULL);
    if (stub.fault == LATE_EVENT)
        (void)stub.fw->boot->SetTimer(stub.timer, TimerRelative, stub.number * 10000);
    return status;
}

static EFI_STATUS EFIAPI startup_all(struct mp_services *services, mp_procedure procedure,
                                     BOOLEAN one_by_one, EFI_EVENT event, UINTN microseconds,
                                     VOID *argument, UINTN **failed)
{
    bool now = ask(microseconds, stub.fault > ALL_REFUSED);

    (void)services;
    stub.starts_of_all++;
    if (stub.fault == ALL_REFUSED || (stub.fault == NO_BESIDE && event != NULL))
        return EFI_UNSUPPORTED;
    switch (now ? stub.fault : NONE) {
    case ALL_HANG:
        hang();
        break;
    case ALL_ERROR:
        return start_all_beside(procedure, argument, 5, EFI_DEVICE_ERROR);
    case ALL_NOBODY:
        stub.pending++;
        if (event != NULL)
            (void)stub.fw->boot->SignalEvent(event);
        return EFI_SUCCESS;
    case ALL_LATE:
        return start_all_beside(procedure, argument, stub.number, EFI_SUCCESS);
    case ALL_STAYS:
        stub.staying = true;
        return start_all_beside(procedure, argument, 0, EFI_SUCCESS);
    case NO_EVENT:
    case LATE_EVENT:
        if (event != NULL)
            return start_unsaid(procedure, argument, event);
        break;
    case ALL_WITHOUT:
        return stub.real->startup_all(stub.real, relay_procedure, one_by_one, event, microseconds,
                                      relay(procedure, argument, false, 0), failed);
    default:
        break;
    }
    return stub.real->startup_all(stub.real, procedure, one_by_one, event, microseconds, argument,
                                  failed);
}

/* ---- */

struct mp_services *mp_stub_services(const struct firmware *fw, struct mp_services *real)
{
    struct mp_processor info;
    uint64_t begun;

    if (stub.fault == NONE || real == NULL)
        return real;
    if (stub.fault == MISSING)
        return NULL;
    stub.fw = fw;
    stub.real = real;
    stub.own = (struct mp_services){.processors_count = processors_count,
                                    .processor_info = processor_info,
                                    .startup_all = startup_all,
                                    .startup_this = startup_this};
    begun = arch_ticks();
    firmware_wait_ms(fw, HZ_WAIT_MS);
    stub.hz = (arch_ticks() - begun) * (1000 / HZ_WAIT_MS);
    if (!EFI_ERROR(real->processor_info(real, stub.cpu, &info)))
        stub.id = info.id;
    if (EFI_ERROR(fw->boot->CreateEvent(0, 0, NULL, NULL, &stub.said)) ||
        EFI_ERROR(fw->boot->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL, TPL_CALLBACK, signal_theirs,
                                        NULL, &stub.timer)))
        return NULL;
    return &stub.own;
}

void mp_stub_report(struct console *console)
{
    bool waits = stub.fault == LATE || stub.fault == ALL_LATE || stub.fault == LATE_EVENT;
    char line[200];

    if (stub.fault == NONE || stub.fw == NULL)
        return;
    for (unsigned ms = 0; waits && ms < PATIENCE_MS; ms++) {
        if (__atomic_load_n(&stub.pending, __ATOMIC_RELAXED) == 0)
            break;
        firmware_wait_ms(stub.fw, 1);
    }
    text_print(line, sizeof line,
               "MP stub: %u starts, %u of all; %u while one might run, %u with a time-out; "
               "late: %u came, %u ran; %u signals refused\n",
               stub.starts, stub.starts_of_all, stub.overlaps, stub.time_outs, stub.late_came,
               stub.late_ran, stub.refused_signals);
    console_print(console, line);
}
