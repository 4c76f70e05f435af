/* Files that are right, and what was understood. */
#include "check.h"
#include "problem/problem_file.h"

#include <stdio.h>
#include <string.h>

#define FOLDER TEST_DATA "/problem/"
#define REST   "outputs: {c: 3}\nobjective: {minimize: sum(c^2)}\n"

static problem_file file;

static void read_or_fail(gofh_status status, const problem_error *error)
{
    char text[2048];
    problem_error_text(error, text, sizeof text);
    if (status) fail_msg("%s", text);
    gofh_study *study;
    gofh_error found = {.status = GOFH_OK};
    if (gofh_study_create(&study, file.problem, &file.settings, &found)) fail_msg("%s", found.message);
    gofh_study_free(study);
}

static void read_text(const char *text)
{
    problem_error error = {.status = GOFH_OK};
    read_or_fail(problem_file_parse(&file, FOLDER "p.yaml", text, strlen(text), &error), &error);
}

static void read_path(const char *path)
{
    problem_error error = {.status = GOFH_OK};
    read_or_fail(problem_file_read(&file, path, &error), &error);
}

static void check_channel(void)
{
    assert_int_equal(file.settings.budget, 60);
    assert_int_equal(file.settings.seed, 1);
    assert_int_equal(file.parameter_count, 4);
    assert_string_equal(file.parameters[3].name, "tau");
    check_near(file.parameters[3].upper, 30.295, 0);
    check_near(file.parameters[1].lower, 0.02, 0);
    assert_int_equal(file.parameters[1].scale, GOFH_SCALE_LOG);
    assert_int_equal(file.parameters[0].scale, GOFH_SCALE_LINEAR);
    const simulator *s = &file.simulator;
    assert_string_equal(s->command, "./channel {params} {results}");
    assert_int_equal(s->params, PARAMS_JSON);
    assert_int_equal(s->results, RESULTS_JSON);
    assert_string_equal(s->params_file, "params.json");
    assert_string_equal(s->results_file, "results.json");
    check_near(s->timeout, 30.0, 0);
    assert_int_equal(s->parallel, 2);
    assert_int_equal(s->on_failure, FAILURE_LEARN);
    assert_int_equal(s->parameter_count, 4);
    assert_string_equal(s->parameter_names[2], "L");
    assert_int_equal(s->output_count, 1);
    assert_int_equal(s->output_sizes[0], 12);
    assert_int_equal(s->directory[0], '/');
    assert_int_equal(file.data_count, 1);
    assert_string_equal(file.data[0].name, "observed");
    assert_int_equal(file.data[0].size, 12);
    check_near(file.data[0].values[11], 3.2, 0);
    assert_string_equal(file.objective, "sum((c - observed)^2)");
    assert_int_equal(file.sense, GOFH_MINIMIZE);
    assert_int_equal(file.kind, GOFH_EXPRESSION_LEAST_SQUARES);
    assert_int_equal(file.constraint_count, 0);
    problem_file_free(&file);
}

static void the_example_of_the_design_is_understood(void **state)
{
    (void)state;
    read_path(FOLDER "channel.yaml");
    check_channel();
}

static void json_is_yaml(void **state)
{
    (void)state;
    read_path(FOLDER "channel.json");
    check_channel();
}

static void what_is_not_given_has_its_default(void **state)
{
    (void)state;
    read_text("parameters: {x: [0, 1]}\n" REST);
    gofh_settings defaults;
    gofh_settings_defaults(&defaults);
    assert_int_equal(file.settings.budget, defaults.budget);
    assert_string_equal(file.settings.method, "gofh");
    assert_null(file.simulator.command);
    check_near(file.wall_clock, 0.0, 0);
    assert_int_equal(file.settings.patience, 0);
    assert_int_equal(file.settings.stop, GOFH_STOPPING_AUTO);
    assert_true(isnan(file.outputs[0].noise) && isnan(file.settings.target));
    problem_file_free(&file);
}

static void every_setting_of_a_study_is_taken(void **state)
{
    (void)state;
    read_text(
        "study: {budget: 1e2, seed: 18446744073709551615, method: ei-cf, threads: 2, initial: 7, design: "
        "sobol, target: -.5, tolerance: 1e-3, patience: 4, wall_clock: 1h30m, stop: never}\n"
        "parameters: {x: [0, 1]}\n" REST "noise: estimated\n");
    assert_int_equal(file.settings.budget, 100);
    assert_true(file.settings.seed == UINT64_MAX);
    assert_string_equal(file.settings.method, "ei-cf");
    assert_int_equal(file.settings.threads, 2);
    assert_int_equal(file.settings.initial, 7);
    assert_int_equal(file.settings.design, GOFH_DESIGN_SOBOL);
    check_near(file.settings.target, -0.5, 0);
    check_near(file.settings.tolerance, 0.001, 0);
    assert_int_equal(file.settings.patience, 4);
    assert_int_equal(file.settings.stop, GOFH_STOPPING_NEVER);
    check_near(file.wall_clock, 5400.0, 0);
    assert_int_equal(file.settings.noise, GOFH_NOISE_ESTIMATED);
    problem_file_free(&file);
}

