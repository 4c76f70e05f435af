/* gofh: Bayesian optimisation of composite functions f(x) = g(h(x)).
 *
 * h is an expensive black box with m outputs; g is cheap and known. The library models h with Gaussian
 * processes and suggests where to evaluate h next. See docs/method.md for the mathematics.
 *
 * Rules of this interface:
 *  - A status of 0 is success, a negative one a failure, a positive one a reason to stop. The text of the
 * last failure is kept in the handle it happened on.
 *  - Whoever creates a handle frees it. Pointers inside results are borrowed: they are valid until the next
 * call on the same study. Arrays and strings passed in are copied, contexts of callbacks are only kept.
 *  - A handle is used by one thread at a time; different handles are independent.
 *  - Nothing is printed, nothing exits, nothing aborts.
 *  - While a call computes, OpenBLAS is held to one thread in the whole process; its setting comes back afterwards.
 *  - Numbers in texts have a decimal point, whatever the locale; the locale of the program is left alone.
 *  - Matrices are stored with one row per point: x of count points is count x d, y is count x m.
 *  - Structs that callers allocate begin with their size and only ever grow at the end. The calls that
 *    fill or read them are inline, and pass the size that the caller was compiled with to a function whose
 *    name ends with `_sized`: a program and a library of different versions fit, and nothing is written
 *    beyond what the caller has. Fields that the library does not know are 0, and `size` says how many
 *    bytes it has filled. Who calls that function, from another language, passes the size of the struct as
 *    declared there; a size that can't be is GOFH_ERROR_ARGUMENT. gofh_error alone has no size: it starts
 *    as zeros and never grows.
 */
#ifndef GOFH_H
#define GOFH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#    define GOFH_API __attribute__((visibility("default")))
#else
#    define GOFH_API
#endif

/* Parameters a problem may have at most. */
#define GOFH_MAX_PARAMETERS 64

#define GOFH_VERSION_MAJOR 0
#define GOFH_VERSION_MINOR 2
#define GOFH_VERSION_PATCH 0
/* 0x000200 for 0.2.0: #if GOFH_VERSION_HEX >= 0x000200. */
#define GOFH_VERSION_HEX ((GOFH_VERSION_MAJOR << 16) | (GOFH_VERSION_MINOR << 8) | GOFH_VERSION_PATCH)

/* "0.2.0", of the library that is running. */
GOFH_API const char *gofh_version(void);

#define GOFH_STATUS_LIST(X)                                                                                  \
    X(GOFH_OK, 0, "done")                                                                                    \
    X(GOFH_STOP_BUDGET, 1, "the budget of evaluations is used up")                                           \
    X(GOFH_STOP_TARGET, 2, "the target value is reached")                                                    \
    X(GOFH_STOP_CALLER, 3, "the caller asked to stop")                                                       \
    X(GOFH_STOP_IMPROVEMENT, 4, "no more improvement is expected")                                           \
    X(GOFH_STOP_EXHAUSTED, 5, "all allowed points have been tried")                                          \
    X(GOFH_ERROR_MEMORY, -1, "out of memory")                                                                \
    X(GOFH_ERROR_ARGUMENT, -2, "an argument is wrong")                                                       \
    X(GOFH_ERROR_PROBLEM, -3, "the problem is not complete or contradicts itself")                           \
    X(GOFH_ERROR_TRIAL, -4, "there is no such open trial")                                                   \
    X(GOFH_ERROR_EMPTY, -5, "there is no evaluation to answer from yet")                                     \
    X(GOFH_ERROR_OUTER, -6, "the outer function failed")                                                     \
    X(GOFH_ERROR_SYSTEM, -7, "the operating system refused")                                                 \
    X(GOFH_ERROR_LOCKED, -8, "the study is being written by another process")                                \
    X(GOFH_ERROR_DAMAGED, -9, "the study's file is damaged or is none")                                      \
    X(GOFH_ERROR_CHANGED, -10, "the problem is another one than that of the study's file")                   \
    X(GOFH_ERROR_DISK, -11, "the disk is full or can't be written")                                          \
    X(GOFH_ERROR_READ_ONLY, -12, "the study can be read, but not changed")

typedef enum {
#define GOFH_STATUS_ITEM(name, value, text) name = value,
    GOFH_STATUS_LIST(GOFH_STATUS_ITEM)
#undef GOFH_STATUS_ITEM
} gofh_status;

/* The general text of a status, in English. Never NULL. */
GOFH_API const char *gofh_status_text(gofh_status status);

/* What went wrong, owned by the caller. Start with a zeroed one: the first error wins, later ones
 * are dropped. It stays as it is in all versions: whatever more there will be to say gets a
 * function. */
typedef struct {
    gofh_status status;
    int line, column; /* in a text that was read, from 1; 0 where there is none */
    char message[256];
} gofh_error;

/* ---- The problem: parameters, outputs, and what is wanted of them ---- */

typedef struct gofh_problem gofh_problem;

typedef enum {
    GOFH_SCALE_LINEAR = 0,
    GOFH_SCALE_LOG = 1 /* searched on a logarithmic scale; bounds above 0 */
} gofh_scale;

/* g on a batch. y: count x m, x: count x d (the parameters each row of y belongs to). Fills
 * value[count], which may be minus infinity (when maximising; plus infinity when minimising) for
 * what is not feasible; NaN counts as that. Where dy is not NULL it also fills dy (count x m), the
 * gradient in y, and dx (count x d), the gradient in x with y held fixed, which comes zeroed: leave
 * it alone if g does not depend on x. Returns 0, or anything else to say that it failed, which the
 * library hands on as GOFH_ERROR_OUTER. */
