#include "base/error.h"
#include "base/memory.h"
#include "outer/comparisons.h"
#include "outer/parser.h"
#include "outer/program.h"
#include "outer/range.h"
#include "outer/sides.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    program program; /* its root: the margins */
    double *weights; /* of each margin, outputs each; NULL where not all of them are linear */
    double *constant, *half_width;
    unsigned char *equal; /* of each margin; NULL: none is an equality */
    int relative;         /* constraints_is_relative */
    int has_ratio;
    program ratio; /* as constraints_log_ratio; with has_ratio */
} constraint;

struct gofh_constraints {
    constraint *items;
    int count, margins, outputs, parameters;
    int64_t domain_errors;
};

/* A constraint while it is compiled: its comparisons, their margins, and what is inside the tolerance
 * where there is one. */
typedef struct {
    tape *tape;
    int *node, *margin, *inside;
    unsigned char *equal;
    double *half_width; /* infinite: no tolerance; NaN: one that is not known now */
    size_t count, node_capacity, margin_capacity, inside_capacity, half_width_capacity, equal_capacity;
    /* NULL unless the constraint is known: the parameters. Then equalities are allowed: their margin is
     * the difference, to be 0. */
    const domain *box;
    gofh_error *error;
} pieces;

enum { DEEPEST = 256, LINEAR_LARGEST = 1 << 22 };

/* a < b of a known constraint: where there are values next to each other, they must differ. */
static int strict_margin(pieces *p, int node)
{
    const int *side = p->tape->nodes[node].argument;
    int discrete = p->box ? sides_are_discrete(p->tape, node, p->box) : 0;
    if (discrete < 0) {
        error_memory(p->error);
        return -1;
    }
    return discrete ? sides_strict_margin(p->tape, node)
                    : tape_binary(p->tape, TAPE_SUBTRACT, side[1], side[0]);
}

/* The margin of one comparison, or of several joined by or and and: -1 on failure. */
static int margin_of(pieces *p, int node, int depth)
{
    tape *t = p->tape;
    tape_node n = t->nodes[node];
    int a, b;
    switch (n.op) {
    case TAPE_LESS:
        return strict_margin(p, node);
    case TAPE_LESS_EQUAL:
        return tape_binary(t, TAPE_SUBTRACT, n.argument[1], n.argument[0]);
    case TAPE_AND:
    case TAPE_OR:
        if (depth > DEEPEST) {
            error_set(p->error, GOFH_ERROR_ARGUMENT, "more than %d comparisons are joined by \"or\"",
                      DEEPEST);
            return -1;
        }
        a = margin_of(p, n.argument[0], depth + 1);
        b = a < 0 ? -1 : margin_of(p, n.argument[1], depth + 1);
        return tape_binary(t, n.op == TAPE_OR ? TAPE_LARGER : TAPE_SMALLER, a, b);
    case TAPE_EQUAL:
        if (p->box && depth == 0) return tape_binary(t, TAPE_SUBTRACT, n.argument[0], n.argument[1]);
        error_set(p->error, GOFH_ERROR_ARGUMENT, "\"==\" in a constraint needs a tolerance: a == b +- 0.01");
        return -1;
    case TAPE_NOT_EQUAL:
    case TAPE_NOT:
        error_set(p->error, GOFH_ERROR_ARGUMENT,
                  "\"%s\" can't be a constraint: write the comparison that shall hold",
                  n.op == TAPE_NOT ? "not" : "!=");
        return -1;
    case TAPE_CONSTANT:
        error_set(p->error, GOFH_ERROR_ARGUMENT,
                  "the constraint depends neither on outputs nor on parameters");
        return -1;
    default:
        error_set(p->error, GOFH_ERROR_ARGUMENT,
                  "a constraint is a comparison, such as max(stress) <= 250 or c[0] == 3 +- 0.01");
        return -1;
    }
}

/* The width of |u| <= width, and u; or an infinite width and the margin itself, of a < b that of a <= b. */
static void look_inside(pieces *p, int node, int margin, int *inside, double *half_width)
{
    tape *t = p->tape;
    tape_node n = t->nodes[node];
    *inside = margin;
    *half_width = INFINITY;
    if (n.op == TAPE_LESS) *inside = tape_binary(t, TAPE_SUBTRACT, n.argument[1], n.argument[0]);
    if (n.op != TAPE_LESS_EQUAL || t->nodes[n.argument[0]].op != TAPE_ABS) return;
    const tape_node *width = &t->nodes[n.argument[1]];
    bool one = width->constant && width->size == 1;
    *inside = t->nodes[n.argument[0]].argument[0];
    *half_width = one ? tape_values(t, n.argument[1])[0] : NAN;
    if (tape_size(t, *inside) != tape_size(t, margin)) *half_width = NAN;
}

