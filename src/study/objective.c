#include "study/objective.h"

#include "base/memory.h"
#include "base/quasi.h"
#include "study/success.h"

#include <math.h>

void objective_normals(const study *st, random_purpose purpose, uint64_t key, uint64_t part, int count,
                       double *z)
{
    random_stream stream = random_open(st->spec.settings.seed, purpose, key, part);
    quasi_normals(&stream, st->outputs, count, z);
    model_mix(st->fitted->mo, count, z);
}

double *objective_new_normals(const study *st, random_purpose purpose, uint64_t key, uint64_t part, int count)
{
    double *z = memory_doubles((size_t)count * (size_t)st->outputs);
    if (z) objective_normals(st, purpose, key, part, count, z);
    return z;
}

/* Without the probability of success. */
static gofh_status evaluate(objective *o, const double *x, int count, double *value, double *gradient)
{
    acquisition *a = o->st->fitted->acquire;
    return o->z ? acquisition_monte_carlo(a, o->goal, 0, o->st->fitted->mo->samples, o->z, o->draws, x, count,
                                          value, gradient)
                : acquisition_closed_form(a, o->goal, x, count, value, gradient);
}

gofh_status objective_value(objective *o, const double *x, int count, double *value, double *gradient)
{
    gofh_status status = evaluate(o, x, count, value, gradient);
    if (!status) success_multiply(o->st, x, count, value, gradient);
    return status;
}

int objective_search(const double *x, int count, double *value, double *gradient, void *context)
{
    objective *o = context;
    o->status = o->logarithm ? evaluate(o, x, count, value, gradient)
                             : objective_value(o, x, count, value, gradient);
    if (o->status || !o->logarithm) return o->status != GOFH_OK;
    for (int i = 0; i < count; i++) {
        double scale = value[i] > 0.0 ? 1.0 / value[i] : 0.0;
        value[i] = log(value[i]);
        if (gradient)
            for (int k = 0; k < o->st->d; k++) gradient[(size_t)i * (size_t)o->st->d + (size_t)k] *= scale;
    }
    success_add_logarithm(o->st, x, count, value, gradient);
    return 0;
}
