/* Runs that are ended while what the study knows of them is held. */
#include "cli/fleet.h"

#include "cli/commands.h"
#include "run/local.h"
#include "unit/api/stored.h"

#include <sys/wait.h>

/* Trials of the study's file that have this note and, as a sum, what they say. */
typedef struct {
    int count, sum;
} notes;

static notes notes_on_disk(const char *name)
{
    gofh_settings settings = quick_settings();
    gofh_study *reader = stored_valley(GOFH_OPEN_READ, &settings);
    notes found = {0, 0};
    for (int64_t i = 1; i <= gofh_study_count(reader); i++) {
        const char *note = gofh_study_note(reader, i, name);
        found.count += note != NULL;
        if (note) found.sum += (int)strtol(note, NULL, 10);
    }
    gofh_study_free(reader);
    return found;
}

/* ---- An executor that runs nothing, and looks at the file whenever a run is to end: from then on the
 * program may be killed at any time, and the end of the run must not look like a failure. ---- */

static int begun, looks, runs_then, attempts_then;

static gofh_status start_nothing(const executor *self, const run_request *request, run **result,
                                 gofh_error *error)
{
    (void)error;
    *result = calloc(1, sizeof **result);
    assert_non_null(*result);
    (*result)->executor = self;
    assert_true(request->paused);
    assert_int_equal(request->remember(request->context, "nothing 1"), 0);
    return GOFH_OK;
}

static gofh_status begin_nothing(run *r, gofh_error *error)
{
    (void)r, (void)error;
    begun++;
    return GOFH_OK;
}

static void look_at_file(run *r)
{
    (void)r;
    looks++;
    runs_then += notes_on_disk(NOTE_RUN).count;
    attempts_then += notes_on_disk(NOTE_ATTEMPTS).sum;
}

static void free_nothing(run *r)
{
    free(r);
}

static const executor NOTHING = {.start = start_nothing,
                                 .begin = begin_nothing,
                                 .cancel = look_at_file,
                                 .free_run = free_nothing,
                                 .name = "nothing"};

/* ---- */

static void show_nothing(int64_t trial, void *context)
{
    (void)trial, (void)context;
}

/* A fleet of this executor. Each run would leave a file beside the study's. */
static void open_fleet(fleet *f, session *s, const executor *where)
{
    static char *parameters[] = {"a", "b"}, *outputs[] = {"y"};
    static int sizes[] = {VALLEY_M};
    gofh_settings settings = quick_settings();
    *s = (session){.command = "run",
                   .directory = stored_folder,
                   .study = stored_valley(GOFH_OPEN_WRITE, &settings),
                   .d = VALLEY_D,
                   .m = VALLEY_M};
    s->file.simulator = (simulator){.directory = stored_folder,
                                    .command = (char *)"echo x > ../../began.{trial}; sleep 3600",
                                    .params = PARAMS_JSON,
                                    .results = RESULTS_JSON,
                                    .params_file = (char *)"params.json",
                                    .results_file = (char *)"results.json",
                                    .parallel = 3,
                                    .parameter_count = VALLEY_D,
                                    .parameter_names = parameters,
                                    .output_count = 1,
                                    .output_names = outputs,
                                    .output_sizes = sizes};
    *f = (fleet){.s = s, .executor = where, .begun = show_nothing, .settled = show_nothing};
    f->y = calloc(VALLEY_M, sizeof *f->y);
    assert_non_null(f->y);
}

static void close_fleet(fleet *f)
{
    gofh_study *study = f->s->study;
    fleet_close(f);
    gofh_study_free(study);
}

/* A trial, and its run, which waits for fleet_begin. */
static void start_one(fleet *f)
{
    double x[VALLEY_D];
    int64_t trial;
    check_ok(f->s->study, gofh_study_ask(f->s->study, &trial, x));
    assert_int_equal(fleet_start(f, trial, x), EXIT_DONE);
    assert_true(fleet_has(f, trial));
}

static void runs_that_are_ended_within_a_hold_are_first_taken_back_on_the_disk(void **state)
{
    (void)state;
    session s;
    fleet f;
    open_fleet(&f, &s, &NOTHING);
    fleet_hold(&f);
    start_one(&f);
    start_one(&f);
    assert_int_equal(begun, 0);
    assert_int_equal(notes_on_disk(NOTE_RUN).count, 0);
    assert_int_equal(fleet_begin(&f), EXIT_DONE);
    assert_int_equal(begun, 2);
    assert_int_equal(notes_on_disk(NOTE_RUN).count, 2);
    assert_int_equal(notes_on_disk(NOTE_ATTEMPTS).sum, 2);
    /* Two go on, a third waits for the disk, and all are to end. */
    fleet_hold(&f);
    start_one(&f);
    fleet_cancel(&f);
    assert_int_equal(looks, 3);
    assert_int_equal(runs_then, 0);
    assert_int_equal(attempts_then, 0);
    close_fleet(&f);
}

static void runs_that_are_ended_before_they_begin_never_do(void **state)
{
    (void)state;
    session s;
    fleet f;
    char path[128];
    open_fleet(&f, &s, &LOCAL_EXECUTOR);
    fleet_hold(&f);
    for (int i = 0; i < 3; i++) start_one(&f);
    fleet_cancel(&f);
    f.stopping = 1;
    assert_int_equal(fleet_begin(&f), EXIT_DONE);
    while (f.count > 0) {
        fleet_wait(&f, 100);
        assert_int_equal(fleet_settle(&f), EXIT_DONE);
    }
    assert_int_equal(f.done + f.failed, 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    for (int i = 1; i <= 3; i++) {
        gofh_trial trial;
        check_ok(s.study, gofh_study_trial(s.study, i, &trial));
        assert_int_equal(trial.state, GOFH_TRIAL_OPEN);
        snprintf(path, sizeof path, "%s/began.%d", stored_folder, i);
        assert_int_equal(access(path, F_OK), -1);
    }
    assert_int_equal(notes_on_disk(NOTE_RUN).count, 0);
    assert_int_equal(notes_on_disk(NOTE_ATTEMPTS).sum, 0);
    close_fleet(&f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stored_setup, stored_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(runs_that_are_ended_within_a_hold_are_first_taken_back_on_the_disk),
        TEST(runs_that_are_ended_before_they_begin_never_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
