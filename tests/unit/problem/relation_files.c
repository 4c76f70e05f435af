#include "unit/problem/relation_files.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    uint64_t state;
    relation_problem *problem;
    size_t length;
} maker;

static double uniform(maker *m)
{
    m->state = m->state * 6364136223846793005u + 1442695040888963407u;
    return (double)(m->state >> 11) * 0x1p-53;
}

static int below(maker *m, int count)
{
    return (int)(uniform(m) * count);
}

static void write_text(maker *m, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    size_t room = sizeof m->problem->text - m->length;
    int written = vsnprintf(m->problem->text + m->length, room, format, list);
    va_end(list);
    m->length += (size_t)written < room ? (size_t)written : room - 1;
}

/* ---- Parameters ---- */

static void make_interval(maker *m, int k, int logarithmic)
{
    relation_problem *p = m->problem;
    double low = logarithmic ? pow(10.0, -6.0 + 6.0 * uniform(m))
                             : pow(10.0, below(m, 5) - 2) * (uniform(m) - 0.5);
    double high = logarithmic ? low * pow(10.0, 0.1 + 5.0 * uniform(m)) : low + pow(10.0, below(m, 6) - 3);
    p->lower[k] = low;
    p->upper[k] = high;
    p->logarithmic[k] = logarithmic;
    write_text(m, "  x%d: {lower: %.17g, upper: %.17g%s}\n", k, low, high, logarithmic ? ", scale: log" : "");
}

static void make_grid(maker *m, int k, int whole, int logarithmic)
{
    relation_problem *p = m->problem;
    static const double STEPS[] = {0.1, 0.25, 0.0625, 2.5, 1e-3};
    int count = 2 + below(m, below(m, 3) ? 8 : RELATION_VALUES - 2),
        first = logarithmic ? 1 + below(m, 5) : below(m, 21) - 10;
    double step = whole ? 1.0 : STEPS[below(m, 5)];
    p->value_count[k] = count;
    /* As decimal numbers: 3 steps of 0.1 are 0.3. All steps are whole in units of 1e-4. */
    double unit = whole ? 1.0 : 10000.0;
    for (int i = 0; i < count; i++) p->values[k][i] = (first + i) * round(step * unit) / unit;
    if (whole)
        write_text(m, "  x%d: {lower: %d, upper: %d, integer: true%s}\n", k, first, first + count - 1,
                   logarithmic ? ", scale: log" : "");
    else
        write_text(m, "  x%d: {lower: %.17g, upper: %.17g, step: %g%s}\n", k, p->values[k][0],
                   p->values[k][count - 1], step, logarithmic ? ", scale: log" : "");
}

static void make_catalogue(maker *m, int k, int logarithmic)
{
    relation_problem *p = m->problem;
    double value = logarithmic ? 0.01 + uniform(m) : 10.0 * uniform(m) - 5.0;
    int count = p->value_count[k] = 2 + below(m, 7);
    for (int i = 0; i < count; i++) {
        p->values[k][i] = value = round(value * 1000.0) / 1000.0;
        value += 0.002 + (below(m, 3) ? 1.0 : 20.0) * uniform(m);
    }
    write_text(m, "  x%d: {values: [", k);
    int from = below(m, count); /* they may be in any order */
    for (int i = 0; i < count; i++) write_text(m, "%s%.17g", i ? ", " : "", p->values[k][(from + i) % count]);
    write_text(m, "]%s}\n", logarithmic ? ", scale: log" : "");
}

static void make_choices(maker *m, int k)
{
    relation_problem *p = m->problem;
    int count = p->value_count[k] = 2 + below(m, 4);
    for (int i = 0; i < count; i++) p->values[k][i] = i;
    write_text(m, "  x%d: {choices: [", k);
    for (int i = 0; i < count; i++) write_text(m, "%sword%d", i ? ", " : "", i);
    write_text(m, "]%s}\n", below(m, 3) ? "" : ", ordered: true");
}

