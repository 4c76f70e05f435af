#include "extension/extension.h"

#include <string.h>

/* The exception of each status, by its name in gofh.errors. */
static const struct {
    gofh_status status;
    const char *name;
} EXCEPTIONS[] = {
    {GOFH_ERROR_ARGUMENT, "ArgumentError"},  {GOFH_ERROR_PROBLEM, "ProblemError"},
    {GOFH_ERROR_TRIAL, "TrialError"},        {GOFH_ERROR_EMPTY, "EmptyError"},
    {GOFH_ERROR_OUTER, "OuterError"},        {GOFH_ERROR_SYSTEM, "SystemRefusedError"},
    {GOFH_ERROR_LOCKED, "LockedError"},      {GOFH_ERROR_DAMAGED, "DamagedError"},
    {GOFH_ERROR_CHANGED, "ChangedError"},    {GOFH_ERROR_DISK, "DiskError"},
    {GOFH_ERROR_READ_ONLY, "ReadOnlyError"},
};

PyObject *text_of(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject *raise_named(const char *name, const char *message)
{
    PyObject *errors = PyImport_ImportModule("gofh.errors");
    PyObject *exception = errors ? PyObject_GetAttrString(errors, name) : NULL;
    PyObject *text = exception ? text_of(message) : NULL;
    if (text) PyErr_SetObject(exception, text);
    Py_XDECREF(text);
    Py_XDECREF(exception);
    Py_XDECREF(errors);
    return NULL;
}

PyObject *raise_error(const char *message)
{
    return raise_named("Error", message);
}

PyObject *raise_status(gofh_status status, const char *message)
{
    if (status == GOFH_ERROR_MEMORY) return PyErr_NoMemory();
    if (!message || !*message) message = gofh_status_text(status);
    for (size_t i = 0; i < sizeof EXCEPTIONS / sizeof *EXCEPTIONS; i++)
        if (EXCEPTIONS[i].status == status) return raise_named(EXCEPTIONS[i].name, message);
    return raise_error(message);
}

int take_doubles(doubles *taken, PyObject *object, Py_ssize_t count, int writable, int optional)
{
    *taken = (doubles){.values = NULL};
    if (optional && object == Py_None) return 0;
    if (PyObject_GetBuffer(object, &taken->view,
                           PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0)))
        return -1;
    taken->values = taken->view.buf;
    if (taken->view.format && strcmp(taken->view.format, "d") == 0 &&
        taken->view.itemsize == sizeof(double) &&
        (count < 0 || taken->view.len == count * (Py_ssize_t)sizeof(double)))
        return 0;
    PyErr_Format(PyExc_TypeError, "expected %zd doubles, got %zd bytes of format \"%s\"", count,
                 taken->view.len, taken->view.format ? taken->view.format : "B");
    return -1;
}

void release_doubles(doubles *taken)
{
    if (taken->values) PyBuffer_Release(&taken->view);
}

static PyObject *version(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyUnicode_FromString(gofh_version());
}

static PyObject *methods(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    PyObject *names = PyList_New(0);
    const char *name;
    for (int i = 0; names && (name = gofh_method_name(i)); i++) {
        PyObject *text = PyUnicode_FromString(name);
        if (!text || PyList_Append(names, text)) Py_CLEAR(names);
        Py_XDECREF(text);
    }
    return names;
}

static PyObject *status_text(PyObject *module, PyObject *number)
{
    (void)module;
    long status = PyLong_AsLong(number);
    if (status == -1 && PyErr_Occurred()) return NULL;
    return PyUnicode_FromString(gofh_status_text((gofh_status)status));
}

static PyObject *default_settings(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    return settings_to_dict(&settings);
}

static PyMethodDef functions[] = {
    {"version", version, METH_NOARGS, "The version of the C library."},
    {"methods", methods, METH_NOARGS, "The names of the methods."},
    {"status_text", status_text, METH_O, "The text of a status."},
    {"default_settings", default_settings, METH_NOARGS, "The settings' defaults, by name."},
    {"read_problem", read_problem, METH_O, "Reads a problem file into a description."},
    {"bench_names", bench_names, METH_NOARGS, "The names of the benchmark problems."},
    {0},
};

static int add_type(PyObject *module, PyType_Spec *spec, const char *name)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
    int failed = !type || PyModule_AddObjectRef(module, name, type);
    Py_XDECREF(type);
    return failed;
}

static int fill(PyObject *module)
{
    return add_type(module, &study_spec, "Study") || add_type(module, &bench_spec, "Bench") ? -1 : 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, fill}, {0}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_gofh", .m_methods = functions,
                                        .m_slots = slots};

PyMODINIT_FUNC PyInit__gofh(void)
{
    return PyModuleDef_Init(&definition);
}
