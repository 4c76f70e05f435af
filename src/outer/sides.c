#include "outer/sides.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* Of the larger side: what rounding may do to the difference. */
static const double ROUNDING = 1e-13;
/* The margin of what is equal: anything below 0. */
static const double BROKEN = 1e-9;

int sides_are_discrete(const tape *t, int node, const domain *box)
{
    unsigned char *needed = memory_new((size_t)node + 1, 1);
    if (!needed) return -1;
    int discrete = 1;
    needed[node] = 1;
    for (int i = node; i >= 0; i--) {
        const tape_node *n = &t->nodes[i];
        if (!needed[i]) continue;
        for (int a = 0; a < tape_arguments(n->op); a++) needed[n->argument[a]] = 1;
        for (int k = 0; n->op == TAPE_CONCATENATE && k < n->parts; k++) needed[t->parts[n->first + k]] = 1;
        if (n->op == TAPE_OUTPUT && domain_kind_of(box, n->first).kind == DOMAIN_INTERVAL) discrete = 0;
    }
    free(needed);
    return discrete;
}

int sides_strict_margin(tape *t, int node)
{
    int left = t->nodes[node].argument[0], right = t->nodes[node].argument[1];
    int margin = tape_binary(t, TAPE_SUBTRACT, right, left);
    int larger = tape_binary(t, TAPE_LARGER, tape_unary(t, TAPE_ABS, left), tape_unary(t, TAPE_ABS, right));
    int rounding = tape_binary(t, TAPE_MULTIPLY, larger, tape_number(t, ROUNDING));
    int below = tape_binary(t, TAPE_SUBTRACT, tape_binary(t, TAPE_SUBTRACT, margin, rounding),
                            tape_number(t, BROKEN));
    return tape_where(t, tape_binary(t, TAPE_LESS, rounding, margin), margin, below);
}

static int is_zero(const tape *t, int node)
{
    return t->nodes[node].constant && tape_size(t, node) == 1 && tape_values(t, node)[0] == 0.0;
}

int sides_log_ratio(tape *t, int node, int margin)
{
    tape_node n = t->nodes[node];
    int left = n.argument[0], right = n.argument[1];
    int compares = n.op == TAPE_LESS || n.op == TAPE_LESS_EQUAL || n.op == TAPE_EQUAL;
    if (!compares || t->nodes[left].op == TAPE_ABS)
        return tape_binary(t, TAPE_MULTIPLY, margin, tape_number(t, NAN));
    if (is_zero(t, right) && t->nodes[left].op == TAPE_SUBTRACT) { /* a - b <= 0 is a <= b */
        right = t->nodes[left].argument[1];
        left = t->nodes[left].argument[0];
    } else if (is_zero(t, left) && t->nodes[right].op == TAPE_SUBTRACT) { /* 0 <= b - a too */
        left = t->nodes[right].argument[1];
        right = t->nodes[right].argument[0];
    }
    int a = tape_unary(t, TAPE_LOG, left), b = tape_unary(t, TAPE_LOG, right);
    return n.op == TAPE_EQUAL ? tape_binary(t, TAPE_SUBTRACT, a, b) : tape_binary(t, TAPE_SUBTRACT, b, a);
}
