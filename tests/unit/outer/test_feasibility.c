/* Constraints as the acquisition sees them: soft boundaries (eq. 23), multipliers of violations,
 * and f of what is not feasible. */
#include "outer/outer.h"

#include "base/memory.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { M = 3, D = 2, K = 4, ROWS = 150 }; /* rows: more than two blocks */

static const char *const TEXTS[] = {"exp(y[0]) + p <= 2", "y[1] * y[2] >= q", "y[2] == 0.3 +- 0.5"};

static gofh_constraints *compile(const char *const *texts, int count)
{
    gofh_symbols *symbols = gofh_symbols_create();
    gofh_constraints *constraints;
    gofh_error error = {.status = GOFH_OK};
    gofh_symbols_add_output(symbols, "y", M, &error);
    gofh_symbols_add_parameter(symbols, "p", &error);
    gofh_symbols_add_parameter(symbols, "q", &error);
    gofh_constraints_compile(&constraints, texts, count, symbols, &error);
    assert_string_equal(error.message, "");
    gofh_symbols_free(symbols);
    return constraints;
}

/* The margins by hand: left <= right has right - left; an equality both sides of its tolerance. */
static void margins_by_hand(const double *y, const double *x, double *margin)
{
    margin[0] = 2.0 - (exp(y[0]) + x[0]);
    margin[1] = y[1] * y[2] - x[1];
    margin[2] = 0.5 - fabs(y[2] - 0.3);
}

static outer make(gofh_constraints *constraints)
{
    static const double weights[M] = {1.0, -2.0, 0.5};
    return (outer){.outputs = M,
                   .parameters = D,
                   .sign = -1.0,
                   .weights = weights,
                   .constant = 0.25,
                   .constraints = constraints,
                   .margins = gofh_constraints_margins(constraints)};
}

typedef struct {
    double y[ROWS * M], x[ROWS * D];
} batch;

static batch make_batch(void)
{
    batch b;
    for (int i = 0; i < ROWS * M; i++) b.y[i] = 1.5 * sin(1.7 * i + 0.3);
    for (int i = 0; i < ROWS * D; i++) b.x[i] = 0.5 + 0.5 * cos(2.3 * i);
    return b;
}

static double fat(double t)
{
    return t < 0.0 ? 0.5 / ((1.0 - t) * (1.0 - t)) : 1.0 - 0.5 / ((1.0 + t) * (1.0 + t));
}

static void feasibility_is_the_product_of_equation_23(void **state)
{
    (void)state;
    gofh_constraints *constraints = compile(TEXTS, 3);
    outer g = make(constraints);
    g.margins = 3;
    static const double width[] = {0.1, 2.0, 1e-3};
    static const double margin[][3] = {
        {0.0, 0.0, 0.0}, {0.1, -2.0, 0.003}, {-5.0, 100.0, -1.0}, {1e9, 1e9, 1e9}, {-1e9, 1.0, 1.0}};
    double slope[3];
    for (int i = 0; i < 5; i++) {
        double expected = fat(margin[i][0] / 0.1) * fat(margin[i][1] / 2.0) * fat(margin[i][2] / 1e-3);
        check_close(outer_feasibility(&g, margin[i], width, slope), expected, 1e-14);
    }
    gofh_constraints_free(constraints);
}

static void the_slopes_of_feasibility_are_those_of_its_logarithm(void **state)
{
    (void)state;
    gofh_constraints *constraints = compile(TEXTS, 3);
    outer g = make(constraints);
    g.margins = 3;
    static const double width[] = {0.1, 2.0, 1.0}, at[][3] = {{0.05, -3.0, 0.2}, {-40.0, 7.0, -0.3}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) {
            double slope[3], ignored[3], moved[3], step = 1e-5 * width[k];
            outer_feasibility(&g, at[i], width, slope);
            memcpy(moved, at[i], sizeof moved);
            moved[k] = at[i][k] + step;
            double above = log(outer_feasibility(&g, moved, width, ignored));
            moved[k] = at[i][k] - step;
            double below = log(outer_feasibility(&g, moved, width, ignored));
            check_close(slope[k], (above - below) / (2.0 * step), 1e-6);
        }
    gofh_constraints_free(constraints);
}

static void a_margin_without_a_value_is_not_feasible_and_has_no_gradient(void **state)
{
    (void)state;
    gofh_constraints *constraints = compile(TEXTS, 3);
    outer g = make(constraints);
    g.margins = 3;
    static const double width[] = {1.0, 1.0, 1.0}, margin[] = {-INFINITY, 0.0, 0.0};
    double slope[3];
    check_near(outer_feasibility(&g, margin, width, slope), 0.0, 0.0);
    check_near(slope[0], 0.0, 0.0);
    check_near(slope[1], 2.0, 1e-15); /* s'/s at 0 is 1 / (1/2) */
    gofh_constraints_free(constraints);
}

/* sum over rows and margins of weight * margin, of which outer_adjoint gives the gradient. */
static double weighted(const outer *g, const batch *b, int row, const double *weight)
{
    double margin[K], sum = 0.0;
    assert_int_equal(outer_margins(g, b->y + row * M, b->x + row * D, 1, margin), GOFH_OK);
    for (int i = 0; i < g->margins; i++) sum += weight[row * g->margins + i] * margin[i];
    return sum;
}

