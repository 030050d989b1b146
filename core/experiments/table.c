/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/table.h"

#include "core/experiments/awake.h"
#include "core/experiments/banks.h"
#include "core/experiments/cores.h"
#include "core/experiments/curve.h"
#include "core/experiments/dram.h"
#include "core/experiments/dram_conclude.h"
#include "core/experiments/footprint.h"
#include "core/experiments/frequency.h"
#include "core/experiments/handoff.h"
#include "core/experiments/loaded.h"
#include "core/experiments/nodes.h"
#include "core/experiments/parallel.h"
#include "core/experiments/pattern.h"
#include "core/experiments/prefetchers.h"
#include "core/experiments/random_sequential.h"
#include "core/experiments/regions.h"
#include "core/experiments/single.h"
#include "core/experiments/threads.h"
#include "core/experiments/throughput.h"
#include "core/experiments/tlb.h"
#include "core/experiments/verify.h"

const struct experiment experiment_table[] = {
    {"curve", curve_plan, curve_extend, curve_conclude},
    {"dram", dram_plan, dram_extend, dram_conclude},
    {"pattern", pattern_plan, NULL, pattern_conclude},
    {"parallel", parallel_plan, NULL, parallel_conclude},
    {"throughput", throughput_plan, NULL, throughput_conclude},
    {"random-sequential", random_sequential_plan, NULL, random_sequential_conclude},
    {"tlb", tlb_plan, NULL, tlb_conclude},
    {"footprint", footprint_experiment_plan, NULL, footprint_experiment_conclude},
    {"prefetchers", prefetchers_plan, NULL, prefetchers_conclude},
    {"frequency", frequency_plan, NULL, frequency_conclude},
    {"cores", cores_plan, cores_extend, cores_conclude},
    {"handoff", handoff_plan_points, NULL, NULL},
    {"threads", threads_plan, threads_extend, threads_conclude},
    {"loaded", loaded_plan, loaded_extend, loaded_conclude},
    {"awake", awake_plan, awake_extend, awake_conclude},
    {"nodes", nodes_plan, nodes_extend, nodes_conclude},
    {"banks", banks_plan, NULL, NULL},
    {"single", single_plan_points, NULL, NULL},
    {"regions", regions_plan, NULL, NULL},
    {"verify", verify_plan, NULL, NULL},
};
