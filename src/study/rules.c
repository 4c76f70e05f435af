#include "study/rules.h"

#include "study/points.h"

#include <math.h>

/* Of the range of f: below the first, a local step need not be sure of its gain; below the second,
 * nothing is expected. */
static const double GAIN_LOW = 1e-3, GAIN_NONE = 1e-6;

int rule_flat(const search_state *s, double best_ei, const proposal *p)
{
    (void)best_ei;
    (void)p;
    return s->flat;
}

int rule_always(const search_state *s, double best_ei, const proposal *p)
{
    (void)s;
    (void)best_ei;
    (void)p;
    return 1;
}

int rule_goal(const search_state *s, double best_ei, const proposal *p)
{
    return rule_always(s, best_ei, p);
}

int rule_worthwhile(const search_state *s, double best_ei, const proposal *p)
{
    (void)best_ei;
    if (s->noisy) return p->gain > GAIN_NONE * s->basin_range;
    return !search_is_negligible(s, p->gain);
}

int rule_little_expected(const search_state *s, double best_ei, const proposal *p)
{
    (void)p;
    return best_ei < SEARCH_NEGLIGIBLE * s->f_range;
}

/* Of its length: a local step that ends so near to one that has not been answered yet repeats it. */
static const double REPEATED = 0.5;

/* Whether a local step can be made and gains anything that numbers can tell. */
static int gains_locally(const search_state *s, const proposal *p)
{
    if (s->open_local && points_reach(s->d, p->u, s->open_local) <= REPEATED * p->step) return 0;
    return p->gain > 1e-16 * fabs(s->best_f) && p->step > POINTS_SAME;
}

int rule_beats_improvement(const search_state *s, double best_ei, const proposal *p)
{
    if (!gains_locally(s, p)) return 0;
    int low = best_ei < GAIN_LOW * s->f_range;
    if (s->region.cooldown == 0 && p->gain > 0.5 * best_ei && (p->deviation < 0.5 * p->gain || low)) return 1;
    return s->forced && best_ei < SEARCH_NEGLIGIBLE * s->f_range;
}

int rule_improvement_left(const search_state *s, double best_ei, const proposal *p)
{
    (void)p;
    return s->best_f == -INFINITY || best_ei >= GAIN_NONE * s->basin_range;
}

int rule_noisy(const search_state *s, double best_ei, const proposal *p)
{
    (void)best_ei;
    (void)p;
    return s->noisy;
}

int rule_better_mean(const search_state *s, double best_ei, const proposal *p)
{
    (void)best_ei;
    return p->gain > GAIN_NONE * s->basin_range;
}

int rule_reliable(const search_state *s, double best_ei, const proposal *p)
{
    (void)best_ei;
    return s->region.reliable && s->region.cooldown == 0 && gains_locally(s, p);
}