static void start_points_are_rows_with_nan_for_what_they_leave_out(void **state)
{
    (void)state;
    read_text("start: [{b: 20, a: 0.5}, {b: 10}]\nparameters: {a: [0, 1], b: [10, 20]}\n" REST);
    assert_int_equal(file.start_count, 2);
    assert_true(file.starts[0] == 0.5 && file.starts[1] == 20.0);
    assert_true(isnan(file.starts[2]) && file.starts[3] == 10.0);
    problem_file_free(&file);
    read_text("parameters: {a: [0, 1], b: [10, 20]}\nstart: {a: 1}\n" REST);
    assert_int_equal(file.start_count, 1);
    assert_true(file.starts[0] == 1.0 && isnan(file.starts[1]));
    problem_file_free(&file);
    static const char *const none[] = {"start: []\n", "start:\n", ""};
    for (int i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text, "parameters: {a: [0, 1]}\n%s" REST, none[i]);
        read_text(text);
        assert_int_equal(file.start_count, 0);
        problem_file_free(&file);
    }
}

/* In YAML 1.1 these would be truth values, and 1:30 and 010 other numbers. */
static void words_stay_words_and_numbers_are_decimal(void **state)
{
    (void)state;
    read_text(
        "parameters: {no: [.5, 5.], y: [-1E-3, +2e1], on: [010, 11]}\n"
        "outputs: [yes, off]\nobjective: {maximize: yes - 2*off + 0*no}\nnoise: {yes: 0.5, off: {variance: "
        "0.04}}\n");
    assert_string_equal(file.parameters[0].name, "no");
    check_near(file.parameters[0].lower, 0.5, 0);
    check_near(file.parameters[0].upper, 5.0, 0);
    check_near(file.parameters[1].lower, -0.001, 0);
    check_near(file.parameters[1].upper, 20.0, 0);
    check_near(file.parameters[2].lower, 10.0, 0);
    assert_string_equal(file.outputs[1].name, "off");
    check_near(file.outputs[0].noise, 0.25, 0);
    check_near(file.outputs[1].noise, 0.04, 0);
    assert_int_equal(file.sense, GOFH_MAXIMIZE);
    problem_file_free(&file);
}

static void every_part_of_a_simulator_is_taken(void **state)
{
    (void)state;
    read_text("parameters: {x: [0, 1]}\n" REST "simulator:\n"
              "  command: |\n"
              "    awk '{print $1}' ${HOME}/a {x} {trial}\n"
              "  params: template\n"
              "  results: instruction\n"
              "  templates: [model.inp.tpl, {from: model.inp.tpl, to: deck/b.txt}]\n"
              "  files: [measured.csv, {from: three.csv, to: t.csv, link: true}]\n"
              "  instructions: [{instruction: out.ins, file: out.txt}]\n"
              "  timeout: 90\n"
              "  on_failure: {retry: 2}\n");
    const simulator *s = &file.simulator;
    assert_int_equal(s->params, PARAMS_TEMPLATE);
    assert_int_equal(s->template_count, 2);
    assert_string_equal(s->templates[0].to, "model.inp");
    assert_string_equal(s->templates[1].to, "deck/b.txt");
    assert_string_equal(s->params_file, "model.inp");
    assert_int_equal(s->results, RESULTS_INSTRUCTION);
    assert_null(s->results_file);
    assert_int_equal(s->file_count, 2);
    assert_string_equal(s->files[0].to, "measured.csv");
    assert_int_equal(s->files[0].link, 0);
    assert_string_equal(s->files[1].from, "three.csv");
    assert_int_equal(s->files[1].link, 1);
    assert_string_equal(s->instructions[0].file, "out.txt");
    check_near(s->timeout, 90.0, 0);
    assert_int_equal(s->parallel, 1);
    assert_int_equal(s->on_failure, FAILURE_RETRY);
    assert_int_equal(s->retries, 2);
    problem_file_free(&file);
    read_text("parameters: {x: [0, 1]}\n" REST
              "simulator: {command: run, params: {format: dakota, file: in/p}, "
              "results: {format: csv, column: 2, file: o.csv}, on_failure: 'retry: 3'}\n");
    assert_string_equal(file.simulator.params_file, "in/p");
    assert_string_equal(file.simulator.column, "2");
    assert_string_equal(file.simulator.results_file, "o.csv");
    assert_int_equal(file.simulator.retries, 3);
    problem_file_free(&file);
}

