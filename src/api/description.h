/* A problem and its settings as a file tells them, with nothing borrowed. */
#ifndef API_DESCRIPTION_H
#define API_DESCRIPTION_H

#include "api/problem.h"
#include "store/store.h"

typedef struct {
    store_problem problem;
    void **blocks; /* what it is made of */
    size_t block_count, block_room;
} description;

/* On failure there is a message, and what there is can be released. */
enum { CHOICES_NAME = 320 };
/* The fact that holds the choices of a parameter, a line each. */
void description_choices_name(const char *parameter, char name[CHOICES_NAME]);

gofh_status description_make(description *d, const gofh_problem *problem, const gofh_settings *settings,
                             gofh_error *error);
void description_release(description *d);

#endif
