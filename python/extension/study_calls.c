/* How Python gets into the library and the library back into Python: locks, processes,
 * exceptions. */
#include "extension/study.h"

#include <unistd.h>

/* The study whose g this thread runs. */
static _Thread_local const study_object *inside;

static int check_usable(const study_object *self)
{
    if (self->process != getpid()) {
        raise_error("this study was made by another process, which goes on with it: after a fork, open the "
                    "study's file "
                    "or make a new one");
        return -1;
    }
    if (inside == self) {
        raise_error("g can't use the study that is calling it");
        return -1;
    }
    return 0;
}

int study_enter_call(study_object *self)
{
    if (check_usable(self)) return -1;
    if (!PyThread_acquire_lock(self->lock, NOWAIT_LOCK)) {
        Py_BEGIN_ALLOW_THREADS
        PyThread_acquire_lock(self->lock, WAIT_LOCK);
        Py_END_ALLOW_THREADS
    }
    if (self->study) return 0;
    PyThread_release_lock(self->lock);
    raise_error("the study is closed");
    return -1;
}

static void take_error(study_object *self, PyObject *error[3])
{
    for (int i = 0; i < 3; i++) {
        error[i] = self->error[i];
        self->error[i] = NULL;
    }
}

int study_leave_call(study_object *self, gofh_status status)
{
    PyObject *error[3];
    take_error(self, error);
    if (error[0]) {
        PyErr_Restore(error[0], error[1], error[2]);
        /* The call did its work all the same: it has a result, and its caller must get that. */
        if (status >= 0 && status != GOFH_STOP_CALLER) PyErr_WriteUnraisable(self->outer);
        if (status == GOFH_STOP_CALLER) status = GOFH_ERROR_OUTER;
    } else if (status < 0) {
        raise_status(status, gofh_study_message(self->study));
    }
    PyThread_release_lock(self->lock);
    return status < 0 ? -1 : 0;
}

/* The first exception counts. */
static void keep_error(study_object *self)
{
    if (self->error[0])
        PyErr_Clear();
    else
        PyErr_Fetch(&self->error[0], &self->error[1], &self->error[2]);
}

int study_interrupt(void *context)
{
    PyGILState_STATE state = PyGILState_Ensure();
    int raised = PyErr_CheckSignals();
    if (raised) keep_error(context);
    PyGILState_Release(state);
    return raised;
}

/* A view of doubles, without a copy; None for NULL. */
static PyObject *view_of(const double *values, Py_ssize_t count, int writable)
{
    if (!values) return Py_NewRef(Py_None);
    return PyMemoryView_FromMemory((char *)values, count * (Py_ssize_t)sizeof *values,
                                   writable ? PyBUF_WRITE : PyBUF_READ);
}

int study_call_outer(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                     void *context)
{
    study_object *self = context;
    PyGILState_STATE state = PyGILState_Ensure();
    const study_object *before = inside;
    inside = self;
    Py_ssize_t outputs = (Py_ssize_t)count * self->m, parameters = (Py_ssize_t)count * self->d;
    PyObject *answer = PyObject_CallFunction(self->outer, "NNNNN", view_of(y, outputs, 0),
                                             view_of(x, parameters, 0), view_of(value, count, 1),
                                             view_of(dy, outputs, 1), view_of(dx, parameters, 1));
    int failed = !answer;
    if (failed) keep_error(self);
    Py_XDECREF(answer);
    inside = before;
    PyGILState_Release(state);
    return failed;
}
