/* Any batch system, by the commands that the problem file has for it. */
#include "run/command.h"
#include "run/job.h"
#include "run/queue.h"

#include <stdio.h>
#include <string.h>

static int is_place(const char *at, const char *place)
{
    return strncmp(at, place, strlen(place)) == 0;
}

static void add_extra(const simulator_list *extra, buffer *command)
{
    for (int i = 0; i < extra->count; i++) {
        if (i > 0) buffer_text(command, " ");
        command_quote(command, extra->items[i]);
    }
}

static void add_file(const char *folder, const char *name, buffer *command)
{
    command_quote(command, folder);
    buffer_format(command, "/%s", name);
}

static void fill(const char *template, const queue_job *job, buffer *command)
{
    for (const char *at = template; *at; at++) {
        if (is_place(at, "{extra}"))
            add_extra(&job->simulator->queue.extra, command);
        else if (job->folder && is_place(at, "{name}"))
            command_quote(command, job->name);
        else if (job->folder && is_place(at, "{id}"))
            command_quote(command, job->id);
        else if (job->folder && is_place(at, "{folder}"))
            command_quote(command, job->folder);
        else if (job->folder && is_place(at, "{script}"))
            add_file(job->folder, JOB_SCRIPT, command);
        else if (job->folder && is_place(at, "{output}"))
            add_file(job->folder, JOB_OUTPUT, command);
        else {
            buffer_add(command, at, 1);
            continue;
        }
        at = strchr(at, '}');
    }
}

static void submit(const queue_job *job, buffer *command)
{
    fill(job->simulator->queue.submit, job, command);
}

static void list(const simulator *sim, buffer *command)
{
    fill(sim->queue.status, &(queue_job){.simulator = sim}, command);
}

static int read_sighting(char *line, queue_sighting *s)
{
    line += strspn(line, " \t");
    size_t length = strcspn(line, " \t\r");
    if (length == 0 || length >= sizeof s->id) return 0;
    memcpy(s->id, line, length);
    s->id[length] = '\0';
    snprintf(s->word, sizeof s->word, "queued");
    s->seen = SEEN_ALIVE;
    return 1;
}

static void cancel(const queue_job *job, buffer *command)
{
    fill(job->simulator->queue.cancel, job, command);
}

static queue_seen judge(const char *word)
{
    (void)word;
    return SEEN_ALIVE;
}

static int is_temporary(const char *errors)
{
    (void)errors;
    return 0;
}

const queue_system TEMPLATE_SYSTEM = {.name = "command",
                                      .title = "the queue",
                                      .submit = submit,
                                      .list = list,
                                      .read = read_sighting,
                                      .cancel = cancel,
                                      .judge = judge,
                                      .is_temporary = is_temporary};
