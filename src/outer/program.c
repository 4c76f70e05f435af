#include "outer/program.h"

#include "base/error.h"
#include "base/memory.h"
#include "outer/kernels.h"

#include <stdlib.h>
#include <string.h>

/* Large enough that the work on a block hides the walk along the tape, small enough that the rows
 * stay in cache. */
static int choose_block(size_t rows)
{
    enum { BLOCK_MAX = 128, BLOCK_MIN = 8, CACHE = 1 << 16 };
    int block = BLOCK_MAX;
    while (block > BLOCK_MIN && rows * (size_t)block * 2 * sizeof(double) > CACHE) block /= 2;
    return block;
}

static void place_nodes(program *p)
{
    size_t rows = 0, block = (size_t)p->block;
    for (size_t i = 0; i < p->tape.count; i++) {
        const tape_node *node = &p->tape.nodes[i];
        if (node->constant) continue;
        if (node->op == TAPE_SLICE) {
            p->offset[i] = p->offset[node->argument[0]] + (size_t)node->first * block;
            continue;
        }
        p->offset[i] = rows * block;
        rows += (size_t)node->size;
    }
    p->varying = rows;
    for (size_t i = 0; i < p->tape.count; i++) {
        const tape_node *node = &p->tape.nodes[i];
        if (!node->constant) continue;
        p->offset[i] = rows * block;
        rows += (size_t)node->size;
    }
}

static void fill_constants(program *p)
{
    for (size_t i = 0; i < p->tape.count; i++) {
        const tape_node *node = &p->tape.nodes[i];
        if (!node->constant) continue;
        const double *values = tape_values(&p->tape, (int)i);
        double *row = p->values + p->offset[i];
        for (int e = 0; e < node->size; e++, row += p->block)
            for (int s = 0; s < p->block; s++) row[s] = values[e];
    }
}

gofh_status program_build(program *p, tape *t, int root, gofh_error *error)
{
    *p = (program){.tape = *t};
    *t = (tape){0};
    p->tape.error = error;
    p->root = tape_trim(&p->tape, root);
    if (p->root < 0) {
        program_clear(p);
        return GOFH_ERROR_MEMORY;
    }
    p->tape.error = NULL;
    p->size = tape_size(&p->tape, p->root);
    p->block = choose_block(p->tape.elements);
    size_t block = (size_t)p->block;
    p->offset = memory_new(p->tape.count, sizeof *p->offset);
    if (p->offset) place_nodes(p);
    p->values = memory_doubles(p->tape.elements * block);
    p->bars = memory_doubles(p->varying * block);
    p->scratch = memory_doubles(block);
    if (!p->offset || !p->values || !p->bars || !p->scratch) {
        program_clear(p);
        return error_memory(error);
    }
    fill_constants(p);
    return GOFH_OK;
}

void program_clear(program *p)
{
    tape_clear(&p->tape);
    free(p->offset);
    free(p->values);
    free(p->bars);
    free(p->scratch);
    *p = (program){0};
}

/* Columns of a matrix that has one row per sample, as rows of samples. */
static void gather(const double *matrix, int columns, const tape_node *node, double *row, int block, int n)
{
    for (int e = 0; e < node->size; e++, row += block) {
        const double *entry = matrix + node->first + e;
        for (int s = 0; s < n; s++) row[s] = entry[(size_t)s * (size_t)columns];
    }
}

static void scatter(const double *row, int block, int n, const tape_node *node, double *matrix, size_t step)
{
    for (int e = 0; e < node->size; e++, row += block) {
        double *entry = matrix + node->first + e;
        for (int s = 0; s < n; s++) entry[(size_t)s * step] += row[s];
    }
}

static void concatenate(program *p, const tape_node *node, double *row, int n)
{
    for (int i = 0; i < node->parts; i++) {
        int part = p->tape.parts[node->first + i];
        const double *from = p->values + p->offset[part];
        for (int e = 0; e < tape_size(&p->tape, part); e++, row += p->block, from += p->block)
            memcpy(row, from, (size_t)n * sizeof *row);
    }
}

