#include "bench/results.h"

#include "base/number.h"
#include "bench/problems.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char BENCH_RESULTS_HEADER[] =
    "problem,method,rep,evaluation,log10_regret_observed,log10_regret_recommended,seconds\n";

gofh_status bench_fail(gofh_error *error, gofh_status status, const char *format, ...)
{
    if (error && error->status == GOFH_OK) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        number_format_list(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

void bench_results_free(bench_results *results)
{
    free(results->rows);
    *results = (bench_results){0};
}

gofh_status bench_results_add(bench_results *results, const bench_row *rows, size_t count)
{
    size_t needed = results->count + count;
    if (needed > results->room) {
        size_t room = results->room ? results->room : 256;
        while (room < needed) room *= 2;
        bench_row *grown = realloc(results->rows, room * sizeof *grown);
        if (!grown) return GOFH_ERROR_MEMORY;
        results->rows = grown;
        results->room = room;
    }
    memcpy(results->rows + results->count, rows, count * sizeof *rows);
    results->count = needed;
    return GOFH_OK;
}

/* ---- Reading ---- */

static int read_name(const char *text, char *name)
{
    size_t length = strlen(text);
    if (length == 0 || length >= BENCH_NAME) return -1;
    memcpy(name, text, length + 1);
    return 0;
}

static int read_int(const char *text, int least, int *value)
{
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (end == text || *end || errno || number < least || number > INT_MAX) return -1;
    *value = (int)number;
    return 0;
}

/* An empty field is NaN. */
static int read_number(const char *text, double *value)
{
    char *end;
    *value = *text ? number_scan(text, &end) : NAN;
    return *text && (end == text || *end) ? -1 : 0;
}

/* The index of the field that is wrong, 7 for a wrong number of fields, or -1. Cuts the line up. */
static int read_row(char *line, bench_row *row)
{
    enum { FIELDS = 7 };
    char *field[FIELDS];
    int count = 0;
    for (char *rest = line; rest; count++) {
        char *comma = strchr(rest, ',');
        if (count < FIELDS) field[count] = rest;
        if (comma) *comma++ = '\0';
        rest = comma;
    }
    if (count != FIELDS) return FIELDS;
    if (read_name(field[0], row->problem)) return 0;
    if (read_name(field[1], row->method)) return 1;
    if (read_int(field[2], 0, &row->rep)) return 2;
    if (read_int(field[3], -1000000, &row->evaluation)) return 3;
    if (read_number(field[4], &row->observed) || isnan(row->observed)) return 4;
    if (read_number(field[5], &row->recommended)) return 5;
    if (read_number(field[6], &row->seconds)) return 6;
    return -1;
}

static gofh_status read_lines(bench_results *results, FILE *file, const char *path, long *whole,
                              gofh_error *error)
{
    static const char *const fields[] = {"problem",
                                         "method",
                                         "rep",
                                         "evaluation",
                                         "log10_regret_observed",
                                         "log10_regret_recommended",
                                         "seconds",
                                         "number of fields"};
    char *line = NULL;
    size_t room = 0;
    gofh_status status = GOFH_OK;
    ssize_t length;
    for (int number = 1; !status && (length = getline(&line, &room, file)) > 0; number++) {
        if (line[length - 1] != '\n') break;
        *whole += length;
        if (number == 1) {
            if (strcmp(line, BENCH_RESULTS_HEADER) != 0)
                status = bench_fail(error, GOFH_ERROR_ARGUMENT,
                                    "%s:1: not a file of results: its first line is not %.*s", path,
                                    (int)sizeof BENCH_RESULTS_HEADER - 2, BENCH_RESULTS_HEADER);
            continue;
        }
        bench_row row;
        line[length - 1] = '\0';
        int wrong = read_row(line, &row);
        if (wrong >= 0)
            status = bench_fail(error, GOFH_ERROR_ARGUMENT, "%s:%d: the %s is wrong", path, number,
                                fields[wrong]);
        else
            status = bench_results_add(results, &row, 1);
    }
    free(line);
    return status;
}

gofh_status bench_results_read(bench_results *results, const char *path, long *whole, gofh_error *error)
{
    long size = 0;
    FILE *file = fopen(path, "r");
    if (!file) return bench_fail(error, GOFH_ERROR_SYSTEM, "can't read %s: %s", path, strerror(errno));
    gofh_status status = read_lines(results, file, path, &size, error);
    if (!status && ferror(file))
        status = bench_fail(error, GOFH_ERROR_SYSTEM, "can't read %s: %s", path, strerror(errno));
    fclose(file);
    if (whole) *whole = size;
    return status;
}

/* ---- Order ---- */

static int problem_place(const char *name)
{
    int place = 0;
    while (bench_problem_at(place) && strcmp(bench_problem_at(place)->name, name) != 0) place++;
    return place;
}

/* gofh+start, from the start, has the place of gofh. */
static int method_place(const char *name)
{
    int place = 0;
    size_t length = strcspn(name, "+");
    for (const char *known; (known = gofh_method_name(place)) != NULL; place++)
        if (strlen(known) == length && strncmp(known, name, length) == 0) break;
    return place;
}

typedef struct {
    bench_row row;
    size_t added;
    int problem, method;
} sortable;

static int compare_replications(const sortable *a, const sortable *b)
{
    if (a->problem != b->problem) return a->problem < b->problem ? -1 : 1;
    int order = strcmp(a->row.problem, b->row.problem);
    if (order) return order;
    if (a->method != b->method) return a->method < b->method ? -1 : 1;
    order = strcmp(a->row.method, b->row.method);
    if (order) return order;
    return (a->row.rep > b->row.rep) - (a->row.rep < b->row.rep);
}

static int compare(const void *first, const void *second)
{
    const sortable *a = first, *b = second;
    int order = compare_replications(a, b);
    if (order) return order;
    if (a->row.evaluation != b->row.evaluation) return a->row.evaluation < b->row.evaluation ? -1 : 1;
    return (a->added > b->added) - (a->added < b->added);
}

gofh_status bench_results_sort(bench_results *results)
{
    size_t count = results->count, kept = 0;
    sortable *items = malloc((count ? count : 1) * sizeof *items);
    if (!items) return GOFH_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++)
        items[i] = (sortable){.row = results->rows[i],
                              .added = i,
                              .problem = problem_place(results->rows[i].problem),
                              .method = method_place(results->rows[i].method)};
    qsort(items, count, sizeof *items, compare);
    int next = 0; /* the evaluation that comes next in this replication */
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_replications(&items[i - 1], &items[i]) != 0)
            next = items[i].row.evaluation < 0 ? items[i].row.evaluation : 0;
        int again = i + 1 < count && compare_replications(&items[i], &items[i + 1]) == 0 &&
                    items[i].row.evaluation == items[i + 1].row.evaluation;
        if (again || items[i].row.evaluation != next) continue;
        results->rows[kept++] = items[i].row;
        next++;
    }
    results->count = kept;
    free(items);
    return GOFH_OK;
}

