/* The lines on a terminal that are drawn again and again. */
#include "report/progress.h"

#include <math.h>
#include <string.h>

/* Characters that are seen: neither colours nor the further bytes of a character. */
static int seen_width(const char *text)
{
    int width = 0, escape = 0;
    for (; *text; text++) {
        if (*text == '\033') escape = 1;
        if (!escape) width += ((unsigned char)*text & 0xc0) != 0x80;
        if (*text == 'm') escape = 0;
    }
    return width;
}

/* Cuts a text without colours after so many characters. */
static void cut(char *text, int width)
{
    for (; *text; text++)
        if (((unsigned char)*text & 0xc0) != 0x80 && width-- <= 0) {
            *text = '\0';
            return;
        }
}

void progress_run(char *text, size_t size, int64_t trial, double seconds, const char *const *names,
                  const char *const *values, int d, const progress_style *style)
{
    static const char MORE[] = " ..."; /* as short as any parameter */
    char duration[32] = "";
    if (!isnan(seconds)) progress_duration(seconds, duration, sizeof duration);
    size_t used = (size_t)snprintf(text, size, "  trial %lld  %s ", (long long)trial, duration);
    for (int k = 0; k < d && used < size; k++) {
        size_t before = used;
        used += (size_t)snprintf(text + used, size - used, " %s=%s", names[k], values[k]);
        int width = seen_width(text) + (k + 1 < d ? (int)strlen(MORE) : 0);
        if (style->columns <= 0 || width < style->columns) continue;
        snprintf(text + before, size - before, "%s", MORE);
        break;
    }
    if (style->columns > 0) cut(text, style->columns - 1);
}

void progress_wrap(FILE *file, const char *text, int columns)
{
    int used = 0; /* characters of the line so far */
    while (*text) {
        size_t blanks = strspn(text, " "), length = strcspn(text + blanks, " \n");
        int before = (int)blanks, width = 0;
        for (size_t i = 0; i < length; i++) width += ((unsigned char)text[blanks + i] & 0xc0) != 0x80;
        if (used > 0 && length > 0 && used + before + width >= columns) {
            fputc('\n', file);
            used = before = 0;
        }
        fprintf(file, "%*s%.*s", before, "", (int)length, text + blanks);
        used += before + width;
        text += blanks + length;
        if (*text != '\n') continue;
        fputc(*text++, file);
        used = 0;
    }
}

/* To the first of the lines that are there, from the beginning of the last. A terminal that became
 * narrower has wrapped them. */
static void go_up(FILE *file, const progress_screen *screen, const progress_style *style)
{
    int rows = 0;
    for (int i = 0; i + 1 < screen->count; i++)
        rows += screen->width[i] > style->columns ? (screen->width[i] - 1) / style->columns + 1 : 1;
    if (rows > 0) fprintf(file, "\033[%dA", rows);
    fputc('\r', file);
}

void progress_draw(FILE *file, progress_screen *screen, const progress_style *style, char *const *lines,
                   int count)
{
    if (!style->terminal) return;
    if (count > PROGRESS_LINES) count = PROGRESS_LINES;
    go_up(file, screen, style);
    for (int i = 0; i < count; i++) {
        fprintf(file, "%s%s\033[K", i ? "\n" : "", lines[i]);
        screen->width[i] = seen_width(lines[i]);
    }
    /* What was below goes; an echo of ^C is then at the beginning of the line, where it does not wrap. */
    fputs("\033[J\r", file);
    screen->count = count;
    fflush(file);
}

void progress_clear(FILE *file, progress_screen *screen, const progress_style *style)
{
    if (!style->terminal) return;
    go_up(file, screen, style);
    fputs("\033[J", file);
    screen->count = 0;
    fflush(file);
}
