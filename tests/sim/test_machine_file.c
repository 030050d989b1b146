/* SPDX-License-Identifier: BSD-2-Clause */
/* Machine files: what is written is what is built, and what cannot exist is refused with its line,
 * its key and the reason. */
#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/sim/generator.h"
#include "tests/sim/machine_file.h"

#define MACHINE "machine name=m\n"
#define CLOCK   "clock core=4G counter=3G\n"
#define L1      "cache name=L1 bytes=32K ways=8 latency=4c\n"
#define L2      "cache name=L2 bytes=256K ways=8 latency=14c\n"
#define TLB1    "tlb 4k=64/4 2m=32\n"
#define TLB2    "tlb 4k=1536/12 penalty=7c\n"
#define WALK    "walk kind=constant cost=30c\n"
#define MEMORY  "memory base=80ns\n"
#define END     "end\n"
#define CPUS_4  "cpu\ncpu\ncpu\ncpu\n"
#define CPUS_16 CPUS_4 CPUS_4 CPUS_4 CPUS_4

static const char all_keys[] =
    "# a comment\n\nmachine name=all.keys-1 seed=77 pages=4k,1g declares=no draw=2.5ns "
    "build=9ns read=11ns entry=1us # more\r\n"
    "clock core=3.8G turbo=4.2G turbo-seconds=2 turbo-control=locked counter=19.2M step=26\n" L1
    "\tcache  name=X bytes=1M ways=16 line=64 latency=5ns policy=random holds=exclusive "
    "declared=4M\n"
    "cache name=S bytes=3M ways=12 latency=9ns memory-side=yes policy=random-any declared=no "
    "smbios=5M slices=16\n"
    "tlb 4k=64/4 2m=32 policy=tree-plru\ntlb 4k=1536/12 1g=16 penalty=7c shared=3000 shared-by=2m\n"
    "walk kind=loads cost=5c first-cache=2 entries-2m=32 entries-1g=4 entries-512g=2 "
    "coalesce=8 nested=2m nested-entries-2m=16 nested-entries-1g=8 nested-entries-512g=1\n"
    "core window=320 loads=3 non-temporal=all timer=25c flush=90ns "
    "asleep-adds=11ns sibling-adds=6.5ns kind=performance\n"
    "coherence kind=directory clean=owner answer=9c swap=30c slices=0ns,2.5ns,1ns\n"
    "cpu id=8 thread-of=0\n"
    "cpu id=40 node=1 core=2.4G far=12ns kind=efficiency present=no fails=yes\n"
    "cpu thread-of=2 node=1 core=2.4G far=12ns kind=efficiency\ncpu\n"
    "memory bytes=2G low=1G base=50ns tcl=14ns trcd=15ns trp=16ns trefi=7.8us trfc=350ns twtr=8ns "
    "trefi-off=-250ppm refresh-banks=4 phases=0ns,1us,2us,3us,4us,5us,6us,7.5us distance=0ns,2.5ns "
    "flex=1G channels=2 "
    "ranks=4 banks=16 row=8K rows=open bandwidth=20G misses=12\n"
    "node number=3 bytes=1G kind=specific-purpose\n"
    "way from=1 to=3 adds=70ns distance=21 latency=150ns bandwidth=12G\nway from=0 to=0\n"
    "mapping channel=6^18 rank=16,17^20 bank=12^22,13^21,14,15 row-from=20 modulus-from=8 "
    "offset=512M\n"
    "hole from=4G bytes=1G\nmodule channel=1 tcl=20ns trcd=21ns\nmodule rank=2 trp=22ns\n"
    "dimm slot=A1 bank=B0 channel=A maker=Acme part=X-1 bytes=1G type=DDR5 ecc=multi-bit ranks=2 "
    "rated=5600 speed=4800 width=64 total-width=80 millivolts=1100\n"
    "dimm slot=A2\n"
    "slow from=0x140000000 bytes=48M adds=4ns\n"
    "slow mask=17^20,16 parity=2 channel=1 rank=3 adds=1.5ns\n"
    "prefetch kind=pointer control=pretending degree=3 into=2 region=2K after=1 within=2M "
    "accuracy=50% "
    "lead=20ns\n"
    "noise jitter=2% spike-every=200 spike-factor=3 smi-rate=10 smi-us=150 smi-counted=no\n"
    "fault address=0x140000010 bit=3 kind=flipping rate=5\nend";

static void assert_slots(const struct sim_config *c)
{
    const struct sim_dimm_config *dimm = c->dimm;
    assert_int_equal(c->dimm_count, 2);
    assert_string_equal(dimm->slot, "A1");
    assert_string_equal(dimm->bank, "B0");
    assert_string_equal(dimm->channel, "A");
    assert_string_equal(dimm->maker, "Acme");
    assert_string_equal(dimm->part, "X-1");
    assert_true(dimm->bytes == 1 << 30 && dimm->type == SIM_DDR5);
    assert_true(dimm->ecc == SIM_ECC_MULTI_BIT && dimm->ranks == 2 && dimm->rated_mts == 5600);
    assert_true(dimm->mts == 4800 && dimm->data_bits == 64 && dimm->total_bits == 80);
    assert_true(dimm->millivolts == 1100);
    assert_true(dimm[1].bytes == 0 && dimm[1].type == SIM_DDR4 && dimm[1].part[0] == '\0');
}

static void assert_cpu(const struct sim_config *config, uint32_t cpu, const struct sim_cpu *wanted)
{
    struct sim_cpu is = sim_config_cpu(config, cpu);

    assert_true(is.id == wanted->id && is.node == wanted->node && is.core == wanted->core);
    assert_true(is.core_hz == wanted->core_hz && is.far_ns == wanted->far_ns);
    assert_true(is.kind == wanted->kind && is.present == wanted->present);
    assert_true(is.fails == wanted->fails);
}

static void assert_cpus(const struct sim_config *c)
{
    const struct sim_cpu cpu[] = {
        {0, 0, 0, 0, 0, SIM_CPU_PERFORMANCE, true, false},
        {8, 0, 0, 0, 0, SIM_CPU_PERFORMANCE, true, false},
        {40, 1, 1, 2.4e9, 12, SIM_CPU_EFFICIENCY, false, true},
        {3, 1, 1, 2.4e9, 12, SIM_CPU_EFFICIENCY, true, false},
        {4, 0, 2, 0, 0, SIM_CPU_UNTOLD, true, false},
    };

    assert_true(c->memory.node_count == 1 && c->memory.node[0].number == 3);
    assert_true(c->memory.node[0].bytes == 1 << 30 && c->memory.node[0].is_specific);
    assert_true(c->memory.way_count == 2 && c->memory.way[0].from == 1 && c->memory.way[0].to == 3);
    assert_true(c->memory.way[0].adds_ns == 70 && c->memory.way[0].distance == 21);
    assert_true(c->memory.way[0].latency_ns == 150 && c->memory.way[0].bytes_per_s == 12e9);
    assert_true(c->memory.way[1].adds_ns < 0 && c->memory.way[1].distance == 0);
    assert_int_equal(c->cpu_count, 4);
    assert_int_equal(sim_config_cores(c), 3);
    assert_int_equal(sim_config_private(c), 1);
    for (uint32_t i = 0; i < 5; i++)
        assert_cpu(c, i, &cpu[i]);
}

