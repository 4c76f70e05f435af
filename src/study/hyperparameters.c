/* The hyperparameters of a study as its user knows them: asked for, fixed, and kept for the next
 * suggestion. */
#include "study/fit.h"

#include "study/fit_reduced.h"
#include "study/fit_state.h"

void study_commit_hyper(study *st)
{
    if (st->fitted->mo && st->fitted->data_count > 0 && st->outputs == st->state_outputs)
        fit_copy_state(st, &st->fitted->committed, &st->fitted->current);
}

int study_hyper_samples(const study *st)
{
    return st->fitted->samples;
}

int study_hyper_outputs(const study *st)
{
    return st->reduction ? st->m : st->outputs;
}

gofh_status study_hyper_of(const study *st, int sample, int output, double *lengthscale,
                           gofh_hyperparameters *values)
{
    if (st->reduction) return fit_hyper_of_any(st, output, lengthscale, values);
    const model *mo = st->fitted->mo;
    const gp *process = model_process(mo, sample, output);
    double scale = mo->scale[output], variance = process->hyper.variance * scale * scale;
    fit_lengthscales(st, &process->hyper, lengthscale);
    *values = (gofh_hyperparameters){
        .lengthscale = lengthscale,
        .variance = variance,
        .noise = process->hyper.noise * process->diagonal * variance,
        .mean = mo->shift[output] + scale * process->mean,
        .nugget = process->nugget * process->diagonal,
        .trend = process->hyper.trend,
        .logarithmic = mo->transform[output].kind == &transform_logarithm,
        .asinh_scale = mo->transform[output].kind == &transform_asinh ? mo->transform[output].parameter : 0.0,
        .inflation = st->fitted->inflation[output],
        .kernel = mo->kernel};
    return GOFH_OK;
}

int study_hyper_is_fixed(const study *st)
{
    return st->fitted->fixed != NULL;
}

int study_hyper_missing(const study *st)
{
    for (int j = 0; st->fitted->fixed && j < st->outputs; j++)
        if (!st->fitted->fixed_given[j]) return j;
    return -1;
}

void study_fix_hyper(study *st, int output, const gofh_hyperparameters *values)
{
    double *slot = st->fitted->fixed + (size_t)output * (size_t)(st->d + HYPER_EXTRA);
    for (int p = 0; p < st->parameters; p++) {
        domain_parameter kind = domain_kind_of(&st->spec.box, p);
        for (int k = 0; k < kind.width; k++) slot[kind.first + k] = 1.0 / values->lengthscale[p];
    }
    slot[st->d] = values->variance;
    slot[st->d + 1] = values->noise;
    slot[st->d + 2] = values->mean;
    st->fitted->fixed_given[output] = 1;
    st->fitted->data_count = 0; /* the model is out of date */
}
