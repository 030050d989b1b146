/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/pin.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "core/options/options.h"
#include "tests/host/sysfile.h"

#define SET_BYTES CPU_ALLOC_SIZE(OPTIONS_CPU_MAX + 1)

/* What the process was allowed before it was pinned. */
static bool allows[OPTIONS_CPU_MAX + 1];

/* Writes the CPUs of the set, such as 0-1,4; truncated to the capacity. */
static void set_write(const cpu_set_t *set, char *text, size_t capacity)
{
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t cpu = 0, first = 0; cpu <= OPTIONS_CPU_MAX && used + 16 < capacity; cpu++) {
        if (!CPU_ISSET_S(cpu, SET_BYTES, set))
            continue;
        first = cpu;
        while (cpu < OPTIONS_CPU_MAX && CPU_ISSET_S(cpu + 1, SET_BYTES, set))
            cpu++;
        used += (size_t)snprintf(text + used, capacity - used, first == cpu ? "%s%u" : "%s%u-%u",
                                 used == 0 ? "" : ",", first, cpu);
    }
}

static bool is_online(uint32_t cpu)
{
    char online[512];

    return !sysfile_line("/sys/devices/system/cpu/online", online, sizeof online) ||
           sysfile_list_holds(online, cpu);
}

bool pin_to_cpu(uint32_t wanted, uint32_t *cpu, char message[PIN_MESSAGE_BYTES])
{
    cpu_set_t *set = CPU_ALLOC(OPTIONS_CPU_MAX + 1);
    char allowed[128] = "";
    bool good;

    *cpu = wanted != 0 ? wanted - 1 : (uint32_t)sched_getcpu();
    if (set == NULL || sched_getaffinity(0, SET_BYTES, set) != 0) {
        snprintf(message, PIN_MESSAGE_BYTES, "CPUs cannot be asked for: %s", strerror(errno));
        CPU_FREE(set);
        return false;
    }
    for (uint32_t i = 0; i <= OPTIONS_CPU_MAX; i++)
        allows[i] = CPU_ISSET_S(i, SET_BYTES, set);
    set_write(set, allowed, sizeof allowed);
    good = CPU_ISSET_S(*cpu, SET_BYTES, set);
    CPU_ZERO_S(SET_BYTES, set);
    CPU_SET_S(*cpu, SET_BYTES, set);
    if (!good)
        snprintf(message, PIN_MESSAGE_BYTES, "cpu: CPU %u %s; allowed: %s", *cpu,
                 is_online(*cpu) ? "is not allowed to this process" : "is not there", allowed);
    else if (sched_setaffinity(0, SET_BYTES, set) != 0) {
        snprintf(message, PIN_MESSAGE_BYTES, "cpu: CPU %u refuses: %s; allowed: %s", *cpu,
                 strerror(errno), allowed);
        good = false;
    }
    CPU_FREE(set);
    return good;
}

bool pin_allowed(uint32_t cpu)
{
    return cpu <= OPTIONS_CPU_MAX && allows[cpu];
}

/* The set of that CPU alone, to be freed; NULL: it was not allowed. */
static cpu_set_t *set_of(uint32_t cpu)
{
    cpu_set_t *set;

    if (!pin_allowed(cpu))
        return NULL;
    set = CPU_ALLOC(OPTIONS_CPU_MAX + 1);
    if (set == NULL)
        return NULL;
    CPU_ZERO_S(SET_BYTES, set);
    CPU_SET_S(cpu, SET_BYTES, set);
    return set;
}

bool pin_move(uint32_t cpu)
{
    cpu_set_t *set = set_of(cpu);
    bool moved = set != NULL && sched_setaffinity(0, SET_BYTES, set) == 0;

    CPU_FREE(set);
    return moved;
}

bool pin_attributes(uint32_t cpu, pthread_attr_t *attributes)
{
    cpu_set_t *set = set_of(cpu);
    bool done = set != NULL && pthread_attr_setaffinity_np(attributes, SET_BYTES, set) == 0;

    CPU_FREE(set);
    return done;
}
