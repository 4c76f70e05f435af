/* gofh import: evaluations made elsewhere. */
#include "base/letters.h"
#include "base/number.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "problem/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] =
    "usage: gofh import problem.yaml data.csv [--json]\n"
    "\n"
    "Takes evaluations from a CSV file, or from standard input where that is called\n"
    "\"-\". It has a column for each parameter and for each output value (c[0], c[1],\n"
    "... for an output of several), in any order; where all rows failed, none for\n"
    "outputs. Other columns are left alone, but for these, as \"gofh export\" prints\n"
    "them:\n"
    "  status            rows that are \"done\" or \"failed\" are taken, others not\n"
    "  reason            of a row that failed\n"
    "  variance(OUTPUT)  of the noise of this observation; an empty cell: not known\n"
    "They do not count against the budget. Rows that the study has already are\n"
    "skipped, so a file may be imported again after it has grown. If one row is\n"
    "wrong, none is taken; nor if the command is killed.\n"
    "  --json  print the numbers of rows as JSON\n";

typedef struct {
    const char *name;
    int column;
} header_name;

typedef struct {
    session *s;
    csv_table table;
    header_name *sorted; /* the header, by name */
    int *column;         /* d + m, and m of variances, which may be missing: -1 */
    int status, reason;  /* the columns of these names; -1: none */
    /* x, y and variances, one row per evaluation: the trials of the study, then what is taken. */
    double *values;
    gofh_evaluation *list; /* of both, with pointers into that */
    int count;             /* of both together */
    int taken, failed, known, undone;
} intake;

/* By name, the first of several alike first. */
static int compare_names(const void *a, const void *b)
{
    const header_name *one = a, *other = b;
    int order = strcmp(one->name, other->name);
    return order ? order : (one->column > other->column) - (one->column < other->column);
}

/* The columns sorted by their names: there may be as many as outputs and variances, 200,000. */
static int sort_columns(intake *in)
{
    in->sorted = calloc((size_t)in->table.columns, sizeof *in->sorted);
    if (!in->sorted) return session_no_memory(in->s);
    for (int k = 0; k < in->table.columns; k++) in->sorted[k] = (header_name){in->table.header[k].text, k};
    qsort(in->sorted, (size_t)in->table.columns, sizeof *in->sorted, compare_names);
    return EXIT_DONE;
}

