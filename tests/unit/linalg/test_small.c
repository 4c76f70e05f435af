#include "base/fused.h"
#include "base/random.h"
#include "check.h"
#include "linalg/small.h"

#include <string.h>

/* The kernels as they are where there is no fused multiply-add: what this machine does not choose by
 * itself is tested too. */
#define FOR_SET
#define NAMED(f) f##_plain
#include "linalg/small_kernels.h"

enum { MOST = 44, LD = MOST + SMALL_SIDE };

typedef int (*factor)(int n, double *a);
typedef void (*solver)(int n, const double *l, int ld, double *b);
static const factor FACTORS[] = {small_factor, factor_plain};
static const solver SOLVERS[] = {small_solve, solve_plain};
enum { SETS = 2 };

/* B B' + I with normal rows below it; what must not be read above the diagonal is marked. */
static void bordered_matrix(random_stream *stream, int n, double *a)
{
    double b[MOST * MOST] = {0};
    int ld = n + SMALL_SIDE;
    for (int i = 0; i < n * n; i++) b[i] = random_normal(stream);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < ld; i++) {
            double sum = i == j ? 1.0 : 0.0;
            for (int k = 0; i < n && k < n; k++) sum += b[i + k * n] * b[j + k * n];
            a[i + j * ld] = i >= n ? random_normal(stream) : i >= j ? sum : NAN;
        }
}

static void check_factor(factor find, int n, random_stream *stream)
{
    static double a[LD * MOST], l[LD * MOST];
    int ld = n + SMALL_SIDE;
    bordered_matrix(stream, n, a);
    memcpy(l, a, sizeof a);
    assert_int_equal(find(n, l), 0);
    for (int j = 0; j < n; j++) {
        assert_true(l[j + j * ld] > 0.0);
        for (int i = j; i < ld; i++) { /* the rows below obey the same equations as those of the matrix */
            double sum = 0.0;
            for (int k = 0; k <= j; k++) sum += l[i + k * ld] * l[j + k * ld];
            check_near(sum, a[i + j * ld], 1e-12 * n);
        }
    }
}

static void the_factor_times_its_transpose_is_the_matrix_with_the_rows_below(void **state)
{
    (void)state;
    random_stream stream = random_open(1, RANDOM_TEST, 0, 0);
    for (int set = 0; set < SETS; set++)
        for (int n = 4; n <= MOST; n += SMALL_SIDE) check_factor(FACTORS[set], n, &stream);
}

static void a_pivot_that_is_not_positive_is_found_wherever_it_is(void **state)
{
    (void)state;
    static double a[LD * MOST];
    static const double BAD[] = {0.0, -1.0, NAN};
    random_stream stream = random_open(2, RANDOM_TEST, 0, 0);
    for (int set = 0; set < SETS; set++)
        for (int at = 0; at < 12; at++)
            for (int kind = 0; kind < 3; kind++) {
                bordered_matrix(&stream, 12, a);
                a[at * (12 + SMALL_SIDE + 1)] = BAD[kind];
                assert_int_equal(FACTORS[set](12, a), -1);
            }
}

static void the_triangle_times_what_was_solved_is_what_was_given(void **state)
{
    (void)state;
    static double l[LD * MOST], b[MOST * SMALL_POINTS], x[MOST * SMALL_POINTS];
    random_stream stream = random_open(3, RANDOM_TEST, 0, 0);
    for (int set = 0; set < SETS; set++)
        for (int n = 1; n <= MOST; n++) {
            for (int i = 0; i < LD * n; i++)
                l[i] = i % LD < i / LD ? NAN : i % LD == i / LD ? 2.0 : 0.3 * random_normal(&stream);
            for (int i = 0; i < n * SMALL_POINTS; i++) x[i] = b[i] = random_normal(&stream);
            SOLVERS[set](n, l, LD, x);
            for (int i = 0; i < n; i++)
                for (int p = 0; p < SMALL_POINTS; p++) {
                    double sum = 0.0, size = 0.0;
                    for (int k = 0; k <= i; k++) {
                        sum += l[i + k * LD] * x[k * SMALL_POINTS + p];
                        size += fabs(l[i + k * LD] * x[k * SMALL_POINTS + p]);
                    }
                    check_near(sum, b[i * SMALL_POINTS + p], 1e-15 * (n + 4) * size);
                }
        }
}

static void a_point_is_solved_alike_wherever_it_stands(void **state)
{
    (void)state;
    static double l[LD * MOST], b[MOST * SMALL_POINTS];
    random_stream stream = random_open(4, RANDOM_TEST, 0, 0);
    for (int i = 0; i < LD * MOST; i++) l[i] = i % LD == i / LD ? 1.5 : 0.3 * random_normal(&stream);
    for (int i = 0; i < MOST; i++) {
        double same = random_normal(&stream);
        for (int p = 0; p < SMALL_POINTS; p++) b[i * SMALL_POINTS + p] = same;
    }
    small_solve(MOST - 1, l, LD, b);
    for (int i = 0; i < MOST; i++)
        for (int p = 1; p < SMALL_POINTS; p++) assert_true(b[i * SMALL_POINTS + p] == b[i * SMALL_POINTS]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_factor_times_its_transpose_is_the_matrix_with_the_rows_below),
        cmocka_unit_test(a_pivot_that_is_not_positive_is_found_wherever_it_is),
        cmocka_unit_test(the_triangle_times_what_was_solved_is_what_was_given),
        cmocka_unit_test(a_point_is_solved_alike_wherever_it_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