static gofh_status add_piece(pieces *p, int node)
{
    int margin = margin_of(p, node, 0);
    if (margin < 0) return p->error->status;
    size_t next = p->count + 1;
    if (memory_grow((void **)&p->node, &p->node_capacity, next, sizeof *p->node) ||
        memory_grow((void **)&p->margin, &p->margin_capacity, next, sizeof *p->margin) ||
        memory_grow((void **)&p->inside, &p->inside_capacity, next, sizeof *p->inside) ||
        memory_grow((void **)&p->half_width, &p->half_width_capacity, next, sizeof *p->half_width) ||
        memory_grow((void **)&p->equal, &p->equal_capacity, next, sizeof *p->equal))
        return error_memory(p->error);
    p->node[p->count] = node;
    p->margin[p->count] = margin;
    p->equal[p->count] = p->tape->nodes[node].op == TAPE_EQUAL;
    look_inside(p, node, margin, &p->inside[p->count], &p->half_width[p->count]);
    return p->inside[p->count++] < 0 ? p->error->status : GOFH_OK;
}

/* What is joined by "and" are constraints of their own, from left to right. */
static gofh_status split(pieces *p, int root)
{
    int *waiting = NULL;
    size_t count = 0, capacity = 0;
    gofh_status status = GOFH_OK;
    for (int node = root; status == GOFH_OK;) {
        const tape_node *n = &p->tape->nodes[node];
        if (n->op == TAPE_AND) {
            if (memory_grow((void **)&waiting, &capacity, count + 1, sizeof *waiting)) {
                status = error_memory(p->error);
            } else {
                waiting[count++] = n->argument[1];
                node = n->argument[0];
            }
            continue;
        }
        status = add_piece(p, node);
        if (count == 0) break;
        node = waiting[--count];
    }
    free(waiting);
    return status;
}

/* Fills c->weights, constant and half_width if every margin is linear. */
static gofh_status find_linear(constraint *c, const pieces *p)
{
    size_t margins = 0, outputs = (size_t)p->tape->outputs;
    for (size_t i = 0; i < p->count; i++) {
        margins += (size_t)tape_size(p->tape, p->margin[i]);
        if (isnan(p->half_width[i])) return GOFH_OK;
    }
    if (margins * outputs > LINEAR_LARGEST) return GOFH_OK;
    c->weights = memory_doubles(margins * outputs);
    c->constant = memory_doubles(margins);
    c->half_width = memory_doubles(margins);
    if (!c->weights || !c->constant || !c->half_width) return error_memory(p->error);
    size_t row = 0;
    for (size_t i = 0; i < p->count; i++) {
        bool linear;
        size_t size = (size_t)tape_size(p->tape, p->margin[i]);
        if (analysis_linear(p->tape, p->inside[i], &linear, c->weights + row * outputs, c->constant + row) !=
            GOFH_OK)
            return error_memory(p->error);
        if (!linear) {
            free(c->weights);
            c->weights = NULL;
            return GOFH_OK;
        }
        for (size_t e = 0; e < size; e++) c->half_width[row++] = p->half_width[i];
    }
    return GOFH_OK;
}

/* Fills c->equal where there is an equality: pieces that are the difference of its sides. */
static gofh_status find_equal(constraint *c, const pieces *p)
{
    size_t margins = 0, row = 0;
    int any = 0;
    for (size_t i = 0; i < p->count; i++) {
        margins += (size_t)tape_size(p->tape, p->margin[i]);
        any |= p->equal[i];
    }
    if (!any) return GOFH_OK;
    c->equal = memory_new(margins, 1);
    if (!c->equal) return error_memory(p->error);
    for (size_t i = 0; i < p->count; i++)
        for (int e = 0; e < tape_size(p->tape, p->margin[i]); e++) c->equal[row++] = p->equal[i];
    return GOFH_OK;
}

static void clear_pieces(pieces *p)
{
    tape_clear(p->tape);
    free(p->node);
    free(p->margin);
    free(p->inside);
    free(p->half_width);
    free(p->equal);
}