static void the_adjoint_of_the_margins_is_their_weighted_gradient(void **state)
{
    (void)state;
    gofh_constraints *constraints = compile(TEXTS, 3);
    outer g = make(constraints);
    batch b = make_batch();
    double weight[ROWS * K], dy[ROWS * M], dx[ROWS * D], *work = memory_doubles(outer_work(&g, ROWS));
    assert_non_null(work);
    for (int i = 0; i < ROWS * g.margins; i++) weight[i] = cos(0.7 * i);
    for (int i = 0; i < ROWS * M; i++) dy[i] = 1.0; /* what is there is added to */
    for (int i = 0; i < ROWS * D; i++) dx[i] = -1.0;
    assert_int_equal(outer_adjoint(&g, b.y, b.x, ROWS, weight, dy, dx, work), GOFH_OK);
    const double h = 1e-6;
    for (int row = 0; row < ROWS; row += 7) {
        for (int j = 0; j < M; j++) {
            double *v = &b.y[row * M + j], kept = *v;
            *v = kept + h;
            double above = weighted(&g, &b, row, weight);
            *v = kept - h;
            check_near(dy[row * M + j], 1.0 + (above - weighted(&g, &b, row, weight)) / (2.0 * h), 1e-7);
            *v = kept;
        }
        for (int j = 0; j < D; j++) {
            double *v = &b.x[row * D + j], kept = *v;
            *v = kept + h;
            double above = weighted(&g, &b, row, weight);
            *v = kept - h;
            check_near(dx[row * D + j], -1.0 + (above - weighted(&g, &b, row, weight)) / (2.0 * h), 1e-7);
            *v = kept;
        }
    }
    free(work);
    gofh_constraints_free(constraints);
}

static void a_violation_costs_its_multiplier_and_a_kept_margin_nothing(void **state)
{
    (void)state;
    gofh_constraints *constraints = compile(TEXTS, 2);
    outer g = make(constraints);
    assert_int_equal(g.margins, 2);
    batch b = make_batch();
    static const double multiplier[] = {3.0, 0.5};
    double value[ROWS], dy[ROWS * M], dx[ROWS * D], *work = memory_doubles(outer_work(&g, ROWS));
    assert_non_null(work);
    for (int i = 0; i < ROWS; i++) value[i] = 7.0;
    memset(dy, 0, sizeof dy);
    memset(dx, 0, sizeof dx);
    assert_int_equal(outer_penalise(&g, b.y, b.x, ROWS, multiplier, value, dy, dx, work), GOFH_OK);
    int kept = 0, violated = 0;
    for (int row = 0; row < ROWS; row++) {
        const double *y = b.y + row * M, *x = b.x + row * D;
        double margin[3];
        margins_by_hand(y, x, margin);
        double first = margin[0] < 0.0 ? multiplier[0] : 0.0, second = margin[1] < 0.0 ? multiplier[1] : 0.0;
        check_near(value[row], 7.0 + first * margin[0] + second * margin[1], 1e-12);
        check_near(dy[row * M], -first * exp(y[0]), 1e-12);
        check_near(dy[row * M + 1], second * y[2], 1e-12);
        check_near(dy[row * M + 2], second * y[1], 1e-12);
        check_near(dx[row * D], -first, 1e-12);
        check_near(dx[row * D + 1], -second, 1e-12);
        if (first == 0.0 && second == 0.0)
            kept++;
        else
            violated++;
    }
    assert_true(kept > 10 && violated > 10);
    double again[ROWS];
    for (int i = 0; i < ROWS; i++) again[i] = 7.0;
    assert_int_equal(outer_penalise(&g, b.y, b.x, ROWS, multiplier, again, NULL, NULL, work), GOFH_OK);
    assert_memory_equal(again, value, sizeof value);
    free(work);
    gofh_constraints_free(constraints);
}

static void f_is_the_signed_objective_where_all_holds_and_minus_infinity_where_not(void **state)
{
    (void)state;
    gofh_constraints *constraints = compile(TEXTS, 3);
    outer g = make(constraints);
    batch b = make_batch();
    int feasible = 0;
    for (int row = 0; row < ROWS; row++) {
        const double *y = b.y + row * M, *x = b.x + row * D;
        double margin[3], found[K], f;
        margins_by_hand(y, x, margin);
        assert_int_equal(outer_value(&g, y, x, &f, found), GOFH_OK);
        if (margin[0] >= 0.0 && margin[1] >= 0.0 && margin[2] >= 0.0) {
            check_near(f, -(0.25 + y[0] - 2.0 * y[1] + 0.5 * y[2]), 1e-14);
            feasible++;
        } else {
            assert_true(f == -INFINITY);
        }
    }
    assert_true(feasible > 0 && feasible < ROWS);
    gofh_constraints_free(constraints);
}

static void a_point_on_the_boundary_is_feasible(void **state)
{
    (void)state;
    static const char *const text[] = {"y[0] <= 1"};
    gofh_constraints *constraints = compile(text, 1);
    outer g = make(constraints);
    static const double y[] = {1.0, 0.0, 0.0}, beyond[] = {1.0 + 2.3e-16, 0.0, 0.0}, x[] = {0.0, 0.0};
    double f, margin;
    assert_int_equal(outer_value(&g, y, x, &f, &margin), GOFH_OK);
    check_near(f, -1.25, 0.0);
    assert_int_equal(outer_value(&g, beyond, x, &f, &margin), GOFH_OK);
    assert_true(f == -INFINITY);
    gofh_constraints_free(constraints);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feasibility_is_the_product_of_equation_23),
        cmocka_unit_test(the_slopes_of_feasibility_are_those_of_its_logarithm),
        cmocka_unit_test(a_margin_without_a_value_is_not_feasible_and_has_no_gradient),
        cmocka_unit_test(the_adjoint_of_the_margins_is_their_weighted_gradient),
        cmocka_unit_test(a_violation_costs_its_multiplier_and_a_kept_margin_nothing),
        cmocka_unit_test(f_is_the_signed_objective_where_all_holds_and_minus_infinity_where_not),
        cmocka_unit_test(a_point_on_the_boundary_is_feasible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
