/* gofh._gofh.Bench: an instance of a benchmark problem. */
#include "extension/extension.h"

#include "bench/problems.h"
#include "bench/replication.h"

#include <string.h>

typedef struct {
    PyObject head;
    bench_instance *instance;
} bench_object;

PyObject *bench_names(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    PyObject *names = PyList_New(0);
    const bench_problem *problem;
    for (int i = 0; names && (problem = bench_problem_at(i)); i++) {
        PyObject *name = PyUnicode_FromString(problem->name);
        if (!name || PyList_Append(names, name)) Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names;
}

static PyObject *bench_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    (void)named;
    const char *name;
    int number;
    if (!PyArg_ParseTuple(args, "si", &name, &number)) return NULL;
    const bench_problem *problem = bench_problem_find(name);
    if (!problem || number < 0) {
        if (problem)
            PyErr_Format(PyExc_ValueError, "instance %d of problem \"%s\": they count from 0", number, name);
        else
            PyErr_Format(PyExc_ValueError, "there is no problem \"%s\": gofh.problems.names() lists them",
                         name);
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    bench_object *self = (bench_object *)allocate(type, 0);
    if (!self) return NULL;
    Py_BEGIN_ALLOW_THREADS
    self->instance = bench_problem_open(problem, number);
    Py_END_ALLOW_THREADS
    if (self->instance) return (PyObject *)self;
    Py_DECREF(self);
    return PyErr_NoMemory();
}

static void bench_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    bench_problem_close(((bench_object *)object)->instance);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static PyObject *list_of(const double *values, int count)
{
    PyObject *list = PyList_New(count);
    for (int i = 0; list && i < count; i++) {
        PyObject *value = PyFloat_FromDouble(values[i]);
        if (!value || PyList_SetItem(list, i, value)) Py_CLEAR(list);
    }
    return list;
}

/* The values of a discrete parameter: (step, numbers, choices), or None. */
static PyObject *values_of(const bench_problem *problem, int k)
{
    if (bench_value_count(problem, k) == 0) return Py_NewRef(Py_None);
    const bench_values *values = &problem->values[k];
    PyObject *choices = PyList_New(0);
    for (int i = 0; choices && values->choices && i < values->count; i++) {
        PyObject *text = PyUnicode_FromString(values->choices[i]);
        if (!text || PyList_Append(choices, text)) Py_CLEAR(choices);
        Py_XDECREF(text);
    }
    return Py_BuildValue("(dNN)", values->step, list_of(values->list, values->list ? values->count : 0),
                         choices);
}

static PyObject *parameters_of(const bench_problem *problem)
{
    PyObject *list = PyList_New(0);
    for (int k = 0; list && k < problem->d; k++) {
        const bench_parameter *p = &problem->parameters[k];
        PyObject *item = Py_BuildValue("(sddNN)", p->name, p->lower, p->upper,
                                       PyBool_FromLong(p->scale == GOFH_SCALE_LOG), values_of(problem, k));
        if (!item || PyList_Append(list, item)) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *data_of(const bench_instance *instance)
{
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < instance->data_count; i++) {
        PyObject *values = list_of(instance->data[i].values, instance->data[i].count);
        if (!values || PyDict_SetItemString(dict, instance->data[i].name, values)) Py_CLEAR(dict);
        Py_XDECREF(values);
    }
    return dict;
}

static PyObject *constraints_of(const bench_problem *problem)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && problem->constraints && problem->constraints[i]; i++) {
        PyObject *text = PyUnicode_FromString(problem->constraints[i]);
        if (!text || PyList_Append(list, text)) Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

static PyObject *describe(PyObject *object, PyObject *unused)
{
    (void)unused;
    const bench_instance *instance = ((bench_object *)object)->instance;
    const bench_problem *p = instance->problem;
    return Py_BuildValue(
        "{s:s,s:N,s:i,s:N,s:s,s:N,s:s,s:N,s:N,s:d,s:d,s:N,s:i,s:N}", "description", p->description,
        "parameters", parameters_of(p), "outputs", p->m, "data", data_of(instance), "objective", p->objective,
        "constraints", constraints_of(p), "sense", p->maximise ? "maximize" : "minimize", "least_squares",
        PyBool_FromLong(p->least_squares), "drawn", PyBool_FromLong(p->drawn), "noise", p->noise, "optimum",
        instance->optimum, "optimiser", list_of(instance->optimiser, p->d), "initial", bench_design_size(p),
        "start", p->start ? list_of(p->start, p->d) : Py_NewRef(Py_None));
}

/* Fills y; whether that worked. */
static PyObject *evaluate(PyObject *object, PyObject *args)
{
    const bench_instance *instance = ((bench_object *)object)->instance;
    PyObject *x_array, *y_array;
    long long evaluation;
    doubles x = {0}, y = {0};
    if (!PyArg_ParseTuple(args, "OLO", &x_array, &evaluation, &y_array)) return NULL;
    int failed = take_doubles(&x, x_array, instance->problem->d, 0, 0) ||
                 take_doubles(&y, y_array, instance->problem->m, 1, 0);
    int refused = 0;
    if (!failed) {
        Py_BEGIN_ALLOW_THREADS
        /* Evaluation 0: without noise. */
        refused = evaluation ? bench_observe(instance, x.values, evaluation, y.values)
                             : instance->problem->h(x.values, y.values, (void *)instance);
        Py_END_ALLOW_THREADS
    }
    release_doubles(&x);
    release_doubles(&y);
    return failed ? NULL : PyBool_FromLong(!refused);
}

static PyObject *value_at(PyObject *object, PyObject *array,
                          double (*function)(const bench_instance *instance, const double *x))
{
    const bench_instance *instance = ((bench_object *)object)->instance;
    doubles x;
    int failed = take_doubles(&x, array, instance->problem->d, 0, 0);
    double value = failed ? 0.0 : function(instance, x.values);
    release_doubles(&x);
    return failed ? NULL : PyFloat_FromDouble(value);
}

static PyObject *regret(PyObject *object, PyObject *array)
{
    return value_at(object, array, bench_regret);
}

static PyObject *log_regret(PyObject *object, PyObject *array)
{
    return value_at(object, array, bench_log_regret);
}

/* g of a batch, with its gradients unless dy and dx are None. */
static PyObject *outer(PyObject *object, PyObject *args)
{
    bench_instance *instance = ((bench_object *)object)->instance;
    int points, refused = 0;
    PyObject *array[5];
    doubles y = {0}, x = {0}, value = {0}, dy = {0}, dx = {0};
    if (!PyArg_ParseTuple(args, "iOOOOO", &points, &array[0], &array[1], &array[2], &array[3], &array[4]))
        return NULL;
    Py_ssize_t n = points, outputs = n * instance->problem->m, parameters = n * instance->problem->d;
    int failed = take_doubles(&y, array[0], outputs, 0, 0) || take_doubles(&x, array[1], parameters, 0, 0) ||
                 take_doubles(&value, array[2], n, 1, 0) || take_doubles(&dy, array[3], outputs, 1, 1) ||
                 take_doubles(&dx, array[4], parameters, 1, 1);
    if (!failed) {
        if (dx.values) memset(dx.values, 0, (size_t)parameters * sizeof *dx.values);
        refused = instance->problem->g(y.values, x.values, points, value.values, dy.values, dx.values,
                                       instance);
    }
    doubles *all[] = {&y, &x, &value, &dy, &dx};
    for (int i = 0; i < 5; i++) release_doubles(all[i]);
    if (failed) return NULL;
    return refused ? raise_status(GOFH_ERROR_OUTER, NULL) : Py_NewRef(Py_None);
}

static PyObject *residuals(PyObject *object, PyObject *args)
{
    const bench_instance *instance = ((bench_object *)object)->instance;
    PyObject *y_array, *residual_array;
    doubles y = {0}, residual = {0};
    if (!PyArg_ParseTuple(args, "OO", &y_array, &residual_array)) return NULL;
    int failed = take_doubles(&y, y_array, instance->problem->m, 0, 0) ||
                 take_doubles(&residual, residual_array, instance->problem->m, 1, 0);
    if (!failed) bench_residuals(instance, y.values, residual.values);
    release_doubles(&y);
    release_doubles(&residual);
    return failed ? NULL : Py_NewRef(Py_None);
}

/* The initial design that all methods of a replication share. */
static PyObject *design(PyObject *object, PyObject *args)
{
    const bench_instance *instance = ((bench_object *)object)->instance;
    unsigned long long seed;
    int rep, start;
    PyObject *array;
    doubles x;
    if (!PyArg_ParseTuple(args, "KiOp", &seed, &rep, &array, &start)) return NULL;
    if (start && !instance->problem->start) {
        PyErr_Format(PyExc_ValueError, "the problem \"%s\" has no start", instance->problem->name);
        return NULL;
    }
    gofh_error error = {0};
    gofh_status status = GOFH_OK;
    int failed = take_doubles(&x, array,
                              (Py_ssize_t)bench_design_size(instance->problem) * instance->problem->d, 1, 0);
    if (!failed) status = bench_design(instance, seed, rep, start, x.values, &error);
    release_doubles(&x);
    if (failed) return NULL;
    return status ? raise_status(status, error.message) : Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    {"describe", describe, METH_NOARGS, NULL}, {"evaluate", evaluate, METH_VARARGS, NULL},
    {"regret", regret, METH_O, NULL},          {"log_regret", log_regret, METH_O, NULL},
    {"outer", outer, METH_VARARGS, NULL},      {"residuals", residuals, METH_VARARGS, NULL},
    {"design", design, METH_VARARGS, NULL},    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_new, bench_new}, {Py_tp_dealloc, bench_dealloc}, {Py_tp_methods, methods}, {0}};
PyType_Spec bench_spec = {.name = "gofh._gofh.Bench",
                          .basicsize = sizeof(bench_object),
                          .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                          .slots = slots};
