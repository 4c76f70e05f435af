#include "base/instruction_sets.h"
#include "base/normal.h"
#include "base/vector.h"
#include "outer/kernels.h"

#include <math.h>
#include <string.h>

typedef void (*unary)(const double *restrict a, const double *restrict value, const double *restrict bar,
                      double *restrict a_bar, int n);
typedef void (*binary)(const double *a, const double *b, const double *restrict value,
                       const double *restrict bar, double *restrict target, int n);

/* x is an element of a, y one of b, v the value. What was not taken (by where, min, ...) comes with
 * a bar of 0: it adds nothing, even where its derivative is infinite or NaN. */
#define UNARY(name, derivative)                                                                              \
    FOR_EACH_INSTRUCTION_SET                                                                                 \
    static void name(const double *restrict a, const double *restrict value, const double *restrict bar,     \
                     double *restrict a_bar, int n)                                                          \
    {                                                                                                        \
        (void)a;                                                                                             \
        (void)value;                                                                                         \
        for (int i = 0; i < n; i++) {                                                                        \
            double x = a[i], v = value[i], change = bar[i] * (derivative);                                   \
            (void)x;                                                                                         \
            (void)v;                                                                                         \
            a_bar[i] += bar[i] != 0.0 ? change : 0.0;                                                        \
        }                                                                                                    \
    }
#define BINARY_SLOW(name, derivative)                                                                        \
    static void name(const double *a, const double *b, const double *restrict value,                         \
                     const double *restrict bar, double *restrict target, int n)                             \
    {                                                                                                        \
        for (int i = 0; i < n; i++) {                                                                        \
            double x = a[i], y = b[i], v = value[i], change = bar[i] * (derivative);                         \
            (void)x;                                                                                         \
            (void)y;                                                                                         \
            (void)v;                                                                                         \
            target[i] += bar[i] != 0.0 ? change : 0.0;                                                       \
        }                                                                                                    \
    }
#define BINARY(name, derivative) FOR_EACH_INSTRUCTION_SET BINARY_SLOW(name, derivative)

/* With calls of the library: not where they are not needed, for they cost more than the test. */
#define UNARY_SLOW(name, derivative)                                                                         \
    static void name(const double *restrict a, const double *restrict value, const double *restrict bar,     \
                     double *restrict a_bar, int n)                                                          \
    {                                                                                                        \
        for (int i = 0; i < n; i++) {                                                                        \
            double x = a[i], v = value[i];                                                                   \
            (void)x;                                                                                         \
            (void)v;                                                                                         \
            if (bar[i] != 0.0) a_bar[i] += bar[i] * (derivative);                                            \
        }                                                                                                    \
    }

UNARY(negate, -1.0)
UNARY(square, 2.0 * x)
UNARY(exponential, v)
UNARY(logarithm, 1.0 / x)
UNARY(logarithm_10, 0.43429448190325182765 / x)
/* At 0 the derivative is infinite; with 0 instead, norm(0) has the gradient 0, one of its
 * subgradients. */
UNARY(square_root, v != 0.0 ? 0.5 / v : 0.0)
UNARY(absolute, x >= 0.0 ? 1.0 : -1.0)

/* a_bar += factor bar wave(a) */
static void pull_wave(void (*wave)(const double *, int, double *), double factor, const double *a,
                      const double *bar, double *a_bar, int n)
{
    enum { PART = 256 };
    double slope[PART];
    for (int start = 0; start < n; start += PART) {
        int part = n - start < PART ? n - start : PART;
        wave(a + start, part, slope);
        for (int i = 0; i < part; i++)
            a_bar[start + i] += bar[start + i] != 0.0 ? factor * bar[start + i] * slope[i] : 0.0;
    }
}

static void sine(const double *restrict a, const double *restrict value, const double *restrict bar,
                 double *restrict a_bar, int n)
{
    (void)value;
    pull_wave(vector_cos, 1.0, a, bar, a_bar, n);
}

static void cosine(const double *restrict a, const double *restrict value, const double *restrict bar,
                   double *restrict a_bar, int n)
{
    (void)value;
    pull_wave(vector_sin, -1.0, a, bar, a_bar, n);
}

UNARY(tangent, 1.0 + v * v)
UNARY(arc_sine, fabs(x) < 1.0 ? 1.0 / sqrt((1.0 - x) * (1.0 + x)) : 0.0)
UNARY(arc_cosine, fabs(x) < 1.0 ? -1.0 / sqrt((1.0 - x) * (1.0 + x)) : 0.0)
UNARY(arc_tangent, 1.0 / (1.0 + x * x))
UNARY_SLOW(hyperbolic_sine, cosh(x))
UNARY_SLOW(hyperbolic_cosine, sinh(x))
UNARY(hyperbolic_tangent, (1.0 - v) * (1.0 + v))
UNARY_SLOW(error_function, 1.12837916709551257390 * exp(-x * x))
UNARY_SLOW(cumulative_normal, normal_density(x))
BINARY(one, 1.0)
BINARY(minus_one, -1.0)
BINARY(multiply_left, y)
BINARY(multiply_right, x)
BINARY(divide_left, 1.0 / y)
BINARY(divide_right, -v / y)
/* Where both are equal, the first one is taken. */
BINARY(smaller_left, x <= y ? 1.0 : 0.0)
BINARY(smaller_right, x <= y ? 0.0 : 1.0)
BINARY(larger_left, x >= y ? 1.0 : 0.0)
BINARY(larger_right, x >= y ? 0.0 : 1.0)

