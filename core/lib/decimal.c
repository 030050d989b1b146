/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/lib/decimal.h"

#include "core/lib/bigint.h"

#define MANTISSA_BITS 52
#define HIDDEN_BIT    ((uint64_t)1 << MANTISSA_BITS)
#define EXPONENT_LOW  (-1074) /* of the smallest subnormal */
#define EXPONENT_HIGH 971     /* of the largest double */

/* Further digits cannot change the result: midpoints between doubles have at most 767 significant
 * digits, so one non-zero digit can stand for all digits after these. */
#define DIGITS_KEPT 770

union double_bits {
    double value;
    uint64_t bits;
};

struct decimal_parts decimal_split(double value)
{
    union double_bits u = {.value = value};
    int biased = (int)(u.bits >> MANTISSA_BITS & 0x7ff);
    struct decimal_parts parts = {.negative = (u.bits >> 63) != 0,
                                  .mantissa = u.bits & (HIDDEN_BIT - 1),
                                  .exponent = EXPONENT_LOW};

    if (biased == 0x7ff) {
        parts.nan = parts.mantissa != 0;
        parts.infinite = !parts.nan;
    } else if (biased != 0) {
        parts.mantissa |= HIDDEN_BIT;
        parts.exponent = EXPONENT_LOW + biased - 1;
    }
    return parts;
}

/* value = rest / scale; low and high are the distances to the midpoints below and above, on the
 * same scale. All stay below 2^1140: 2^1024 * 10 or 10^324 * 2^54. */
struct shortest {
    struct bigint rest, scale, low, high;
    bool inclusive; /* a midpoint itself reads back as this double: its mantissa is even */
};

static void shortest_start(struct shortest *s, const struct decimal_parts *parts)
{
    uint32_t narrow = parts->mantissa == HIDDEN_BIT && parts->exponent > EXPONENT_LOW;
    uint32_t up = parts->exponent > 0 ? (uint32_t)parts->exponent : 0;
    uint32_t down = parts->exponent < 0 ? (uint32_t)-parts->exponent : 0;

    bigint_set(&s->rest, parts->mantissa);
    bigint_left(&s->rest, up + 1 + narrow);
    bigint_set(&s->scale, 1);
    bigint_left(&s->scale, down + 1 + narrow);
    bigint_set(&s->low, 1);
    bigint_left(&s->low, up);
    bigint_set(&s->high, 1);
    bigint_left(&s->high, up + narrow);
    s->inclusive = (parts->mantissa & 1) == 0;
}

static void shortest_times10(struct shortest *s)
{
    bigint_multiply_add(&s->rest, 10, 0);
    bigint_multiply_add(&s->low, 10, 0);
    bigint_multiply_add(&s->high, 10, 0);
}

/* True if rounding up to the next unit of the scale stays inside the interval. */
static bool shortest_reaches(const struct shortest *s)
{
    struct bigint sum;
    int order;

    bigint_copy(&sum, &s->rest);
    bigint_add(&sum, &s->high);
    order = bigint_compare(&sum, &s->scale);
    return order > 0 || (order == 0 && s->inclusive);
}

/* Scales the value into [1/10, 1); returns the decimal exponent. */
static int shortest_normalise(struct shortest *s)
{
    /* 1233 / 4096 is slightly below log10(2), so the estimate is never too high; too low is
     * corrected below. */
    int bits = (int)bigint_bits(&s->rest) - (int)bigint_bits(&s->scale);
    int exponent = (bits * 1233) / 4096 - 1;

    if (exponent >= 0) {
        bigint_power10(&s->scale, (uint32_t)exponent);
    } else {
        bigint_power10(&s->rest, (uint32_t)-exponent);
        bigint_power10(&s->low, (uint32_t)-exponent);
        bigint_power10(&s->high, (uint32_t)-exponent);
    }
    while (shortest_reaches(s)) {
        bigint_multiply_add(&s->scale, 10, 0);
        exponent++;
    }
    return exponent;
}

static unsigned shortest_digit(struct shortest *s)
{
    /* Never too high, because the divisor's top bits are rounded up. A few subtractions complete
     * it. */
    uint32_t bits = bigint_bits(&s->scale), low = bits > 32 ? bits - 32 : 0;
    unsigned digit =
        (unsigned)(bigint_from_bit(&s->rest, low) / (bigint_from_bit(&s->scale, low) + 1));

    bigint_subtract_times(&s->rest, &s->scale, digit);
    while (bigint_compare(&s->rest, &s->scale) >= 0) {
        bigint_subtract(&s->rest, &s->scale);
        digit++;
    }
    return digit;
}

/* True if the last digit must be rounded up because the upper neighbour is nearer. */
static bool shortest_up(struct shortest *s, unsigned digit)
{
    int order;

    bigint_multiply_add(&s->rest, 2, 0);
    order = bigint_compare(&s->rest, &s->scale);
    return order > 0 || (order == 0 && (digit & 1) != 0);
}

