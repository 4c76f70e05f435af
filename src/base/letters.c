#include "base/letters.h"

char letters_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool letters_alike(const char *a, const char *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (letters_lower(a[i]) != letters_lower(b[i])) return false;
        if (a[i] == '\0') return true;
    }
    return true;
}
