/* Runs the examples of docs/expressions.md, taken from the page itself, against the same formulas
 * written in C. */
#include "check.h"
#include "gofh_expression.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* y, x and data: everything of one kind, one after the other in the order of the page. */
typedef double (*formula)(const double *y, const double *x, const double *data);

static double square(double x)
{
    return x * x;
}

static double misfit(const double *y, const double *observed, int n)
{
    double sum = 0.0;
    for (int j = 0; j < n; j++) sum += square(y[j] - observed[j]);
    return sum;
}

#define FORMULA(name) static double name(const double *y, const double *x, const double *data)
#define UNUSED(a, b)  ((void)(a), (void)(b))

FORMULA(gp1)
{
    (void)x;
    return -misfit(y, data, 5);
}
FORMULA(gp2)
{
    UNUSED(x, data);
    return -(exp(y[0]) + exp(y[1]) + exp(y[2]) + exp(y[3]));
}
FORMULA(langermann)
{
    UNUSED(x, data);
    static const double c[] = {1, 2, 5, 2, 3};
    double sum = 0.0;
    for (int j = 0; j < 5; j++) sum -= c[j] * exp(-y[j] / PI) * cos(PI * y[j]);
    return sum;
}
FORMULA(rosenbrock)
{
    UNUSED(x, data);
    double sum = 0.0;
    for (int j = 0; j < 4; j++) sum -= 100.0 * square(y[j]) + square(y[j + 4] - 1.0);
    return sum;
}
FORMULA(environment)
{
    (void)x;
    return -misfit(y, data, 12);
}
FORMULA(weighted)
{
    (void)x;
    double sum = 0.0;
    for (int j = 0; j < 12; j++) sum += square((y[j] - data[j]) / data[12 + j]);
    return sum;
}
FORMULA(huber)
{
    (void)x;
    double sum = 0.0;
    for (int j = 0; j < 6; j++) {
        double r = fabs(y[j] - data[j]);
        sum += r <= 0.1 ? r * r / 2.0 : 0.1 * (r - 0.05);
    }
    return sum;
}
FORMULA(posterior)
{
    return -0.5 * misfit(y, data, 12) / 0.01 - 0.5 * square(log(x[1] / 0.07) / 0.5);
}
FORMULA(stiffness)
{
    UNUSED(x, data);
    return y[0] / y[1];
}
FORMULA(mass)
{
    UNUSED(x, data);
    return y[0];
}
FORMULA(stress_margin)
{
    UNUSED(x, data);
    return 250.0 - fmax(fmax(y[1], y[2]), fmax(y[3], y[4]));
}
FORMULA(deflection_margin)
{
    (void)data;
    return 0.5 * x[0] - fabs(y[5]);
}
FORMULA(worst)
{
    UNUSED(x, data);
    double largest = 0.0;
    for (int j = 0; j < 8; j++) largest = fmax(largest, fabs(y[j]));
    return largest;
}
FORMULA(desirability)
{
    UNUSED(x, data);
    return sqrt(0.5 * erfc((1.0 - y[0]) / 0.2 / sqrt(2.0)) * 0.5 * erfc((y[1] - 0.8) / 0.1 / sqrt(2.0)));
}
FORMULA(evenness)
{
    UNUSED(x, data);
    double mean = 0.0, sum = 0.0;
    for (int j = 0; j < 9; j++) mean += y[j] / 9.0;
    for (int j = 0; j < 9; j++) sum += square(y[j] - mean) / 9.0;
    return sum;
}
FORMULA(profit)
{
    (void)data;
    return (y[1] >= 0.9 ? 40.0 : 25.0) * y[0] - 2.0 * x[0] - 0.3 * x[1];
}
FORMULA(kolmogorov)
{
    (void)x;
    double total = 0.0, total_data = 0.0, a = 0.0, b = 0.0, largest = 0.0;
    for (int j = 0; j < 10; j++) total += y[j], total_data += data[j];
    for (int j = 0; j < 10; j++) {
        a += y[j] / total;
        b += data[j] / total_data;
        largest = fmax(largest, fabs(a - b));
    }
    return largest;
}
FORMULA(total_margin)
{
    (void)x;
    double total = 0.0, total_data = 0.0;
    for (int j = 0; j < 10; j++) total += y[j], total_data += data[j];
    return 0.05 * total_data - fabs(total - total_data);
}

