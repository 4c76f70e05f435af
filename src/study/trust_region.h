/* The trust region of the local steps, as a value: what it is after each trial follows from what it
 * was and from what became of the trial (section 8.5 of docs/method.md). */
#ifndef STUDY_TRUST_REGION_H
#define STUDY_TRUST_REGION_H

typedef struct {
    double radius;  /* along each coordinate, around the incumbent */
    int reliable;   /* whether the last local step gained most of what it predicted */
    int cooldown;   /* suggestions for which no local step is made */
    int turn;       /* suggestions made so far */
    int violations; /* local steps one after another that violated a constraint */
    int repairs;    /* steps that repaired the model since a local step was useful */
    int failures;   /* local steps one after another that failed */
} trust_region;

/* What became of a trial. */
typedef struct {
    int suggested; /* by a model: not of the design, no start, not imported */
    int improved;  /* on the incumbent */
    int geometry;  /* a step that repairs the model of the local ones */
    int local;     /* a local step whose result is known; what follows is of such steps */
    int failed, violated;
    double predicted, gained; /* minus infinity: it has no f */
    double step;              /* its length along the coordinate where it is longest */
} step_outcome;

trust_region trust_region_begin(void);
trust_region trust_region_update(trust_region region, const step_outcome *outcome);

/* Whether it is the turn of a forced local step: one that is made however little it predicts. */
int trust_region_is_forced(const trust_region *region);
/* Whether the last suggestion was a local step that gained next to nothing of what it predicted. */
int trust_region_has_failed(const trust_region *region);
/* As the next suggestion sees it: a forced step needs a region that is worth a look. */
trust_region trust_region_open(trust_region region);

#endif