typedef int (*gofh_outer)(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                          void *context);

typedef enum { GOFH_MAXIMIZE = 0, GOFH_MINIMIZE = 1 } gofh_sense;

typedef enum {
    GOFH_GRADIENT_NONE = 0, /* dy and dx are never asked for; differences are taken */
    GOFH_GRADIENT_GIVEN = 1
} gofh_gradient;

/* An empty problem, or NULL when there is no memory. */
GOFH_API gofh_problem *gofh_problem_create(void);
GOFH_API void gofh_problem_free(gofh_problem *problem); /* NULL is fine */

/* The calls below may go unchecked: the first one that fails is remembered, and gofh_study_create
 * reports it. */
GOFH_API gofh_status gofh_problem_add_parameter(gofh_problem *problem, const char *name, double lower,
                                                double upper, gofh_scale scale);
/* Parameters that have values instead of an interval. They are numbers like all others in x, and
 * suggestions are exactly these values. A grid: lower, lower + step, ... up to upper at most; and whole
 * numbers. */
GOFH_API gofh_status gofh_problem_add_grid(gofh_problem *problem, const char *name, double lower,
                                           double upper, double step, gofh_scale scale);
GOFH_API gofh_status gofh_problem_add_integer(gofh_problem *problem, const char *name, int lower, int upper,
                                              gofh_scale scale);
/* A catalogue: 2 values or more, in any order. */
GOFH_API gofh_status gofh_problem_add_values(gofh_problem *problem, const char *name, const double *values,
                                             int count, gofh_scale scale);

typedef enum {
    GOFH_ORDER_NONE = 0, /* any two choices are as different as any others */
    GOFH_ORDER_GIVEN = 1 /* grades: neighbours are alike */
} gofh_order;

/* One of `count` texts, 2 or more. In x it is the number of the choice, from 0. Without an order each
 * of three or more counts as a parameter of its own against GOFH_MAX_PARAMETERS. */
GOFH_API gofh_status gofh_problem_add_choices(gofh_problem *problem, const char *name,
                                              const char *const *choices, int count, gofh_order order);
/* A parameter that is always `value`: a new one, or the one of that name, which must allow it. It stays in
 * x and in expressions, and the model knows nothing of it. */
GOFH_API gofh_status gofh_problem_fix(gofh_problem *problem, const char *name, double value);
/* The share of the box that the known constraints (those of parameters alone) leave, as far as they are
 * inequalities, and how many equalities there are besides. Fails as gofh_study_create does. */
GOFH_API gofh_status gofh_problem_share(const gofh_problem *problem, double *share, int *equalities,
                                        gofh_error *error);
/* The last value of a parameter, which of a grid may be below its bound; NaN: there is none of this name. */
GOFH_API double gofh_problem_upper(const gofh_problem *problem, const char *name);
/* How many choices a parameter has (0: it has none), and their texts; NULL: there is none. Borrowed. */
GOFH_API int gofh_problem_choices(const gofh_problem *problem, const char *name);
GOFH_API const char *gofh_problem_choice(const gofh_problem *problem, const char *name, int choice);
/* The outputs: `outputs` of them without names, which expressions call the vector y; or one name
 * after another, each of a size of its own, in the order in which they are set. */
GOFH_API gofh_status gofh_problem_set_outputs(gofh_problem *problem, int outputs);
GOFH_API gofh_status gofh_problem_add_output(gofh_problem *problem, const char *name, int size);
/* Numbers that expressions may use by name; NaN: missing. gofh_problem_fit leaves missing ones out; in
 * an expression known(y, data) and known(data) do, and any other use of such data is refused. */
GOFH_API gofh_status gofh_problem_set_data(gofh_problem *problem, const char *name, const double *values,
                                           int count);
/* Lets what is fitted differ from data by a discrepancy of the simulator, for gofh_posterior_create
 * alone: a Gaussian process of at[count], as many as there are values, whose deviation and lengthscale
 * are estimated. */
GOFH_API gofh_status gofh_problem_set_discrepancy(gofh_problem *problem, const char *name, const double *at,
                                                  int count);
/* The standard deviations of data that are set already: one for each value, or one for all; above 0.
 * Where a value is missing its own does not count. Expressions know them as the data name_sigma. */
GOFH_API gofh_status gofh_problem_set_sigma(gofh_problem *problem, const char *name, const double *sigma,
                                            int count);
/* g as an expression of outputs, parameters and data: see docs/expressions.md. It is compiled by
 * gofh_study_create, so names may be set before or after. */
GOFH_API gofh_status gofh_problem_minimize(gofh_problem *problem, const char *expression);
GOFH_API gofh_status gofh_problem_maximize(gofh_problem *problem, const char *expression);
/* The same of an expression that is the logarithm of a likelihood, up to a constant: gofh_posterior_create
 * then takes it as such. */
GOFH_API gofh_status gofh_problem_log_likelihood(gofh_problem *problem, const char *expression);
/* What a fit squares. */
typedef enum {
    GOFH_RESIDUAL_DIFFERENCE = 0, /* output - datum, over its sigma where there is one */
    GOFH_RESIDUAL_RELATIVE = 1,   /* (output - datum) / datum; for data without sigma */
    GOFH_RESIDUAL_LOG = 2         /* log(output) - log(datum), over sigma / datum where there is a sigma */
} gofh_residual;
typedef enum {
    GOFH_LOSS_SQUARE = 0,
    GOFH_LOSS_HUBER = 1 /* the square up to a threshold, its tangent beyond */
} gofh_loss;
/* Minimises the misfit of an output (by its name, "y" where outputs have none) to data of its size,
 * both set before: the sum of the losses of all residuals, without those of missing data. Several calls
 * add up. threshold: of GOFH_LOSS_HUBER, in units of the residual; 0: 1.345, for data with a sigma. The
 * study then knows which data belong to which output (gofh_study_comparisons). */
GOFH_API gofh_status gofh_problem_fit(gofh_problem *problem, const char *output, const char *data,
                                      gofh_residual residual, gofh_loss loss, double threshold);
/* What is known of a parameter before the data, within its bounds: for gofh_posterior_create alone. */
typedef enum {
    GOFH_PRIOR_UNIFORM = 0, /* on the parameter's scale: the default; location and spread are not used */
    GOFH_PRIOR_NORMAL = 1,  /* location: the mean; spread: the standard deviation */
    GOFH_PRIOR_LOGNORMAL =
        2 /* location: the median; spread: the standard deviation of the natural logarithm */
} gofh_prior;
GOFH_API gofh_status gofh_problem_set_prior(gofh_problem *problem, const char *parameter, gofh_prior prior,
                                            double location, double spread);
/* The objective as an expression, that of the fits too; borrowed until the objective is set again. NULL:
 * it is none. */
GOFH_API const char *gofh_problem_objective(const gofh_problem *problem);
/* g as a C function. */
GOFH_API gofh_status gofh_problem_minimize_function(gofh_problem *problem, gofh_outer g,
                                                    gofh_gradient gradient, void *context);
GOFH_API gofh_status gofh_problem_maximize_function(gofh_problem *problem, gofh_outer g,
                                                    gofh_gradient gradient, void *context);
/* g(y) = weights . y, whose expected improvement has a closed form. */
GOFH_API gofh_status gofh_problem_minimize_linear(gofh_problem *problem, const double *weights, int count);
GOFH_API gofh_status gofh_problem_maximize_linear(gofh_problem *problem, const double *weights, int count);
/* What must hold besides, such as "max(stress) <= 250" or "c[0] == 3 +- 0.01". Where it does not, f
 * is infinite on the bad side. A constraint given here is better than one hidden in g: its margin
 * says how far from the edge a point is. */
GOFH_API gofh_status gofh_problem_add_constraint(gofh_problem *problem, const char *expression);
/* Known variance of the noise on one output (0: exact, which the method "gofh" then does not
 * question). Without it settings.noise decides. Where it differs from one observation to the next:
 * gofh_study_tell_noisy. */
GOFH_API gofh_status gofh_problem_set_noise(gofh_problem *problem, int output, double variance);
/* Allows a result without a value of this output (from 0): NaN in its place. The trial's other values
 * are used. Where g or a constraint needs what is missing, the trial's f is not known: it is NaN, and
 * the trial is not the best. */
GOFH_API gofh_status gofh_problem_allow_missing(gofh_problem *problem, int output);
/* The first failure's text; "" while there is none. */
GOFH_API const char *gofh_problem_message(const gofh_problem *problem);

/* ---- The study: ask, evaluate, tell ---- */

typedef struct gofh_study gofh_study;

typedef enum { GOFH_DESIGN_UNIFORM = 0, GOFH_DESIGN_SOBOL = 1 } gofh_design;
typedef enum {
    GOFH_KERNEL_SQUARED_EXPONENTIAL = 0,
    GOFH_KERNEL_MATERN_52 = 1,
    GOFH_KERNEL_MATERN_32 = 2
} gofh_kernel;
typedef enum {
    GOFH_HYPER_SAMPLE = 0, /* posterior samples by MCMC; the acquisition is averaged over them */
    GOFH_HYPER_MAP = 1,    /* the maximum of their posterior */
    GOFH_HYPER_FIXED = 2   /* as set by gofh_study_set_hyperparameters */
} gofh_hyper;
typedef enum {
    GOFH_NOISE_NONE = 0,     /* outputs are exact */
    GOFH_NOISE_ESTIMATED = 1 /* each output has normal noise of an unknown variance */
} gofh_noise;

/* When gofh_study_ask ends a study of the method "gofh" before its budget is used up. The others ignore
 * it: they are what they are measured against. */
typedef enum {
    GOFH_STOPPING_AUTO = 0, /* when nothing more is expected: section 8.10 of docs/method.md */
    GOFH_STOPPING_NEVER = 1 /* by the other stop rules alone */
} gofh_stopping;

/* What suggestions of the method "gofh" are for. */
typedef enum {
    GOFH_GOAL_OPTIMUM = 0, /* the best f */
    GOFH_GOAL_POSTERIOR =
        1 /* the posterior of the parameters (docs/posterior.md), of a fit alone. Their origin
                             * is "posterior", and what they expect is by what share of its width a parameter's
                             * 95 % interval would change. GOFH_STOPPING_AUTO ends it when three after each
                             * other would change none by more than a tenth, and no probability of a value by
                             * more than 0.05, twice of which is the share that counts. */
} gofh_goal;

/* What a call on a study on disk waits for. */
typedef enum {
    GOFH_WAIT_WRITER = 0, /* the process that has the study open for writing */
    GOFH_WAIT_FILE = 1    /* a program that holds the file for a moment, or longer: sqlite3, a backup */
} gofh_wait;
/* Called many times a second while a call waits, with the seconds so far. 0: it waits on; anything
 * else: it ends with GOFH_ERROR_LOCKED, and can be made again. */
typedef int (*gofh_waiting)(gofh_wait reason, double seconds, void *context);

typedef struct {
    size_t size;        /* set by gofh_settings_defaults, without which settings are refused */
    uint64_t seed;      /* same seed, same asks and tells in order: same run; default 1 */
    int threads;        /* never more than asked for; default 1 */
    int budget;         /* evaluations asked for in all; 0: no limit; default 60 */
    const char *method; /* one of gofh_method_name (or gofh_method_variant); default "gofh" */
    int initial; /* points of the initial design; negative, the default: 2(d + 1), with "gofh" d + 1, at
                         * least 3 and the most choices without an order, up to 8, and no more than 3
                         * beside starts and imports; d: parameters that are not fixed */
    gofh_design design; /* default GOFH_DESIGN_UNIFORM, as in the paper */
    gofh_kernel kernel; /* default GOFH_KERNEL_SQUARED_EXPONENTIAL */
    gofh_hyper hyper;   /* default GOFH_HYPER_SAMPLE; the method "gofh" treats that as GOFH_HYPER_MAP */
    int hyper_samples;  /* default 10; not used by "gofh" */
    gofh_noise noise;   /* default GOFH_NOISE_NONE; "gofh" models noise where it finds some, given or not */
    double target;      /* stop when the best f is as good as this; default NaN: never */
    /* Priors, on inputs scaled to the unit cube and outputs standardised (eq. 6 to 8 of
     * docs/method.md). "gofh" uses the lengthscales' median and 0.7 of their lengthscale_spread, and for the
     * rest its own (eq. 25). */
    double lengthscale_median; /* of the log-normal prior; default 0.5 */
    double lengthscale_spread; /* standard deviation of its logarithm; default 1 */
    double variance_scale;     /* scaled inverse chi-squared prior of the signal variance; default 1 */
    double variance_weight;    /* its degrees of freedom: it weighs as many observations; default 1 */
    double noise_median;       /* log-normal prior of noise variance / signal variance; default 1e-4 */
    double noise_spread;       /* standard deviation of its natural logarithm; default 3 */
    double memory_limit;       /* bytes for the factors; beyond it fewer samples are kept; default 4 GiB */
    /* Stop when each of the last `patience` suggestions beyond the design expected to improve f by
     * less than `tolerance` (see gofh_trial.expected; where it is NaN the study goes on). */
    double tolerance; /* default 0 */
    int patience;     /* default 0: never */
    /* What is done while another process holds the file of a study on disk; default NULL: another
     * writer is not waited for, and what else holds the file for 20 seconds. */
    gofh_waiting waiting;
    void *waiting_context;
    gofh_stopping stop; /* default GOFH_STOPPING_AUTO; not used where there is a patience */
    gofh_goal goal;     /* default GOFH_GOAL_OPTIMUM */
} gofh_settings;

/* Fills *settings with the defaults. Settings without it are refused. */
GOFH_API void gofh_settings_defaults_sized(gofh_settings *settings, size_t size);
static inline void gofh_settings_defaults(gofh_settings *settings)
{
    gofh_settings_defaults_sized(settings, sizeof *settings);
}

/* The names of the methods, by index from 0; NULL after the last. */
GOFH_API const char *gofh_method_name(int index);
/* In the same way "gofh" with one of its parts taken away, which shows the effect of the part:
 * settings.method takes these too. See section 8 of docs/method.md. */
GOFH_API const char *gofh_method_variant(int index);

/* Makes a study of `problem`, which it copies. settings may be NULL: the defaults. error may be
 * NULL. On failure *study is NULL and nothing is left to free. */
GOFH_API gofh_status gofh_study_create(gofh_study **study, const gofh_problem *problem,
                                       const gofh_settings *settings, gofh_error *error);
GOFH_API void gofh_study_free(gofh_study *study); /* NULL is fine */
/* The text of the last failure of a call on this study; "" while there is none. */
GOFH_API const char *gofh_study_message(const gofh_study *study);

/* Whether to end a call that takes long: 0 to go on. */
typedef int (*gofh_interrupt)(void *context);
/* Has the caller asked, some times a second and in the thread of the call, while suggestions,
 * recommendations and predictions are computed. Anything but 0 ends that call within a second or so
 * with GOFH_STOP_CALLER; the study is then as it was before, and the call can be made again. It may
 * not call the study. NULL, the default: nobody is asked. */
GOFH_API void gofh_study_set_interrupt(gofh_study *study, gofh_interrupt interrupt, void *context);

/* Suggests where to evaluate next: x[d]. Trials are numbered from 1. Several may be open at once: a
 * suggestion takes those still open into account. GOFH_STOP_BUDGET, GOFH_STOP_TARGET or
 * GOFH_STOP_IMPROVEMENT when there is nothing more to ask; of the last, what open trials give may
 * change that. */
GOFH_API gofh_status gofh_study_ask(gofh_study *study, int64_t *trial, double *x);
/* The same for several evaluations at once: up to `count` trials, chosen together so that each tells
 * something that the others do not. Fills trials[count] and x (count x d); *given is how many there
 * are, fewer where the reasons to stop come first, and with one of these as status only where there is
 * none. They are those of as many calls of gofh_study_ask, but all are kept or none. */
GOFH_API gofh_status gofh_study_ask_batch(gofh_study *study, int count, int64_t *trials, double *x,
                                          int *given);
/* Puts a point that the user has in the queue: x[d], NaN where the value is left to the study,
 * which chooses it as the initial design would. gofh_study_ask hands out what is queued before
 * anything else, first in, first out, with the origin "start". These trials count against the
 * budget and towards the initial design: with `initial` 10 and two of them, eight more are made.
 * GOFH_STOP_IMPROVEMENT does not keep back what is queued. The queue is kept in the study's
 * file. */
