/* A run as the job of a queue: its script, its claim and its exit file, and what Slurm's words
 * mean. The script is run by the shell, whose cksum gives the checksums. */
#include "fixture.h"
#include "run/files.h"
#include "run/folder.h"
#include "run/job.h"
#include "run/queue.h"

#include <sys/wait.h>

static char *folder;

/* A folder of trial 7 with its script. */
static void make_job(const simulator *sim)
{
    gofh_error error = {.status = GOFH_OK};
    run_request request = {.simulator = sim, .directory = problem, .trial = 7, .x = POINT};
    free(folder);
    folder = folder_make(problem, 7, &error);
    assert_non_null(folder);
    if (job_write_script(&request, folder, "gofh-a-0007-1", &error) != GOFH_OK) fail_msg("%s", error.message);
}

static int run_script(void)
{
    char command[512];
    snprintf(command, sizeof command, "sh %s/job.sh 2> %s/said", folder, folder);
    return system(command);
}

static void a_job_says_how_its_command_ended_and_took_the_environment(void **state)
{
    (void)state;
    simulator sim = describe("echo \"$GOFH_TRIAL $FROM_SETUP\" > results.json; echo wrong >&2; exit 3");
    sim.setup = (simulator_list){(char *[]){"FROM_SETUP='a b'", "export FROM_SETUP"}, 2};
    job_exit end;
    make_job(&sim);
    assert_int_equal(job_read_exit(folder, &end), JOB_UNFINISHED);
    assert_false(job_is_claimed(folder));
    run_script();
    assert_true(job_is_claimed(folder));
    assert_int_equal(job_read_exit(folder, &end), JOB_FINISHED);
    assert_int_equal(end.status, 3);
    assert_false(end.timed_out);
    assert_string_equal(get(folder, "results.json"), "7 a b\n");
    assert_string_equal(get(folder, "stderr.txt"), "wrong\n");
}

static void a_job_that_is_started_twice_runs_once(void **state)
{
    (void)state;
    simulator sim = describe("echo x >> count; echo 1 > results.json");
    make_job(&sim);
    assert_int_equal(run_script(), 0);
    assert_int_equal(run_script(), 0);
    assert_string_equal(get(folder, "count"), "x\n");
    assert_non_null(strstr(get(folder, "said"), "another job has this run"));
}

static void a_job_whose_run_is_claimed_never_begins(void **state)
{
    (void)state;
    simulator sim = describe("touch began");
    make_job(&sim);
    assert_true(job_claim(folder));
    assert_false(job_claim(folder));
    assert_int_equal(run_script(), 0);
    assert_false(files_exists(folder, "began"));
}

static void a_job_of_a_study_that_was_removed_leaves_the_new_one_alone(void **state)
{
    (void)state;
    char command[512], changed[512];
    simulator sim = describe("touch began");
    make_job(&sim);
    /* The queue has a copy of the old script; the folder has another. */
    snprintf(command, sizeof command,
             "cp %s/job.sh %s/old && sed -i 's/gofh-a-0007-1/gofh-a-0007-2/' %s/job.sh", folder, folder,
             folder);
    assert_int_equal(system(command), 0);
    snprintf(changed, sizeof changed, "sh %s/old 2> %s/said", folder, folder);
    assert_int_not_equal(system(changed), 0);
    assert_false(files_exists(folder, "began"));
    assert_false(job_is_claimed(folder));
    assert_int_equal(run_script(), 0);
    assert_true(files_exists(folder, "began"));
}

static void results_that_are_not_what_the_job_saw_are_late(void **state)
{
    (void)state;
    static const char *const others[] = {"12345", "", "12346\n", "12345\n12345\n"};
    simulator sim = describe("echo 12345 > results.json");
    job_exit end;
    make_job(&sim);
    run_script();
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        put_in(folder, "results.json", others[i], 0644);
        assert_int_equal(job_read_exit(folder, &end), JOB_LATE);
        assert_string_equal(end.late, "results.json");
    }
    put_in(folder, "results.json", "12345\n", 0644);
    assert_int_equal(job_read_exit(folder, &end), JOB_FINISHED);
}

static void files_of_a_command_that_failed_are_not_late(void **state)
{
    (void)state;
    simulator sim = describe("echo 12345 > results.json; exit 3");
    job_exit end;
    make_job(&sim);
    run_script();
    put_in(folder, "results.json", "12346\n", 0644);
    assert_int_equal(job_read_exit(folder, &end), JOB_FINISHED);
    assert_int_equal(end.status, 3);
}

