# SPDX-License-Identifier: BSD-2-Clause
# The one entry: `make run` boots the stick image in QEMU, `make test` runs every test, `make help`
# lists the rest. Sources are found by wildcard; what is built how stands in tools/efi.mk (the UEFI
# application) and tools/host.mk (programs for the machine that builds).

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

ifeq ($(origin CC),default)
CC := gcc
endif

# A second set of products beside the first (another compiler, a reproducibility check) is the same
# make with another BUILD.
BUILD ?= build
export DEPS ?= yes
# V=1 shows every command.
Q := $(if $(V),,@)

# Every architecture that has its start file, unless ARCH= names some.
ARCHES := $(sort $(patsubst linker/start_%.S,%,$(wildcard linker/start_*.S)))
# What `make run` boots unless told, and all that it needs a compiler and firmware for.
host_arch := $(shell uname -m)
run_arch := $(firstword $(filter $(host_arch),$(ARCHES)) $(ARCHES))
ARCH ?= $(if $(filter run,$(MAKECMDGOALS)),$(run_arch),$(ARCHES))
$(foreach a,$(ARCH),$(if $(filter $(a),$(ARCHES)),,$(error ARCH=$(a): allowed: $(ARCHES))))
RUN_ARCH := $(firstword $(filter $(run_arch),$(ARCH)) $(ARCH))

# The number that people name, and the commit where there is one: 0.2.0 (0753eaf). Of this tree
# itself: a tree without .git may lie inside somebody else's.
version_commit := $(if $(wildcard .git),$(shell git describe --always --dirty --exclude='*' 2>/dev/null))
VERSION := $(shell cat docs/VERSION)$(if $(version_commit), ($(version_commit)))
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Werror

PYTHON := /usr/bin/python3

include tools/efi.mk
include tools/host.mk

.PHONY: all
all: efi image ## build the application, its test build and the stick image (default)

.PHONY: run
run: $(BUILD)/run-$(RUN_ARCH).img ## boot the stick image in QEMU and fetch the results (ARGS= ARCH= ACCEL= MEMORY= CPUS= CPU=)
	@tools/deps run $(RUN_ARCH)
	@ARCH=$(RUN_ARCH) BUILD=$(BUILD) IMAGE=$< tools/run

.PHONY: test test-long
test: ## run every test in under ten minutes (TESTS=build,unit,fuzz,image,sim,host,boot selects)
	@tools/deps test $(ARCH)
	@MAKE="$(MAKE)" ARCH="$(ARCH)" tools/test $(if $(TESTS),--groups $(TESTS))

test-long: ## run every test, long versions included (under 45 minutes)
	@tools/deps test $(ARCH)
	@MAKE="$(MAKE)" ARCH="$(ARCH)" tools/test --long $(if $(TESTS),--groups $(TESTS))

.PHONY: test-draws
test-draws: ## hold 400 simulated machines that seeds draw against their truth (takes long)
	@tools/deps test $(ARCH)
	@MAKE="$(MAKE)" ARCH="$(ARCH)" tools/test --groups draws

.PHONY: bench
bench: $(BUILD)/bench/measure $(BUILD)/host/barechase ## benchmark this machine: building, hops, a whole point (a few minutes)
	@tests/bench/run $(BUILD)

.PHONY: score
score: $(BUILD)/score/score ## hold runs of simulated machines against their truth (SEEDS=1-100 NOISY=1 WORDS= JOBS=; goes on where it was stopped)
	@tests/score/score --program $(BUILD)/score/score --out $(BUILD)/score/scores.jsonl \
	    --seeds $(or $(SEEDS),1-100) $(if $(NOISY),--noisy) --words "$(WORDS)" \
	    $(if $(JOBS),--jobs $(JOBS))

.PHONY: image
image: $(BUILD)/barechase.img ## build the stick image (SIZE= in MiB)

.PHONY: usb
usb: image ## write the image to a USB stick (DEV=/dev/sdX, YES=1 asks nothing)
	@tools/deps usb
	@tools/usb $(BUILD)/barechase.img "$(DEV)"

.PHONY: sign
sign: efi ## sign the application and its image for Secure Boot (KEY= CERT=)
	@tools/deps sign
	@tools/deps image
	@tools/sign "$(KEY)" "$(CERT)" $(BUILD) \
	    $(foreach a,$(ARCH),$(a)=$(efi_boot_name_$(a)))

.PHONY: dist
dist: image efi ## collect what is handed out in build/dist, with SHA256SUMS
	@tools/dist $(BUILD) '$(VERSION)' $(ARCH)

.PHONY: docs
docs: $(BUILD)/unit/print_options ## write the pages that are made of the program's own words
	@tools/options $< > $(BUILD)/options.md
	@mv $(BUILD)/options.md docs/options.md

.PHONY: clean
clean: ## remove everything that was built, results of runs included
	rm -rf $(BUILD)

.PHONY: help
help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1:\2/p' $(firstword $(MAKEFILE_LIST)) | \
	    awk -F: '{ printf "%-16s %s\n", $$1, $$2 }'
	@echo "  Variables: ARCH= ($(ARCHES)), CC=gcc|clang, DEPS=no (install nothing), BUILD=directory, V=1 (commands)"

.PHONY: force
force:
