/* What a simulator is given: parameters files, templates, the command, its environment, its
 * files. */
#include "fixture.h"

#include "run/command.h"
#include "run/parameters.h"
#include "run/template.h"

static void check_parameters(params_format format, const double *x, const char *expected)
{
    simulator sim = describe("true");
    buffer file = {0};
    sim.params = format;
    parameters_write(&sim, 12, x, &file);
    assert_string_equal(file.bytes, expected);
    buffer_free(&file);
}

static void json_and_plain_parameters_read_back_exactly(void **state)
{
    (void)state;
    const double x[] = {1.0 / 3.0, 5e-324};
    check_parameters(PARAMS_JSON, x, "{\n  \"M\": 0.3333333333333333,\n  \"D\": 4.94065645841247e-324\n}\n");
    check_parameters(PARAMS_PLAIN, x, "0.3333333333333333\n4.94065645841247e-324\n");
    check_parameters(PARAMS_PLAIN, POINT, "10\n0.1\n");
}

/* As the tests of Dakota's own reader have it: values end at column 43. */
static void dakota_parameters_have_its_standard_format(void **state)
{
    (void)state;
    const double x[] = {7.488318331306800e-01, -2.188638686202466e-01};
    check_parameters(PARAMS_DAKOTA, x,
                     "                                          2 variables\n"
                     "                      7.488318331306800e-01 M\n"
                     "                     -2.188638686202466e-01 D\n"
                     "                                          4 functions\n"
                     "                                          1 ASV_1:c_1\n"
                     "                                          1 ASV_2:c_2\n"
                     "                                          1 ASV_3:c_3\n"
                     "                                          1 ASV_4:t\n"
                     "                                          2 derivative_variables\n"
                     "                                          1 DVV_1:M\n"
                     "                                          2 DVV_2:D\n"
                     "                                          0 analysis_components\n"
                     "                                         12 eval_id\n");
    check_parameters(PARAMS_APREPRO, x,
                     "                    { DAKOTA_VARS     =                      2 }\n"
                     "                    { M               =  7.488318331306800e-01 }\n"
                     "                    { D               = -2.188638686202466e-01 }\n"
                     "                    { DAKOTA_FNS      =                      4 }\n"
                     "                    { ASV_1:c_1       =                      1 }\n"
                     "                    { ASV_2:c_2       =                      1 }\n"
                     "                    { ASV_3:c_3       =                      1 }\n"
                     "                    { ASV_4:t         =                      1 }\n"
                     "                    { DAKOTA_DER_VARS =                      2 }\n"
                     "                    { DVV_1:M         =                      1 }\n"
                     "                    { DVV_2:D         =                      2 }\n"
                     "                    { DAKOTA_AN_COMPS =                      0 }\n"
                     "                    { DAKOTA_EVAL_ID  =                     12 }\n");
}

static void check_template(const char *text, const char *expected)
{
    simulator sim = describe("true");
    gofh_error error = {.status = GOFH_OK};
    buffer file = {0};
    template_fill(&sim, "t", text, strlen(text), POINT, &file, &error);
    assert_string_equal(error.status == GOFH_OK ? file.bytes : error.message, expected);
    buffer_free(&file);
}

static void templates_are_filled_in(void **state)
{
    (void)state;
    check_template("", "");
    check_template("a = {{M}}\nb = {{ D }} {{D:%.3e}} {{M:%6.1f}}|{{M:%-6g}}|}}\n",
                   "a = 10\nb = 0.1 1.000e-01   10.0|10    |}}\n");
}

static void what_is_wrong_with_a_template_is_reported(void **state)
{
    (void)state;
    check_template("\n{{m}}", "t:2: \"m\" is not a parameter");
    check_template("{{M", "t:1: \"{{M\" is not closed by }} on its line");
    static const char *const FORMATS[] = {"%s",    "%n",     "%d",  "%g%g", "%*g",
                                          "%999f", "%.300e", "x%g", "",     "%lg"};
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++) {
        char text[64], expected[200];
        snprintf(text, sizeof text, "{{M:%s}}", FORMATS[i]);
        snprintf(expected, sizeof expected,
                 "t:1: \"%s\" is not a format for a number; right is for example %%.6g or %%12.4e",
                 FORMATS[i]);
        check_template(text, expected);
    }
    check_template(
        "ptf a\n",
        "t:1: \"ptf a\" must be \"ptf\", a space and the delimiter, which is neither a letter nor a "
        "digit");
    check_template("ptf #\n#Q#\n", "t:2: \"Q\" is not a parameter");
    check_template("ptf #\n#M \n", "t:2: \"#M  \" has no second delimiter on its line");
}