static void make_fixed(maker *m, int k)
{
    relation_problem *p = m->problem;
    double value = round(100.0 * uniform(m)) / 10.0;
    p->value_count[k] = 1;
    p->values[k][0] = value;
    write_text(m, below(m, 2) ? "  x%d: {fixed: %.17g}\n" : "  x%d: {lower: -1, upper: 20, fixed: %.17g}\n",
               k, value);
}

static void make_parameter(maker *m, int k)
{
    int logarithmic = below(m, 3) == 0;
    switch (below(m, 9)) {
    case 0:
        make_grid(m, k, 1, logarithmic);
        break;
    case 1:
        make_grid(m, k, 0, logarithmic);
        break;
    case 2:
        make_catalogue(m, k, logarithmic);
        break;
    case 3:
        make_choices(m, k);
        break;
    case 4:
        if (k > 0) {
            make_fixed(m, k);
            break;
        }
        make_grid(m, k, 1, logarithmic);
        break;
    default:
        make_interval(m, k, logarithmic);
    }
}

/* ---- Relations ---- */

/* The value of a tree; *size: the largest number on the way, which is what rounding is relative to. */
static double evaluate(const relation *r, const double *x, double *size)
{
    double at[RELATION_NODES];
    *size = 0.0;
    for (int i = 0; i < r->count; i++) {
        const relation_node *n = &r->nodes[i];
        double a = at[n->left < i ? n->left : 0], b = at[n->right < i ? n->right : 0];
        at[i] = n->operation == 'n'    ? n->number
                : n->operation == 'x'  ? x[n->left]
                : n->operation == '+'  ? a + b
                : n->operation == '-'  ? a - b
                : n->operation == '*'  ? a * b
                : n->operation == '/'  ? a / b
                : n->operation == '^'  ? a * a
                : n->operation == 'e'  ? exp(a)
                : n->operation == 'l'  ? log(a)
                : n->operation == 's'  ? sqrt(a)
                : n->operation == 'a'  ? fabs(a)
                : n->operation == 'c'  ? cos(a)
                : isnan(a) || isnan(b) ? NAN /* what has no value is not left out */
                : n->operation == 'm'  ? fmin(a, b)
                                       : fmax(a, b);
        /* The condition of division, exp, log and cos: errors of their arguments grow. */
        double grown = n->operation == '/'   ? fabs(a / b) * (1.0 + 1.0 / fabs(b))
                       : n->operation == 'e' ? fabs(at[i]) * (1.0 + fabs(a))
                       : n->operation == 'l' ? fabs(at[i]) + 1.0 / fabs(a)
                       : n->operation == 's' ? fabs(at[i]) + 1.0 / fabs(at[i])
                                             : fabs(at[i]);
        *size = fmax(*size, grown);
    }
    return at[r->count - 1];
}

static void write_node(maker *m, const relation *r, int i)
{
    const relation_node *n = &r->nodes[i];
    static const char *const NAMES[][2] = {{"e", "exp"}, {"l", "log"}, {"s", "sqrt"}, {"a", "abs"},
                                           {"c", "cos"}, {"m", "min"}, {"M", "max"}};
    if (n->operation == 'n') {
        write_text(m, n->number < 0.0 ? "(%.17g)" : "%.17g", n->number);
    } else if (n->operation == 'x') {
        write_text(m, "x%d", n->left);
    } else if (n->operation == '^') {
        write_text(m, "(");
        write_node(m, r, n->left);
        write_text(m, ")^2");
    } else if (strchr("+-*/", n->operation)) {
        write_text(m, "(");
        write_node(m, r, n->left);
        write_text(m, " %c ", n->operation);
        write_node(m, r, n->right);
        write_text(m, ")");
    } else {
        for (int k = 0; k < 7; k++)
            if (NAMES[k][0][0] == n->operation) write_text(m, "%s(", NAMES[k][1]);
        write_node(m, r, n->left);
        if (n->operation == 'm' || n->operation == 'M') {
            write_text(m, ", ");
            write_node(m, r, n->right);
        }
        write_text(m, ")");
    }
}

