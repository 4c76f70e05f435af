#include "base/printable.h"

int printable_control(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    if ((byte[0] > 0 && byte[0] < ' ') || byte[0] == 127) return 1;
    return byte[0] == 0xc2 && byte[1] >= 0x80 && byte[1] <= 0x9f ? 2 : 0;
}

int printable_bytes(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    if (at[0] < 0x80) return at[0] >= 0x20 && at[0] != 0x7f;
    int more = at[0] >= 0xc2 && at[0] <= 0xdf   ? 1
               : at[0] >= 0xe0 && at[0] <= 0xef ? 2
               : at[0] >= 0xf0 && at[0] <= 0xf4 ? 3
                                                : 0;
    for (int i = 1; i <= more; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    /* Longer than needed, surrogates, too large, and the controls above 127. */
    if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
        (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f) || (at[0] == 0xc2 && at[1] < 0xa0))
        return 0;
    return more ? more + 1 : 0;
}

void printable_make(char *text)
{
    while (*text) {
        int control = printable_control(text), bytes = printable_bytes(text);
        text += bytes;
        if (control == 0 && bytes == 0) *text++ = '?';
        for (; control > 0; control--) *text++ = ' ';
    }
}
