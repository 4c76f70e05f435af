#include "base/printable.h"

int printable_control(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    if ((byte[0] > 0 && byte[0] < ' ') || byte[0] == 127) return 1;
    return byte[0] == 0xc2 && byte[1] >= 0x80 && byte[1] <= 0x9f ? 2 : 0;
}

void printable_make(char *text)
{
    while (*text) {
        int count = printable_control(text);
        if (count == 0) text++;
        for (; count > 0; count--) *text++ = ' ';
    }
}
