#include "study/trust_region.h"

#include <math.h>

static const double RADIUS_FIRST = 0.1, RADIUS_MAX = 0.3, RADIUS_MIN = 1e-7, RADIUS_FORCED = 1e-3;
/* Of the gain over what was predicted: above the first a step is as good as predicted, above the
 * second useful. */
static const double RATIO_GOOD = 0.7, RATIO_USEFUL = 0.1;
static const double GROWTH_GOOD = 10.0, GROWTH_USEFUL = 2.0;
enum { FORCED_EVERY = 4, COOLDOWN = 2, FAILURES_FORGIVEN = 3, VIOLATIONS_FORGIVEN = 1 };

trust_region trust_region_begin(void)
{
    return (trust_region){.radius = RADIUS_FIRST};
}

int trust_region_is_forced(const trust_region *region)
{
    return region->turn % FORCED_EVERY == FORCED_EVERY - 1;
}

int trust_region_has_failed(const trust_region *region)
{
    return region->cooldown == COOLDOWN;
}

trust_region trust_region_open(trust_region region)
{
    if (trust_region_is_forced(&region)) region.radius = fmax(region.radius, RADIUS_FORCED);
    return region;
}

/* After a step whose gain says something of the model. */
static trust_region judge(trust_region region, const step_outcome *o)
{
    double ratio = o->gained / fmax(o->predicted, 1e-300);
    region.reliable = ratio > RATIO_GOOD;
    if (ratio > RATIO_USEFUL) {
        region.repairs = 0;
        double growth = region.reliable ? GROWTH_GOOD : GROWTH_USEFUL;
        region.radius = fmin(fmax(region.radius, growth * o->step), RADIUS_MAX);
        return region;
    }
    region.cooldown = COOLDOWN;
    region.radius = fmax(0.5 * fmin(region.radius, fmax(o->step, RADIUS_MIN)), RADIUS_MIN);
    return region;
}

/* After a step that repaired the model: the next local step is tried. */
static trust_region repaired(trust_region region)
{
    region.cooldown = 0;
    region.reliable = 1;
    region.repairs++;
    return region;
}

trust_region trust_region_update(trust_region region, const step_outcome *o)
{
    const trust_region before = region;
    if (o->suggested) {
        region = trust_region_open(region);
        if (region.cooldown > 0) region.cooldown--;
        region.turn++;
        if (o->geometry && trust_region_has_failed(&before)) region = repaired(region);
    }
    if (o->improved) region.violations = region.failures = 0;
    if (!o->local) {
        if (o->suggested && o->improved) region.radius = fmax(region.radius, RADIUS_FIRST);
        return region;
    }
    /* The first violation has taught the model of the constraint where it is needed, and the next
     * step keeps a distance; a failure has taught the model of success, and the next step goes half
     * way. */
    if (o->violated && ++region.violations <= VIOLATIONS_FORGIVEN) return region;
    if (o->failed && ++region.failures <= FAILURES_FORGIVEN) return region;
    return judge(region, o);
}
