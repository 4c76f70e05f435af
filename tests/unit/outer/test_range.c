/* What a constraint can reach at best, before any output is known. */
#include "base/random.h"
#include "check.h"
#include "outer/expression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { M = 3, D = 2 };
static const double LOWER[D] = {0.5, -2.0}, UPPER[D] = {3.0, 1.0};

static gofh_constraints *compile(const char *text)
{
    static const double data[] = {1.0, 4.0, -2.0};
    gofh_symbols *symbols = gofh_symbols_create();
    gofh_constraints *constraints;
    gofh_error error = {.status = GOFH_OK};
    gofh_symbols_add_output(symbols, "y", M, &error);
    gofh_symbols_add_parameter(symbols, "p", &error);
    gofh_symbols_add_parameter(symbols, "q", &error);
    gofh_symbols_add_data(symbols, "seen", data, 3, &error);
    gofh_constraints_compile(&constraints, &text, 1, symbols, &error);
    assert_string_equal(error.message, "");
    gofh_symbols_free(symbols);
    return constraints;
}

static double best_margin(const char *text)
{
    gofh_constraints *constraints = compile(text);
    double best;
    assert_int_equal(constraints_best_margin(constraints, 0, LOWER, UPPER, &best), GOFH_OK);
    gofh_constraints_free(constraints);
    return best;
}

/* By hand, at the ends of the bounds: p from 0.5 to 3, q from -2 to 1. */
static void what_a_constraint_reaches_is_known(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double best;
    } cases[] = {
        {"sum(y^2) <= -1", -1.0},
        {"abs(y[0]) + exp(y[1]) <= -0.5", -0.5},
        {"sqrt(y[0]) + y[1]^4 <= -2", -2.0},
        {"sin(y[0]) >= 1.5", -0.5},
        {"cosh(y[0]) < 1", 0.0},
        {"tanh(y[0]) + atan(0) >= 1.25", -0.25},
        {"normal_cdf(y[2]) >= 3", -2.0},
        {"p <= 0.25", -0.25},
        {"p >= 3", 0.0},
        {"p*q >= 4", -1.0},
        {"p - q >= 6", -1.0},
        {"q^2 >= 4.5", -0.5},
        {"q/p >= 2.5", -0.5},
        {"1/q >= 100", INFINITY},
        {"p^q <= 0.1", 0.1 - 1.0 / 9.0},
        {"exp(q) >= 3", 2.718281828459045 - 3.0},
        {"log(p) >= 2", 1.0986122886681098 - 2.0},
        {"sum(seen*p) >= 40", -4.0}, /* 3 elements of 12 at most, as one interval stands for all */
        {"min(p, y[0]) >= 3.5", -0.5},
        {"max(q, p) >= 3.5", -0.5},
        {"where(y[0] > 0, p, q) >= 4", -1.0},
        {"cumsum([p, q]) >= 7", -1.0},
        {"y[0] >= 5", INFINITY},
        {"mean(y) == 1 +- 0.5", 0.5},
        {"p <= 0.25 or y[0] > 1", INFINITY},
        {"y[0] > 1 and p >= 4", -1.0},
        {"[p, q] >= [5, y[0]]", INFINITY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double best = best_margin(cases[i].text);
        /* Widened for rounding: by some units of the last place. */
        if (best != cases[i].best && !(best >= cases[i].best - 1e-15 && best <= cases[i].best + 1e-12))
            fail_msg("%s: %.17g, not %.17g", cases[i].text, best, cases[i].best);
    }
}

static void no_point_has_a_larger_margin(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "sum((y - seen)^2)*p <= q^3 + 2",
        "exp(-abs(y[0]))*cos(q) >= p/(1 + y[1]^2)",
        "log10(p + 2) + erf(y[2])*q >= floor(p*q)",
        "asin(q/2) + acos(p/4) - tan(q/3) <= sinh(p) - log(p)",
        "norm(y)/(p + q + 3) >= p^(q - 1)",
        "max(y*p - seen) - min([p, q, y[0]]) >= -sum(cumsum(seen*q))",
        "where(y[0] < q, p^2, -q)/(2 + sin(y[1])) <= 0.1*p",
        "(p - 1)*(q + 1)*(y[0] - y[0]) >= sqrt(p) - 0.1",
    };
    random_stream stream = random_open(3, RANDOM_TEST, 0, 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        gofh_constraints *constraints = compile(texts[i]);
        double best = best_margin(texts[i]), y[M], x[D], margin[8];
        int margins = gofh_constraints_margins(constraints);
        for (int s = 0; s < 20000; s++) {
            for (int j = 0; j < M; j++) y[j] = random_normal(&stream) * exp(random_normal(&stream));
            for (int k = 0; k < D; k++) x[k] = LOWER[k] + random_uniform(&stream) * (UPPER[k] - LOWER[k]);
            assert_int_equal(gofh_constraints_evaluate(constraints, y, x, 1, margin), GOFH_OK);
            double least = INFINITY;
            for (int e = 0; e < margins; e++) least = fmin(least, margin[e]);
            if (least > best) fail_msg("%s: %.17g is above %.17g", texts[i], least, best);
        }
        gofh_constraints_free(constraints);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_constraint_reaches_is_known),
        cmocka_unit_test(no_point_has_a_larger_margin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
