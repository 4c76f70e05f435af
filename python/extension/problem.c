/* Problems, given by Python or read from a problem file. */
#include "extension/extension.h"

#include "problem/problem_file.h"

#include <limits.h>
#include <math.h>

static int describe_values(gofh_problem *problem, const char *name, PyObject *list, gofh_scale scale)
{
    Py_ssize_t count = PyList_Size(list);
    double *values = PyMem_Malloc((size_t)(count > 0 ? count : 1) * sizeof *values);
    if (!values) return PyErr_NoMemory() ? 0 : -1;
    for (Py_ssize_t i = 0; i < count; i++) values[i] = PyFloat_AsDouble(PyList_GetItem(list, i));
    if (!PyErr_Occurred()) gofh_problem_add_values(problem, name, values, (int)count, scale);
    PyMem_Free(values);
    return PyErr_Occurred() ? -1 : 0;
}

static int describe_choices(gofh_problem *problem, const char *name, PyObject *list, int ordered)
{
    Py_ssize_t count = PyList_Size(list);
    const char **words = PyMem_Malloc((size_t)(count > 0 ? count : 1) * sizeof *words);
    int failed = !words;
    if (failed) PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count && !failed; i++)
        failed = !(words[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, i), NULL));
    if (!failed)
        gofh_problem_add_choices(problem, name, words, (int)count,
                                 ordered ? GOFH_ORDER_GIVEN : GOFH_ORDER_NONE);
    PyMem_Free(words);
    return failed ? -1 : 0;
}

/* A parameter that is no interval: kind, step, values, words, ordered. */
static int describe_kind(gofh_problem *problem, const char *name, double lower, double upper,
                         gofh_scale scale, PyObject *kind)
{
    const char *what;
    double step;
    PyObject *values, *words;
    int ordered;
    if (!PyArg_ParseTuple(kind, "sdO!O!p", &what, &step, &PyList_Type, &values, &PyList_Type, &words,
                          &ordered))
        return -1;
    if (PyList_Size(words) > 0 && describe_choices(problem, name, words, ordered)) return -1;
    if (PyList_Size(values) > 0 && describe_values(problem, name, values, scale)) return -1;
    if (what[0] == 'g') gofh_problem_add_grid(problem, name, lower, upper, step, scale);
    if (what[0] == 'f') gofh_problem_fix(problem, name, lower);
    return 0;
}

static int describe_parameters(gofh_problem *problem, PyObject *parameters)
{
    for (Py_ssize_t i = 0; i < PyList_Size(parameters); i++) {
        const char *name;
        double lower, upper;
        int logarithmic;
        PyObject *kind;
        if (!PyArg_ParseTuple(PyList_GetItem(parameters, i), "sddpO", &name, &lower, &upper, &logarithmic,
                              &kind))
            return -1;
        gofh_scale scale = logarithmic ? GOFH_SCALE_LOG : GOFH_SCALE_LINEAR;
        if (kind == Py_None)
            gofh_problem_add_parameter(problem, name, lower, upper, scale);
        else if (describe_kind(problem, name, lower, upper, scale, kind))
            return -1;
    }
    return 0;
}

/* A number of outputs without names, or a list of names and sizes. */
static int describe_outputs(gofh_problem *problem, PyObject *outputs)
{
    if (PyLong_Check(outputs)) {
        long count = PyLong_AsLong(outputs);
        if (count == -1 && PyErr_Occurred()) return -1;
        gofh_problem_set_outputs(problem, count > INT_MAX ? INT_MAX : (int)count);
        return 0;
    }
    for (Py_ssize_t i = 0; i < PyList_Size(outputs); i++) {
        const char *name;
        int size;
        if (!PyArg_ParseTuple(PyList_GetItem(outputs, i), "si", &name, &size)) return -1;
        gofh_problem_add_output(problem, name, size);
    }
    return PyErr_Occurred() ? -1 : 0;
}

/* Data, or where `set` says so their standard deviations. */
static int describe_numbers(gofh_problem *problem, PyObject *data,
                            gofh_status (*set)(gofh_problem *, const char *, const double *, int))
{
    PyObject *name, *array;
    Py_ssize_t position = 0;
    while (PyDict_Next(data, &position, &name, &array)) {
        doubles values;
        const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
        int failed = !text || take_doubles(&values, array, -1, 0, 0);
        if (!failed) set(problem, text, values.values, (int)(values.view.len / (Py_ssize_t)sizeof(double)));
        if (text) release_doubles(&values);
        if (failed) return -1;
    }
    return 0;
}

/* A variance for each output; NaN: not known. */
static int describe_noise(gofh_problem *problem, PyObject *noise)
{
    doubles variance;
    int failed = take_doubles(&variance, noise, -1, 0, 1);
    for (Py_ssize_t j = 0; !failed && variance.values && j < variance.view.len / (Py_ssize_t)sizeof(double);
         j++)
        if (!isnan(variance.values[j])) gofh_problem_set_noise(problem, (int)j, variance.values[j]);
    release_doubles(&variance);
    return failed;
}

