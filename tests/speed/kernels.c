/* The rates of the hot kernels beside the machine's own dgemm, and work for callgrind to count.
 *
 *   bench_kernels rate         a line a kernel: name, GFlop/s, part of dgemm's rate measured in the same moments
 *   bench_kernels count NAME   once, n = 60, d = 4, m = 12: likelihood, prediction or gradient
 *
 * Arithmetic is counted as written, with 32 operations for an exponential.
 */
#include "acquire/acquire.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/vector.h"
#include "linalg/linalg.h"
#include "model/hyper.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if __has_include(<valgrind/callgrind.h>)
#    include <valgrind/callgrind.h>
#else
#    define CALLGRIND_START_INSTRUMENTATION
#    define CALLGRIND_STOP_INSTRUMENTATION
#endif

enum { POINTS = 64, DRAWS = 64, REPEATS = 15, EXP = 32, SQUARE = 512 };

typedef struct {
    int n, d, m;
    model *mo;
    acquisition *a;
    outer g;
    domain box;
    hyper_target target;
    hyper_prior prior;
    double theta[HYPER_MAX], gradient[HYPER_MAX];
    double weights[16], lower[8], upper[8];
    gofh_scale scale[8];
    double *points, *z, *value, *slope, *post_block, *work, *square;
} scene;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double *room(size_t count)
{
    double *block = memory_doubles(count);
    if (block) return block;
    fprintf(stderr, "bench_kernels: out of memory\n");
    exit(1);
}

static int squares(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                   void *context)
{
    const scene *s = context;
    size_t m = (size_t)s->m, d = (size_t)s->d;
    (void)x;
    for (size_t i = 0; i < (size_t)count; i++) {
        value[i] = 0.0;
        for (size_t j = 0; j < m; j++) value[i] -= y[i * m + j] * y[i * m + j];
        for (size_t j = 0; dy && j < m; j++) dy[i * m + j] = -2.0 * y[i * m + j];
        for (size_t k = 0; dx && k < d; k++) dx[i * d + k] = 0.0;
    }
    return 0;
}

static void scene_open(scene *s, int n, int d, int m)
{
    *s = (scene){.n = n, .d = d, .m = m};
    random_stream stream = random_open(1, RANDOM_CANDIDATES, 1, 1);
    size_t rows = (size_t)n, q = POINTS;
    double *x = room(rows * (size_t)(d + m)), *y = x + rows * (size_t)d;
    for (size_t i = 0; i < rows * (size_t)d; i++) x[i] = random_uniform(&stream);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < (size_t)m; j++)
            y[i * (size_t)m + j] = sin(3.0 * x[i * (size_t)d] + (double)j) + x[i * (size_t)d + 1];
    s->mo = model_create(d, m, 1, n, GOFH_KERNEL_SQUARED_EXPONENTIAL, 1);
    if (!s->mo) exit(1);
    model_set_data(s->mo, n, x, y, NULL, NULL);
    free(x);
    double *packed = room(rows * rows);
    for (int j = 0; j < m; j++) {
        gp *process = model_process(s->mo, 0, j);
        for (int k = 0; k < d; k++) process->hyper.inverse_lengthscale[k] = 2.0;
        process->hyper.variance = 1.0;
        process->hyper.trend = 0.3;
        process->hyper.mean = NAN;
        gp_condition(process, &s->mo->inputs, s->mo->kernel,
                     s->mo->y + (size_t)j * (size_t)s->mo->inputs.capacity, packed);
    }
    free(packed);
    for (int k = 0; k < d; k++) s->upper[k] = 1.0;
    s->box = (domain){.d = d, .lower = s->lower, .upper = s->upper, .scale = s->scale};
    s->g = (outer){.outputs = m,
                   .parameters = d,
                   .sign = 1.0,
                   .function = squares,
                   .context = s,
                   .gradient = GOFH_GRADIENT_GIVEN};
    s->a = acquisition_create(s->mo, &s->g, &s->box);
    if (!s->a) exit(1);
    s->a->incumbent[0] = -0.1;
    s->points = room(q * (size_t)d);
    for (size_t i = 0; i < q * (size_t)d; i++) s->points[i] = random_uniform(&stream);
    s->z = room((size_t)DRAWS * (size_t)m);
    for (size_t i = 0; i < (size_t)DRAWS * (size_t)m; i++) s->z[i] = random_normal(&stream);
    s->value = room(q);
    s->slope = room(q * (size_t)d);
    s->post_block = room(posterior_size(POINTS, m, d));
    s->work = room(model_predict_work(s->mo, POINTS));
    s->square = room((size_t)3 * SQUARE * SQUARE);
    for (size_t i = 0; i < (size_t)2 * SQUARE * SQUARE; i++) s->square[i] = random_uniform(&stream);
    s->prior = (hyper_prior){.lengthscale_median = 0.5,
                             .lengthscale_spread = 0.7,
                             .variance_scale = 1.0,
                             .variance_weight = 1.0,
                             .noise_rate = 0.3,
                             .trend_spread = 8.0};
    s->target = (hyper_target){.inputs = &s->mo->inputs,
                               .y = s->mo->y,
                               .trend = 1,
                               .noise = HYPER_ESTIMATED,
                               .prior = &s->prior,
                               .work = room(hyper_work(n, 0))};
    hyper_start(&s->target, s->theta);
    s->theta[d + 1] = log(1e-6);
}

