/* One operation of a tape on a block of samples. An operand is `size` rows, one row per
 * element, `stride` apart, of which the first n entries are samples; where it has one row and the
 * result several, that row is used for all. */
#ifndef OUTER_KERNELS_H
#define OUTER_KERNELS_H

#include "outer/tape.h"

typedef struct {
    const double *rows;
    double *bar; /* its adjoint, to be added to; NULL where nobody wants it. Unused forwards */
    int size;
} kernel_operand;

/* Functions of one operand whose derivative is not 0: TAPE_<op>, and the name of its kernel in both
 * directions. */
#define UNARY_KERNELS(EACH)                                                                                  \
    EACH(NEGATE, negate)                                                                                     \
    EACH(SQUARE, square)                                                                                     \
    EACH(EXP, exponential)                                                                                   \
    EACH(LOG, logarithm)                                                                                     \
    EACH(LOG10, logarithm_10)                                                                                \
    EACH(SQRT, square_root)                                                                                  \
    EACH(ABS, absolute)                                                                                      \
    EACH(SIN, sine)                                                                                          \
    EACH(COS, cosine)                                                                                        \
    EACH(TAN, tangent)                                                                                       \
    EACH(ASIN, arc_sine)                                                                                     \
    EACH(ACOS, arc_cosine)                                                                                   \
    EACH(ATAN, arc_tangent)                                                                                  \
    EACH(SINH, hyperbolic_sine)                                                                              \
    EACH(COSH, hyperbolic_cosine)                                                                            \
    EACH(TANH, hyperbolic_tangent)                                                                           \
    EACH(ERF, error_function)                                                                                \
    EACH(NORMAL_CDF, cumulative_normal)
#define RETURN_KERNEL(op, kernel)                                                                            \
case TAPE_##op:                                                                                              \
    return kernel;

/* out: size rows. Everything but inputs, slices and concatenations. NaN stays NaN through
 * comparisons, minima and maxima, but not through the branch that where, and, or did not take. */
void kernel_forward(tape_op op, int size, const kernel_operand *operand, double *out, int stride, int n);

/* Adds to the operands' bars the derivative times bar, of which an entry of 0 adds 0 even where the
 * derivative does not exist. value and bar: size rows. scratch: n. */
void kernel_backward(tape_op op, int size, const kernel_operand *operand, const double *value,
                     const double *bar, int stride, int n, double *scratch);

#endif
