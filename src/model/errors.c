/* What the errors of the model at its data say of the outputs together. */
#include "base/memory.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

/* Fewer data than this say nothing of a correlation. */
enum { ERRORS_MIN = 3 };

/* The errors L^-1 (y - mean) of one output: of each datum predicted from those before it, in units of
 * the deviation that it was predicted with, times that of the signal. The mean over the samples of the
 * hyperparameters, of the last `count` data; 0 where a value is missing. */
static void find_errors(const model *mo, int j, int count, double *errors)
{
    int first = mo->inputs.n - count, values = model_inputs(mo, j)->n;
    for (int s = 0; s < mo->samples; s++) {
        const gp *process = model_process(mo, s, j);
        double unit = sqrt(process->hyper.variance) * mo->samples;
        for (int i = 0; i < values; i++) {
            int row = model_place(mo, j, i) - first;
            if (row < 0) continue;
            errors[(size_t)row * (size_t)mo->outputs + (size_t)j] +=
                (process->solved_y[i] - process->mean * process->solved_one[i]) / unit;
        }
    }
}

int model_correlate(model *mo)
{
    if (mo->outputs < 2 || mo->inputs.n < ERRORS_MIN) {
        correlation_free(&mo->correlation);
        return 0;
    }
    int count = mo->inputs.n < CORRELATION_ROWS ? mo->inputs.n : CORRELATION_ROWS;
    double *errors = memory_doubles((size_t)count * (size_t)mo->outputs);
    if (!errors) return -1;
    int seen = mo->outputs - (mo->residuals > 0);
    for (int j = 0; j < seen; j++) find_errors(mo, j, count, errors);
    int failed = mo->residuals > 0
                     ? correlation_estimate_part(&mo->correlation, count, mo->outputs, mo->residuals, errors)
                     : correlation_estimate(&mo->correlation, count, mo->outputs, errors);
    free(errors);
    return failed;
}

void model_mix(const model *mo, int count, double *z)
{
    for (int s = 0; mo->residuals > 0 && s < count; s++) z[(size_t)(s + 1) * (size_t)mo->outputs - 1] = 1.0;
    if (mo->correlated) correlation_mix(&mo->correlation, count, z);
}