static void add_concatenated(program *p, const tape_node *node, const double *bar, int n)
{
    for (int i = 0; i < node->parts; i++) {
        int part = p->tape.parts[node->first + i], size = tape_size(&p->tape, part);
        if (!p->tape.nodes[part].constant) {
            double *target = p->bars + p->offset[part];
            for (int e = 0; e < size; e++)
                for (int s = 0; s < n; s++) target[e * p->block + s] += bar[e * p->block + s];
        }
        bar += (size_t)size * (size_t)p->block;
    }
}

static void find_operands(const program *p, const tape_node *node, kernel_operand *operand)
{
    for (int i = 0; i < 3 && node->argument[i] >= 0; i++) {
        const tape_node *argument = &p->tape.nodes[node->argument[i]];
        size_t offset = p->offset[node->argument[i]];
        operand[i].rows = p->values + offset;
        operand[i].bar = argument->constant ? NULL : p->bars + offset;
        operand[i].size = argument->size;
    }
}

void program_forward(program *p, const double *y, const double *x, int n)
{
    for (size_t i = 0; i < p->tape.count; i++) {
        const tape_node *node = &p->tape.nodes[i];
        double *row = p->values + p->offset[i];
        kernel_operand operand[3] = {{0}};
        switch (node->op) {
        case TAPE_CONSTANT:
        case TAPE_SLICE:
            break;
        case TAPE_OUTPUT:
            gather(y, p->tape.outputs, node, row, p->block, n);
            break;
        case TAPE_PARAMETER:
            gather(x, p->tape.parameters, node, row, p->block, n);
            break;
        case TAPE_CONCATENATE:
            concatenate(p, node, row, n);
            break;
        default:
            find_operands(p, node, operand);
            kernel_forward(node->op, node->size, operand, row, p->block, n);
        }
    }
}

static void clear_bars(program *p, int n)
{
    if (n == p->block) {
        memset(p->bars, 0, p->varying * (size_t)p->block * sizeof *p->bars);
        return;
    }
    for (size_t row = 0; row < p->varying; row++)
        memset(p->bars + row * (size_t)p->block, 0, (size_t)n * sizeof *p->bars);
}

static void clear_matrix(double *matrix, size_t step, int columns, int n)
{
    for (int s = 0; s < n; s++) memset(matrix + (size_t)s * step, 0, (size_t)columns * sizeof *matrix);
}

static void drop_what_is_not_finite(double *matrix, size_t step, int columns, int n)
{
    for (int s = 0; s < n; s++) {
        double *row = matrix + (size_t)s * step;
        for (int j = 0; j < columns; j++) row[j] = row[j] - row[j] == 0.0 ? row[j] : 0.0;
    }
}

void program_backward(program *p, int element, int n, double *dy, size_t dy_step, double *dx, size_t dx_step)
{
    if (dy) clear_matrix(dy, dy_step, p->tape.outputs, n);
    if (dx) clear_matrix(dx, dx_step, p->tape.parameters, n);
    if (p->tape.nodes[p->root].constant) return;
    clear_bars(p, n);
    double *seed = p->bars + p->offset[p->root] + (size_t)element * (size_t)p->block;
    for (int s = 0; s < n; s++) seed[s] = 1.0;
    for (size_t i = p->tape.count; i-- > 0;) {
        const tape_node *node = &p->tape.nodes[i];
        if (node->constant) continue;
        const double *bar = p->bars + p->offset[i];
        kernel_operand operand[3] = {{0}};
        switch (node->op) {
        case TAPE_SLICE:
            break;
        case TAPE_OUTPUT:
            if (dy) scatter(bar, p->block, n, node, dy, dy_step);
            break;
        case TAPE_PARAMETER:
            if (dx) scatter(bar, p->block, n, node, dx, dx_step);
            break;
        case TAPE_CONCATENATE:
            add_concatenated(p, node, bar, n);
            break;
        default:
            find_operands(p, node, operand);
            kernel_backward(node->op, node->size, operand, p->values + p->offset[i], bar, p->block, n,
                            p->scratch);
        }
    }
    if (dy) drop_what_is_not_finite(dy, dy_step, p->tape.outputs, n);
    if (dx) drop_what_is_not_finite(dx, dx_step, p->tape.parameters, n);
}

bool program_uses_parameters(const program *p)
{
    for (size_t i = 0; i < p->tape.count; i++)
        if (p->tape.nodes[i].op == TAPE_PARAMETER) return true;
    return false;
}