GOFH_API gofh_status gofh_study_enqueue(gofh_study *study, const double *x);
/* The same for a list of points (count x d) that is given each time a study is opened, such as that
 * of a problem file: those that the study knows are left out. It knows a point that gives the same
 * values as one that is or was in its queue, or whose values are those of a trial, imported ones
 * included; one such trial is the answer to one point of the list. All are queued or none. */
GOFH_API gofh_status gofh_study_enqueue_missing(gofh_study *study, const double *x, int count);
/* How many points wait in the queue. */
GOFH_API int64_t gofh_study_queued(const gofh_study *study);
/* Reports h(x) of an open trial: y[m], all finite, but for NaN where gofh_problem_allow_missing was
 * called; one value at least. A refused call leaves the study as it was. */
GOFH_API gofh_status gofh_study_tell(gofh_study *study, int64_t trial, const double *y);
/* The same with the variance of this observation's noise on each output: variance[m], 0 (exact) or
 * above, or NaN where it is not known. The noise on an output of which variances are known is no
 * longer estimated: an observation without one has the noise of gofh_problem_set_noise, or else the
 * mean of the variances given. Methods that model f alone estimate its noise. */
GOFH_API gofh_status gofh_study_tell_noisy(gofh_study *study, int64_t trial, const double *y,
                                           const double *variance);
/* Reports that the evaluation of an open trial gave no result, and why. */
GOFH_API gofh_status gofh_study_fail(gofh_study *study, int64_t trial, const char *reason);
/* Corrects what was reported of a trial that has ended: y[m], with its variances (NULL: those that it has
 * stay; NaN: not known), or where y is NULL a failure for this reason. The model is learned anew, and the
 * log says what the result was. */
GOFH_API gofh_status gofh_study_replace(gofh_study *study, int64_t trial, const double *y,
                                        const double *variance, const char *reason);
/* Leaves what was reported of a trial that has ended, a result or a failure, out of all that the study
 * learns, as if it had never been run; `forget` 0 takes it in again. Its file keeps what was reported,
 * the log says what was done, and against the budget it counts as before. */
GOFH_API gofh_status gofh_study_forget(gofh_study *study, int64_t trial, int forget);
/* Takes an evaluation made elsewhere. It does not count against the budget; it does count towards
 * the initial design. trial may be NULL. */
GOFH_API gofh_status gofh_study_import(gofh_study *study, const double *x, const double *y, int64_t *trial);

/* An evaluation made elsewhere. What is not used is 0. */
typedef struct {
    size_t size;            /* not read */
    const double *x;        /* d */
    const double *y;        /* m; NULL: it failed */
    const double *variance; /* m, as in gofh_study_tell_noisy; NULL: none are known */
    const char *reason;     /* of a failure; NULL: none */
} gofh_evaluation;

/* The same for a list of them, failed ones too. All are taken, and on disk at once, or none.
 * *first, which may be NULL, is the number of the first of them. */
GOFH_API gofh_status gofh_study_import_all_sized(gofh_study *study, const gofh_evaluation *list, size_t size,
                                                 int count, int64_t *first);
static inline gofh_status gofh_study_import_all(gofh_study *study, const gofh_evaluation *list, int count,
                                                int64_t *first)
{
    return gofh_study_import_all_sized(study, list, sizeof *list, count, first);
}

typedef enum {
    GOFH_TRIAL_OPEN = 0,
    GOFH_TRIAL_DONE = 1,
    GOFH_TRIAL_FAILED = 2,
    GOFH_TRIAL_FORGOTTEN = 3 /* done or failed, and left out by gofh_study_forget */
} gofh_trial_state;

typedef struct {
    size_t size;
    int64_t trial;
    gofh_trial_state state;
    int imported;
    /* Why this point: "start", "design", "import", a move of "gofh" ("feasibility", "improve",
     * "diversify", "geometry", "local", "exploit", "replicate", "restart"; docs/method.md), or the
     * name of another method. */
    const char *origin;
    /* By how much f was expected to improve when the point was chosen, in units of f, by the model
     * as it was; for "geometry" and "restart" it may be 0. NaN where that is not known: "start", "design",
     * "import", methods that do not estimate it ("pi-cf", "pi", "pes", "random-cf", "random"), and
     * while nothing feasible was known. */
    double expected;
    const char *reason;     /* of a failure, forgotten or not; "" otherwise */
    double f;               /* NaN unless done, or where an output that it needs is missing */
    const double *x;        /* d, borrowed */
    const double *y;        /* m, borrowed, NaN where missing; NULL unless done, or forgotten with a result */
    const double *variance; /* m, borrowed: of its noise, NaN where not known; NULL: none is */
    /* The probability that the constraints hold, by the model when the point was chosen. NaN where
     * there are none, where it is not known, and in a process that did not choose the point. */
    double feasible;
} gofh_trial;

/* How many trials there are, open and failed ones included. */
GOFH_API int64_t gofh_study_count(const gofh_study *study);
GOFH_API gofh_status gofh_study_trial_sized(gofh_study *study, int64_t trial, gofh_trial *result,
                                            size_t size);
static inline gofh_status gofh_study_trial(gofh_study *study, int64_t trial, gofh_trial *result)
{
    return gofh_study_trial_sized(study, trial, result, sizeof *result);
}
/* The best evaluation: of the largest f (the smallest, when minimising); where noise was given, in
 * the problem, the settings or with an observation, that of the best posterior mean. While nothing
 * feasible was seen, it is the one that violates the constraints least, and its f is infinite. */