static void every_key_reaches_its_place(void **state)
{
    struct sim_config c;
    struct sim_file_error error;

    (void)state;
    if (!sim_machine_parse(&c, all_keys, strlen(all_keys), "all", &error))
        fail_msg("%s", error.text);
    assert_string_equal(c.name, "all.keys-1");
    assert_true(c.seed == 77 && c.page_sizes == (1u << 12 | 1u << 30) && !c.declares);
    assert_true(c.draw.value == 2.5 && !c.draw.cycles && c.build_ns == 9 && c.read_ns == 11);
    assert_true(c.entry_ns == 1000 && c.core_hz == 3.8e9 && c.turbo_hz == 4.2e9);
    assert_true(c.turbo_control == SIM_TURBO_LOCKED);
    assert_true(c.turbo_s == 2 && c.counter_hz == 19.2e6 && c.counter_step == 26);
    assert_true(c.cache_count == 3 && c.cache[0].bytes == 32768 && c.cache[0].ways == 8);
    assert_true(c.cache[0].line_bytes == 64 && c.cache[0].latency.cycles);
    assert_true(c.cache[0].policy == SIM_LRU && c.cache[0].inclusion == SIM_NEITHER);
    assert_true(c.cache[1].policy == SIM_RANDOM && c.cache[1].inclusion == SIM_EXCLUSIVE);
    assert_true(c.cache[1].latency.value == 5 && !c.cache[1].latency.cycles);
    assert_true(c.cache[2].memory_side && !c.cache[1].memory_side);
    assert_true(c.cache[2].policy == SIM_RANDOM_ANY && c.cache[0].declared_bytes == 0);
    assert_true(c.cache[1].declared_bytes == 4 << 20 && c.cache[2].slices == 16);
    assert_true(c.cache[2].declared_bytes == SIM_UNDECLARED);
    assert_true(c.cache[2].smbios_bytes == 5 << 20 && c.cache[1].smbios_bytes == 0);
    assert_true(c.tlb_count == 2 && c.tlb[0].entries[0] == 64 && c.tlb[0].ways[0] == 4);
    assert_true(c.tlb[0].entries[1] == 32 && c.tlb[0].ways[1] == 32 && c.tlb[0].entries[2] == 0);
    assert_true(c.tlb[0].policy == SIM_TREE_PLRU && c.tlb[1].penalty.value == 7);
    assert_true(c.tlb[1].shared_entries == 3000 && c.tlb[1].shared_ways == 3000);
    assert_true(c.tlb[1].shared_by == 1u << 21 && c.tlb[0].shared_entries == 0);
    assert_true(c.tlb[1].entries[2] == 16 && c.walk.loads && c.walk.first_cache == 2);
    assert_true(c.walk.entries[0] == 32 && c.walk.entries[1] == 4 && c.walk.entries[2] == 2);
    assert_true(c.walk.coalesce == 8 && c.walk.cost.value == 5);
    assert_true(c.walk.nested == SIM_NESTED_2M && c.walk.nested_entries[0] == 16);
    assert_true(c.walk.nested_entries[1] == 8 && c.walk.nested_entries[2] == 1);
    assert_true(c.core.window == 320 && c.core.loads == 3 && c.core.nt_fills_all);
    assert_true(c.core.timer.value == 25 && c.core.timer.cycles && c.core.flush.value == 90);
    assert_true(c.core.asleep_ns == 11 && c.core.sibling_ns == 6.5);
    assert_true(c.coherence.directory && c.coherence.clean_from_owner);
    assert_true(c.coherence.answer.value == 9 && c.coherence.swap.value == 30);
    assert_true(c.coherence.slices.count == 3 && c.coherence.slices.ns[1] == 2.5);
    assert_cpus(&c);
    assert_true(c.memory.twtr_ns == 8 && c.prefetch[0].within_bytes == 2 << 20);
    assert_true(c.memory.bytes == 2ull << 30 && c.memory.base_ns == 50 && c.memory.tcl_ns == 14);
    assert_true(c.memory.trcd_ns == 15 && c.memory.trp_ns == 16 && c.memory.trefi_ns == 7800);
    assert_true(c.memory.trfc_ns == 350 && c.memory.channels == 2 && c.memory.ranks == 4);
    assert_true(c.memory.banks == 16 && c.memory.row_bytes == 8192 && c.memory.open_pages);
    assert_true(c.memory.bytes_per_s == 20e9 && c.memory.misses_max == 12);
    assert_true(c.mapping.channel.count == 1 && c.mapping.channel.mask[0] == (1 << 6 | 1 << 18));
    assert_true(c.mapping.rank.count == 2 && c.mapping.rank.mask[1] == (1 << 17 | 1 << 20));
    assert_true(c.mapping.bank.count == 4 && c.mapping.bank.mask[3] == 1 << 15);
    assert_true(c.mapping.row_bit == 20 && c.mapping.offset_bytes == 512 << 20);
    assert_true(c.mapping.from_bit == 8 && c.mapping.modulus == 0);
    assert_true(c.memory.trefi_ppm == -250 && c.memory.refresh_banks == 4);
    assert_true(c.memory.phases.count == 8 && c.memory.phases.ns[7] == 7500);
    assert_true(c.memory.distance.count == 2 && c.memory.distance.ns[1] == 2.5);
    assert_true(c.memory.flex_bytes == 1 << 30 && c.memory.module_count == 2);
    assert_true(c.memory.module[0].channel == 1 && c.memory.module[0].rank == SIM_ANY);
    assert_true(c.memory.module[0].tcl_ns == 20 && c.memory.module[0].trcd_ns == 21);
    assert_true(c.memory.module[0].trp_ns < 0 && c.memory.module[1].trp_ns == 22);
    assert_slots(&c);
    assert_true(c.memory.module[1].channel == SIM_ANY && c.memory.module[1].rank == 2);
    assert_true(c.memory.low_bytes == 1 << 30 && c.memory.hole_count == 1);
    assert_true(c.memory.hole[0].from == 4ull << 30 && c.memory.hole[0].bytes == 1 << 30);
    assert_true(c.memory.slow_count == 2 && c.memory.slow[0].part.from == 5ull << 30);
    assert_true(c.memory.slow[0].part.bytes == 48 << 20 && c.memory.slow[0].adds_ns == 4);
    assert_true(c.memory.slow[0].part.channel == SIM_ANY && c.memory.slow[0].part.rank == SIM_ANY);
    assert_true(c.memory.slow[1].part.bytes == 0 && c.memory.slow[1].part.parity == 2);
    assert_true(c.memory.slow[1].part.mask.count == 2 && c.memory.slow[1].part.rank == 3);
    assert_true(c.memory.slow[1].part.mask.mask[0] == (1 << 17 | 1 << 20));
    assert_true(c.memory.slow[1].part.channel == 1 && c.memory.slow[1].adds_ns == 1.5);
    assert_true(c.prefetch_count == 1 && c.prefetch[0].kind == SIM_POINTER);
    assert_true(c.prefetch[0].control == SIM_PRETENDING && c.prefetch[0].degree == 3);
    assert_true(c.prefetch[0].into == 2 && c.prefetch[0].region_bytes == 2048 &&
                c.prefetch[0].after == 1);
    assert_true(c.prefetch[0].accuracy == 0.5 && c.prefetch[0].lead.value == 20);
    assert_true(c.noise.jitter == 0.02 && c.noise.spike_every == 200 && c.noise.spike_factor == 3);
    assert_true(c.noise.smi_hz == 10 && c.noise.smi_us == 150 && !c.noise.smi_counted);
    assert_true(c.fault_count == 1 && c.fault[0].physical == 0x140000010 && c.fault[0].bit == 3);
    assert_true(c.fault[0].kind == SIM_FLIPPING && c.fault[0].rate_hz == 5);
}