static void files_of_many_sizes_have_the_checksum_of_cksum(void **state)
{
    (void)state;
    /* Around powers of 256, where the number of bytes takes one more byte. */
    static const int sizes[] = {0, 1, 2, 255, 256, 257, 65535, 65536, 70000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char command[128];
        snprintf(command, sizeof command, "head -c %d /dev/urandom > results.json", sizes[i]);
        simulator sim = describe(command);
        job_exit end;
        make_job(&sim);
        run_script();
        assert_int_equal(job_read_exit(folder, &end), JOB_FINISHED);
    }
}

static void no_results_are_no_reason_to_wait(void **state)
{
    (void)state;
    simulator sim = describe("true");
    job_exit end;
    make_job(&sim);
    run_script();
    assert_int_equal(job_read_exit(folder, &end), JOB_FINISHED);
    assert_int_equal(end.status, 0);
}

static void an_exit_file_that_is_cut_is_none(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "status 0\n", "status 0\nseconds 1\nen", "end\n",
                                        "seconds 1\nend\n"};
    simulator sim = describe("true");
    job_exit end;
    make_job(&sim);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        put_in(folder, "job_exit", texts[i], 0644);
        assert_int_equal(job_read_exit(folder, &end), JOB_UNFINISHED);
    }
}

static void only_a_time_limit_that_is_over_is_one(void **state)
{
    (void)state;
    simulator slow = describe("sleep 60"), same = describe("exit 124");
    job_exit end;
    slow.timeout = 1.0;
    same.timeout = 60.0;
    make_job(&slow);
    run_script();
    assert_int_equal(job_read_exit(folder, &end), JOB_FINISHED);
    assert_true(end.timed_out);
    make_job(&same);
    run_script();
    assert_int_equal(job_read_exit(folder, &end), JOB_FINISHED);
    assert_false(end.timed_out);
    assert_int_equal(end.status, 124);
}

/* From the manual page of squeue, "job state codes". */
static void words_of_slurm_mean_what_its_manual_says(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        queue_seen seen;
    } cases[] = {
        {"7|PENDING|gofh-a-0001-1|Resources", SEEN_ALIVE},
        {"7|RUNNING|gofh-a-0001-1|None", SEEN_ALIVE},
        {"7|COMPLETING|gofh-a-0001-1|None", SEEN_ALIVE},
        {"7|SUSPENDED|gofh-a-0001-1|None", SEEN_ALIVE},
        {"7|A_WORD_TO_COME|gofh-a-0001-1|None", SEEN_ALIVE},
        {"7|COMPLETED|gofh-a-0001-1|None", SEEN_COMPLETED},
        {"7|FAILED|gofh-a-0001-1|NonZeroExitCode", SEEN_FAILED},
        {"7|TIMEOUT|gofh-a-0001-1|TimeLimit", SEEN_ENDED},
        {"7|OUT_OF_MEMORY|gofh-a-0001-1|OutOfMemory", SEEN_ENDED},
        {"7|DEADLINE|gofh-a-0001-1|None", SEEN_ENDED},
        {"7|NODE_FAIL|gofh-a-0001-1|None", SEEN_LOST},
        {"7|BOOT_FAIL|gofh-a-0001-1|None", SEEN_LOST},
        {"7|PREEMPTED|gofh-a-0001-1|None", SEEN_LOST},
        {"7|CANCELLED|gofh-a-0001-1|None", SEEN_CANCELLED},
        {"7|LAUNCH_FAILED|gofh-a-0001-1|None", SEEN_LOST},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char line[128];
        queue_sighting s = {.seen = SEEN_NOT};
        snprintf(line, sizeof line, "%s", cases[i].line);
        assert_int_equal(SLURM_SYSTEM.read(line, &s), 1);
        assert_int_equal(s.seen, cases[i].seen);
        assert_string_equal(s.id, "7");
        assert_string_equal(s.name, "gofh-a-0001-1");
    }
    char wrong[] = "slurm_load_jobs error: Unable to contact slurm controller";
    queue_sighting s = {.seen = SEEN_NOT};
    assert_int_equal(SLURM_SYSTEM.read(wrong, &s), 0);
}

/* As slurmstepd of 22.05 wrote it. */
static void what_slurm_tells_the_output_is_understood(void **state)
{
    (void)state;
    assert_string_equal(SLURM_SYSTEM.overhear("slurmstepd-vm: error: *** JOB 90 ON vm CANCELLED AT "
                                              "2026-11-17T16:34:20 DUE TO TIME LIMIT ***\n"),
                        "TIMEOUT");
    assert_string_equal(
        SLURM_SYSTEM.overhear("slurmstepd-vm: error: *** JOB 9 ON vm CANCELLED AT 2026-11-17T16:34:20 ***\n"),
        "CANCELLED");
    assert_string_equal(SLURM_SYSTEM.overhear("slurmstepd-vm: error: *** JOB 18 ON vm CANCELLED AT "
                                              "2026-11-17T22:07:27 DUE TO JOB REQUEUE ***\n"),
                        "REQUEUED");
    assert_string_equal(
        SLURM_SYSTEM.overhear("slurmstepd: error: Exceeded job memory limit at some point.\n"
                              "slurmstepd: error: *** JOB 9 ON vm CANCELLED AT 2026-11-17T22:07:27 ***\n"),
        "OUT_OF_MEMORY");
    assert_null(SLURM_SYSTEM.overhear("another job has this run: nothing to do\n"));
}