GOFH_API gofh_status gofh_study_best_sized(gofh_study *study, gofh_trial *best, size_t size);
static inline gofh_status gofh_study_best(gofh_study *study, gofh_trial *best)
{
    return gofh_study_best_sized(study, best, sizeof *best);
}
/* By how much outputs y[m] at x[d] meet constraint `number` (from 0, as they were added) of the
 * problem: the least margin of its elements, in its own units. Below 0 it is violated by that much;
 * minus infinity where it has no value. */
GOFH_API gofh_status gofh_study_margin(gofh_study *study, int number, const double *x, const double *y,
                                       double *margin);

typedef struct {
    size_t size;
    double f;         /* posterior mean of f */
    double deviation; /* posterior standard deviation of f */
    const double *x;  /* d, borrowed */
    const double *y;  /* posterior mean of h, m, borrowed; NULL for methods that model f alone */
} gofh_recommendation;

/* The point with the best posterior mean of f under the model, evaluated or not. */
GOFH_API gofh_status gofh_study_recommend_sized(gofh_study *study, gofh_recommendation *result, size_t size);
static inline gofh_status gofh_study_recommend(gofh_study *study, gofh_recommendation *result)
{
    return gofh_study_recommend_sized(study, result, sizeof *result);
}

/* How sure the study is of its best evaluation: section 8.11 of docs/method.md. */
typedef struct {
    size_t size;
    int success;         /* whether the model vouches for it: no more can be expected of the search; also
                           * where the target is reached, or all allowed points have been tried */
    int ended;           /* nothing more is expected: GOFH_STOPPING_AUTO would end it, or would have */
    int best_possible;   /* f is as good as it can be, whatever the outputs are */
    int stuck;           /* it may be: a large misfit, constant outputs, promises not kept, points repeated */
    double explained;    /* the share of the outputs' variation that the model predicts of each trial
                           * from the others (gofh_study_leave_one_out); NaN: not known */
    int recent;          /* how many suggestions the next three are of: the last 10 at most */
    double promised;     /* by how much they expected to improve f, in all */
    double gained;       /* by how much they did */
    int repeated;        /* how many were at points tried before */
    const int *bound;    /* d, borrowed: -1 where the parameter is at its lower bound, 1 at its upper;
                          * choices have none */
    const char *message; /* all of it in words, borrowed */
} gofh_assessment;

/* Fits the model, and leaves no trace of it. GOFH_ERROR_EMPTY: nothing is done yet. */
GOFH_API gofh_status gofh_study_assess_sized(gofh_study *study, gofh_assessment *result, size_t size);
static inline gofh_status gofh_study_assess(gofh_study *study, gofh_assessment *result)
{
    return gofh_study_assess_sized(study, result, sizeof *result);
}
/* Whether nothing more is expected, as in gofh_assessment.ended, by the trials alone and without a
 * model: 1, or 0. */
GOFH_API int gofh_study_ended(gofh_study *study);

/* Posterior of h at x (count x d): mean and variance (count x m each), and of f: its mean and standard
 * deviation (count each). Any of the four may be NULL. An output that no trial has, where it may be
 * missing, is NaN. Where an output is modelled by its logarithm and little is known, its mean and that
 * of f are of a long tail, and may be far above all that is likely: quantiles tell more. Methods that
 * model f alone know nothing of h: for them mean and variance must be NULL. The first prediction after new results takes some ten fits of the model, which say by how much
 * its deviations are too small. */
GOFH_API gofh_status gofh_study_predict(gofh_study *study, const double *x, int count, double *mean,
                                        double *variance, double *f, double *f_deviation);
/* Posterior of the objective at x (count x d) with the constraints left aside: its mean and
 * standard deviation; and the probability that the constraints hold there, 0 where a known one does
 * not (count each). Any may be NULL. For methods that model f alone it is that of f, and the
 * probability is NaN where there are constraints of outputs. */
GOFH_API gofh_status gofh_study_predict_objective(gofh_study *study, const double *x, int count,
                                                  double *objective, double *deviation, double *feasible);
/* Quantiles of the posterior at x (count x d): for each of the levels, between 0 and 1, the value that
 * f (count x levels), with the constraints left aside, or each output (count x m x levels) is below
 * with that probability. Levels of 0.025 and 0.975 give an interval of 95 %. f and outputs may be
 * NULL; outputs must be for methods that model f alone. */
GOFH_API gofh_status gofh_study_predict_quantiles(gofh_study *study, const double *x, int count,
                                                  const double *level, int levels, double *f,
                                                  double *outputs);
/* How well the model of h predicts what it has not seen: of each done trial, in order, what the
 * model says of its outputs from all the others, with its hyperparameters as they are: mean and
 * variance (done trials x m each), the variance with the output's noise. Of a single trial: NaN and
 * infinity; and so of an output that is missing. Methods that model f alone refuse. */
GOFH_API gofh_status gofh_study_leave_one_out(gofh_study *study, double *mean, double *variance);
/* The method's acquisition function at x (count x d): value[count]. */
GOFH_API gofh_status gofh_study_acquisition(gofh_study *study, const double *x, int count, double *value);

/* Hyperparameters of one output, in the user's units but for the lengthscales: those are fractions
 * of each parameter's range (of its logarithm's range on a log scale). Of an output that the method
 * "gofh" models by its logarithm they are those of the logarithm. docs/python.md says how the
 * posterior is made of them; of a choice the lengthscale only says how much it matters. */
