#include "problem/parameter.h"

#include "base/domain.h"
#include "base/number.h"
#include "problem/scalar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void parameter_clear(problem_parameter *p)
{
    free(p->name);
    free(p->values);
    for (int i = 0; p->words && i < p->count; i++) free(p->words[i]);
    free(p->words);
    *p = (problem_parameter){.name = NULL};
}

void parameter_write(const problem_parameter *p, double value, char text[PARAMETER_TEXT])
{
    int i = (int)value;
    if (p->words && value == i && i >= 0 && i < p->count)
        snprintf(text, PARAMETER_TEXT, "%s", p->words[i]);
    else
        number_write(value, text);
}

/* The parameter as the only one of a domain. */
static domain domain_of(const problem_parameter *p, domain_parameter *kind)
{
    *kind = (domain_parameter){.width = 1, .count = p->count, .step = p->step, .values = p->values};
    switch (p->kind) {
    case PARAMETER_INTERVAL:
        kind->count = 0;
        break;
    case PARAMETER_GRID:
        kind->kind = DOMAIN_ORDERED;
        kind->count = (int)(floor((p->upper - p->lower) / p->step + 0.5)) + 1;
        break;
    case PARAMETER_VALUES:
        kind->kind = DOMAIN_ORDERED;
        break;
    case PARAMETER_CHOICES:
        kind->kind = DOMAIN_CHOICE;
        break;
    case PARAMETER_FIXED:
        kind->kind = DOMAIN_FIXED;
        kind->count = 1;
        kind->values = NULL;
        break;
    }
    return (domain){
        .d = 1, .lower = &p->lower, .upper = &p->upper, .scale = &p->scale, .parameters = 1, .kinds = kind};
}

static bool read_word(const problem_parameter *p, const char *text, double *value, char *why, size_t size)
{
    char list[200] = "";
    size_t at = 0;
    for (int i = 0; i < p->count; i++) {
        if (strcmp(p->words[i], text) == 0) {
            *value = i;
            if (p->kind != PARAMETER_FIXED || i == (int)p->lower) return true;
        }
        if (at < sizeof list - 1)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i ? ", " : "", p->words[i]);
    }
    if (p->kind == PARAMETER_FIXED)
        snprintf(why, size, "\"%.60s\" is not %s, at which parameter \"%s\" is fixed", text,
                 p->words[(int)p->lower], p->name);
    else
        snprintf(why, size, "\"%.60s\" is not a choice of parameter \"%s\": it has %s", text, p->name, list);
    return false;
}

enum { PARAMETER_DIGITS = 10 };

int parameter_digits(double value, double lower, double upper)
{
    return number_digits_apart(value, value < lower ? lower : upper, PARAMETER_DIGITS);
}

bool parameter_read(const problem_parameter *p, const char *text, double *value, char *why, size_t size)
{
    if (p->words) return read_word(p, text, value, why, size);
    if (!scalar_number(text, value) || !isfinite(*value)) {
        snprintf(why, size, "\"%.60s\" is not a value of parameter \"%s\": it must be a number", text,
                 p->name);
        return false;
    }
    domain_parameter kind;
    domain one = domain_of(p, &kind);
    double given = *value;
    if (domain_allows(&one, 0, given, value)) return true;
    int digits = parameter_digits(given, p->lower, p->upper);
    if (p->kind == PARAMETER_FIXED) {
        number_format(why, size, "value %.*g of parameter \"%s\" is not its fixed value %.*g", digits, given,
                      p->name, digits, p->lower);
    } else if (!(given >= p->lower && given <= p->upper)) {
        number_format(why, size, "value %.*g of parameter \"%s\" is outside its bounds %.*g to %.*g", digits,
                      given, p->name, digits, p->lower, digits, p->upper);
    } else {
        double nearest = domain_value(&one, 0, domain_nearest(&one, 0, given));
        digits = number_digits_apart(given, nearest, PARAMETER_DIGITS);
        number_format(why, size,
                      "value %.*g of parameter \"%s\" is not one of its values: the nearest is %.*g", digits,
                      given, p->name, digits, nearest);
    }
    return false;
}

int parameter_list(const problem_parameter *p, int most, double *values)
{
    domain_parameter kind;
    domain one = domain_of(p, &kind);
    if (kind.kind == DOMAIN_INTERVAL) return 0;
    int count = kind.count < most ? kind.count : most;
    for (int i = 0; i < count; i++) {
        int place = count > 1 ? (int)((long long)i * (kind.count - 1) / (count - 1)) : 0;
        values[i] = domain_value(&one, 0, place);
    }
    return count;
}

bool parameter_is_wide(const problem_parameter *p)
{
    bool listed = p->kind == PARAMETER_GRID || p->kind == PARAMETER_VALUES;
    return listed && p->scale == GOFH_SCALE_LINEAR && p->lower > 0.0 && p->upper >= 1000.0 * p->lower;
}

void parameter_describe(const problem_parameter *p, char *text, size_t size)
{
    const char *scale = p->scale == GOFH_SCALE_LOG ? ", on a log scale" : "";
    size_t at = 0;
    double ignored;
    char value[PARAMETER_TEXT];
    switch (p->kind) {
    case PARAMETER_INTERVAL:
        number_format(text, size, "%g to %g%s", p->lower, p->upper, scale);
        break;
    case PARAMETER_GRID:
        if (p->step == 1.0 && p->lower == floor(p->lower))
            number_format(text, size, "%.10g to %.10g, whole numbers%s", p->lower, p->upper, scale);
        else
            number_format(text, size, "%g to %g in steps of %g%s", p->lower, p->upper, p->step, scale);
        break;
    case PARAMETER_VALUES:
    case PARAMETER_CHOICES:
        text[0] = '\0';
        for (int i = 0; i < p->count && at < size - 1; i++) {
            parameter_write(p, p->values ? p->values[i] : i, value);
            const char *quote = p->words && scalar_number(value, &ignored) ? "\"" : "";
            at += (size_t)snprintf(text + at, size - at, "%s%s%s%s", i ? ", " : "", quote, value, quote);
        }
        if (at < size - 1) snprintf(text + at, size - at, "%s%s", p->ordered ? ", in this order" : "", scale);
        break;
    case PARAMETER_FIXED:
        parameter_write(p, p->lower, value);
        snprintf(text, size, p->words && scalar_number(value, &ignored) ? "fixed at \"%s\"" : "fixed at %s",
                 value);
        break;
    }
}
