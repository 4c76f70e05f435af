#include "base/instruction_sets.h"
#include "base/normal.h"
#include "base/vector.h"
#include "outer/kernels.h"

#include <math.h>
#include <string.h>

typedef void (*unary)(const double *restrict a, double *restrict out, int n);
typedef void (*binary)(const double *restrict a, const double *restrict b, double *restrict out, int n);

/* x is an element of a, y one of b. With calls of the library, which no instruction set makes
 * faster. */
#define UNARY_CALL(name, result)                                                                             \
    static void name(const double *restrict a, double *restrict out, int n)                                  \
    {                                                                                                        \
        for (int i = 0; i < n; i++) {                                                                        \
            double x = a[i];                                                                                 \
            out[i] = (result);                                                                               \
        }                                                                                                    \
    }
#define BINARY_CALL(name, result)                                                                            \
    static void name(const double *restrict a, const double *restrict b, double *restrict out, int n)        \
    {                                                                                                        \
        for (int i = 0; i < n; i++) {                                                                        \
            double x = a[i], y = b[i];                                                                       \
            out[i] = (result);                                                                               \
        }                                                                                                    \
    }
#define UNARY(name, result)  FOR_EACH_INSTRUCTION_SET UNARY_CALL(name, result)
#define BINARY(name, result) FOR_EACH_INSTRUCTION_SET BINARY_CALL(name, result)
/* NaN where either is, else 1 or 0. */
#define COMPARISON(name, sign) BINARY(name, x != x ? x : y != y ? y : (x sign y) ? 1.0 : 0.0)

UNARY(negate, -x)
UNARY(square, (x * x))
UNARY(square_root, sqrt(x))
UNARY(absolute, fabs(x))
UNARY(inverse, x != x ? x : x == 0.0 ? 1.0 : 0.0)
UNARY_CALL(logarithm, log(x))
UNARY_CALL(logarithm_10, log10(x))
UNARY_CALL(tangent, tan(x))
UNARY_CALL(arc_sine, asin(x))
UNARY_CALL(arc_cosine, acos(x))
UNARY_CALL(arc_tangent, atan(x))
UNARY_CALL(hyperbolic_sine, sinh(x))
UNARY_CALL(hyperbolic_cosine, cosh(x))
UNARY_CALL(hyperbolic_tangent, tanh(x))
UNARY_CALL(error_function, erf(x))
UNARY_CALL(cumulative_normal, normal_cdf(x))
UNARY_CALL(round_down, floor(x))
BINARY(add, x + y)
BINARY(subtract, x - y)
BINARY(multiply, (x * y))
BINARY(divide, x / y)
BINARY_CALL(power, x != x ? x : y != y ? y : pow(x, y))
BINARY(smaller, (x <= y || x != x) ? x : y)
BINARY(larger, (x >= y || x != x) ? x : y)
COMPARISON(less, <)
COMPARISON(less_equal, <=)
COMPARISON(equal, ==)
COMPARISON(not_equal, !=)
/* The right side counts only where the left one does not decide. */
BINARY(both, x != x ? x : x == 0.0 ? 0.0 : y != y ? y : y != 0.0 ? 1.0 : 0.0)
BINARY(either, x != x ? x : x != 0.0 ? 1.0 : y != y ? y : y != 0.0 ? 1.0 : 0.0)

/* vector_exp stops growing at 709, exp does so at 709.78 and is infinite from there on. */
static void exponential(const double *restrict a, double *restrict out, int n)
{
    vector_exp(a, n, out);
    int large = 0;
    for (int i = 0; i < n; i++) large += a[i] > 709.0;
    for (int i = 0; large && i < n; i++)
        if (a[i] > 709.0) out[i] = exp(a[i]);
}

static void sine(const double *restrict a, double *restrict out, int n)
{
    vector_sin(a, n, out);
}

static void cosine(const double *restrict a, double *restrict out, int n)
{
    vector_cos(a, n, out);
}

static unary unary_kernel(tape_op op)
{
    switch (op) {
        UNARY_KERNELS(RETURN_KERNEL)
    case TAPE_FLOOR:
        return round_down;
    case TAPE_NOT:
        return inverse;
    default:
        return NULL;
    }
}

