/* Ask and tell: the trials of a study and the model of what is known from them. No input or output
 * of any kind. */
#ifndef STUDY_STUDY_H
#define STUDY_STUDY_H

#include "base/domain.h"
#include "base/memory.h"
#include "base/random.h"
#include "outer/outer.h"
#include "study/space.h"

typedef struct {
    const char *name;
    int size;
} study_output;

/* What is studied; borrowed for as long as the study lives. */
typedef struct {
    domain box;
    gofh_constraints *known; /* constraints of parameters alone (space.h); NULL: there are none */
    const outer *g;
    const study_output *output; /* their sizes add up to those of h */
    const double *noise;        /* one variance per output; NaN: not known */
    /* Outputs: which may be missing from a trial, and which f needs; NULL: none may */
    const unsigned char *missing, *used;
    gofh_settings settings;
    int reduce_above; /* outputs: of more, the study is reduced (reduce.h); 0: the usual number */
} study_spec;

typedef struct {
    gofh_trial_state state;
    int imported;
    const char *origin;
    double expected;  /* gain, in units of f; NaN: not estimated */
    double feasible;  /* the probability of it when suggested; NaN: not estimated */
    char *reason;     /* NULL: none; of a forgotten trial: it has a result */
    double f;         /* maximised; NaN of a done trial: an output that it needs is missing */
    double *x, *u;    /* in the user's units, in the unit cube */
    double *y;        /* NaN: missing */
    double *variance; /* of the noise on each output, NaN where it is not known; NULL: none is */
} trial;

typedef struct study study;
typedef struct model_state model_state; /* fitted.h */

typedef enum { MODEL_OF_H, MODEL_OF_F } model_subject;

/* What the method "gofh" is made of. A variant without one of them is for measuring its effect. */
typedef enum {
    PART_NUGGET = 1,     /* as small as the factorisation allows, instead of 1e-6 */
    PART_TREND = 2,      /* in the kernel */
    PART_SCREENING = 4,  /* of g of the mean on thousands of points */
    PART_NOISE = 8,      /* estimated, where it is not known */
    PART_LOGARITHM = 16, /* of outputs, where the evidence is for it */
    PART_SHARING = 32,   /* of one kernel by many outputs, where the evidence is for it */
    PART_ASINH = 4096,   /* of outputs over decades, where the evidence is for it */
    /* The moves of the engine. */
    PART_FEASIBILITY = 64,
    PART_DIVERSIFY = 128,
    PART_LOCAL = 256,
    PART_REPLICATE = 512,
    PART_EXPLOIT = 1024,
    PART_RESTART = 2048,
    PART_GEOMETRY = 8192,
    PART_BASINS = 16384,     /* have a scale of their own */
    PART_FANTASIES = 65536,  /* of the open trials; else one, the mean */
    PART_ROUGHNESS = 131072, /* of the kernel of noisy outputs */
    PART_PLACES = 262144,    /* of choices, where the evidence is for them */
    PART_ALL = 32767 | PART_FANTASIES | PART_ROUGHNESS | PART_PLACES,
    /* Not among all: correlated outputs in what the search draws. */
    PART_CORRELATION = 32768
} method_part;

/* A point that may be suggested, and all that is to be said of it. */
typedef struct {
    double u[GOFH_MAX_PARAMETERS];
    double gain;      /* expected, in units of f; NaN: not estimated */
    double deviation; /* of f there */
    double feasible;  /* the probability that the constraints hold; NaN: not estimated */
    double step;      /* the largest distance from the incumbent along a coordinate */
    const char *origin;
} proposal;

typedef struct {
    const char *name;
    model_subject subject;
    unsigned parts; /* of the method gofh; 0: the paper's model and search */
    gofh_status (*suggest)(study *st, uint64_t key, proposal *p);
    /* The acquisition at q points. NULL for methods that have none. */
    gofh_status (*acquisition)(study *st, uint64_t key, const double *points, int q, double *value);
} method;

/* What a study is for beside the best f: set by the layer that knows, which proposes a point u[d] of the unit
 * cube and says what it would change, as a share. */
