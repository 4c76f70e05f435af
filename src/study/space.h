/* The allowed points of the unit cube: those whose discrete coordinates are values, and which meet the
 * known constraints, of parameters alone (section 1 of docs/method.md). All that makes points to be
 * suggested goes through here, so that none breaks a constraint. */
#ifndef STUDY_SPACE_H
#define STUDY_SPACE_H

#include "base/domain.h"
#include "base/random.h"
#include "gofh_expression.h"

typedef struct space space;

/* Both are borrowed; known may be NULL. NULL: no memory. */
space *space_create(const domain *box, gofh_constraints *known);
void space_free(space *s);
/* Whether no allowed point was found. *proved: whether there is none. */
int space_is_empty(const space *s, int *proved);
/* The share that the inequalities leave: of all points where these could be counted, else of scattered
 * ones. */
double space_share(space *s);
int space_equalities(const space *s);

/* Whether all points of the cube are allowed; or all whose discrete coordinates are those of values. */
int space_is_cube(const space *s);
int space_has_constraints(const space *s);
/* Coordinates that are not discrete. */
int space_continuous(const space *s);
/* Of those, how many directions known equalities leave at u. */
int space_directions(space *s, const double *u);

/* The number of the first known constraint that x breaks, or -1. */
int space_broken(space *s, const double *x);
/* The least margin of known constraint `number` at x: 0 or above where it holds. */
double space_margin_of(space *s, int number, const double *x);
/* Whether u, whose discrete coordinates are those of values, meets all. */
int space_holds(space *s, const double *u);

/* An allowed point in the user's units. What an equality holds at one number (`density == 7850`) is that number
 * itself, which a search comes to but for rounding. */
void space_to_user(const space *s, const double *u, double *x);

/* The margins of the known constraints, each to be 0 or above: an equality has two. */
int space_margins(const space *s);
/* margin[space_margins] and slope (space_margins x d) at u. */
void space_look(space *s, const double *u, double *margin, double *slope);

/* Moves u to an allowed point near it. held[d]: coordinates that must stay; NULL: none. Returns 0, or
 * -1 where none was found. Without held ones that does not happen unless the space is empty. */
int space_repair(space *s, double *u, const unsigned char *held);
/* A random value of a discrete parameter, as domain_draw. */
int space_draw(const domain *box, random_stream *stream, int p);
/* Turns uniform points of the cube into allowed ones that fill the space. */
void space_scatter(space *s, random_stream *stream, int count, double *points);
/* `count` allowed points that are far from each other, of as many uniform ones for each as there is
 * room for in the points: `each` times count. */
void space_design(space *s, random_stream *stream, int count, int each, double *points);

/* The number of allowed points where all parameters are discrete and it could be counted, or where known
 * constraints leave few that can be found; else infinite. */
double space_size(const space *s);
/* All of them, space_size x d; NULL where they are too many to be listed. */
const double *space_points(const space *s);
/* Calls visit for each allowed point of a discrete space, until one returns other than 0: whether one did.
 * Spaces of more than 4 million combinations of values are not looked through. */
typedef int (*space_visitor)(const double *u, void *context);
int space_visit(space *s, space_visitor visit, void *context);
/* What a point may be off along every coordinate and still be one of these: more than rounding where they
 * are what equalities leave of continuous parameters. */
double space_same(const space *s);

#endif
