#include "cli/draft.h"

#include "base/letters.h"
#include "base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int draft_fail(draft *d, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!d->error[0]) number_format_list(d->error, sizeof d->error, format, arguments);
    va_end(arguments);
    number_make_printable(d->error);
    return -1;
}

int draft_split(const char *line, draft_words words)
{
    int count = 0;
    while (count < DRAFT_WORDS) {
        line += strspn(line, " \t\r\n");
        if (!*line) break;
        int length = (int)strcspn(line, " \t\r\n");
        snprintf(words[count++], DRAFT_PATH, "%.*s", length, line);
        line += length;
    }
    return count;
}

int draft_alike(const char *a, const char *b)
{
    return strlen(a) == strlen(b) && letters_alike(a, b, strlen(b));
}

int draft_begins(const char *text, const char *beginning)
{
    return strlen(text) >= strlen(beginning) && letters_alike(text, beginning, strlen(beginning));
}

int draft_is_name(const char *text)
{
    static const char *const taken[] = {"params", "results", "trial"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, taken[i]) == 0) return 0;
    return strlen(text) <= 60 && letters_are_name(text);
}

int draft_add(draft *d, const char *name, double lower, double upper, int log, double start, const char *note)
{
    if (d->count == DRAFT_PARAMETERS)
        return draft_fail(d, "there are more than %d parameters, the most that gofh takes", DRAFT_PARAMETERS);
    if (!draft_is_name(name))
        return draft_fail(d,
                          "\"%.60s\" can't be a name: letters, digits and _, not a digit first, and not "
                          "params, results or trial",
                          name);
    if (!isfinite(lower) || !isfinite(upper))
        return draft_fail(d, "parameter %s needs two finite bounds: gofh searches between them", name);
    if (!(lower < upper))
        return draft_fail(d, "upper bound %g of parameter %s is not above its lower bound %g", upper, name,
                          lower);
    draft_parameter *p = &d->parameters[d->count++];
    *p = (draft_parameter){.lower = lower, .upper = upper, .log = log && lower > 0.0, .start = start};
    snprintf(p->name, sizeof p->name, "%s", name);
    snprintf(p->note, sizeof p->note, "%s", note ? note : "");
    return 0;
}

buffer *draft_add_file(draft *d, const char *name, int executable)
{
    if (d->file_count == DRAFT_FILES) {
        draft_fail(d, "more than %d files would be written", DRAFT_FILES);
        return NULL;
    }
    draft_file *file = &d->files[d->file_count++];
    snprintf(file->name, sizeof file->name, "%s", name);
    file->executable = executable;
    return &file->text;
}

void draft_number(buffer *text, double value)
{
    char digits[NUMBER_TEXT];
    number_write(value, digits);
    buffer_text(text, digits);
}

void draft_quoted(buffer *text, const char *value)
{
    buffer_text(text, "'");
    for (const char *c = value; *c; c++) {
        if (*c == '\'') buffer_text(text, "'");
        buffer_add(text, c, 1);
    }
    buffer_text(text, "'");
}

/* ---- The problem file ---- */

static void write_parameters(const draft *d, buffer *text)
{
    int width = 0;
    for (int i = 0; i < d->count; i++) {
        int length = (int)strlen(d->parameters[i].name);
        width = length > width ? length : width;
    }
    buffer_text(text, "parameters:\n");
    for (int i = 0; i < d->count; i++) {
        const draft_parameter *p = &d->parameters[i];
        buffer_format(text, "  %s:%*s {lower: ", p->name, width - (int)strlen(p->name), "");
        draft_number(text, p->lower);
        buffer_text(text, ", upper: ");
        draft_number(text, p->upper);
        buffer_format(text, "%s}%s%s\n", p->log ? ", scale: log" : "", *p->note ? "  # " : "", p->note);
    }
}

static void write_start(const draft *d, buffer *text)
{
    int first = 1;
    for (int i = 0; i < d->count; i++) {
        const draft_parameter *p = &d->parameters[i];
        if (!(p->start >= p->lower && p->start <= p->upper)) continue;
        buffer_format(text, "%s%s: ", first ? "start: {" : ", ", p->name);
        draft_number(text, p->start);
        first = 0;
    }
    if (!first) buffer_text(text, "}  # the values it had: they are run first\n");
}

static void add_section(buffer *text, const buffer *section)
{
    if (section->bytes) buffer_text(text, section->bytes);
}

static void write_problem(const draft *d, buffer *text)
{
    add_section(text, &d->head);
    buffer_format(text, "study: {budget: %d, seed: %lld}  # budget: simulator runs in all\n", d->budget,
                  d->seed);
    write_parameters(d, text);
    write_start(d, text);
    add_section(text, &d->prior);
    add_section(text, &d->simulator);
    add_section(text, &d->outputs);
    add_section(text, &d->data);
    add_section(text, &d->objective);
    add_section(text, &d->constraints);
}

/* ---- The files ---- */

/* `name` in the folder of `path`. */
static void beside(const char *path, const char *name, char *result, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(result, size, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, name);
}

int draft_refuse(draft *d, const char *path)
{
    if (access(path, F_OK) != 0) return 0;
    return draft_fail(d, "%s exists: move it away, or begin in another folder", path);
}

static int write_file(draft *d, const char *path, const buffer *text, int executable)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, executable ? 0777 : 0666);
    if (file < 0) return draft_fail(d, "%s can't be written: %s", path, strerror(errno));
    size_t done = 0;
    while (done < text->length) {
        ssize_t count = write(file, text->bytes + done, text->length - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) break;
        done += (size_t)count;
    }
    int failed = close(file) != 0 || done < text->length;
    return failed ? draft_fail(d, "%s can't be written: %s", path, strerror(errno)) : 0;
}

int draft_write(draft *d, const char *path)
{
    buffer problem = {0};
    char name[2 * DRAFT_PATH];
    if (d->count == 0) return draft_fail(d, "there is no parameter");
    write_problem(d, &problem);
    int failed = problem.failed;
    for (int i = 0; i < d->file_count; i++) failed |= d->files[i].text.failed;
    int status = failed ? draft_fail(d, "out of memory") : draft_refuse(d, path);
    for (int i = 0; i < d->file_count && !status; i++) {
        beside(path, d->files[i].name, name, sizeof name);
        status = draft_refuse(d, name);
    }
    for (int i = 0; i < d->file_count && !status; i++) {
        beside(path, d->files[i].name, name, sizeof name);
        status = write_file(d, name, &d->files[i].text, d->files[i].executable);
    }
    if (!status) status = write_file(d, path, &problem, 0);
    buffer_free(&problem);
    return status;
}

void draft_free(draft *d)
{
    buffer *sections[] = {&d->head, &d->prior,     &d->simulator,  &d->outputs,
                          &d->data, &d->objective, &d->constraints};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) buffer_free(sections[i]);
    for (int i = 0; i < d->file_count; i++) buffer_free(&d->files[i].text);
}
