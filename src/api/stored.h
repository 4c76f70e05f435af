/* Reading a study from its file: what opening one and reading its outputs again share. */
#ifndef API_STORED_H
#define API_STORED_H

#include "api/record.h"

typedef struct {
    gofh_study *st;
    gofh_error *error;
    int changed; /* whether suggestions depend on something that is new */
} opening;

/* Takes a trial as it was; its origin is copied. */
gofh_status stored_take_trial(void *context, const gofh_trial *past);
gofh_status stored_take_note(void *context, int64_t trial_id, const char *name, const char *value);
gofh_status stored_take_line(void *context, const char *line);
void stored_take_change(void *context, const char *line);
/* After the trials. */
gofh_status stored_read_starts(opening *o);
store_patience stored_patience(const gofh_study *st);

#endif