static void scene_close(scene *s)
{
    acquisition_free(s->a);
    model_free(s->mo);
    free(s->points);
    free(s->z);
    free(s->value);
    free(s->slope);
    free(s->post_block);
    free(s->work);
    free(s->square);
    free(s->target.work);
}

static void likelihood(scene *s)
{
    hyper_log_posterior(&s->target, s->theta, s->gradient);
}

static void prediction(scene *s)
{
    posterior post;
    posterior_place(&post, POINTS, s->m, s->d, s->post_block);
    model_predict(s->mo, 0, s->points, POINTS, PREDICT_DEVIATION, &post, s->work);
}

static void gradient(scene *s)
{
    acquisition_monte_carlo(s->a, acquire_goal_of(ACQUIRE_IMPROVEMENT), 0, 1, s->z, DRAWS, s->points, POINTS,
                            s->value, s->slope);
}

static void product(scene *s)
{
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, SQUARE, SQUARE, SQUARE, 1.0, s->square, SQUARE,
                s->square + SQUARE * SQUARE, SQUARE, 0.0, s->square + 2 * SQUARE * SQUARE, SQUARE);
}

/* Half of the pairs' exponentials that a likelihood takes, to be compared with its time. */
static void exponentials(scene *s)
{
    vector_exp(s->square, SQUARE * SQUARE, s->square + 2 * SQUARE * SQUARE);
}

typedef struct {
    const char *name;
    void (*run)(scene *s);
    double flops;
} kernel;

enum { KERNELS = 5 };

static void list_kernels(const scene *s, kernel *list)
{
    double n = s->n, d = s->d, m = s->m, q = POINTS, pairs = n * (n - 1) / 2.0;
    double correlation = 3 * d + EXP + 3 * d + 4; /* distance, exponential, trend, mixture */
    double pull = 6 * d + 4;                      /* the gradient of one, twice in all */
    list[0] = (kernel){"dgemm", product, 2.0 * SQUARE * SQUARE * SQUARE};
    list[1] = (kernel){"exp", exponentials, (double)EXP * SQUARE * SQUARE};
    list[2] = (kernel){"likelihood", likelihood, n * n * n + 4 * n * n + pairs * (correlation + 12 + 7 * d)};
    list[3] = (kernel){"prediction", prediction, m * q * (n * n + n * (correlation + 6))};
    list[4] = (kernel){"gradient", gradient,
                       m * q * (2 * n * n + n * (correlation + 6 + 2 * pull)) + q * DRAWS * (m * 12)};
}

static int rate(void)
{
    scene s;
    kernel list[KERNELS];
    double best[KERNELS];
    scene_open(&s, 500, 3, 4);
    list_kernels(&s, list);
    for (int i = 0; i < KERNELS; i++) best[i] = INFINITY;
    for (int repeat = 0; repeat < REPEATS; repeat++)
        for (int i = 0; i < KERNELS; i++) {
            double start = now();
            list[i].run(&s);
            best[i] = fmin(best[i], now() - start);
        }
    for (int i = 0; i < KERNELS; i++) {
        double own = list[i].flops / best[i];
        printf("%s %.2f %.0f\n", list[i].name, 1e-9 * own, 100.0 * own / (list[0].flops / best[0]));
    }
    scene_close(&s);
    return 0;
}

static int count_one(const char *name)
{
    scene s;
    kernel list[KERNELS];
    scene_open(&s, 60, 4, 12);
    list_kernels(&s, list);
    for (int i = 0; i < KERNELS; i++) {
        if (strcmp(list[i].name, name) != 0) continue;
        CALLGRIND_START_INSTRUMENTATION;
        list[i].run(&s);
        CALLGRIND_STOP_INSTRUMENTATION;
    }
    scene_close(&s);
    return 0;
}

int main(int count, char **word)
{
    linalg_enter();
    int result = 2;
    if (count == 2 && strcmp(word[1], "rate") == 0) result = rate();
    if (count == 3 && strcmp(word[1], "count") == 0) result = count_one(word[2]);
    if (result == 2) fprintf(stderr, "usage: bench_kernels rate | count NAME\n");
    linalg_leave();
    return result;
}
