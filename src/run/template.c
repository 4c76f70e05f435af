#include "run/template.h"

#include "run/parameters.h"

#include "base/error.h"
#include "base/letters.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST = 400, LONGEST_FORMAT = 16 };

/* Where a template is being read. */
typedef struct {
    const simulator *sim;
    const char *name;
    int line;
    const double *x;
    buffer *file;
    gofh_error *error;
} filling;

static gofh_status wrong(filling *f, const char *problem, const char *bytes, size_t count)
{
    char excerpt[NUMBER_EXCERPT];
    number_excerpt(bytes, count, excerpt);
    if (f->error && f->error->status == GOFH_OK) f->error->line = f->line;
    return error_set(f->error, GOFH_ERROR_PROBLEM, "%s:%d: \"%s\" %s", f->name, f->line, excerpt, problem);
}

/* A parameter's index; PEST's names are the same in capitals. -1: none has that name. */
static int find_parameter(const simulator *sim, const char *name, size_t length, int any_case)
{
    for (int i = 0; i < sim->parameter_count; i++)
        if (strlen(sim->parameter_names[i]) == length && memcmp(sim->parameter_names[i], name, length) == 0)
            return i;
    for (int i = 0; any_case && i < sim->parameter_count; i++)
        if (strlen(sim->parameter_names[i]) == length && letters_alike(sim->parameter_names[i], name, length))
            return i;
    return -1;
}

static void trim(const char **bytes, size_t *count)
{
    while (*count > 0 && (**bytes == ' ' || **bytes == '\t')) ++*bytes, --*count;
    while (*count > 0 && ((*bytes)[*count - 1] == ' ' || (*bytes)[*count - 1] == '\t')) --*count;
}

/* ---- {{name:format}} ---- */

/* One conversion of one double, its width and precision at most two digits each: %-12.6e. */
static int is_format(const char *format)
{
    if (*format++ != '%') return 0;
    format += strspn(format, "-+ #0");
    size_t width = strspn(format, "0123456789"), precision = 0;
    format += width;
    if (*format == '.') {
        precision = strspn(++format, "0123456789");
        format += precision;
    }
    return width <= 2 && precision <= 2 && *format && strchr("eEfFgG", *format) && format[1] == '\0';
}

static void add_formatted(buffer *file, const char *format, double value)
{
    char text[WIDEST + 128];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    int count = number_format(text, sizeof text, format, value);
#pragma GCC diagnostic pop
    if (count > 0) buffer_add(file, text, (size_t)count < sizeof text ? (size_t)count : sizeof text - 1);
}

static gofh_status fill_place(filling *f, const char *bytes, size_t count)
{
    const char *colon = memchr(bytes, ':', count), *name = bytes, *text = colon ? colon + 1 : NULL;
    size_t name_length = colon ? (size_t)(colon - bytes) : count;
    size_t text_length = colon ? count - name_length - 1 : 0;
    trim(&name, &name_length);
    int index = find_parameter(f->sim, name, name_length, 0);
    if (index < 0) return wrong(f, "is not a parameter", name, name_length);
    if (!colon) {
        char value[PARAMETER_TEXT];
        parameters_text(f->sim, index, f->x[index], value);
        buffer_text(f->file, value);
        return GOFH_OK;
    }
    if (parameters_word(f->sim, index, f->x[index]))
        return wrong(f, "is a format for a number, but the parameter has choices", text, text_length);
    char format[LONGEST_FORMAT + 1] = "";
    if (text_length <= LONGEST_FORMAT) memcpy(format, text, text_length);
    if (strlen(format) != text_length || !is_format(format))
        return wrong(f, "is not a format for a number; right is for example %.6g or %12.4e", text,
                     text_length);
    add_formatted(f->file, format, f->x[index]);
    return GOFH_OK;
}

static const char *find_pair(const char *bytes, const char *end, char brace)
{
    for (; end - bytes >= 2; bytes++)
        if (bytes[0] == brace && bytes[1] == brace) return bytes;
    return NULL;
}

static int count_lines(const char *from, const char *to)
{
    int lines = 0;
    for (; from < to; from++) lines += *from == '\n';
    return lines;
}

static gofh_status fill_braces(filling *f, const char *bytes, const char *end)
{
    for (const char *open; (open = find_pair(bytes, end, '{'));) {
        f->line += count_lines(bytes, open);
        buffer_add(f->file, bytes, (size_t)(open - bytes));
        const char *newline = memchr(open, '\n', (size_t)(end - open)), *close;
        close = find_pair(open + 2, newline ? newline : end, '}');
        if (!close)
            return wrong(f, "is not closed by }} on its line", open,
                         (size_t)((newline ? newline : end) - open));
        gofh_status status = fill_place(f, open + 2, (size_t)(close - open - 2));
        if (status != GOFH_OK) return status;
        bytes = close + 2;
    }
    buffer_add(f->file, bytes, (size_t)(end - bytes));
    return GOFH_OK;
}

/* ---- PEST's template files ---- */

/* Drops what costs room but says nothing: 1.50e+05 is 1.5e5, 0.25 is .25. Leaves the point. */
static void shorten(char *text)
{
    char *exponent = strchr(text, 'e');
    if (exponent) {
        char *digits = exponent + 1, *to = exponent + 1;
        if (*digits == '-') to++, digits++;
        if (*digits == '+') digits++;
        while (*digits == '0' && digits[1]) digits++;
        memmove(to, digits, strlen(digits) + 1);
    }
    char *end = exponent ? exponent : text + strlen(text), *keep = end;
    if (memchr(text, '.', (size_t)(end - text)))
        while (keep[-1] == '0') keep--;
    memmove(keep, end, strlen(end) + 1);
    char *zero = text + (*text == '-');
    if (zero[0] == '0' && zero[1] == '.' && zero[2] >= '0' && zero[2] <= '9')
        memmove(zero, zero + 1, strlen(zero));
}

