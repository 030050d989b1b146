/* SPDX-License-Identifier: BSD-2-Clause */
/* Deliberate faults. The test build links inject.c, which knows the key that selects them; the
 * product links inject_none.c, whose functions do nothing. */
#ifndef EFI_INJECT_H
#define EFI_INJECT_H

#include <stdbool.h>

#include "core/machine.h"
#include "core/options/options.h"
#include "core/results/notes.h"
#include "efi/console.h"

struct processors;
struct mp_services;

/* The test build's extra key; NULL in the product. */
const struct option_extra *inject_option(void);
/* Resets all counters at the start of a run. */
void inject_start(void);
/* Inside the quiet section, with the window mapped, before the chase. */
void inject_chase(const struct chase_plan *plan);
/* Inside the quiet section, with the window mapped, before and after a slice of work. */
void inject_work(const struct window *w);
/* How long work has to be for one CPU to be shared out: where that is what is tested less than ns.
 */
uint64_t inject_share_ns(uint64_t ns);
/* Whether what work on all CPUs has left in the first `lines` of a window is to be summed up and
 * shown, as all of it seems to be done: sum in the quiet section, say behind it. workers: by so
 * many CPUs at once, 0: by one. */
bool inject_sums(uint64_t lines);
void inject_sum(const struct window *w, uint64_t lines);
void inject_sum_say(struct console *console, uint64_t lines, uint32_t workers);
/* After that quiet section: adds a note if a fault fired and the run went on. */
void inject_after(struct notes *notes);
/* After the mark was set, before a risky prefetcher write: hangs where firmware would. */
void inject_halt(const struct firmware *fw, struct console *console);
/* How long a machine that cannot go on waits: as asked, but in the test build a second. */
uint64_t inject_fatal_wait_s(uint64_t asked_s);
/* On another CPU, at its start on trial: hangs there. */
void inject_cpu_start(void);
bool inject_abort(void);
/* Outside every quiet section, whenever progress is shown: hangs there. */
void inject_hang(const struct firmware *fw, struct console *console);
/* After how many seconds the firmware's watchdog is to reset; without such a fault s. */
unsigned inject_watchdog_s(unsigned s);
/* Whether the write to this path (a file or directory) should fail. */
bool inject_write_fails(const CHAR16 *path);
/* Every flush fails, though all was written. */
bool inject_flush_fails(void);
bool inject_alloc_fails(void);
/* Whether our own page tables are to be refused, from the start. */
bool inject_tables_refused(void);

/* No mark can be laid anywhere. */
bool inject_mark_fails(void);
/* On a CPU that loads memory beside a chase, before it does: faults there. */
void inject_load(void);
/* On another CPU that works on memory, before it does: faults there. */
void inject_part(void);
/* The firmware's MP services (NULL: it has none), or what stands in for them, with faults. */
struct mp_services *inject_services(const struct firmware *fw, struct mp_services *services);
/* Other CPUs seem to be on already. */
bool inject_cpu_is_on(void);
/* The firmware refuses to turn that CPU on: always or, where the fault names it, but for its first
 * time. */
bool inject_cpu_on_refused(uint32_t cpu);
/* Whether registers of other CPUs are to be dumped too. */
bool inject_dumps_cpus(void);

/* body(arg), on another CPU. Test build: with registers of that CPU before and after it, all in one
 * start, because some CPUs and emulators lose what was written when the firmware starts them anew.
 * Those that differ are kept, and dump_registers tells of them. */
void dump_around(void (*body)(void *arg), void *arg);

/* Test build only: prints every register that a run could have changed, as lines "dump before
 * NAME=0x...", on the console; those of other CPUs are called CPU1:NAME. */
void dump_registers(const struct firmware *fw, struct console *console,
                    struct processors *processors, const char *when);

#endif