static const struct {
    const char *title;
    gofh_sense sense;
    gofh_expression_kind kind;
    formula objective, constraint[2];
} EXAMPLES[] = {
    {"GP-generated, type 1", GOFH_MAXIMIZE, GOFH_EXPRESSION_LEAST_SQUARES, gp1, {NULL}},
    {"GP-generated, type 2", GOFH_MAXIMIZE, GOFH_EXPRESSION_GENERAL, gp2, {NULL}},
    {"Langermann", GOFH_MAXIMIZE, GOFH_EXPRESSION_GENERAL, langermann, {NULL}},
    {"Rosenbrock", GOFH_MAXIMIZE, GOFH_EXPRESSION_LEAST_SQUARES, rosenbrock, {NULL}},
    {"Environmental model", GOFH_MAXIMIZE, GOFH_EXPRESSION_LEAST_SQUARES, environment, {NULL}},
    {"A misfit with measurement errors", GOFH_MINIMIZE, GOFH_EXPRESSION_LEAST_SQUARES, weighted, {NULL}},
    {"A misfit that outliers do not spoil", GOFH_MINIMIZE, GOFH_EXPRESSION_GENERAL, huber, {NULL}},
    {"A log-posterior with a prior", GOFH_MAXIMIZE, GOFH_EXPRESSION_GENERAL, posterior, {NULL}},
    {"Stiff and light", GOFH_MAXIMIZE, GOFH_EXPRESSION_GENERAL, stiffness, {NULL}},
    {"The lightest part that holds",
     GOFH_MINIMIZE,
     GOFH_EXPRESSION_LINEAR,
     mass,
     {stress_margin, deflection_margin}},
    {"The worst case", GOFH_MINIMIZE, GOFH_EXPRESSION_GENERAL, worst, {NULL}},
    {"Two wishes at once", GOFH_MAXIMIZE, GOFH_EXPRESSION_GENERAL, desirability, {NULL}},
    {"An even coating", GOFH_MINIMIZE, GOFH_EXPRESSION_LEAST_SQUARES, evenness, {NULL}},
    {"Profit", GOFH_MAXIMIZE, GOFH_EXPRESSION_GENERAL, profit, {NULL}},
    {"The distance of two distributions", GOFH_MINIMIZE, GOFH_EXPRESSION_GENERAL, kolmogorov, {total_margin}},
};
enum { EXAMPLE_COUNT = sizeof EXAMPLES / sizeof *EXAMPLES, LARGEST = 64, LINE = 600 };

typedef struct {
    char title[LINE], objective[2 * LINE], constraint[2][LINE];
    int constraints;
    bool minimize;
    gofh_symbols *symbols;
    double y[LARGEST], x[LARGEST], data[LARGEST];
    int m, d, n;
} example;

/* "Outputs `c` (12), `t`; parameters `D`; data `observed` (12)." */
static void read_symbols(example *e, char *line)
{
    char kind = '\0';
    for (char *c = line; *c; c++) {
        if (strncmp(c, "Outputs", 7) == 0) kind = 'o';
        if (strncmp(c, "parameters", 10) == 0) kind = 'p';
        if (strncmp(c, "data", 4) == 0) kind = 'd';
        if (*c != '`') continue;
        char *name = c + 1, *end = strchr(name, '`');
        assert_non_null(end);
        *end = '\0';
        int size = end[1] == ' ' && end[2] == '(' ? atoi(end + 3) : 1;
        for (int i = 0; i < size; i++) {
            if (kind == 'o') e->y[e->m] = 0.6 + 0.5 * sin(1.0 + 2.0 * e->m), e->m++;
            if (kind == 'p') e->x[e->d] = 0.05 + 0.3 * (1 + e->d), e->d++;
            if (kind == 'd') e->data[e->n] = 0.6 + 0.4 * sin(1.3 + 2.0 * e->n), e->n++;
        }
        gofh_status status = kind == 'o' ? gofh_symbols_add_output(e->symbols, name, size, NULL)
                             : kind == 'p'
                                 ? gofh_symbols_add_parameter(e->symbols, name, NULL)
                                 : gofh_symbols_add_data(e->symbols, name, e->data + e->n - size, size, NULL);
        assert_int_equal(status, GOFH_OK);
        c = end;
    }
}

