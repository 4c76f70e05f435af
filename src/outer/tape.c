#include "outer/tape.h"

#include "base/error.h"
#include "base/memory.h"
#include "outer/kernels.h"

#include <stdlib.h>
#include <string.h>

enum { RECENT = 64 }; /* how far back an equal operation is looked for */

int tape_arguments(tape_op op)
{
    static const signed char arguments[] = {
#define TAPE_OP_ARGUMENTS(name, count) count,
        TAPE_OP_LIST(TAPE_OP_ARGUMENTS)
#undef TAPE_OP_ARGUMENTS
    };
    return arguments[op];
}

void tape_init(tape *t, int outputs, int parameters, gofh_error *error)
{
    *t = (tape){.outputs = outputs, .parameters = parameters, .error = error};
}

void tape_clear(tape *t)
{
    free(t->nodes);
    free(t->values);
    free(t->parts);
    *t = (tape){0};
}

static int out_of_memory(tape *t)
{
    error_memory(t->error);
    return -1;
}

static int too_large(tape *t)
{
    error_set(t->error, GOFH_ERROR_ARGUMENT,
              "the expression is too large: more than %d operations or %d elements", TAPE_NODES,
              TAPE_ELEMENTS);
    return -1;
}

static bool same_operation(const tape_node *a, const tape_node *b)
{
    return a->op == b->op && a->size == b->size && a->first == b->first && a->parts == b->parts &&
           memcmp(a->argument, b->argument, sizeof a->argument) == 0;
}

static int append(tape *t, tape_node node)
{
    size_t oldest = t->count > RECENT ? t->count - RECENT : 0;
    for (size_t i = t->count; i-- > oldest;)
        if (same_operation(&t->nodes[i], &node)) return (int)i;
    if (t->count >= TAPE_NODES || t->elements + (size_t)node.size > TAPE_ELEMENTS) return too_large(t);
    if (memory_grow((void **)&t->nodes, &t->capacity, t->count + 1, sizeof *t->nodes))
        return out_of_memory(t);
    t->elements += (size_t)node.size;
    t->nodes[t->count] = node;
    return (int)t->count++;
}

/* Room for `size` more values, which the caller fills; -1 on failure. */
static int reserve_values(tape *t, int size)
{
    if (t->value_count + (size_t)size > TAPE_ELEMENTS) return too_large(t);
    if (memory_grow((void **)&t->values, &t->value_capacity, t->value_count + (size_t)size,
                    sizeof *t->values))
        return out_of_memory(t);
    int first = (int)t->value_count;
    t->value_count += (size_t)size;
    return first;
}

int tape_data_of_both(int a, int b)
{
    return a == b || b == 0 ? a : a == 0 ? b : -1;
}

/* The node of the values from `first` on, the last ones there are. Equal values of other data are
 * another node. */
static int append_constant(tape *t, int first, int size, int data, bool derived)
{
    const double *values = t->values + first;
    bool nonnegative = true;
    for (int i = 0; i < size; i++) nonnegative = nonnegative && values[i] >= 0.0;
    size_t oldest = t->count > RECENT ? t->count - RECENT : 0;
    for (size_t i = t->count; i-- > oldest;) {
        const tape_node *old = &t->nodes[i];
        if (old->op != TAPE_CONSTANT || old->size != size) continue;
        if (old->data != data || old->derived != derived) continue;
        if (memcmp(t->values + old->first, values, (size_t)size * sizeof *values) != 0) continue;
        t->value_count = (size_t)first;
        return (int)i;
    }
    return append(t, (tape_node){.op = TAPE_CONSTANT,
                                 .argument = {-1, -1, -1},
                                 .size = size,
                                 .first = first,
                                 .data = data,
                                 .derived = derived,
                                 .constant = true,
                                 .nonnegative = nonnegative});
}

int tape_data(tape *t, const double *values, int size, int number)
{
    int first = reserve_values(t, size);
    if (first < 0) return -1;
    memcpy(t->values + first, values, (size_t)size * sizeof *values);
    return append_constant(t, first, size, number, false);
}

int tape_constant(tape *t, const double *values, int size)
{
    return tape_data(t, values, size, 0);
}

int tape_number(tape *t, double value)
{
    return tape_constant(t, &value, 1);
}

int tape_output(tape *t, int column, int size)
{
    return append(t, (tape_node){.op = TAPE_OUTPUT, .argument = {-1, -1, -1}, .size = size, .first = column});
}

int tape_parameter(tape *t, int column)
{
    return append(t, (tape_node){.op = TAPE_PARAMETER, .argument = {-1, -1, -1}, .size = 1, .first = column});
}

