/* The smaller study of a reduction: its outputs, its g, and its trials. */
#include "study/reduce.h"

#include "base/interrupt.h"
#include "base/memory.h"
#include "model/common.h"
#include "outer/forms.h"
#include "study/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_MIN = 512, BLOCK_EACH = 4 }; /* rows of residuals at once: at least, and for each column */

struct reduction {
    int valid;            /* whether what follows is of the present trials */
    size_t trials, ended; /* how many there were, and had ended */
    int done;             /* of these: n */
    int outputs;          /* of the smaller study: the coordinates, and one for all that is beyond them */
    double *coordinates;  /* done x outputs */
    study *small;         /* NULL: not made yet */
    /* What the smaller study is of */
    outer g;
    analysis squares;
    study_output name;
    double *numbers; /* noise, targets, weights, coefficients: outputs each */
    int *places;     /* columns, starts */
};

int reduce_is_large(const study_spec *spec)
{
    return spec->g->outputs > (spec->reduce_above > 0 ? spec->reduce_above : REDUCE_ABOVE);
}

int reduce_applies(const study_spec *spec, const method *chosen)
{
    const outer *g = spec->g;
    if (!reduce_is_large(spec) || chosen->subject != MODEL_OF_H || !(chosen->parts & PART_SHARING)) return 0;
    if (g->margins > 0 || (g->function && !g->squares) || spec->missing ||
        spec->settings.hyper == GOFH_HYPER_FIXED)
        return 0;
    for (int j = 0; j < g->outputs; j++)
        if (!isnan(spec->noise[j])) return 0;
    return 1;
}

reduction *reduce_create(void)
{
    return memory_new(1, sizeof(reduction));
}

static void clear(reduction *r)
{
    study_free(r->small);
    free(r->coordinates);
    free(r->numbers);
    free(r->places);
    *r = (reduction){.valid = 0};
}

void reduce_free(reduction *r)
{
    if (!r) return;
    clear(r);
    free(r);
}

void reduce_forget(study *st)
{
    if (st->reduction) st->reduction->valid = 0;
}

/* The best of the done trials by f, as the d = done columns have it. */
static int best_column(const study *st, const int *column, int count)
{
    int best = 0;
    for (int i = 1; i < count; i++)
        if (st->trials.list[column[i]].f > st->trials.list[column[best]].f) best = i;
    return best;
}

/* Residual i of one run, times the root of its weight; of the difference of two where `from` is not NULL:
 * that has no target. */
static double residual(const analysis *s, int i, const double *y, const double *from)
{
    double sum = from ? 0.0 : -s->target[i];
    for (int k = s->start[i]; k < s->start[i + 1]; k++)
        sum += s->coefficient[k] * (from ? y[s->column[k]] - from[s->column[k]] : y[s->column[k]]);
    return sqrt(fabs(s->weight[i])) * sum;
}

/* The triangle of the QR factorisation of all residuals, whose first column is the best run and whose
 * others are differences from it, so that even the residuals of a fit that is exact to rounding keep
 * their digits: block after block of rows, each below the triangle of those before it.
 * a: (count + rows) x count; work: common_triangle_work(count). Returns the rows that the triangle has. */
static int factor_residuals(const study *st, const int *column, int count, int best, int rows, double *a,
                            double *work)
{
    const analysis *s = st->spec.g->squares;
    size_t ld = (size_t)count + (size_t)rows;
    const double *from = st->trials.list[column[best]].y;
    int top = 0;
    for (int first = 0; first < s->residuals && !interrupt_requested(); first += rows) {
        int part = s->residuals - first < rows ? s->residuals - first : rows;
        for (int c = 0; c < count; c++) {
            int i = c == 0 ? best : c <= best ? c - 1 : c;
            const double *y = st->trials.list[column[i]].y;
            double *to = a + (size_t)c * ld + top;
            for (int k = 0; k < part; k++) to[k] = residual(s, first + k, y, c ? from : NULL);
        }
        common_triangle(top + part, count, a, (int)ld, work);
        top = top + part < count ? top + part : count;
    }
    return top;
}

