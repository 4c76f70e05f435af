#include "cli/rescue.h"

#include "base/file.h"
#include "cli/commands.h"
#include "cli/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Whether the evaluation is in the file as it was reported; or its run is, whose results the next run
 * of the program collects: what could not be written is forgotten, not lost. */
static int has_trial(const session *s, gofh_study *kept, int64_t number)
{
    gofh_trial known, stored;
    if (gofh_study_trial(s->study, number, &known)) return 0;
    if (known.state == GOFH_TRIAL_OPEN) return 1;
    if (gofh_study_trial(kept, number, &stored)) return 0;
    if (stored.state == GOFH_TRIAL_OPEN && gofh_study_note(kept, number, NOTE_RUN)) return 1;
    if (stored.state != known.state) return 0;
    return memcmp(stored.x, known.x, (size_t)s->d * sizeof *known.x) == 0 &&
           (!known.y || memcmp(stored.y, known.y, (size_t)s->m * sizeof *known.y) == 0);
}

static int has_all(const session *s)
{
    gofh_study *kept;
    gofh_settings settings = s->file.settings;
    gofh_error error = {0};
    settings.waiting = NULL;
    gofh_status status = gofh_study_open(&kept, s->database, GOFH_OPEN_READ, s->file.problem, &settings,
                                         &error);
    /* A file that is there and can't be looked at now is no worse for that. */
    if (status == GOFH_ERROR_LOCKED || status == GOFH_ERROR_MEMORY) return 1;
    int all = status == GOFH_OK;
    for (int64_t i = 1; i <= gofh_study_count(s->study) && all; i++) all = has_trial(s, kept, i);
    gofh_study_free(kept);
    return all;
}

int rescue_is_kept(const session *s, int failed)
{
    struct stat now;
    if (lstat(s->database, &now) || !file_same(&now, &s->opened)) return 0;
    return !failed || has_all(s);
}

void rescue_save(const session *s)
{
    enum { ATTEMPTS = 100 };
    size_t size = strlen(s->database) + sizeof ".saved-100";
    char *path = malloc(size);
    gofh_status status = GOFH_ERROR_MEMORY;
    mkdir(s->directory, 0777); /* it may be gone with the file */
    for (int i = 1; path && i <= ATTEMPTS; i++) {
        snprintf(path, size, i > 1 ? "%s.saved-%d" : "%s.saved", s->database, i);
        status = gofh_study_save(s->study, path);
        if (status != GOFH_ERROR_ARGUMENT) break; /* the file exists */
    }
    static const char GONE[] = "was removed, replaced or damaged while the study ran";
    if (path && !status)
        message_print(stderr,
                      "gofh %s: %s %s: all that was reported is in %s. Give that the name %s, then go on\n",
                      s->command, s->database, GONE, path, s->database);
    else
        message_print(stderr, "gofh %s: %s %s: what it had is lost, and can't be saved to %s either: %s\n",
                      s->command, s->database, GONE, path ? path : "another file",
                      gofh_study_message(s->study));
    free(path);
}
