/* From a character of a scalar's text back to the file. Blanks are folded, indented and chomped in
 * many ways, but every other character of the text comes from one character, or one escape, of the
 * file: counting those is enough. */
#include "problem/yaml.h"

#include <string.h>

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* How many characters that are not blank come before the one at line and column; past the end, all
 * of them. */
static size_t dark_before(const char *text, int line, int column)
{
    size_t count = 0;
    int l = 1, c = 1;
    for (; *text && (l < line || (l == line && c < column)); text++) {
        if (!is_blank(*text) && !continues(*text)) count++;
        if (*text == '\n') {
            l++;
            c = 1;
        } else if (!continues(*text)) {
            c++;
        }
    }
    return count;
}

/* Bytes of an escape in double quotes, and whether it stands for a character that is not blank. */
static size_t escape(const char *raw, int *dark)
{
    *dark = raw[1] != '\0' && !strchr(" tnr\t\n\r", raw[1]);
    return raw[1] == 'x' ? 4 : raw[1] == 'u' ? 6 : raw[1] == 'U' ? 10 : 2;
}

/* Bytes of the next character of the file. */
static size_t step(const char *raw, yaml_style style, int *dark)
{
    if (style == YAML_DOUBLE_QUOTED && raw[0] == '\\') return escape(raw, dark);
    *dark = !is_blank(raw[0]);
    if (style == YAML_SINGLE_QUOTED && raw[0] == '\'' && raw[1] == '\'') return 2;
    size_t length = 1;
    while (continues(raw[length])) length++;
    return length;
}

size_t yaml_place_in(const yaml_tree *tree, const yaml_node *scalar, int line, int column)
{
    const text_file *text = &tree->text;
    size_t wanted = dark_before(scalar->text, line, column), all = dark_before(scalar->text, 1 << 30, 1);
    size_t at = scalar->at, after = at;
    for (size_t seen = 0; at < text->length;) {
        int dark;
        size_t length = step(text->bytes + at, scalar->style, &dark);
        if (dark && seen == wanted && wanted < all) return at;
        if (dark) {
            seen++;
            after = at + length;
        }
        if (seen == all) break;
        at += length;
    }
    return after < text->length ? after : text->length;
}