static void pest_templates_keep_their_columns(void **state)
{
    (void)state;
    check_template("ptf ~\n~ m      ~~D  ~ end\n", "       10.   .1 end\n");
}

static void check_fit(double value, int width, const char *expected)
{
    char text[64] = "none";
    template_fit(value, width, text);
    assert_string_equal(text, expected);
}

static void a_number_gets_all_the_digits_that_fit(void **state)
{
    (void)state;
    check_fit(1.0 / 3.0, 6, ".33333");
    check_fit(-1.0 / 3.0, 6, "-.3333");
    check_fit(123456.789, 8, "123456.8");
    check_fit(1.23456789e-7, 8, "1.235e-7");
    check_fit(1.5e20, 8, "  1.5e20");
    check_fit(0.0, 4, "  0.");
    check_fit(50.0, 3, "50.");
    check_fit(12345.0, 3, "1e4");
    check_fit(12345.0, 2, "none");
    check_fit(-1e-300, 4, "none");
    check_fit(0.1, 23, "                     .1");
}

static void check_command(const simulator *sim, const char *expected)
{
    gofh_error error = {.status = GOFH_OK};
    buffer command = {0};
    command_build(sim, 7, POINT, &command, &error);
    assert_string_equal(error.status == GOFH_OK ? command.bytes : error.message, expected);
    buffer_free(&command);
}

static void places_in_a_command_are_filled(void **state)
{
    (void)state;
    simulator sim = describe("sim {params} {results} --t={trial} \"{M}\" '{D}' {x} ${M} \\{M}");
    check_command(&sim, "sim params.json results.json --t=7 \"10\" '0.1' {x} ${M} \\{M}");
}

static void a_hostile_name_stays_one_word(void **state)
{
    (void)state;
    static const char *const HOSTILE[] = {
        "$(touch bad)", "`touch bad`", "a b;touch bad", "x'; touch bad; '",  "\"; touch bad; \"", "\\",
        "$HOME",        "*",           "\n touch bad",  "'\"$(touch bad)\"'"};
    static const char *const COMMANDS[] = {"printf %s {params} > {results}",
                                           "printf %s \"{params}\" > {results}",
                                           "printf %s '{params}' > {results}"};
    for (size_t i = 0; i < sizeof HOSTILE / sizeof *HOSTILE; i++)
        for (size_t k = 0; k < sizeof COMMANDS / sizeof *COMMANDS; k++) {
            simulator sim = describe(COMMANDS[k]);
            sim.params_file = (char *)HOSTILE[i];
            run *r = begin(&sim, 1);
            finish(r);
            assert_string_equal(get(r->folder, "results.json"), HOSTILE[i]);
            assert_string_equal(get(r->folder, "stderr.txt"), "");
            LOCAL_EXECUTOR.free_run(r);
        }
    simulator sim = describe("sim \"$(cat {params})\"");
    sim.params_file = "a b";
    check_command(
        &sim,
        "the file name \"a b\" can't be put safely into a command with $( ), ` or <<; use only letters, "
        "digits and ._- in it");
}

/* In `expected` a ~ is the folder of the problem file. */
static void check_located(const char *command, const char *expected)
{
    char text[800] = "";
    for (const char *at = expected; *at; at++) {
        size_t used = strlen(text);
        if (*at == '~')
            snprintf(text + used, sizeof text - used, "%s", problem);
        else
            snprintf(text + used, sizeof text - used, "%c", *at);
    }
    simulator sim = describe(command);
    check_command(&sim, text);
}

static void put_files(void)
{
    char path[100];
    put_in(problem, "channel", "", 0755);
    put("model.py", "");
    put("conf.ini", "");
    put("out.dat", "");
    put("modèle.py", "");
    snprintf(path, sizeof path, "%s/cases", problem);
    mkdir(path, 0777);
    put("cases/one.inp", "");
}

