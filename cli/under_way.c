#include "cli/under_way.h"

#include "base/number.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "report/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The machine of the study's writer: a run that is not on this machine is on that one. */
static void host_of_writer(const session *s, char *host, size_t size)
{
    char text[300];
    session_writer(s, text, sizeof text);
    char *on = strstr(text, " on "), *since = on ? strstr(on, " since ") : NULL;
    if (!since) return;
    *since = '\0';
    snprintf(host, size, "%s", on + 4);
}

void under_way_look(const session *s, int64_t trial, under_way *w)
{
    *w = (under_way){.trial = trial, .seconds = NAN};
    w->by_hand = gofh_study_note(s->study, trial, NOTE_ASKED) != NULL;
    const char *identity = gofh_study_note(s->study, trial, NOTE_RUN);
    w->has_run = identity && look_at_run(identity, s->directory, &w->look) == 0;
    if (!w->has_run) return;
    if (strcmp(w->look.state, "unknown") == 0) host_of_writer(s, w->look.host, sizeof w->look.host);
    if (!isnan(w->look.began)) w->seconds = fmax(0.0, (double)time(NULL) - w->look.began);
}

const char *under_way_state(const under_way *w)
{
    return w->has_run ? w->look.state : w->by_hand ? "asked" : "waiting";
}

void under_way_time(double seconds, char text[32])
{
    time_t when = (time_t)seconds;
    struct tm parts;
    if (!gmtime_r(&when, &parts) || !strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts)) text[0] = '\0';
}

void under_way_text(const under_way *w, char *text, size_t size)
{
    const char *state = under_way_state(w);
    char duration[32], since[32] = "";
    if (!w->has_run) {
        snprintf(text, size, "%s",
                 w->by_hand ? "asked by gofh ask, for gofh tell" : "waiting: gofh run goes on with it");
        return;
    }
    size_t used = (size_t)snprintf(text, size, "%s", state);
    if (strcmp(state, "running") == 0 && !isnan(w->seconds)) {
        progress_duration(w->seconds, duration, sizeof duration);
        under_way_time(w->look.began, since);
        used += (size_t)snprintf(text + used, size - used, " for %s, since %s", duration, since);
    }
    if (strcmp(state, "lost") == 0)
        used += (size_t)snprintf(text + used, size - used, ": gofh run runs it again");
    if (strcmp(state, "ended") == 0)
        used += (size_t)snprintf(text + used, size - used, ": gofh run takes its result");
    if (w->look.host[0] && used < size)
        used += (size_t)snprintf(text + used, size - used, ", on %s", w->look.host);
    if (w->look.process && used < size)
        used += (size_t)snprintf(text + used, size - used, ", process %ld", w->look.process);
    if (w->look.queue[0] && used < size) snprintf(text + used, size - used, " [%s]", w->look.queue);
}

static json_t *text_or_null(const char *text)
{
    return text && *text ? describe_text(text) : json_null();
}

json_t *under_way_json(const session *s, const under_way *w, const double *x)
{
    json_t *object = json_object();
    char since[32] = "";
    json_object_set_new(object, "trial", json_integer(w->trial));
    json_object_set_new(object, "state", json_string(under_way_state(w)));
    json_object_set_new(object, "parameters", describe_parameters(s, x));
    if (!w->has_run) return object;
    if (!isnan(w->look.began)) under_way_time(w->look.began, since);
    json_object_set_new(object, "executor", describe_text(w->look.executor));
    json_object_set_new(object, "since", text_or_null(since));
    json_object_set_new(object, "seconds", describe_number(w->seconds));
    json_object_set_new(object, "host", text_or_null(w->look.host));
    if (w->look.process) json_object_set_new(object, "process", json_integer(w->look.process));
    if (strcmp(w->look.executor, "local") != 0)
        json_object_set_new(object, "queue", text_or_null(w->look.queue));
    json_object_set_new(object, "folder", text_or_null(w->look.folder));
    return object;
}
