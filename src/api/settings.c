#include "api/settings.h"

#include "api/sized.h"
#include "base/error.h"
#include "study/study.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const gofh_settings DEFAULTS = {
    .seed = 1,
    .threads = 1,
    .budget = 60,
    .method = "gofh",
    .initial = -1,
    .design = GOFH_DESIGN_UNIFORM,
    .kernel = GOFH_KERNEL_SQUARED_EXPONENTIAL,
    .hyper = GOFH_HYPER_SAMPLE,
    .hyper_samples = 10,
    .noise = GOFH_NOISE_NONE,
    .target = NAN,
    .lengthscale_median = 0.5,
    .lengthscale_spread = 1.0,
    .variance_scale = 1.0,
    .variance_weight = 1.0,
    .noise_median = 1e-4,
    .noise_spread = 3.0,
    .memory_limit = 4.0 * 1024 * 1024 * 1024,
    .tolerance = 0.0,
    .patience = 0,
    .stop = GOFH_STOPPING_AUTO,
    .goal = GOFH_GOAL_OPTIMUM,
};

void gofh_settings_defaults_sized(gofh_settings *settings, size_t size)
{
    if (settings && size >= sizeof settings->size) sized_give(settings, size, &DEFAULTS, sizeof DEFAULTS);
}

const char *gofh_method_name(int index)
{
    return study_method_name(index);
}

const char *gofh_method_variant(int index)
{
    return study_method_variant(index);
}

static gofh_status check_positive(double value, const char *name, gofh_error *error)
{
    if (value > 0.0 && isfinite(value)) return GOFH_OK;
    return error_set(error, GOFH_ERROR_ARGUMENT, "setting %s is %g: it must be above 0", name, value);
}

static gofh_status check_range(int value, int low, int high, const char *name, gofh_error *error)
{
    if (value >= low && value <= high) return GOFH_OK;
    return error_set(error, GOFH_ERROR_ARGUMENT, "setting %s is %d: it must be %d to %d", name, value, low,
                     high);
}

gofh_status settings_take(const gofh_settings *given, gofh_settings *settings, gofh_error *error)
{
    gofh_settings_defaults(settings);
    if (given) {
        if (sized_check(given->size, "gofh_settings", NULL))
            return error_set(error, GOFH_ERROR_ARGUMENT,
                             "settings of size %zu: call gofh_settings_defaults first", given->size);
        memcpy(settings, given, given->size < sizeof *settings ? given->size : sizeof *settings);
        settings->size = sizeof *settings;
    }
    if (!settings->method || !study_method(settings->method))
        return error_set(
            error, GOFH_ERROR_ARGUMENT,
            "unknown method \"%s\": there are gofh, ei-cf, pi-cf, random-cf, ei, pi, pes and random",
            settings->method ? settings->method : "");
    gofh_status status = check_range(settings->threads, 1, 64, "threads", error);
    if (!status) status = check_range(settings->budget, 0, 1000000, "budget", error);
    if (!status) status = check_range(settings->initial, INT_MIN, 1000000, "initial", error);
    if (!status) status = check_range((int)settings->design, 0, GOFH_DESIGN_SOBOL, "design", error);
    if (!status) status = check_range((int)settings->kernel, 0, GOFH_KERNEL_MATERN_32, "kernel", error);
    if (!status) status = check_range((int)settings->hyper, 0, GOFH_HYPER_FIXED, "hyper", error);
    if (!status) status = check_range(settings->hyper_samples, 1, 1000, "hyper_samples", error);
    if (!status) status = check_range((int)settings->noise, 0, GOFH_NOISE_ESTIMATED, "noise", error);
    if (!status) status = check_positive(settings->lengthscale_median, "lengthscale_median", error);
    if (!status) status = check_positive(settings->lengthscale_spread, "lengthscale_spread", error);
    if (!status) status = check_positive(settings->variance_scale, "variance_scale", error);
    if (!status) status = check_positive(settings->variance_weight, "variance_weight", error);
    if (!status) status = check_positive(settings->noise_median, "noise_median", error);
    if (!status) status = check_positive(settings->noise_spread, "noise_spread", error);
    if (!status) status = check_positive(settings->memory_limit, "memory_limit", error);
    if (!status) status = check_range(settings->patience, 0, 1000000, "patience", error);
    if (!status) status = check_range((int)settings->stop, 0, GOFH_STOPPING_NEVER, "stop", error);
    if (!status) status = check_range((int)settings->goal, 0, GOFH_GOAL_POSTERIOR, "goal", error);
    if (!status && settings->goal == GOFH_GOAL_POSTERIOR && !study_method(settings->method)->parts)
        status = error_set(error, GOFH_ERROR_ARGUMENT,
                           "method \"%s\" searches for the best f alone: for the posterior use \"gofh\"",
                           settings->method);
    if (!status && !(settings->tolerance >= 0.0 && isfinite(settings->tolerance)))
        status = error_set(error, GOFH_ERROR_ARGUMENT, "setting tolerance is %g: it must be 0 or above",
                           settings->tolerance);
    return status;
}