/* The coordinates of the residuals of all done trials: the sum of their squares is that of the
 * residuals. */
static gofh_status find_coordinates(const study *st, reduction *r, const int *column)
{
    int count = r->done, rows = BLOCK_EACH * count > BLOCK_MIN ? BLOCK_EACH * count : BLOCK_MIN;
    size_t n = (size_t)count, ld = n + (size_t)rows;
    double *a = memory_doubles(ld * n + common_triangle_work(count));
    if (!a) return GOFH_ERROR_MEMORY;
    int best = best_column(st, column, count);
    int top = factor_residuals(st, column, count, best, rows, a, a + ld * n);
    r->outputs = top + 1;
    r->coordinates = memory_doubles(n * (size_t)r->outputs);
    for (int c = 0; r->coordinates && c < count; c++) {
        int i = c == 0 ? best : c <= best ? c - 1 : c;
        double *row = r->coordinates + (size_t)i * (size_t)r->outputs;
        for (int k = 0; k <= c && k < top; k++) row[k] = a[(size_t)c * ld + (size_t)k];
        if (c > 0) row[0] += a[0];
    }
    free(a);
    return r->coordinates ? GOFH_OK : GOFH_ERROR_MEMORY;
}

/* g itself, which is linear, without its constant. */
static gofh_status find_values(const study *st, reduction *r, const int *column)
{
    r->outputs = 1;
    r->coordinates = memory_doubles((size_t)r->done);
    if (!r->coordinates) return GOFH_ERROR_MEMORY;
    for (int i = 0; i < r->done && !interrupt_requested(); i++) {
        const double *y = st->trials.list[column[i]].y;
        for (int j = 0; j < st->m; j++) r->coordinates[i] += st->spec.g->weights[j] * y[j];
    }
    return GOFH_OK;
}

static int sum_of_squares(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                          void *context)
{
    const analysis *s = context;
    (void)x;
    (void)dx;
    form_least_squares(y, count, s->residuals, s->target, s->weight, s->constant, value, dy);
    return 0;
}

/* g of the coordinates. */
static gofh_status make_outer(const study *st, reduction *r)
{
    const outer *whole = st->spec.g;
    size_t m = (size_t)r->outputs;
    r->numbers = memory_doubles(4 * m);
    r->places = memory_new(2 * m + 1, sizeof *r->places);
    if (!r->numbers || !r->places) return GOFH_ERROR_MEMORY;
    double *noise = r->numbers, *target = noise + m, *weight = target + m, *coefficient = weight + m;
    r->name = (study_output){.name = "residuals", .size = r->outputs};
    r->g = (outer){.outputs = r->outputs, .parameters = st->parameters, .sign = whole->sign};
    for (size_t k = 0; k < m; k++) {
        noise[k] = NAN;
        coefficient[k] = 1.0;
        weight[k] = whole->squares && whole->squares->weight[0] < 0.0 ? -1.0 : 1.0;
        r->places[k] = r->places[m + k] = (int)k;
    }
    r->places[2 * m] = r->outputs;
    if (!whole->squares) { /* linear */
        r->g.weights = weight;
        r->g.constant = whole->constant;
        return GOFH_OK;
    }
    r->squares = (analysis){.kind = whole->squares->kind,
                            .constant = whole->squares->constant,
                            .residuals = r->outputs,
                            .start = r->places + m,
                            .column = r->places,
                            .coefficient = coefficient,
                            .target = target,
                            .weight = weight,
                            .separable = true};
    r->g.function = sum_of_squares;
    r->g.gradient = GOFH_GRADIENT_GIVEN;
    r->g.context = &r->squares;
    r->g.squares = &r->squares;
    return GOFH_OK;
}

