/* Distances between points of the unit cube. */
#ifndef STUDY_POINTS_H
#define STUDY_POINTS_H

#include "study/study.h"

/* Closer than this along every coordinate is the same point. */
#define POINTS_SAME 1e-14

/* The largest distance along a coordinate: the norm of the trust region. */
double points_reach(int d, const double *a, const double *b);

/* Euclidean. */
double points_euclidean(int d, const double *a, const double *b);

/* What "near the incumbent" is measured by: Euclidean in up to five dimensions. In more the squares
 * count 5/d each, for there the distance of any two points grows with the dimension. */
double points_distance(int d, const double *a, const double *b);

/* points_reach to the nearest trial, open and failed ones included, of u as it would be
 * suggested. */
double points_reach_to_trials(const study *st, const double *u);

#endif
