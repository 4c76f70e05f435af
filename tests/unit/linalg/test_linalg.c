#include "base/parallel.h"
#include "base/random.h"
#include "check.h"
#include "linalg/linalg.h"

#include <cblas.h>
#include <stdatomic.h>
#include <string.h>

/* Of OpenBLAS alone. */
int openblas_get_num_threads(void) __attribute__((weak));
void openblas_set_num_threads(int count) __attribute__((weak));

enum { N = 23, Q = 5, LD = 31 };

static void random_matrix(random_stream *stream, int rows, int columns, int ld, double *a)
{
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < ld; i++) a[i + j * ld] = i < rows ? random_normal(stream) : -77.0;
}

/* B B' + I, all of it, with its upper triangle marked where it must not be read. */
static void positive_matrix(random_stream *stream, int n, int ld, double *a)
{
    double b[N * N];
    random_matrix(stream, n, n, n, b);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double sum = i == j ? 1.0 : 0.0;
            for (int k = 0; k < n; k++) sum += b[i + k * n] * b[j + k * n];
            a[i + j * ld] = i >= j ? sum : NAN;
        }
}

static double lower(const double *l, int i, int j)
{
    return i >= j ? l[i + j * LD] : 0.0;
}

static double symmetric(const double *a, int i, int j)
{
    return i >= j ? a[i + j * LD] : a[j + i * LD];
}

static void the_factor_times_its_transpose_is_the_matrix(void **state)
{
    (void)state;
    random_stream stream = random_open(1, RANDOM_TEST, 0, 0);
    double a[LD * N], l[LD * N];
    positive_matrix(&stream, N, LD, a);
    memcpy(l, a, sizeof a);
    assert_int_equal(cholesky_factor(N, l, LD), 0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0.0;
            for (int k = 0; k < N; k++) sum += lower(l, i, k) * lower(l, j, k);
            check_near(sum, symmetric(a, i, j), 1e-12);
            if (i < j) assert_true(isnan(l[i + j * LD])); /* the upper triangle is neither read nor written */
        }
}

static void the_pivot_that_is_not_positive_is_named(void **state)
{
    (void)state;
    double a[9] = {4.0, 2.0, 2.0, 0.0, 1.0, 1.0, 0.0, 0.0, 5.0};
    assert_int_equal(cholesky_factor(3, a, 3), 2);
    double b[1] = {-1.0};
    assert_int_equal(cholesky_factor(1, b, 1), 1);
}

static void appending_rows_one_by_one_gives_the_factor_of_the_whole(void **state)
{
    (void)state;
    random_stream stream = random_open(2, RANDOM_TEST, 0, 0);
    double a[LD * N], whole[LD * N], l[LD * N], work[N];
    positive_matrix(&stream, N, LD, a);
    memcpy(whole, a, sizeof a);
    assert_int_equal(cholesky_factor(N, whole, LD), 0);
    for (int i = 0; i < LD * N; i++) l[i] = NAN;
    for (int n = 0; n < N; n++) {
        for (int j = 0; j < n; j++) l[n + j * LD] = a[n + j * LD];
        assert_int_equal(cholesky_append(n, l, LD, a[n + n * LD], 1e-12, work), 0);
    }
    for (int j = 0; j < N; j++)
        for (int i = j; i < N; i++) check_near(l[i + j * LD], whole[i + j * LD], 1e-11);
}

static void an_appended_pivot_too_small_or_nan_is_raised_to_the_least(void **state)
{
    (void)state;
    double work[2], l[9] = {2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    l[1] = 2.0; /* the row (2) of [4 2; 2 1], which is singular */
    assert_int_equal(cholesky_append(1, l, 3, 1.0, 0.25, work), 1);
    check_near(l[1], 1.0, 0.0);
    check_near(l[4], 0.5, 0.0);
    l[1] = NAN;
    assert_int_equal(cholesky_append(1, l, 3, 1.0, 0.25, work), 1);
    check_near(l[4], 0.5, 0.0);
}

static void solves_undo_the_products_with_the_factor_for_one_and_for_many(void **state)
{
    (void)state;
    random_stream stream = random_open(3, RANDOM_TEST, 0, 0);
    double l[LD * N], x[LD * Q], b[LD * Q];
    positive_matrix(&stream, N, LD, l);
    cholesky_factor(N, l, LD);
    random_matrix(&stream, N, Q, LD, x);
    for (int transposed = 0; transposed < 2; transposed++)
        for (int q = 1; q <= Q; q += Q - 1) {
            memcpy(b, x, sizeof x);
            for (int c = 0; c < q; c++)
                for (int i = 0; i < N; i++) {
                    double sum = 0.0;
                    for (int k = 0; k < N; k++)
                        sum += (transposed ? lower(l, k, i) : lower(l, i, k)) * x[k + c * LD];
                    b[i + c * LD] = sum;
                }
            if (transposed)
                solve_lower_transposed(N, l, LD, q, b, LD);
            else
                solve_lower(N, l, LD, q, b, LD);
            for (int c = 0; c < Q; c++)
                for (int i = 0; i < LD; i++) check_near(b[i + c * LD], x[i + c * LD], 1e-10);
        }
}

static void the_inverse_times_the_matrix_is_the_identity(void **state)
{
    (void)state;
    random_stream stream = random_open(4, RANDOM_TEST, 0, 0);
    double a[LD * N], inverse[LD * N];
    positive_matrix(&stream, N, LD, a);
    memcpy(inverse, a, sizeof a);
    cholesky_factor(N, inverse, LD);
    cholesky_invert(N, inverse, LD);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0.0;
            for (int k = 0; k < N; k++) sum += symmetric(inverse, i, k) * symmetric(a, k, j);
            check_near(sum, i == j ? 1.0 : 0.0, 1e-10);
        }
}

