/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/ledger.h"

#include <math.h>

void sim_ledger_add(struct sim_ledger *sum, const struct sim_ledger *part, double sign)
{
    sum->accesses += sign * part->accesses;
    sum->walks += sign * part->walks;
    sum->writes += sign * part->writes;
    for (size_t i = 0; i < SIM_SERVERS; i++) {
        sum->served[i] += sign * part->served[i];
        sum->served_ns[i] += sign * part->served_ns[i];
    }
    for (size_t i = 0; i < SIM_CAUSES; i++)
        sum->cause_ns[i] += sign * part->cause_ns[i];
}

double sim_ledger_ns(const struct sim_ledger *ledger)
{
    double ns = 0;

    for (size_t i = 0; i < SIM_CAUSES; i++)
        ns += ledger->cause_ns[i];
    return ns;
}

double sim_ledger_hop_ns(const struct sim_ledger *ledger)
{
    double ns = sim_ledger_ns(ledger) - ledger->cause_ns[SIM_BY_NOISE] -
                ledger->cause_ns[SIM_BY_DRAW] - ledger->cause_ns[SIM_BY_TIMER];

    return ledger->accesses > 0 ? ns / ledger->accesses : (double)NAN;
}

double sim_ledger_memory_ns(const struct sim_ledger *ledger)
{
    double count = ledger->served[SIM_SERVED_MEMORY];

    return count > 0 ? ledger->served_ns[SIM_SERVED_MEMORY] / count : (double)NAN;
}
