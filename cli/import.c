/* gofh import: evaluations made elsewhere. */
#include "base/number.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "problem/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] =
    "usage: gofh import problem.yaml data.csv [--json]\n"
    "\n"
    "Takes evaluations from a CSV file with a column for each parameter and for each\n"
    "output value (c[0], c[1], ... for an output of several), in any order; other\n"
    "columns are left alone. Of a file that \"gofh export\" printed, the trials that\n"
    "are done are taken. They do not count against the budget. Rows that the study\n"
    "has already are skipped, so a file may be imported again after it has grown.\n"
    "If one row is wrong, none is taken; nor if the command is killed.\n"
    "  --json  print the numbers of rows as JSON\n";

typedef struct {
    session *s;
    csv_table table;
    int *column;   /* d + m */
    int status;    /* the column of that name; -1: none */
    double *x, *y; /* of the trials that the study has, then of the rows that are taken */
    int count;     /* of both together */
    int taken, known, undone;
} import;

/* The columns of all names, or a message about the first that is missing. */
static int find_columns(import *in)
{
    const session *s = in->s;
    char label[SESSION_LABEL];
    if (!in->table.header)
        return arguments_wrong("import", "%s has no header with the names", in->table.text.path);
    for (int i = 0; i < s->d + s->m; i++) {
        if (i >= s->d) session_label(s, i - s->d, label);
        const char *name = i < s->d ? s->file.parameters[i].name : label;
        in->column[i] = csv_find(&in->table, name);
        if (in->column[i] < 0)
            return arguments_wrong("import", "%s has no column \"%s\"", in->table.text.path, name);
    }
    in->status = csv_find(&in->table, "status");
    return EXIT_DONE;
}

/* Whether row i is an evaluation; if so its values are read, to the place after the last one. */
static int read_row(import *in, int i, int *is_done)
{
    const session *s = in->s;
    double *x = in->x + (size_t)in->count * (size_t)s->d, *y = in->y + (size_t)in->count * (size_t)s->m;
    problem_error error = {0};
    char text[sizeof error + 64];
    const csv_table *table = &in->table;
    *is_done = in->status < 0 || strcmp(table->cells[i * table->columns + in->status].text, "done") == 0;
    if (!*is_done) return EXIT_DONE;
    for (int k = 0; k < s->d + s->m; k++) {
        double *value = k < s->d ? &x[k] : &y[k - s->d];
        if (csv_number(table, i, in->column[k], value, &error)) {
            problem_error_text(&error, text, sizeof text);
            fprintf(stderr, "gofh import: %s\n", text);
            return EXIT_USAGE;
        }
        *value += 0.0; /* a study has no minus zero */
        if (k >= s->d) continue;
        const problem_parameter *p = &s->file.parameters[k];
        if (x[k] >= p->lower && x[k] <= p->upper) continue;
        int line, column;
        text_place(&table->text, table->cells[i * table->columns + in->column[k]].at, &line, &column);
        number_print(stderr, "gofh import: %s:%d:%d: %s is %g, outside its bounds %g to %g\n",
                     table->text.path, line, column, p->name, x[k], p->lower, p->upper);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

/* Whether the evaluation after the last one is among the others. */
static int is_known(const import *in)
{
    size_t x = (size_t)in->s->d, y = (size_t)in->s->m, last = (size_t)in->count;
    for (size_t i = 0; i < last; i++)
        if (memcmp(in->x + i * x, in->x + last * x, x * sizeof *in->x) == 0 &&
            memcmp(in->y + i * y, in->y + last * y, y * sizeof *in->y) == 0)
            return 1;
    return 0;
}

/* Those that the study has, with room for all rows after them. */
static int gather_trials(import *in)
{
    const session *s = in->s;
    size_t room = (size_t)gofh_study_count(s->study) + (size_t)in->table.rows + 1;
    in->x = calloc(room, (size_t)s->d * sizeof *in->x);
    in->y = calloc(room, (size_t)s->m * sizeof *in->y);
    if (!in->x || !in->y) return session_no_memory(s);
    for (int64_t i = 1; i <= gofh_study_count(s->study); i++) {
        gofh_trial trial;
        gofh_status status = gofh_study_trial(s->study, i, &trial);
        if (status) return session_failed(s, status);
        if (trial.state != GOFH_TRIAL_DONE) continue;
        memcpy(in->x + (size_t)in->count * (size_t)s->d, trial.x, (size_t)s->d * sizeof *in->x);
        memcpy(in->y + (size_t)in->count * (size_t)s->m, trial.y, (size_t)s->m * sizeof *in->y);
        in->count++;
    }
    return EXIT_DONE;
}

static int take_rows(import *in)
{
    int outcome = gather_trials(in), is_done = 0, before = in->count;
    for (int i = 0; i < in->table.rows && !outcome; i++) {
        outcome = read_row(in, i, &is_done);
        if (outcome) break;
        if (!is_done)
            in->undone++;
        else if (is_known(in))
            in->known++;
        else
            in->count++;
    }
    if (outcome) return outcome;
    in->taken = in->count - before;
    gofh_status status = gofh_study_import_all(in->s->study, in->x + (size_t)before * (size_t)in->s->d,
                                               in->y + (size_t)before * (size_t)in->s->m, in->taken, NULL);
    return status ? session_failed(in->s, status) : EXIT_DONE;
}

static int import_table(import *in, int json)
{
    size_t values = (size_t)(in->s->d + in->s->m);
    in->column = calloc(values, sizeof *in->column);
    if (!in->column) return session_no_memory(in->s);
    int outcome = find_columns(in);
    if (!outcome) outcome = session_open(in->s, GOFH_OPEN_WRITE);
    if (!outcome) outcome = take_rows(in);
    free(in->column);
    free(in->x);
    free(in->y);
    if (outcome) return outcome;
    if (json) {
        json_t *counts = json_object();
        json_object_set_new(counts, "imported", json_integer(in->taken));
        json_object_set_new(counts, "known", json_integer(in->known));
        json_object_set_new(counts, "undone", json_integer(in->undone));
        return describe_print(in->s, counts);
    }
    printf("%d evaluation%s imported", in->taken, in->taken == 1 ? "" : "s");
    if (in->known) printf(", %d known already", in->known);
    if (in->undone) printf(", %d skipped that %s not done", in->undone, in->undone == 1 ? "is" : "are");
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
import in = {.s = & s };
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
