#include "check.h"

#include "linalg/eigen.h"

static void the_second_difference_matrix_has_its_known_eigenvalues(void **state)
{
    (void)state;
    enum { N = 7 };
    double a[N * N] = {0}, values[N], work[3 * N];
    assert_true(eigen_symmetric_work(N) <= 3 * N);
    for (int i = 0; i < N; i++) {
        a[i * N + i] = 2;
        if (i > 0) a[i * N + i - 1] = a[(i - 1) * N + i] = -1;
    }
    assert_int_equal(eigen_symmetric(N, a, values, work), 0);
    for (int k = 0; k < N; k++) {
        double expected = 2 - 2 * cos((k + 1) * acos(-1) / (N + 1));
        check_near(values[k], expected, 1e-14);
        const double *v = a + k * N;
        double norm = 0;
        for (int i = 0; i < N; i++) {
            double product = 2 * v[i] - (i > 0 ? v[i - 1] : 0) - (i + 1 < N ? v[i + 1] : 0);
            check_near(product, expected * v[i], 1e-14);
            norm += v[i] * v[i];
        }
        check_near(norm, 1, 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_second_difference_matrix_has_its_known_eigenvalues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
