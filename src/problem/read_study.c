#include "problem/reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static gofh_status read_seed(reader *r, const yaml_node *node, uint64_t *seed)
{
    double number;
    gofh_status status = reader_number(r, node, "seed", &number);
    if (status) return status;
    errno = 0;
    unsigned long long whole = strtoull(node->text, NULL, 10);
    if (node->text[strspn(node->text, "0123456789")] != '\0' || errno == ERANGE)
        return reader_fail(r, node, "seed must be a whole number from 0 to 18446744073709551615, not %.60s",
                           node->text);
    *seed = whole;
    return GOFH_OK;
}

static gofh_status read_method(reader *r, const yaml_node *node, const char **method)
{
    enum { METHODS_MAX = 32 };
    const char *names[METHODS_MAX + 1] = {NULL};
    int chosen = 0;
    for (int i = 0; i < METHODS_MAX && gofh_method_name(i); i++) names[i] = gofh_method_name(i);
    gofh_status status = reader_choice(r, node, "method", names, &chosen);
    if (!status) *method = names[chosen];
    return status;
}

static gofh_status read_design(reader *r, const yaml_node *node, gofh_design *design)
{
    static const char *const names[] = {"uniform", "sobol", NULL};
    int chosen = 0;
    gofh_status status = reader_choice(r, node, "design", names, &chosen);
    *design = chosen ? GOFH_DESIGN_SOBOL : GOFH_DESIGN_UNIFORM;
    return status;
}

static gofh_status read_stop(reader *r, const yaml_node *node, gofh_stopping *stop)
{
    static const char *const names[] = {"auto", "never", NULL};
    int chosen = 0;
    gofh_status status = reader_choice(r, node, "stop", names, &chosen);
    *stop = chosen ? GOFH_STOPPING_NEVER : GOFH_STOPPING_AUTO;
    return status;
}

/* Both or neither; without patience, a tolerance has one of three. */
static gofh_status read_patience(reader *r, const yaml_node *section)
{
    const yaml_node *tolerance = yaml_get(section, "tolerance"), *patience = yaml_get(section, "patience");
    if (!tolerance && !patience) return GOFH_OK;
    if (!tolerance) {
        reader_fail(r, yaml_key(section, "patience"), "patience needs a tolerance");
        return reader_hint(r, "add tolerance: the improvement below which the study ends");
    }
    gofh_status status = reader_number(r, tolerance, "tolerance", &r->file->settings.tolerance);
    if (!status && !(r->file->settings.tolerance > 0.0))
        status = reader_fail(r, tolerance, "tolerance must be above 0, not %.60s", tolerance->text);
    r->file->settings.patience = 3;
    if (!status && patience)
        status = reader_integer(r, patience, "patience", 1, 1000000, &r->file->settings.patience);
    return status;
}

gofh_status read_study(reader *r, const yaml_node *section)
{
    static const char *const keys[] = {"budget", "seed",      "method",   "threads",    "initial", "design",
                                       "target", "tolerance", "patience", "wall_clock", "stop",    NULL};
    static const struct {
        const char *key;
        int low, high;
        size_t offset;
    } integers[] = {
        {"budget", 0, 1000000, offsetof(gofh_settings, budget)},
        {"threads", 1, 64, offsetof(gofh_settings, threads)},
        {"initial", 0, 1000000, offsetof(gofh_settings, initial)},
    };
    gofh_settings *settings = &r->file->settings;
    gofh_status status = reader_mapping(r, section, "study", keys);
    for (int i = 0; i < 3 && !status; i++) {
        const yaml_node *node = yaml_get(section, integers[i].key);
        int *value = (int *)(void *)((char *)settings + integers[i].offset);
        if (node) status = reader_integer(r, node, integers[i].key, integers[i].low, integers[i].high, value);
    }
    const yaml_node *node;
    if (!status && (node = yaml_get(section, "seed"))) status = read_seed(r, node, &settings->seed);
    if (!status && (node = yaml_get(section, "method"))) status = read_method(r, node, &settings->method);
    if (!status && (node = yaml_get(section, "design"))) status = read_design(r, node, &settings->design);
    if (!status && (node = yaml_get(section, "stop"))) status = read_stop(r, node, &settings->stop);
    if (!status && (node = yaml_get(section, "target")))
        status = reader_number(r, node, "target", &settings->target);
    if (!status && (node = yaml_get(section, "wall_clock")))
        status = reader_seconds(r, node, "wall_clock", &r->file->wall_clock);
    return status ? status : read_patience(r, section);
}
