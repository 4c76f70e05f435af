/* What is known of parameters before the data, and whether there is a likelihood at all. */
#include "infer/prior.h"
#include "api/problem.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

/* A prior with less than this within the bounds contradicts them. */
static const double MASS_MIN = 1e-6;

gofh_status gofh_problem_set_prior(gofh_problem *problem, const char *parameter, gofh_prior prior,
                                   double location, double spread)
{
    if (!problem) return GOFH_ERROR_ARGUMENT;
    gofh_error *error = &problem->error;
    int k = 0;
    while (k < problem->d && (!parameter || strcmp(problem->name[k], parameter) != 0)) k++;
    if (k == problem->d)
        return error_set(error, GOFH_ERROR_ARGUMENT, "a prior of \"%.60s\", which is not a parameter",
                         parameter ? parameter : "");
    if (prior < GOFH_PRIOR_UNIFORM || prior > GOFH_PRIOR_LOGNORMAL)
        return error_set(error, GOFH_ERROR_ARGUMENT, "unknown prior %d of parameter \"%s\"", (int)prior,
                         parameter);
    if (prior == GOFH_PRIOR_UNIFORM) location = spread = 0.0;
    if (prior != GOFH_PRIOR_UNIFORM && !(isfinite(location) && spread > 0.0 && isfinite(spread)))
        return error_set(error, GOFH_ERROR_ARGUMENT,
                         "the deviation %g of the prior of parameter \"%s\" must be above 0", spread,
                         parameter);
    if (prior == GOFH_PRIOR_LOGNORMAL && !(location > 0.0))
        return error_set(error, GOFH_ERROR_ARGUMENT,
                         "the median %g of the lognormal prior of parameter \"%s\" must be above 0", location,
                         parameter);
    if (prior != GOFH_PRIOR_UNIFORM && problem->kind[k].word)
        return error_set(error, GOFH_ERROR_ARGUMENT, "parameter \"%s\" is a choice: its prior can't be %s",
                         parameter, prior == GOFH_PRIOR_NORMAL ? "normal" : "lognormal");
    infer_prior made = {prior, location, spread};
    domain box = {.d = problem->d, .lower = problem->lower, .upper = problem->upper, .scale = problem->scale};
    if (!(prior_mass(&made, &box, k) > MASS_MIN))
        return error_set(error, GOFH_ERROR_ARGUMENT,
                         "the prior of parameter \"%s\" has next to nothing within its bounds %g to %g",
                         parameter, problem->lower[k], problem->upper[k]);
    problem->prior[k] = made;
    return GOFH_OK;
}

double problem_likelihood_factor(const gofh_problem *problem)
{
    if (problem->is_log_likelihood) return 1.0;
    for (size_t i = 0; i < problem->fit_count; i++)
        if (problem->fit[i].loss == GOFH_LOSS_HUBER) return 0.5; /* f is -2 times a log likelihood */
    return 0.0;
}

const char *problem_no_likelihood(const gofh_problem *problem)
{
    if (problem->is_log_likelihood) return NULL;
    if (problem->fit_count == 0)
        return "a posterior needs data with a likelihood: write the objective as a fit, "
               "objective: {fit: {output: data}}, and give the data a sigma if it is known";
    for (size_t i = 0; i < problem->fit_count; i++) {
        const problem_fit *fit = &problem->fit[i];
        int huber = problem_likelihood_factor(problem) > 0.0;
        if (huber && !problem->data.items[fit->data].has_sigma)
            return "a posterior by Huber's loss needs the sigma of all data: give it, or leave \"loss: "
                   "huber\" "
                   "out";
    }
    return NULL;
}