static void check_example(const example *e, int number)
{
    assert_string_equal(e->title, EXAMPLES[number].title);
    assert_int_equal(e->minimize, EXAMPLES[number].sense == GOFH_MINIMIZE);
    gofh_expression *expression;
    gofh_error error = {.status = GOFH_OK};
    double value, dy[LARGEST], dx[LARGEST];
    if (gofh_expression_compile(&expression, e->objective, e->symbols, EXAMPLES[number].sense, &error) !=
        GOFH_OK)
        fail_msg("%s: %s", e->title, error.message);
    if (gofh_expression_describe(expression, NULL) != EXAMPLES[number].kind)
        fail_msg("the kind of %s", e->title);
    assert_int_equal(gofh_expression_differentiate(expression, e->y, e->x, 1, &value, dy, dx), GOFH_OK);
    check_close(value, EXAMPLES[number].objective(e->y, e->x, e->data), 1e-13);
    gofh_expression_free(expression);

    const char *texts[2] = {e->constraint[0], e->constraint[1]};
    gofh_constraints *constraints;
    if (gofh_constraints_compile(&constraints, texts, e->constraints, e->symbols, &error) != GOFH_OK)
        fail_msg("%s: %s", e->title, error.message);
    double margin[2];
    assert_int_equal(gofh_constraints_evaluate(constraints, e->y, e->x, 1, margin), GOFH_OK);
    for (int i = 0; i < 2; i++) assert_int_equal(i < e->constraints, EXAMPLES[number].constraint[i] != NULL);
    for (int i = 0; i < e->constraints; i++)
        check_near(margin[i], EXAMPLES[number].constraint[i](e->y, e->x, e->data), 1e-13);
    gofh_constraints_free(constraints);
}

/* A line of the code of an example; one that starts with spaces goes on with the objective. */
static void read_code(example *e, const char *line)
{
    if (strncmp(line, "minimize: ", 10) == 0 || strncmp(line, "maximize: ", 10) == 0) {
        e->minimize = line[1] == 'i';
        snprintf(e->objective, sizeof e->objective, "%s", line + 10);
    } else if (strncmp(line, "constraint: ", 12) == 0 && e->constraints < 2) {
        snprintf(e->constraint[e->constraints++], sizeof e->constraint[0], "%s", line + 12);
    } else {
        strncat(e->objective, line, sizeof e->objective - strlen(e->objective) - 1);
    }
}

static void the_examples_of_the_page_have_the_values_of_their_formulas(void **state)
{
    (void)state;
    FILE *page = fopen(PROJECT_SOURCE "/docs/expressions.md", "r");
    assert_non_null(page);
    char line[LINE];
    static example e;
    bool code = false;
    int count = 0;
    while (fgets(line, sizeof line, page)) {
        if (strncmp(line, "### ", 4) == 0) {
            e = (example){.symbols = gofh_symbols_create()};
            line[strcspn(line, "\n")] = '\0';
            snprintf(e.title, sizeof e.title, "%s", line + 4);
        } else if (strncmp(line, "```", 3) == 0) {
            code = !code;
            if (code) continue;
            assert_true(count < EXAMPLE_COUNT);
            check_example(&e, count++);
            gofh_symbols_free(e.symbols);
        } else if (code) {
            read_code(&e, line);
        } else if (strncmp(line, "Outputs `", 9) == 0) {
            read_symbols(&e, line);
        }
    }
    fclose(page);
    assert_int_equal(count, EXAMPLE_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_the_page_have_the_values_of_their_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