static void a_word_that_names_a_file_beside_the_problem_file_finds_it(void **state)
{
    (void)state;
    put_files();
    check_located("/opt/venv/bin/python model.py {M}", "/opt/venv/bin/python ~/model.py 10");
    check_located("python ./model.py", "python ~/model.py");
    check_located("env A=1 python3 model.py", "env A=1 python3 ~/model.py");
    check_located("nice -n 5 python3 -u model.py conf.ini", "nice -n 5 python3 -u ~/model.py ~/conf.ini");
    check_located("N=2 ./channel {M}; mpirun -n 2 ./channel", "N=2 ~/channel 10; mpirun -n 2 ~/channel");
    check_located("sim --config=conf.ini C=conf.ini", "sim --config=~/conf.ini C=~/conf.ini");
    check_located("MODEL=conf.ini sim", "MODEL=~/conf.ini sim");
    check_located("sh -c 'python3 model.py; exec ./channel'", "sh -c 'python3 ~/model.py; exec ~/channel'");
    check_located("sim \"conf.ini\" < cases/one.inp", "sim \"~/conf.ini\" < ~/cases/one.inp");
    check_located("sim -case cases/ ./cases", "sim -case ~/cases/ ~/cases");
}

static void a_word_that_means_something_else_stays(void **state)
{
    (void)state;
    put_files();
    check_located("sim cases . .. -conf.ini $X/conf.ini *.ini", "sim cases . .. -conf.ini $X/conf.ini *.ini");
    check_located("python3 none.py /bin/channel ./none", "python3 none.py /bin/channel ./none");
    check_located("sort out.dat << out.dat", "sort ~/out.dat << out.dat");
    put_in(problem, "env", "", 0755);
    check_located("env true", "env true");
}

/* A file of the same name may lie beside the problem file from a trial by hand: it must not be
 * written over, nor read. */
static void what_the_command_writes_is_the_runs_own(void **state)
{
    (void)state;
    put_files();
    check_located("sim > out.dat 2>&1; post out.dat", "sim > out.dat 2>&1; post out.dat");
    check_located("sim | tee out.dat; post ./out.dat", "sim | tee out.dat; post ./out.dat");
    check_located("cp $GOFH_PROBLEM_DIR/conf.ini . && sed -i s/a/b/ conf.ini && sim conf.ini",
                  "cp $GOFH_PROBLEM_DIR/conf.ini . && sed -i s/a/b/ conf.ini && sim conf.ini");
    check_located("cp conf.ini out.dat && sim out.dat", "cp ~/conf.ini out.dat && sim out.dat");
    check_located("sed s/a/b/ conf.ini > out.dat && sim out.dat",
                  "sed s/a/b/ ~/conf.ini > out.dat && sim out.dat");
    simulator_file file = {"model.py", "model.py", 0};
    simulator sim = describe("python3 model.py params.json");
    sim.files = &file;
    sim.file_count = 1;
    put("params.json", "");
    check_command(&sim, "python3 model.py params.json");
}

static void a_name_with_blanks_or_other_letters_is_found(void **state)
{
    (void)state;
    put("my model.py", "print(open('sum').read())\n");
    put("modèle.py", "");
    char expected[400];
    simulator sim = describe(
        "python3 'my model.py'; python3 \"my model.py\"; python3 my\\ model.py; x modèle.py");
    snprintf(expected, sizeof expected,
             "python3 '%s/my model.py'; python3 '%s/my model.py'; python3 '%s/my model.py'; x '%s/modèle.py'",
             problem, problem, problem, problem);
    check_command(&sim, expected);
}

static void a_program_beside_the_problem_file_needs_no_path_if_there_is_no_other(void **state)
{
    (void)state;
    put_in(problem, "gofh-test-program", "", 0755);
    put("gofh-test-text", "");
    check_located("gofh-test-program x; gofh-test-text", "~/gofh-test-program x; gofh-test-text");
}

static void a_driver_for_dakota_runs_unchanged(void **state)
{
    (void)state;
    put_in(problem, "driver",
           "#!/bin/sh\nx=$(awk '$2 == \"M\" {print $1}' \"$1\")\n[ \"$PWD/$1\" = \"$DAKOTA_PARAMETERS_FILE\" "
           "] || exit 4\n"
           "[ \"$PWD/$2\" = \"$DAKOTA_RESULTS_FILE\" ] || exit 5\n"
           "echo \"$x c_1\n2 c_2\n3 c_3\n$GOFH_TRIAL t\" > \"$2\"\n",
           0755);
    simulator sim = describe("./driver\n");
    sim.params = PARAMS_DAKOTA;
    sim.results = RESULTS_DAKOTA;
    sim.params_file = "params.in";
    sim.results_file = "results.out";
    run *r = begin(&sim, 9);
    finish(r);
    double y[4];
    char reason[RUN_REASON];
    if (run_collect(r, y, reason) != FAILED_NOT) fail_msg("%s", reason);
    check_near(y[0], 10.0, 0.0);
    check_near(y[3], 9.0, 0.0);
    LOCAL_EXECUTOR.free_run(r);
}

