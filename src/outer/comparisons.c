#include "outer/comparisons.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* On the way from a difference down to the output in it: what the present node has to be for the
 * difference to vanish. */
typedef struct {
    const tape *tape;
    int node, element;
    double value;
    double deviation; /* of the present node, for a deviation of 1 of the difference */
    /* Whether the difference has been met: what divides from here on is no longer its deviation */
    int shifted;
    int scaled; /* whether data or a vector divide the difference */
    int data;   /* of tape_node, of all that has a part in the value */
} descent;

/* The value of a constant argument for the present element. */
static double constant_of(const descent *d, int node)
{
    return tape_values(d->tape, node)[tape_size(d->tape, node) > 1 ? d->element : 0];
}

/* Whether a factor is one for each element, or data as they are: no mere constant. */
static int is_deviation(const tape_node *node)
{
    return node->size > 1 || (node->data > 0 && !node->derived);
}

/* To argument `a`, whose values are used for all elements where there is one. */
static void go_down(descent *d, int a)
{
    d->node = d->tape->nodes[d->node].argument[a];
    if (tape_size(d->tape, d->node) == 1) d->element = 0;
}

/* The present node is its argument times or over a constant. */
static void note_factor(descent *d, const tape_node *constant)
{
    if (!d->shifted)
        d->scaled |= is_deviation(constant);
    else
        d->data = tape_data_of_both(d->data, constant->data);
}

/* Of two arguments the one that is not known becomes the present node. */
static int undo_binary(descent *d, const tape_node *node)
{
    int first = d->tape->nodes[node->argument[0]].constant, known = node->argument[first ? 0 : 1];
    const tape_node *constant = &d->tape->nodes[known];
    if (!constant->constant) return -1;
    double c = constant_of(d, known);
    switch (node->op) {
    case TAPE_ADD:
        d->value -= c;
        break;
    case TAPE_SUBTRACT:
        d->value = first ? c - d->value : d->value + c;
        break;
    case TAPE_MULTIPLY:
        d->value /= c;
        d->deviation /= fabs(c);
        note_factor(d, constant);
        break;
    case TAPE_DIVIDE:
        if (first) return -1;
        d->value *= c;
        d->deviation *= fabs(c);
        note_factor(d, constant);
        break;
    default:
        return -1;
    }
    if (node->op == TAPE_ADD || node->op == TAPE_SUBTRACT) {
        d->shifted = 1;
        d->data = tape_data_of_both(d->data, constant->data);
    }
    go_down(d, first ? 1 : 0);
    return 0;
}

static int undo_unary(descent *d, const tape_node *node)
{
    double value = d->value;
    switch (node->op) {
    case TAPE_NEGATE:
        d->value = -value;
        break;
    case TAPE_LOG:
        d->value = exp(value);
        d->deviation *= d->value;
        break;
    case TAPE_LOG10:
        d->value = pow(10.0, value);
        d->deviation *= log(10.0) * d->value;
        break;
    case TAPE_EXP:
        d->value = log(value);
        d->deviation /= value;
        break;
    case TAPE_SQRT:
        d->value = value * value;
        d->deviation *= 2.0 * fabs(value);
        break;
    case TAPE_SLICE:
        d->element += node->first;
        break;
    default:
        return -1;
    }
    int element = d->element;
    go_down(d, 0);
    d->element = element;
    return 0;
}

static int enter_part(descent *d, const tape_node *node)
{
    for (int i = 0; i < node->parts; i++) {
        int part = d->tape->parts[node->first + i], size = tape_size(d->tape, part);
        if (d->element < size) {
            d->node = part;
            return 0;
        }
        d->element -= size;
    }
    return -1;
}

/* Down to an output; -1 where there is none, or more than one. */
static int descend(descent *d)
{
    for (;;) {
        const tape_node *node = &d->tape->nodes[d->node];
        int lost;
        if (node->op == TAPE_OUTPUT) return 0;
        if (node->op == TAPE_CONCATENATE)
            lost = enter_part(d, node);
        else
            lost = tape_arguments(node->op) == 2 ? undo_binary(d, node) : undo_unary(d, node);
        if (lost) return -1;
    }
}

/* The element of a difference that is squared or taken absolute; divisor: of that, or -1. */
static gofh_status add_element(comparisons *list, const tape *t, int difference, int element, int divisor)
{
    descent d = {.tape = t, .node = difference, .element = element, .deviation = 1.0};
    if (divisor >= 0 && is_deviation(&t->nodes[divisor])) {
        d.deviation = sqrt(constant_of(&d, divisor));
        d.scaled = 1;
    }
    if (tape_size(t, difference) == 1) d.element = 0;
    if (descend(&d) || d.data == 0 || !isfinite(d.value)) return GOFH_OK;
    int relative = fabs(d.deviation - fabs(d.value)) <= 1e-12 * fabs(d.value);
    int known = d.scaled && d.deviation > 0.0 && isfinite(d.deviation) && !relative;
    if (memory_grow((void **)&list->items, &list->capacity, list->count + 1, sizeof *list->items))
        return GOFH_ERROR_MEMORY;
    list->items[list->count++] = (comparison){.output = t->nodes[d.node].first + d.element,
                                              .data = d.data > 0 ? d.data - 1 : -1,
                                              .value = d.value,
                                              .deviation = known ? d.deviation : NAN};
    return GOFH_OK;
}

gofh_status comparisons_find(comparisons *list, const tape *t)
{
    int *divisor = memory_new(t->count, sizeof *divisor); /* of the squares, plus 1 */
    if (!divisor) return GOFH_ERROR_MEMORY;
    gofh_status status = GOFH_OK;
    for (size_t i = 0; i < t->count; i++) {
        const tape_node *node = &t->nodes[i];
        if (node->op == TAPE_DIVIDE && t->nodes[node->argument[0]].op == TAPE_SQUARE &&
            t->nodes[node->argument[1]].constant)
            divisor[node->argument[0]] = node->argument[1] + 1;
    }
    for (size_t i = 0; i < t->count && !status; i++) {
        const tape_node *node = &t->nodes[i];
        if (node->op != TAPE_SQUARE && node->op != TAPE_ABS) continue;
        for (int e = 0; e < node->size && !status; e++)
            status = add_element(list, t, node->argument[0], e, divisor[i] - 1);
    }
    free(divisor);
    return status;
}

gofh_status comparisons_add(comparisons *list, const comparisons *more)
{
    if (more->count == 0) return GOFH_OK;
    if (memory_grow((void **)&list->items, &list->capacity, list->count + more->count, sizeof *list->items))
        return GOFH_ERROR_MEMORY;
    memcpy(list->items + list->count, more->items, more->count * sizeof *more->items);
    list->count += more->count;
    return GOFH_OK;
}

void comparisons_clear(comparisons *list)
{
    free(list->items);
    *list = (comparisons){.items = NULL};
}