static bool is_nonnegative(const tape *t, tape_op op, const int *argument)
{
    bool a = argument[0] >= 0 && t->nodes[argument[0]].nonnegative;
    bool b = argument[1] >= 0 && t->nodes[argument[1]].nonnegative;
    bool c = argument[2] >= 0 && t->nodes[argument[2]].nonnegative;
    switch (op) {
    case TAPE_SQUARE:
    case TAPE_EXP:
    case TAPE_SQRT:
    case TAPE_ABS:
    case TAPE_ACOS:
    case TAPE_COSH:
    case TAPE_NORMAL_CDF:
    case TAPE_NOT:
    case TAPE_LESS:
    case TAPE_LESS_EQUAL:
    case TAPE_EQUAL:
    case TAPE_NOT_EQUAL:
    case TAPE_AND:
    case TAPE_OR:
        return true;
    case TAPE_SLICE:
    case TAPE_SUM:
    case TAPE_SMALLEST:
    case TAPE_LARGEST:
    case TAPE_CUMSUM:
    case TAPE_FLOOR:
        return a;
    case TAPE_ADD:
    case TAPE_MULTIPLY:
    case TAPE_DIVIDE:
    case TAPE_SMALLER:
        return a && b;
    case TAPE_LARGER:
        return a || b;
    case TAPE_WHERE:
        return b && c;
    default:
        return false;
    }
}

/* An operation whose arguments are all known: its values. */
static int fold(tape *t, const tape_node *node)
{
    int first = reserve_values(t, node->size);
    if (first < 0) return -1;
    kernel_operand operand[3] = {{0}};
    int data = 0;
    for (int i = 0; i < 3 && node->argument[i] >= 0; i++) {
        operand[i] = (kernel_operand){.rows = tape_values(t, node->argument[i]),
                                      .size = tape_size(t, node->argument[i])};
        t->folded += (size_t)operand[i].size;
        data = tape_data_of_both(data, t->nodes[node->argument[i]].data);
    }
    if (t->folded > TAPE_FOLDED) return too_large(t);
    kernel_forward(node->op, node->size, operand, t->values + first, 1, 1);
    return append_constant(t, first, node->size, data, data != 0);
}

static int operation(tape *t, tape_op op, int size, int a, int b, int c)
{
    tape_node node = {.op = op, .argument = {a, b, c}, .size = size};
    bool constant = true;
    for (int i = 0; i < tape_arguments(op); i++) {
        if (node.argument[i] < 0) return -1;
        constant = constant && t->nodes[node.argument[i]].constant;
    }
    if (constant) return fold(t, &node);
    node.nonnegative = is_nonnegative(t, op, node.argument);
    return append(t, node);
}

static int square(tape *t, int a)
{
    const tape_node *node = &t->nodes[a];
    if (node->op == TAPE_ABS || node->op == TAPE_NEGATE) return square(t, node->argument[0]);
    if (node->op == TAPE_SQRT && t->nodes[node->argument[0]].nonnegative) return node->argument[0];
    return operation(t, TAPE_SQUARE, node->size, a, -1, -1);
}

int tape_unary(tape *t, tape_op op, int a)
{
    if (a < 0) return -1;
    const tape_node *node = &t->nodes[a];
    bool reduction = op == TAPE_SUM || op == TAPE_SMALLEST || op == TAPE_LARGEST;
    if ((reduction || op == TAPE_CUMSUM) && node->size == 1) return a;
    if (op == TAPE_SQUARE) return square(t, a);
    if (op == TAPE_NEGATE && node->op == TAPE_NEGATE) return node->argument[0];
    if (op == TAPE_ABS && node->nonnegative) return a;
    return operation(t, op, reduction ? 1 : node->size, a, -1, -1);
}

int tape_binary(tape *t, tape_op op, int a, int b)
{
    if (a < 0 || b < 0) return -1;
    if (op == TAPE_MULTIPLY && a == b) return square(t, a);
    int size = tape_size(t, a) > tape_size(t, b) ? tape_size(t, a) : tape_size(t, b);
    return operation(t, op, size, a, b, -1);
}

int tape_where(tape *t, int condition, int a, int b)
{
    if (condition < 0 || a < 0 || b < 0) return -1;
    int size = tape_size(t, condition);
    if (tape_size(t, a) > size) size = tape_size(t, a);
    if (tape_size(t, b) > size) size = tape_size(t, b);
    return operation(t, TAPE_WHERE, size, condition, a, b);
}

