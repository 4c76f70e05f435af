#include "report/progress.h"

#include "base/letters.h"
#include "base/number.h"
#include "base/printable.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS = 80, ROWS = 24, COLUMNS_MIN = 10, ITEM = 64 };

static int is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (int i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);
        if (!value || !*value) continue;
        const char *dot = strchr(value, '.');
        return dot && (letters_alike(dot + 1, "utf-8", 5) || letters_alike(dot + 1, "utf8", 4));
    }
    return 0;
}

progress_style progress_detect(FILE *file)
{
    struct winsize size;
    int descriptor = fileno(file);
    const char *refused = getenv("NO_COLOR"), *kind = getenv("TERM");
    progress_style style = {.columns = COLUMNS, .rows = ROWS, .unicode = is_utf8()};
    int dumb = !kind || strcmp(kind, "dumb") == 0;
    style.terminal = descriptor >= 0 && isatty(descriptor) && !dumb;
    style.colour = style.terminal && !(refused && *refused);
    if (style.terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= COLUMNS_MIN) {
        style.columns = size.ws_col;
        if (size.ws_row > 0) style.rows = size.ws_row;
    }
    return style;
}

void progress_duration(double seconds, char *text, size_t size)
{
    double minutes = round(seconds / 60.0), hours = floor(minutes / 60.0);
    if (!(seconds >= 0.0) || !isfinite(seconds))
        snprintf(text, size, "unknown");
    else if (seconds < 99.5)
        number_format(text, size, "%.0f s", seconds);
    else if (minutes < 100.0)
        number_format(text, size, "%.0f min", minutes);
    else if (hours < 48.0)
        number_format(text, size, "%.0f h %.0f min", hours, minutes - 60.0 * hours);
    else
        number_format(text, size, "%.0f d %.0f h", floor(hours / 24.0), hours - 24.0 * floor(hours / 24.0));
}

/* ---- The live line ---- */

/* In the order in which they are seen. */
enum { COUNT, BEST, SPARK, EXPECTED, RUNNING, FAILED, LEFT, ITEMS };
/* What is given up, from the first, until the rest fits. */
static const int DROPPED_FIRST[ITEMS] = {SPARK, EXPECTED, RUNNING, LEFT, FAILED, BEST, COUNT};
static const char *const COLOURS[ITEMS] = {"\033[1m", "\033[32m", "\033[32m", "\033[2m",
                                           "\033[2m", "\033[31m", "\033[2m"};

static const char *nothing_yet(const progress_state *state)
{
    return state->best_violates ? "nothing feasible yet" : "no finite f yet";
}

static void write_gain(double expected, char text[ITEM])
{
    char number[NUMBER_TEXT];
    number_write_short(expected, 2, number);
    snprintf(text, ITEM, "expected gain %s", number);
}

static void write_items(const progress_state *state, char items[ITEMS][ITEM])
{
    char duration[32];
    memset(items, 0, sizeof(char[ITEMS][ITEM]));
    if (state->budget > 0)
        snprintf(items[COUNT], ITEM, "%d of %d", state->finished, state->budget);
    else
        snprintf(items[COUNT], ITEM, "%d", state->finished);
    if (isinf(state->best))
        snprintf(items[BEST], ITEM, "%s", nothing_yet(state));
    else if (!isnan(state->best))
        number_format(items[BEST], ITEM, "best %.6g", state->best);
    if (state->spark) snprintf(items[SPARK], ITEM, "%s", state->spark);
    if (!isnan(state->expected)) write_gain(state->expected, items[EXPECTED]);
    if (state->running > 0 && state->queue)
        snprintf(items[RUNNING], ITEM, "%s", state->queue);
    else if (state->running > 0)
        snprintf(items[RUNNING], ITEM, "%d running", state->running);
    if (state->failed > 0) snprintf(items[FAILED], ITEM, "%d failed", state->failed);
    if (isnan(state->seconds)) return;
    progress_duration(state->seconds, duration, sizeof duration);
    snprintf(items[LEFT], ITEM, "%s left", duration);
    if (!(state->seconds_high > state->seconds_low)) return;
    char low[32];
    progress_duration(state->seconds_low, low, sizeof low);
    progress_duration(state->seconds_high, duration, sizeof duration);
    if (strcmp(low, duration) != 0) snprintf(items[LEFT], ITEM, "%.24s to %.24s left", low, duration);
}

/* Characters, not bytes. */
static int seen_width(const char *text)
{
    int width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static int line_width(char items[ITEMS][ITEM])
{
    int width = -2;
    for (int i = 0; i < ITEMS; i++)
        if (items[i][0]) width += seen_width(items[i]) + 2;
    return width;
}

static void append(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    number_format_list(text + used, size - used, format, arguments);
    va_end(arguments);
}

void progress_line(char *text, size_t size, const progress_state *state, const progress_style *style)
{
    char items[ITEMS][ITEM];
    int most = style->columns - 1;
    write_items(state, items);
    for (int i = 0; i < ITEMS - 1 && line_width(items) > most; i++) items[DROPPED_FIRST[i]][0] = '\0';
    if (most >= 0 && most < (int)strlen(items[COUNT])) items[COUNT][most] = '\0';
    text[0] = '\0';
    for (int i = 0; i < ITEMS; i++) {
        if (!items[i][0]) continue;
        append(text, size, "%s%s%s%s", *text ? "  " : "", style->colour ? COLOURS[i] : "", items[i],
               style->colour ? "\033[0m" : "");
    }
}

/* ---- One line per evaluation ---- */

void progress_plain(char *text, size_t size, const gofh_trial *trial, const progress_state *state)
{
    text[0] = '\0';
    append(text, size, "trial %lld", (long long)trial->trial);
    if (state->budget > 0) append(text, size, " (%d of %d)", state->finished, state->budget);
    if (trial->state == GOFH_TRIAL_FAILED) {
        append(text, size, "  failed: %.300s", trial->reason);
        printable_make(text);
    } else {
        append(text, size, "  %s", trial->origin);
        if (isinf(trial->f))
            append(text, size, state->violates ? "  not feasible" : "  f is not finite");
        else if (isnan(trial->f))
            append(text, size, "  f unknown");
        else
            append(text, size, "  f %.6g", trial->f);
        if (!isnan(trial->expected)) {
            char gain[ITEM];
            write_gain(trial->expected, gain);
            append(text, size, "  %s", gain);
        }
    }
    if (isinf(state->best))
        append(text, size, "  %s", nothing_yet(state));
    else if (!isnan(state->best))
        append(text, size, "  best %.6g", state->best);
    size_t used = strlen(text);
    if (used + 1 >= size && size >= 2) used = size - 2;
    snprintf(text + used, size - used, "\n");
}