/* The first column of a name; NULL where there is none. Others of the name follow it. */
static const header_name *find_name(const intake *in, const char *name)
{
    int low = 0, high = in->table.columns;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (strcmp(in->sorted[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    int found = low < in->table.columns && strcmp(in->sorted[low].name, name) == 0;
    return found ? &in->sorted[low] : NULL;
}

/* Its number, from 0; -1 where there is none. */
static int find_column(const intake *in, const char *name)
{
    const header_name *found = find_name(in, name);
    return found ? found->column : -1;
}

static int is_twice(const intake *in, const char *name)
{
    const header_name *found = find_name(in, name), *end = in->sorted + in->table.columns;
    return found && found + 1 < end && strcmp(found[1].name, name) == 0;
}

static const csv_cell *cell_at(const intake *in, int row, int column)
{
    return &in->table.cells[row * in->table.columns + column];
}

/* Whether the status of row i is this word, in whatever letters; without a column all are done. */
static int says(const intake *in, int i, const char *word)
{
    const char *status = in->status < 0 ? "done" : cell_at(in, i, in->status)->text;
    return strlen(status) == strlen(word) && letters_alike(status, word, strlen(word));
}

/* Whether any row is a result, and not a failure or to be skipped. */
static int has_outputs(const intake *in)
{
    int found = in->status < 0 || in->table.rows == 0;
    for (int i = 0; i < in->table.rows && !found; i++) found = says(in, i, "done");
    return found;
}

static int no_column(const intake *in, const char *name)
{
    char names[200] = "";
    size_t at = 0;
    for (int k = 0; k < in->table.columns && at < sizeof names - 1; k++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", k ? ", " : "",
                               in->table.header[k].text);
    number_make_printable(names);
    return arguments_wrong("import", "%s has no column \"%s\": it has %s%s", in->table.text.path, name, names,
                           at >= sizeof names - 1 ? "..." : "");
}

/* The columns of all names, or a message about the first that is missing. */
static int find_columns(intake *in)
{
    const session *s = in->s;
    char label[SESSION_LABEL];
    if (!in->table.header)
        return arguments_wrong("import", "%s has no header with the names", in->table.text.path);
    int outcome = sort_columns(in);
    if (outcome) return outcome;
    session_column(s, "status", label);
    in->status = find_column(in, label);
    session_column(s, "reason", label);
    in->reason = find_column(in, label);
    int wanted = has_outputs(in) ? s->d + s->m : s->d;
    for (int i = 0; i < wanted; i++) {
        if (i >= s->d) session_label(s, i - s->d, label);
        const char *name = i < s->d ? s->file.parameters[i].name : label;
        in->column[i] = find_column(in, name);
        if (in->column[i] < 0) return no_column(in, name);
        if (is_twice(in, name))
            return arguments_wrong("import", "%s has the column \"%s\" twice: leave one out",
                                   in->table.text.path, name);
    }
    for (int j = 0; j < s->m; j++) {
        char name[SESSION_LABEL + 16];
        session_label(s, j, label);
        snprintf(name, sizeof name, "variance(%s)", label);
        in->column[s->d + s->m + j] = find_column(in, name);
    }
    return EXIT_DONE;
}

/* Says where in the file something is wrong. */
static int wrong_cell(const intake *in, int row, int column, const char *name, double value, double lower,
                      double upper)
{
    int line, at;
    text_place(&in->table.text, cell_at(in, row, column)->at, &line, &at);
    int digits = parameter_digits(value, lower, upper);
    number_print(stderr, "gofh import: %s:%d:%d: %s is %.*g, outside its bounds %.*g to %.*g\n",
                 in->table.text.path, line, at, name, digits, value, digits, lower, digits, upper);
    return EXIT_USAGE;
}

static int refuse_cell(const intake *in, int row, int column, const char *why)
{
    int line, at;
    text_place(&in->table.text, cell_at(in, row, column)->at, &line, &at);
    fprintf(stderr, "gofh import: %s:%d:%d: %s\n", in->table.text.path, line, at, why);
    return EXIT_USAGE;
}

static int read_cell(const intake *in, int row, int column, double *value)
{
    problem_error error = {0};
    char text[sizeof error + 64];
    if (csv_number(&in->table, row, column, value, &error)) {
        problem_error_text(&error, text, sizeof text);
        fprintf(stderr, "gofh import: %s\n", text);
        return EXIT_USAGE;
    }
    *value += 0.0; /* a study has no minus zero */
    return EXIT_DONE;
}

/* The evaluation after the last one, whose numbers have their place. */
static gofh_evaluation place_evaluation(const intake *in, double **x, double **y, double **variance)
{
    const session *s = in->s;
    *x = in->values + (size_t)in->count * (size_t)(s->d + 2 * s->m);
    *y = *x + s->d;
    *variance = *y + s->m;
    return (gofh_evaluation){.x = *x, .y = *y, .variance = *variance};
}

/* Whether value j of all outputs may be missing. */
static int may_miss(const session *s, int j)
{
    const problem_output *output = s->file.outputs;
    for (; j >= output->size; output++) j -= output->size;
    return output->missing;
}

/* The outputs of row i and what is known of their noise. */
static int read_outputs(const intake *in, int i, double *y, double *variance)
{
    const session *s = in->s;
    int outcome = EXIT_DONE;
    for (int j = 0; j < s->m && !outcome; j++) {
        int column = in->column[s->d + s->m + j], missing;
        variance[j] = NAN;
        missing = may_miss(s, j) && csv_is_missing(&in->table, i, in->column[s->d + j]);
        if (missing)
            y[j] = NAN;
        else
            outcome = read_cell(in, i, in->column[s->d + j], &y[j]);
        if (missing || outcome || column < 0 || cell_at(in, i, column)->text[0] == '\0') continue;
        outcome = read_cell(in, i, column, &variance[j]);
        if (!outcome && variance[j] < 0.0)
            outcome = wrong_cell(in, i, column, "a variance", variance[j], 0.0, INFINITY);
    }
    return outcome;
}

/* Whether row i is an evaluation; if so it is read, to the place after the last one. */
static int read_row(intake *in, int i, int *is_over)
{
    const session *s = in->s;
    int failed = says(in, i, "failed");
    double *x, *y, *variance;
    gofh_evaluation e = place_evaluation(in, &x, &y, &variance);
    *is_over = failed || says(in, i, "done");
    if (!*is_over) return EXIT_DONE;
    for (int k = 0; k < s->d; k++) {
        const problem_parameter *p = &s->file.parameters[k];
        char why[400];
        if (p->kind != PARAMETER_INTERVAL) {
            if (!parameter_read(p, cell_at(in, i, in->column[k])->text, &x[k], why, sizeof why))
                return refuse_cell(in, i, in->column[k], why);
            continue;
        }
        int outcome = read_cell(in, i, in->column[k], &x[k]);
        if (outcome) return outcome;
        if (!(x[k] >= p->lower && x[k] <= p->upper))
            return wrong_cell(in, i, in->column[k], p->name, x[k], p->lower, p->upper);
    }
    int outcome = failed ? EXIT_DONE : read_outputs(in, i, y, variance);
    if (failed) e.y = e.variance = NULL;
    if (failed && in->reason >= 0) e.reason = cell_at(in, i, in->reason)->text;
    in->list[in->count] = e;
    return outcome;
}

/* Whether the evaluation after the last one is among the others. */
static int is_known(const intake *in)
{
    size_t x = (size_t)in->s->d * sizeof(double), y = (size_t)in->s->m * sizeof(double);
    const gofh_evaluation *last = &in->list[in->count];
    for (const gofh_evaluation *e = in->list; e < last; e++)
        if (!e->y == !last->y && memcmp(e->x, last->x, x) == 0 && (!e->y || memcmp(e->y, last->y, y) == 0))
            return 1;
    return 0;
}

/* Those that the study has, with room for all rows after them. */
static int gather_trials(intake *in)
{
    const session *s = in->s;
    size_t room = (size_t)gofh_study_count(s->study) + (size_t)in->table.rows + 1;
    in->values = calloc(room, (size_t)(s->d + 2 * s->m) * sizeof *in->values);
    in->list = calloc(room, sizeof *in->list);
    if (!in->values || !in->list) return session_no_memory(s);
    for (int64_t i = 1; i <= gofh_study_count(s->study); i++) {
        gofh_trial trial;
        double *x, *y, *variance;
        gofh_status status = gofh_study_trial(s->study, i, &trial);
        if (status) return session_failed(s, status);
        if (trial.state == GOFH_TRIAL_OPEN) continue;
        gofh_evaluation e = place_evaluation(in, &x, &y, &variance);
        memcpy(x, trial.x, (size_t)s->d * sizeof *x);
        if (trial.y)
            memcpy(y, trial.y, (size_t)s->m * sizeof *y);
        else
            e.y = NULL;
        in->list[in->count++] = e;
    }
    return EXIT_DONE;
}

static int take_rows(intake *in)
{
    int outcome = gather_trials(in), is_over = 0, before = in->count;
    if (outcome || !in->values || !in->list) return outcome;
    for (int i = 0; i < in->table.rows && !outcome; i++) {
        outcome = read_row(in, i, &is_over);
        if (outcome) break;
        if (!is_over)
            in->undone++;
        else if (is_known(in))
            in->known++;
        else
            in->failed += !in->list[in->count++].y;
    }
    if (outcome) return outcome;
    in->taken = in->count - before;
    gofh_status status = gofh_study_import_all(in->s->study, in->list + before, in->taken, NULL);
    return status ? session_failed(in->s, status) : EXIT_DONE;
}

/* All rows once, before there is a study: one that is wrong leaves nothing behind. */
static int check_rows(intake *in)
{
    double *values = calloc((size_t)(in->s->d + 2 * in->s->m), sizeof *values);
    gofh_evaluation list = {.size = 0};
    if (!values) return session_no_memory(in->s);
    int outcome = EXIT_DONE, is_over;
    in->values = values;
    in->list = &list;
    for (int i = 0; i < in->table.rows && !outcome; i++) outcome = read_row(in, i, &is_over);
    in->values = NULL;
    in->list = NULL;
    free(values);
    return outcome;
}

static int import_table(intake *in, int json)
{
    size_t values = (size_t)(in->s->d + 2 * in->s->m);
    in->column = calloc(values, sizeof *in->column);
    if (!in->column) return session_no_memory(in->s);
    int outcome = find_columns(in);
    if (!outcome) outcome = check_rows(in);
    if (!outcome) outcome = session_open(in->s, GOFH_OPEN_WRITE);
    if (!outcome) outcome = take_rows(in);
    free(in->sorted);
    free(in->column);
    free(in->values);
    free(in->list);
    if (outcome) return outcome;
    if (json) {
        json_t *counts = json_object();
        json_object_set_new(counts, "imported", json_integer(in->taken));
        json_object_set_new(counts, "failed", json_integer(in->failed));
        json_object_set_new(counts, "known", json_integer(in->known));
        json_object_set_new(counts, "undone", json_integer(in->undone));
        return describe_print(in->s, counts);
    }
    printf("%d evaluation%s imported", in->taken, in->taken == 1 ? "" : "s");
    if (in->failed) printf(" (%d of them failed)", in->failed);
    if (in->known) printf(", %d known already", in->known);
    if (in->undone)
        printf(", %d skipped that %s neither done nor failed", in->undone, in->undone == 1 ? "is" : "are");
    putchar('\n');
    return EXIT_DONE;
}

int command_import(int count, char **arguments)
{
    const char *words[2];
    int json = 0;
    arguments_option options[] = {{"--json", &json, NULL}, {0}};
    arguments_spec spec = {"import", USAGE, options, words, 2, 2, 0};
    int status = arguments_read(&spec, count, arguments);
    if (status != ARGUMENTS_GO_ON) return status;
    session s;
    problem_error error = {0};
    intake in = {.s = &s};
    if (strcmp(words[1], "-") == 0) words[1] = "/dev/stdin";
    status = session_read(&s, "import", words[0]);
    if (!status) {
        if (csv_read(&in.table, words[1], words[1], &error)) {
            char text[sizeof error + 64];
            problem_error_text(&error, text, sizeof text);
            fprintf(stderr, "gofh import: %s\n", text);
            status = EXIT_USAGE;
        } else {
            status = import_table(&in, json);
            csv_free(&in.table);
        }
    }
    session_close(&s);
    return status;
}