/* Keeps `text` in `best` if it fits and is nearer to value; of equals the one that came first. */
static void consider(const char *text, double value, int width, char *best, double *error)
{
    double off = fabs(number_scan(text, NULL) - value);
    if ((int)strlen(text) > width || off >= *error) return;
    snprintf(best, WIDEST, "%s", text);
    *error = off;
}

static void consider_digits(int digits, double value, int width, char *best, double *error)
{
    char text[WIDEST];
    int decimals = digits - 1 - (value == 0.0 ? 0 : (int)floor(log10(fabs(value))));
    if (decimals < 0) decimals = 0;
    if (decimals < 30 && fabs(value) < 1e30) {
        number_format(text, sizeof text, "%#.*f", decimals, value);
        shorten(text);
        consider(text, value, width, best, error);
    }
    number_format(text, sizeof text, "%#.*e", digits - 1, value);
    shorten(text);
    consider(text, value, width, best, error);
}

int template_fit(double value, int width, char *text)
{
    char best[WIDEST] = "";
    double error = INFINITY;
    for (int digits = 17; digits >= 1; digits--) consider_digits(digits, value, width, best, &error);
    /* The shortest that is right, if any is. */
    for (int digits = 1; digits <= 17 && error == 0.0; digits++) {
        double none = INFINITY;
        char candidate[WIDEST] = "";
        consider_digits(digits, value, width, candidate, &none);
        if (none > 0.0) continue;
        memcpy(best, candidate, sizeof best);
        break;
    }
    if (best[0] == '\0') {
        char plain[WIDEST];
        number_format(plain, sizeof plain, "%.0e", value);
        shorten(plain);
        consider(plain, value, width, best, &error);
    }
    /* A value that would be written as nothing has not been written. */
    if (best[0] == '\0' || (value != 0.0 && error >= fabs(value))) return -1;
    snprintf(text, (size_t)width + 1, "%*s", width, best);
    return 0;
}

static gofh_status fill_space(filling *f, const char *bytes, size_t count)
{
    const char *name = bytes + 1;
    size_t length = count - 2;
    trim(&name, &length);
    int index = find_parameter(f->sim, name, length, 1);
    if (index < 0) return wrong(f, "is not a parameter", name, length);
    char text[WIDEST + 1];
    if (count > WIDEST) return wrong(f, "is a space of more than 400 characters", bytes, count);
    const char *word = parameters_word(f->sim, index, f->x[index]);
    if (word && strlen(word) <= count)
        snprintf(text, sizeof text, "%-*s", (int)count, word);
    else if (word || template_fit(f->x[index], (int)count, text) != 0)
        return wrong(f, "is too narrow a space for the parameter's value; make it wider", bytes, count);
    buffer_text(f->file, text);
    return GOFH_OK;
}

static gofh_status fill_line(filling *f, const char *bytes, const char *end, char delimiter)
{
    for (const char *open; (open = memchr(bytes, delimiter, (size_t)(end - bytes)));) {
        buffer_add(f->file, bytes, (size_t)(open - bytes));
        const char *close = memchr(open + 1, delimiter, (size_t)(end - open - 1));
        if (!close) return wrong(f, "has no second delimiter on its line", open, (size_t)(end - open));
        gofh_status status = fill_space(f, open, (size_t)(close + 1 - open));
        if (status != GOFH_OK) return status;
        bytes = close + 1;
    }
    buffer_add(f->file, bytes, (size_t)(end - bytes));
    return GOFH_OK;
}

/* The end of the line that begins at `from`, its line end included. */
static const char *after_line(const char *from, const char *end)
{
    while (from < end && *from != '\n') from++;
    return from < end ? from + 1 : end;
}

static gofh_status fill_pest(filling *f, const char *bytes, const char *end)
{
    const char *next = after_line(bytes, end), *header = bytes + 3;
    size_t length = (size_t)(next - header);
    while (length > 0 && (header[length - 1] == '\r' || header[length - 1] == '\n')) length--;
    size_t whole = length + 3;
    trim(&header, &length);
    if (length != 1 || (header[0] >= '0' && header[0] <= '9') ||
        ((header[0] | 32) >= 'a' && (header[0] | 32) <= 'z'))
        return wrong(f, "must be \"ptf\", a space and the delimiter, which is neither a letter nor a digit",
                     bytes, whole);
    char delimiter = header[0];
    for (bytes = next; bytes < end; bytes = next) {
        f->line++;
        next = after_line(bytes, end);
        gofh_status status = fill_line(f, bytes, next, delimiter);
        if (status != GOFH_OK) return status;
    }
    return GOFH_OK;
}

gofh_status template_fill(const simulator *sim, const char *name, const char *bytes, size_t count,
                          const double *x, buffer *file, gofh_error *error)
{
    filling f = {sim, name, 1, x, file, error};
    int pest = count >= 4 && letters_alike(bytes, "ptf", 3) && (bytes[3] == ' ' || bytes[3] == '\t');
    buffer_text(file, "");
    gofh_status status = pest ? fill_pest(&f, bytes, bytes + count) : fill_braces(&f, bytes, bytes + count);
    return status == GOFH_OK && file->failed ? error_memory(error) : status;
}
