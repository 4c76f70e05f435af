/* Whether outputs share their hyperparameters, and if so which. */
#include "study/fit_shared.h"

#include "base/memory.h"
#include "model/quick.h"
#include "study/fit_state.h"
#include "study/reduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHARING_MIN = 10,  /* outputs; fewer are too often not alike */
    COMPARED_MAX = 20, /* outputs that are all compared; of more than these, */
    COMPARED = 12      /* so many, in even strides, decide for all */
};

/* By how much the evidence of one kernel for all must exceed that of one each. */
static const double SHARING_EVIDENCE = 4.0;

/* Whether output j varies by more than rounding. */
static int has_moved(const fitting *task, int j)
{
    int n = task->inputs.n;
    double squares = 0.0;
    for (int i = 0; i < n; i++) {
        double y = task->y[(size_t)j * (size_t)n + (size_t)i];
        squares += y * y / n;
    }
    return squares > 0.1;
}

/* Puts into member the outputs that may share: no datum lacks them, they vary, and their noise is of
 * the same kind, not known. Returns how many, or 0 where they are too few. */
static int find_members(const fitting *task, int *member)
{
    const study *st = task->st;
    int count = 0;
    double variance;
    hyper_noise kind = HYPER_KNOWN;
    for (int j = 0; (st->method->parts & PART_SHARING) && j < st->outputs; j++) {
        if (fit_inputs(task, j) != &task->inputs) continue;
        hyper_noise noise = study_noise(st, j, &variance);
        if (noise == HYPER_KNOWN || !has_moved(task, j)) continue;
        if (count == 0) kind = noise;
        if (noise == kind) member[count++] = j;
    }
    return count < SHARING_MIN ? 0 : count;
}

/* The outputs that share in the committed hyperparameters, and still can. */
static int recall_members(const fitting *task, int *member)
{
    const study *st = task->st;
    int count = 0;
    for (int j = 0; j < st->outputs; j++)
        if (fit_was_shared(st, &st->fitted->committed, j) && fit_inputs(task, j) == &task->inputs)
            member[count++] = j;
    return count;
}

/* Puts into task->listed those of `all` that are not left out; both are in order. Returns how
 * many. */
static int list_others(fitting *task, const int *all, int count, const int *left_out, int few)
{
    int listed = 0, next = 0;
    for (int i = 0; i < count; i++)
        if (next < few && left_out[next] == all[i])
            next++;
        else
            task->listed[listed++] = all[i];
    return listed;
}

/* The posterior of the hyperparameters that `count` outputs share. work: a copy of their data, then
 * fit_work doubles. */
static hyper_target shared_target(const fitting *task, const int *member, int count, double *work)
{
    size_t n = (size_t)task->inputs.n;
    double last[HYPER_MAX];
    hyper_target target = fit_target(task, member[0], work + (size_t)count * n, last);
    target.latent = task->common_latent;
    target.others = count - 1;
    target.y = work;
    for (int i = 0; i < count; i++)
        memcpy(work + (size_t)i * n, task->y + (size_t)member[i] * n, n * sizeof *work);
    return target;
}

/* The members share the common theta, each with the variance that fits it best. */
static void share(fitting *task, const int *member, int count, double *work)
{
    model *mo = task->st->fitted->mo;
    hyper_target target = shared_target(task, member, count, work);
    memset(mo->shares, 0, (size_t)mo->outputs);
    for (int i = 0; i < count; i++) mo->shares[member[i]] = 1;
    model_share(mo, mo->shares);
    gp_hyper *leader = &model_process(mo, 0, mo->leader)->hyper;
    hyper_resolve(&target, task->common, NULL, leader);
    fit_clean_noise(task->st, leader);
    for (int i = 1; i < count; i++) {
        gp_hyper *hyper = &model_process(mo, 0, member[i])->hyper;
        *hyper = *leader;
        hyper->variance = hyper_variance(&target, i);
    }
}

/* The mean of the thetas that the members have by themselves, or the prior's where they do not all mean
 * the same: some have places of choices. */
static void average_theta(fitting *task, const hyper_target *target, const int *member, int count)
{
    int dimension = hyper_dimension(target), places = 0;
    for (int i = 0; i < count; i++)
        places |= model_process(task->st->fitted->mo, 0, member[i])->hyper.latent != NULL;
    if (places) {
        hyper_start(target, task->common);
        return;
    }
    size_t room = (size_t)task->st->d + 2;
    for (int k = 0; k < dimension; k++) {
        task->common[k] = 0.0;
        for (int i = 0; i < count; i++)
            task->common[k] += task->theta[(size_t)member[i] * room + (size_t)k] / count;
    }
}

/* Finds the common theta. Returns whether it explains the members better than the theta found for
 * each (eq. 30). */
static int explains_better(fitting *task, const int *member, int count, double *work)
{
    hyper_target target = shared_target(task, member, count, work);
    double apart = 0.0;
    int threads = task->st->spec.settings.threads;
    average_theta(task, &target, member, count);
    fit_maximise(&target, task->common, FIT_STARTS, threads);
    double together = fit_choose_places(task, member[0], &target, task->common, threads);
    if (isnan(together)) together = hyper_log_evidence(&target, task->common);
    task->common_latent = target.latent;
    for (int i = 0; i < count; i++) apart += task->found[member[i]];
    return together > apart + SHARING_EVIDENCE;
}

