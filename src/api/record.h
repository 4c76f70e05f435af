/* Keeping a study in its file. Nothing happens for one that has none. */
#ifndef API_RECORD_H
#define API_RECORD_H

#include "api/handle.h"

/* Whether the study may be changed. */
gofh_status record_allowed(gofh_study *st);
/* Makes a trial durable as it is now, with the log and what a resumed study needs. */
gofh_status record_trial(gofh_study *st, int64_t trial_id);
/* The same for several at once: all or none. */
gofh_status record_trials(gofh_study *st, int64_t first, int64_t last);
/* After one that failed: what the study knew before the call. The trial itself is the caller's. */
void record_undo(gofh_study *st);
/* Makes the last `count` starts durable. */
gofh_status record_starts(gofh_study *st, size_t count);
gofh_status record_note(gofh_study *st, int64_t trial_id, const char *name, const char *value);
void record_close(gofh_study *st);

#endif
