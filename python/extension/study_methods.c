/* The methods of gofh._gofh.Study: each is the call of gofh.h with its name. */
#include "extension/study.h"

/* Whatever interrupts the caller once this has returned, a trial that was made is in the list. */
static int append_made(PyObject *made, int64_t trial, PyObject *array)
{
    PyObject *pair = Py_BuildValue("(LO)", (long long)trial, array);
    int failed = !pair || PyList_Append(made, pair);
    Py_XDECREF(pair);
    return failed;
}

static PyObject *ask(PyObject *object, PyObject *args)
{
    study_object *self = (study_object *)object;
    PyObject *array, *made;
    doubles x;
    gofh_status status = GOFH_OK;
    if (!PyArg_ParseTuple(args, "OO!", &array, &PyList_Type, &made)) return NULL;
    int failed = take_doubles(&x, array, self->d, 1, 0) || study_enter_call(self);
    if (!failed) {
        int64_t trial = 0;
        STUDY_CALL(status, gofh_study_ask(self->study, &trial, x.values));
        failed = study_leave_call(self, status) || (status == GOFH_OK && append_made(made, trial, array));
    }
    release_doubles(&x);
    return failed ? NULL : PyLong_FromLong(status);
}

static PyObject *enqueue(PyObject *object, PyObject *array)
{
    study_object *self = (study_object *)object;
    doubles x;
    int failed = take_doubles(&x, array, self->d, 0, 0) || study_enter_call(self);
    if (!failed) {
        gofh_status status;
        STUDY_CALL(status, gofh_study_enqueue(self->study, x.values));
        failed = study_leave_call(self, status);
    }
    release_doubles(&x);
    return failed ? NULL : Py_NewRef(Py_None);
}

static PyObject *enqueue_missing(PyObject *object, PyObject *args)
{
    study_object *self = (study_object *)object;
    int points;
    PyObject *array;
    doubles x = {0};
    if (!PyArg_ParseTuple(args, "iO", &points, &array)) return NULL;
    int failed = take_doubles(&x, array, (Py_ssize_t)points * self->d, 0, 0) || study_enter_call(self);
    if (!failed) {
        gofh_status status;
        STUDY_CALL(status, gofh_study_enqueue_missing(self->study, x.values, points));
        failed = study_leave_call(self, status);
    }
    release_doubles(&x);
    return failed ? NULL : Py_NewRef(Py_None);
}

static PyObject *queued(PyObject *object, PyObject *unused)
{
    (void)unused;
    study_object *self = (study_object *)object;
    if (study_enter_call(self)) return NULL;
    int64_t points = gofh_study_queued(self->study);
    return study_leave_call(self, GOFH_OK) ? NULL : PyLong_FromLongLong(points);
}

static PyObject *tell(PyObject *object, PyObject *args)
{
    study_object *self = (study_object *)object;
    long long trial;
    int replace = 0;
    PyObject *array, *noise;
    doubles y = {0}, variance = {0};
    if (!PyArg_ParseTuple(args, "LOO|p", &trial, &array, &noise, &replace)) return NULL;
    int failed = take_doubles(&y, array, self->m, 0, 0) || take_doubles(&variance, noise, self->m, 0, 1) ||
                 study_enter_call(self);
    if (!failed) {
        gofh_status status;
        STUDY_CALL(status, replace ? gofh_study_replace(self->study, trial, y.values, variance.values, NULL)
                                   : gofh_study_tell_noisy(self->study, trial, y.values, variance.values));
        failed = study_leave_call(self, status);
    }
    release_doubles(&y);
    release_doubles(&variance);
    return failed ? NULL : Py_NewRef(Py_None);
}

static PyObject *fail(PyObject *object, PyObject *args)
{
    study_object *self = (study_object *)object;
    long long trial;
    int replace = 0;
    const char *reason;
    if (!PyArg_ParseTuple(args, "Ls|p", &trial, &reason, &replace) || study_enter_call(self)) return NULL;
    gofh_status status;
    STUDY_CALL(status, replace ? gofh_study_replace(self->study, trial, NULL, NULL, reason)
                               : gofh_study_fail(self->study, trial, reason));
    return study_leave_call(self, status) ? NULL : Py_NewRef(Py_None);
}

static PyObject *forget(PyObject *object, PyObject *args)
{
    study_object *self = (study_object *)object;
    long long trial;
    int leave_out;
    if (!PyArg_ParseTuple(args, "Lp", &trial, &leave_out) || study_enter_call(self)) return NULL;
    gofh_status status;
    STUDY_CALL(status, gofh_study_forget(self->study, trial, leave_out));
    return study_leave_call(self, status) ? NULL : Py_NewRef(Py_None);
}