/* Members in even strides into task->listed, where there are many. */
static int list_compared(fitting *task, const int *member, int count)
{
    int compared = count > COMPARED_MAX ? COMPARED : count;
    for (int i = 0; i < compared; i++)
        task->listed[i] = compared == count ? member[i] : member[i * (count - 1) / (compared - 1)];
    return compared;
}

/* Decides anew who shares. all: the outputs; compared: room for as many. */
static void choose(fitting *task, const int *all, const int *member, int count, int *compared, double *work)
{
    int outputs = task->st->outputs, few = list_compared(task, member, count);
    memcpy(compared, task->listed, (size_t)few * sizeof *compared);
    task->compare = 1;
    fit_each(task, few);
    task->compare = 0;
    if (!explains_better(task, compared, few, work)) {
        fit_each(task, list_others(task, all, outputs, compared, few));
        return;
    }
    if (few < count) {
        fit_choose_transforms(task, list_others(task, member, count, compared, few));
        hyper_target target = shared_target(task, member, count, work);
        fit_maximise(&target, task->common, 1, 1);
    }
    fit_each(task, list_others(task, all, outputs, member, count));
    share(task, member, count, work);
}

/* The same outputs share as before; their theta starts where it was. */
static void go_on(fitting *task, const int *all, const int *member, int count, double *work)
{
    fit_each(task, list_others(task, all, task->st->outputs, member, count));
    if (count == 0) return;
    task->common_latent = fit_latent(task->st, &task->st->fitted->committed, member[0]);
    hyper_target target = shared_target(task, member, count, work);
    fit_target(task, member[0], target.work, task->common);
    fit_maximise(&target, task->common, 1, 1);
    share(task, member, count, work);
}

/* Whether there are so many outputs that all share: to ask each would cost too much. */
static int must_share(const study *st)
{
    if (st->reduction) return 1;
    if (!reduce_is_large(&st->spec) || !(st->method->parts & PART_SHARING) || st->spec.missing ||
        study_has_variances(st))
        return 0;
    for (int j = 0; j < st->m; j++)
        if (!isnan(st->spec.noise[j])) return 0;
    return 1;
}

/* One kernel for all, which is learned from REDUCE_LEARNED in even strides, as far as they vary. */
static void share_all(fitting *task, const int *all, int *member, double *work)
{
    study *st = task->st;
    int count = 0, threads = st->spec.settings.threads;
    for (int i = 0; i < REDUCE_LEARNED; i++) {
        int j = (int)((int64_t)i * (st->outputs - 1) / (REDUCE_LEARNED - 1));
        if (has_moved(task, j)) member[count++] = j;
    }
    hyper_target target = shared_target(task, count ? member : all, count ? count : st->outputs, work);
    fit_target(task, count ? member[0] : 0, target.work, task->common);
    fit_maximise(&target, task->common, task->warm && !task->thorough ? 1 : FIT_STARTS, threads);
    share(task, all, st->outputs, work);
}

gofh_status fit_all(fitting *task)
{
    study *st = task->st;
    int threads = st->spec.settings.threads, d = st->d, used = task->inputs.n;
    size_t outputs = (size_t)st->outputs;
    int *all = memory_new(4 * outputs, sizeof *all);
    if (!all) return GOFH_ERROR_MEMORY;
    int *member = all + outputs, *compared = member + outputs;
    task->listed = compared + outputs;
    task->common_latent = NULL;
    for (int j = 0; j < st->outputs; j++) all[j] = j;
    int again = task->warm && !task->thorough;
    int together_all = must_share(st);
    int count = together_all ? st->outputs
                : again      ? recall_members(task, member)
                             : find_members(task, member);
    task->share = fit_work(used, d, 0, 1);
    size_t each = (size_t)threads * task->share,
           together = count ? (size_t)count * (size_t)used + fit_work(used, d, count - 1, threads) : 0;
    size_t pairs = study_samples_hyper(st) && used <= QUICK_DATA ? (size_t)used * (size_t)(used - 1) / 2 : 0;
    task->work = memory_doubles(each + together + outputs * (size_t)(d + 3) + pairs * (size_t)d);
    if (!task->work) {
        free(all);
        return GOFH_ERROR_MEMORY;
    }
    double *work = task->work + each;
    task->theta = work + together;
    task->found = task->theta + outputs * (size_t)(d + 2);
    task->differences = pairs ? task->found + outputs : NULL;
    if (pairs) quick_differences(&task->inputs, task->differences);
    model_share(st->fitted->mo, NULL);
    if (together_all)
        share_all(task, all, member, work);
    else if (again || count == 0)
        go_on(task, all, member, count, work);
    else
        choose(task, all, member, count, compared, work);
    free(task->work);
    free(all);
    return GOFH_OK;
}