static double power_in_base(double base, double exponent)
{
    double derivative = exponent == 0.0 ? 0.0 : exponent * pow(base, exponent - 1.0);
    return isfinite(derivative) ? derivative : 0.0;
}

/* A negative base has powers for whole exponents only, and no derivative in them. */
static double power_in_exponent(double base, double value)
{
    return base > 0.0 ? value * log(base) : 0.0;
}

BINARY_SLOW(power_left, bar[i] != 0.0 ? power_in_base(x, y) : 0.0)
BINARY_SLOW(power_right, bar[i] != 0.0 ? power_in_exponent(x, v) : 0.0)

static unary unary_kernel(tape_op op)
{
    switch (op) {
        UNARY_KERNELS(RETURN_KERNEL)
    default:
        return NULL; /* floor and not: 0 */
    }
}

/* The derivative in the left operand (0) or the right one (1); NULL where it is 0. */
static binary binary_kernel(tape_op op, int side)
{
    switch (op) {
    case TAPE_ADD:
        return one;
    case TAPE_SUBTRACT:
        return side ? minus_one : one;
    case TAPE_MULTIPLY:
        return side ? multiply_right : multiply_left;
    case TAPE_DIVIDE:
        return side ? divide_right : divide_left;
    case TAPE_POWER:
        return side ? power_right : power_left;
    case TAPE_SMALLER:
        return side ? smaller_right : smaller_left;
    case TAPE_LARGER:
        return side ? larger_right : larger_left;
    default:
        return NULL;
    }
}

static void apply_unary(unary kernel, int size, const kernel_operand *operand, const double *value,
                        const double *bar, int stride, int n)
{
    int rows = n == stride ? 1 : size, length = n == stride ? size * n : n;
    for (int e = 0; e < rows; e++)
        kernel(operand->rows + e * stride, value + e * stride, bar + e * stride, operand->bar + e * stride,
               length);
}

static void apply_binary(tape_op op, int side, int size, const kernel_operand *operand, const double *value,
                         const double *bar, int stride, int n)
{
    binary kernel = binary_kernel(op, side);
    if (!kernel || !operand[side].bar) return;
    bool whole = n == stride && operand[0].size == size && operand[1].size == size;
    int rows = whole ? 1 : size, length = whole ? size * n : n;
    int a_step = operand[0].size > 1 ? stride : 0, b_step = operand[1].size > 1 ? stride : 0;
    int step = side ? b_step : a_step;
    for (int e = 0; e < rows; e++)
        kernel(operand[0].rows + e * a_step, operand[1].rows + e * b_step, value + e * stride,
               bar + e * stride, operand[side].bar + e * step, length);
}

static void apply_where(int size, const kernel_operand *operand, const double *bar, int stride, int n)
{
    int condition_step = operand[0].size > 1 ? stride : 0;
    for (int side = 1; side <= 2; side++) {
        if (!operand[side].bar) continue;
        int step = operand[side].size > 1 ? stride : 0;
        for (int e = 0; e < size; e++) {
            const double *condition = operand[0].rows + e * condition_step, *row = bar + e * stride;
            double *target = operand[side].bar + e * step;
            for (int i = 0; i < n; i++) target[i] += (condition[i] != 0.0) == (side == 1) ? row[i] : 0.0;
        }
    }
}

/* To the first element that is the smallest, or the largest. */
static void apply_extremum(const kernel_operand *operand, const double *value, const double *bar, int stride,
                           int n, double *scratch)
{
    memcpy(scratch, bar, (size_t)n * sizeof *scratch);
    for (int e = 0; e < operand->size; e++) {
        const double *a = operand->rows + e * stride;
        double *target = operand->bar + e * stride;
        for (int i = 0; i < n; i++) {
            bool here = a[i] == value[i];
            target[i] += here ? scratch[i] : 0.0;
            scratch[i] = here ? 0.0 : scratch[i];
        }
    }
}

FOR_EACH_INSTRUCTION_SET
static void spread_sum(const double *restrict bar, int size, double *restrict target, int stride, int n)
{
    for (int e = 0; e < size; e++)
        for (int i = 0; i < n; i++) target[e * stride + i] += bar[i];
}

static void apply_cumsum(const kernel_operand *operand, const double *bar, int stride, int n, double *scratch)
{
    memset(scratch, 0, (size_t)n * sizeof *scratch);
    for (int e = operand->size - 1; e >= 0; e--)
        for (int i = 0; i < n; i++) {
            scratch[i] += bar[e * stride + i];
            operand->bar[e * stride + i] += scratch[i];
        }
}

void kernel_backward(tape_op op, int size, const kernel_operand *operand, const double *value,
                     const double *bar, int stride, int n, double *scratch)
{
    switch (op) {
    case TAPE_SUM:
        spread_sum(bar, operand->size, operand->bar, stride, n);
        return;
    case TAPE_SMALLEST:
    case TAPE_LARGEST:
        apply_extremum(operand, value, bar, stride, n, scratch);
        return;
    case TAPE_CUMSUM:
        apply_cumsum(operand, bar, stride, n, scratch);
        return;
    case TAPE_WHERE:
        apply_where(size, operand, bar, stride, n);
        return;
    default:
        break;
    }
    if (tape_arguments(op) == 2) {
        apply_binary(op, 0, size, operand, value, bar, stride, n);
        apply_binary(op, 1, size, operand, value, bar, stride, n);
        return;
    }
    unary kernel = unary_kernel(op);
    if (kernel) apply_unary(kernel, size, operand, value, bar, stride, n);
}
