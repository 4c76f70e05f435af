/* The kernels of small.c, for one instruction set (base/fused.h). */
#define PART     static inline __attribute__((always_inline)) FOR_SET
#define UNROLLED _Pragma("GCC unroll 4")

/* Four columns of 4 * height rows at a, less what the columns before the `first` take from them.
 * corner: the rows of the same number as the columns. */
PART void NAMED(take_before)(size_t first, size_t ld, const double *corner, int height, const double *a,
                             four sum[4][2])
{
    UNROLLED for (int c = 0; c < 4; c++) UNROLLED for (int v = 0; v < height; v++)
        sum[c][v] = ((const four *)(a + (first + (size_t)c) * ld))[v];
    for (size_t k = 0; k < first; k++) {
        const double *factor = corner + k * ld;
        const four *left = (const four *)(a + k * ld);
        UNROLLED for (int c = 0; c < 4; c++) UNROLLED for (int v = 0; v < height; v++)
            sum[c][v] -= left[v] * factor[c];
    }
}

/* Four columns of 4 * height rows of the factor, below their corner. */
PART void NAMED(find_rows)(size_t first, size_t ld, const double *corner, const double *inverse, int height,
                           double *a)
{
    four sum[4][2];
    NAMED(take_before)(first, ld, corner, height, a, sum);
    UNROLLED for (size_t c = 0; c < 4; c++) UNROLLED for (int v = 0; v < height; v++)
    {
        UNROLLED for (size_t k = 0; k < c; k++) sum[c][v] -= sum[k][v] * corner[(first + k) * ld + c];
        sum[c][v] *= inverse[c];
        ((four *)(a + (first + c) * ld))[v] = sum[c][v];
    }
}

/* Functions of their own, or what the others keep in registers drives the sums out of them. */
__attribute__((noinline)) FOR_SET static void NAMED(find_eight)(size_t first, size_t ld, const double *corner,
                                                                const double *inverse, double *a)
{
    NAMED(find_rows)(first, ld, corner, inverse, 2, a);
}

__attribute__((noinline)) FOR_SET static void NAMED(find_four)(size_t first, size_t ld, const double *corner,
                                                               const double *inverse, double *a)
{
    NAMED(find_rows)(first, ld, corner, inverse, 1, a);
}

/* The 4 x 4 corner itself, and the inverses of its pivots. Returns -1 where one is not positive. */
__attribute__((noinline)) FOR_SET static int NAMED(find_corner)(size_t first, size_t ld, double *a,
                                                                double *inverse)
{
    four sum[4][2];
    NAMED(take_before)(first, ld, a, 1, a, sum);
    UNROLLED for (size_t c = 0; c < 4; c++)
    {
        UNROLLED for (size_t k = 0; k < c; k++) sum[c][0] -= sum[k][0] * sum[k][0][c];
        if (!(sum[c][0][c] > 0.0)) return -1;
        inverse[c] = 1.0 / sqrt(sum[c][0][c]);
        sum[c][0] *= inverse[c];
        *(four *)(a + (first + c) * ld) = sum[c][0];
    }
    return 0;
}

FOR_SET static int NAMED(factor)(int n, double *a)
{
    size_t ld = (size_t)n + SMALL_SIDE;
    for (size_t first = 0; first < (size_t)n; first += 4) {
        double inverse[4], *corner = a + first;
        if (NAMED(find_corner)(first, ld, corner, inverse)) return -1;
        size_t row = first + 4;
        for (; row + 8 <= ld; row += 8) NAMED(find_eight)(first, ld, corner, inverse, a + row);
        if (row < ld) NAMED(find_four)(first, ld, corner, inverse, a + row);
    }
    return 0;
}

/* `height` rows of L^-1 b from the `first` on; l: their part of the factor. */
PART void NAMED(solve_rows)(size_t first, size_t height, const double *l, size_t ld, double *b)
{
    four sum[4][2], *row = (four *)(b + first * SMALL_POINTS);
    UNROLLED for (size_t r = 0; r < height; r++) UNROLLED for (size_t v = 0; v < 2; v++)
        sum[r][v] = row[2 * r + v];
    for (size_t k = 0; k < first; k++) {
        const double *factor = l + k * ld;
        const four *solved = (const four *)(b + k * SMALL_POINTS);
        UNROLLED for (size_t r = 0; r < height; r++) UNROLLED for (size_t v = 0; v < 2; v++)
            sum[r][v] -= solved[v] * factor[r];
    }
    UNROLLED for (size_t r = 0; r < height; r++)
    {
        double inverse = 1.0 / l[(first + r) * ld + r];
        UNROLLED for (size_t v = 0; v < 2; v++)
        {
            UNROLLED for (size_t k = 0; k < r; k++) sum[r][v] -= sum[k][v] * l[(first + k) * ld + r];
            sum[r][v] *= inverse;
            row[2 * r + v] = sum[r][v];
        }
    }
}

FOR_SET static void NAMED(solve)(int n, const double *l, int ld, double *b)
{
    size_t row = 0, size = (size_t)n;
    for (; row + 4 <= size; row += 4) NAMED(solve_rows)(row, 4, l + row, (size_t)ld, b);
    for (; row < size; row++) NAMED(solve_rows)(row, 1, l + row, (size_t)ld, b);
}

#undef UNROLLED
#undef PART
#undef FOR_SET
#undef NAMED