/* Trial i of the whole, with its coordinates where it is done. */
static gofh_status add_trial(study *small, const trial *past, const double *y)
{
    trial *t = study_new_trial(small);
    if (!t) return GOFH_ERROR_MEMORY;
    double *x = t->x, *u = t->u, *own = t->y;
    *t = *past;
    t->x = x;
    t->u = u;
    t->y = own;
    t->reason = NULL;
    t->variance = NULL;
    memcpy(x, past->x, (size_t)small->parameters * sizeof *x);
    memcpy(u, past->u, (size_t)small->d * sizeof *u);
    small->trials.count++;
    if (!y) return GOFH_OK;
    memcpy(own, y, (size_t)small->m * sizeof *own);
    return study_objective(small, x, own, &t->f, NULL);
}

/* One unit for all coordinates, so that all have the same variance; each has its own centre. */
static void set_units(study *small, const reduction *r)
{
    double squares = 0.0, *shift = small->fitted->committed.shift;
    size_t m = (size_t)r->outputs, n = (size_t)r->done;
    for (size_t k = 0; k < m; k++) {
        for (size_t i = 0; i < n; i++) shift[k] += r->coordinates[i * m + k] / r->done;
        for (size_t i = 0; i < n; i++) {
            double rest = r->coordinates[i * m + k] - shift[k];
            squares += rest * rest / r->done;
        }
    }
    for (size_t k = 0; k < m; k++) small->fitted->committed.scale[k] = squares > 0.0 ? sqrt(squares) : 1.0;
}

static gofh_status make_study(study *st, reduction *r)
{
    study_spec spec = st->spec;
    spec.g = &r->g;
    spec.output = &r->name;
    spec.noise = r->numbers;
    spec.settings.initial = 0;
    spec.reduce_above = r->outputs; /* no further */
    r->small = study_create(&spec, NULL);
    if (!r->small) return GOFH_ERROR_MEMORY;
    r->small->whole = st;
    r->small->goal = st->goal;
    r->small->fitted->contradictions = st->fitted->contradictions;
    set_units(r->small, r);
    gofh_status status = GOFH_OK;
    for (size_t i = 0, done = 0; i < st->trials.count && !status; i++) {
        const trial *t = &st->trials.list[i];
        const double *y = t->state == GOFH_TRIAL_DONE ? r->coordinates + done++ * (size_t)r->outputs : NULL;
        status = add_trial(r->small, t, y);
    }
    return status;
}

static gofh_status make(study *st, reduction *r)
{
    int *column = memory_new(st->trials.count, sizeof *column);
    if (!column) return GOFH_ERROR_MEMORY;
    clear(r);
    for (size_t i = 0; i < st->trials.count; i++) {
        const trial *t = &st->trials.list[i];
        r->ended += t->state != GOFH_TRIAL_OPEN;
        if (t->state == GOFH_TRIAL_DONE) column[r->done++] = (int)i;
    }
    r->trials = st->trials.count;
    gofh_status status = r->done == 0          ? GOFH_ERROR_EMPTY
                         : st->spec.g->squares ? find_coordinates(st, r, column)
                                               : find_values(st, r, column);
    free(column);
    if (!status && interrupt_requested()) status = GOFH_STOP_CALLER;
    if (!status) status = make_outer(st, r);
    if (!status) status = make_study(st, r);
    r->valid = !status;
    return status;
}

study *reduce_study(study *st, gofh_status *status)
{
    *status = GOFH_OK;
    reduction *r = st->reduction;
    if (!r) return st;
    size_t ended = 0;
    for (size_t i = 0; i < st->trials.count; i++) ended += st->trials.list[i].state != GOFH_TRIAL_OPEN;
    *status = study_fit(st);
    if (!*status && !st->reduction) return st; /* variances have come with the data */
    if (!*status && !(r->valid && r->trials == st->trials.count && r->ended == ended)) *status = make(st, r);
    return *status ? NULL : r->small;
}