/* A list of names with kind, location and spread. */
static int describe_prior(gofh_problem *problem, PyObject *prior)
{
    for (Py_ssize_t i = 0; i < PyList_Size(prior); i++) {
        const char *name;
        int kind;
        double location, spread;
        if (!PyArg_ParseTuple(PyList_GetItem(prior, i), "sidd", &name, &kind, &location, &spread)) return -1;
        gofh_problem_set_prior(problem, name, (gofh_prior)kind, location, spread);
    }
    return 0;
}

int describe_problem(gofh_problem *problem, PyObject *parameters, PyObject *outputs, PyObject *data,
                     PyObject *sigma, PyObject *constraints, PyObject *noise, PyObject *missing,
                     PyObject *prior, PyObject *discrepancy)
{
    if (describe_parameters(problem, parameters) || describe_prior(problem, prior) ||
        describe_outputs(problem, outputs) || describe_numbers(problem, data, gofh_problem_set_data) ||
        describe_numbers(problem, sigma, gofh_problem_set_sigma) ||
        describe_numbers(problem, discrepancy, gofh_problem_set_discrepancy))
        return -1;
    for (Py_ssize_t i = 0; i < PyList_Size(constraints); i++) {
        const char *text = PyUnicode_AsUTF8AndSize(PyList_GetItem(constraints, i), NULL);
        if (!text) return -1;
        gofh_problem_add_constraint(problem, text);
    }
    for (Py_ssize_t i = 0; i < PyList_Size(missing); i++) {
        long output = PyLong_AsLong(PyList_GetItem(missing, i));
        if (output == -1 && PyErr_Occurred()) return -1;
        gofh_problem_allow_missing(problem, output > INT_MAX ? INT_MAX : (int)output);
    }
    return describe_noise(problem, noise);
}

/* ---- Problem files ---- */

static PyObject *list_of_doubles(const double *values, int count)
{
    PyObject *list = PyList_New(count);
    for (int i = 0; list && i < count; i++) {
        PyObject *value = PyFloat_FromDouble(values[i]);
        if (!value || PyList_SetItem(list, i, value)) Py_CLEAR(list);
    }
    return list;
}

/* Appends, and takes the item over. */
static int append(PyObject *list, PyObject *item)
{
    int failed = !list || !item || PyList_Append(list, item);
    Py_XDECREF(item);
    return failed;
}

/* As describe_kind takes it, for each parameter; None of an interval. */
static PyObject *kinds_of(const problem_file *file)
{
    static const char *const names[] = {"", "grid", "values", "choices", "fixed"};
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < file->parameter_count; i++) {
        const problem_parameter *p = &file->parameters[i];
        PyObject *words = PyList_New(0), *one = NULL;
        for (int k = 0; words && p->words && k < p->count; k++)
            if (append(words, PyUnicode_FromString(p->words[k]))) Py_CLEAR(words);
        int values = p->kind == PARAMETER_VALUES ? p->count : 0;
        if (words && p->kind == PARAMETER_INTERVAL)
            one = Py_NewRef(Py_None);
        else if (words)
            one = Py_BuildValue("(sdNOO)", names[p->kind], p->step, list_of_doubles(p->values, values), words,
                                p->ordered ? Py_True : Py_False);
        Py_XDECREF(words);
        if (append(list, one)) Py_CLEAR(list);
    }
    return list;
}

static PyObject *parameters_of(const problem_file *file)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < file->parameter_count; i++) {
        const problem_parameter *p = &file->parameters[i];
        PyObject *logarithmic = PyBool_FromLong(p->scale == GOFH_SCALE_LOG);
        if (append(list, Py_BuildValue("(sddN)", p->name, p->lower, p->upper, logarithmic))) Py_CLEAR(list);
    }
    return list;
}

static PyObject *starts_of(const problem_file *file)
{
    PyObject *list = PyList_New(0);
    int d = file->parameter_count;
    for (int i = 0; list && i < file->start_count; i++)
        if (append(list, list_of_doubles(file->starts + (size_t)i * (size_t)d, d))) Py_CLEAR(list);
    return list;
}

static PyObject *outputs_of(const problem_file *file)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < file->output_count; i++)
        if (append(list, Py_BuildValue("(si)", file->outputs[i].name, file->outputs[i].size))) Py_CLEAR(list);
    return list;
}

static PyObject *noise_of(const problem_file *file)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < file->output_count; i++)
        for (int j = 0; list && j < file->outputs[i].size; j++)
            if (append(list, PyFloat_FromDouble(file->outputs[i].noise))) Py_CLEAR(list);
    return list;
}

static PyObject *data_of(const problem_file *file)
{
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < file->data_count; i++) {
        PyObject *values = list_of_doubles(file->data[i].values, file->data[i].size);
        if (!values || PyDict_SetItemString(dict, file->data[i].name, values)) Py_CLEAR(dict);
        Py_XDECREF(values);
    }
    return dict;
}

