/* The methods of gofh._gofh.Study: each is the call of gofh.h with its name. */
#include "extension/study.h"

/* The library works without the interpreter's lock. */
#define CALL(status, call)                                                                                   \
    do {                                                                                                     \
        PyThreadState *thread = PyEval_SaveThread();                                                         \
        (status) = (call);                                                                                   \
        PyEval_RestoreThread(thread);                                                                        \
    } while (0)

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
        CALL(status, gofh_study_ask(self->study, &trial, x.values));
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
        CALL(status, gofh_study_enqueue(self->study, x.values));
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
        CALL(status, gofh_study_enqueue_missing(self->study, x.values, points));
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
        CALL(status, replace ? gofh_study_replace(self->study, trial, y.values, variance.values, NULL)
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
    CALL(status, replace ? gofh_study_replace(self->study, trial, NULL, NULL, reason)
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
    CALL(status, gofh_study_forget(self->study, trial, leave_out));
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
        CALL(status, gofh_study_import_all(self->study, &one, 1, &trial));
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

static void copy(double *to, const double *from, int length)
{
    for (int i = 0; from && i < length; i++) to[i] = from[i];
}

/* (number, state, imported, origin, expected, reason, whether variances are known, f, feasible), with
 * x, y and those filled in. */
static PyObject *describe_trial(const study_object *self, const gofh_trial *trial, double *x, double *y,
                                double *variance)
{
    static const char *const STATES[] = {"open", "done", "failed", "forgotten"};
    copy(x, trial->x, self->d);
    copy(y, trial->y, self->m);
    copy(variance, trial->variance, self->m);
    return Py_BuildValue("(LsNsdsNdd)", (long long)trial->trial, STATES[trial->state],
                         PyBool_FromLong(trial->imported), trial->origin, trial->expected, trial->reason,
                         PyBool_FromLong(trial->variance != NULL), trial->f, trial->feasible);
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
        CALL(status,
             number ? gofh_study_trial(self->study, number, &found) : gofh_study_best(self->study, &found));
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
        CALL(status, gofh_study_margin(self->study, number, x.values, y.values, &value));
        failed = study_leave_call(self, status);
    }
    release_doubles(&x);
    release_doubles(&y);
    return failed ? NULL : PyFloat_FromDouble(value);
}

/* (message, success, ended, best_possible, stuck, explained, recent, promised, gained, repeated,
 * bounds). */
static PyObject *assessment_tuple(const gofh_assessment *a, int d)
{
    PyObject *bounds = PyTuple_New(d);
    for (int k = 0; bounds && k < d; k++) {
        PyObject *bound = PyLong_FromLong(a->bound[k]);
        if (!bound || PyTuple_SetItem(bounds, k, bound)) Py_CLEAR(bounds);
    }
    if (!bounds) return NULL;
    return Py_BuildValue("(sNNNNdiddiN)", a->message, PyBool_FromLong(a->success), PyBool_FromLong(a->ended),
                         PyBool_FromLong(a->best_possible), PyBool_FromLong(a->stuck), a->explained,
                         a->recent, a->promised, a->gained, a->repeated, bounds);
}

static PyObject *assess(PyObject *object, PyObject *unused)
{
    (void)unused;
    study_object *self = (study_object *)object;
    gofh_assessment found;
    if (study_enter_call(self)) return NULL;
    gofh_status status;
    CALL(status, gofh_study_assess(self->study, &found));
    PyObject *tuple = status ? NULL : assessment_tuple(&found, self->d);
    if (!study_leave_call(self, status)) return tuple;
    Py_XDECREF(tuple);
    return NULL;
}

/* (f, deviation, whether y was filled in). */
static PyObject *recommend(PyObject *object, PyObject *args)
{
    study_object *self = (study_object *)object;
    PyObject *x_array, *y_array;
    doubles x = {0}, y = {0};
    gofh_recommendation found = {0};
    if (!PyArg_ParseTuple(args, "OO", &x_array, &y_array)) return NULL;
    int known = 0;
    int failed = take_doubles(&x, x_array, self->d, 1, 0) || take_doubles(&y, y_array, self->m, 1, 0) ||
                 study_enter_call(self);
    if (!failed) {
        gofh_status status;
        CALL(status, gofh_study_recommend(self->study, &found));
        if (!status) {
            copy(x.values, found.x, self->d);
            copy(y.values, found.y, self->m);
            known = found.y != NULL;
        }
        failed = study_leave_call(self, status);
    }
    release_doubles(&x);
    release_doubles(&y);
    return failed ? NULL : Py_BuildValue("(ddN)", found.f, found.deviation, PyBool_FromLong(known));
}

static PyObject *predict(PyObject *object, PyObject *args)
{
    study_object *self = (study_object *)object;
    int points;
    PyObject *array[5];
    doubles x = {0}, mean = {0}, variance = {0}, f = {0}, deviation = {0};
    if (!PyArg_ParseTuple(args, "iOOOOO", &points, &array[0], &array[1], &array[2], &array[3], &array[4]))
        return NULL;
    Py_ssize_t n = points, outputs = n * self->m;
    int failed = take_doubles(&x, array[0], n * self->d, 0, 0) ||
                 take_doubles(&mean, array[1], outputs, 1, 1) ||
                 take_doubles(&variance, array[2], outputs, 1, 1) || take_doubles(&f, array[3], n, 1, 1) ||
                 take_doubles(&deviation, array[4], n, 1, 1) || study_enter_call(self);
    if (!failed) {
        gofh_status status;
        CALL(status, gofh_study_predict(self->study, x.values, points, mean.values, variance.values, f.values,
                                        deviation.values));
        failed = study_leave_call(self, status);
    }
    doubles *all[] = {&x, &mean, &variance, &f, &deviation};
    for (int i = 0; i < 5; i++) release_doubles(all[i]);
    return failed ? NULL : Py_NewRef(Py_None);
}

static PyObject *predict_objective(PyObject *object, PyObject *args)
{
    study_object *self = (study_object *)object;
    int points;
    PyObject *array[4];
    doubles x = {0}, objective = {0}, deviation = {0}, feasible = {0};
    if (!PyArg_ParseTuple(args, "iOOOO", &points, &array[0], &array[1], &array[2], &array[3])) return NULL;
    Py_ssize_t n = points;
    int failed = take_doubles(&x, array[0], n * self->d, 0, 0) ||
                 take_doubles(&objective, array[1], n, 1, 0) || take_doubles(&deviation, array[2], n, 1, 0) ||
                 take_doubles(&feasible, array[3], n, 1, 0) || study_enter_call(self);
    if (!failed) {
        gofh_status status;
        CALL(status, gofh_study_predict_objective(self->study, x.values, points, objective.values,
                                                  deviation.values, feasible.values));
        failed = study_leave_call(self, status);
    }
    doubles *all[] = {&x, &objective, &deviation, &feasible};
    for (int i = 0; i < 4; i++) release_doubles(all[i]);
    return failed ? NULL : Py_NewRef(Py_None);
}

static PyObject *predict_quantiles(PyObject *object, PyObject *args)
{
    study_object *self = (study_object *)object;
    int points, levels;
    PyObject *array[4];
    doubles x = {0}, level = {0}, f = {0}, outputs = {0};
    if (!PyArg_ParseTuple(args, "iOiOOO", &points, &array[0], &levels, &array[1], &array[2], &array[3]))
        return NULL;
    Py_ssize_t n = (Py_ssize_t)points * levels;
    int failed = take_doubles(&x, array[0], (Py_ssize_t)points * self->d, 0, 0) ||
                 take_doubles(&level, array[1], levels, 0, 0) || take_doubles(&f, array[2], n, 1, 0) ||
                 take_doubles(&outputs, array[3], n * self->m, 1, 1) || study_enter_call(self);
    if (!failed) {
        gofh_status status;
        CALL(status, gofh_study_predict_quantiles(self->study, x.values, points, level.values, levels,
                                                  f.values, outputs.values));
        failed = study_leave_call(self, status);
    }
    doubles *all[] = {&x, &level, &f, &outputs};
    for (int i = 0; i < 4; i++) release_doubles(all[i]);
    return failed ? NULL : Py_NewRef(Py_None);
}

static PyObject *bytes_of(const double *values, Py_ssize_t count)
{
    return PyBytes_FromStringAndSize((const char *)values, count * (Py_ssize_t)sizeof *values);
}

/* The samples, of parameters and of sigmas. */
static PyObject *samples_of(const gofh_posterior *posterior, Py_ssize_t parameters, Py_ssize_t sigmas)
{
    double *x = PyMem_Calloc((size_t)(parameters + sigmas) + 1, sizeof *x);
    if (!x) return PyErr_NoMemory();
    gofh_posterior_sample(posterior, x, x + parameters);
    PyObject *both = Py_BuildValue("(NN)", bytes_of(x, parameters), bytes_of(x + parameters, sigmas));
    PyMem_Free(x);
    return both;
}

static PyObject *names_of_sigmas(const gofh_posterior_results *r)
{
    PyObject *list = PyList_New(r->sigmas);
    for (int g = 0; list && g < r->sigmas; g++) {
        PyObject *name = PyUnicode_FromString(r->sigma_data[g]);
        if (!name || PyList_SetItem(list, g, name)) Py_CLEAR(list);
    }
    return list;
}

/* ((x, sigma), names of the data with an unknown sigma, message, converged, data, misfit, then as bytes best, mean,
 * deviation, lower, median, upper, data_deviation, correlation, rhat, effective). */
static PyObject *describe_posterior(const gofh_posterior *posterior)
{
    gofh_posterior_results r;
    gofh_posterior_summary(posterior, &r);
    Py_ssize_t d = r.parameters, n = r.samples;
    return Py_BuildValue("(NNsNidNNNNNNNNNN)", samples_of(posterior, n * d, n * r.sigmas),
                         names_of_sigmas(&r), r.message, PyBool_FromLong(r.converged), r.data, r.misfit,
                         bytes_of(r.best, d), bytes_of(r.mean, d), bytes_of(r.deviation, d),
                         bytes_of(r.lower, d), bytes_of(r.median, d), bytes_of(r.upper, d),
                         bytes_of(r.data_deviation, d), bytes_of(r.correlation, d * d), bytes_of(r.rhat, d),
                         bytes_of(r.effective, d));
}

static PyObject *posterior(PyObject *object, PyObject *args)
{
    study_object *self = (study_object *)object;
    int samples;
    if (!PyArg_ParseTuple(args, "i", &samples) || study_enter_call(self)) return NULL;
    gofh_posterior *made = NULL;
    gofh_status status;
    CALL(status, gofh_posterior_create(&made, self->study, samples));
    PyObject *result = made ? describe_posterior(made) : NULL;
    gofh_posterior_free(made);
    if (!study_leave_call(self, status)) return result;
    Py_XDECREF(result);
    return NULL;
}

static PyObject *leave_one_out(PyObject *object, PyObject *args)
{
    study_object *self = (study_object *)object;
    int points;
    PyObject *mean_array, *variance_array;
    doubles mean = {0}, variance = {0};
    if (!PyArg_ParseTuple(args, "iOO", &points, &mean_array, &variance_array)) return NULL;
    Py_ssize_t size = (Py_ssize_t)points * self->m;
    int failed = take_doubles(&mean, mean_array, size, 1, 0) ||
                 take_doubles(&variance, variance_array, size, 1, 0) || study_enter_call(self);
    if (!failed) {
        gofh_status status;
        CALL(status, gofh_study_leave_one_out(self->study, mean.values, variance.values));
        failed = study_leave_call(self, status);
    }
    release_doubles(&mean);
    release_doubles(&variance);
    return failed ? NULL : Py_NewRef(Py_None);
}

static PyObject *acquisition(PyObject *object, PyObject *args)
{
    study_object *self = (study_object *)object;
    int points;
    PyObject *x_array, *value_array;
    doubles x = {0}, value = {0};
    if (!PyArg_ParseTuple(args, "iOO", &points, &x_array, &value_array)) return NULL;
    int failed = take_doubles(&x, x_array, (Py_ssize_t)points * self->d, 0, 0) ||
                 take_doubles(&value, value_array, points, 1, 0) || study_enter_call(self);
    if (!failed) {
        gofh_status status;
        CALL(status, gofh_study_acquisition(self->study, x.values, points, value.values));
        failed = study_leave_call(self, status);
    }
    release_doubles(&x);
    release_doubles(&value);
    return failed ? NULL : Py_NewRef(Py_None);
}

/* (variance, noise, mean, nugget, trend, logarithmic, asinh_scale, inflation), with the lengthscales filled in. */
static PyObject *hyperparameters(PyObject *object, PyObject *args)
{
    study_object *self = (study_object *)object;
    int sample, output;
    PyObject *array;
    doubles lengthscale;
    gofh_hyperparameters found = {0};
    if (!PyArg_ParseTuple(args, "iiO", &sample, &output, &array)) return NULL;
    int failed = take_doubles(&lengthscale, array, self->d, 1, 0) || study_enter_call(self);
    if (!failed) {
        gofh_status status;
        CALL(status, gofh_study_hyperparameters(self->study, sample, output, &found));
        if (!status) copy(lengthscale.values, found.lengthscale, self->d);
        failed = study_leave_call(self, status);
    }
    release_doubles(&lengthscale);
    return failed ? NULL
                  : Py_BuildValue("(dddddNdd)", found.variance, found.noise, found.mean, found.nugget,
                                  found.trend, PyBool_FromLong(found.logarithmic), found.asinh_scale,
                                  found.inflation);
}

static PyObject *set_hyperparameters(PyObject *object, PyObject *args)
{
    study_object *self = (study_object *)object;
    int output;
    PyObject *array;
    gofh_hyperparameters values = {0};
    if (!PyArg_ParseTuple(args, "iOddd", &output, &array, &values.variance, &values.noise, &values.mean))
        return NULL;
    doubles lengthscale;
    int failed = take_doubles(&lengthscale, array, self->d, 0, 0) || study_enter_call(self);
    if (!failed) {
        gofh_status status;
        values.lengthscale = lengthscale.values;
        CALL(status, gofh_study_set_hyperparameters(self->study, output, &values));
        failed = study_leave_call(self, status);
    }
    release_doubles(&lengthscale);
    return failed ? NULL : Py_NewRef(Py_None);
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
        PyObject *text = PyUnicode_FromString(line);
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
    CALL(status, gofh_study_save(self->study, text));
    return study_leave_call(self, status) ? NULL : Py_NewRef(Py_None);
}

static PyObject *note(PyObject *object, PyObject *args)
{
    study_object *self = (study_object *)object;
    long long number;
    const char *name;
    if (!PyArg_ParseTuple(args, "Ls", &number, &name) || study_enter_call(self)) return NULL;
    const char *text = gofh_study_note(self->study, number, name);
    PyObject *result = text ? PyUnicode_FromString(text) : Py_NewRef(Py_None);
    return study_leave_call(self, GOFH_OK) ? NULL : result;
}

static PyObject *set_note(PyObject *object, PyObject *args)
{
    study_object *self = (study_object *)object;
    long long number;
    const char *name, *value;
    if (!PyArg_ParseTuple(args, "Lsz", &number, &name, &value) || study_enter_call(self)) return NULL;
    gofh_status status;
    CALL(status, gofh_study_set_note(self->study, number, name, value));
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
    {"assess", assess, METH_NOARGS, NULL},
    {"recommend", recommend, METH_VARARGS, NULL},
    {"predict", predict, METH_VARARGS, NULL},
    {"predict_objective", predict_objective, METH_VARARGS, NULL},
    {"predict_quantiles", predict_quantiles, METH_VARARGS, NULL},
    {"posterior", posterior, METH_VARARGS, NULL},
    {"leave_one_out", leave_one_out, METH_VARARGS, NULL},
    {"acquisition", acquisition, METH_VARARGS, NULL},
    {"hyperparameters", hyperparameters, METH_VARARGS, NULL},
    {"set_hyperparameters", set_hyperparameters, METH_VARARGS, NULL},
    {"comparisons", comparisons, METH_NOARGS, NULL},
    {"log", log_lines, METH_NOARGS, NULL},
    {"save", save, METH_O, NULL},
    {"note", note, METH_VARARGS, NULL},
    {"set_note", set_note, METH_VARARGS, NULL},
    {"close", close_study, METH_NOARGS, NULL},
    {0},
};
