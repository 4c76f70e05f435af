/* Studies of the valley (valley.h) in a file of a folder of their own. */
#ifndef TESTS_API_STORED_H
#define TESTS_API_STORED_H

#include "unit/api/valley.h"
#include "unit/store/files.h"

#include <sys/stat.h>
#include <unistd.h>

/* The study of a problem, which is freed, in the file; NULL and an error where that fails. */
static inline gofh_study *open_stored(gofh_problem *problem, gofh_open_mode mode,
                                      const gofh_settings *settings, gofh_error *error)
{
    gofh_study *study;
    *error = (gofh_error){.status = GOFH_OK};
    gofh_status status = gofh_study_open(&study, stored_path, mode, problem, settings, error);
    assert_int_equal(status, error->status);
    assert_int_equal(study == NULL, status != GOFH_OK);
    gofh_problem_free(problem);
    return study;
}

static inline gofh_study *stored_valley(gofh_open_mode mode, const gofh_settings *settings)
{
    gofh_error error;
    gofh_study *study = open_stored(valley_problem(), mode, settings, &error);
    if (!study) print_error("%s\n", error.message);
    assert_non_null(study);
    return study;
}

/* A study of ten trials in the file, the last of them open. */
static inline void make_valley_file(void)
{
    gofh_settings settings = quick_settings();
    settings.method = "gofh";
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, &settings);
    double x[VALLEY_D];
    int64_t trial;
    advance_valley(study, 9, NULL);
    check_ok(study, gofh_study_ask(study, &trial, x));
    gofh_study_free(study);
}

/* Opening the file with this problem fails, and the message has this text in it. */
static inline void check_refused(gofh_problem *problem, gofh_status expected, const char *text)
{
    gofh_error error;
    gofh_study *study = open_stored(problem, GOFH_OPEN_WRITE, NULL, &error);
    if (study || error.status != expected || !strstr(error.message, text))
        print_error("status %d, \"%s\"; expected %d, \"%s\"\n", (int)error.status, error.message,
                    (int)expected, text);
    assert_null(study);
    assert_int_equal(error.status, expected);
    assert_non_null(strstr(error.message, text));
}

#endif
