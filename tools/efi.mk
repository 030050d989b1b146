# SPDX-License-Identifier: BSD-2-Clause
# The UEFI application: for each architecture a product and a test build, linked from one set of
# objects; they differ in a few files only (see only_test and only_product).

# One column an architecture; a new one is a new set of these variables.
efi_machine_x86_64 := 0x8664
# What is called once, and what a loop repeats, takes more registers than x86-64 has, and so more code.
efi_flags_x86_64 := -mno-red-zone -fcf-protection=none \
    $(if $(findstring clang,$(CC)),,-fno-inline-functions-called-once -fno-move-loop-invariants \
    -fno-tree-loop-im)
efi_boot_name_x86_64 := BOOTX64.EFI

efi_machine_aarch64 := 0xaa64
efi_flags_aarch64 := -mno-outline-atomics -mcmodel=tiny
efi_boot_name_aarch64 := BOOTAA64.EFI

# gnu-efi is headers only. Debian's package has the efibind.h of its own machine only; tools/deps
# puts the other one below build/ where it is missing.
efi_headers := /usr/include/efi
efi_headers_of = $(if $(wildcard $(efi_headers)/$(1)/efibind.h),,build/headers)

# The compiler and the tools that make code for an architecture, natively without a prefix.
efi_cross = $(if $(filter $(host_arch),$(1)),,$(1)-linux-gnu-)
efi_cc = $(if $(findstring clang,$(CC)),$(CC) --target=$(1)-linux-gnu,$(call efi_cross,$(1))$(CC))

fast_sources := $(addprefix core/,chase/bijection.c chase/chain.c mapping/frames.c chase/order.c \
    chase/shuffle.c)

# The image is limited: what nothing calls is left out, -Os still unrolls and inlines what -Oz does
# not, gcc's saves registers around calls, takes arguments apart, computes ahead and copies branches
# even so, and clang's -O2 makes twice the code of gcc's out of loops. Nobody reads errno or traps of
# floating point. All of it lies within 1 MiB, which on AArch64 saves an instruction for each address
# (efi_flags_aarch64).
efi_small := -Oz -fno-math-errno -fno-trapping-math \
    $(if $(findstring clang,$(CC)),,-fno-caller-saves -fno-ipa-sra -fno-tree-pre -fno-tree-dominator-opts)
efi_fast := $(if $(findstring clang,$(CC)),-Os -fno-unroll-loops -fno-vectorize -fno-slp-vectorize,\
    -O2 -finline-functions-called-once -fmove-loop-invariants -ftree-loop-im)
# Only the kernels' loops are aligned.
efi_unaligned := $(if $(findstring clang,$(CC)),,-fno-align-functions -fno-align-jumps -fno-align-loops \
    -fno-align-labels)
# gcc makes the code of all files at once, which is smaller. What has instructions or labels of its own,
# and what runs before the image is relocated, is compiled as its file says.
efi_lto := $(if $(findstring clang,$(CC)),,-flto -flto-partition=one)
efi_as_written = $(addprefix $(BUILD)/$(1)/obj/,$(addsuffix .o,\
    $(filter arch/% linker/%,$(filter-out arch/$(1)/pure_%,$(efi_sources_$(1))))))
EFI_CFLAGS := -std=c11 $(efi_small) $(efi_lto) -ffreestanding -fPIE -fshort-wchar -fno-stack-protector \
    -ffunction-sections -fdata-sections -fvisibility=hidden -fno-asynchronous-unwind-tables \
    -DGNU_EFI_USE_MS_ABI -Wframe-larger-than=4096 $(WARNINGS) -ffile-prefix-map=$(CURDIR)=. -I.
EFI_LDFLAGS := $(efi_lto) -nostdlib -static-pie -Wl,--no-dynamic-linker -Wl,-z,text -Wl,-z,noexecstack \
    -Wl,-z,norelro -Wl,-z,max-page-size=4096 -Wl,--build-id=none -Wl,--orphan-handling=error \
    -Wl,--fatal-warnings -Wl,--gc-sections
only_test := %_test_only.c %/inject.c %/dump.c
only_product := %_none.c
# Which file gets the version; they are built again when it changes.
version_users := efi/main.c linker/sbat.S

$(BUILD)/version: force
	@mkdir -p $(@D)
	@echo '$(VERSION)' | cmp -s - $@ || echo '$(VERSION)' > $@

.PHONY: efi deps-build
efi: $(foreach a,$(ARCH),$(BUILD)/$(a)/barechase.efi $(BUILD)/$(a)/barechase-test.efi)
deps-build:
	@tools/deps build $(ARCH)