typedef struct {
    gofh_status (*propose)(study *st, random_stream *stream, double *u, double *change, void *context);
    void *context;
} study_goal;

/* What has been suggested, imported and reported. */
typedef struct {
    trial *list; /* trial i + 1 is list[i] */
    size_t count, room;
} trial_list;

/* Points that the user has, in the order in which they are asked (starts.c). */
typedef struct {
    double *x; /* count x parameters; NaN: left to the study */
    size_t count, room;
    size_t used; /* the first of them, of which there are trials */
} start_list;

/* The log. */
typedef struct {
    char **lines;
    size_t count, room;
    int lost; /* whether there was no memory for a line */
} journal;

struct study {
    study_spec spec;
    const method *method;
    int d, m;          /* coordinates of the unit cube, outputs of h */
    int parameters;    /* of the user */
    space *space;      /* the allowed points */
    int outputs;       /* of the model: m, or 1 for a model of f, or some of m where it is reduced */
    int state_outputs; /* of these the state is kept (resume.c) */
    int initial;
    double identity; /* the weight of the one output of a model of f */
    outer f_outer;   /* f as the model's output, for a model of f */
    double *design;  /* initial x d: the points of a Sobol' design; NULL for a uniform one */
    trial_list trials;
    struct {
        int trial;    /* the last gain that was known when something was asked (stop.h); 0: none */
        size_t asked; /* trials that had been asked by then */
    } gain;
    start_list starts;
    model_state *fitted;
    struct reduction *reduction; /* NULL: there is none */
    study *whole;                /* that this one is the reduction of; NULL: none */
    const study_goal *goal;      /* NULL: the best f alone */
    journal journal;
    double *margin;       /* of the constraints, of one evaluation */
    double *filled;       /* m: outputs with 0 for what is missing; NULL where nothing may be */
    memory_room climbing; /* the workspace of searches */
};

/* NULL and a message on failure. */
study *study_create(const study_spec *spec, gofh_error *error);
void study_free(study *st);

/* Every call that computes happens between these two. */
void study_enter(void);
void study_leave(void);

gofh_status study_ask(study *st, int64_t *id, double *x, gofh_error *error);
/* starts.c: x[parameters], allowed or NaN, is asked before anything else. */
gofh_status study_enqueue(study *st, const double *x, gofh_error *error);
/* The number of a known constraint that a start breaks, or -1; -2 where no allowed point was found that
 * has the values it gives. */
int study_start_breaks(study *st, const double *x);
/* Takes the last ones back, which were not asked. */
void study_unqueue(study *st, size_t count);
/* Which of count points the study knows already: as a start that gives the same values, or as a
 * trial that has them. One start or trial is the answer to one point. */
gofh_status study_find_known(const study *st, const double *x, size_t count, unsigned char *known,
                             gofh_error *error);
/* variance: as in trial. */
gofh_status study_tell(study *st, int64_t id, const double *y, const double *variance, gofh_error *error);
gofh_status study_fail(study *st, int64_t id, const char *reason, gofh_error *error);
/* Puts y, or where it is NULL a failure for this reason, in place of what was reported of a trial
 * that has ended. The model is learned anew. */
gofh_status study_replace(study *st, int64_t id, const double *y, const double *variance, const char *reason,
                          gofh_error *error);
/* Leaves what was reported of a trial that has ended out of the model, or takes it in again. */
gofh_status study_forget(study *st, int64_t id, int forget, gofh_error *error);
/* y NULL: a failure for this reason. */
gofh_status study_import(study *st, const double *x, const double *y, const double *variance,
                         const char *reason, gofh_error *error);
/* Room for one more trial whose arrays are allocated; it becomes part of the study only when count
 * is raised. */
