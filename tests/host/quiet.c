/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/quiet.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "arch/arch.h"
#include "tests/host/process.h"

#define EXIT_BY_SIGNAL 128
#define COUNT(array)   (sizeof(array) / sizeof((array)[0]))

/* State shared with the handlers. */
static struct {
    volatile sig_atomic_t stop;
    volatile sig_atomic_t entered; /* controls are as plan says */
    struct arch_quiet_plan plan;
} quiet;

/* The body that a thread runs; a jump out of the handler of its own fault ends it. */
static _Thread_local struct {
    volatile sig_atomic_t running;
    sigjmp_buf out;
    int signal;
    uint64_t address, instruction;
} guarded;

static void on_fault(int number, siginfo_t *info, void *context)
{
    if (!guarded.running) {
        process_controls_leave();
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    guarded.signal = number;
    guarded.address = (uintptr_t)info->si_addr;
    guarded.instruction = process_instruction(context);
    siglongjmp(guarded.out, 1);
}

static void on_stop(int number)
{
    if (quiet.stop) {
        process_controls_leave();
        _exit(EXIT_BY_SIGNAL + number);
    }
    quiet.stop = 1;
}

/* Restores the controls, then ends the process by the same signal. */
static void on_kill(int number)
{
    process_controls_leave();
    signal(number, SIG_DFL);
    raise(number);
}

/* While stopped, the process leaves the CPU to others with its controls restored. */
static void on_pause(int number)
{
    int kept = errno;

    (void)number;
    process_controls_leave();
    raise(SIGSTOP);
    if (quiet.entered)
        process_controls_enter(&quiet.plan);
    errno = kept;
}

static void catch (const int *numbers, size_t count, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct sigaction found;

    for (size_t i = 0; i < count; i++) {
        /* nohup(1): SIGHUP stays ignored if it was on entry. */
        if (numbers[i] == SIGHUP && sigaction(SIGHUP, NULL, &found) == 0 &&
            found.sa_handler == SIG_IGN)
            continue;
        sigaction(numbers[i], &action, NULL);
    }
}

void quiet_prepare(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
    static const int kills[] = {SIGQUIT, SIGABRT, SIGALRM, SIGXCPU, SIGUSR1, SIGUSR2};
    static const int pauses[] = {SIGTSTP, SIGTTIN, SIGTTOU};
    static const int failures[] = {SIGXFSZ}; /* the write that failed says so */
    struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

    for (size_t i = 0; i < COUNT(faults); i++)
        sigaction(faults[i], &fault, NULL);
    catch (stops, COUNT(stops), on_stop);
    catch (kills, COUNT(kills), on_kill);
    catch (pauses, COUNT(pauses), on_pause);
    catch (failures, COUNT(failures), SIG_IGN);
}

void quiet_stop(void)
{
    quiet.stop = 1;
}

bool quiet_stop_asked(void)
{
    return quiet.stop != 0;
}

uint64_t quiet_disturbances(void)
{
    struct rusage usage;

    if (getrusage(RUSAGE_THREAD, &usage) != 0)
        return 0;
    return (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw + usage.ru_minflt + usage.ru_majflt);
}

static struct {
    uint64_t every, pos, count;
} look;

void quiet_look_every(uint64_t every)
{
    look.every = every;
}

void quiet_look_now(void)
{
    look.count = quiet_disturbances();
    look.pos = arch_ticks();
}

uint64_t quiet_disturbances_seen(void)
{
    if (arch_ticks() - look.pos >= look.every)
        quiet_look_now();
    return look.count;
}

static const char *signal_text(int number)
{
    switch (number) {
    case SIGBUS:
        return "SIGBUS no memory behind the address";
    case SIGILL:
        return "SIGILL undefined instruction";
    case SIGFPE:
        return "SIGFPE arithmetic fault";
    default:
        return "SIGSEGV no access to the address";
    }
}

/* Separate from quiet_guard, so that none of its variables lives across the jump. */
static bool body_ran(void (*body)(void *arg), void *arg)
{
    if (sigsetjmp(guarded.out, 1) != 0)
        return false;
    guarded.running = 1;
    body(arg);
    return true;
}

bool quiet_guard(void (*body)(void *arg), void *arg, struct fault_info *fault,
                 char text[QUIET_FAULT_BYTES])
{
    bool ran = body_ran(body, arg);

    guarded.running = 0;
    if (ran)
        return true;
    *fault = (struct fault_info){.kind = (uint64_t)guarded.signal,
                                 .address = guarded.address,
                                 .instruction = guarded.instruction,
                                 .text = signal_text(guarded.signal)};
    snprintf(text, QUIET_FAULT_BYTES, "%s 0x%llx, instruction 0x%llx", fault->text,
             (unsigned long long)guarded.address, (unsigned long long)guarded.instruction);
    return false;
}

enum status arch_quiet_run(const struct arch_quiet_plan *plan, struct arch_quiet_result *result)
{
    uint64_t begin = arch_ticks();
    bool ran;

    *result = (struct arch_quiet_result){
        .delta = {.nmi = 0, .smi = MACHINE_UNKNOWN, .machine_checks = MACHINE_UNKNOWN}};
    if (guarded.running)
        return STATUS_REFUSED;
    quiet.plan = *plan;
    quiet.entered = 1;
    process_controls_enter(plan);
    ran = quiet_guard(plan->body, plan->arg, &result->fault, result->fault_text);
    quiet.entered = 0;
    process_controls_leave();
    result->ticks = arch_ticks() - begin;
    return ran ? STATUS_OK : STATUS_FAULT;
}