static const struct refusal {
    const char *text, *said;
} refusals[] = {
    {"", "m line 1: cut short: there is no line 'end'; allowed: files that end with it"},
    {MACHINE CLOCK L1 MEMORY,
     "m line 5: cut short: there is no line 'end'; allowed: files that end with it"},
    {MACHINE CLOCK L1 MEMORY "en",
     "m line 5: 'en' is no section; allowed: machine, clock, cache, tlb, walk, core, "
     "coherence, cpu, memory, node, way, mapping, hole, module, dimm, slow, prefetch, noise, "
     "counters, fault, "
     "end"},
    {MACHINE CLOCK L1 MEMORY END "x", "m line 6: 'x' follows 'end'; allowed: comments"},
    {MACHINE CLOCK L1 MEMORY "end now",
     "m line 5: end: 'now': it takes no keys; allowed: end alone"},
    {CLOCK L1 MEMORY END,
     "m: machine: missing; allowed: a line each of machine, clock, cache, memory, and of "
     "walk beside tlb"},
    {MACHINE L1 MEMORY END,
     "m: clock: missing; allowed: a line each of machine, clock, cache, memory, and of "
     "walk beside tlb"},
    {MACHINE CLOCK MEMORY END,
     "m: cache: missing; allowed: a line each of machine, clock, cache, memory, and of "
     "walk beside tlb"},
    {MACHINE CLOCK L1 END,
     "m: memory: missing; allowed: a line each of machine, clock, cache, memory, and of "
     "walk beside tlb"},
    {MACHINE CLOCK L1 TLB1 MEMORY END,
     "m: walk: missing; allowed: a line each of machine, clock, cache, memory, and of "
     "walk beside tlb"},
    {MACHINE MACHINE, "m line 2: machine: one more than can be; allowed: at most 1 of them"},
    {TLB1 TLB1 TLB1 TLB1 TLB1, "m line 5: tlb: one more than can be; allowed: at most 4 of them"},
    {"cpus count=4\n", "m line 1: 'cpus' is no section; allowed: machine, clock"},
    {"core kind=slow\n",
     "m line 1: core kind: 'slow' is not one of untold, performance, efficiency"},
    {"cpu cores=2\n", "m line 1: cpu: 'cores' is no key; allowed: id, node, thread-of, core, far, "
                      "kind, present, fails"},
    {"cpu core=2.4GHz\n", "m line 1: cpu core: '2.4GHz' is not a number, plain or with k, M, G or "
                          "T, from 100M to 20G"},
    {"cpu far=12\n", "m line 1: cpu far: '12' is not a time like 90ns or 7.8us, with its unit, "
                     "from 0ns to 1000000ns"},
    {"cpu far=12c\n", "m line 1: cpu far: '12c' is not a time"},
    {"cpu node=4\n", "m line 1: cpu node: '4' is not a whole number, from 0 to 3"},
    {"node number=0 bytes=64M\n", "m line 1: node number: '0' is not a whole number, from 1 to 3"},
    {MACHINE CLOCK L1 MEMORY "node number=1 bytes=1G\n" END,
     "m line 5: node bytes: '1G': leaves node 0 no memory, or none in whole pages; allowed: "
     "multiples of 2M, together less than memory's bytes"},
    {MACHINE CLOCK L1 MEMORY "node number=1 bytes=64M\nnode number=1 bytes=64M\n" END,
     "m line 6: node number: '1': is an earlier node's; allowed: one of its own"},
    {MACHINE CLOCK L1 "memory base=80ns far=64M\nnode number=2 bytes=64M\n" END,
     "m line 5: node number: '2': memory has far= too; allowed: node or far=, not both"},
    {"way from=0 to=4\n", "m line 1: way to: '4' is not a whole number, from 0 to 3"},
    {MACHINE CLOCK L1 MEMORY "way from=0 to=1\nway from=0 to=1 distance=20\n" END,
     "m line 6: way to: '1': is an earlier way's; allowed: one way from each node to each"},
    {"cpu id=16777217\n", "m line 1: cpu id: '16777217' is not a whole number, from 0 to 16777216"},
    {"cpu thread-of=63\n", "m line 1: cpu thread-of: '63' is not a whole number, from 0 to 62"},
    {"coherence kind=snoop\n", "m line 1: coherence kind: 'snoop' is not one of none, directory"},
    {"coherence kind=none clean=last\n",
     "m line 1: coherence clean: 'last' is not one of home, owner"},
    {"coherence kind=none slices=4\n",
     "m line 1: coherence slices: '4' is not up to 64 times like 0ns,1.5ns, each with its unit"},
    {"cpu kind=big\n", "m line 1: cpu kind: 'big' is not one of untold, performance, efficiency"},
    {"cpu fails=maybe\n", "m line 1: cpu fails: 'maybe' is not yes or no"},
    {"cpu present=0\n", "m line 1: cpu present: '0' is not yes or no"},
    {CPUS_16 CPUS_16 CPUS_16 CPUS_16,
     "m line 64: cpu: one more than can be; allowed: at most 63 of them"},
    {MACHINE CLOCK L1 MEMORY "coherence kind=directory\ncpu\n" END,
     "m line 5: coherence kind: 'directory': there is no cache that cores share; allowed: none, or "
     "directory with two caches and more that are not memory-side"},
    {MACHINE CLOCK L1 "cache name=S bytes=1M ways=8 latency=40ns memory-side=yes\n" MEMORY
                      "coherence kind=directory\ncpu\n" END,
     "m line 6: coherence kind: 'directory': there is no cache that cores share"},
    {MACHINE CLOCK L1 MEMORY "cpu\ncpu thread-of=2\n" END,
     "m line 6: cpu thread-of: '2': is no earlier CPU with a core of its own; allowed: 0, or the "
     "number of a CPU before this one that is no thread itself"},
    {MACHINE CLOCK L1 MEMORY "cpu thread-of=0\ncpu thread-of=1\n" END,
     "m line 6: cpu thread-of: '1': is no earlier CPU with a core of its own"},
    {MACHINE CLOCK L1 MEMORY "cpu node=1\ncpu thread-of=1 node=0\n" END,
     "m line 6: cpu node: '0': differs from that of its core; allowed: 1"},
    {MACHINE CLOCK L1 MEMORY "cpu\ncpu thread-of=0 core=2G\n" END,
     "m line 6: cpu core: '2G': differs from that of its core; allowed: what CPU 0 has, or none "
     "given"},
    {MACHINE CLOCK L1 MEMORY "cpu far=3ns\ncpu thread-of=1 far=0ns\n" END,
     "m line 6: cpu far: '0ns': differs from that of its core; allowed: 3ns"},
    {MACHINE CLOCK L1 MEMORY "cpu kind=efficiency\ncpu thread-of=1 kind=performance\n" END,
     "m line 6: cpu kind: 'performance': differs from that of its core; allowed: what CPU 1 has, "
     "or none given"},
    {MACHINE CLOCK L1 MEMORY "cpu id=4\ncpu id=4\n" END,
     "m line 6: cpu id: '4': is an earlier CPU's; allowed: one of its own; without id= it is 2"},
    {MACHINE CLOCK L1 MEMORY "cpu id=0\n" END, "m line 5: cpu id: '0': is an earlier CPU's"},
    {MACHINE CLOCK L1 MEMORY "cpu id=2\ncpu\n" END, "m line 6: cpu id: is an earlier CPU's"},
    {MACHINE CLOCK L1 "cache name=L2 bytes=1M ways=16 latency=2ns\n" MEMORY "cpu core=1G\n" END,
     "m line 4: cache latency: '2ns': is not longer than that of the cache before; allowed: more "
     "than that of L1, 4c at 1 GHz"},
    {"machine name=m speed=3\n",
     "m line 1: machine: 'speed' is no key; allowed: name, seed, pages, declares, draw, "
     "build, read, entry"},
    {"machine name\n",
     "m line 1: machine: 'name' is not key=value; allowed: name, seed, pages, declares, "
     "draw, build, read, entry"},
    {"machine seed=1\n",
     "m line 1: machine name: missing; allowed: 1 to 31 letters, digits, dots, dashes and "
     "underscores"},
    {"machine name=m name=n\n",
     "m line 1: machine name: 'n' is given a second time; allowed: each key once"},
    {"machine name=\n", "m line 1: machine name: '' is not 1 to 31 letters"},
    {"machine name=m pages=4k,4k\n", "m line 1: machine pages: '4k,4k' is not a list"},
    {"machine name=m pages=4k,\n", "m line 1: machine pages: '4k,' is not a list"},
    {"machine name=m declares=maybe\n", "m line 1: machine declares: 'maybe' is not yes or no"},
    {"clock core=4G counter=0\n",
     "m line 1: clock counter: '0' is not a number, plain or with k, M, G or T, from 1M "
     "to 10G"},
    {"clock core=0 counter=3G\n",
     "m line 1: clock core: '0' is not a number, plain or with k, M, G or T, from 100M to "
     "20G"},
    {"clock core=4x counter=3G\n", "m line 1: clock core: '4x' is not a number"},
    {"clock core=-4G counter=3G\n", "m line 1: clock core: '-4G' is not a number"},
    {"clock core=nan counter=3G\n", "m line 1: clock core: 'nan' is not a number"},
    {"clock core=4G counter=3G step=0\n", "m line 1: clock step: '0' is not a whole number"},
    {"cache name=a bytes=0 ways=8 latency=4c\n", "m line 1: cache bytes: '0' is not a size"},
    {"clock core=4G counter=1G turbo-control=off\n", "m line 1: clock turbo-control: 'off' is not"},
    {"core window=8\n", "m line 1: core window: '8' is not a whole number, from 16 to 1024"},
    {"core loads=9\n", "m line 1: core loads: '9' is not"},
    {"core non-temporal=none\n", "m line 1: core non-temporal: 'none' is not one of first, all"},
    {"core timer=20\n", "m line 1: core timer: '20' is not core cycles"},
    {"core asleep-adds=12c\n",
     "m line 1: core asleep-adds: '12c' is not a time like 90ns or 7.8us"},
    {"core window=64\ncore window=64\n",
     "m line 2: core: one more than can be; allowed: at most 1 of them"},
    {"memory base=80ns twtr=4c\n", "m line 1: memory twtr: '4c' is not"},
    {"prefetch kind=stream control=on within=2K\n", "m line 1: prefetch within: '2K' is not"},
    {MACHINE CLOCK L1 MEMORY "prefetch kind=stream control=on within=12K\n" END,
     "m line 5: prefetch within: '12K': is not a power of two; allowed: a power of two "
     "from 4K to 1G"},
    {"cache name=a bytes=32K ways=0 latency=4c\n", "m line 1: cache ways: '0' is not"},
    {"cache name=a bytes=32K ways=8 latency=0c\n", "m line 1: cache latency: '0c' is not core"},
    {"cache name=a bytes=32K ways=8 latency=4\n", "m line 1: cache latency: '4' is not core"},
    {"cache name=a bytes=32K ways=8 latency=4c policy=mru\n",
     "m line 1: cache policy: 'mru' is not one of lru, tree-plru, random, random-any, qlru"},
    {"cache name=a bytes=1.2.3K ways=8 latency=4c\n", "m line 1: cache bytes: '1.2.3K' is not"},
    {MACHINE CLOCK "cache name=a bytes=32K ways=7 latency=4c\n" MEMORY END,
     "m line 3: cache ways: '7': do not divide the cache's lines; allowed: a number of "
     "ways that divides 512 lines"},
    {MACHINE CLOCK "cache name=a bytes=33000 ways=8 latency=4c\n" MEMORY END,
     "m line 3: cache bytes: '33000': is no whole number of lines; allowed: multiples of "
     "64"},
    {MACHINE CLOCK "cache name=a bytes=48K ways=12 latency=4c policy=tree-plru\n" MEMORY END,
     "m line 3: cache policy: 'tree-plru': tree-plru needs a power of two of ways; "
     "allowed: with 12 ways lru, random, random-any or qlru"},
    {MACHINE CLOCK "cache name=a bytes=32K ways=8 line=48 latency=4c\n" MEMORY END,
     "m line 3: cache line: '48': is not a power of two; allowed: 16, 32, 64, 128, 256"},
    {MACHINE CLOCK L1 "cache name=b bytes=1M ways=8 line=32 latency=14c\n" MEMORY END,
     "m line 4: cache line: '32': is shorter than that of the cache before; allowed: a "
     "power of two from 64 on"},
    {MACHINE CLOCK "cache name=a bytes=32K ways=8 line=32 latency=4c\n"
                   "cache name=b bytes=1M ways=8 line=256 latency=14c\n" MEMORY END,
     "m line 4: cache line: '256': is more than 4 of the first cache's; allowed: a power "
     "of two up to 128"},
    {MACHINE CLOCK L1
     "cache name=b bytes=1M ways=8 line=128 latency=14c holds=exclusive\n" MEMORY END,
     "m line 4: cache line: '128': differs from that of the victims it takes; allowed: 64"},
    {MACHINE CLOCK L2 L1 MEMORY END,
     "m line 4: cache bytes: '32K': is not more than the cache before it has; allowed: "
     "more than the 256K of L2, or holds=exclusive"},
    {MACHINE CLOCK L1 "cache name=b bytes=1M ways=8 latency=4c\n" MEMORY END,
     "m line 4: cache latency: '4c': is not longer than that of the cache before; "
     "allowed: more than that of L1, 4c at 4 GHz"},
    {MACHINE CLOCK L1 "cache name=b bytes=1M ways=8 latency=0.9ns\n" MEMORY END,
     "m line 4: cache latency: '0.9ns': is not longer than that of the cache before; "
     "allowed: more than that of L1, 4c at 4 GHz"},
    {MACHINE "clock core=2G turbo=4G counter=1G\n"
             "cache name=a bytes=32K ways=8 latency=1.5ns\n"
             "cache name=b bytes=1M ways=8 latency=4c\n" MEMORY END,
     "m line 4: cache latency: '4c': is not longer than that of the cache before; "
     "allowed: more than that of a, 1.5ns at 4 GHz"},
    {MACHINE "clock core=4G turbo=3.9G counter=1G\n" L1 MEMORY END,
     "m line 2: clock turbo: '3.9G': is below core; allowed: 4G and more"},
    {MACHINE CLOCK L1 "cache name=L1 bytes=1M ways=8 latency=14c\n" MEMORY END,
     "m line 4: cache name: 'L1': is that of a cache before; allowed: a name that no "
     "other cache has"},
    {"cache name=a bytes=32K ways=8 latency=4c declared=yes\n",
     "m line 1: cache declared: 'yes' is not no, or a size, plain or with K, M, G or T, "
     "from 1K to 1T"},
    {"cache name=a bytes=32K ways=8 latency=4c declared=0\n",
     "m line 1: cache declared: '0' is not no, or a size"},
    {"walk kind=constant cost=0\n",
     "m line 1: walk cost: '0' is not core cycles or a time, with its unit, like 4c or 3.5ns, "
     "from 0 to 1000000 of either unit"},
    {"tlb 4k=64 penalty=0\n", "m line 1: tlb penalty: '0' is not core cycles or a time, with its "
                              "unit, like 4c or 3.5ns"},
    {"memory base=80ns trfc=0\n", "m line 1: memory trfc: '0' is not a time like 90ns or 7.8us, "
                                  "with its unit, from 0ns to 100000ns"},
    {"noise jitter=0\n",
     "m line 1: noise jitter: '0' is not a share like 2%, with its unit, from 0% to 50%"},
    {"cache name=a bytes=0 ways=8 latency=4c\n",
     "m line 1: cache bytes: '0' is not a size, plain or with K, M, G or T, from 1K to 1T"},
    {"clock core=50M counter=3G\n",
     "m line 1: clock core: '50M' is not a number, plain or with k, M, G or T, from 100M "
     "to 20G"},
    {MACHINE CLOCK "cache name=a bytes=32K ways=8 latency=4c holds=exclusive\n" MEMORY END,
     "m line 3: cache holds: 'exclusive': the first cache has none before it; allowed: "
     "neither"},
    {MACHINE CLOCK "cache name=a bytes=32K ways=8 latency=4c memory-side=yes\n" L2 MEMORY END,
     "m line 3: cache memory-side: 'yes': only the last cache can be that; allowed: no, "
     "or yes for the last cache"},
    {MACHINE CLOCK L1 L2 "memory base=3ns\n" END,
     "m line 5: memory base: '3ns': with tcl is not longer than the last cache's latency; "
     "allowed: together more than the 14c at 4 GHz of L2"},
    {MACHINE CLOCK L1 MEMORY TLB1 "tlb 4k=1000/12 penalty=7c\n" WALK END,
     "m line 6: tlb 4k: '1000/12': the ways do not divide the entries; allowed: a number "
     "of ways that divides 1000"},
    {MACHINE CLOCK L1 MEMORY "tlb 4k=64 penalty=3c\n" WALK END,
     "m line 5: tlb penalty: '3c': the first level's time is part of every load; allowed: "
     "0c, or none given"},
    {MACHINE CLOCK L1 MEMORY TLB1 "tlb 4k=1536/12\n" WALK END,
     "m line 6: tlb penalty: '0ns': is not longer than the level's before; allowed: more "
     "than 0ns at 4 GHz"},
    {MACHINE CLOCK L1 MEMORY TLB1 "tlb 4k=1000/100\n",
     "m line 6: tlb 4k: '1000/100' is not entries/ways, or entries alone when any page may be in "
     "any of them; at most 64 ways, or all"},
    {MACHINE CLOCK L1 MEMORY "tlb 4k=128 policy=tree-plru\n" WALK END,
     "m line 5: tlb policy: 'tree-plru': knows at most 64 ways; allowed: with 128 ways "
     "lru, random, random-any"},
    {MACHINE CLOCK L1 MEMORY "tlb 4k=100 policy=qlru\n" WALK END,
     "m line 5: tlb policy: 'qlru': knows at most 64 ways; allowed: with 100 ways lru, "
     "random, random-any"},
    {MACHINE CLOCK L1 MEMORY "tlb shared=100/8\n" WALK END,
     "m line 5: tlb shared: '100/8': the ways do not divide the entries; allowed: a "
     "number of ways that divides 100"},
    {MACHINE CLOCK L1 MEMORY "tlb shared=64/8 shared-by=4m\n",
     "m line 5: tlb shared-by: '4m' is not a list of 4k, 2m and 1g"},
    {MACHINE CLOCK L1 MEMORY "tlb shared-by=4k\n" WALK END,
     "m line 5: tlb 4k: there are no entries for pages of any size; allowed: 4k=, "
     "2m=, 1g= or shared= with entries"},
    {MACHINE CLOCK "cache name=a bytes=32K ways=8 latency=4c slices=0\n",
     "m line 3: cache slices: '0' is not a whole number, from 1 to 64"},
    {MACHINE CLOCK "cache name=a bytes=32K ways=8 latency=4c slices=3\n" MEMORY END,
     "m line 3: cache slices: '3': do not divide the cache's sets; allowed: a number of "
     "slices that divides 64 sets"},
    {MACHINE CLOCK L1 MEMORY TLB1 TLB2 "walk kind=constant cost=7c\n" END,
     "m line 7: walk cost: '7c': is not longer than the last level's penalty; allowed: "
     "more than 7c at 4 GHz"},
    {MACHINE CLOCK L1 MEMORY TLB1 "walk kind=loads first-cache=2\n" END,
     "m line 6: walk first-cache: '2': there are not so many caches; allowed: 1 to 1"},
    {MACHINE CLOCK L1 MEMORY TLB1 "walk kind=constant cost=30c nested=4k\n" END,
     "m line 6: walk nested: '4k': needs kind=loads; allowed: no with kind=constant"},
    {MACHINE CLOCK L1 MEMORY TLB1 "walk kind=loads nested=8k\n",
     "m line 6: walk nested: '8k' is not one of no, 4k, 2m, 1g"},
    {MACHINE CLOCK L1 MEMORY TLB1 "walk kind=loads nested=2m\n"
                                  "prefetch kind=next-page control=on\n" END,
     "m line 7: prefetch kind: 'next-page': next-page knows nothing of a host's tables; "
     "allowed: any other kind, or nested=no"},
    {MACHINE CLOCK L1 MEMORY TLB1 "walk kind=constant coalesce=3\n" END,
     "m line 6: walk coalesce: '3': is not a power of two; allowed: 1, 2, 4, 8, 16"},
    {MACHINE CLOCK L1 "memory base=80ns channels=0\n" END,
     "m line 4: memory channels: '0' is not a whole number, from 1 to 64"},
    {MACHINE CLOCK L1 "memory base=80ns bytes=17T\n",
     "m line 4: memory bytes: '17T' is not a size, plain or with K, M, G or T, from 2M to 16T"},
    {MACHINE CLOCK L1 "cache name=S bytes=256G ways=1 latency=9ns memory-side=yes\n" MEMORY END,
     "m line 4: cache ways: '1': make more than 2^31 sets; allowed: 2 and more"},
    {MACHINE CLOCK L1 "memory base=80ns trfc=300ns\n" END,
     "m line 4: memory trfc: '300ns': means nothing without trefi; allowed: 0ns, or a "
     "time with trefi="},
    {MACHINE CLOCK L1 "memory base=80ns trefi=300ns trfc=300ns\n" END,
     "m line 4: memory trfc: '300ns': is not shorter than trefi; allowed: less than 300ns"},
    {MACHINE CLOCK L1 "memory base=80ns bytes=3M\n" END,
     "m line 4: memory bytes: '3M': is not a multiple of 2M; allowed: multiples of 2M"},
    {MACHINE CLOCK L1 "memory base=80ns trefi-off=500\n",
     "m line 4: memory trefi-off: '500' is not a share like -500ppm, with its unit, from -10000ppm "
     "to 10000ppm"},
    {MACHINE CLOCK L1 "memory base=80ns trefi-off=--5ppm\n",
     "m line 4: memory trefi-off: '--5ppm' is not"},
    {MACHINE CLOCK L1 "memory base=80ns phases=0ns,,1ns\n",
     "m line 4: memory phases: '0ns,,1ns' is not up to 64 times like 0ns,1.5ns, each with its "
     "unit, from 0ns to 1000000ns"},
    {MACHINE CLOCK L1 "memory base=80ns distance=0ns,4c\n",
     "m line 4: memory distance: '0ns,4c' is not up to 64 times"},
    {MACHINE CLOCK L1 "memory base=80ns banks=16 refresh-banks=3\n" END,
     "m line 4: memory refresh-banks: '3': does not divide the banks; allowed: a divisor of 16"},
    {MACHINE CLOCK L1 "memory base=80ns banks=16 trefi=3.2us trfc=200ns refresh-banks=1\n" END,
     "m line 4: memory trfc: '200ns': outlasts the next refresh of its rank; allowed: less than "
     "200ns with this refresh-banks"},
    {MACHINE CLOCK L1 "memory base=80ns ranks=2 trefi=3us phases=0ns\n" END,
     "m line 4: memory phases: '0ns': is not one for each rank of each channel; allowed: 2 times"},
    {MACHINE CLOCK L1 "memory base=80ns ranks=2 trefi=3us phases=0ns,3us\n" END,
     "m line 4: memory phases: '0ns,3000ns': has one that is not shorter than trefi; allowed: each "
     "less than 3000ns"},
    {MACHINE CLOCK L1 "memory base=80ns channels=4 distance=0ns,1ns\n" END,
     "m line 4: memory distance: '0ns,1ns': is not one for each channel; allowed: 4 times"},
    {MACHINE CLOCK L1 "memory base=80ns channels=2 flex=1G\n" END,
     "m line 4: memory flex: '1G': is not some of the memory, in steps of 2M; allowed: multiples "
     "of 2M, less than bytes"},
    {MACHINE CLOCK L1 "memory base=80ns flex=512M\n" END,
     "m line 4: memory flex: '512M': there is one channel; allowed: channels=2 and more"},
    {MACHINE CLOCK L1 "memory base=80ns channels=3 flex=512M\n"
                      "mapping modulus=3 modulus-from=8 row-from=13\n" END,
     "m line 4: memory flex: '512M': cannot be with a modulus; allowed: mapping without it"},
    {MACHINE CLOCK L1 "memory base=80ns low=1G\n" END,
     "m line 4: memory low: '1G': is not some of the memory; allowed: multiples of 2M, less than "
     "bytes"},
    {MACHINE CLOCK L1 MEMORY "hole from=3G bytes=2M\n",
     "m line 5: hole from: '3G' is not an address like 0x100001000, from 0x100000000 to"},
    {MACHINE CLOCK L1 MEMORY "hole from=5G bytes=2M\n" END,
     "m line 5: hole from: '0x140000000': is not in the memory behind the holes before; allowed: "
     "multiples of 2M from 0x100000000 to 0x13fe00000"},
    {MACHINE CLOCK L1 MEMORY "hole from=0x110000000 bytes=4M\nhole from=0x110200000 bytes=2M\n" END,
     "m line 6: hole from: '0x110200000': is not in the memory behind the holes before; allowed: "
     "multiples of 2M from 0x110400000 to 0x140200000"},
    {MACHINE CLOCK L1 MEMORY "hole from=0x110000000 bytes=3M\n" END,
     "m line 5: hole bytes: '3M': are not whole pages; allowed: multiples of 2M"},
    {MACHINE CLOCK L1 "memory base=80ns low=512M channels=2\n"
                      "mapping channel=6 row-from=14 offset=4G\n" END,
     "m line 5: mapping offset: '4G': would put memory on top of low memory; allowed: at most the "
     "3584M below 4G that are none"},
    {MACHINE CLOCK L1 MEMORY "hole from=0x110000000 bytes=4M\n"
                             "slow from=0x110200000 bytes=4K adds=3ns\n" END,
     "m line 6: slow from: '0x110200000': is no page of the memory; allowed: multiples of 4K from "
     "0x100000000 to 0x1403ff000"},
    {MACHINE CLOCK L1 MEMORY "module tcl=20ns\n" END,
     "m line 5: module channel: nothing says which module; allowed: channel= or "
     "rank=, or both"},
    {MACHINE CLOCK L1 MEMORY "module channel=1 tcl=20ns\n" END,
     "m line 5: module channel: '1': there are not so many; allowed: 0 to 0"},
    {MACHINE CLOCK L1 MEMORY "module rank=0\n" END,
     "m line 5: module tcl: it is as every other module; allowed: tcl=, trcd= or trp="},
    {MACHINE CLOCK L1 L2 "memory base=3ns tcl=2ns\nmodule rank=0 tcl=0.5ns\n" END,
     "m line 6: module tcl: '0.5ns': with base is not longer than the last cache's latency; "
     "allowed: more than 0.5ns"},
    {MACHINE CLOCK L1 MEMORY "dimm bytes=1G\n", "m line 5: dimm slot: missing; allowed: 1 to 31 "
                                                "letters, digits, dots, dashes and underscores"},
    {MACHINE CLOCK L1 MEMORY "dimm slot=A type=DDR6\n",
     "m line 5: dimm type: 'DDR6' is not one of DDR3, DDR4, DDR5, LPDDR4, LPDDR5"},
    {MACHINE CLOCK L1 MEMORY "dimm slot=A size=1G\n",
     "m line 5: dimm: 'size' is no key; allowed: slot, bank, channel, maker, part, bytes, type, "
     "ecc, "
     "ranks, rated, speed, width, total-width, millivolts"},
    {MACHINE CLOCK L1 MEMORY "dimm slot=A\ndimm slot=B\ndimm slot=A\n" END,
     "m line 7: dimm slot: 'A': is an earlier one's; allowed: a name of its own"},
    {MACHINE CLOCK L1 MEMORY "dimm slot=A width=64 total-width=40\n" END,
     "m line 5: dimm total-width: '40': is less than width; allowed: 64 and more"},
    {MACHINE CLOCK L1 MEMORY "slow mask=7\n", "m line 5: slow adds: missing; allowed: a time"},
    {MACHINE CLOCK L1 MEMORY "slow mask=7 adds=0ns\n",
     "m line 5: slow adds: '0ns' is not a time like 90ns or 7.8us, with its unit, from 0.01ns to "
     "1000000ns"},
    {MACHINE CLOCK L1 MEMORY "slow adds=3ns\n" END,
     "m line 5: slow from: '0x0': nothing says which memory; allowed: from= and bytes=, mask=, "
     "channel= or rank="},
    {MACHINE CLOCK L1 MEMORY "slow from=0x110000000 adds=3ns\n" END,
     "m line 5: slow from: '0x110000000': needs bytes; allowed: bytes=4K and more"},
    {MACHINE CLOCK L1 MEMORY "slow mask=7 adds=1ns\nslow from=0x140000000 bytes=4K adds=3ns\n" END,
     "m line 6: slow from: '0x140000000': is no page of the memory; allowed: multiples of 4K from "
     "0x100000000 to 0x13ffff000"},
    {MACHINE CLOCK L1 MEMORY "slow from=0x130000800 bytes=4K adds=3ns\n" END,
     "m line 5: slow from: '0x130000800': is no page of the memory"},
    {MACHINE CLOCK L1 MEMORY "slow from=0x130000000 bytes=257M adds=3ns\n" END,
     "m line 5: slow bytes: '257M': are not pages of the memory from there on; allowed: multiples "
     "of 4K up to 262144K"},
    {MACHINE CLOCK L1 MEMORY "slow channel=0 parity=0 adds=3ns\n" END,
     "m line 5: slow parity: '0': means nothing without mask; allowed: mask=, or none"},
    {MACHINE CLOCK L1 MEMORY "slow mask=7,8 parity=4 adds=3ns\n" END,
     "m line 5: slow parity: '4': is that of more functions than mask has; allowed: 0 to 3"},
    {MACHINE CLOCK L1 "memory base=80ns channels=2\nslow channel=2 adds=3ns\n" END,
     "m line 5: slow channel: '2': there are not so many; allowed: 0 to 1"},
    {MACHINE CLOCK L1 "memory base=80ns ranks=2\nslow rank=2 adds=3ns\n" END,
     "m line 5: slow rank: '2': there are not so many; allowed: 0 to 1"},
    {MACHINE CLOCK L1 MEMORY "mapping bank=7^\n",
     "m line 5: mapping bank: '7^' is not up to 8 functions like 7^14,15^19: address bits from 6 "
     "to "
     "44, each at most once in a function"},
    {MACHINE CLOCK L1 MEMORY "mapping bank=5^14\n", "m line 5: mapping bank: '5^14' is not"},
    {MACHINE CLOCK L1 MEMORY "mapping bank=14^14\n", "m line 5: mapping bank: '14^14' is not"},
    {MACHINE CLOCK L1 MEMORY "mapping bank=7,8,9,10,11,12,13,14,15\n",
     "m line 5: mapping bank: '7,8,9,10,11,12,13,14,15' is not"},
    {MACHINE CLOCK L1 MEMORY "mapping bank=14^17 row-from=14\n" END,
     "m line 5: mapping bank: '14^17': does not lead to the memory's banks; allowed: functions for "
     "1, or memory banks=2"},
    {MACHINE CLOCK L1 MEMORY "mapping channel=14^17 row-from=14\n" END,
     "m line 5: mapping channel: '14^17': does not lead to the memory's channels; allowed: "
     "functions for 1, or memory channels=2"},
    {MACHINE CLOCK L1 MEMORY "mapping rank=14^17 row-from=14\n" END,
     "m line 5: mapping rank: '14^17': does not lead to the memory's ranks; allowed: functions for "
     "1, or memory ranks=2"},
    {MACHINE CLOCK L1 "memory base=80ns channels=3\nmapping modulus=3 row-from=13\n" END,
     "m line 5: mapping modulus: '3': needs modulus-from; allowed: modulus-from=6 to 30"},
    {MACHINE CLOCK L1 "memory base=80ns banks=2\nmapping bank=14^17 row-from=15\n" END,
     "m line 5: mapping row-from: '15': with these functions gives rows of another size; allowed: "
     "14 with memory row=8K"},
    {MACHINE CLOCK L1 "memory base=80ns banks=4\nmapping bank=9^17,9^18 row-from=15\n" END,
     "m line 5: mapping bank: '9^17,9^18': some addresses have the same place; allowed: functions "
     "that are independent below bit 15"},
    {MACHINE CLOCK L1 MEMORY "prefetch kind=stream control=on into=2\n" END,
     "m line 5: prefetch into: '2': there are not so many caches; allowed: 1 to 1"},
    {MACHINE CLOCK L1 MEMORY "prefetch kind=pointer control=on accuracy=0.5\n",
     "m line 5: prefetch accuracy: '0.5' is not a share"},
    {MACHINE CLOCK L1 MEMORY "prefetch kind=pointer control=on lead=80ns\n" END,
     "m line 5: prefetch lead: '80ns': is not shorter than a memory access; allowed: less "
     "than 80ns"},
    {MACHINE CLOCK L1 MEMORY "tlb penalty=0c\n" WALK END,
     "m line 5: tlb 4k: there are no entries for pages of any size; allowed: 4k=, "
     "2m=, 1g= or shared= with entries"},
    {MACHINE CLOCK L1 MEMORY "noise spike-every=10\n" END,
     "m line 5: noise spike-factor: '1': spikes need one; allowed: above 1 to 1000, such as 3"},
    {MACHINE CLOCK L1 MEMORY "noise smi-rate=20000 smi-us=100\n" END,
     "m line 5: noise smi-us: '100': SMIs take more than half of all time; allowed: with "
     "smi-rate=20000 up to 25"},
    {MACHINE CLOCK L1 MEMORY "fault address=0x1000 bit=0 kind=stuck-0\n" END,
     "m line 5: fault address: '0x1000': is not in the memory; allowed: 0x100000000 to "
     "0x13fffffff"},
    {MACHINE CLOCK L1 MEMORY "fault address=0x100000000 bit=0 kind=flipping\n" END,
     "m line 5: fault rate: this kind of fault needs one; allowed: 1e-6 to 1e9, such as 5"},
    {MACHINE CLOCK L1 MEMORY "fault address=0x100000000 kind=corrected\ncounters banks=1\n" END,
     "m line 5: fault rate: this kind of fault needs one; allowed: 1e-6 to 1e9, such as 5"},
    {MACHINE CLOCK L1 MEMORY "fault address=0x100000000 kind=corrected rate=5\n" END,
     "m line 5: fault kind: 'corrected': nothing counts it; allowed: with counters banks=1"},
    {MACHINE CLOCK L1 MEMORY "fault address=0x100000000 kind=coupled with=0x100000000\n" END,
     "m line 5: fault with: '0x100000000': is the byte itself; allowed: another byte"},
    {MACHINE CLOCK L1 MEMORY
     "fault address=0x100000000 kind=aliased with=0x1000000f8 bytes=256\n" END,
     "m line 5: fault with: '0x1000000f8': lies in the range itself; allowed: another range"},
    {MACHINE CLOCK L1 MEMORY "fault address=0xg bit=0 kind=stuck-0\n",
     "m line 5: fault address: '0xg' is not an address"},
    {MACHINE CLOCK L1 MEMORY "prefetch kind=region control=on region=8K\n",
     "m line 5: prefetch region: '8K' is not a size, plain or with K, M, G or T, from 64 to 4K"},
    {MACHINE CLOCK L1 MEMORY "prefetch kind=region control=on region=64\n" END,
     "m line 5: prefetch region: '64': is not a power of two of at least 2 lines; allowed: a "
     "power of two from 128 to 4K"},
    {MACHINE CLOCK L1 "memory base=80ns bandwidth=2T\n",
     "m line 4: memory bandwidth: '2T' is not a number, plain or with k, M, G or T, from 100M to "
     "1T"},
    {MACHINE CLOCK L1 "memory base=80ns row=128K\n", "m line 4: memory row: '128K' is not"},
    {MACHINE CLOCK L1 "memory base=80ns banks=4294967297\n",
     "m line 4: memory banks: '4294967297' is not a whole number, from 1 to 256"},
    {MACHINE CLOCK L1 "memory base=80ns bytes=99999999999999999999999\n",
     "m line 4: memory bytes: '99999999999999999999999' is not a size"},
    {"machine name=m seed=9007199254740994\n", "m line 1: machine seed: '9007199254740994' is not "
                                               "a whole number, from 0 to 9007199254740992"},
    {MACHINE "clock core=4\x01G\n",
     "m line 2: byte 0x01 is not text; allowed: printable ASCII, blanks, tabs"},
    {MACHINE "clock core=4\rG\n",
     "m line 2: byte 0x0d is not text; allowed: printable ASCII, blanks, tabs"},
    {MACHINE "\xff\xfe\n",
     "m line 2: byte 0xff is not text; allowed: printable ASCII, blanks, tabs"},
};

