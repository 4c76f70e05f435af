/* What the model says: the calls of gofh.h with these names. */
#include "extension/study.h"

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
    return Py_BuildValue("(NNNNNdiddiN)", text_of(a->message), PyBool_FromLong(a->success),
                         PyBool_FromLong(a->ended), PyBool_FromLong(a->best_possible),
                         PyBool_FromLong(a->stuck), a->explained, a->recent, a->promised, a->gained,
                         a->repeated, bounds);
}

PyObject *study_assess(PyObject *object, PyObject *unused)
{
    (void)unused;
    study_object *self = (study_object *)object;
    gofh_assessment found;
    if (study_enter_call(self)) return NULL;
    gofh_status status;
    STUDY_CALL(status, gofh_study_assess(self->study, &found));
    PyObject *tuple = status ? NULL : assessment_tuple(&found, self->d);
    if (!study_leave_call(self, status)) return tuple;
    Py_XDECREF(tuple);
    return NULL;
}

/* (f, deviation, whether y was filled in). */
PyObject *study_recommend(PyObject *object, PyObject *args)
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
        STUDY_CALL(status, gofh_study_recommend(self->study, &found));
        if (!status) {
            study_copy(x.values, found.x, self->d);
            study_copy(y.values, found.y, self->m);
            known = found.y != NULL;
        }
        failed = study_leave_call(self, status);
    }
    release_doubles(&x);
    release_doubles(&y);
    return failed ? NULL : Py_BuildValue("(ddN)", found.f, found.deviation, PyBool_FromLong(known));
}

PyObject *study_predict(PyObject *object, PyObject *args)
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
        STUDY_CALL(status, gofh_study_predict(self->study, x.values, points, mean.values, variance.values,
                                              f.values, deviation.values));
        failed = study_leave_call(self, status);
    }
    doubles *all[] = {&x, &mean, &variance, &f, &deviation};
    for (int i = 0; i < 5; i++) release_doubles(all[i]);
    return failed ? NULL : Py_NewRef(Py_None);
}

PyObject *study_predict_objective(PyObject *object, PyObject *args)
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
        STUDY_CALL(status, gofh_study_predict_objective(self->study, x.values, points, objective.values,
                                                        deviation.values, feasible.values));
        failed = study_leave_call(self, status);
    }
    doubles *all[] = {&x, &objective, &deviation, &feasible};
    for (int i = 0; i < 4; i++) release_doubles(all[i]);
    return failed ? NULL : Py_NewRef(Py_None);
}

PyObject *study_predict_quantiles(PyObject *object, PyObject *args)
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
        STUDY_CALL(status, gofh_study_predict_quantiles(self->study, x.values, points, level.values, levels,
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
    return Py_BuildValue("(NNNNidNNNNNNNNNN)", samples_of(posterior, n * d, n * r.sigmas),
                         names_of_sigmas(&r), text_of(r.message), PyBool_FromLong(r.converged), r.data,
                         r.misfit, bytes_of(r.best, d), bytes_of(r.mean, d), bytes_of(r.deviation, d),
                         bytes_of(r.lower, d), bytes_of(r.median, d), bytes_of(r.upper, d),
                         bytes_of(r.data_deviation, d), bytes_of(r.correlation, d * d), bytes_of(r.rhat, d),
                         bytes_of(r.effective, d));
}

PyObject *study_posterior(PyObject *object, PyObject *args)
{
    study_object *self = (study_object *)object;
    int samples;
    if (!PyArg_ParseTuple(args, "i", &samples) || study_enter_call(self)) return NULL;
    gofh_posterior *made = NULL;
    gofh_status status;
    STUDY_CALL(status, gofh_posterior_create(&made, self->study, samples));
    PyObject *result = made ? describe_posterior(made) : NULL;
    gofh_posterior_free(made);
    if (!study_leave_call(self, status)) return result;
    Py_XDECREF(result);
    return NULL;
}

PyObject *study_leave_one_out(PyObject *object, PyObject *args)
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
        STUDY_CALL(status, gofh_study_leave_one_out(self->study, mean.values, variance.values));
        failed = study_leave_call(self, status);
    }
    release_doubles(&mean);
    release_doubles(&variance);
    return failed ? NULL : Py_NewRef(Py_None);
}

PyObject *study_acquisition(PyObject *object, PyObject *args)
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
        STUDY_CALL(status, gofh_study_acquisition(self->study, x.values, points, value.values));
        failed = study_leave_call(self, status);
    }
    release_doubles(&x);
    release_doubles(&value);
    return failed ? NULL : Py_NewRef(Py_None);
}

/* (variance, noise, mean, nugget, trend, logarithmic, asinh_scale, inflation, number of the kernel), with
 * the lengthscales filled in. */
PyObject *study_hyperparameters(PyObject *object, PyObject *args)
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
        STUDY_CALL(status, gofh_study_hyperparameters(self->study, sample, output, &found));
        if (!status) study_copy(lengthscale.values, found.lengthscale, self->d);
        failed = study_leave_call(self, status);
    }
    release_doubles(&lengthscale);
    return failed ? NULL
                  : Py_BuildValue("(dddddNddi)", found.variance, found.noise, found.mean, found.nugget,
                                  found.trend, PyBool_FromLong(found.logarithmic), found.asinh_scale,
                                  found.inflation, (int)found.kernel);
}

PyObject *study_set_hyperparameters(PyObject *object, PyObject *args)
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
        STUDY_CALL(status, gofh_study_set_hyperparameters(self->study, output, &values));
        failed = study_leave_call(self, status);
    }
    release_doubles(&lengthscale);
    return failed ? NULL : Py_NewRef(Py_None);
}