static PyObject *import(PyObject *object, PyObject *args)
{
    study_object *self = (study_object *)object;
    PyObject *x_array, *y_array, *noise;
    const char *reason;
    doubles x = {0}, y = {0}, variance = {0};
    int64_t trial = 0;
    if (!PyArg_ParseTuple(args, "OOOs", &x_array, &y_array, &noise, &reason)) return NULL;
    int failed = take_doubles(&x, x_array, self->d, 0, 0) || take_doubles(&y, y_array, self->m, 0, 1) ||
                 take_doubles(&variance, noise, self->m, 0, 1) || study_enter_call(self);
    if (!failed) {
        gofh_status status;
        const gofh_evaluation one = {
            .x = x.values, .y = y.values, .variance = variance.values, .reason = reason};
        STUDY_CALL(status, gofh_study_import_all(self->study, &one, 1, &trial));
        failed = study_leave_call(self, status);
    }
    release_doubles(&x);
    release_doubles(&y);
    release_doubles(&variance);
    return failed ? NULL : PyLong_FromLongLong(trial);
}

static PyObject *count(PyObject *object, PyObject *unused)
{
    (void)unused;
    study_object *self = (study_object *)object;
    if (study_enter_call(self)) return NULL;
    int64_t trials = gofh_study_count(self->study);
    return study_leave_call(self, GOFH_OK) ? NULL : PyLong_FromLongLong(trials);
}

void study_copy(double *to, const double *from, int length)
{
    for (int i = 0; from && i < length; i++) to[i] = from[i];
}

/* (number, state, imported, origin, expected, reason, whether variances are known, f, feasible), with
 * x, y and those filled in. */
static PyObject *describe_trial(const study_object *self, const gofh_trial *trial, double *x, double *y,
                                double *variance)
{
    static const char *const STATES[] = {"open", "done", "failed", "forgotten"};
    study_copy(x, trial->x, self->d);
    study_copy(y, trial->y, self->m);
    study_copy(variance, trial->variance, self->m);
    return Py_BuildValue("(LsNsdNNdd)", (long long)trial->trial, STATES[trial->state],
                         PyBool_FromLong(trial->imported), trial->origin, trial->expected,
                         text_of(trial->reason), PyBool_FromLong(trial->variance != NULL), trial->f,
                         trial->feasible);
}

/* Of trial `number`; the best one for 0. */
static PyObject *trial_or_best(study_object *self, long long number, PyObject *x_array, PyObject *y_array,
                               PyObject *noise)
{
    doubles x = {0}, y = {0}, variance = {0};
    PyObject *result = NULL;
    int failed = take_doubles(&x, x_array, self->d, 1, 0) || take_doubles(&y, y_array, self->m, 1, 0) ||
                 take_doubles(&variance, noise, self->m, 1, 0) || study_enter_call(self);
    if (!failed) {
        gofh_trial found;
        gofh_status status;
        STUDY_CALL(status, number ? gofh_study_trial(self->study, number, &found)
                                  : gofh_study_best(self->study, &found));
        if (!status) result = describe_trial(self, &found, x.values, y.values, variance.values);
        if (study_leave_call(self, status)) Py_CLEAR(result);
    }
    release_doubles(&x);
    release_doubles(&y);
    release_doubles(&variance);
    return result;
}

static PyObject *trial(PyObject *object, PyObject *args)
{
    long long number;
    PyObject *x, *y, *variance;
    if (!PyArg_ParseTuple(args, "LOOO", &number, &x, &y, &variance)) return NULL;
    /* 0 would be the best one. */
    return trial_or_best((study_object *)object, number ? number : -1, x, y, variance);
}

static PyObject *best(PyObject *object, PyObject *args)
{
    PyObject *x, *y, *variance;
    if (!PyArg_ParseTuple(args, "OOO", &x, &y, &variance)) return NULL;
    return trial_or_best((study_object *)object, 0, x, y, variance);
}

static PyObject *margin(PyObject *object, PyObject *args)
{
    study_object *self = (study_object *)object;
    int number;
    PyObject *x_array, *y_array;
    doubles x = {0}, y = {0};
    double value = 0.0;
    if (!PyArg_ParseTuple(args, "iOO", &number, &x_array, &y_array)) return NULL;
    int failed = take_doubles(&x, x_array, self->d, 0, 0) || take_doubles(&y, y_array, self->m, 0, 0) ||
                 study_enter_call(self);
    if (!failed) {
        gofh_status status;
        STUDY_CALL(status, gofh_study_margin(self->study, number, x.values, y.values, &value));
        failed = study_leave_call(self, status);
    }
    release_doubles(&x);
    release_doubles(&y);
    return failed ? NULL : PyFloat_FromDouble(value);
}

