/* gofh._gofh.Study: its making and its end. */
#include "extension/study.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the arguments of Study() are. */
typedef struct {
    PyObject *parameters, *outputs, *data, *sigma, *objective, *constraints, *noise, *missing, *prior,
        *discrepancy, *settings;
    int maximise, gradient, log_likelihood, mode; /* mode: gofh_open_mode */
    const char *path;
} arguments;

static int set_weights(gofh_problem *problem, PyObject *weights, int maximise)
{
    doubles taken;
    int failed = take_doubles(&taken, weights, -1, 0, 0);
    int count = failed ? 0 : (int)(taken.view.len / (Py_ssize_t)sizeof(double));
    if (!failed && maximise) gofh_problem_maximize_linear(problem, taken.values, count);
    if (!failed && !maximise) gofh_problem_minimize_linear(problem, taken.values, count);
    release_doubles(&taken);
    return failed;
}

/* A list of pairs. */
static int set_fit(gofh_problem *problem, PyObject *pairs)
{
    for (Py_ssize_t i = 0; i < PyList_Size(pairs); i++) {
        const char *output, *data;
        int residual, loss;
        double threshold;
        if (!PyArg_ParseTuple(PyList_GetItem(pairs, i), "ssiid", &output, &data, &residual, &loss,
                              &threshold))
            return -1;
        gofh_problem_fit(problem, output, data, (gofh_residual)residual, (gofh_loss)loss, threshold);
    }
    return 0;
}

/* An expression, a fit, weights, or a function. */
static int set_objective(study_object *self, gofh_problem *problem, const arguments *a)
{
    if (PyList_Check(a->objective)) return set_fit(problem, a->objective);
    if (PyUnicode_Check(a->objective)) {
        const char *text = PyUnicode_AsUTF8AndSize(a->objective, NULL);
        if (!text) return -1;
        if (a->log_likelihood)
            gofh_problem_log_likelihood(problem, text);
        else if (a->maximise)
            gofh_problem_maximize(problem, text);
        else
            gofh_problem_minimize(problem, text);
        return 0;
    }
    if (!PyCallable_Check(a->objective)) return set_weights(problem, a->objective, a->maximise);
    gofh_gradient gradient = a->gradient ? GOFH_GRADIENT_GIVEN : GOFH_GRADIENT_NONE;
    self->outer = Py_NewRef(a->objective);
    if (a->maximise)
        gofh_problem_maximize_function(problem, study_call_outer, gradient, self);
    else
        gofh_problem_minimize_function(problem, study_call_outer, gradient, self);
    return 0;
}

static int count_outputs(PyObject *outputs)
{
    if (PyLong_Check(outputs)) return (int)PyLong_AsLong(outputs);
    long long m = 0;
    for (Py_ssize_t i = 0; i < PyList_Size(outputs); i++) {
        const char *name;
        int size;
        if (!PyArg_ParseTuple(PyList_GetItem(outputs, i), "si", &name, &size)) return -1;
        m += size;
    }
    return (int)m;
}

static int make(study_object *self, gofh_problem *problem, const arguments *a)
{
    gofh_settings settings;
    if (settings_from_dict(&settings, a->settings)) return -1;
    if (describe_problem(problem, a->parameters, a->outputs, a->data, a->sigma, a->constraints, a->noise,
                         a->missing, a->prior, a->discrepancy))
        return -1;
    if (set_objective(self, problem, a)) return -1;
    self->d = (int)PyList_Size(a->parameters);
    self->m = count_outputs(a->outputs);
    const char *objective = gofh_problem_objective(problem);
    self->objective = objective ? strdup(objective) : NULL;
    gofh_error error = {0};
    gofh_status status;
    gofh_study *made;
    Py_BEGIN_ALLOW_THREADS
    if (a->path)
        status = gofh_study_open(&made, a->path, (gofh_open_mode)a->mode, problem, &settings, &error);
    else
        status = gofh_study_create(&made, problem, &settings, &error);
    Py_END_ALLOW_THREADS
    if (self->error[0]) {
        PyErr_Restore(self->error[0], self->error[1], self->error[2]);
        self->error[0] = self->error[1] = self->error[2] = NULL;
        gofh_study_free(status ? NULL : made);
        return -1;
    }
    if (status) {
        raise_status(status, error.message);
        return -1;
    }
    self->study = made;
    gofh_study_set_interrupt(made, study_interrupt, self);
    return 0;
}

static PyObject *study_new(PyTypeObject *type, PyObject *positional, PyObject *named)
{
    static char *names[] = {"parameters",     "outputs",     "data",  "sigma",   "objective", "maximise",
                            "gradient",       "constraints", "noise", "missing", "prior",     "discrepancy",
                            "log_likelihood", "settings",    "path",  "mode",    NULL};
    arguments a;
    if (!PyArg_ParseTupleAndKeywords(
            positional, named, "O!OO!O!OppO!OO!O!O!pO!zi", names, &PyList_Type, &a.parameters, &a.outputs,
            &PyDict_Type, &a.data, &PyDict_Type, &a.sigma, &a.objective, &a.maximise, &a.gradient,
            &PyList_Type, &a.constraints, &a.noise, &PyList_Type, &a.missing, &PyList_Type, &a.prior,
            &PyDict_Type, &a.discrepancy, &a.log_likelihood, &PyDict_Type, &a.settings, &a.path, &a.mode))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    study_object *self = (study_object *)allocate(type, 0);
    if (!self) return NULL;
    self->process = getpid();
    self->lock = PyThread_allocate_lock();
    gofh_problem *problem = gofh_problem_create();
    int failed = 0;
    if (!self->lock || !problem) {
        PyErr_NoMemory();
        failed = 1;
    }
    if (!failed) failed = make(self, problem, &a);
    gofh_problem_free(problem);
    if (failed) Py_CLEAR(self);
    return (PyObject *)self;
}

static int study_traverse(PyObject *object, visitproc visit, void *arg)
{
    study_object *self = (study_object *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->outer);
    return 0;
}

/* In a child of the process that made it, the study is its parent's: nothing of it is touched. */
static void end_study(study_object *self)
{
    if (self->process == getpid()) gofh_study_free(self->study);
    self->study = NULL;
}

static int study_clear(PyObject *object)
{
    study_object *self = (study_object *)object;
    end_study(self);
    Py_CLEAR(self->outer);
    return 0;
}

static void study_dealloc(PyObject *object)
{
    study_object *self = (study_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    study_clear(object);
    if (self->lock) PyThread_free_lock(self->lock);
    free(self->objective);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static PyType_Slot slots[] = {
    {Py_tp_new, study_new},
    {Py_tp_dealloc, study_dealloc},
    {Py_tp_traverse, study_traverse},
    {Py_tp_clear, study_clear},
    {Py_tp_methods, study_methods},
    {Py_tp_doc, "A gofh_study."},
    {0},
};
PyType_Spec study_spec = {.name = "gofh._gofh.Study",
                          .basicsize = sizeof(study_object),
                          .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
                          .slots = slots};