int tape_power(tape *t, int a, int b)
{
    if (a < 0 || b < 0) return -1;
    const tape_node *exponent = &t->nodes[b];
    double power = exponent->constant && exponent->size == 1 ? tape_values(t, b)[0] : 0.0;
    if (power == 1.0) return a;
    if (power == 2.0) return tape_unary(t, TAPE_SQUARE, a);
    if (power == 3.0) return tape_binary(t, TAPE_MULTIPLY, a, tape_unary(t, TAPE_SQUARE, a));
    if (power == 4.0) return tape_unary(t, TAPE_SQUARE, tape_unary(t, TAPE_SQUARE, a));
    if (power == 0.5) return tape_unary(t, TAPE_SQRT, a);
    if (power == -1.0) return tape_binary(t, TAPE_DIVIDE, tape_number(t, 1.0), a);
    return tape_binary(t, TAPE_POWER, a, b);
}

int tape_slice(tape *t, int a, int first, int size)
{
    if (a < 0) return -1;
    const tape_node *node = &t->nodes[a];
    if (first == 0 && size == node->size) return a;
    if (node->op == TAPE_OUTPUT) return tape_output(t, node->first + first, size);
    if (node->op == TAPE_SLICE) return tape_slice(t, node->argument[0], node->first + first, size);
    if (node->constant) {
        int start = reserve_values(t, size);
        if (start < 0) return -1;
        memcpy(t->values + start, tape_values(t, a) + first, (size_t)size * sizeof *t->values);
        return append_constant(t, start, size, t->nodes[a].data, t->nodes[a].derived);
    }
    return append(t, (tape_node){.op = TAPE_SLICE,
                                 .argument = {a, -1, -1},
                                 .size = size,
                                 .first = first,
                                 .nonnegative = node->nonnegative});
}

int tape_concatenate(tape *t, const int *parts, int count)
{
    if (count == 1) return parts[0];
    size_t size = 0;
    bool constant = true, nonnegative = true, derived = false;
    int data = 0;
    for (int i = 0; i < count; i++) {
        derived = derived || t->nodes[parts[i]].derived || t->nodes[parts[i]].data == 0;
        data = tape_data_of_both(data, t->nodes[parts[i]].data);
        size += (size_t)tape_size(t, parts[i]);
        constant = constant && t->nodes[parts[i]].constant;
        nonnegative = nonnegative && t->nodes[parts[i]].nonnegative;
    }
    if (size > TAPE_ELEMENTS) return too_large(t);
    if (constant) {
        int first = reserve_values(t, (int)size);
        if (first < 0) return -1;
        double *end = t->values + first;
        for (int i = 0; i < count; i++) {
            memcpy(end, tape_values(t, parts[i]), (size_t)tape_size(t, parts[i]) * sizeof *end);
            end += tape_size(t, parts[i]);
        }
        return append_constant(t, first, (int)size, data, data != 0 && (derived || data < 0));
    }
    size_t end = t->part_count + (size_t)count;
    if (memory_grow((void **)&t->parts, &t->part_capacity, end, sizeof *t->parts)) return out_of_memory(t);
    int first = (int)t->part_count;
    memcpy(t->parts + first, parts, (size_t)count * sizeof *parts);
    t->part_count = end;
    return append(t, (tape_node){.op = TAPE_CONCATENATE,
                                 .argument = {-1, -1, -1},
                                 .size = (int)size,
                                 .first = first,
                                 .parts = count,
                                 .nonnegative = nonnegative});
}

void tape_mark_outputs(const tape *t, unsigned char *used)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->nodes[i].op == TAPE_OUTPUT) memset(used + t->nodes[i].first, 1, (size_t)t->nodes[i].size);
}

int tape_trim(tape *t, int root)
{
    /* 1 where needed, then the new number */
    int *number = memory_new((size_t)root + 1, sizeof *number);
    if (!number) return out_of_memory(t);
    number[root] = 1;
    for (int i = root; i >= 0; i--) {
        const tape_node *node = &t->nodes[i];
        if (!number[i]) continue;
        for (int j = 0; j < 3 && node->argument[j] >= 0; j++) number[node->argument[j]] = 1;
        for (int j = 0; j < node->parts; j++) number[t->parts[node->first + j]] = 1;
    }
    int count = 0;
    t->elements = 0;
    for (int i = 0; i <= root; i++) {
        if (!number[i]) continue;
        tape_node node = t->nodes[i];
        for (int j = 0; j < 3 && node.argument[j] >= 0; j++) node.argument[j] = number[node.argument[j]];
        for (int j = 0; j < node.parts; j++) t->parts[node.first + j] = number[t->parts[node.first + j]];
        t->elements += (size_t)node.size;
        t->nodes[count] = node;
        number[i] = count++;
    }
    t->count = (size_t)count;
    free(number);
    return count - 1;
}