void decimal_shortest(double value, struct decimal *out)
{
    struct decimal_parts parts = decimal_split(value);
    struct shortest s;
    bool down = false, up = false;

    *out = (struct decimal){.digits = "0", .count = 1, .exponent = 1};
    if (parts.mantissa == 0)
        return;
    shortest_start(&s, &parts);
    out->exponent = shortest_normalise(&s);
    for (out->count = 0; !down && !up;) {
        unsigned digit;
        int order;

        shortest_times10(&s);
        digit = shortest_digit(&s);
        order = bigint_compare(&s.rest, &s.low);
        down = order < 0 || (order == 0 && s.inclusive);
        up = shortest_reaches(&s);
        if (up && (!down || shortest_up(&s, digit)))
            digit++;
        out->digits[out->count++] = (char)('0' + digit);
    }
    out->digits[out->count] = '\0';
}

size_t decimal_scaled(double value, unsigned decimals, char digits[DECIMAL_FIXED_MAX])
{
    struct decimal_parts parts = decimal_split(value);
    struct bigint scaled;
    size_t count = 0;

    /* Below 2^1024 * 10^17 < 2^1081. */
    bigint_set(&scaled, parts.mantissa);
    bigint_power10(&scaled, decimals);
    if (parts.exponent >= 0)
        bigint_left(&scaled, (uint32_t)parts.exponent);
    else
        bigint_right_even(&scaled, (uint32_t)-parts.exponent);
    do {
        digits[count++] = (char)('0' + bigint_divide(&scaled, 10));
    } while (!bigint_is_zero(&scaled));
    for (size_t i = 0; i < count / 2; i++) {
        char c = digits[i];

        digits[i] = digits[count - 1 - i];
        digits[count - 1 - i] = c;
    }
    digits[count] = '\0';
    return count;
}

/* Rounds 2^shift * above / below to a double. above and below are at most 2^3700: 770 digits, or
 * 10^(324 + 770). */
static bool decimal_quotient(struct bigint *above, struct bigint *below, double *value)
{
    int shift = (int)bigint_bits(below) - (int)bigint_bits(above) + MANTISSA_BITS + 1;
    union double_bits u;
    uint64_t quotient = 0;
    int order;

    /* The quotient gets 53 or 54 bits, or fewer if the result is subnormal. */
    if (shift > -EXPONENT_LOW)
        shift = -EXPONENT_LOW;
    for (int attempt = 0; attempt < 2; attempt++) {
        struct bigint rest, divisor;

        bigint_copy(&rest, above);
        bigint_copy(&divisor, below);
        bigint_left(shift > 0 ? &rest : &divisor, (uint32_t)(shift > 0 ? shift : -shift));
        quotient = 0;
        /* Binary long division from bit 54 down, doubling the remainder. */
        bigint_left(&divisor, 54);
        for (int bit = 54; bit >= 0; bit--) {
            quotient <<= 1;
            if (bigint_compare(&rest, &divisor) >= 0) {
                bigint_subtract(&rest, &divisor);
                quotient |= 1;
            }
            bigint_multiply_add(&rest, 2, 0);
        }
        /* rest is now 2^55 times the remainder, divisor 2^54 times the divisor. */
        if (quotient >> (MANTISSA_BITS + 1) != 0) {
            shift--;
            continue;
        }
        order = bigint_compare(&rest, &divisor);
        quotient += order > 0 || (order == 0 && (quotient & 1) != 0);
        break;
    }
    if (quotient >> (MANTISSA_BITS + 1) != 0) {
        quotient >>= 1;
        shift--;
    }
    if (-shift > EXPONENT_HIGH)
        return false;
    u.bits = quotient;
    if (quotient >= HIDDEN_BIT)
        u.bits = (quotient - HIDDEN_BIT) | (uint64_t)(-shift - EXPONENT_LOW + 1) << MANTISSA_BITS;
    *value = u.value;
    return true;
}

bool decimal_read(const char *digits, size_t count, int64_t exponent, double *value)
{
    struct bigint above, below;
    size_t kept = 0;

    *value = 0;
    bigint_set(&above, 0);
    bigint_set(&below, 1);
    for (size_t i = 0; i < count; i++) {
        uint32_t digit = (uint32_t)(digits[i] - '0');

        if (kept < DIGITS_KEPT) {
            bigint_multiply_add(&above, 10, digit);
            kept += kept > 0 || digit != 0;
        } else {
            exponent++;
            if (digit != 0)
                above.word[0] |= 1; /* sticky: see DIGITS_KEPT */
        }
    }
    if (bigint_is_zero(&above))
        return true;
    if (exponent > 310 || exponent + (int64_t)kept > 310)
        return false;
    if (exponent + (int64_t)kept < -330)
        return true;
    if (exponent >= 0)
        bigint_power10(&above, (uint32_t)exponent);
    else
        bigint_power10(&below, (uint32_t)-exponent);
    return decimal_quotient(&above, &below, value);
}
