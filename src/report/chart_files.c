#include "report/chart_files.h"

#include "base/error.h"
#include "base/file.h"
#include "base/letters.h"
#include "base/memory.h"
#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void chart_name(chart *c, const char *first, const char *second, const char *third)
{
    const char *const parts[] = {first, second, third};
    size_t used = 0;
    for (int i = 0; i < 3; i++) {
        if (!parts[i]) continue;
        while (used && c->id[used - 1] == '_') used--;
        if (i && used + 2 < CHART_ID) c->id[used++] = '-';
        for (const char *p = parts[i]; *p && used + 1 < CHART_ID; p++) {
            char l = letters_lower(*p);
            int plain = (l >= 'a' && l <= 'z') || (*p >= '0' && *p <= '9');
            if (plain || used == 0 || c->id[used - 1] != '_') c->id[used++] = plain ? *p : '_';
        }
    }
    while (used && c->id[used - 1] == '_') used--;
    c->id[used] = '\0';
}

enum { SVG, CSV, PATH = 4096 };
static const char *const SUFFIX[] = {[SVG] = "svg", [CSV] = "csv"};

static int path_of(const chart *c, int kind, char path[PATH])
{
    if (snprintf(path, PATH, "%s/%s.%s", c->files->folder, c->id, SUFFIX[kind]) < PATH) return 0;
    errno = ENAMETOOLONG;
    return -1;
}

static void refuse(const chart *c, const char *path)
{
    error_set(c->files->error, GOFH_ERROR_SYSTEM, "%.180s can't be written: %s", path, strerror(errno));
}

static FILE *open_file(chart *c, int kind)
{
    char path[PATH];
    int descriptor = path_of(c, kind, path) ? -1 : file_beside(path, &c->parts[kind]);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (file) return file;
    refuse(c, path);
    if (descriptor >= 0) {
        close(descriptor);
        unlink(c->parts[kind]);
        free(c->parts[kind]);
        c->parts[kind] = NULL;
    }
    return NULL;
}

/* What was drawn gets its name, or is removed. */
static void close_file(chart *c, int kind, FILE *file)
{
    char path[PATH];
    errno = 0;
    int failed = ferror(file);
    failed |= fclose(file);
    if (failed) unlink(c->parts[kind]);
    if (path_of(c, kind, path) || failed || file_take_name(c->parts[kind], path)) refuse(c, path);
    free(c->parts[kind]);
    c->parts[kind] = NULL;
}

/* Two charts of the same name, of parameters "a+" and "a-" say, are told apart by a number. */
static int remember_id(chart *c)
{
    chart_files *files = c->files;
    char plain[CHART_ID];
    snprintf(plain, sizeof plain, "%s", c->id);
    for (int again = 2; again < 1000; again++) {
        int used = 0;
        for (size_t i = 0; i < files->count; i++) used |= strcmp(files->ids[i], c->id) == 0;
        if (!used) break;
        snprintf(c->id, sizeof c->id, "%.*s-%d", CHART_ID - 13, plain, again);
    }
    void *ids = files->ids;
    if (memory_grow(&ids, &files->room, files->count + 1, sizeof *files->ids)) {
        error_memory(files->error);
        return -1;
    }
    files->ids = ids;
    memcpy(files->ids[files->count++], c->id, sizeof c->id);
    return 0;
}

/* A cell of CSV. */
static void write_quoted(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"') fputc('"', file);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, file);
    }
    fputc('"', file);
}

void chart_files_begin(chart *c, const char *x_title, const char *y_title)
{
    if (c->files->error->status || remember_id(c)) return;
    FILE *svg = open_file(c, SVG);
    if (!svg) return;
    c->file = svg;
    c->opened = 1;
    c->csv = open_file(c, CSV);
    if (!c->csv) return;
    fputs("series,", c->csv);
    write_quoted(c->csv, x_title ? x_title : "x");
    fputc(',', c->csv);
    write_quoted(c->csv, y_title ? y_title : "y");
    fputs(",low,high\n", c->csv);
}

/* A cell of a place on an axis: its name, if it has one. */
static void write_place(FILE *file, const chart_axis *axis, double value)
{
    double which = value - axis->first;
    fputc(',', file);
    if (axis->words && which >= 0.0 && which < axis->word_count && which == floor(which))
        write_quoted(file, axis->words[(int)which]);
    else if (!isnan(value))
        number_print(file, "%.10g", value);
}

void chart_record(const chart *c, const char *class, double x, double y, double low, double high)
{
    const double ends[] = {low, high};
    if (!c->csv || c->unrecorded) return;
    write_quoted(c->csv, c->series ? c->series : class);
    write_place(c->csv, &c->x, x);
    write_place(c->csv, &c->y, y);
    for (int i = 0; i < 2; i++) {
        fputc(',', c->csv);
        if (!isnan(ends[i])) number_print(c->csv, "%.10g", ends[i]);
    }
    fputc('\n', c->csv);
}

void chart_files_end(chart *c)
{
    if (c->opened) close_file(c, SVG, c->file);
    if (c->csv) close_file(c, CSV, c->csv);
    c->csv = NULL;
}
