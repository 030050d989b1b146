# SPDX-License-Identifier: BSD-2-Clause
# Programs for the machine that builds: unit tests and fuzz targets under the sanitizers, and the
# simulator. Each tests/unit/test_*.c is one cmocka program, linked with all of core and the pure
# files of every architecture; each tests/fuzz/fuzz_*.c is one libFuzzer target.

HOST_CFLAGS := -std=c11 -g1 $(WARNINGS) -D_GNU_SOURCE -I.
SANITIZE := -O1 -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all \
    -fno-omit-frame-pointer

core_sources := $(sort $(wildcard core/*.c core/*/*.c))
pure_sources := $(core_sources) $(sort $(wildcard arch/*/pure_*.c))
# What programs on every hosted machine share.
shared_sources := $(sort $(wildcard tests/shared/*.c))

$(BUILD)/host-flags: force
	@mkdir -p $(@D)
	@echo '$(CC) $(HOST_CFLAGS) $(SANITIZE) $(HOSTED_CFLAGS)' | cmp -s - $@ || \
	    echo '$(CC) $(HOST_CFLAGS) $(SANITIZE) $(HOSTED_CFLAGS)' > $@

.PHONY: deps-test
deps-test:
	@tools/deps test $(ARCH)

# ---- unit tests

unit_tests := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(sort $(wildcard tests/unit/test_*.c)))
unit_objects := $(patsubst %,$(BUILD)/unit/obj/%.o,$(pure_sources) \
    $(sort $(wildcard tests/unit/support_*.c)))

# What scripts have the program say of itself.
unit_prints := $(BUILD)/unit/print_options $(BUILD)/unit/print_records

.PHONY: unit
unit: $(unit_tests) $(unit_prints)
$(BUILD)/unit/obj/%.o: % $(BUILD)/host-flags | deps-test
	@mkdir -p $(@D)
	@echo '  CC    $@'
	$(Q)$(CC) $(HOST_CFLAGS) $(SANITIZE) -MMD -MP -c -o $@ $<
# Of an archive a program takes what it uses: a fraction of all, linked in a fraction of the time.
$(BUILD)/unit/all.a: $(unit_objects)
	@echo '  AR    $@'
	$(Q)rm -f $@ && ar rcs $@ $^
$(BUILD)/unit/test_%: $(BUILD)/unit/obj/tests/unit/test_%.c.o $(BUILD)/unit/all.a
	@echo '  LINK  $@'
	$(Q)$(CC) $(SANITIZE) -o $@ $^ -lcmocka -lm
$(unit_prints): $(BUILD)/unit/print_%: $(BUILD)/unit/obj/tests/unit/print_%.c.o \
    $(BUILD)/unit/all.a
	@echo '  LINK  $@'
	$(Q)$(CC) $(SANITIZE) -o $@ $^ -lcmocka -lm
.PRECIOUS: $(BUILD)/unit/obj/%.o

# ---- fuzz targets

fuzz_targets := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
# The rooms that read what nobody trusts, what they use, what reads machine files, and what unpacks
# the image.
fuzz_rooms := lib firmware mapping options dram verdict stats
fuzz_objects := $(patsubst %,$(BUILD)/fuzz/obj/%.o,core/names.c \
    $(sort $(wildcard $(fuzz_rooms:%=core/%/*.c)) $(wildcard tests/sim/machine_*.c)) \
    tests/sim/config.c tests/sim/map.c linker/unpack.c)
FUZZ_CC := clang
FUZZ_FLAGS := $(SANITIZE) -fsanitize=fuzzer-no-link

.PHONY: fuzz
fuzz: $(fuzz_targets)
$(BUILD)/fuzz/obj/%.o: % $(BUILD)/host-flags | deps-test
	@mkdir -p $(@D)
	@echo '  CC    $@'
	$(Q)$(FUZZ_CC) $(HOST_CFLAGS) $(FUZZ_FLAGS) -MMD -MP -c -o $@ $<
# An archive: of the verdict only what reads files is used, not what needs records.
$(BUILD)/fuzz/all.a: $(fuzz_objects)
	@echo '  AR    $@'
	$(Q)rm -f $@ && ar rcs $@ $^
$(BUILD)/fuzz/fuzz_%: $(BUILD)/fuzz/obj/tests/fuzz/fuzz_%.c.o $(BUILD)/fuzz/all.a
	@echo '  LINK  $@'
	$(Q)$(FUZZ_CC) $(SANITIZE) -fsanitize=fuzzer -o $@ $^
.PRECIOUS: $(BUILD)/fuzz/obj/%.o

# ---- what the simulated machine and the Linux machine have in common

hosted_core := $(patsubst %,$(BUILD)/host/obj/%.o,$(core_sources))
# Contraction would round otherwise than on other machines, and compute other results.
HOSTED_CFLAGS := -O2 -ffp-contract=off

# ---- the simulated machine, and C tests that use it

sim_support := $(filter-out tests/sim/main.c tests/sim/test_%.c,$(sort $(wildcard tests/sim/*.c)))
sim_objects := $(hosted_core) \
    $(patsubst %,$(BUILD)/sim/obj/%.o,$(shared_sources) $(sim_support))
sim_tests := $(patsubst tests/sim/%.c,$(BUILD)/sim/%,$(sort $(wildcard tests/sim/test_*.c)))

# The simulator compares as many keys at once as this machine can (tests/sim/lanes.h).
SIM_CFLAGS := $(HOSTED_CFLAGS) \
    $(shell $(CC) -march=native -E -x c /dev/null >/dev/null 2>&1 && echo -march=native)
$(BUILD)/sim-flags: force
	@mkdir -p $(@D)
	@echo '$(SIM_CFLAGS)' | cmp -s - $@ || echo '$(SIM_CFLAGS)' > $@

.PHONY: sim sim-tests
sim: $(BUILD)/sim/barechase
sim-tests: sim $(sim_tests)
$(BUILD)/sim/obj/%.o: % $(BUILD)/host-flags $(BUILD)/sim-flags
	@mkdir -p $(@D)
	@echo '  CC    $@'
	$(Q)$(CC) $(HOST_CFLAGS) $(SIM_CFLAGS) $(SIM_DEFINES) -MMD -MP -c -o $@ $<
$(BUILD)/sim/obj/tests/sim/main.c.o: $(BUILD)/version
$(BUILD)/sim/obj/tests/sim/main.c.o: private SIM_DEFINES := -DBARECHASE_VERSION='"$(VERSION)"'
$(BUILD)/sim/barechase: $(BUILD)/sim/obj/tests/sim/main.c.o $(sim_objects)
	@echo '  LINK  $@'
	$(Q)$(CC) -o $@ $^ -lm
$(BUILD)/sim/test_%: $(BUILD)/sim/obj/tests/sim/test_%.c.o $(sim_objects)
	@echo '  LINK  $@'
	$(Q)$(CC) -o $@ $^ -lcmocka -lm
.PRECIOUS: $(BUILD)/sim/obj/%.o

# What scores of whole machines take for right.
$(BUILD)/sim/test_score: $(BUILD)/sim/obj/tests/score/figures.c.o
$(BUILD)/sim/test_regress: $(BUILD)/sim/obj/tests/score/figures.c.o \
    $(BUILD)/sim/obj/tests/score/listen.c.o

# Curves recorded on simulated machines, and their levels found anew: docs/levels.md
levels_support := $(BUILD)/sim/obj/tests/levels/curve_file.c.o
.PHONY: levels
levels: $(BUILD)/levels/record $(BUILD)/levels/refit
$(BUILD)/levels/record: $(BUILD)/sim/obj/tests/levels/record.c.o \
    $(BUILD)/sim/obj/tests/levels/wide.c.o $(BUILD)/sim/obj/tests/score/draw.c.o $(levels_support) \
    $(sim_objects)
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$(Q)$(CC) -Wl,--wrap=levels_find -o $@ $^ -lm
$(BUILD)/levels/refit: $(BUILD)/sim/obj/tests/levels/refit.c.o $(levels_support) \
    $(hosted_core)
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$(Q)$(CC) -o $@ $^ -lm

# Runs of whole machines against their truth: tests/score/score
score_objects := $(patsubst %,$(BUILD)/sim/obj/%.o,$(sort $(wildcard tests/score/*.c)) \
    tests/levels/wide.c)
$(BUILD)/score/score: $(score_objects) $(sim_objects)
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$(Q)$(CC) -o $@ $^ -lm

# ---- the Linux machine: this machine's architecture, its kernels and clock linked as they are; what
# tests/host/<architecture> has under the name of a file of arch/ stands in for that file

host_machine := $(shell uname -m)
host_arch_sources := $(filter-out $(patsubst tests/host/%,arch/%, \
    $(wildcard tests/host/$(host_machine)/*.c)), \
    $(addprefix arch/$(host_machine)/,chase.c clock.c cpu.c cycles.c describe.c frequency.c level.c msr.c \
    prefetch.c prefetch_try.c speed.c speed_try.c sysreg.c ticks.c turbo.c turbo_try.c))
host_sources := $(sort $(wildcard arch/$(host_machine)/pure_*.c \
    tests/host/$(host_machine)/*.c) $(filter-out tests/host/main.c tests/host/test_%.c, \
    $(wildcard tests/host/*.c))) $(wildcard $(host_arch_sources))
host_objects := $(hosted_core) \
    $(patsubst %,$(BUILD)/host/obj/%.o,$(host_sources) $(shared_sources))
host_main := $(BUILD)/host/obj/tests/host/main.c.o
host_tests := $(patsubst tests/host/%.c,$(BUILD)/host/%,$(sort $(wildcard tests/host/test_*.c)))

.PHONY: host host-tests
host: $(BUILD)/host/barechase
host-tests: host $(host_tests)
$(BUILD)/host/obj/%.o: % $(BUILD)/host-flags
	@mkdir -p $(@D)
	@echo '  CC    $@'
	$(Q)$(CC) $(HOST_CFLAGS) $(HOSTED_CFLAGS) $(LINUX_DEFINES) -MMD -MP -c -o $@ $<
$(BUILD)/host/obj/tests/host/main.c.o: $(BUILD)/version
$(BUILD)/host/obj/tests/host/main.c.o: private LINUX_DEFINES := -DBARECHASE_VERSION='"$(VERSION)"'
$(BUILD)/host/barechase: $(host_main) $(host_objects)
	@echo '  LINK  $@'
	$(Q)$(CC) -pthread -o $@ $^ -lm
$(BUILD)/host/test_%: $(BUILD)/host/obj/tests/host/test_%.c.o $(host_objects)
	@echo '  LINK  $@'
	$(Q)$(CC) -pthread -o $@ $^ -lcmocka -lm
.PRECIOUS: $(BUILD)/host/obj/%.o

# ---- other programs' hop orders, which tests/bench/side_by_side holds ours against

.PHONY: peers
peers: $(BUILD)/bench/peers $(BUILD)/host/barechase
$(BUILD)/bench/peers: tests/bench/peers.c $(BUILD)/host-flags
	@mkdir -p $(@D)
	@echo '  CC    $@'
	$(Q)$(CC) $(HOST_CFLAGS) -O2 -o $@ $<

# ---- the benchmark, on the Linux machine

# peers.c is a program by itself.
bench_sources := $(filter-out tests/bench/peers.c,$(sort $(wildcard tests/bench/*.c))) \
    tests/bench/$(host_machine)/loops.S
bench_objects := $(patsubst %,$(BUILD)/host/obj/%.o,$(bench_sources))

$(BUILD)/host/obj/%.S.o: %.S $(BUILD)/host-flags
	@mkdir -p $(@D)
	@echo '  AS    $@'
	$(Q)$(CC) -I. -MMD -MP -c -o $@ $<
$(BUILD)/bench/measure: $(bench_objects) $(host_objects)
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$(Q)$(CC) -pthread -o $@ $^ -lm

-include $(shell find $(BUILD)/unit/obj $(BUILD)/fuzz/obj $(BUILD)/sim/obj $(BUILD)/host/obj -name '*.d' 2>/dev/null)
