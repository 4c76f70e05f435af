/* Random problem files with relations between parameters: whatever is asked has allowed values and meets the
 * relations, by an evaluation of the test's own; and where the values can be counted, they are.
 *
 *   test_relations [FIRST COUNT]    the problems of these seeds alone; says which took longest */
#include "check.h"
#include "problem/problem_file.h"
#include "torture.h"
#include "unit/problem/relation_files.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { COUNTED = 5000, TO_THE_END = 6 };

static long first_seed = 1, seed_count;
static double longest;
static long longest_seed;

/* All that is wrong is said before the test fails. */
static int complaints;

__attribute__((format(printf, 1, 2))) static void complain(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    putchar('\n');
    complaints++;
}

static double processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* 1: x meets all relations, -1: it breaks one, 0: it is within rounding of the edge. */
static int meets(const relation_problem *p, const double *x)
{
    int result = 1;
    for (int i = 0; i < p->relation_count; i++) {
        double rounding, margin = relation_margin(p, i, x, &rounding);
        if (!(margin >= -rounding)) return -1;
        if (margin < rounding) result = 0;
    }
    return result;
}

typedef struct {
    size_t points, allowed, edge; /* allowed for certain; not certain */
} census;

static census count_points(const relation_problem *p)
{
    census found = {.points = relation_points(p)};
    if (found.points > COUNTED) found.points = 0;
    for (size_t i = 0; i < found.points; i++) {
        double x[RELATION_PARAMETERS];
        relation_point(p, i, x);
        int at = meets(p, x);
        found.allowed += at > 0;
        found.edge += at == 0;
    }
    return found;
}

static void check_share(const relation_problem *p, const problem_file *file, census counted, long seed)
{
    double share;
    int equalities;
    if (counted.points == 0 || counted.edge > 0 || p->equalities > 0) return;
    assert_int_equal(gofh_problem_share(file->problem, &share, &equalities, NULL), GOFH_OK);
    if (fabs(share - (double)counted.allowed / (double)counted.points) > 1e-12)
        complain("seed %ld: a share of %g where %zu of %zu points are allowed", seed, share, counted.allowed,
                 counted.points);
}

static void run_study(const relation_problem *p, gofh_study *study, census counted, long seed)
{
    double x[RELATION_PARAMETERS], seen[TO_THE_END + 8][RELATION_PARAMETERS];
    int64_t id;
    size_t asked = 0;
    gofh_status status;
    while ((status = gofh_study_ask(study, &id, x)) == GOFH_OK) {
        if (!relation_allows(p, x))
            complain("seed %ld: a value of trial %d is not allowed\n%s", seed, (int)id, p->text);
        if (meets(p, x) < 0) complain("seed %ld: trial %d breaks a relation\n%s", seed, (int)id, p->text);
        for (size_t i = 0; i < asked && i < TO_THE_END + 8 && counted.points > 0; i++)
            if (memcmp(seen[i], x, (size_t)p->d * sizeof *x) == 0)
                complain("seed %ld: a point is asked twice\n%s", seed, p->text);
        if (asked < TO_THE_END + 8) memcpy(seen[asked], x, sizeof x);
        asked++;
        double y[2] = {sin(3.0 * x[0]), cos(x[p->d - 1]) + 0.1 * x[0]};
        gofh_status told = gofh_study_tell(study, id, y);
        if (told) complain("seed %ld: %s", seed, gofh_study_message(study));
    }
    if (status < 0) complain("seed %ld: %s\n%s", seed, gofh_study_message(study), p->text);
    if (status == GOFH_STOP_EXHAUSTED && counted.points > 0 &&
        (asked < counted.allowed || asked > counted.allowed + counted.edge))
        complain("seed %ld: ended after %zu of %zu points", seed, asked, counted.allowed);
}

/* Whether the problem had a study. */
static int try_seed(relation_problem *p, long seed)
{
    problem_file file;
    problem_error error = {.status = GOFH_OK};
    gofh_error refused = {.status = GOFH_OK};
    gofh_study *study = NULL;
    relation_problem_make(p, (uint64_t)seed);
    census counted = count_points(p);
    double start = processor_time();
    gofh_status status = problem_file_parse(&file, "p.yaml", p->text, strlen(p->text), &error);
    char text[2048] = "";
    if (status) problem_error_text(&error, text, sizeof text);
    int few = counted.points > 0 && counted.allowed + counted.edge <= TO_THE_END;
    if (!status && few) file.settings.budget = TO_THE_END + 2;
    if (!status && gofh_study_create(&study, file.problem, &file.settings, &refused))
        snprintf(text, sizeof text, "%s", refused.message);
    if (study) {
        if (counted.points > 0 && counted.allowed + counted.edge == 0)
            complain("seed %ld: a study of no point\n%s", seed, p->text);
        check_share(p, &file, counted, seed);
        run_study(p, study, counted, seed);
    } else {
        /* What was not found may be there, unless it can be counted; what is proved not to be
         * is not there. */
        int searched = strstr(text, "no point was found") != NULL;
        if (!searched &&
            (p->is_satisfiable || !(strstr(text, "no point meets") || strstr(text, "can't be met"))))
            complain("seed %ld: %s\n%s", seed, text, p->text);
        if (counted.allowed > 0)
            complain("seed %ld: %s, but %zu are\n%s", seed, text, counted.allowed, p->text);
    }
    gofh_study_free(study);
    if (!status) problem_file_free(&file);
    double seconds = processor_time() - start;
    if (seconds > longest) {
        longest = seconds;
        longest_seed = seed;
    }
    return study != NULL;
}

static void random_relations_are_never_broken(void **state)
{
    (void)state;
    static relation_problem p;
    long satisfiable = 0, studies = 0, count = seed_count ? seed_count : torture_count(60, 10000);
    for (long seed = first_seed; seed < first_seed + count; seed++) {
        int made = try_seed(&p, seed);
        satisfiable += p.is_satisfiable;
        studies += made && p.is_satisfiable;
        if (seed_count && p.is_satisfiable && !made) printf("seed %ld: no point was found\n", seed);
    }
    if (seed_count)
        printf("%ld of %ld have a study; the longest took %.1f s, seed %ld\n", studies, satisfiable, longest,
               longest_seed);
    assert_int_equal(complaints, 0);
    assert_true(studies >= satisfiable - satisfiable / 20);
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        first_seed = strtol(argv[1], NULL, 10);
        seed_count = strtol(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_relations_are_never_broken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
