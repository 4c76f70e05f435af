#include "extension/extension.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

typedef enum { SEED, METHOD, WHOLE, REAL, CHOICE } kind;

static const char *const DESIGNS[] = {"uniform", "sobol", NULL};
static const char *const KERNELS[] = {"squared-exponential", "matern-5/2", "matern-3/2", NULL};
static const char *const HYPERS[] = {"sample", "map", "fixed", NULL};
static const char *const NOISES[] = {"none", "estimated", NULL};
static const char *const STOPS[] = {"auto", "never", NULL};
static const char *const GOALS[] = {"optimum", "posterior", NULL};

/* Enumerations are as large as an int in the C that gofh.h is for. */
static const struct {
    const char *name;
    kind kind;
    size_t offset;
    const char *const *choices;
} SETTINGS[] = {
#define AT(field) offsetof(gofh_settings, field)
    {"seed", SEED, AT(seed), NULL},
    {"threads", WHOLE, AT(threads), NULL},
    {"budget", WHOLE, AT(budget), NULL},
    {"method", METHOD, AT(method), NULL},
    {"initial", WHOLE, AT(initial), NULL},
    {"design", CHOICE, AT(design), DESIGNS},
    {"kernel", CHOICE, AT(kernel), KERNELS},
    {"hyper", CHOICE, AT(hyper), HYPERS},
    {"hyper_samples", WHOLE, AT(hyper_samples), NULL},
    {"noise", CHOICE, AT(noise), NOISES},
    {"target", REAL, AT(target), NULL},
    {"lengthscale_median", REAL, AT(lengthscale_median), NULL},
    {"lengthscale_spread", REAL, AT(lengthscale_spread), NULL},
    {"variance_scale", REAL, AT(variance_scale), NULL},
    {"variance_weight", REAL, AT(variance_weight), NULL},
    {"noise_median", REAL, AT(noise_median), NULL},
    {"noise_spread", REAL, AT(noise_spread), NULL},
    {"memory_limit", REAL, AT(memory_limit), NULL},
    {"tolerance", REAL, AT(tolerance), NULL},
    {"patience", WHOLE, AT(patience), NULL},
    {"stop", CHOICE, AT(stop), STOPS},
    {"goal", CHOICE, AT(goal), GOALS},
#undef AT
};
enum { COUNT = sizeof SETTINGS / sizeof *SETTINGS };

static int take_choice(int *choice, PyObject *value, const char *name, const char *const *choices)
{
    const char *text = PyUnicode_AsUTF8AndSize(value, NULL);
    if (!text) return -1;
    for (int i = 0; choices[i]; i++)
        if (strcmp(choices[i], text) == 0) {
            *choice = i;
            return 0;
        }
    char message[256];
    PyOS_snprintf(message, sizeof message, "unknown %s \"%.60s\": there are %s, %s%s%s", name, text,
                  choices[0], choices[1], choices[2] ? ", " : "", choices[2] ? choices[2] : "");
    raise_status(GOFH_ERROR_ARGUMENT, message);
    return -1;
}

static int take_whole(int *whole, PyObject *value, const char *name)
{
    long number = PyLong_AsLong(value);
    if (number == -1 && PyErr_Occurred()) return -1;
    if (number < INT_MIN || number > INT_MAX) {
        PyErr_Format(PyExc_OverflowError, "setting %s is too large", name);
        return -1;
    }
    *whole = (int)number;
    return 0;
}

static int take_setting(gofh_settings *settings, int i, PyObject *value)
{
    void *field = (char *)settings + SETTINGS[i].offset;
    switch (SETTINGS[i].kind) {
    case SEED:
        *(uint64_t *)field = PyLong_AsUnsignedLongLong(value);
        break;
    case METHOD:
        *(const char **)field = PyUnicode_AsUTF8AndSize(value, NULL);
        break;
    case WHOLE:
        return take_whole(field, value, SETTINGS[i].name);
    case REAL:
        *(double *)field = PyFloat_AsDouble(value);
        break;
    case CHOICE:
        return take_choice(field, value, SETTINGS[i].name, SETTINGS[i].choices);
    }
    return PyErr_Occurred() ? -1 : 0;
}

static int find_setting(PyObject *name)
{
    for (int i = 0; i < COUNT; i++)
        if (PyUnicode_CompareWithASCIIString(name, SETTINGS[i].name) == 0) return i;
    return -1;
}

int settings_from_dict(gofh_settings *settings, PyObject *dict)
{
    gofh_settings_defaults(settings);
    PyObject *name, *value;
    Py_ssize_t position = 0;
    while (PyDict_Next(dict, &position, &name, &value)) {
        int i = PyUnicode_Check(name) ? find_setting(name) : -1;
        if (i < 0) {
            PyErr_Format(PyExc_TypeError, "unknown setting %R: gofh.Settings lists them", name);
            return -1;
        }
        if (take_setting(settings, i, value)) return -1;
    }
    return 0;
}

static PyObject *give_setting(const gofh_settings *settings, int i)
{
    const void *field = (const char *)settings + SETTINGS[i].offset;
    switch (SETTINGS[i].kind) {
    case SEED:
        return PyLong_FromUnsignedLongLong(*(const uint64_t *)field);
    case METHOD:
        return PyUnicode_FromString(*(const char *const *)field);
    case WHOLE:
        return PyLong_FromLong(*(const int *)field);
    case REAL:
        return PyFloat_FromDouble(*(const double *)field);
    case CHOICE:
        return PyUnicode_FromString(SETTINGS[i].choices[*(const int *)field]);
    }
    return NULL;
}

PyObject *settings_to_dict(const gofh_settings *settings)
{
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < COUNT; i++) {
        PyObject *value = give_setting(settings, i);
        if (!value || PyDict_SetItemString(dict, SETTINGS[i].name, value)) Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}
