/* The map that straightens a curved ridge. */
#include "infer/bend.h"

#include "base/random.h"
#include "check.h"

#include <string.h>

enum { D = 3, COUNT = 400 };

/* x1 follows a parabola of x0, to 0.01; x2 is by itself. */
static void fill(double *point)
{
    random_stream stream = random_open(5, RANDOM_POSTERIOR, 0, 0);
    for (int i = 0; i < COUNT; i++) {
        double a = 4.0 * random_uniform(&stream) - 2.0, b = random_uniform(&stream) - 0.5;
        point[D * i] = a;
        point[D * i + 1] = 0.1 * a * a + 0.02 * b + 1.0;
        point[D * i + 2] = 3.0 * random_uniform(&stream) - 7.0;
    }
}

static void a_parabola_becomes_straight(void **state)
{
    (void)state;
    double point[D * COUNT], straight[D], squares = 0.0, most = 0.0;
    bend b;
    fill(point);
    assert_int_equal(bend_create(&b, D), 0);
    bend_fit(&b, point, COUNT);
    for (int i = 0; i < COUNT; i++) {
        bend_straighten(&b, point + D * i, straight);
        squares += straight[0] * straight[0] / COUNT;
        most = fmax(most, fabs(straight[1]));
    }
    /* Before, the narrowest component has a variance of 1. The parabola's x1 varies by 0.12, what
     * is left of it by 0.006: a part of 0.05. */
    assert_true(sqrt(squares) < 0.08);
    assert_true(most < 4.0);
    bend_free(&b);
}

static double determinant(double m[D][D])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

static void the_map_has_an_inverse_and_one_volume(void **state)
{
    (void)state;
    double point[D * COUNT], straight[D], back[D];
    bend b;
    fill(point);
    assert_int_equal(bend_create(&b, D), 0);
    bend_fit(&b, point, COUNT);
    for (int i = 0; i < COUNT; i += 37) {
        double slope[D][D], step = 1e-5;
        bend_straighten(&b, point + D * i, straight);
        bend_back(&b, straight, back);
        for (int k = 0; k < D; k++) check_near(back[k], point[D * i + k], 1e-12 * (1.0 + fabs(back[k])));
        for (int a = 0; a < D; a++) {
            double up[D], down[D];
            memcpy(back, straight, sizeof back);
            back[a] += step;
            bend_back(&b, back, up);
            back[a] -= 2.0 * step;
            bend_back(&b, back, down);
            for (int k = 0; k < D; k++) slope[a][k] = (up[k] - down[k]) / (2.0 * step);
        }
        check_close(fabs(determinant(slope)), exp(b.log_scale), 1e-6);
    }
    bend_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_parabola_becomes_straight),
        cmocka_unit_test(the_map_has_an_inverse_and_one_volume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