typedef struct {
    size_t size;               /* filled in; not read */
    const double *lengthscale; /* d */
    double variance;           /* of the signal, above 0 */
    double noise;       /* variance of the noise (of those given with observations, the mean); 0: exact */
    double mean;        /* NaN: integrated out; filled in with its estimate */
    double nugget;      /* filled in: what the factorisation needed, relative to the variance */
    double trend;       /* filled in: the share of the quadratic trend in the kernel; 0: none */
    int logarithmic;    /* filled in: whether it is the output's logarithm that is modelled */
    double asinh_scale; /* filled in: s where asinh(output / s) is modelled; 0: it is not */
    double inflation;   /* filled in: the factor on deviations that predictions are given with */
    gofh_kernel kernel; /* filled in: that of the settings, or of noisy outputs a rougher one */
} gofh_hyperparameters;

/* Fixes the hyperparameters of one output, without a trend; settings.hyper must be
 * GOFH_HYPER_FIXED. For methods that model f, output is 0. */
GOFH_API gofh_status gofh_study_set_hyperparameters_sized(gofh_study *study, int output,
                                                          const gofh_hyperparameters *values, size_t size);
static inline gofh_status gofh_study_set_hyperparameters(gofh_study *study, int output,
                                                         const gofh_hyperparameters *values)
{
    return gofh_study_set_hyperparameters_sized(study, output, values, sizeof *values);
}
/* Those in use, of sample `sample` (from 0). GOFH_ERROR_ARGUMENT past the last sample. */
GOFH_API gofh_status gofh_study_hyperparameters_sized(gofh_study *study, int sample, int output,
                                                      gofh_hyperparameters *values, size_t size);
static inline gofh_status gofh_study_hyperparameters(gofh_study *study, int sample, int output,
                                                     gofh_hyperparameters *values)
{
    return gofh_study_hyperparameters_sized(study, sample, output, values, sizeof *values);
}

/* What the objective or a constraint compares an output with. */
typedef struct {
    size_t size;
    int output;       /* from 0, of all m */
    const char *data; /* the data that the value is made of, borrowed; NULL: several */
    double value;
    double deviation; /* its standard deviation, in the output's units; NaN: not given */
} gofh_comparison;

/* Wherever an expression squares a difference, or takes its absolute value, and data are in it: the
 * output in it and the value of that at which it is 0. "sum(((T - measured)/sigma)^2)" compares T
 * with measured and has sigma for its deviations; a divisor is one if it is data or a vector. Fills
 * list with up to `room` of them and *count with how many there are; none where g is a function. Where
 * the objective is one of gofh_problem_fit, its pairs are what it was given, in its order. */
GOFH_API gofh_status gofh_study_comparisons_sized(gofh_study *study, gofh_comparison *list, size_t size,
                                                  int room, int *count);
static inline gofh_status gofh_study_comparisons(gofh_study *study, gofh_comparison *list, int room,
                                                 int *count)
{
    return gofh_study_comparisons_sized(study, list, sizeof *list, room, count);
}

/* ---- The posterior of the parameters: see docs/posterior.md ---- */

typedef struct gofh_posterior gofh_posterior;

/* Samples the posterior of the parameters given the data of gofh_problem_fit, by the model of h and with
 * the model's own uncertainty: `samples` of them, 0 for 4000. The seed is that of the study's settings.
 * The study is free to be changed or freed afterwards. GOFH_ERROR_PROBLEM: the objective is no fit, or
 * not one with a likelihood; the study's message says what would be right. GOFH_ERROR_EMPTY: nothing is
 * done yet. GOFH_STOP_CALLER: interrupted (gofh_study_set_interrupt). On failure *posterior is NULL. */
GOFH_API gofh_status gofh_posterior_create(gofh_posterior **posterior, gofh_study *study, int samples);
GOFH_API void gofh_posterior_free(gofh_posterior *posterior); /* NULL is fine */
/* The samples: x (samples x d), in the user's units, and the unknown sigmas of data that have none
 * (samples x sigmas); either may be NULL. */
GOFH_API gofh_status gofh_posterior_sample(const gofh_posterior *posterior, double *x, double *sigma);

/* What they say. Arrays are borrowed from the posterior: d values each, in the user's units, unless
 * something else is said. */
typedef struct {
    size_t size;
    int parameters, samples;
    const double *best;                   /* the best evaluation */
    const double *mean, *deviation;       /* the standard deviation */
    const double *lower, *median, *upper; /* 2.5 %, 50 % and 97.5 % are below */
    const double *data_deviation;         /* what the deviation would be if the model of h were exact */
    const double *correlation;            /* d x d */
    const double *rhat;                   /* split R-hat of independent populations: 1 is best */
    const double *effective;              /* so many independent samples would be worth as much */
    int converged;                        /* whether these are good: R-hat up to 1.02, 400 effective */
    int data;                             /* how many count */
    double
        misfit; /* squared residuals over their covariance, the model's included, of the most probable sample */
    int sigmas; /* unknown ones: of each name of data without sigma; then of discrepancies */
    const char *const *sigma_data;                        /* sigmas: these names */
    const double *sigma_mean, *sigma_lower, *sigma_upper; /* sigmas each */
    const char *message; /* what the data tell and what not, in words joined by "; "; may be empty */
    /* Which combinations of parameters the data tell: eigenvectors of the posterior covariance of the
     * parameters, each on its scale and over its prior's standard deviation; d x d, one row each, with the
     * standard deviation along it, the best known first. 1 is what was known before. */
    const double *direction, *direction_deviation;
    int direction_logarithms; /* whether they are of logarithms, of all parameters above 0 */
    int runs; /* about so many more for the posterior should make the model's share small; 0: it is, or nobody knows */
    const double *emulator; /* the model's share of the variance; large where it alone says where they are */
} gofh_posterior_results;
GOFH_API gofh_status gofh_posterior_summary_sized(const gofh_posterior *posterior,
                                                  gofh_posterior_results *results, size_t size);