/* Fills c->relative and c->has_ratio from the kinds of the parameters that it names. */
static gofh_status find_kinds(constraint *c, const domain *box, gofh_error *error)
{
    const tape *t = &c->program.tape;
    unsigned char *used = memory_new((size_t)t->outputs, 1);
    int intervals = 0;
    if (!used) return error_memory(error);
    tape_mark_outputs(t, used);
    for (int p = 0; p < domain_parameters(box); p++) {
        domain_kind kind = domain_kind_of(box, p).kind;
        intervals += used[p] && kind == DOMAIN_INTERVAL;
        c->has_ratio |= used[p] && kind != DOMAIN_FIXED && box->scale && box->scale[p] == GOFH_SCALE_LOG;
    }
    c->relative = intervals == 0 || c->has_ratio;
    free(used);
    return GOFH_OK;
}

/* Fills c->ratio, if there is one. */
static gofh_status compile_ratio(constraint *c, const char *text, const gofh_symbols *symbols,
                                 const domain *box, gofh_error *error)
{
    gofh_status status = box ? find_kinds(c, box, error) : GOFH_OK;
    if (status || !c->has_ratio) return status;
    tape t;
    tape_init(&t, symbols->outputs, symbols->parameters, error);
    pieces p = {.tape = &t, .box = box, .error = error};
    int root = parser_read(&t, text, symbols, error);
    status = root < 0 ? error->status : split(&p, root);
    for (size_t i = 0; i < p.count && !status; i++) {
        p.margin[i] = sides_log_ratio(&t, p.node[i], p.margin[i]);
        if (p.margin[i] < 0) status = error->status;
    }
    if (!status) {
        root = tape_concatenate(&t, p.margin, (int)p.count);
        status = root < 0 ? error->status : program_build(&c->ratio, &t, root, error);
    }
    clear_pieces(&p);
    return status;
}

static gofh_status compile_one(constraint *c, const char *text, const gofh_symbols *symbols,
                               const domain *box, gofh_error *error)
{
    tape t;
    tape_init(&t, symbols->outputs, symbols->parameters, error);
    pieces p = {.tape = &t, .box = box, .error = error};
    int root = parser_read(&t, text, symbols, error);
    gofh_status status = root < 0 ? error->status : split(&p, root);
    if (status == GOFH_OK) status = find_linear(c, &p);
    if (status == GOFH_OK) status = find_equal(c, &p);
    if (status == GOFH_OK) {
        root = tape_concatenate(&t, p.margin, (int)p.count);
        status = root < 0 ? error->status : program_build(&c->program, &t, root, error);
    }
    clear_pieces(&p);
    return status ? status : compile_ratio(c, text, symbols, box, error);
}

/* Says which one, and hands the error on. */
static void name_the_constraint(gofh_error *error, const gofh_error *found, int number)
{
    if (!error || error->status != GOFH_OK) return;
    error_set(error, found->status, "constraint %d: %s", number, found->message);
    error->line = found->line;
    error->column = found->column;
}

static gofh_status compile(gofh_constraints **constraints, const char *const *texts, int count,
                           const gofh_symbols *symbols, const domain *box, gofh_error *error)
{
    if (!constraints) return error_set(error, GOFH_ERROR_ARGUMENT, "no place for the compiled constraints");
    *constraints = NULL;
    if (count < 0 || (count > 0 && !texts) || !symbols)
        return error_set(error, GOFH_ERROR_ARGUMENT, "no texts or no symbols to compile");
    gofh_constraints *c = memory_new(1, sizeof *c);
    if (!c) return error_memory(error);
    c->outputs = symbols->outputs;
    c->parameters = symbols->parameters;
    c->items = memory_new((size_t)count, sizeof *c->items);
    if (!c->items) {
        free(c);
        return error_memory(error);
    }
    gofh_status status = GOFH_OK;
    for (int i = 0; i < count && status == GOFH_OK; i++) {
        gofh_error found = {.status = GOFH_OK};
        c->count = i + 1;
        status = texts[i] ? compile_one(&c->items[i], texts[i], symbols, box, &found)
                          : error_set(&found, GOFH_ERROR_ARGUMENT, "it has no text");
        if (status == GOFH_OK && c->items[i].program.size > TAPE_ELEMENTS - c->margins)
            status = error_set(&found, GOFH_ERROR_ARGUMENT, "there are more than %d margins", TAPE_ELEMENTS);
        if (status != GOFH_OK)
            name_the_constraint(error, &found, i + 1);
        else
            c->margins += c->items[i].program.size;
    }
    if (status != GOFH_OK)
        gofh_constraints_free(c);
    else
        *constraints = c;
    return status;
}