static void what_cannot_exist_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        struct sim_config config;
        struct sim_file_error error = {.text = ""};
        const char *text = refusals[i].text;
        if (sim_machine_parse(&config, text, strlen(text), "m", &error))
            fail_msg("accepted, though: %s", refusals[i].said);
        if (strncmp(error.text, refusals[i].said, strlen(refusals[i].said)) != 0)
            fail_msg("said: %s\ninstead of: %s", error.text, refusals[i].said);
    }
}

static void long_lines_and_files_are_refused(void **state)
{
    static char text[SIM_FILE_MAX + 2];
    struct sim_config config;
    struct sim_file_error error;

    (void)state;
    memset(text, ' ', sizeof text);
    assert_false(sim_machine_parse(&config, text, SIM_FILE_MAX + 1, "m", &error));
    assert_non_null(strstr(error.text, "m: a file that is too long; allowed: 65536 bytes"));
    assert_false(sim_machine_parse(&config, text, SIM_LINE_MAX, "m", &error));
    assert_string_equal(error.text, "m line 1: a line that is too long; allowed: 4095 characters");
    assert_false(sim_machine_load(&config, "tests/sim/no-such.machine", &error));
    assert_non_null(strstr(error.text, "no-such.machine: No such file"));
}

static bool same_value(const struct sim_key *key, const char *a, const char *b)
{
    const void *x = a + key->offset, *y = b + key->offset;

    switch (key->value) {
    case SIM_VALUE_NAME:
        return strcmp(x, y) == 0;
    case SIM_VALUE_COUNT:
    case SIM_VALUE_WORD:
    case SIM_VALUE_PAGES:
        return memcmp(x, y, 4) == 0;
    case SIM_VALUE_ENTRIES:
        return memcmp(x, y, 4) == 0 &&
               memcmp(a + key->second_offset, b + key->second_offset, 4) == 0;
    case SIM_VALUE_EITHER:
    case SIM_VALUE_FLAG:
        return *(const bool *)x == *(const bool *)y;
    case SIM_VALUE_SIZE:
    case SIM_VALUE_ADDRESS:
    case SIM_VALUE_SEED:
    case SIM_VALUE_DECLARED:
        return memcmp(x, y, 8) == 0;
    case SIM_VALUE_TIME:
        if (((const struct sim_time *)x)->cycles != ((const struct sim_time *)y)->cycles)
            return false;
        break;
    default:
        break;
    }
    return fabs(*(const double *)x - *(const double *)y) < 1e-9;
}

