/* What an output goes through before it is modelled: z = forward(y), where y is in the user's units
 * and z is what the model takes as normal. The model and the posterior hold one transform per
 * output; all else asks it questions.
 *
 * A new transform is a file with a transform_kind, and a line at the end of TRANSFORMS.
 */
#ifndef MODEL_TRANSFORM_H
#define MODEL_TRANSFORM_H

#include <stddef.h>

typedef struct transform_kind transform_kind;

typedef struct {
    const transform_kind *kind;
    /* The kind's own, such as a scale, learned from the data; 0 where it has none */
    double parameter;
} transform;

/* Except for `fit` and `contains`, y is in the domain; z may be any number. */
struct transform_kind {
    const char *of_one, *of_many; /* how the log says it: the output "is modelled <of_one>" */
    /* Learns the parameter from n values, y[i * stride], and from the magnitude that values have
     * where f is good. Returns whether the transform may be applied to them: all are in its domain,
     * and differ by enough for it to matter. */
    int (*fit)(transform *t, const double *y, int n, int stride, double magnitude);
    int (*contains)(double y); /* whatever the parameter */
    double (*forward)(const transform *t, double y);
    /* The median of h, where z is that of the normal */
    double (*inverse)(const transform *t, double z);
    /* forward(y + more) - forward(y) without cancellation. */
    double (*difference)(const transform *t, double y, double more);
    /* log |dz/dy|, which the density of y has beyond that of z. */
    double (*log_jacobian)(const transform *t, double y);
    /* Replaces `count` values z[i * stride] by the y of each: `inverse` to rounding, but
     * vectorised. */
    void (*invert)(const transform *t, double *z, int stride, int count);
    /* slope[i] = dy/dz at y[i * stride]. */
    void (*slopes)(const transform *t, const double *y, int stride, int count, double *slope);
    /* Replaces the mean and standard deviation of a normal z by those of y, and their gradients, of
     * d derivatives each, by the gradients of those. */
    void (*moments)(const transform *t, double *mean, double *deviation, int d, double *mean_gradient,
                    double *deviation_gradient);
};

/* All there are. Files keep an output's transform as its place in this list, so none may move. */
#define TRANSFORMS(EACH)                                                                                     \
    EACH(transform_identity)                                                                                 \
    EACH(transform_logarithm)                                                                                \
    EACH(transform_asinh)

#define TRANSFORM_DECLARE(name)  extern const transform_kind name;
#define TRANSFORM_ONE_MORE(name) +1
TRANSFORMS(TRANSFORM_DECLARE)
enum { TRANSFORM_COUNT = 0 TRANSFORMS(TRANSFORM_ONE_MORE) };

/* The kind of this number; NULL: there is none. */
const transform_kind *transform_numbered(int number);
int transform_number(const transform_kind *kind);

static inline transform transform_none(void)
{
    return (transform){.kind = &transform_identity};
}

/* Whether z is y: then h itself is normal. */
static inline int transform_is_none(const transform *t)
{
    return t->kind == &transform_identity;
}

#endif
