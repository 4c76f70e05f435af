#include "base/number.h"

#include "base/letters.h"
#include "base/printable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int number_enter(number_locale *saved)
{
    *saved = (number_locale){.ours = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    if (!saved->ours) return -1;
    saved->before = uselocale(saved->ours);
    return 0;
}

void number_leave(const number_locale *saved)
{
    if (!saved->ours) return;
    uselocale(saved->before);
    freelocale(saved->ours);
}

double number_scan(const char *text, char **end)
{
    number_locale saved;
    double value = NAN;
    if (end) *end = (char *)text;
    if (number_enter(&saved) == 0) value = strtod(text, end);
    number_leave(&saved);
    return value;
}

int number_format_list(char *text, size_t size, const char *format, va_list arguments)
{
    number_locale saved;
    int count = -1;
    if (size > 0) text[0] = '\0';
    if (number_enter(&saved) == 0) count = vsnprintf(text, size, format, arguments);
    number_leave(&saved);
    return count;
}

int number_format(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = number_format_list(text, size, format, arguments);
    va_end(arguments);
    return count;
}

int number_print_list(FILE *file, const char *format, va_list arguments)
{
    number_locale saved;
    int count = -1;
    if (number_enter(&saved) == 0) count = vfprintf(file, format, arguments);
    number_leave(&saved);
    return count;
}

int number_print(FILE *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = number_print_list(file, format, arguments);
    va_end(arguments);
    return count;
}

int number_digits(double value, double deviation)
{
    enum { DIGITS_MIN = 5, DIGITS_EXACT = 15, DIGITS_MAX = 17 };
    if (deviation == 0.0) return DIGITS_EXACT;
    double more = floor(log10(fabs(value))) - floor(log10(fabs(deviation))) + 2.0;
    if (!isfinite(more)) return DIGITS_MIN;
    return (int)fmin(fmax(more, DIGITS_MIN), DIGITS_MAX);
}

void number_write_short(double value, int digits, char text[NUMBER_TEXT])
{
    double size = fabs(value);
    if (size >= pow(10.0, digits) - 0.5 && size < 1e6)
        number_format(text, NUMBER_TEXT, "%.0f", value);
    else
        number_format(text, NUMBER_TEXT, "%.*g", digits, value);
}

int number_digits_apart(double a, double b, int least)
{
    enum { DIGITS_MAX = 17 };
    char one[NUMBER_TEXT], other[NUMBER_TEXT];
    int digits = least;
    for (; digits < DIGITS_MAX; digits++) {
        number_format(one, sizeof one, "%.*g", digits, a);
        number_format(other, sizeof other, "%.*g", digits, b);
        if (strcmp(one, other) != 0) break;
    }
    return a == b ? least : digits;
}

void number_write(double value, char text[NUMBER_TEXT])
{
    char written[NUMBER_TEXT] = "";
    for (int digits = 15; digits <= 17; digits++) {
        number_format(written, sizeof written, "%.*g", digits, value);
        if (number_scan(written, NULL) == value) break;
    }
    memcpy(text, written, sizeof written);
}

static size_t digits_at(const char *bytes, size_t count, size_t at)
{
    size_t from = at;
    while (at < count && bytes[at] >= '0' && bytes[at] <= '9') at++;
    return at - from;
}

static int is_sign(const char *bytes, size_t count, size_t at)
{
    return at < count && (bytes[at] == '+' || bytes[at] == '-');
}

static int is_word(const char *bytes, size_t count, const char *word)
{
    return count == strlen(word) && letters_alike(bytes, word, count);
}

static int is_not_finite(const char *bytes, size_t count)
{
    size_t sign = (size_t)is_sign(bytes, count, 0);
    bytes += sign;
    count -= sign;
    /* -1.#IND, 1.#INF and 1.#QNAN are what old Windows libraries print. */
    return is_word(bytes, count, "nan") || is_word(bytes, count, "inf") ||
           is_word(bytes, count, "infinity") || (count > 4 && letters_alike(bytes, "nan(", 4)) ||
           (count > 3 && strncmp(bytes, "1.#", 3) == 0);
}

/* The length of sign, digits and point; 0 when there is no digit. */
static size_t mantissa(const char *bytes, size_t count)
{
    size_t at = (size_t)is_sign(bytes, count, 0), whole = digits_at(bytes, count, at), decimals = 0;
    at += whole;
    if (at < count && bytes[at] == '.') {
        decimals = digits_at(bytes, count, ++at);
        at += decimals;
    }
    return whole + decimals > 0 ? at : 0;
}

/* Copies the number with an exponent that strtod knows. */
static int normalise(const char *bytes, size_t count, char *text)
{
    size_t at = mantissa(bytes, count);
    if (at == 0) return -1;
    memcpy(text, bytes, at);
    text[at] = '\0';
    if (at == count) return 0;
    size_t exponent = at + (strchr("eEdD", bytes[at]) != NULL);
    size_t digits = exponent + (size_t)is_sign(bytes, count, exponent),
           many = digits_at(bytes, count, digits);
    if ((exponent == at && digits == at) || many == 0 || digits + many != count) return -1;
    text[at] = 'e';
    memcpy(text + at + 1, bytes + exponent, count - exponent);
    text[at + 1 + count - exponent] = '\0';
    return 0;
}

number_kind number_read(const char *bytes, size_t count, double *value)
{
    char text[512];
    if (is_not_finite(bytes, count)) return NUMBER_NOT_FINITE;
    if (count + 2 > sizeof text || memchr(bytes, '\0', count)) return NUMBER_NOT_ONE;
    if (normalise(bytes, count, text) != 0) return NUMBER_NOT_ONE;
    *value = number_scan(text, NULL);
    return isfinite(*value) ? NUMBER_FINE : NUMBER_NOT_FINITE;
}

void number_make_printable(char *text)
{
    printable_make(text);
}

void number_excerpt(const char *bytes, size_t count, char text[NUMBER_EXCERPT])
{
    size_t kept = count < NUMBER_EXCERPT - 1 ? count : NUMBER_EXCERPT - 4;
    memcpy(text, bytes, kept);
    text[kept] = '\0';
    for (size_t i = 0; i < kept; i++)
        if (text[i] == '\0') text[i] = ' ';
    if (kept < count) memcpy(text + kept, "...", sizeof "...");
    number_make_printable(text);
}
