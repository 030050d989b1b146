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
    {"curve", curve_plan, curve_extend, curve_conclude, false},
    {"dram", dram_plan, dram_extend, dram_conclude, true},
    {"pattern", pattern_plan, NULL, pattern_conclude, false},
    {"parallel", parallel_plan, NULL, parallel_conclude, false},
    {"throughput", throughput_plan, NULL, throughput_conclude, false},
    {"random-sequential", random_sequential_plan, NULL, random_sequential_conclude, false},
    {"tlb", tlb_plan, NULL, tlb_conclude, false},
    {"footprint", footprint_experiment_plan, NULL, footprint_experiment_conclude, false},
    {"prefetchers", prefetchers_plan, NULL, prefetchers_conclude, false},
    {"frequency", frequency_plan, NULL, frequency_conclude, false},
    {"cores", cores_plan, cores_extend, cores_conclude, false},
    {"handoff", handoff_plan_points, NULL, NULL, false},
    {"threads", threads_plan, threads_extend, threads_conclude, false},
    {"loaded", loaded_plan, loaded_extend, loaded_conclude, false},
    {"awake", awake_plan, awake_extend, awake_conclude, false},
    {"nodes", nodes_plan, nodes_extend, nodes_conclude, false},
    {"banks", banks_plan, NULL, NULL, false},
    {"single", single_plan_points, NULL, NULL, false},
    {"regions", regions_plan, NULL, NULL, false},
    {"verify", verify_plan, NULL, NULL, false},
};
