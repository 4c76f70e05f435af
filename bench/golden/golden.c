/* Records suggestions to the last bit, so that two builds can be compared on one machine: the
 * paper's problems, the constrained designs and the hardships, with the methods gofh and ei-cf.
 *
 *   golden record FILE [replications [evaluations]]    one line per suggestion
 *   golden compare OLD NEW                             where each run of OLD first differs in NEW
 */
#include "base/number.h"
#include "bench/constraints/problems.h"
#include "bench/problems/family.h"
#include "bench/replication.h"
#include "bench/sturdy/hardship.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAPER_PROBLEMS = 5, LINE = 4096, MAX_DIFFERENCES = 40 };

static const char *const METHODS[] = {"gofh", "ei-cf"};
static const bench_problem *const DESIGNS[] = {&bench_gardner, &bench_pressure_vessel, &bench_welded_beam,
                                               &bench_spring};

typedef struct {
    FILE *file;
    const char *method;
    int rep, evaluations;
} recording;

static void write_trial(const recording *r, const char *problem, gofh_study *study, int64_t id, int d)
{
    gofh_trial trial;
    hardship_must(gofh_study_trial(study, id, &trial), gofh_study_message(study));
    number_print(r->file, "%s %s %d %d %s %a", problem, r->method, r->rep, (int)id, trial.origin,
                 trial.expected);
    for (int k = 0; k < d; k++) number_print(r->file, " %a", trial.x[k]);
    fputc('\n', r->file);
}

static void record_problem(const recording *r, const bench_problem *problem)
{
    gofh_study *study;
    gofh_error error = {.status = GOFH_OK};
    bench_instance *instance = bench_replication_open(problem, r->rep, 0);
    hardship_must(instance ? GOFH_OK : GOFH_ERROR_MEMORY, "out of memory");
    hardship_must(bench_study_create(&study, instance, r->method, 1, r->rep, 0, &error), error.message);
    for (int i = 0; i < bench_design_size(problem) + r->evaluations; i++) {
        double x[BENCH_MAX_PARAMETERS], y[BENCH_MAX_OUTPUTS];
        int64_t id;
        hardship_must(gofh_study_ask(study, &id, x), gofh_study_message(study));
        write_trial(r, problem->name, study, id, problem->d);
        gofh_status status = bench_observe(instance, x, id, y) ? gofh_study_fail(study, id, "no value")
                                                               : gofh_study_tell(study, id, y);
        hardship_must(status, gofh_study_message(study));
    }
    gofh_study_free(study);
    bench_problem_close(instance);
}

static void record_hardship(const recording *r, const sturdy_problem *problem)
{
    hardship h;
    uint64_t seed = (uint64_t)r->rep + 1;
    hardship_open(&h, problem);
    gofh_study *study = hardship_study(&h, r->method, seed);
    for (int i = 0; i < 2 * (problem->d + 1) + r->evaluations; i++) {
        double x[STURDY_PARAMETERS_MAX], y[STURDY_OUTPUTS_MAX];
        int64_t id;
        hardship_must(gofh_study_ask(study, &id, x), gofh_study_message(study));
        write_trial(r, problem->name, study, id, problem->d);
        gofh_status status = hardship_evaluate(&h, seed, i, x, y) ? gofh_study_fail(study, id, "bad luck")
                                                                  : gofh_study_tell(study, id, y);
        hardship_must(status, gofh_study_message(study));
    }
    gofh_study_free(study);
    hardship_close(&h);
}

static int record(const char *path, int reps, int evaluations)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        return 2;
    }
    for (int m = 0; m < BENCH_COUNT(METHODS); m++)
        for (int rep = 0; rep < reps; rep++) {
            recording r = {.file = file, .method = METHODS[m], .rep = rep, .evaluations = evaluations};
            const sturdy_problem *hard;
            for (int i = 0; i < PAPER_PROBLEMS; i++) record_problem(&r, bench_problem_at(i));
            for (int i = 0; i < BENCH_COUNT(DESIGNS); i++) record_problem(&r, DESIGNS[i]);
            for (int i = 0; (hard = sturdy_problem_at(i)); i++) record_hardship(&r, hard);
        }
    if (fclose(file) == 0) return 0;
    perror(path);
    return 2;
}

/* The length of "problem method rep". */
static size_t run_length(const char *line)
{
    const char *at = line;
    for (int spaces = 0; *at && spaces < 3; at++) spaces += *at == ' ';
    return (size_t)(at - line);
}

static int compare(const char *old_path, const char *new_path)
{
    FILE *old = fopen(old_path, "r"), *new = fopen(new_path, "r");
    char a[LINE], b[LINE], differing[LINE] = "";
    int lines = 0, runs = 0;
    if (!old || !new) {
        perror(old ? new_path : old_path);
        if (old) fclose(old);
        if (new) fclose(new);
        return 2;
    }
    while (fgets(a, sizeof a, old)) {
        lines++;
        if (!fgets(b, sizeof b, new)) strcpy(b, "(the file ends)\n");
        if (strcmp(a, b) == 0) continue;
        size_t length = run_length(a);
        if (strncmp(a, differing, length) == 0 && differing[length] == '\0') continue;
        snprintf(differing, sizeof differing, "%.*s", (int)length, a);
        if (runs++ < MAX_DIFFERENCES) printf("- %s+ %s", a, b);
    }
    if (fgets(b, sizeof b, new)) runs++, printf("+ %s", b);
    fclose(old);
    fclose(new);
    printf("golden: %d suggestions, %d runs differ\n", lines, runs);
    return runs > 0;
}

static int number(const char *text, int usual)
{
    long value = text ? strtol(text, NULL, 10) : usual;
    return value >= 1 && value <= 1000 ? (int)value : usual;
}

int main(int argc, char **argv)
{
    if (argc >= 3 && argc <= 5 && strcmp(argv[1], "record") == 0)
        return record(argv[2], number(argc > 3 ? argv[3] : NULL, 3), number(argc > 4 ? argv[4] : NULL, 30));
    if (argc == 4 && strcmp(argv[1], "compare") == 0) return compare(argv[2], argv[3]);
    fputs("usage: golden record FILE [replications [evaluations]] | golden compare OLD NEW\n", stderr);
    return 2;
}
