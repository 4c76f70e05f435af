/* When a study ends (section 8.10 of docs/method.md). All of it follows from the trials and from what is
 * kept with them, so that a resumed study decides as one that was never closed. */
#ifndef STUDY_STOP_H
#define STUDY_STOP_H

#include "study/study.h"

/* What the suggestions so far promised and what came of it. */
typedef struct {
    int best;            /* the best done trial; -1: none */
    double best_f;       /* its f */
    double f_range;      /* the scale of f: best_f less the median of the design */
    double search_range; /* the same of the suggestions, at most f_range */
    double tolerance;    /* a larger gain counts */
    int last;            /* trials until the last gain that counts */
    int idle;            /* suggestions after each other, up to the last, that neither promised nor gained */
    int looked;          /* those of them that looked elsewhere than at the incumbent, with noise all */
    int needed;          /* so many of these end the study */
    int promising;       /* whether an open trial may still gain */
    int recent;          /* suggestions that the next two are of: the last ones */
    double promised;     /* what they expected to gain, all in all */
    double gained;       /* what they gained */
} stop_history;

/* The origin of suggestions for the posterior: what they expect is the share of an interval. */
#define POSTERIOR_ORIGIN "posterior"

/* GOFH_OK or GOFH_ERROR_MEMORY. */
gofh_status stop_read(const study *st, stop_history *h);
/* Before a trial is asked: notes the last gain that is known, and how many were asked without it.
 * GOFH_OK or GOFH_ERROR_MEMORY. */
gofh_status stop_note_gain(study *st);
/* Whether f of this done trial is the best that g can be, up to the rounding of the outputs. */
gofh_status stop_is_at_best(const study *st, const trial *t, int *is);
/* Whether nothing more is expected, whatever the settings say. */
gofh_status stop_is_due(const study *st, int *is);
/* Whether an evaluation is as good as the settings ask for. */
int stop_at_target(const study *st);
/* Why nothing is asked any more, with `asked` trials that were not imported; GOFH_OK: nothing
 * speaks against it. */
gofh_status stop_reason(const study *st, int asked);

#endif
