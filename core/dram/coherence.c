/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dram/coherence.h"

#include "core/lib/real.h"

struct coherence_vector coherence_sum(const uint64_t *end, size_t count, uint64_t turn)
{
    struct coherence_vector sum = {0, 0};

    for (size_t i = 0; i < count; i++) {
        double cosine, sine;
        real_circle(end[i] * turn, &cosine, &sine);
        sum.x += cosine;
        sum.y += sine;
    }
    return sum;
}

double coherence_within(const uint64_t *end, size_t count, double stretch, uint64_t turn)
{
    double pairs = 0, squares = 0;

    for (size_t first = 0, next; first < count; first = next) {
        struct coherence_vector sum;
        for (next = first + 1; next < count && (double)(end[next] - end[first]) < stretch;)
            next++;
        sum = coherence_sum(end + first, next - first, turn);
        squares += sum.x * sum.x + sum.y * sum.y - (double)(next - first);
        pairs += (double)(next - first) * (double)(next - first - 1);
    }
    return pairs > 0 ? squares / pairs : 0;
}

double coherence_whole(const uint64_t *end, size_t count, uint64_t turn)
{
    struct coherence_vector sum = coherence_sum(end, count, turn);

    return real_hypotenuse(sum.x, sum.y) / (double)count;
}

static double along(struct coherence_vector v, uint64_t turn)
{
    double cosine, sine;

    real_circle(turn, &cosine, &sine);
    return v.x * cosine + v.y * sine;
}

uint64_t coherence_direction(struct coherence_vector v)
{
    uint64_t turn = 0;

    for (uint64_t step = 1ull << 63; step > 1ull << 40; step >>= 1)
        for (uint64_t side = 0; side < 2; side++) {
            uint64_t next = side == 0 ? turn + step : turn - step;
            if (along(v, next) > along(v, turn))
                turn = next;
        }
    return turn;
}