define efi_rules
efi_sources_$(1) := $$(sort $$(wildcard core/*.c core/*/*.c arch/$(1)/*.c arch/$(1)/*.S efi/*.c linker/*.c)) \
    linker/start_$(1).S linker/sbat.S
efi_product_$(1) := $$(filter-out $$(only_test),$$(efi_sources_$(1)))
efi_test_$(1) := $$(filter-out $$(only_product),$$(efi_sources_$(1)))
efi_cc_$(1) := $$(call efi_cc,$(1)) $$(EFI_CFLAGS) $$(efi_flags_$(1))
# A function: the objects of a list of sources.
efi_objects_$(1) = $$(addprefix $(BUILD)/$(1)/obj/,$$(addsuffix .o,$$(1)))

$(BUILD)/$(1)/flags: force
	@mkdir -p $$(@D)
	@echo '$$(efi_cc_$(1)) $$(efi_fast) $$(efi_unaligned) $$(EFI_LDFLAGS)' | cmp -s - $$@ || \
	    echo '$$(efi_cc_$(1)) $$(efi_fast) $$(efi_unaligned) $$(EFI_LDFLAGS)' > $$@

# Only efi/ sees the firmware's headers.
$(BUILD)/$(1)/obj/efi/%.o: private EFI_INCLUDES := \
    -isystem $(efi_headers) $$(addprefix -isystem ,$$(call efi_headers_of,$(1)))
$(BUILD)/$(1)/obj/%.o: % $(BUILD)/$(1)/flags | deps-build
	@mkdir -p $$(@D)
	@echo '  CC    $$@'
	$(Q)$$(efi_cc_$(1)) $$(EFI_INCLUDES) $$(EFI_DEFINES) $$(EFI_LTO) -MMD -MP -c -o $$@ $$<
$$(foreach f,$(version_users),$(BUILD)/$(1)/obj/$$(f).o): $(BUILD)/version
$$(foreach f,$(version_users),$(BUILD)/$(1)/obj/$$(f).o): \
    private EFI_DEFINES := -DBARECHASE_VERSION='"$(VERSION)"'
$$(call efi_as_written,$(1)): private EFI_LTO := $$(if $$(efi_lto),-fno-lto)
# Small by default, because the image is limited; fast where every line of a window passes by.
$$(foreach f,$(fast_sources),$(BUILD)/$(1)/obj/$$(f).o): private EFI_DEFINES := $(efi_fast) $(efi_unaligned)
# The kernels stay together: their code is read and checked as one.
$(BUILD)/$(1)/obj/arch/$(1)/chase.c.o: \
    private EFI_DEFINES := $(efi_fast) -fno-function-sections
# What memcpy is made of must not be turned into a call of memcpy.
$(BUILD)/$(1)/obj/linker/libc.c.o: private EFI_DEFINES := -fno-builtin

$(BUILD)/$(1)/image.lds: linker/image.lds.S $(BUILD)/$(1)/flags | deps-build
	$(Q)$$(call efi_cc,$(1)) -E -P -x assembler-with-cpp -DMACHINE=$$(efi_machine_$(1)) -o $$@ $$<

$(BUILD)/$(1)/barechase.elf: $$(call efi_objects_$(1),$$(efi_product_$(1)))
$(BUILD)/$(1)/barechase-test.elf: $$(call efi_objects_$(1),$$(efi_test_$(1)))
$(BUILD)/$(1)/barechase.elf $(BUILD)/$(1)/barechase-test.elf: $(BUILD)/$(1)/image.lds \
    linker/pack_relocations linker/elf.py
	@echo '  LINK  $$@'
	$(Q)$$(call efi_cc,$(1)) $$(EFI_LDFLAGS) -Wl,-T,$(BUILD)/$(1)/image.lds -o $$@ $$(filter %.o,$$^)
	$(Q)$(PYTHON) linker/pack_relocations $$@
$(BUILD)/$(1)/%.efi: $(BUILD)/$(1)/%.elf linker/pack_data linker/elf.py linker/lzma_block.py
	$(Q)$$(call efi_cross,$(1))objcopy -O binary -j .head -j .text -j .reloc -j .sbat $$< $$@
	$(Q)$(PYTHON) linker/pack_data $$< $$@
# It runs before its image is relocated: no table of jumps.
$(BUILD)/$(1)/obj/linker/unpack.c.o: private EFI_DEFINES := -fno-jump-tables

-include $$(patsubst %.o,%.d,$$(call efi_objects_$(1),$$(efi_sources_$(1))))
endef

$(foreach a,$(ARCH),$(eval $(call efi_rules,$(a))))

.PHONY: deps-image
deps-image:
	@tools/deps image
# An image is made again when its size changes, and when it is to carry other architectures.
$(BUILD)/image-size: force
	@mkdir -p $(@D)
	@echo '$(SIZE)' | cmp -s - $@ || echo '$(SIZE)' > $@
$(BUILD)/image-arches: force
	@mkdir -p $(@D)
	@echo '$(ARCH)' | cmp -s - $@ || echo '$(ARCH)' > $@
image_parts := tools/image tools/barechase.cfg $(BUILD)/image-size
$(BUILD)/barechase.img: $(foreach a,$(ARCH),$(BUILD)/$(a)/barechase.efi) $(image_parts) \
    $(BUILD)/image-arches | deps-image
	@echo '  IMAGE $@$(if $(filter-out $(ARCH),$(ARCHES)), for $(ARCH) alone)'
	$(Q)tools/image $@ $(or $(SIZE),64) tools/barechase.cfg \
	    $(foreach a,$(ARCH),$(BUILD)/$(a)/barechase.efi=$(efi_boot_name_$(a)))
# What make run boots: that architecture alone.
$(foreach a,$(ARCH),$(BUILD)/run-$(a).img): $(BUILD)/run-%.img: $(BUILD)/%/barechase.efi \
    $(image_parts) | deps-image
	@echo '  IMAGE $@'
	$(Q)tools/image $@ $(or $(SIZE),64) tools/barechase.cfg $<=$(efi_boot_name_$*)
