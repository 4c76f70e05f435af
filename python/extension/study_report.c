/* The report of a study, the same that the program writes. */
#include "extension/study.h"

#include "report/html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What Python gave, as the report takes it. Texts are borrowed from Python's. */
typedef struct {
    report_input input;
    report_parameter *parameters;
    report_output *outputs;
    report_data *data;
    doubles *places;
    const char **constraints;
    report_run *runs;
} given;

/* As many zeroed items as the list has, and one more; NULL with an exception. */
static void *room_for(PyObject *list, size_t size, int *count)
{
    Py_ssize_t items = PyList_Size(list);
    void *room = items < 0 ? NULL : PyMem_Calloc((size_t)items + 1, size);
    *count = room ? (int)items : 0;
    if (!room && !PyErr_Occurred()) PyErr_NoMemory();
    return room;
}

static int take_words(char ***words, PyObject *list)
{
    int count;
    if (!(*words = room_for(list, sizeof **words, &count))) return -1;
    for (int i = 0; i < count; i++)
        if (!((*words)[i] = (char *)PyUnicode_AsUTF8AndSize(PyList_GetItem(list, i), NULL))) return -1;
    return 0;
}

/* name, lower, upper, logarithmic, values, words */
static int take_parameter(report_parameter *p, PyObject *item)
{
    PyObject *values, *words;
    int logarithmic;
    if (!PyArg_ParseTuple(item, "sddpO!O!", &p->name, &p->lower, &p->upper, &logarithmic, &PyList_Type,
                          &values, &PyList_Type, &words))
        return -1;
    p->scale = logarithmic ? GOFH_SCALE_LOG : GOFH_SCALE_LINEAR;
    if (!(p->values = room_for(values, sizeof *p->values, &p->count))) return -1;
    for (int i = 0; i < p->count; i++) p->values[i] = PyFloat_AsDouble(PyList_GetItem(values, i));
    return PyErr_Occurred() || (PyList_Size(words) > 0 && take_words(&p->words, words)) ? -1 : 0;
}

/* name, size, places, name of the places, unit, label */
static int take_data(report_data *d, doubles *places, PyObject *item)
{
    PyObject *at;
    if (!PyArg_ParseTuple(item, "siOzzz", &d->name, &d->size, &at, &d->at_name, &d->unit, &d->label))
        return -1;
    if (take_doubles(places, at, d->size, 0, 1)) return -1;
    d->at = places->values;
    return 0;
}

/* Fills it from a tuple; give_back frees, whatever the outcome. */
static int take(given *g, study_object *self, PyObject *args)
{
    PyObject *parameters, *outputs, *data, *constraints, *runs;
    int maximise;
    report_input *in = &g->input;
    if (!PyArg_ParseTuple(args, "ssO!O!O!O!O!pi", &in->title, &in->made, &PyList_Type, &parameters,
                          &PyList_Type, &outputs, &PyList_Type, &data, &PyList_Type, &constraints,
                          &PyList_Type, &runs, &maximise, &in->budget))
        return -1;
    in->study = self->study;
    in->objective = self->objective;
    in->sense = maximise ? GOFH_MAXIMIZE : GOFH_MINIMIZE;
    int run_count, failed = 0;
    if (!(g->parameters = room_for(parameters, sizeof *g->parameters, &in->parameter_count)) ||
        !(g->outputs = room_for(outputs, sizeof *g->outputs, &in->output_count)) ||
        !(g->data = room_for(data, sizeof *g->data, &in->data_count)) ||
        !(g->places = room_for(data, sizeof *g->places, &in->data_count)) ||
        !(g->constraints = room_for(constraints, sizeof *g->constraints, &in->constraint_count)) ||
        !(g->runs = room_for(runs, sizeof *g->runs, &run_count)))
        return -1;
    for (int i = 0; i < in->parameter_count && !failed; i++)
        failed = take_parameter(&g->parameters[i], PyList_GetItem(parameters, i));
    for (int i = 0; i < in->output_count && !failed; i++)
        failed = !PyArg_ParseTuple(PyList_GetItem(outputs, i), "si", &g->outputs[i].name,
                                   &g->outputs[i].size);
    for (int i = 0; i < in->data_count && !failed; i++)
        failed = take_data(&g->data[i], &g->places[i], PyList_GetItem(data, i));
    for (int i = 0; i < in->constraint_count && !failed; i++)
        failed = !(g->constraints[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(constraints, i), NULL));
    for (int i = 0; i < run_count && !failed; i++)
        failed = !PyArg_ParseTuple(PyList_GetItem(runs, i), "dzp", &g->runs[i].seconds, &g->runs[i].folder,
                                   &g->runs[i].checked);
    in->parameters = g->parameters;
    in->outputs = g->outputs;
    in->data = g->data;
    in->constraints = g->constraints;
    /* Another thread may have added trials since they were counted. */
    in->runs = run_count && run_count >= gofh_study_count(self->study) ? g->runs : NULL;
    return failed ? -1 : 0;
}