static int add(relation *r, char operation, double number, int left, int right)
{
    r->nodes[r->count] = (relation_node){operation, number, left, right};
    return r->count++;
}

/* A sum of some parameters with weights. */
static int make_sum(maker *m, relation *r)
{
    int root = -1, terms = 1 + below(m, 3);
    for (int t = 0; t < terms; t++) {
        int x = add(r, 'x', 0.0, below(m, m->problem->d), 0);
        if (below(m, 2)) x = add(r, '*', 0.0, add(r, 'n', round(200.0 * (uniform(m) - 0.5)) / 10.0, 0, 0), x);
        root = root < 0 ? x : add(r, below(m, 3) ? '+' : '-', 0.0, root, x);
    }
    return root;
}

/* Functions of sums, up to two deep. */
static int make_tree(maker *m, relation *r, int deep)
{
    int root = make_sum(m, r);
    static const char ONE[] = "^^elsac", TWO[] = "*/mM";
    if (deep == 0 || below(m, 3) == 0) return root;
    if (below(m, 2)) return add(r, ONE[below(m, 7)], 0.0, root, 0);
    if (r->count > RELATION_NODES - 12) return root;
    int other = make_tree(m, r, deep - 1);
    return r->count < RELATION_NODES ? add(r, TWO[below(m, 4)], 0.0, root, other) : root;
}

static double draw_value(maker *m, int k)
{
    const relation_problem *p = m->problem;
    if (p->value_count[k]) return p->values[k][below(m, p->value_count[k])];
    double u = uniform(m);
    double x = p->logarithmic[k] ? p->lower[k] * pow(p->upper[k] / p->lower[k], u)
                                 : p->lower[k] + u * (p->upper[k] - p->lower[k]);
    return fmin(fmax(x, p->lower[k]), p->upper[k]);
}

static double end_of(const relation_problem *p, int k, int high)
{
    if (p->value_count[k]) return p->values[k][high ? p->value_count[k] - 1 : 0];
    return high ? p->upper[k] : p->lower[k];
}

static double range_of(maker *m, const relation *r)
{
    double low = INFINITY, high = -INFINITY, x[RELATION_PARAMETERS], size;
    for (int i = 0; i < 2000; i++) {
        for (int k = 0; k < m->problem->d; k++)
            x[k] = i < 64 ? end_of(m->problem, k, i >> k & 1) : draw_value(m, k);
        double value = evaluate(r, x, &size);
        if (!isfinite(value)) continue;
        low = fmin(low, value);
        high = fmax(high, value);
    }
    return high > low ? high - low : 1.0;
}

/* Whether the tree can be an equality: with an interval in it, for those of values alone are met by few
 * points or none, and without a pole, for with one its range is infinite. */
static int can_be_equal(const relation_problem *p, const relation *r)
{
    for (int i = 0; i < r->count; i++)
        if (r->nodes[i].operation == '/' || r->nodes[i].operation == 'l') return 0;
    for (int i = 0; i < r->count; i++)
        if (r->nodes[i].operation == 'x' && p->value_count[r->nodes[i].left] == 0) return 1;
    return 0;
}

static int names_a_parameter(const relation_problem *p, const relation *r)
{
    for (int i = 0; i < r->count; i++)
        if (r->nodes[i].operation == 'x' && p->value_count[r->nodes[i].left] != 1) return 1;
    return 0;
}

static int make_relation(maker *m, relation *r, const double *inside)
{
    relation_problem *p = m->problem;
    double size, slack = pow(10.0, -4.0 * uniform(m));
    *r = (relation){.sense = (relation_sense)below(m, 8) / 2};
    make_tree(m, r, below(m, 3));
    double value = evaluate(r, inside, &size);
    if (!isfinite(value) || size > 1e9 || !names_a_parameter(p, r)) return -1;
    if (r->sense == EQUAL && (p->equalities > 1 || !can_be_equal(p, r))) r->sense = AT_MOST;
    r->range = range_of(m, r);
    if (!isfinite(r->range) || r->range > 1e12) return -1;
    p->equalities += r->sense == EQUAL;
    r->width = slack * r->range;
    r->bound = r->sense == AT_MOST    ? value + 0.3 * r->width
               : r->sense == AT_LEAST ? value - 0.3 * r->width
                                      : value;
    if (!p->is_satisfiable && below(m, 2))
        r->bound += (r->sense == AT_MOST ? -1.0 : 1.0) * r->range * uniform(m);
    return 0;
}