/* Key by key: what is printed is read as the same machine. */
static void printed_is_read_again(struct sim_config *config)
{
    static struct sim_config again;
    struct sim_file_error error;
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);

    sim_config_print(config, file);
    fclose(file);
    if (!sim_machine_parse(&again, text, bytes, "printed", &error))
        fail_msg("%s\n%s", error.text, text);
    assert_true(again.cache_count == config->cache_count && again.tlb_count == config->tlb_count);
    assert_true(again.prefetch_count == config->prefetch_count);
    assert_true(again.fault_count == config->fault_count);
    for (size_t i = 0; i < sim_key_count; i++)
        for (size_t j = 0; j < sim_section_max(sim_keys[i].section); j++)
            if (!same_value(&sim_keys[i], sim_section_place(config, sim_keys[i].section, j),
                            sim_section_place(&again, sim_keys[i].section, j)))
                fail_msg("%s %s is not what was printed", sim_section_names[sim_keys[i].section],
                         sim_keys[i].name);
    free(text);
}

/* A shipped file that is cut short anywhere is refused; and the whole one, printed, is the same. */
static void shipped_files_are_good_and_whole(void **state)
{
    glob_t files;

    (void)state;
    assert_int_equal(glob("tests/sim/machines/*.machine", 0, NULL, &files), 0);
    assert_true(files.gl_pathc >= 10);
    assert_int_equal(glob("tests/sim/machines/*/*.machine", GLOB_APPEND, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        static char text[SIM_FILE_MAX];
        struct sim_config config;
        struct sim_file_error error;
        FILE *file = fopen(files.gl_pathv[i], "rb");
        size_t bytes;
        assert_non_null(file);
        bytes = fread(text, 1, sizeof text, file);
        fclose(file);
        if (!sim_machine_parse(&config, text, bytes, files.gl_pathv[i], &error))
            fail_msg("%s", error.text);
        assert_non_null(strstr(files.gl_pathv[i], config.name));
        printed_is_read_again(&config);
        /* The last byte is a line's end, and 'end' is whole without it. */
        for (size_t cut = 0; cut < bytes - 1; cut++)
            assert_false(sim_machine_parse(&config, text, cut, "cut", &error));
    }
    globfree(&files);
}

static void a_printed_machine_is_the_same_machine(void **state)
{
    static struct sim_config config;
    struct sim_file_error error;

    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        sim_generate(&config, seed);
        printed_is_read_again(&config);
    }
    assert_true(sim_machine_parse(&config, all_keys, strlen(all_keys), "all", &error));
    printed_is_read_again(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_reaches_its_place),
        cmocka_unit_test(what_cannot_exist_is_refused),
        cmocka_unit_test(long_lines_and_files_are_refused),
        cmocka_unit_test(shipped_files_are_good_and_whole),
        cmocka_unit_test(a_printed_machine_is_the_same_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