static void give_back(given *g)
{
    for (int i = 0; g->parameters && i < g->input.parameter_count; i++) {
        PyMem_Free(g->parameters[i].values);
        PyMem_Free(g->parameters[i].words);
    }
    for (int i = 0; g->places && i < g->input.data_count; i++) release_doubles(&g->places[i]);
    PyMem_Free(g->parameters);
    PyMem_Free(g->outputs);
    PyMem_Free(g->data);
    PyMem_Free(g->places);
    PyMem_Free(g->constraints);
    PyMem_Free(g->runs);
}

/* Ends the call with the report's message where there is one. */
static int leave(study_object *self, gofh_status status, const gofh_error *error)
{
    int is_its_own = status < 0 && error->message[0] && !self->error[0];
    if (study_leave_call(self, is_its_own ? GOFH_OK : status)) return -1;
    if (is_its_own) raise_status(status, error->message);
    return is_its_own ? -1 : 0;
}

PyObject *study_report(PyObject *object, PyObject *args)
{
    study_object *self = (study_object *)object;
    given g = {0};
    gofh_error error = {0};
    char *text = NULL;
    size_t size = 0;
    gofh_status status = GOFH_ERROR_MEMORY;
    if (study_enter_call(self)) return NULL;
    int failed = take(&g, self, args);
    if (!failed) {
        Py_BEGIN_ALLOW_THREADS
        FILE *file = open_memstream(&text, &size);
        if (file) status = report_html(file, &g.input, &error);
        if (file && fclose(file) && !status) status = GOFH_ERROR_MEMORY;
        Py_END_ALLOW_THREADS
        failed = leave(self, status, &error);
    } else {
        PyThread_release_lock(self->lock);
    }
    give_back(&g);
    PyObject *page = failed ? NULL : PyUnicode_FromStringAndSize(text, (Py_ssize_t)size);
    free(text);
    return page;
}

/* about, folder, part or None: the names of the figures that are in the folder then. */
PyObject *study_figures(PyObject *object, PyObject *args)
{
    study_object *self = (study_object *)object;
    given g = {0};
    gofh_error error = {0};
    PyObject *about;
    const char *folder;
    char(*ids)[REPORT_ID] = NULL;
    int count = 0;
    if (!PyArg_ParseTuple(args, "O!sz", &PyTuple_Type, &about, &folder, &g.input.part) ||
        study_enter_call(self))
        return NULL;
    int failed = take(&g, self, about);
    if (!failed) {
        gofh_status status;
        STUDY_CALL(status, report_figures(folder, &g.input, &ids, &count, &error));
        failed = leave(self, status, &error);
    } else {
        PyThread_release_lock(self->lock);
    }
    give_back(&g);
    PyObject *names = failed ? NULL : PyList_New(0);
    for (int i = 0; names && i < count; i++) {
        PyObject *name = PyUnicode_FromString(ids[i]);
        if (!name || PyList_Append(names, name)) Py_CLEAR(names);
        Py_XDECREF(name);
    }
    free(ids);
    return names;
}
