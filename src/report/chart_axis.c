#include "report/chart_axis.h"

#include "base/number.h"
#include "report/plot.h"

#include <math.h>

void chart_include(chart_axis *axis, const double *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (!isfinite(values[i]) || (axis->log && !(values[i] > 0.0))) continue;
        int empty = axis->low > axis->high;
        if (empty || values[i] < axis->low) axis->low = values[i];
        if (empty || values[i] > axis->high) axis->high = values[i];
    }
}

void chart_pad(chart_axis *axis)
{
    if (axis->low > axis->high) axis->low = axis->log ? 0.1 : 0.0, axis->high = 1.0;
    if (axis->log) {
        double room = pow(axis->high / axis->low, 0.05);
        if (room < 1.05) room = 1.5;
        axis->low = fmax(axis->low / room, 1e-307);
        axis->high = fmin(axis->high * room, 1e307);
        return;
    }
    double most = fmax(fabs(axis->low), fabs(axis->high));
    double room = 0.06 * (axis->high - axis->low);
    /* What differs by rounding only is constant. */
    if (!(axis->high - axis->low > 1e-12 * most)) room = most > 0.0 ? 0.1 * most : 0.5;
    axis->low = fmax(axis->low - room, -1e307);
    axis->high = fmin(axis->high + room, 1e307);
}

/* "10⁻⁷", or "3·10⁻⁷". */
static void write_power(int multiple, int exponent, char *text, size_t size)
{
    static const char *const digits[10] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[16];
    char before[16] = "";
    if (multiple > 1) snprintf(before, sizeof before, "%d·", multiple);
    int used = snprintf(text, size, "%s10%s", before, exponent < 0 ? "⁻" : "");
    snprintf(plain, sizeof plain, "%d", exponent < 0 ? -exponent : exponent);
    for (const char *p = plain; *p && used > 0 && (size_t)used < size; p++)
        used += snprintf(text + used, size - (size_t)used, "%s", digits[*p - '0']);
}

void chart_number(double value, int power, char *text, size_t size)
{
    double exponent = value > 0.0 && isfinite(value) ? floor(log10(value) + 1e-9) : 0.0;
    double multiple = value / pow(10.0, exponent);
    int whole = fabs(multiple - round(multiple)) < 1e-9;
    if (isnan(value))
        snprintf(text, size, "–");
    else if (isinf(value))
        snprintf(text, size, "%s∞", value < 0.0 ? "−" : "");
    else if (power && whole && fabs(exponent) >= 4.0)
        write_power((int)round(multiple), (int)exponent, text, size);
    else
        number_format(text, size, "%.6g", value + 0.0);
}

/* ---- Ticks ---- */

static int linear_ticks(const chart_axis *axis, int wanted, double *tick)
{
    double step = plot_step(axis->low, axis->high, wanted);
    if (axis->whole) step = fmax(step, 1.0);
    int count = 0;
    for (double k = ceil(axis->low / step - 1e-9); k * step <= axis->high + 1e-9 * step; k++) {
        if (count == AXIS_TICKS) break;
        tick[count++] = k * step + 0.0;
    }
    return count;
}

/* Ticks at these multiples of every `stride`-th power of 10. */
static int decade_ticks(const chart_axis *axis, const double *multiple, int multiples, int stride,
                        double *tick)
{
    int count = 0;
    for (double k = stride * floor(log10(axis->low) / stride); pow(10.0, k) <= axis->high; k += stride) {
        for (int i = 0; i < multiples; i++) {
            double value = multiple[i] * pow(10.0, k);
            if (value < axis->low * (1.0 - 1e-9) || value > axis->high * (1.0 + 1e-9)) continue;
            if (count < AXIS_TICKS) tick[count++] = value;
        }
    }
    return count;
}

/* Powers of 10, where they are enough; else 1 and 3 times, then 1, 2 and 5 times each; and on less
 * than a decade equal steps. */
static int log_ticks(const chart_axis *axis, int wanted, double *tick)
{
    static const double ONE[] = {1.0}, TWO[] = {1.0, 3.0}, THREE[] = {1.0, 2.0, 5.0};
    enum { ENOUGH = 3 };
    double decades = log10(axis->high) - log10(axis->low); /* their quotient may overflow */
    int count = 0;
    for (int stride = (int)fmax(1.0, ceil(decades / wanted)); stride >= 1 && count < ENOUGH; stride--)
        count = decade_ticks(axis, ONE, 1, stride, tick);
    if (count >= ENOUGH || (count == 2 && wanted <= 2)) return count;
    count = decade_ticks(axis, TWO, 2, 1, tick);
    if (count >= ENOUGH || (count == 2 && wanted <= 2)) return count;
    count = decade_ticks(axis, THREE, 3, 1, tick);
    while (count < ENOUGH && wanted < 4 * ENOUGH) count = linear_ticks(axis, wanted++, tick);
    return count;
}

/* Words need less room than numbers: they are cut, and a picture has few. */
static int word_ticks(const chart_axis *axis, double length, double apart, double *tick)
{
    static const double CLOSER = 0.4;
    int stride = (int)fmax(1.0, ceil(axis->word_count * CLOSER * apart / length)), count = 0;
    for (int i = 0; i < axis->word_count && count < AXIS_TICKS; i += stride) tick[count++] = axis->first + i;
    return count;
}

static void cut_word(const char *word, int most, char *text, size_t size)
{
    static const char CUT[] = "…";
    size_t end = 0, kept = 0; /* where it may be cut */
    int characters = 0;
    for (; word[end]; end++) {
        if ((word[end] & 0xc0) == 0x80) continue;
        if (characters++ < most && end + sizeof CUT <= size) kept = end;
    }
    int whole = characters <= most && end < size;
    snprintf(text, size, "%.*s%s", (int)(whole ? end : kept), word, whole ? "" : CUT);
}

int axis_ticks(const chart_axis *axis, double length, double apart, double *tick)
{
    if (axis->words) return word_ticks(axis, length, apart, tick);
    int wanted = (int)fmax(2.0, length / apart);
    return axis->log ? log_ticks(axis, wanted, tick) : linear_ticks(axis, wanted, tick);
}

void axis_number(const chart_axis *axis, const double *tick, int count, int i, int most_characters,
                 char *text, size_t size)
{
    if (axis->words) {
        cut_word(axis->words[(int)(tick[i] - axis->first)], most_characters, text, size);
        return;
    }
    double most = fmax(fabs(tick[0]), fabs(tick[count - 1])), step = count > 1 ? tick[1] - tick[0] : most;
    int digits = axis->log || !(step > 0.0) ? 6 : (int)ceil(log10(most / step) - 1e-9) + 1;
    if (digits <= 6)
        chart_number(tick[i], axis->log, text, size);
    else
        number_format(text, size, "%.*g", digits < 15 ? digits : 15, tick[i]);
}