gofh_status gofh_constraints_compile(gofh_constraints **constraints, const char *const *texts, int count,
                                     const gofh_symbols *symbols, gofh_error *error)
{
    return compile(constraints, texts, count, symbols, NULL, error);
}

gofh_status constraints_compile_known(gofh_constraints **constraints, const char *const *texts, int count,
                                      const gofh_symbols *symbols, const domain *box, gofh_error *error)
{
    return compile(constraints, texts, count, symbols, box, error);
}

gofh_status constraints_name_outputs(const char *text, const gofh_symbols *symbols, int *named,
                                     gofh_error *error)
{
    tape t;
    tape_init(&t, symbols->outputs, symbols->parameters, error);
    gofh_status status = parser_read(&t, text, symbols, error) < 0 ? error->status : GOFH_OK;
    unsigned char *used = status ? NULL : memory_new((size_t)symbols->outputs, 1);
    if (!status && !used) status = error_memory(error);
    *named = 0;
    if (used) {
        tape_mark_outputs(&t, used);
        *named = memchr(used, 1, (size_t)symbols->outputs) != NULL;
    }
    free(used);
    tape_clear(&t);
    return status;
}

gofh_status gofh_constraint_check(const char *text, const gofh_symbols *symbols, int *known,
                                  gofh_error *error)
{
    static const domain anything = {.d = 0};
    gofh_constraints *compiled = NULL;
    int named = 0;
    if (!text || !symbols) return error_set(error, GOFH_ERROR_ARGUMENT, "no text or no symbols to compile");
    gofh_error found = {.status = GOFH_OK};
    gofh_status status = constraints_name_outputs(text, symbols, &named, &found);
    if (!status) status = compile(&compiled, &text, 1, symbols, named ? NULL : &anything, &found);
    gofh_constraints_free(compiled);
    if (known) *known = !status && !named;
    if (status && error && !error->status) *error = found;
    return status;
}

void gofh_constraints_free(gofh_constraints *constraints)
{
    if (!constraints) return;
    for (int i = 0; i < constraints->count; i++) {
        constraint *c = &constraints->items[i];
        program_clear(&c->program);
        program_clear(&c->ratio);
        free(c->weights);
        free(c->constant);
        free(c->half_width);
        free(c->equal);
    }
    free(constraints->items);
    free(constraints);
}

int gofh_constraints_margins(const gofh_constraints *constraints)
{
    return constraints ? constraints->margins : 0;
}

int gofh_constraints_margins_of(const gofh_constraints *constraints, int number)
{
    if (!constraints || number < 0 || number >= constraints->count) return 0;
    return constraints->items[number].program.size;
}

/* A margin that has no value is violated; one beyond all numbers is as large as a number can be. */
static double usable_margin(gofh_constraints *c, double margin)
{
    if (margin > DBL_MAX) return DBL_MAX;
    if (margin >= -DBL_MAX) return margin;
    c->domain_errors++;
    return -INFINITY;
}

/* The margins of one constraint, from column `first` on, for n samples from `row` on. */
static void run_block(gofh_constraints *c, program *p, int first, int n, size_t row, double *margin,
                      double *dy, double *dx)
{
    size_t k = (size_t)c->margins, m = (size_t)c->outputs, d = (size_t)c->parameters;
    for (int e = 0; e < p->size; e++) {
        size_t column = row * k + (size_t)(first + e);
        if (dy || dx)
            program_backward(p, e, n, dy ? dy + column * m : NULL, k * m, dx ? dx + column * d : NULL, k * d);
        const double *value = program_value(p, e);
        for (int s = 0; s < n; s++) {
            size_t at = column + (size_t)s * k;
            margin[at] = usable_margin(c, value[s]);
            if (fabs(value[s]) <= DBL_MAX) continue;
            if (dy) memset(dy + at * m, 0, m * sizeof *dy);
            if (dx) memset(dx + at * d, 0, d * sizeof *dx);
        }
    }
}

static bool uses_parameters(const gofh_constraints *c)
{
    for (int i = 0; i < c->count; i++)
        if (program_uses_parameters(&c->items[i].program)) return true;
    return false;
}

