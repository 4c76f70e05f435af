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

/* The code point at `text` and its bytes; 0 bytes where there is none, or one that is written too
 * long. */
static int decode(const char *text, unsigned *point)
{
    const unsigned char *c = (const unsigned char *)text;
    int bytes = c[0] < 0x80 ? 1 : (c[0] & 0xE0) == 0xC0 ? 2 : (c[0] & 0xF0) == 0xE0 ? 3 : 0;
    *point = bytes == 2 ? c[0] & 0x1FU : bytes == 3 ? c[0] & 0x0FU : c[0];
    for (int i = 1; i < bytes; i++) {
        if ((c[i] & 0xC0) != 0x80) return 0;
        *point = *point << 6 | (c[i] & 0x3FU);
    }
    return (bytes == 2 && *point < 0x80) || (bytes == 3 && *point < 0x800) ? 0 : bytes;
}

int letters_length(const char *text)
{
    /* First and last of each run of letters, in rising order. */
    static const unsigned letters[][2] = {
        {'A', 'Z'},       {'_', '_'},       {'a', 'z'},       {0xB5, 0xB5},   /* micro */
        {0xC0, 0xD6},     {0xD8, 0xF6},     {0xF8, 0x2AF},                    /* Latin */
        {0x370, 0x373},   {0x376, 0x377},   {0x37B, 0x37D},   {0x37F, 0x37F}, /* Greek */
        {0x386, 0x386},   {0x388, 0x38A},   {0x38C, 0x38C},   {0x38E, 0x3A1},
        {0x3A3, 0x3F5},   {0x3F7, 0x3FF},   {0x400, 0x481},   {0x48A, 0x52F},   /* Cyrillic */
        {0x531, 0x556},   {0x561, 0x587},   {0x5D0, 0x5EA},                     /* Armenian, Hebrew */
        {0x620, 0x64A},   {0x671, 0x6D3},   {0x1E00, 0x1EFF},                   /* Arabic, more Latin */
        {0x3041, 0x3096}, {0x30A1, 0x30FA}, {0x4E00, 0x9FFF}, {0xAC00, 0xD7A3}, /* East Asia */
    };
    unsigned point;
    int bytes = decode(text, &point);
    for (size_t i = 0; i < sizeof letters / sizeof *letters && bytes; i++)
        if (point >= letters[i][0] && point <= letters[i][1]) return bytes;
    return 0;
}

bool letters_are_name(const char *text)
{
    int length = letters_length(text);
    if (!length) return false;
    while (*text) {
        length = *text >= '0' && *text <= '9' ? 1 : letters_length(text);
        if (!length) return false;
        text += length;
    }
    return true;
}
