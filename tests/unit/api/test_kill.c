/* A process that is killed at any moment, again and again, loses nothing that it had been told was
 * kept, does nothing twice, and ends with the suggestions of one that was left alone. */
#define _DEFAULT_SOURCE /* anonymous memory that processes share */
#include "torture.h"
#include "unit/api/stored.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

enum { BUDGET = 24 };

/* What the killed processes saw happen, written after each call returned. */
typedef struct {
    int asked[BUDGET + 1], told[BUDGET + 1];
    double x[BUDGET + 1][VALLEY_D];
} witness;

static witness *seen;

static gofh_settings settings_of(int run)
{
    static const char *const methods[] = {"gofh", "random", "ei-cf"};
    gofh_settings settings = quick_settings();
    settings.method = methods[run % 3];
    settings.seed = (uint64_t)run + 1;
    settings.budget = BUDGET;
    return settings;
}

static int tell(gofh_study *study, int64_t trial, const double *x)
{
    double y[VALLEY_M];
    valley_h(x, y, NULL);
    if (gofh_study_tell(study, trial, y)) return 1;
    seen->told[trial]++;
    return 0;
}

/* The whole life of a process; 0 when the study is finished. */
static int live(int run)
{
    gofh_settings settings = settings_of(run);
    gofh_problem *problem = valley_problem();
    gofh_study *study;
    gofh_error error = {.status = GOFH_OK};
    if (gofh_study_open(&study, stored_path, GOFH_OPEN_WRITE, problem, &settings, &error))
        return fprintf(stderr, "%s\n", error.message), 2;
    for (int64_t i = 1; i <= gofh_study_count(study); i++) {
        gofh_trial past;
        if (gofh_study_trial(study, i, &past)) return 3;
        if (past.state == GOFH_TRIAL_OPEN && tell(study, i, past.x)) return 4;
    }
    int64_t trial;
    double x[VALLEY_D];
    gofh_status status;
    while (!(status = gofh_study_ask(study, &trial, x))) {
        memcpy(seen->x[trial], x, sizeof x);
        seen->asked[trial]++;
        if (tell(study, trial, x)) return 5;
    }
    if (status < 0) return fprintf(stderr, "%s\n", gofh_study_message(study)), 6;
    gofh_study_free(study);
    gofh_problem_free(problem);
    return 0;
}

/* What a process was told is in the file, as it was told, once. */
static void check_nothing_is_lost(int run)
{
    gofh_settings settings = settings_of(run);
    gofh_error error;
    gofh_study *study = open_stored(valley_problem(), GOFH_OPEN_READ, &settings, &error);
    if (!study) assert_int_equal(error.status, GOFH_ERROR_EMPTY);
    for (int64_t i = 1; i <= BUDGET; i++) {
        assert_true(seen->asked[i] <= 1 && seen->told[i] <= 1);
        if (!seen->asked[i] && !seen->told[i]) continue;
        gofh_trial kept;
        double y[VALLEY_M];
        assert_non_null(study);
        check_ok(study, gofh_study_trial(study, i, &kept));
        if (seen->asked[i]) assert_memory_equal(kept.x, seen->x[i], sizeof seen->x[i]);
        if (!seen->told[i]) continue;
        assert_int_equal(kept.state, GOFH_TRIAL_DONE);
        valley_h(kept.x, y, NULL);
        assert_memory_equal(kept.y, y, sizeof y);
    }
    gofh_study_free(study);
}

static void check_same_as_undisturbed(int run)
{
    gofh_settings settings = settings_of(run);
    double x[BUDGET * VALLEY_D];
    gofh_study *whole = valley_study(&settings), *kept = stored_valley(GOFH_OPEN_READ, &settings);
    advance_valley(whole, BUDGET, x);
    assert_int_equal(gofh_study_count(kept), BUDGET);
    for (int64_t i = 1; i <= BUDGET; i++) {
        gofh_trial trial;
        check_ok(kept, gofh_study_trial(kept, i, &trial));
        assert_int_equal(trial.state, GOFH_TRIAL_DONE);
        assert_memory_equal(trial.x, x + (i - 1) * VALLEY_D, VALLEY_D * sizeof *x);
    }
    gofh_study_free(kept);
    gofh_study_free(whole);
}

static void killed_at_random_moments_nothing_is_lost_or_done_twice(void **state)
{
    (void)state;
    int kills = 0, most = torture_count(40, 1000), run = 0;
    dice moments = {.state = 2026};
    seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(seen != MAP_FAILED);
    for (; kills < most; run++) {
        int status = -1;
        memset(seen, 0, sizeof *seen);
        unlink(stored_path);
        while (status != 0) {
            pid_t child = fork();
            if (child == 0) _exit(live(run));
            /* After the last kill the study may end in peace. */
            long wait = (long)(3e8 * dice_uniform(&moments) * dice_uniform(&moments));
            if (kills < most) {
                nanosleep(&(struct timespec){.tv_nsec = wait}, NULL);
                kill(child, SIGKILL);
            }
            waitpid(child, &status, 0);
            if (WIFSIGNALED(status))
                kills++;
            else
                assert_int_equal(status, 0);
            check_nothing_is_lost(run);
        }
        check_same_as_undisturbed(run);
    }
    print_message("%d kills of %d studies\n", kills, run);
    munmap(seen, sizeof *seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(killed_at_random_moments_nothing_is_lost_or_done_twice, stored_setup,
                                        stored_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
