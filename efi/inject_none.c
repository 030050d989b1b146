/* SPDX-License-Identifier: BSD-2-Clause */
/* The product has no deliberate faults, no key to select one, and no register dump. */
#include "efi/inject.h"

const struct option_extra *inject_option(void)
{
    return NULL;
}

void inject_start(void)
{
}

void inject_chase(const struct chase_plan *plan)
{
    (void)plan;
}

void inject_work(const struct window *w)
{
    (void)w;
}

void inject_after(struct notes *notes)
{
    (void)notes;
}

void inject_halt(const struct firmware *fw, struct console *console)
{
    (void)fw;
    (void)console;
}

uint64_t inject_fatal_wait_s(uint64_t asked_s)
{
    return asked_s;
}

void inject_hang(const struct firmware *fw, struct console *console)
{
    (void)fw;
    (void)console;
}

unsigned inject_watchdog_s(unsigned s)
{
    return s;
}

bool inject_abort(void)
{
    return false;
}

bool inject_flush_fails(void)
{
    return false;
}

uint64_t inject_share_ns(uint64_t ns)
{
    return ns;
}

bool inject_sums(uint64_t lines)
{
    (void)lines;
    return false;
}

void inject_sum(const struct window *w, uint64_t lines)
{
    (void)w;
    (void)lines;
}

void inject_sum_say(struct console *console, uint64_t lines, uint32_t workers)
{
    (void)console;
    (void)lines;
    (void)workers;
}

bool inject_write_fails(const CHAR16 *path)
{
    (void)path;
    return false;
}

bool inject_alloc_fails(void)
{
    return false;
}

bool inject_tables_refused(void)
{
    return false;
}

void inject_cpu_start(void)
{
}

void inject_load(void)
{
}

void inject_part(void)
{
}

struct mp_services *inject_services(const struct firmware *fw, struct mp_services *services)
{
    (void)fw;
    return services;
}

bool inject_cpu_is_on(void)
{
    return false;
}

bool inject_cpu_on_refused(uint32_t cpu)
{
    (void)cpu;
    return false;
}

bool inject_mark_fails(void)
{
    return false;
}

void dump_around(void (*body)(void *arg), void *arg)
{
    body(arg);
}

void dump_registers(const struct firmware *fw, struct console *console,
                    struct processors *processors, const char *when)
{
    (void)fw;
    (void)console;
    (void)processors;
    (void)when;
}
