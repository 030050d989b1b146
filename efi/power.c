/* SPDX-License-Identifier: BSD-2-Clause */
#include "efi/power.h"

#include "core/lib/bits.h"
#include "efi/inject.h"

#define TURNING_ON_MS 100 /* until a CPU has begun that somebody else has turned on */

struct question {
    const struct power *power;
    const char *answer;
};

static void ask(void *arg)
{
    struct question *question = arg;

    question->answer = arch_power_prepare(question->power->acpi, question->power->tree);
}

static const char *memory_take(struct power *power, size_t count)
{
    power->memory = firmware_allocate(power->fw, (count + 1) * ARCH_POWER_BYTES);
    if (power->memory == NULL)
        return "there is no memory for its stack";
    power->room = bits_align((uintptr_t)power->memory, ARCH_POWER_BYTES);
    return NULL;
}

const char *power_prepare(struct power *power, const struct firmware *fw, size_t count)
{
    struct question question = {.power = power};
    EFI_TPL tpl;

    if (power->tried)
        return power->why;
    power->tried = true;
    power->fw = fw;
    tpl = fw->boot->RaiseTPL(TPL_HIGH_LEVEL);
    ask(&question);
    fw->boot->RestoreTPL(tpl);
    power->why = question.answer != NULL ? question.answer : memory_take(power, count);
    return power->why;
}

/* That of cpus[place]; the boot CPU needs none. */
static uintptr_t room_of(const struct power *power, size_t place)
{
    return power->room + (place - 1) * ARCH_POWER_BYTES;
}

const char *power_refusal(const struct power *power, const struct cpu_info *cpu)
{
    const char *why =
        power->acpi->madt_known ? NULL : devicetree_psci_refusal(power->tree, cpu->hardware_id);

    if (!cpu->enabled)
        return "the firmware has disabled it";
    if (why != NULL)
        return why;
    for (unsigned ms = 0; ms <= TURNING_ON_MS; ms++) {
        switch (inject_cpu_is_on() ? ARCH_POWER_ON : arch_power_state(cpu->hardware_id)) {
        case ARCH_POWER_OFF:
            return NULL;
        case ARCH_POWER_ON:
            return "it is on already, and the firmware has no MP services to run anything on it";
        case ARCH_POWER_UNKNOWN:
            return "the firmware does not tell whether it is off";
        case ARCH_POWER_TURNING_ON:
            firmware_wait_ms(power->fw, 1);
        }
    }
    return "somebody else is turning it on";
}

const char *power_on(const struct power *power, size_t place, const struct cpu_info *cpu,
                     void (*body)(void *arg), void *arg)
{
    if (arch_power_state(cpu->hardware_id) != ARCH_POWER_OFF)
        return "it is not off";
    if (inject_cpu_on_refused((uint32_t)place))
        return "refused on purpose";
    return arch_power_on(cpu->hardware_id, room_of(power, place), body, arg);
}

const char *power_wait_off(const struct power *power, size_t place, const struct cpu_info *cpu,
                           unsigned ms)
{
    uintptr_t room = room_of(power, place);
    const char *why;

    for (unsigned waited = 0; waited <= ms; waited++) {
        if (arch_power_ran(room) && arch_power_state(cpu->hardware_id) == ARCH_POWER_OFF)
            return NULL;
        firmware_wait_ms(power->fw, 1);
    }
    if (!arch_power_ran(room))
        return "it was turned on, and did not come back";
    why = arch_power_stays_on(room);
    return why != NULL ? why : "it did not turn itself off";
}

void power_stop(struct power *power, bool lost)
{
    if (!lost)
        firmware_free(power->fw, power->memory);
    power->memory = NULL;
    power->tried = false;
}