size_t bench_results_find(const bench_results *results, const char *problem, const char *method, int rep,
                          size_t *first)
{
    size_t count = 0;
    for (size_t i = 0; i < results->count; i++) {
        const bench_row *row = &results->rows[i];
        if (row->rep != rep || strcmp(row->method, method) != 0 || strcmp(row->problem, problem) != 0)
            continue;
        if (count++ == 0) *first = i;
    }
    return count;
}

/* ---- Writing ---- */

void bench_results_print(FILE *file, const bench_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const bench_row *row = &rows[i];
        number_print(file, "%s,%s,%d,%d,%.6f,", row->problem, row->method, row->rep, row->evaluation,
                     row->observed);
        if (!isnan(row->recommended)) number_print(file, "%.6f", row->recommended);
        number_print(file, ",%.6f\n", row->seconds);
    }
}

/* The folder too: a rename is on disk when its folder is. */
static int sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    int file = folder ? open(folder, O_RDONLY | O_CLOEXEC) : -1;
    free(folder);
    if (file < 0) return -1;
    int failed = fsync(file);
    close(file);
    return failed;
}

gofh_status bench_results_replace(const bench_results *results, const char *path, gofh_error *error)
{
    size_t length = strlen(path) + sizeof ".new";
    char *fresh = malloc(length);
    if (!fresh) return GOFH_ERROR_MEMORY;
    snprintf(fresh, length, "%s.new", path);
    FILE *file = fopen(fresh, "w");
    int failed = !file;
    if (file) {
        fputs(BENCH_RESULTS_HEADER, file);
        bench_results_print(file, results->rows, results->count);
        failed = fflush(file) != 0 || ferror(file) || fsync(fileno(file)) != 0;
        failed |= fclose(file) != 0;
        failed = failed || rename(fresh, path) != 0 || sync_folder(path) != 0;
        if (failed) unlink(fresh);
    }
    gofh_status status = GOFH_OK;
    if (failed) status = bench_fail(error, GOFH_ERROR_SYSTEM, "can't write %s: %s", path, strerror(errno));
    free(fresh);
    return status;
}