/* A list of `count` tuples (output, data's name or None, value, deviation). */
static PyObject *list_comparisons(const gofh_comparison *found, int count)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < count; i++) {
        PyObject *item = Py_BuildValue("(izdd)", found[i].output, found[i].data, found[i].value,
                                       found[i].deviation);
        if (!item || PyList_Append(list, item)) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *comparisons(PyObject *object, PyObject *unused)
{
    (void)unused;
    study_object *self = (study_object *)object;
    gofh_comparison *found = NULL;
    PyObject *list = NULL;
    int count = 0;
    if (study_enter_call(self)) return NULL;
    gofh_status status = gofh_study_comparisons(self->study, NULL, 0, &count);
    if (!status && count) {
        found = PyMem_Calloc((size_t)count, sizeof *found);
        status = found ? gofh_study_comparisons(self->study, found, count, &count) : GOFH_ERROR_MEMORY;
    }
    if (!status) list = list_comparisons(found, count);
    PyMem_Free(found);
    if (study_leave_call(self, status)) Py_CLEAR(list);
    return list;
}

static PyObject *log_lines(PyObject *object, PyObject *unused)
{
    (void)unused;
    study_object *self = (study_object *)object;
    if (study_enter_call(self)) return NULL;
    PyObject *lines = PyList_New(0);
    const char *line;
    for (int i = 0; lines && (line = gofh_study_log(self->study, i)); i++) {
        PyObject *text = text_of(line);
        if (!text || PyList_Append(lines, text)) Py_CLEAR(lines);
        Py_XDECREF(text);
    }
    return study_leave_call(self, GOFH_OK) ? NULL : lines;
}

static PyObject *save(PyObject *object, PyObject *path)
{
    study_object *self = (study_object *)object;
    const char *text = PyUnicode_AsUTF8AndSize(path, NULL);
    if (!text || study_enter_call(self)) return NULL;
    gofh_status status;
    STUDY_CALL(status, gofh_study_save(self->study, text));
    return study_leave_call(self, status) ? NULL : Py_NewRef(Py_None);
}

static PyObject *note(PyObject *object, PyObject *args)
{
    study_object *self = (study_object *)object;
    long long number;
    const char *name;
    if (!PyArg_ParseTuple(args, "Ls", &number, &name) || study_enter_call(self)) return NULL;
    const char *text = gofh_study_note(self->study, number, name);
    PyObject *result = text ? text_of(text) : Py_NewRef(Py_None);
    return study_leave_call(self, GOFH_OK) ? NULL : result;
}

static PyObject *set_note(PyObject *object, PyObject *args)
{
    study_object *self = (study_object *)object;
    long long number;
    const char *name, *value;
    if (!PyArg_ParseTuple(args, "Lsz", &number, &name, &value) || study_enter_call(self)) return NULL;
    gofh_status status;
    STUDY_CALL(status, gofh_study_set_note(self->study, number, name, value));
    return study_leave_call(self, status) ? NULL : Py_NewRef(Py_None);
}

static PyObject *close_study(PyObject *object, PyObject *unused)
{
    (void)unused;
    study_object *self = (study_object *)object;
    if (!self->study) return Py_NewRef(Py_None);
    if (study_enter_call(self)) return NULL;
    gofh_study_free(self->study);
    self->study = NULL;
    PyThread_release_lock(self->lock);
    return Py_NewRef(Py_None);
}

PyMethodDef study_methods[] = {
    {"ask", ask, METH_VARARGS,
     "Fills x and appends the trial and x to a list; or gives the status of a stop."},
    {"enqueue", enqueue, METH_O, NULL},
    {"enqueue_missing", enqueue_missing, METH_VARARGS, NULL},
    {"queued", queued, METH_NOARGS, NULL},
    {"tell", tell, METH_VARARGS, NULL},
    {"fail", fail, METH_VARARGS, NULL},
    {"forget", forget, METH_VARARGS, NULL},
    {"import_", import, METH_VARARGS, NULL},
    {"count", count, METH_NOARGS, NULL},
    {"trial", trial, METH_VARARGS, NULL},
    {"best", best, METH_VARARGS, NULL},
    {"margin", margin, METH_VARARGS, NULL},
    {"assess", study_assess, METH_NOARGS, NULL},
    {"recommend", study_recommend, METH_VARARGS, NULL},
    {"predict", study_predict, METH_VARARGS, NULL},
    {"predict_objective", study_predict_objective, METH_VARARGS, NULL},
    {"predict_quantiles", study_predict_quantiles, METH_VARARGS, NULL},
    {"posterior", study_posterior, METH_VARARGS, NULL},
    {"leave_one_out", study_leave_one_out, METH_VARARGS, NULL},
    {"acquisition", study_acquisition, METH_VARARGS, NULL},
    {"hyperparameters", study_hyperparameters, METH_VARARGS, NULL},
    {"set_hyperparameters", study_set_hyperparameters, METH_VARARGS, NULL},
    {"comparisons", comparisons, METH_NOARGS, NULL},
    {"log", log_lines, METH_NOARGS, NULL},
    {"report", study_report, METH_VARARGS, NULL},
    {"figures", study_figures, METH_VARARGS, NULL},
    {"save", save, METH_O, NULL},
    {"note", note, METH_VARARGS, NULL},
    {"set_note", set_note, METH_VARARGS, NULL},
    {"close", close_study, METH_NOARGS, NULL},
    {0},
};
