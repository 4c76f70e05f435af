#include "problem/scalar.h"

#include "base/letters.h"
#include "base/number.h"

#include <stdint.h>
#include <string.h>

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

size_t scalar_number_length(const char *text)
{
    size_t at = text[0] == '-' || text[0] == '+' ? 1 : 0;
    size_t whole = digits(text + at), fraction = 0;
    at += whole;
    if (text[at] == '.') {
        fraction = digits(text + at + 1);
        at += 1 + fraction;
    }
    if (whole + fraction == 0) return 0;
    if (text[at] == 'e' || text[at] == 'E') {
        size_t sign = text[at + 1] == '-' || text[at + 1] == '+' ? 1 : 0;
        size_t exponent = digits(text + at + 1 + sign);
        if (exponent > 0) at += 1 + sign + exponent;
    }
    return at;
}

bool scalar_number(const char *text, double *value)
{
    size_t length = scalar_number_length(text);
    if (length == 0 || text[length] != '\0') return false;
    *value = number_scan(text, NULL);
    return true;
}

bool scalar_duration(const char *text, double *seconds)
{
    static const struct {
        char unit;
        double seconds;
    } units[] = {{'s', 1.0}, {'m', 60.0}, {'h', 3600.0}, {'d', 86400.0}};
    if (scalar_number(text, seconds)) return true;
    *seconds = 0.0;
    do {
        size_t length = scalar_number_length(text), i = 0;
        if (length == 0) return false;
        while (i < 4 && units[i].unit != text[length]) i++;
        if (i == 4) return false;
        *seconds += number_scan(text, NULL) * units[i].seconds;
        text += length + 1;
    } while (*text);
    return true;
}

static bool is_word(const char *text, const char *word)
{
    return letters_alike(text, word, SIZE_MAX);
}

const char *scalar_number_hint(const char *text)
{
    const char *digit = text + (*text == '-' || *text == '+');
    if (letters_alike(digit, "0x", 2)) return "write it as a decimal number";
    if (is_word(digit, "inf") || is_word(digit, ".inf") || is_word(digit, "nan") || is_word(digit, ".nan") ||
        is_word(digit, "infinity"))
        return "it must be finite";
    if (digits(digit) > 0 && strspn(digit, "0123456789_") == strlen(digit)) return "write it without \"_\"";
    if (digits(digit) > 0 && strspn(digit, "0123456789,") == strlen(digit))
        return "write it with a decimal point";
    return "";
}

bool scalar_is_missing(const char *text)
{
    static const char *const words[] = {"", "na", "nan", ".nan", "null"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(text, words[i])) return true;
    return false;
}
