/* Kinks look like noise to a smooth kernel, which has to choose between bending and not believing, and
 * likelihoods of data that gather around the incumbent do not tell the two apart. So outputs with noise
 * have a kernel that bends more easily. */
#include "study/fit_rough.h"

#include "study/fit_shared.h"

/* Only the default is doubted. */
static int may_be_rough(const study *st)
{
    return (st->method->parts & PART_ROUGHNESS) && !st->reduction && !st->whole && !st->fitted->fixed &&
           st->spec.settings.kernel == GOFH_KERNEL_SQUARED_EXPONENTIAL;
}

gofh_kernel fit_committed_kernel(const study *st)
{
    int rough = may_be_rough(st) && st->fitted->committed.data > 0 && st->fitted->committed.rough;
    return rough ? GOFH_KERNEL_MATERN_52 : st->spec.settings.kernel;
}

/* Whether at least half of the outputs have noise: all have one kind of kernel, and of those that are
 * exact some may look noisy for a while. */
static int is_mostly_noisy(const model *mo)
{
    int noisy = 0;
    for (int j = 0; j < mo->outputs; j++) noisy += model_process(mo, 0, j)->hyper.noise > 0.0;
    return 2 * noisy >= mo->outputs;
}

gofh_status fit_all_with_kernel(fitting *task)
{
    study *st = task->st;
    model *mo = st->fitted->mo;
    mo->kernel = fit_committed_kernel(st);
    if (!may_be_rough(st) || (task->warm && !task->thorough)) return fit_all(task);
    mo->kernel = st->spec.settings.kernel;
    gofh_status status = fit_all(task);
    if (status || !is_mostly_noisy(mo)) return status;
    mo->kernel = GOFH_KERNEL_MATERN_52;
    return fit_all(task);
}