static void products_are_those_of_plain_loops(void **state)
{
    (void)state;
    random_stream stream = random_open(5, RANDOM_TEST, 0, 0);
    double a[LD * Q], l[LD * N], x[N], y[N], z[N], c[Q * (Q + 2)], before[Q * (Q + 2)];
    random_matrix(&stream, N, Q, LD, a);
    random_matrix(&stream, N, N, LD, l);
    random_matrix(&stream, N, 1, N, x);
    random_matrix(&stream, N, 1, N, y);
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += x[i] * y[i];
    check_near(dot_product(N, x, y), sum, 1e-13);
    multiply_transposed_vector(N, Q, a, LD, x, z);
    for (int j = 0; j < Q; j++) {
        sum = 0.0;
        for (int i = 0; i < N; i++) sum += a[i + j * LD] * x[i];
        check_near(z[j], sum, 1e-13);
    }
    multiply_transposed(N, Q, Q, a, LD, l, LD, c, Q + 2);
    for (int j = 0; j < Q; j++)
        for (int i = 0; i < Q; i++) {
            sum = 0.0;
            for (int k = 0; k < N; k++) sum += a[k + i * LD] * l[k + j * LD];
            check_near(c[i + j * (Q + 2)], sum, 1e-13);
        }
    memcpy(z, y, sizeof y);
    add_lower_product(N, l, LD, x, z);
    for (int i = 0; i < N; i++) {
        sum = y[i];
        for (int j = 0; j <= i; j++) sum += l[i + j * LD] * x[j];
        check_near(z[i], sum, 1e-13);
    }
    random_matrix(&stream, Q, Q, Q + 2, c);
    memcpy(before, c, sizeof c);
    subtract_gram(N, Q, a, LD, c, Q + 2);
    for (int j = 0; j < Q; j++)
        for (int i = 0; i < Q + 2; i++) {
            sum = before[i + j * (Q + 2)];
            if (i >= j && i < Q)
                for (int k = 0; k < N; k++) sum -= a[k + i * LD] * a[k + j * LD];
            check_near(c[i + j * (Q + 2)], sum, 1e-12);
        }
    add_gram(N, Q, a, LD, c, Q + 2);
    for (int i = 0; i < Q * (Q + 2); i++) check_near(c[i], before[i], 1e-12);
}

static void nothing_of_size_zero_is_touched(void **state)
{
    (void)state;
    double l[1] = {3.0}, b[1] = {5.0}, work[1] = {7.0};
    solve_lower(0, l, 1, 1, b, 1);
    solve_lower_transposed(0, l, 1, 1, b, 1);
    assert_true(dot_product(0, l, b) == 0.0 && b[0] == 5.0);
    assert_int_equal(cholesky_append(0, l, 1, 9.0, 1e-12, work), 0);
    assert_true(l[0] == 3.0);
}

static void blas_has_one_thread_inside_the_guard_and_its_own_number_after(void **state)
{
    (void)state;
    if (!openblas_get_num_threads) skip();
    int before = openblas_get_num_threads();
    openblas_set_num_threads(2);
    linalg_enter();
    assert_int_equal(openblas_get_num_threads(), 1);
    linalg_enter();
    linalg_leave();
    assert_int_equal(openblas_get_num_threads(), 1);
    linalg_leave();
    assert_int_equal(openblas_get_num_threads(), 2);
    openblas_set_num_threads(1);
    linalg_enter();
    linalg_leave();
    assert_int_equal(openblas_get_num_threads(), 1);
    openblas_set_num_threads(before);
}

static void guarded_task(int index, int worker, void *context)
{
    (void)index;
    (void)worker;
    atomic_int *wrong = context;
    linalg_enter();
    if (openblas_get_num_threads() != 1) atomic_fetch_add(wrong, 1);
    linalg_leave();
}

static void the_guard_holds_from_several_threads_and_restores_at_the_last(void **state)
{
    (void)state;
    if (!openblas_get_num_threads) skip();
    int before = openblas_get_num_threads();
    openblas_set_num_threads(2);
    atomic_int wrong = 0;
    parallel_for(4, 2000, guarded_task, &wrong);
    assert_int_equal(wrong, 0);
    assert_int_equal(openblas_get_num_threads(), 2);
    linalg_enter();
    parallel_for(4, 100, guarded_task, &wrong);
    assert_int_equal(openblas_get_num_threads(), 1);
    linalg_leave();
    assert_int_equal(openblas_get_num_threads(), 2);
    openblas_set_num_threads(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_factor_times_its_transpose_is_the_matrix),
        cmocka_unit_test(the_pivot_that_is_not_positive_is_named),
        cmocka_unit_test(appending_rows_one_by_one_gives_the_factor_of_the_whole),
        cmocka_unit_test(an_appended_pivot_too_small_or_nan_is_raised_to_the_least),
        cmocka_unit_test(solves_undo_the_products_with_the_factor_for_one_and_for_many),
        cmocka_unit_test(the_inverse_times_the_matrix_is_the_identity),
        cmocka_unit_test(products_are_those_of_plain_loops),
        cmocka_unit_test(nothing_of_size_zero_is_touched),
        cmocka_unit_test(blas_has_one_thread_inside_the_guard_and_its_own_number_after),
        cmocka_unit_test(the_guard_holds_from_several_threads_and_restores_at_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