trial *study_new_trial(study *st);
/* missing.c: whether the model can say something: there is an f. */
int study_is_ready(const study *st);
/* Whether a done trial has a value of output j. Where none has and there is an f, f does not need it. */
int study_is_seen(const study *st, int j);
/* How many values of output j the first n of st->fitted->data have. */
int study_known(const study *st, int j, int n);
/* f of given outputs, maximised; NaN where one that it needs is missing. */
gofh_status study_objective(const study *st, const double *x, const double *y, double *f, gofh_error *error);

/* untried.c: whether every allowed point has been suggested or imported, and another look tells nothing:
 * there is no noise, neither found nor given. */
int study_is_exhausted(const study *st);
/* Moves u, which has been tried, to an allowed point near it that has not, where discrete parameters leave
 * no others beside it. Returns 0, or -1 where there is none. */
int study_find_untried(study *st, random_stream *stream, double *u);

/* resume.c: what a study that is taken up again needs to know of its past beyond the trials, as
 * study_state_count numbers. */
size_t study_state_count(const study *st);
void study_state_write(const study *st, double *values);
/* same: whether the model is still the same; otherwise it is learned anew. GOFH_ERROR_DAMAGED where
 * the numbers can't be those of this study. The trials must be there already. */
gofh_status study_state_read(study *st, const double *values, size_t count, int same);
/* Adds a trial as it was, whose x is within the bounds and whose origin lives as long as the study.
 * f is computed anew. */
gofh_status study_restore(study *st, const gofh_trial *past, gofh_error *error);
/* Where a study was before a call, to go back to where the call is given up. */
typedef struct {
    size_t lines; /* of the log */
    double worst_nugget;
    int contradictions;
} study_mark;
study_mark study_mark_now(const study *st);
void study_go_back(study *st, study_mark mark);
/* After an interrupt: the model, which may be half made, is given up too. */
void study_abandon(study *st, study_mark mark);
/* Undo the ask or import, tell or failure that came last. */
void study_drop_last(study *st);
void study_reopen(study *st, int64_t id);

/* Index of the best done trial; where none is feasible, of the one that violates the constraints
 * least; or -1. */
int study_best(study *st, gofh_status *status);

/* Whether hyperparameters are samples of their posterior, not its maximum. */
int study_samples_hyper(const study *st);
/* variances.c: whether any observation is known to be noisy; and which variances were given of
 * output j with the first n of st->fitted->data, or with all done trials where n is negative: how
 * many, and their mean. */
int study_has_variances(const study *st);
int study_given_variances(const study *st, int j, int n, double *mean);
/* Parameters that are not fixed. */
int study_varied(const study *st);
/* The variance of the noise of each of the first n of st->fitted->data on output j of a model of h,
 * in the user's units; what was not given is that of the problem, or the mean of those given with
 * the first `base`. Returns 0, with none filled in, where the noise of all is the same. */
int study_variances(const study *st, int j, int base, int n, double *variance);
int study_is_noisy(const study *st);
/* Whether the user said so: then the best evaluation is that of the best posterior mean, not the
 * luckiest. */
int study_is_given_noisy(const study *st);
/* journal.c: adds a line to the log. Returns -1 where there is no memory for it; study_ask then
 * says so. */
int study_log(study *st, const char *format, ...) __attribute__((format(printf, 2, 3)));
const outer *study_outer(const study *st); /* what the model's outputs are put into */

/* fantasy.c: conditions on fantasies of the open trials too, and sets the incumbents;
 * study_unfantasise goes back. */
gofh_status study_fantasise(study *st, uint64_t key);
/* The incumbents and penalties alone. */
gofh_status study_set_incumbents(study *st);
void study_unfantasise(study *st);
/* Both: the model of all done trials, with fantasies of the open ones. */
gofh_status study_prepare(study *st, uint64_t key);

/* methods.c */
const method *study_method(const char *name);
const char *study_method_name(int index);
const char *study_method_variant(int index);

/* Index of the done trial with the best posterior mean of f, which is *mean, or -1. */
int study_best_mean(study *st, double *mean, gofh_status *status);

/* recommend.c: the maximiser u[d] of the posterior mean of f, the mean and its deviation. */
gofh_status study_recommend(study *st, double *u, double *mean, double *deviation);

#endif
