/* Slurm, by its commands. */
#include "run/command.h"
#include "run/job.h"
#include "run/queue.h"

#include <math.h>
#include <signal.h>
#include <string.h>

static void add_option(buffer *command, const char *option, const char *value)
{
    buffer_format(command, " %s=", option);
    command_quote(command, value);
}

/* Slurm's time: minutes, or minutes:seconds. */
static void add_time(buffer *command, double seconds)
{
    long long whole = (long long)ceil(seconds);
    buffer_format(command, " --time=%lld:%02lld", whole / 60, whole % 60);
}

/* What sbatch and srun are asked for alike. */
static void add_resources(const simulator_queue *q, buffer *command)
{
    if (q->cpus > 0) buffer_format(command, " --cpus-per-task=%d", q->cpus);
    if (q->memory) add_option(command, "--mem", q->memory);
    if (q->time > 0.0) add_time(command, q->time);
    for (int i = 0; i < q->extra.count; i++) {
        buffer_text(command, " ");
        command_quote(command, q->extra.items[i]);
    }
}

/* slurmstepd: error: *** JOB 7 ON node1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT *** */
static const char *overhear(const char *output)
{
    static const char *const CAUSES[][2] = {
        {"DUE TO TIME LIMIT", "TIMEOUT"},
        {"DUE TO PREEMPTION", "PREEMPTED"},
        {"DUE TO NODE FAILURE", "NODE_FAIL"},
        {"DUE TO JOB REQUEUE", "REQUEUED"},
        {"oom-kill event", "OUT_OF_MEMORY"},
        {"oom_kill event", "OUT_OF_MEMORY"},
        {"xceeded job memory limit", "OUT_OF_MEMORY"},
        {"exceeded memory limit", "OUT_OF_MEMORY"},
        {" CANCELLED AT ", "CANCELLED"} /* last: the lines above come with it */};
    for (size_t i = 0; i < sizeof CAUSES / sizeof CAUSES[0]; i++)
        if (strstr(output, CAUSES[i][0])) return CAUSES[i][1];
    return NULL;
}

void slurm_step(const simulator *sim, const char *command, buffer *step)
{
    buffer_text(step, "exec srun --exact --nodes=1 --ntasks=1 --input=none --quiet");
    add_resources(&sim->queue, step);
    buffer_text(step, " /bin/sh -c ");
    buffer inner = {0};
    buffer_format(&inner,
                  ": > " SLURM_STEP_BEGUN "\n(%s\n)\nstatus=$?\necho $status > " SLURM_STEP_STATUS_NEW
                  " && mv -f " SLURM_STEP_STATUS_NEW " " SLURM_STEP_STATUS "\nexit $status",
                  command);
    if (inner.failed)
        step->failed = 1;
    else
        command_quote(step, inner.bytes);
    buffer_free(&inner);
}

int slurm_step_was_ended(int status, const char *errors)
{
    return status == 128 + SIGTERM || overhear(errors) != NULL;
}

queue_seen slurm_step_end(const simulator *sim, const char *errors, double seconds)
{
    const char *word = overhear(errors);
    if (word && strcmp(word, "OUT_OF_MEMORY") == 0) return SEEN_ENDED;
    /* The same is said of all steps when the allocation's own time is over. */
    int timed_out = word && strcmp(word, "TIMEOUT") == 0;
    return timed_out && sim->queue.time > 0.0 && seconds >= sim->queue.time - 1.0 ? SEEN_ENDED : SEEN_LOST;
}

/* In the name of an output Slurm reads %, also in the folder that a plain name would be in. */
static void add_output(buffer *command, const char *folder)
{
    buffer path = {0};
    for (; *folder; folder++) buffer_add(&path, *folder == '%' ? "%%" : folder, *folder == '%' ? 2 : 1);
    buffer_text(&path, "/" JOB_OUTPUT);
    if (path.failed)
        command->failed = 1;
    else
        add_option(command, "--output", path.bytes);
    buffer_free(&path);
}

static void submit(const queue_job *job, buffer *command)
{
    const simulator_queue *q = &job->simulator->queue;
    buffer_text(command, "sbatch --parsable --no-requeue --open-mode=append");
    add_output(command, job->folder);
    add_option(command, "--job-name", job->name);
    add_option(command, "--chdir", job->folder);
    if (q->partition) add_option(command, "--partition", q->partition);
    add_resources(q, command);
    buffer_text(command, " ");
    command_quote(command, job->folder);
    buffer_text(command, "/" JOB_SCRIPT);
}

static void list(const simulator *sim, buffer *command)
{
    (void)sim;
    buffer_text(command, "squeue --me --states=all --noheader --format='%i|%T|%j|%r'");
}

/* Words of later versions count as alive: the exit file tells the end of a job in any case. */
static queue_seen judge(const char *word)
{
    static const struct {
        const char *word;
        queue_seen seen;
    } ENDS[] = {{"COMPLETED", SEEN_COMPLETED}, {"FAILED", SEEN_FAILED},     {"TIMEOUT", SEEN_ENDED},
                {"OUT_OF_MEMORY", SEEN_ENDED}, {"DEADLINE", SEEN_ENDED},    {"NODE_FAIL", SEEN_LOST},
                {"BOOT_FAIL", SEEN_LOST},      {"PREEMPTED", SEEN_LOST},    {"LAUNCH_FAILED", SEEN_LOST},
                {"CANCELLED", SEEN_CANCELLED}, {"RECONFIG_FAIL", SEEN_LOST}};
    for (size_t i = 0; i < sizeof ENDS / sizeof ENDS[0]; i++)
        if (strcmp(word, ENDS[i].word) == 0) return ENDS[i].seen;
    return SEEN_ALIVE;
}

static int take_field(char **line, char *field, size_t size)
{
    char *end = strchr(*line, '|');
    if (!end || (size_t)(end - *line) >= size) return 0;
    memcpy(field, *line, (size_t)(end - *line));
    field[end - *line] = '\0';
    *line = end + 1;
    return 1;
}

static int read_sighting(char *line, queue_sighting *s)
{
    if (!take_field(&line, s->id, sizeof s->id) || !take_field(&line, s->word, sizeof s->word) ||
        !take_field(&line, s->name, sizeof s->name))
        return 0;
    size_t length = strcspn(line, "|");
    if (length >= sizeof s->reason) length = sizeof s->reason - 1;
    memcpy(s->reason, line, length);
    s->reason[length] = '\0';
    s->seen = judge(s->word);
    return 1;
}

static void cancel(const queue_job *job, buffer *command)
{
    buffer_text(command, "scancel");
    /* All of that name: a lost answer may have left two. */
    add_option(command, "--name", job->name);
}

static void account(const queue_job *job, buffer *command)
{
    buffer_text(command, "sacct --noheader --parsable2 --allocations --format=State --starttime=now-60days");
    /* A controller that lost its state counts jobs from the beginning again. */
    add_option(command, "--name", job->name);
    if (job->id[0]) add_option(command, "--jobs", job->id);
}

static int is_temporary(const char *errors)
{
    static const char *const words[] = {"MaxSubmitJob",       "temporarily",
                                        "timed out",          "Unable to contact",
                                        "Connection refused", "Zero Bytes were transmitted"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(errors, words[i])) return 1;
    return 0;
}

const queue_system SLURM_SYSTEM = {.name = "slurm",
                                   .title = "Slurm",
                                   .tells_ends = 1,
                                   .submit = submit,
                                   .list = list,
                                   .read = read_sighting,
                                   .cancel = cancel,
                                   .account = account,
                                   .overhear = overhear,
                                   .judge = judge,
                                   .is_temporary = is_temporary};