static binary binary_kernel(tape_op op)
{
    switch (op) {
    case TAPE_ADD:
        return add;
    case TAPE_SUBTRACT:
        return subtract;
    case TAPE_MULTIPLY:
        return multiply;
    case TAPE_DIVIDE:
        return divide;
    case TAPE_POWER:
        return power;
    case TAPE_SMALLER:
        return smaller;
    case TAPE_LARGER:
        return larger;
    case TAPE_LESS:
        return less;
    case TAPE_LESS_EQUAL:
        return less_equal;
    case TAPE_EQUAL:
        return equal;
    case TAPE_NOT_EQUAL:
        return not_equal;
    case TAPE_AND:
        return both;
    case TAPE_OR:
        return either;
    default:
        return NULL;
    }
}

static void apply_unary(unary kernel, int size, const double *a, double *out, int stride, int n)
{
    if (n == stride) {
        kernel(a, out, size * n);
        return;
    }
    for (int e = 0; e < size; e++) kernel(a + e * stride, out + e * stride, n);
}

static void apply_binary(binary kernel, int size, const kernel_operand *operand, double *out, int stride,
                         int n)
{
    const double *a = operand[0].rows, *b = operand[1].rows;
    int a_step = operand[0].size > 1 ? stride : 0, b_step = operand[1].size > 1 ? stride : 0;
    if (n == stride && operand[0].size == operand[1].size) {
        kernel(a, b, out, size * n);
        return;
    }
    for (int e = 0; e < size; e++) kernel(a + e * a_step, b + e * b_step, out + e * stride, n);
}

static void apply_where(int size, const kernel_operand *operand, double *out, int stride, int n)
{
    int step[3];
    for (int i = 0; i < 3; i++) step[i] = operand[i].size > 1 ? stride : 0;
    for (int e = 0; e < size; e++) {
        const double *condition = operand[0].rows + e * step[0];
        const double *a = operand[1].rows + e * step[1], *b = operand[2].rows + e * step[2];
        double *row = out + e * stride;
        for (int i = 0; i < n; i++)
            row[i] = condition[i] != condition[i] ? condition[i] : condition[i] != 0.0 ? a[i] : b[i];
    }
}

/* out[i] = the elements of sample i, put together from the first to the last. */
static void reduce(binary kernel, const kernel_operand *operand, double *out, int stride, int n)
{
    enum { CHUNK = 64 };
    const double *a = operand->rows;
    memcpy(out, a, (size_t)n * sizeof *out);
    double sofar[CHUNK];
    for (int start = 0; start < n; start += CHUNK) {
        int length = n - start < CHUNK ? n - start : CHUNK;
        double *now = out + start;
        for (int e = 1; e < operand->size; e++) {
            memcpy(sofar, now, (size_t)length * sizeof *sofar);
            kernel(sofar, a + e * stride + start, now, length);
        }
    }
}

FOR_EACH_INSTRUCTION_SET
static void sum_rows(const double *restrict a, int size, double *restrict out, int stride, int n)
{
    for (int i = 0; i < n; i++) out[i] = a[i];
    for (int e = 1; e < size; e++) {
        const double *row = a + e * stride;
        for (int i = 0; i < n; i++) out[i] += row[i];
    }
}

void kernel_forward(tape_op op, int size, const kernel_operand *operand, double *out, int stride, int n)
{
    unary of_one = unary_kernel(op);
    if (of_one) {
        apply_unary(of_one, size, operand[0].rows, out, stride, n);
        return;
    }
    binary of_two = binary_kernel(op);
    if (of_two) {
        apply_binary(of_two, size, operand, out, stride, n);
        return;
    }
    switch (op) {
    case TAPE_SUM:
        sum_rows(operand->rows, operand->size, out, stride, n);
        break;
    case TAPE_SMALLEST:
        reduce(smaller, operand, out, stride, n);
        break;
    case TAPE_LARGEST:
        reduce(larger, operand, out, stride, n);
        break;
    case TAPE_CUMSUM:
        memcpy(out, operand->rows, (size_t)n * sizeof *out);
        for (int e = 1; e < size; e++)
            add(out + (e - 1) * stride, operand->rows + e * stride, out + e * stride, n);
        break;
    case TAPE_WHERE:
        apply_where(size, operand, out, stride, n);
        break;
    default:
        break;
    }
}
