/* SPDX-License-Identifier: BSD-2-Clause */
/* Tags of points (struct point.tag). Each experiment numbers the roles of its own points from 1;
 * points that an instrument planned for it have the instrument's tags, which no experiment uses. */
#ifndef CORE_EXPERIMENTS_TAGS_H
#define CORE_EXPERIMENTS_TAGS_H

enum {
    TAG_PLAIN = 0,
    TAGS_PROOF = 0x100,       /* prefetch_proof.c */
    TAGS_TRANSLATION = 0x200, /* translation.c */
    TAGS_FLUSHED = 0x300,     /* flushed.c */
    TAGS_SAMPLER = 0x400      /* dram_sampler.c */
};

#endif
