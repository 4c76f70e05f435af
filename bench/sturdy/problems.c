#include "bench/sturdy/problems.h"

#include <math.h>

/* A decay with an oscillation, seen at nine times. */
enum { CURVE_D = 3, CURVE_M = 9 };

static const double CURVE_TRUTH[CURVE_D] = {0.45, 0.3, 0.6};

static void curve(const double *x, int count, double *y)
{
    double size = 0.2 + 1.8 * x[0], rate = 0.1 + 2.9 * x[1], speed = 0.5 + 2.5 * x[2];
    for (int i = 0; i < count; i++) {
        double t = 2.0 * i / (count - 1);
        y[i] = size * exp(-rate * t) + sin(speed * t);
    }
}

static int curve_h(const double *x, double *y, void *context)
{
    (void)context;
    curve(x, CURVE_M, y);
    return 0;
}

static int many_h(const double *x, double *y, void *context)
{
    (void)context;
    curve(x, STURDY_OUTPUTS_MAX, y);
    return 0;
}

/* One value all over but for a hill around the truth. */
static int hill_h(const double *x, double *y, void *context)
{
    (void)context;
    double square = 0.0;
    for (int k = 0; k < CURVE_D; k++) {
        double z = (x[k] - CURVE_TRUTH[k]) / 0.45;
        square += z * z;
    }
    y[0] = square < 1.0 ? exp(1.0 - 1.0 / (1.0 - square)) : 0.0;
    return 0;
}

/* Each output has its kink where the sum of all is least. */
static int kink_h(const double *x, double *y, void *context)
{
    (void)context;
    for (int k = 0; k < CURVE_D; k++) {
        double z = x[k] - CURVE_TRUTH[k], other = x[(k + 1) % CURVE_D];
        y[k] = fabs(z) * (1.0 + 0.5 * other) + z * z;
    }
    return 0;
}

/* Far from the optimum, or just beyond it, the first output jumps by more than it varies
 * otherwise. */
static int step_away_h(const double *x, double *y, void *context)
{
    curve_h(x, y, context);
    if (x[0] > 0.7) y[0] += 3.0;
    return 0;
}

static int step_at_h(const double *x, double *y, void *context)
{
    curve_h(x, y, context);
    if (x[0] > CURVE_TRUTH[0]) y[0] += 3.0;
    return 0;
}

enum { ROSENBROCK_D = 10, ROSENBROCK_M = 18 };

static const double ONES[ROSENBROCK_D] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

static int rosenbrock_h(const double *x, double *y, void *context)
{
    (void)context;
    for (int k = 0; k < ROSENBROCK_D - 1; k++) {
        y[k] = x[k + 1] - x[k] * x[k];
        y[ROSENBROCK_D - 1 + k] = x[k];
    }
    return 0;
}

/* The runoff of a catchment on 30 days: snow melts above a temperature as long as there is some; the
 * soil is a bucket that overflows, drains, and loses water to the air as long as it has some. */
enum { BUCKET_D = 4, BUCKET_M = 30 };

static const double BUCKET_TRUTH[BUCKET_D] = {0.35, 0.6, 0.4, 0.3};
static const double RAIN[BUCKET_M] = {0, 5, 12, 0,  0, 3, 20, 8, 0, 0, 0, 0, 15, 25, 4,
                                      0, 0, 0,  30, 2, 0, 0,  0, 9, 6, 0, 0, 18, 1,  0};

static int bucket_h(const double *x, double *y, void *context)
{
    double melting = -4.0 + 8.0 * x[0], rate = 0.5 + 5.5 * x[1], capacity = 5.0 + 55.0 * x[2];
    double drained = 0.02 + 0.7 * x[3], snow = 20.0, water = 5.0;
    (void)context;
    for (int t = 0; t < BUCKET_M; t++) {
        double warmth = 1.0 + 4.0 * sin(0.5 * t) - melting;
        double melt = fmin(snow, rate * fmax(warmth, 0.0));
        double frozen = RAIN[t] * fmin(fmax(0.5 - 0.5 * warmth, 0.0), 1.0);
        snow += frozen - melt;
        water += RAIN[t] - frozen + melt;
        double over = fmax(water - capacity, 0.0);
        water -= over;
        y[t] = over + drained * water;
        water = fmax(water - drained * water - 1.0, 0.0);
    }
    return 0;
}
/* A bent, turned image of the cube; what is feasible is a ball of it around 0, so that a linear
 * function of it is least at the ball's boundary. */
static const double BALL_TRUTH[3] = {0.72, 0.25, 0.61};

static int ball_h(const double *x, double *y, void *context)
{
    static const double turn[3][3] = {{2, -1, 2}, {2, 2, -1}, {-1, 2, 2}}; /* over 3: orthogonal */
    (void)context;
    for (int i = 0; i < 3; i++) {
        double u = 0.0;
        for (int k = 0; k < 3; k++) u += turn[i][k] / 3.0 * (x[k] - BALL_TRUTH[k]);
        y[i] = u + 0.3 * u * u * u + 0.2 * sin(3.0 * u);
    }
    return 0;
}

/* Simulation 2 of Gardner et al. (2014): sines with small islands. */
static int islands_h(const double *x, double *y, void *context)
{
    (void)context;
    y[0] = sin(x[0]) + x[1];
    y[1] = sin(x[0]) * sin(x[1]);
    return 0;
}

