/* The domain that is searched, and the unit cube it is mapped to (section 1 of docs/method.md).
 *
 * A parameter is an interval, ordered values, choices, or fixed. An interval and ordered values have
 * one coordinate of the cube, two choices have one, more of them one for each, and a fixed parameter
 * has none. A point of the cube is allowed where its discrete coordinates are those of a value;
 * domain_snap makes it so. Known constraints between parameters are those of study/space.h. */
#ifndef BASE_DOMAIN_H
#define BASE_DOMAIN_H

#include "gofh.h"

typedef enum { DOMAIN_INTERVAL, DOMAIN_ORDERED, DOMAIN_CHOICE, DOMAIN_FIXED } domain_kind;

typedef struct {
    domain_kind kind;
    int first, width;     /* its coordinates */
    int count;            /* of its values; 0: an interval. Those of choices are 0, 1, ... */
    double step;          /* of ordered values, from the lower bound on, */
    const double *values; /* unless they are these, ascending */
} domain_parameter;

typedef struct {
    int d; /* coordinates */
    /* One per parameter. The bounds of a fixed one are its value. */
    const double *lower, *upper;
    const gofh_scale *scale;
    int parameters;                   /* unless kinds is NULL: */
    const domain_parameter *kinds;    /* then there are d intervals */
    const unsigned char *is_discrete; /* of each coordinate; NULL: none is */
} domain;

int domain_parameters(const domain *box);
/* The kind of parameter p. */
domain_parameter domain_kind_of(const domain *box, int p);
/* Fills in first and width of all parameters, and is_discrete[GOFH_MAX_PARAMETERS]. Returns the
 * number of coordinates, or -1 where there would be more than GOFH_MAX_PARAMETERS. */
int domain_place_coordinates(domain_parameter *kinds, int parameters, unsigned char *is_discrete);

/* u in the unit cube to x in the box, by the nearest value of each discrete parameter; 0 and 1 give
 * the bounds exactly. */
void domain_to_user(const domain *box, const double *u, double *x);
void domain_to_unit(const domain *box, const double *x, double *u);
/* The same with ordered values as if they were intervals, and its slopes: what is between the values
 * is a guide to where allowed points are. */
void domain_relax(const domain *box, const double *u, double *x, double *slope);
/* dx_p / du_k at x for each coordinate k of a parameter p; 0 for discrete ones. */
void domain_slope(const domain *box, const double *x, double *slope);
/* What is given for each parameter, for each coordinate instead: `values` itself, or `room`[d] with
 * it, with 0 for discrete ones. */
const double *domain_spread(const domain *box, const double *values, double *room);

/* Whether each of its values may be a case of its own: choices, and ordered values that are few. */
int domain_is_case(domain_parameter kind);
/* Value i of a discrete parameter, and which of them is nearest to a number. */
double domain_value(const domain *box, int p, int i);
int domain_nearest(const domain *box, int p, double value);
/* Whether x is a value of parameter p, to rounding; *exact is that value then. */
int domain_allows(const domain *box, int p, double x, double *exact);
/* Which value of a discrete parameter u has; and gives it value i. */
int domain_index(const domain *box, int p, const double *u);
void domain_set(const domain *box, int p, int i, double *u);
/* The nearest allowed point. */
void domain_snap(const domain *box, double *u);
/* Whole numbers, or another grid, on a log scale: its values do not count alike. */
int domain_is_log_grid(const domain *box, int p);
/* The value of a discrete parameter that a uniform number u stands for: all alike, but those of a grid
 * on a log scale by how much of it is nearest to them. */
int domain_draw(const domain *box, int p, double u);
/* A uniform point of the cube becomes one with such values. */
void domain_scatter(const domain *box, double *u);
/* How many points there are: infinite unless all parameters are discrete. */
double domain_size(const domain *box);

#endif