static void where_a_simulator_runs_is_taken(void **state)
{
    (void)state;
    read_text("parameters: {x: [0, 1]}\n" REST "simulator:\n"
              "  command: run\n"
              "  executor: slurm\n"
              "  slurm: {partition: short, time: 1h30m, cpus: 8, memory: 16G, extra: [-A, p1], grace: 30s}\n"
              "  setup: module load foam\n");
    const simulator *s = &file.simulator;
    assert_int_equal(s->executor, EXECUTOR_SLURM);
    assert_string_equal(s->queue.partition, "short");
    assert_string_equal(s->queue.memory, "16G");
    assert_int_equal(s->queue.cpus, 8);
    assert_true(s->queue.time == 5400.0 && s->queue.grace == 30.0);
    assert_int_equal(s->queue.extra.count, 2);
    assert_string_equal(s->queue.extra.items[1], "p1");
    assert_int_equal(s->setup.count, 1);
    assert_string_equal(s->setup.items[0], "module load foam");
    problem_file_free(&file);
    read_text("parameters: {x: [0, 1]}\n" REST
              "simulator: {command: run, executor: command, queue: {preset: pbs, cancel: stop}}\n");
    assert_int_equal(file.simulator.executor, EXECUTOR_COMMAND);
    assert_non_null(strstr(file.simulator.queue.submit, "qsub "));
    assert_string_equal(file.simulator.queue.cancel, "stop");
    assert_true(file.simulator.queue.grace == 120.0);
    problem_file_free(&file);
}

static void data_come_from_columns_lists_and_numbers(void **state)
{
    (void)state;
    read_text(
        "parameters: {x: [0, 1]}\noutputs: {c: 3}\n"
        "data: {s: {file: three.csv, column: sigma}, sigma: three.csv, t: {file: three.csv, column: 1}, "
        "list: [1, 2, 3], k: 2}\n"
        "objective: {minimize: sum(((c - list)/s)^2) + k + sum(t) + sum(sigma)}\n"
        "constraints: [\"c >= 0\", \"max(c) <= 9\"]\n");
    assert_int_equal(file.data_count, 5);
    check_near(file.data[0].values[2], 0.3, 0);
    check_near(file.data[1].values[0], 0.1, 0);
    check_near(file.data[2].values[2], 2.0, 0);
    check_near(file.data[3].values[1], 2.0, 0);
    assert_int_equal(file.data[4].size, 1);
    assert_null(file.data[4].path);
    assert_int_equal(file.constraint_count, 2);
    assert_string_equal(file.constraints[1], "max(c) <= 9");
    problem_file_free(&file);
}

static void aliases_share_what_they_name(void **state)
{
    (void)state;
    read_text("parameters: {a: &range {lower: 1, upper: 2, scale: log}, b: *range}\n" REST);
    check_near(file.parameters[1].upper, 2.0, 0);
    assert_int_equal(file.parameters[1].scale, GOFH_SCALE_LOG);
    problem_file_free(&file);
}

static void a_byte_order_mark_and_crlf_are_fine(void **state)
{
    (void)state;
    read_text(
        "\xef\xbb\xbfparameters: {x: [0, 1]}\r\noutputs: {c: 3}\r\nobjective:\r\n  minimize: sum(c)\r\n");
    assert_int_equal(file.kind, GOFH_EXPRESSION_LINEAR);
    assert_string_equal(file.objective, "sum(c)");
    problem_file_free(&file);
    problem_error error = {.status = GOFH_OK};
    const char *text = "\xef\xbb\xbfparameters: {\xc3\xa4-b: [0, 1]}\r\n";
    assert_int_equal(problem_file_parse(&file, "p.yaml", text, strlen(text), &error), GOFH_ERROR_PROBLEM);
    assert_int_equal(error.line, 1);
    assert_int_equal(error.column, 14);
}