static PyObject *constraints_of(const problem_file *file)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < file->constraint_count; i++)
        if (append(list, PyUnicode_FromString(file->constraints[i]))) Py_CLEAR(list);
    return list;
}

static PyObject *sigma_of(const problem_file *file)
{
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < file->data_count; i++) {
        const problem_data *data = &file->data[i];
        if (!data->sigma) continue;
        PyObject *values = list_of_doubles(data->sigma, data->sigma_size);
        if (!values || PyDict_SetItemString(dict, data->name, values)) Py_CLEAR(dict);
        Py_XDECREF(values);
    }
    return dict;
}

/* Where the data were measured that have a discrepancy. */
static PyObject *discrepancy_of(const problem_file *file)
{
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < file->data_count; i++) {
        const problem_data *data = &file->data[i];
        if (!data->discrepancy) continue;
        PyObject *values = list_of_doubles(data->at, data->size);
        if (!values || PyDict_SetItemString(dict, data->name, values)) Py_CLEAR(dict);
        Py_XDECREF(values);
    }
    return dict;
}

/* Of each curve: its output, the name of its places, where it is wanted, and whether it is extended. */
static PyObject *curves_of(const problem_file *file)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < file->output_count; i++) {
        const problem_output *output = &file->outputs[i];
        if (!output->at_name) continue;
        PyObject *at = list_of_doubles(file->data[output->data].at, output->size);
        PyObject *extend = PyBool_FromLong(output->extend);
        if (append(list, Py_BuildValue("(ssNN)", output->name, output->at_name, at, extend))) Py_CLEAR(list);
    }
    return list;
}

static PyObject *text_or_none(const char *text)
{
    return text ? PyUnicode_FromString(text) : Py_NewRef(Py_None);
}

/* Of data of which more is known than values: name, places or None, their name, unit, label. */
static PyObject *places_of(const problem_file *file)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < file->data_count; i++) {
        const problem_data *data = &file->data[i];
        if (!data->at && !data->unit && !data->label) continue;
        PyObject *at = data->at ? list_of_doubles(data->at, data->size) : Py_NewRef(Py_None);
        if (append(list, Py_BuildValue("(sNNNN)", data->name, at, text_or_none(data->at_name),
                                       text_or_none(data->unit), text_or_none(data->label))))
            Py_CLEAR(list);
    }
    return list;
}

/* The names of outputs that may be missing. */
static PyObject *missing_of(const problem_file *file)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < file->output_count; i++)
        if (file->outputs[i].missing && append(list, PyUnicode_FromString(file->outputs[i].name)))
            Py_CLEAR(list);
    return list;
}

/* The pairs of a fit as set_objective takes them, or the expression. */
static PyObject *objective_of(const problem_file *file)
{
    if (file->fit_count == 0) return PyUnicode_FromString(file->objective);
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < file->fit_count; i++) {
        const problem_pair *pair = &file->fits[i];
        if (append(list,
                   Py_BuildValue("(ssiid)", file->outputs[pair->output].name, file->data[pair->data].name,
                                 (int)pair->residual, (int)pair->loss, pair->threshold)))
            Py_CLEAR(list);
    }
    return list;
}

/* As describe_prior takes them, without those that are uniform. */
static PyObject *prior_of(const problem_file *file)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < file->parameter_count; i++) {
        const problem_parameter *p = &file->parameters[i];
        if (p->prior == GOFH_PRIOR_UNIFORM) continue;
        if (append(list, Py_BuildValue("(sidd)", p->name, (int)p->prior, p->location, p->spread)))
            Py_CLEAR(list);
    }
    return list;
}

PyObject *read_problem(PyObject *module, PyObject *path)
{
    (void)module;
    const char *text = PyUnicode_AsUTF8AndSize(path, NULL);
    if (!text) return NULL;
    problem_file file;
    problem_error error = {0};
    gofh_status status;
    Py_BEGIN_ALLOW_THREADS
    status = problem_file_read(&file, text, &error);
    Py_END_ALLOW_THREADS
    if (status) {
        char message[sizeof error + 64];
        problem_error_text(&error, message, sizeof message);
        return raise_status(status, message);
    }
    PyObject *description = Py_BuildValue(
        "{s:N,s:O,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:s,s:N,s:N}", "discrepancy",
        discrepancy_of(&file), "log_likelihood", file.log_likelihood ? Py_True : Py_False, "places",
        places_of(&file), "kinds", kinds_of(&file), "prior", prior_of(&file), "parameters",
        parameters_of(&file), "starts", starts_of(&file), "outputs", outputs_of(&file), "data",
        data_of(&file), "sigma", sigma_of(&file), "missing", missing_of(&file), "curves", curves_of(&file),
        "constraints", constraints_of(&file), "objective", objective_of(&file), "sense",
        file.sense == GOFH_MAXIMIZE ? "maximize" : "minimize", "noise", noise_of(&file), "settings",
        settings_to_dict(&file.settings));
    problem_file_free(&file);
    return description;
}
