#include "report/page_style.h"

#include <string.h>

void page_style_write(FILE *file)
{
    fputs(PALETTE_STYLE, file);
    fputs(PAGE_STYLE, file);
    fputs(CHART_STYLE, file);
}

/* The value of a colour such as "--model", at `name`, in the first block of the palette; its length
 * in *length. NULL: there is none. */
static const char *find_colour(const char *name, size_t name_length, size_t *length)
{
    for (const char *p = PALETTE_STYLE; (p = strstr(p, "--")); p += 2) {
        if (strncmp(p, name, name_length) != 0 || p[name_length] != ':') continue;
        p += name_length + 1;
        p += strspn(p, " ");
        *length = strcspn(p, ";}");
        return p;
    }
    return NULL;
}

void page_style_figure(FILE *file)
{
    fputs("text { font-family: Helvetica, Arial, 'DejaVu Sans', sans-serif; }\n", file);
    for (const char *p = CHART_STYLE; *p;) {
        size_t length;
        if (strncmp(p, "var(", 4) != 0) {
            fputc(*p++, file);
            continue;
        }
        size_t name = strcspn(p + 4, ")");
        const char *colour = find_colour(p + 4, name, &length);
        if (colour) fwrite(colour, 1, length, file);
        p += 4 + name + (p[4 + name] == ')');
    }
}

static unsigned hex_digit(char c)
{
    return (unsigned)(c >= 'a' ? c - 'a' + 10 : c - '0');
}

void page_script_hash(char text[PAGE_SCRIPT_HASH])
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    enum { BYTES = 32 };
    int used = 0;
    for (int i = 0; i < BYTES; i += 3) {
        unsigned group = 0;
        for (int k = 0; k < 3; k++) {
            const char *hex = PAGE_SCRIPT_SHA256 + 2 * (size_t)(i + k);
            group = group << 8 | (i + k < BYTES ? hex_digit(hex[0]) << 4 | hex_digit(hex[1]) : 0);
        }
        for (int k = 0; k < 4; k++) text[used++] = i + k > BYTES ? '=' : letters[group >> (18 - 6 * k) & 63];
    }
    text[used] = '\0';
}
