/* What is behind gofh._gofh.Study. */
#ifndef EXTENSION_STUDY_H
#define EXTENSION_STUDY_H

#include "extension/extension.h"

#include <sys/types.h>

typedef struct {
    PyObject head;
    gofh_study *study; /* NULL: closed */
    int d, m;
    pid_t process;           /* that made it */
    PyThread_type_lock lock; /* held by the one thread that works with it */
    PyObject *outer;         /* g as Python's function; NULL: it is an expression or weights */
    char *objective;         /* the expression; NULL: it is a function or weights */
    /* The first exception of g or of a signal's handler, until the call under way ends. */
    PyObject *error[3];
} study_object;

/* Waits for other threads. 0, or -1 with an exception where the study can't be used: then there is
 * nothing to leave. */
int study_enter_call(study_object *self);
/* Ends a call: raises what a negative status means. Returns -1 then, otherwise 0. */
int study_leave_call(study_object *self, gofh_status status);

/* g of a study whose g is a Python function; the context is the study_object. */
int study_call_outer(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                     void *context);

/* A gofh_interrupt: runs the handlers of signals, ^C's among them. The context is the
 * study_object. */
int study_interrupt(void *context);

/* The library works without the interpreter's lock. */
#define STUDY_CALL(status, call)                                                                             \
    do {                                                                                                     \
        PyThreadState *thread = PyEval_SaveThread();                                                         \
        (status) = (call);                                                                                   \
        PyEval_RestoreThread(thread);                                                                        \
    } while (0)

/* `length` doubles; NaN where there are none. */
void study_copy(double *to, const double *from, int length);

/* Methods: those of the model, and the report. */
PyObject *study_assess(PyObject *object, PyObject *unused);
PyObject *study_recommend(PyObject *object, PyObject *args);
PyObject *study_predict(PyObject *object, PyObject *args);
PyObject *study_predict_objective(PyObject *object, PyObject *args);
PyObject *study_predict_quantiles(PyObject *object, PyObject *args);
PyObject *study_posterior(PyObject *object, PyObject *args);
PyObject *study_leave_one_out(PyObject *object, PyObject *args);
PyObject *study_acquisition(PyObject *object, PyObject *args);
PyObject *study_hyperparameters(PyObject *object, PyObject *args);
PyObject *study_set_hyperparameters(PyObject *object, PyObject *args);
PyObject *study_report(PyObject *object, PyObject *args);
PyObject *study_figures(PyObject *object, PyObject *args);

extern PyMethodDef study_methods[];

#endif