static void a_submission_asks_for_what_the_problem_file_says(void **state)
{
    (void)state;
    simulator sim = describe("true");
    buffer command = {0};
    sim.queue = (simulator_queue){.partition = "short",
                                  .memory = "16G",
                                  .cpus = 8,
                                  .time = 5430.0,
                                  .extra = {(char *[]){"--account=p 1"}, 1}};
    SLURM_SYSTEM.submit(&(queue_job){&sim, "gofh-a-0001-1", "", "/home/a %b"}, &command);
    assert_string_equal(command.bytes,
                        "sbatch --parsable --no-requeue --open-mode=append "
                        "--output='/home/a %%b/job.out' "
                        "--job-name=gofh-a-0001-1 --chdir='/home/a %b' --partition=short --cpus-per-task=8 "
                        "--mem=16G --time=90:30 '--account=p 1' '/home/a %b'/job.sh");
    buffer_free(&command);
}

/* Slurm says the same of a step that is over its own time and of all steps of a job that is. */
static void a_step_without_a_status_is_lost_unless_it_was_over_its_own_limit(void **state)
{
    (void)state;
    static const char timed_out[] =
        "slurmstepd: error: *** STEP 7.3 ON vm CANCELLED AT 2026-11-17T16:34:20 DUE TO TIME LIMIT ***\n";
    simulator sim = {.executor = EXECUTOR_SRUN};
    assert_int_equal(slurm_step_end(&sim, "srun: error: Slurm job 1 has expired\n", 3.0), SEEN_LOST);
    assert_int_equal(slurm_step_end(&sim, "", 3.0), SEEN_LOST);
    assert_int_equal(slurm_step_end(&sim, timed_out, 60.0), SEEN_LOST);
    assert_int_equal(
        slurm_step_end(&sim, "slurmstepd: error: Detected 1 oom_kill event in StepId=7.3.\n", 3.0),
        SEEN_ENDED);
    sim.queue.time = 60.0;
    assert_int_equal(slurm_step_end(&sim, timed_out, 60.0), SEEN_ENDED);
    assert_int_equal(slurm_step_end(&sim, timed_out, 20.0), SEEN_LOST);
}

static void a_step_leaves_the_status_of_its_command(void **state)
{
    (void)state;
    simulator sim = describe("");
    sim.executor = EXECUTOR_SRUN;
    buffer step = {0};
    slurm_step(&sim, "echo 'a b' > said; exit 3", &step);
    assert_false(step.failed);
    /* An srun that only runs its last three words. */
    put_in(problem, "srun", "#!/bin/sh\nwhile [ $# -gt 3 ]; do shift; done\nexec \"$@\"\n", 0755);
    char command[2000];
    snprintf(command, sizeof command, "cd %s && PATH=.:$PATH; %s", problem, step.bytes);
    int status = system(command);
    assert_int_equal(WEXITSTATUS(status), 3);
    assert_string_equal(get(problem, SLURM_STEP_STATUS), "3\n");
    assert_string_equal(get(problem, "said"), "a b\n");
    buffer_free(&step);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_says_how_its_command_ended_and_took_the_environment),
        cmocka_unit_test(a_job_that_is_started_twice_runs_once),
        cmocka_unit_test(a_job_whose_run_is_claimed_never_begins),
        cmocka_unit_test(a_job_of_a_study_that_was_removed_leaves_the_new_one_alone),
        cmocka_unit_test(results_that_are_not_what_the_job_saw_are_late),
        cmocka_unit_test(files_of_a_command_that_failed_are_not_late),
        cmocka_unit_test(files_of_many_sizes_have_the_checksum_of_cksum),
        cmocka_unit_test(no_results_are_no_reason_to_wait),
        cmocka_unit_test(an_exit_file_that_is_cut_is_none),
        cmocka_unit_test(only_a_time_limit_that_is_over_is_one),
        cmocka_unit_test(words_of_slurm_mean_what_its_manual_says),
        cmocka_unit_test(what_slurm_tells_the_output_is_understood),
        cmocka_unit_test(a_submission_asks_for_what_the_problem_file_says),
        cmocka_unit_test(a_step_without_a_status_is_lost_unless_it_was_over_its_own_limit),
        cmocka_unit_test(a_step_leaves_the_status_of_its_command),
    };
    int failures = cmocka_run_group_tests(tests, make_problem, remove_problem);
    free(folder);
    return failures;
}
