#include "fault/problem_scenarios.h"

#include "problem/problem_file.h"
#include "run/command.h"
#include "run/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

gofh_status fault_problem_file(void)
{
    static const char text[] = "parameters: {x: &range [0, 1], y: *range}\n"
                               "start: [{x: 0.5}, {y: 1, x: 0}]\n"
                               "outputs: {c: 3}\n"
                               "data: {o: [1, 2, 3], s: {file: three.csv, column: sigma}}\n"
                               "objective: {minimize: sum(((c - o)/s)^2)}\n"
                               "constraints: [c >= 0]\n"
                               "noise: {c: 0.1}\n"
                               "simulator:\n"
                               "  command: run {params} {x}\n"
                               "  results: instruction\n"
                               "  templates: [model.inp.tpl]\n"
                               "  files: [{from: three.csv, to: t.csv}]\n"
                               "  instructions: [{instruction: out.ins, file: out.txt}]\n"
                               "  setup: [module load a, export B=1]\n"
                               "  executor: command\n"
                               "  queue: {preset: lsf, cancel: kill, extra: [-q, short], grace: 5m}\n";
    problem_file file;
    problem_error error = {.status = GOFH_OK};
    gofh_status status = problem_file_parse(&file, TEST_DATA "/problem/p.yaml", text, strlen(text), &error);
    problem_file_free(&file);
    return status;
}

gofh_status fault_problem_fit(void)
{
    static const char text[] =
        "parameters: {x: [0, 1]}\n"
        "outputs: {V: {at: time, missing: allowed}, I: 2}\n"
        "data:\n"
        "  m: {file: gaps.csv, column: V, sigma: dV, at: t, unit: mV, label: voltage}\n"
        "  i: {values: [2, 4], sigma: 0.5, at: [1, 3]}\n"
        "objective: {fit: {V: m, I: {data: i, residual: log, loss: huber, threshold: 2}}}\n";
    problem_file file;
    problem_error error = {.status = GOFH_OK};
    gofh_status status = problem_file_parse(&file, TEST_DATA "/problem/p.yaml", text, strlen(text), &error);
    gofh_study *study = NULL;
    if (!status) status = gofh_study_create(&study, file.problem, &file.settings, NULL);
    gofh_study_free(study);
    problem_file_free(&file);
    return status;
}

gofh_status fault_command(void)
{
    static char *parameters[] = {"x"};
    const double x = 0.5;
    simulator sim = {.directory = TEST_DATA "/problem",
                     .command = "sh -c 'cp out.ins o && run --data=three.csv nan.csv o' > log 'a b' {x}",
                     .params_file = "params.json",
                     .results_file = "results.json",
                     .parameter_count = 1,
                     .parameter_names = parameters};
    gofh_error error = {.status = GOFH_OK};
    buffer command = {0}, names = {0}, lost = {0};
    gofh_status status = command_build(&sim, 1, &x, &command, &error);
    if (!status) status = command_found(&sim, &names, &error);
    sim.command = "./none {x}";
    if (!status) status = command_lost(&sim, &lost, &error);
    buffer_free(&command);
    buffer_free(&lost);
    buffer_free(&names);
    return status;
}

static void put_in(const char *folder, const char *name, const char *text)
{
    char path[80];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file) return;
    fputs(text, file);
    fclose(file);
}

static void remove_from(const char *folder, const char *name)
{
    char path[80];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

gofh_status fault_job(void)
{
    static char *parameters[] = {"x"}, *setup[] = {"module load a"};
    const double x = 0.5;
    char folder[] = "/tmp/gofh_fault_job_XXXXXX";
    simulator sim = {.directory = TEST_DATA "/problem",
                     .command = "run {params} {x} > log",
                     .params_file = "params.json",
                     .results_file = "results.json",
                     .timeout = 3.0,
                     .setup = {setup, 1},
                     .parameter_count = 1,
                     .parameter_names = parameters};
    run_request request = {.simulator = &sim, .trial = 1, .x = &x};
    if (!mkdtemp(folder)) return GOFH_ERROR_SYSTEM;
    gofh_error error = {.status = GOFH_OK};
    job_exit found;
    put_in(folder, "results.json", "1\n");
    put_in(folder, JOB_EXIT, "status 3\nseconds 1\nfile 4219530715 2 results.json\nend\n");
    gofh_status status = job_write_script(&request, folder, "gofh-a-0001-1", &error);
    /* What can't be read now is looked at again later. */
    if (!status && job_read_exit(folder, &found) != JOB_FINISHED) status = GOFH_ERROR_MEMORY;
    if (!status && found.status != 3) status = GOFH_ERROR_SYSTEM;
    static const char *const names[] = {"results.json", JOB_EXIT, JOB_SCRIPT};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) remove_from(folder, names[i]);
    rmdir(folder);
    return status;
}
