/* The data that the hyperparameters are learned from. */
#include "study/fit_hyper.h"

size_t fit_datum(int i, int used, int n)
{
    return used == n || used < 2 ? (size_t)i : (size_t)i * (size_t)(n - 1) / (size_t)(used - 1);
}

const gp_inputs *fit_inputs(const fitting *task, int j)
{
    return task->own && task->own[j].x ? &task->own[j] : &task->inputs;
}

void fit_choose_outputs(const fitting *task, int j)
{
    const model *mo = task->st->fitted->mo;
    int used = fit_inputs(task, j)->n, n = model_inputs(mo, j)->n;
    for (int i = 0; i < used; i++)
        task->y[(size_t)j * (size_t)task->inputs.n + (size_t)i] =
            mo->y[(size_t)j * (size_t)mo->inputs.capacity + fit_datum(i, used, n)];
}

/* Copies `used` of the inputs of output j, in even strides. */
static void choose_inputs(const model *mo, int j, gp_inputs *to)
{
    const gp_inputs *from = model_inputs(mo, j);
    for (int i = 0; i < to->n; i++) {
        size_t datum = fit_datum(i, to->n, from->n);
        for (int k = 0; k < to->d; k++)
            to->x[(size_t)k * (size_t)to->capacity + (size_t)i] =
                from->x[(size_t)k * (size_t)from->capacity + datum];
    }
}

/* The same for all outputs that are missing from some data. */
static void choose_own_inputs(fitting *task)
{
    const model *mo = task->st->fitted->mo;
    int used = task->inputs.n, d = task->inputs.d;
    for (int j = 0; task->own && j < mo->outputs; j++) {
        int n = model_inputs(mo, j)->n;
        double *x = task->own_x + (size_t)j * (size_t)used * (size_t)d;
        task->own[j] = (gp_inputs){.d = d, .n = n < used ? n : used, .capacity = used};
        if (n == mo->inputs.n) continue;
        task->own[j].x = x;
        choose_inputs(mo, j, &task->own[j]);
    }
}

void fit_choose_data(fitting *task, double *block)
{
    const model *mo = task->st->fitted->mo;
    int n = mo->inputs.n, used = n < FIT_DATA ? n : FIT_DATA, capacity = mo->inputs.capacity;
    task->inputs = (gp_inputs){.d = mo->inputs.d, .n = used, .capacity = used, .x = block};
    task->y = block + (size_t)used * (size_t)mo->inputs.d;
    for (int i = 0; i < used; i++) {
        size_t from = fit_datum(i, used, n);
        for (int k = 0; k < mo->inputs.d; k++)
            task->inputs.x[(size_t)k * (size_t)used + (size_t)i] =
                mo->inputs.x[(size_t)k * (size_t)capacity + from];
    }
    choose_own_inputs(task);
    for (int j = 0; j < mo->outputs; j++) fit_choose_outputs(task, j);
    task->noise = mo->noise ? task->y + (size_t)used * (size_t)mo->outputs : NULL;
    for (int j = 0; mo->noise && j < mo->outputs; j++)
        for (int i = 0; i < fit_inputs(task, j)->n; i++)
            task->noise[(size_t)j * (size_t)used + (size_t)i] =
                mo->noise[(size_t)j * (size_t)capacity +
                          fit_datum(i, fit_inputs(task, j)->n, model_inputs(mo, j)->n)];
}