gofh_status gofh_constraints_differentiate(gofh_constraints *constraints, const double *y, const double *x,
                                           int count, double *margin, double *dy, double *dx)
{
    gofh_constraints *c = constraints;
    if (!c || count < 0) return GOFH_ERROR_ARGUMENT;
    if (count == 0 || c->margins == 0) return GOFH_OK;
    if (!margin || (!y && c->outputs > 0)) return GOFH_ERROR_ARGUMENT;
    if (!x && uses_parameters(c)) return GOFH_ERROR_ARGUMENT;
    size_t m = (size_t)c->outputs, d = (size_t)c->parameters;
    for (int i = 0, first = 0; i < c->count; first += c->items[i++].program.size) {
        program *p = &c->items[i].program;
        for (int done = 0; done < count; done += p->block) {
            int n = count - done < p->block ? count - done : p->block;
            size_t row = (size_t)done;
            program_forward(p, y + row * m, x ? x + row * d : NULL, n);
            run_block(c, p, first, n, row, margin, dy, dx);
        }
    }
    return GOFH_OK;
}

gofh_status gofh_constraints_evaluate(gofh_constraints *constraints, const double *y, const double *x,
                                      int count, double *margin)
{
    return gofh_constraints_differentiate(constraints, y, x, count, margin, NULL, NULL);
}

int64_t gofh_constraints_domain_errors(const gofh_constraints *constraints)
{
    return constraints ? constraints->domain_errors : 0;
}

void gofh_constraints_reset_domain_errors(gofh_constraints *constraints)
{
    if (constraints) constraints->domain_errors = 0;
}

constraint_linear constraints_linear(const gofh_constraints *constraints, int margin)
{
    constraint_linear none = {.half_width = INFINITY};
    for (int i = 0; i < constraints->count; i++) {
        const constraint *c = &constraints->items[i];
        if (margin < c->program.size)
            return c->weights ? (constraint_linear){.weights = c->weights +
                                                               (size_t)margin * (size_t)constraints->outputs,
                                                    .constant = c->constant[margin],
                                                    .half_width = c->half_width[margin]}
                              : none;
        margin -= c->program.size;
    }
    return none;
}

int constraints_is_equality(const gofh_constraints *constraints, int margin, int *number)
{
    for (*number = 0; *number < constraints->count; ++*number) {
        const constraint *c = &constraints->items[*number];
        if (margin < c->program.size) return c->equal && c->equal[margin];
        margin -= c->program.size;
    }
    return 0;
}

int constraints_is_relative(const gofh_constraints *constraints, int margin)
{
    int number;
    constraints_is_equality(constraints, margin, &number);
    return number < constraints->count && constraints->items[number].relative;
}

void constraints_log_ratio(gofh_constraints *constraints, const double *x, double *ratio, double *slope)
{
    gofh_constraints *c = constraints;
    size_t m = (size_t)c->outputs;
    for (int i = 0, row = 0; i < c->count; i++) {
        constraint *one = &c->items[i];
        if (one->has_ratio) program_forward(&one->ratio, x, NULL, 1);
        for (int e = 0; e < one->program.size; e++, row++) {
            ratio[row] = one->has_ratio ? program_value(&one->ratio, e)[0] : NAN;
            if (slope && isfinite(ratio[row]))
                program_backward(&one->ratio, e, 1, slope + (size_t)row * m, m, NULL, 0);
        }
    }
}

gofh_status constraints_best_margin(const gofh_constraints *constraints, int number, const double *lower,
                                    const double *upper, double *best)
{
    const program *p = &constraints->items[number].program;
    const tape_node *root = &p->tape.nodes[p->root];
    int parts = root->op == TAPE_CONCATENATE ? root->parts : 1;
    *best = INFINITY;
    for (int i = 0; i < parts; i++) {
        range margin;
        int node = root->op == TAPE_CONCATENATE ? p->tape.parts[root->first + i] : p->root;
        if (range_find(&p->tape, node, lower, upper, &margin)) return GOFH_ERROR_MEMORY;
        *best = fmin(*best, margin.high);
    }
    return GOFH_OK;
}

void constraints_mark_outputs(const gofh_constraints *constraints, unsigned char *used)
{
    for (int i = 0; constraints && i < constraints->count; i++)
        tape_mark_outputs(&constraints->items[i].program.tape, used);
}

gofh_status constraints_comparisons(const gofh_constraints *constraints, comparisons *list)
{
    gofh_status status = GOFH_OK;
    for (int i = 0; constraints && i < constraints->count && !status; i++)
        status = comparisons_find(list, &constraints->items[i].program.tape);
    return status;
}
