/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses numbers: all bytes must belong to one number, and overflow is refused. */
#include "core/lib/text.h"

#include "core/lib/decimal.h"

#define FRACTION_DIGITS_MAX 6 /* of a size: 10^6 * 2^40 still fits in 64 bits */
#define EXPONENT_SANE       100000

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int digit_value(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

bool text_read_u64(const char *bytes, size_t count, uint64_t *value)
{
    uint64_t base = 10, result = 0;
    size_t pos = 0;

    if (count > 2 && bytes[0] == '0' && (bytes[1] == 'x' || bytes[1] == 'X')) {
        base = 16;
        pos = 2;
    }
    if (count == 0)
        return false;
    for (; pos < count; pos++) {
        uint64_t digit = (uint64_t)digit_value(bytes[pos]);

        if (digit >= base || result > (UINT64_MAX - digit) / base)
            return false;
        result = result * base + digit;
    }
    *value = result;
    return true;
}

static bool read_unit(char c, uint64_t *unit)
{
    static const char units[] = "KMGTkmgt";

    for (unsigned i = 0; i < 8; i++)
        if (units[i] == c) {
            *unit = (uint64_t)1 << 10 * (i % 4 + 1);
            return true;
        }
    return false;
}

/* Converts the digits after a decimal point to bytes; false if they are not a whole number of
 * bytes. */
static bool read_fraction(const char *bytes, size_t count, uint64_t unit, uint64_t *value)
{
    uint64_t digits, power = 1;

    for (size_t i = 0; i < count; i++)
        power *= i < FRACTION_DIGITS_MAX ? 10 : 1;
    if (count > FRACTION_DIGITS_MAX || count == 0 || !is_digit(bytes[0]))
        return false;
    if (!text_read_u64(bytes, count, &digits) || (digits * unit) % power != 0)
        return false;
    *value = digits * unit / power;
    return true;
}

bool text_read_size(const char *bytes, size_t count, uint64_t *value)
{
    uint64_t unit = 1, whole = 0, part = 0;
    size_t point = 0;
    bool scaled = count > 1 && read_unit(bytes[count - 1], &unit);

    if (!scaled)
        return text_read_u64(bytes, count, value);
    count--;
    while (point < count && is_digit(bytes[point]))
        point++;
    if (point < count &&
        (bytes[point] != '.' || !read_fraction(bytes + point + 1, count - point - 1, unit, &part)))
        return false;
    if (!text_read_u64(bytes, point, &whole) || whole > (UINT64_MAX - part) / unit)
        return false;
    *value = whole * unit + part;
    return true;
}

/* An optional sign and digits. Exponents beyond EXPONENT_SANE need not be exact. */
static bool read_exponent(const char *bytes, size_t count, int64_t *exponent)
{
    bool negative = count > 0 && bytes[0] == '-';
    size_t pos = count > 0 && (bytes[0] == '-' || bytes[0] == '+') ? 1 : 0;

    *exponent = 0;
    if (pos == count)
        return false;
    for (; pos < count; pos++) {
        if (!is_digit(bytes[pos]))
            return false;
        if (*exponent < EXPONENT_SANE)
            *exponent = *exponent * 10 + (bytes[pos] - '0');
    }
    if (negative)
        *exponent = -*exponent;
    return true;
}

/* Digits of a number without its decimal point. Longer numbers are refused. */
#define NUMBER_DIGITS_MAX 1024

bool text_read_double(const char *bytes, size_t count, double *value)
{
    char digits[NUMBER_DIGITS_MAX];
    size_t used = 0, pos = 0, behind = 0;
    bool negative = count > 0 && bytes[0] == '-', point = false;
    int64_t exponent = 0;
    double magnitude;

    for (pos = negative ? 1 : 0; pos < count && (is_digit(bytes[pos]) || bytes[pos] == '.');
         pos++) {
        if (bytes[pos] == '.' && point)
            return false;
        if (bytes[pos] == '.') {
            point = true;
            continue;
        }
        if (used == NUMBER_DIGITS_MAX)
            return false;
        digits[used++] = bytes[pos];
        behind += point;
    }
    if (used == 0 || (point && behind == 0))
        return false;
    if (pos < count && ((bytes[pos] != 'e' && bytes[pos] != 'E') ||
                        !read_exponent(bytes + pos + 1, count - pos - 1, &exponent)))
        return false;
    if (!decimal_read(digits, used, exponent - (int64_t)behind, &magnitude))
        return false;
    *value = negative ? -magnitude : magnitude;
    return true;
}