static void files_are_copied_linked_and_filled_in(void **state)
{
    (void)state;
    put("mesh.dat", "mesh");
    put("in.tpl", "M {{M}}\n");
    simulator_file files[] = {{"mesh.dat", "data/mesh.dat", 0}, {"mesh.dat", "linked", 1}};
    simulator_template template = {"in.tpl", "data/in"};
    simulator sim = describe("cat data/mesh.dat linked data/in; readlink linked");
    sim.params = PARAMS_TEMPLATE;
    sim.params_file = NULL;
    sim.files = files;
    sim.file_count = 2;
    sim.templates = &template;
    sim.template_count = 1;
    gofh_error error = {.status = GOFH_OK};
    assert_int_equal(run_check(&sim, &error), GOFH_OK);
    run *r = begin(&sim, 1);
    finish(r);
    char expected[200];
    snprintf(expected, sizeof expected, "meshmeshM 10\n%s/mesh.dat\n", problem);
    assert_string_equal(get(r->folder, "stdout.txt"), expected);
    LOCAL_EXECUTOR.free_run(r);
}

static void check_refused(const simulator *sim, const char *expected)
{
    gofh_error error = {.status = GOFH_OK};
    run *r;
    run_request request = {.simulator = sim, .directory = problem, .trial = 1, .x = POINT};
    assert_int_equal(LOCAL_EXECUTOR.start(&LOCAL_EXECUTOR, &request, &r, &error), GOFH_ERROR_PROBLEM);
    assert_string_equal(error.message, expected);
}

static void nothing_is_written_outside_of_the_folder_or_over_what_is_there(void **state)
{
    (void)state;
    put("in.tpl", "x");
    char path[128];
    snprintf(path, sizeof path, "%s/mesh", problem);
    assert_int_equal(mkdir(path, 0755), 0);
    simulator_file files[] = {{"mesh", "mesh", 1}, {"in.tpl", "twice", 0}};
    simulator_template template = {"in.tpl", "mesh/new"};
    simulator sim = describe("true");
    sim.files = files;
    sim.file_count = 2;
    sim.templates = &template;
    sim.template_count = 1;
    check_refused(&sim, "mesh/new would be written outside of the run's folder, through a link");
    template.to = "twice";
    check_refused(&sim, "twice is put into the run's folder twice");
    template.to = "../x";
    check_refused(&sim, "../x is not a path inside the run's folder");
    gofh_error error = {.status = GOFH_OK};
    assert_int_equal(run_check(&sim, &error), GOFH_ERROR_PROBLEM);
    assert_string_equal(
        error.message,
        "the filled-in template \"../x\" must be a path inside the run's folder, without \"..\"");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_problem, remove_problem)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_and_plain_parameters_read_back_exactly),
        cmocka_unit_test(dakota_parameters_have_its_standard_format),
        cmocka_unit_test(templates_are_filled_in),
        cmocka_unit_test(what_is_wrong_with_a_template_is_reported),
        cmocka_unit_test(pest_templates_keep_their_columns),
        cmocka_unit_test(a_number_gets_all_the_digits_that_fit),
        TEST(places_in_a_command_are_filled),
        TEST(a_hostile_name_stays_one_word),
        TEST(a_word_that_names_a_file_beside_the_problem_file_finds_it),
        TEST(a_word_that_means_something_else_stays),
        TEST(what_the_command_writes_is_the_runs_own),
        TEST(a_name_with_blanks_or_other_letters_is_found),
        TEST(a_program_beside_the_problem_file_needs_no_path_if_there_is_no_other),
        TEST(a_driver_for_dakota_runs_unchanged),
        TEST(files_are_copied_linked_and_filled_in),
        TEST(nothing_is_written_outside_of_the_folder_or_over_what_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