static inline gofh_status gofh_posterior_summary(const gofh_posterior *posterior,
                                                 gofh_posterior_results *results)
{
    return gofh_posterior_summary_sized(posterior, results, sizeof *results);
}
/* The probability of each value of a discrete parameter (from 0), borrowed: how many there are, in ascending
 * order or that of the choices; 0 of a parameter that is an interval or fixed. */
GOFH_API int gofh_posterior_probabilities(const gofh_posterior *posterior, int parameter,
                                          const double **probability);
/* The density of the prior of a parameter (from 0) at `count` values of it; 0 beyond its bounds. Of a
 * discrete one it is as if all between its values were possible, and of a fixed one 0. */
GOFH_API gofh_status gofh_posterior_prior(const gofh_posterior *posterior, int parameter, const double *x,
                                          int count, double *density);

/* The study's log: numerical difficulties and how they were handled, a line each. NULL past the
 * end. */
GOFH_API const char *gofh_study_log(const gofh_study *study, int line);

/* ---- The study on disk: see docs/store.md ---- */

typedef enum {
    GOFH_OPEN_WRITE = 0,
    GOFH_OPEN_READ = 1,
    GOFH_OPEN_COPY = 2 /* takes what is there now as GOFH_OPEN_READ does, into a study in memory */
} gofh_open_mode;

/* Opens the study kept in the SQLite file `path`. GOFH_OPEN_WRITE makes it if it is missing and
 * holds the lock of its one writer until it is freed; what ask, tell, fail, import and enqueue did
 * is on disk before they return, and where the disk refuses, the study is as it was and the same
 * call can be made again. The file may not be a link, though its folder may. GOFH_OPEN_READ takes what is
 * there now, never blocks a writer and is never blocked; every changing call on it is refused with
 * GOFH_ERROR_READ_ONLY, and so is GOFH_OPEN_WRITE where the file or its folder can't be written. A
 * resumed study goes on as if it had never been closed, bit for bit. The problem must have the
 * parameters and outputs of the file (or it is GOFH_ERROR_CHANGED), but one that was fixed may have
 * bounds, or one that had them be fixed, if all trials are allowed then, and while no trial is more than
 * open, bounds, scales and outputs may be others; what else has changed is taken, and f of all trials is
 * that of the problem given. Hyperparameters that were fixed are to be fixed again. GOFH_ERROR_EMPTY:
 * there is nothing to read yet. A GOFH_OPEN_COPY may be changed, and its file does not know: it asks
 * what the writer would ask next. */
GOFH_API gofh_status gofh_study_open(gofh_study **study, const char *path, gofh_open_mode mode,
                                     const gofh_problem *problem, const gofh_settings *settings,
                                     gofh_error *error);
/* Writes a study, however it was made, to a new file, which gofh_study_open can then open. Refuses
 * a file that exists. */
GOFH_API gofh_status gofh_study_save(gofh_study *study, const char *path);

/* What became of a trial when its outputs were read again. `past` is the trial as it was, with the
 * outputs of then; y[m] comes with the values of those outputs that had the same name and size, and
 * NaN for the others. `note` is the trial's note of the name that was asked for, or NULL. Returns
 * GOFH_TRIAL_DONE with y complete; GOFH_TRIAL_FAILED or GOFH_TRIAL_FORGOTTEN with *reason, which is
 * copied; or -1 to give up. It may not call a study. */
typedef int (*gofh_reading)(const gofh_trial *past, const char *note, double *y, const char **reason,
                            void *context);
/* Turns the study in the file `path` into one of `problem`, which may have other outputs: each trial
 * that has ended gets those that `reading` finds. The file as it was stays beside it, as
 * PATH.before-reread. All is changed or nothing: GOFH_STOP_CALLER where `reading` gave up. The
 * parameters must be those of the file. error may be NULL. */
GOFH_API gofh_status gofh_study_reread(const char *path, const gofh_problem *problem,
                                       const gofh_settings *settings, const char *note, gofh_reading reading,
                                       void *context, gofh_error *error);

/* A text kept with a trial under a name, such as how to find its run again; NULL removes it. On
 * disk before the call returns, where there is a disk and gofh_study_hold was not called. */
GOFH_API gofh_status gofh_study_set_note(gofh_study *study, int64_t trial, const char *name,
                                         const char *value);
/* NULL: there is none. Borrowed until the next call on the study. */
GOFH_API const char *gofh_study_note(gofh_study *study, int64_t trial, const char *name);

/* What is asked, told, enqueued and noted from now on reaches the disk together, in
 * gofh_study_release: many short evaluations then wait for the disk once instead of several times
 * each. A study that is freed, or a program that is killed, before that has lost it. */
GOFH_API void gofh_study_hold(gofh_study *study);
/* All that was held is on disk, or none of it: then the study, which knows more than its file, takes
 * nothing more and is to be opened again. */
GOFH_API gofh_status gofh_study_release(gofh_study *study);

/* h as a C function: fills y[m] for x[d]; returns 0, GOFH_STOP_CALLER to end gofh_optimize (the
 * trial counts as failed), or anything else for a failed evaluation. */
typedef int (*gofh_inner)(const double *x, double *y, void *context);

/* Asks, evaluates and tells until there is a reason to stop, which it returns (positive), or an
 * error. */
GOFH_API gofh_status gofh_optimize(gofh_study *study, gofh_inner h, void *context);

#ifdef __cplusplus
}
#endif

#endif