static void names_may_have_letters_of_other_scripts(void **state)
{
    (void)state;
    read_text("parameters: {α: [0, 1], \"длина\": [1, 2], é2: [0, 3]}\noutputs: {σ: 2}\n"
              "data: {größe: [1, 2]}\n"
              "simulator: {command: \"./s {α} {длина} {é2}\"}\n"
              "objective: {minimize: \"sum((α*σ - größe)^2) + é2*длина\"}\n"
              "constraints: [\"α <= é2\"]\n");
    assert_string_equal(file.parameters[0].name, "α");
    assert_string_equal(file.parameters[1].name, "длина");
    assert_string_equal(file.data[0].name, "größe");
    problem_file_free(&file);
}

static void data_are_read_with_what_belongs_to_them(void **state)
{
    (void)state;
    static const double at[5] = {0.0, 0.5, 1.0, 2.0, 4.0}, value[5] = {1.0, NAN, 0.4, NAN, 0.25},
                        sigma[5] = {0.1, 1.0, 0.2, 1.0, 0.5};
    read_text("parameters: {x: [0, 1]}\noutputs: {V: 5, I: 2}\n"
              "data:\n"
              "  m: {file: gaps.csv, column: V, sigma: dV, at: t, unit: mV, label: voltage}\n"
              "  i: {values: [2, 4], sigma: 0.5, at: [1, 3]}\n"
              "objective: {fit: {V: m, I: {data: i, residual: log, loss: huber, threshold: 2}}}\n");
    const problem_data *m = &file.data[0], *i = &file.data[1];
    assert_int_equal(m->size, 5);
    assert_int_equal(m->missing, 2);
    for (int k = 0; k < 5; k++) {
        check_near(m->at[k], at[k], 0);
        assert_true(isnan(value[k]) ? isnan(m->values[k]) : m->values[k] == value[k]);
        if (!isnan(value[k])) check_near(m->sigma[k], sigma[k], 0);
    }
    assert_string_equal(m->at_name, "t");
    assert_string_equal(m->unit, "mV");
    assert_string_equal(m->label, "voltage");
    assert_int_equal(i->sigma_size, 1);
    check_near(i->sigma[0], 0.5, 0);
    check_near(i->at[1], 3.0, 0);
    assert_null(i->at_name);
    assert_int_equal(file.fit_count, 2);
    assert_int_equal(file.fits[1].output, 1);
    assert_int_equal(file.fits[1].data, 1);
    assert_string_equal(file.objective, "sum(((known(V, m) - known(m))/known(m_sigma, m))^2) + "
                                        "sum(huber(((log(I) - log(i))/(i_sigma/i)), 2))");
    assert_int_equal(file.kind, GOFH_EXPRESSION_GENERAL);
    problem_file_free(&file);
}

static void a_curve_has_the_size_of_its_data(void **state)
{
    (void)state;
    read_text("parameters: {x: [0, 1]}\noutputs: {peak: 1, V: {at: time, extend: last}, W: 2}\n"
              "data: {m: {file: gaps.csv, column: V, at: t}, other: {values: [1, 2], at: [3, 4]}}\n"
              "objective: {fit: {V: {data: m}, W: other}}\n"
              "simulator: {command: run}\n");
    const simulator_curve *curve = file.simulator.output_curves;
    assert_int_equal(file.outputs[1].size, 5);
    assert_null(curve[0].at_name);
    assert_null(curve[2].at_name);
    assert_string_equal(curve[1].at_name, "time");
    assert_int_equal(curve[1].extend, 1);
    check_near(curve[1].at[4], 4.0, 0);
    problem_file_free(&file);
    read_text("parameters: {x: [0, 1]}\noutputs: {V: {at: t}}\n"
              "data: {m: {values: [1, 2], at: [3, 4]}, w: 2}\nobjective: {minimize: sum(abs(V - m))}\n");
    assert_int_equal(file.outputs[0].size, 2);
    problem_file_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_design_is_understood),
        cmocka_unit_test(json_is_yaml),
        cmocka_unit_test(a_curve_has_the_size_of_its_data),
        cmocka_unit_test(data_are_read_with_what_belongs_to_them),
        cmocka_unit_test(what_is_not_given_has_its_default),
        cmocka_unit_test(every_setting_of_a_study_is_taken),
        cmocka_unit_test(start_points_are_rows_with_nan_for_what_they_leave_out),
        cmocka_unit_test(words_stay_words_and_numbers_are_decimal),
        cmocka_unit_test(every_part_of_a_simulator_is_taken),
        cmocka_unit_test(where_a_simulator_runs_is_taken),
        cmocka_unit_test(data_come_from_columns_lists_and_numbers),
        cmocka_unit_test(aliases_share_what_they_name),
        cmocka_unit_test(a_byte_order_mark_and_crlf_are_fine),
        cmocka_unit_test(names_may_have_letters_of_other_scripts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
