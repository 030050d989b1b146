/* SPDX-License-Identifier: BSD-2-Clause */
/* How scripted MSRs answer. */
#include <assert.h>

#include "tests/unit/support_msr.h"

static struct msr_model_register *register_find(struct msr_model *model, uint32_t msr)
{
    for (size_t i = 0; i < model->count; i++)
        if (model->reg[i].msr == msr)
            return &model->reg[i];
    return NULL;
}

static bool model_read(void *context, uint32_t msr, uint64_t *value)
{
    struct msr_model *model = context;
    struct msr_model_register *reg = register_find(model, msr);

    *value = 0;
    if (!reg) {
        model->unlisted++;
        return false;
    }
    reg->reads++;
    if (reg->read_faults || (reg->reads_stop && reg->reads > reg->reads_stop))
        return false;
    *value = reg->reads_zero ? 0 : reg->value;
    return true;
}

static bool model_write(void *context, uint32_t msr, uint64_t value)
{
    struct msr_model *model = context;
    struct msr_model_register *reg = register_find(model, msr);
    uint64_t kept;

    if (!reg) {
        model->unlisted++;
        return false;
    }
    assert(model->logged < MSR_MODEL_LOG);
    model->log[model->logged++] = msr;
    reg->writes++;
    if (reg->write_faults || (reg->faults_from && reg->writes >= reg->faults_from))
        return false;
    if ((value ^ reg->value) & reg->reserved)
        return false;
    kept = reg->locked | (reg->sticky & reg->value);
    value = (value & ~kept) | (reg->value & kept);
    reg->changed |= value ^ reg->value;
    reg->value = value;
    return true;
}

struct prefetch_port msr_model_port(struct msr_model *model)
{
    return (struct prefetch_port){.context = model, .read = model_read, .write = model_write};
}

struct msr_model_register *msr_model_at(struct msr_model *model, uint32_t msr)
{
    struct msr_model_register *reg = register_find(model, msr);

    if (reg)
        return reg;
    assert(model->count < MSR_MODEL_MAX);
    model->reg[model->count] = (struct msr_model_register){.msr = msr};
    return &model->reg[model->count++];
}
