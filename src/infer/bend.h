/* Coordinates in which a curved ridge is straight: principal components, less the quadratic functions
 * of the wider of them that the narrower ones follow (docs/posterior.md). The map is triangular, so
 * that its inverse is as simple, and has the same volume everywhere. */
#ifndef INFER_BEND_H
#define INFER_BEND_H

enum { BEND_WIDE = 4, BEND_TERMS = 1 + BEND_WIDE * (BEND_WIDE + 1) / 2 };

typedef struct {
    int d;
    double *centre, *axes, *inverse; /* d; d x d: a component is a column of axes, a row of inverse */
    double *coefficient;             /* d x BEND_TERMS */
    double log_scale;                /* of a volume here over one of the straight coordinates */
    double *component, *work, *block;
} bend;

/* Straight coordinates are at first those that are given. Returns -1 when there is no memory. */
int bend_create(bend *b, int d);
void bend_free(bend *b);
/* Learns the map from points: count x d. */
void bend_fit(bend *b, const double *point, int count);
void bend_straighten(const bend *b, const double *point, double *straight);
void bend_back(const bend *b, const double *straight, double *point);

#endif
