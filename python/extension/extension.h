/* The extension module gofh._gofh: the C library for the Python code beside it, which checks and
 * converts what users give. Arrays come as buffers of doubles of the right size; names and numbers
 * as Python's own. Built for the limited API, so that one wheel serves all versions of Python. */
#ifndef EXTENSION_EXTENSION_H
#define EXTENSION_EXTENSION_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "gofh.h"

/* A text of the library's as Python's. It may be cut within a letter, and a reason may be in whatever encoding a simulator
 * has: what is no UTF-8 is replaced. */
PyObject *text_of(const char *text);

/* Raises the exception of gofh.errors for a status. Returns NULL. */
PyObject *raise_status(gofh_status status, const char *message);
/* Raises gofh.errors.Error. Returns NULL. */
PyObject *raise_error(const char *message);

/* The doubles of `object`, a contiguous buffer of `count` of them; None gives NULL where
 * `optional`. 0, or -1 with an exception. Whatever the outcome, release_doubles frees. */
typedef struct {
    double *values;
    Py_buffer view;
} doubles;
int take_doubles(doubles *taken, PyObject *object, Py_ssize_t count, int writable, int optional);
void release_doubles(doubles *taken);

/* Settings from a dict of names to values, and back. The method's text belongs to the dict. */
int settings_from_dict(gofh_settings *settings, PyObject *dict);
PyObject *settings_to_dict(const gofh_settings *settings);

/* An empty problem filled from what Python gave; its g is left out. 0, or -1 with an exception. */
int describe_problem(gofh_problem *problem, PyObject *parameters, PyObject *outputs, PyObject *data,
                     PyObject *sigma, PyObject *constraints, PyObject *noise, PyObject *missing,
                     PyObject *prior, PyObject *discrepancy);

PyObject *read_problem(PyObject *module, PyObject *path);
PyObject *bench_names(PyObject *module, PyObject *unused);

extern PyType_Spec study_spec, bench_spec;

#endif
