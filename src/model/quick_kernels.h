/* The loops of quick.c, for one instruction set (base/fused.h). */

FOR_SET static void NAMED(apply)(gofh_kernel kernel, int count, double *value)
{
    if (kernel != GOFH_KERNEL_SQUARED_EXPONENTIAL)
        kernel_apply(kernel, value, count, value, NULL);
    else
        for (int i = 0; i < count; i++) value[i] = exponential(-0.5 * value[i]);
}

/* sum = or += s a + t b: two coordinates at once, for half of the memory traffic. */
FOR_SET static void NAMED(add_scaled)(const double *restrict a, double s, const double *restrict b, double t,
                                      int first, int count, double *restrict sum)
{
    for (int i = 0; i < count; i++) {
        double before = first ? 0.0 : sum[i];
        sum[i] = (before + s * a[i]) + t * b[i];
    }
}

FOR_SET static void NAMED(correlations)(const gp_inputs *inputs, gofh_kernel kernel,
                                        const double *differences, const double *inverse_lengthscale,
                                        double *packed)
{
    int d = inputs->d, pairs = inputs->n * (inputs->n - 1) / 2;
    for (int k = 0; k < d; k += 2) {
        int other = k + 1 < d; /* without one, the same coordinate with a scale of 0 */
        double s = inverse_lengthscale[k], t = other ? inverse_lengthscale[k + 1] : 0.0;
        const double *a = differences + (size_t)k * (size_t)pairs;
        NAMED(add_scaled)(a, s * s, other ? a + pairs : a, t * t, k == 0, pairs, packed);
    }
    NAMED(apply)(kernel, pairs, packed);
}

/* Scaled squared distances of all data to each point. at: d x SMALL_POINTS. */
FOR_SET static void NAMED(find_distances)(const gp_inputs *inputs, const double *inverse_lengthscale,
                                          const lane *at, lane *r2)
{
    for (int i = 0; i < inputs->n; i++) {
        const double *x = inputs->x + i;
        four left = {0}, right = {0};
        for (int c = 0; c < inputs->d; c++, x += inputs->capacity) {
            const four *points = (const four *)at[c];
            four a = (*x - points[0]) * inverse_lengthscale[c], b = (*x - points[1]) * inverse_lengthscale[c];
            left += a * a;
            right += b * b;
        }
        ((four *)r2[i])[0] = left;
        ((four *)r2[i])[1] = right;
    }
}

/* Mixes a trend into correlations without (kernel_correlate). */
FOR_SET static void NAMED(add_trend)(const gp_inputs *inputs, const gp_hyper *hyper, const lane *at, lane *k)
{
    double trend = hyper->trend, scale[GOFH_MAX_PARAMETERS];
    for (int c = 0; c < inputs->d; c++)
        scale[c] = hyper->inverse_lengthscale[c] * hyper->inverse_lengthscale[c];
    for (int i = 0; i < inputs->n; i++) {
        const double *x = inputs->x + i;
        four left = {1.0, 1.0, 1.0, 1.0}, right = left, *value = (four *)k[i];
        for (int c = 0; c < inputs->d; c++, x += inputs->capacity) {
            const four *points = (const four *)at[c];
            double lean = scale[c] * (*x - 0.5);
            left += lean * (points[0] - 0.5);
            right += lean * (points[1] - 0.5);
        }
        value[0] = (1.0 - trend) * value[0] + trend * left * left;
        value[1] = (1.0 - trend) * value[1] + trend * right * right;
    }
}

/* Sums over the data of the correlations weighted by each of those two. */
FOR_SET static void NAMED(add_weighted)(int n, const double *weights, const double *ones, const lane *k,
                                        lane weighted, lane known)
{
    four *a = (four *)weighted, *b = (four *)known, sum[4] = {{0}};
    for (int i = 0; i < n; i++) {
        const four *row = (const four *)k[i];
        sum[0] += weights[i] * row[0];
        sum[1] += weights[i] * row[1];
        sum[2] += ones[i] * row[0];
        sum[3] += ones[i] * row[1];
    }
    a[0] = sum[0];
    a[1] = sum[1];
    b[0] = sum[2];
    b[1] = sum[3];
}

/* Sums over the data of the correlations by other weights. */
FOR_SET static void NAMED(add_others)(int n, const double *weights, const lane *k, lane weighted)
{
    four *to = (four *)weighted, left = {0}, right = {0};
    for (int i = 0; i < n; i++) {
        const four *row = (const four *)k[i];
        left += weights[i] * row[0];
        right += weights[i] * row[1];
    }
    to[0] = left;
    to[1] = right;
}

FOR_SET static void NAMED(add_squares)(int n, const lane *k, lane total)
{
    four *sum = (four *)total, left = {0}, right = {0};
    for (int i = 0; i < n; i++) {
        const four *row = (const four *)k[i];
        left += row[0] * row[0];
        right += row[1] * row[1];
    }
    sum[0] = left;
    sum[1] = right;
}

FOR_SET static void NAMED(lane_sums)(const gp *g, int samples, int apart, const gp_inputs *inputs,
                                     gofh_kernel kernel, const lane *at, lane *k, lane *weighted, lane known,
                                     lane explained)
{
    NAMED(find_distances)(inputs, g->hyper.inverse_lengthscale, at, k);
    NAMED(apply)(kernel, SMALL_POINTS * inputs->n, k[0]);
    if (g->hyper.trend > 0.0) NAMED(add_trend)(inputs, &g->hyper, at, k);
    NAMED(add_weighted)(inputs->n, g->weights, g->ones, (const lane *)k, weighted[0], known);
    for (int s = 1; s < samples; s++)
        NAMED(add_others)(inputs->n, g[(size_t)s * (size_t)apart].weights, (const lane *)k, weighted[s]);
    if (!explained) return;
    small_solve(inputs->n, g->factor, inputs->capacity, k[0]);
    NAMED(add_squares)(inputs->n, (const lane *)k, explained);
}

#undef FOR_SET
#undef NAMED
