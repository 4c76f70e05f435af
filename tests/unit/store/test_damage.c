/* Files that are damaged at random: each is refused, or has exactly the numbers that were
 * written. */
#include "base/random.h"
#include "gofh.h"

#include "check.h"
#include "torture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { D = 3, M = 7, TRIALS = 40, PAGE = 4096 };

static char path[64];
static unsigned char *sound, *damaged;
static size_t size;
static random_stream stream;

static gofh_problem *make_problem(void)
{
    static const double observed[4] = {0.5, -1.5, 0.25, 3.0};
    gofh_problem *problem = gofh_problem_create();
    assert_non_null(problem);
    gofh_problem_add_parameter(problem, "a", 0.0, 2.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 1.0, 100.0, GOFH_SCALE_LOG);
    gofh_problem_add_parameter(problem, "long_name_of_a_parameter", -1.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_output(problem, "c", 4);
    gofh_problem_add_output(problem, "d", 3);
    gofh_problem_set_data(problem, "observed", observed, 4);
    assert_int_equal(gofh_problem_minimize(problem, "sum((c - observed)^2) + sum(d^2)"), GOFH_OK);
    return problem;
}

static gofh_study *open_study(gofh_open_mode mode, gofh_error *error)
{
    gofh_study *study;
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.method = "random";
    *error = (gofh_error){.status = GOFH_OK};
    gofh_problem *problem = make_problem();
    gofh_status status = gofh_study_open(&study, path, mode, problem, &settings, error);
    gofh_problem_free(problem);
    assert_int_equal(status, error->status);
    return study;
}

static void evaluate(const double *x, double *y)
{
    for (int j = 0; j < M; j++) y[j] = sin(3.0 * x[0] + j) + log(x[1]) * x[2] / (1.0 + j);
}

static void write_file(const unsigned char *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

/* Trials that are done, failed, imported and open, with notes; the file's bytes are kept. */
static gofh_study *make_sound(void)
{
    gofh_error error;
    double x[D], y[M];
    int64_t trial;
    gofh_study *study = open_study(GOFH_OPEN_WRITE, &error);
    assert_non_null(study);
    for (int i = 0; i < TRIALS; i++) {
        assert_int_equal(gofh_study_ask(study, &trial, x), GOFH_OK);
        evaluate(x, y);
        if (i % 10 == 3)
            assert_int_equal(gofh_study_fail(study, trial, "it diverged after 17 steps"), GOFH_OK);
        else if (i % 10 == 7)
            assert_int_equal(gofh_study_import(study, x, y, NULL), GOFH_OK);
        else if (i % 10 != 9)
            assert_int_equal(gofh_study_tell(study, trial, y), GOFH_OK);
        assert_int_equal(gofh_study_set_note(study, trial, "seconds", "12.5"), GOFH_OK);
    }
    gofh_study_free(study);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    sound = malloc(1 << 20);
    damaged = malloc(1 << 20);
    assert_non_null(sound);
    assert_non_null(damaged);
    size = fread(sound, 1, 1 << 20, file);
    fclose(file);
    assert_true(size > 8 * PAGE && size < 1 << 20);
    study = open_study(GOFH_OPEN_READ, &error);
    assert_non_null(study);
    return study;
}

static size_t below(size_t count)
{
    return random_below(&stream, (uint32_t)count);
}

/* Damages a copy of the sound file in one of the ways that disks, cables and people have; its new
 * size. */
static size_t damage(const char **how)
{
    size_t pages = size / PAGE, a = below(pages) * PAGE, b = below(pages) * PAGE;
    memcpy(damaged, sound, size);
    switch (below(6)) {
    case 0:
        *how = "flipped bits";
        for (size_t i = 1 + below(4); i > 0; i--) damaged[below(size)] ^= (unsigned char)(1u << below(8));
        return size;
    case 1:
        *how = "other bytes";
        for (size_t i = 1 + below(16), at = below(size - 16); i > 0; i--)
            damaged[at + i - 1] = (unsigned char)below(256);
        return size;
    case 2:
        *how = "cut";
        return below(size);
    case 3:
        *how = "a block of zeros";
        a = below(size / 512) * 512;
        memset(damaged + a, 0, below(2) ? 512 : a + PAGE < size ? PAGE : size - a);
        return size;
    case 4:
        *how = "swapped pages";
        memcpy(damaged + a, sound + b, PAGE);
        memcpy(damaged + b, sound + a, PAGE);
        return size;
    default:
        *how = "a page twice";
        memcpy(damaged + a, sound + b, PAGE);
        return size;
    }
}

static int same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static int same_number(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static int same_trial(const gofh_trial *a, const gofh_trial *b)
{
    return a->state == b->state && a->imported == b->imported && same_text(a->origin, b->origin) &&
           same_number(a->expected, b->expected) && same_text(a->reason, b->reason) &&
           same_number(a->f, b->f) && memcmp(a->x, b->x, D * sizeof *a->x) == 0 && !a->y == !b->y &&
           (!a->y || memcmp(a->y, b->y, M * sizeof *a->y) == 0);
}

/* The first thing that is other in a study than in the one that was written; NULL: nothing is. */
static const char *difference(gofh_study *study, gofh_study *written)
{
    if (gofh_study_count(study) != gofh_study_count(written)) return "the number of trials";
    for (int64_t i = 1; i <= gofh_study_count(written); i++) {
        gofh_trial a, b;
        if (gofh_study_trial(study, i, &a) || gofh_study_trial(written, i, &b) || !same_trial(&a, &b))
            return "a trial";
        if (!same_text(gofh_study_note(study, i, "seconds"), gofh_study_note(written, i, "seconds")))
            return "a note";
    }
    for (int i = 0; gofh_study_log(study, i) || gofh_study_log(written, i); i++)
        if (!same_text(gofh_study_log(study, i), gofh_study_log(written, i))) return "the log";
    return NULL;
}

static void check_file(gofh_study *written, gofh_open_mode mode, int number, const char *how)
{
    gofh_error error;
    gofh_study *study = open_study(mode, &error);
    if (!study) {
        /* An empty file is one that nothing was written to yet. */
        assert_true(error.status == GOFH_ERROR_DAMAGED || error.status == GOFH_ERROR_EMPTY ||
                    error.status == GOFH_ERROR_DISK);
        assert_true(error.message[0] != '\0');
        return;
    }
    const char *other = difference(study, written);
    if (other) print_error("file %d, %s: %s differs\n", number, how, other);
    assert_null(other);
    gofh_study_free(study);
}

static void a_damaged_file_is_refused_or_has_the_right_numbers(void **state)
{
    (void)state;
    int files = torture_count(200, 1000);
    snprintf(path, sizeof path, "%s/gofh-damage-%ld.db", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm",
             (long)getpid());
    stream = random_open(1, RANDOM_TEST, 0, 0);
    gofh_study *written = make_sound();
    for (int i = 0; i < files; i++) {
        const char *how;
        size_t count = damage(&how);
        for (int mode = 0; mode < 2; mode++) {
            if (mode == GOFH_OPEN_WRITE && count == 0) continue; /* would begin a new study */
            write_file(damaged, count);
            check_file(written, (gofh_open_mode)mode, i, how);
        }
    }
    gofh_study_free(written);
    free(sound);
    free(damaged);
    static const char *const endings[] = {"", ".lock", "-journal"};
    for (int i = 0; i < 3; i++) {
        char name[sizeof path + 16];
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        unlink(name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_damaged_file_is_refused_or_has_the_right_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