static void write_relation(maker *m, const relation *r)
{
    static const char *const SIGNS[] = {"<=", ">=", "==", "=="};
    write_text(m, "  - \"");
    write_node(m, r, r->count - 1);
    write_text(m, " %s %.17g", SIGNS[r->sense], r->bound);
    if (r->sense == BAND) write_text(m, " +- %.17g", r->width);
    write_text(m, "\"\n");
}

void relation_problem_make(relation_problem *problem, uint64_t seed)
{
    maker m = {.state = seed * 0x9E3779B97F4A7C15u + 1, .problem = problem};
    double inside[RELATION_PARAMETERS];
    memset(problem, 0, sizeof *problem);
    for (int i = 0; i < 4; i++) uniform(&m);
    problem->d = 1 + below(&m, RELATION_PARAMETERS);
    problem->initial = 2 + below(&m, 3);
    problem->is_satisfiable = below(&m, 12) > 0;
    write_text(&m, "study: {budget: %d, initial: %d, seed: %d, stop: never}\nparameters:\n",
               problem->initial + (seed % 4 ? 1 : 3), problem->initial, 1 + below(&m, 1000));
    for (int k = 0; k < problem->d; k++) make_parameter(&m, k);
    for (int k = 0; k < problem->d; k++) inside[k] = draw_value(&m, k);
    write_text(&m, "outputs: {y: 2}\nnoise: {y: 0}\nobjective: {minimize: sum(y^2)}\nconstraints:\n");
    int wanted = 1 + below(&m, RELATIONS);
    for (int tries = 0; tries < 200 && problem->relation_count < wanted; tries++)
        problem->relation_count += make_relation(&m, &problem->relations[problem->relation_count], inside) ==
                                   0;
    for (int i = 0; i < problem->relation_count; i++) write_relation(&m, &problem->relations[i]);
    if (below(&m, 4) == 0) write_text(&m, "  - y[1] <= 0.5\n");
    if (problem->relation_count == 0) write_text(&m, "  - y[0] <= 1000\n");
}

/* ---- Points ---- */

double relation_margin(const relation_problem *problem, int i, const double *x, double *rounding)
{
    const relation *r = &problem->relations[i];
    double size, value = evaluate(r, x, &size);
    *rounding = 1e-11 * (size + fabs(r->bound)) + (r->sense == EQUAL ? 0.5e-9 * r->range : 0.0);
    return r->sense == AT_MOST    ? r->bound - value
           : r->sense == AT_LEAST ? value - r->bound
           : r->sense == BAND     ? r->width - fabs(value - r->bound)
                                  : 1e-9 * r->range - fabs(value - r->bound);
}

size_t relation_points(const relation_problem *problem)
{
    size_t count = 1;
    for (int k = 0; k < problem->d; k++) count *= (size_t)problem->value_count[k];
    return count;
}

void relation_point(const relation_problem *problem, size_t number, double *x)
{
    for (int k = 0; k < problem->d; k++) {
        size_t count = (size_t)problem->value_count[k];
        x[k] = problem->values[k][number % count];
        number /= count;
    }
}

int relation_allows(const relation_problem *problem, const double *x)
{
    for (int k = 0; k < problem->d; k++) {
        int found = problem->value_count[k] == 0 && x[k] >= problem->lower[k] && x[k] <= problem->upper[k];
        for (int i = 0; i < problem->value_count[k]; i++) found |= x[k] == problem->values[k][i];
        if (!found) return 0;
    }
    return 1;
}
