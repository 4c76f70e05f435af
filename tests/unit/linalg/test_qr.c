/* The triangle of a QR factorisation: the same lengths and angles of columns. */
#include "linalg/qr.h"

#include "base/random.h"
#include "check.h"

#include <stdlib.h>

enum { ROWS = 70, COLUMNS = 40, LD = 75 };

static void check_triangle(int rows, int columns)
{
    double a[LD * COLUMNS], kept[LD * COLUMNS], *work = calloc(qr_work(columns), sizeof *work);
    random_stream stream = random_open(1, RANDOM_TEST, 0, 0);
    for (int c = 0; c < columns; c++) /* of sizes that differ by many decades */
        for (int i = 0; i < LD; i++)
            a[c * LD + i] = kept[c * LD + i] = pow(10.0, -c % 13) * random_normal(&stream);
    qr_triangle(rows, columns, a, LD, work);
    int top = rows < columns ? rows : columns;
    for (int c = 0; c < columns; c++) {
        for (int k = c + 1; k < top; k++) assert_true(a[c * LD + k] == 0.0);
        for (int b = 0; b <= c; b++) {
            double product = 0.0, expected = 0.0, one = 0.0, other = 0.0;
            for (int k = 0; k < top; k++) product += a[c * LD + k] * a[b * LD + k];
            for (int i = 0; i < rows; i++) {
                expected += kept[c * LD + i] * kept[b * LD + i];
                one += kept[c * LD + i] * kept[c * LD + i];
                other += kept[b * LD + i] * kept[b * LD + i];
            }
            check_near(product, expected, 1e-13 * sqrt(one * other));
        }
    }
    free(work);
}

static void columns_keep_their_products(void **state)
{
    (void)state;
    check_triangle(ROWS, COLUMNS);
    check_triangle(COLUMNS, COLUMNS);
}

static void of_fewer_rows_than_columns_too(void **state)
{
    (void)state;
    check_triangle(7, COLUMNS);
    check_triangle(1, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_keep_their_products),
        cmocka_unit_test(of_fewer_rows_than_columns_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