#define BALL(radius)                                                                                         \
    .d = 3, .m = 3, .upper = 1, .h = ball_h, .truth = BALL_TRUTH, .objective = "y[0] + y[1] + y[2]",         \
    .constraint = "norm(y) <= " #radius, .optimum = -radius * 1.7320508075688772, .beyond = 30
#define CURVE(of) .d = CURVE_D, .m = CURVE_M, .upper = 1, .h = (of), .truth = CURVE_TRUTH, .beyond = 30
#define BUCKET                                                                                               \
    .d = BUCKET_D, .m = BUCKET_M, .upper = 1, .h = bucket_h, .truth = BUCKET_TRUTH,                          \
    .objective = "sum((y - o)^2)", .beyond = 40
#define SQUARES .objective = "sum((y - o)^2)"

static const sturdy_problem PROBLEMS[] = {
    {.name = "minimax",
     .description = "the largest residual",
     CURVE(curve_h),
     .objective = "max(abs(y - o))"},
    {.name = "absolute",
     .description = "the sum of absolute residuals",
     CURVE(curve_h),
     .objective = "sum(abs(y - o))"},
    {.name = "outliers",
     .description = "the same with two wrong data of nine",
     CURVE(curve_h),
     .objective = "sum(abs(y - o - [0, 0, 0.4, 0, 0, 0, -0.3, 0, 0]))",
     .optimum = 0.7},
    {.name = "plateau",
     .description = "a sum of squares cut off where four fifths of the domain are",
     CURVE(curve_h),
     .objective = "min(sum((y - o)^2), 1.3)"},
    {.name = "wide-plateau",
     .description = "the same where nineteen twentieths are",
     CURVE(curve_h),
     .objective = "min(sum((y - o)^2), 0.46)"},
    {.name = "hill",
     .description = "one output, constant but for a hill",
     .d = CURVE_D,
     .m = 1,
     .upper = 1,
     .h = hill_h,
     .truth = CURVE_TRUTH,
     .objective = "-y",
     .optimum = -1,
     .beyond = 30},
    {.name = "kink",
     .description = "outputs with a kink at the optimum",
     .d = CURVE_D,
     .m = CURVE_D,
     .upper = 1,
     .h = kink_h,
     .truth = CURVE_TRUTH,
     .objective = "sum(y)",
     .beyond = 30},
    {.name = "step-away",
     .description = "a step in one output, away from the optimum",
     CURVE(step_away_h),
     SQUARES},
    {.name = "step-at", .description = "the optimum is at the step", CURVE(step_at_h), SQUARES},
    {.name = "bucket", .description = "runoff, with kinks all over the domain", BUCKET},
    {.name = "bucket-noise-told",
     .description = "the same with noise of 1 %, given",
     BUCKET,
     .noise = 0.01,
     .noise_known = 1},
    {.name = "bucket-noise", .description = "the same, not given", BUCKET, .noise = 0.01},
    {.name = "noise-1-told",
     .description = "noise of 1 %, given",
     CURVE(curve_h),
     SQUARES,
     .noise = 0.01,
     .noise_known = 1},
    {.name = "noise-1", .description = "noise of 1 %, not given", CURVE(curve_h), SQUARES, .noise = 0.01},
    {.name = "noise-10-told",
     .description = "noise of 10 %, given",
     CURVE(curve_h),
     SQUARES,
     .noise = 0.1,
     .noise_known = 1},
    {.name = "noise-10", .description = "noise of 10 %, not given", CURVE(curve_h), SQUARES, .noise = 0.1},
    {.name = "ten-parameters",
     .description = "Rosenbrock's valley in 10 dimensions",
     .d = ROSENBROCK_D,
     .m = ROSENBROCK_M,
     .lower = -2,
     .upper = 2,
     .h = rosenbrock_h,
     .truth = ONES,
     .objective = "sum(100 * y[0:9]^2) + sum((y[9:18] - 1)^2)",
     .beyond = 20},
    {.name = "hundred-outputs",
     .description = "the curve at 100 times",
     .d = CURVE_D,
     .m = STURDY_OUTPUTS_MAX,
     .upper = 1,
     .h = many_h,
     .truth = CURVE_TRUTH,
     SQUARES,
     .beyond = 20},
    {.name = "failures",
     .description = "one run in ten fails, anywhere",
     CURVE(curve_h),
     SQUARES,
     .fails = 0.1},
    {.name = "failures-third",
     .description = "one run in three fails",
     CURVE(curve_h),
     SQUARES,
     .fails = 1.0 / 3.0},
    {.name = "ball", .description = "1 % of the domain is feasible", BALL(0.21)},
    {.name = "small-ball", .description = "0.1 % of the domain is feasible", BALL(0.1)},
    {.name = "islands",
     .description = "islands, 2 % of the domain",
     .d = 2,
     .m = 2,
     .upper = 6,
     .h = islands_h,
     .truth = (const double[]){4.712388980384690, 1.570796326794897},
     .objective = "y[0]",
     .constraint = "y[1] <= -0.95",
     .optimum = 0.2532358975033751, /* arcsin 0.95 - 1 */
     .beyond = 30},
};

const sturdy_problem *sturdy_problem_at(int index)
{
    return index >= 0 && index < (int)(sizeof PROBLEMS / sizeof PROBLEMS[0]) ? &PROBLEMS[index] : NULL;
}
