/* The readers of results, and the reasons they give. */
#include "fixture.h"

#include "run/instruction.h"
#include "run/results.h"

typedef gofh_status (*reader)(const simulator *, const char *, const char *, size_t, double *, gofh_error *);

static double y[64];

static void check_wrong(reader read, const simulator *sim, const char *text, const char *expected)
{
    gofh_error error = {.status = GOFH_OK};
    assert_int_equal(read(sim, "r", text, strlen(text), y, &error), GOFH_ERROR_ARGUMENT);
    assert_string_equal(error.message, expected);
}

static void check_right(reader read, const simulator *sim, const char *text)
{
    static const double EXPECTED[] = {1.5, -2.0, 3e-3, 4.0};
    gofh_error error = {.status = GOFH_OK};
    memset(y, 0, sizeof y);
    if (read(sim, "r", text, strlen(text), y, &error) != GOFH_OK) fail_msg("%s: %s", text, error.message);
    for (int i = 0; i < 4; i++) check_near(y[i], EXPECTED[i], 0.0);
}

static void json_results(void **state)
{
    (void)state;
    simulator sim = describe("true");
    check_right(results_json, &sim, "{\"c\": [1.5, -2, 3e-3], \"t\": 4, \"extra\": {\"a\": null}}");
    check_right(results_json, &sim, "{\"t\": [4], \"c\": [1.5, -2, 0.003]}");
    check_wrong(results_json, &sim, "",
                "r:1: '[' or '{' expected near end of file (the file is cut or empty)");
    check_wrong(results_json, &sim, "{\"c\": [1,\n 2",
                "r:2: ']' expected near end of file (the file is cut or empty)");
    check_wrong(results_json, &sim, "[1, 2, 3, 4]",
                "r holds an array, an object with the outputs was expected");
    check_wrong(results_json, &sim, "{\"c\": [1, 2, 3]}", "r has no \"t\"; it has \"c\"");
    check_wrong(results_json, &sim, "{}", "r has no \"c\"; it has nothing");
    check_wrong(results_json, &sim,
                "{\"T\": 4, \"d\": 1, \"e\": 1, \"f\": 1, \"g\": 1, \"h\\u001b[2J\": 1, \"i\": 2}",
                "r has no \"c\"; it has \"T\", \"d\", \"e\", \"f\", \"g\", \"h [2J\", ...");
    check_wrong(results_json, &sim, "{\"c\": [1, 2], \"t\": 4}", "r: c has 2 values, 3 were expected");
    check_wrong(results_json, &sim, "{\"c\": [1, 2, 3, 4], \"t\": 4}", "r: c has 4 values, 3 were expected");
    check_wrong(results_json, &sim, "{\"c\": 1, \"t\": 4}",
                "r: c is a number, an array of 3 numbers was expected");
    check_wrong(results_json, &sim, "{\"c\": [1, null, 3], \"t\": 4}",
                "r: c[1] is null, a number was expected");
    check_wrong(results_json, &sim, "{\"c\": [1, 2, 3], \"t\": \"4\"}",
                "r: t is a text, a number was expected");
    check_wrong(results_json, &sim, "{\"c\": [1, NaN, 3], \"t\": 4}",
                "r:1: c[1] is NaN, a finite number was expected");
    check_wrong(results_json, &sim, "{\"c\": [1, 2, 3],\n\"t\": -Infinity}",
                "r:2: t is -Infinity, a finite number was expected");
    check_wrong(results_json, &sim, "{\"a\\\"\": {\"b\": [2, 3]}, \"t\": 4, \"c\": [1, 2, nan]}",
                "r:1: c[2] is nan, a finite number was expected");
    check_wrong(results_json, &sim, "{\"c\": [1, 2, 3], \"t\": oops}", "r:1: invalid token near 'oops'");
    check_wrong(results_json, &sim, "{\"c\": [1, 2, 1e999], \"t\": 4}",
                "r:1: real number overflow near '1e999'");
}

static void plain_results(void **state)
{
    (void)state;
    simulator sim = describe("true");
    check_right(results_plain, &sim, "1.5 -2\n3e-3\t4\n");
    check_right(results_plain, &sim, "# from savetxt\r\n1.5\r\n-2.\r\n.3D-2\r\n+4.0-000\r\n");
    check_wrong(results_plain, &sim, "", "r ends after 0 of 4 numbers, before c[0]");
    check_wrong(results_plain, &sim, "1 2 3", "r ends after 3 of 4 numbers, before t");
    check_wrong(results_plain, &sim, "1 2\n3 4\n5", "r:3: more than the 4 numbers that were expected");
    check_wrong(results_plain, &sim, "1 2\n3 nan", "r:2: \"nan\" is not a finite number");
    check_wrong(results_plain, &sim, "1 2 3 -Infinity", "r:1: \"-Infinity\" is not a finite number");
    check_wrong(results_plain, &sim, "1 2 3 1e400", "r:1: \"1e400\" is not a finite number");
    check_wrong(results_plain, &sim, "1\n2\n********\n4", "r:3: \"********\" is not a number");
    check_wrong(results_plain, &sim, "1 2 0x10 4", "r:1: \"0x10\" is not a number");
    check_wrong(
        results_plain, &sim, "1 2 0,75 4",
        "r:1: \"0,75\" has a decimal comma: numbers have a point, which LC_ALL=C in the environment of "
        "the simulator gives them");
    check_wrong(results_plain, &sim, "1 2 0,7,5 4", "r:1: \"0,7,5\" is not a number");
    check_wrong(results_plain, &sim, "1 2 3e 4", "r:1: \"3e\" is not a number");
    check_wrong(results_plain, &sim, "1 2 \033[2J 4", "r:1: \" [2J\" is not a number");
}

static void dakota_results(void **state)
{
    (void)state;
    simulator sim = describe("true");
    check_right(results_dakota, &sim, "1.5 c_1\n-2 c_2\n3e-3 c_3\n4 t\n");
    check_right(results_dakota, &sim, "1.5\n-2\n3e-3\n4\n");
    /* The form of the user's manual, with gradients and a Hessian over two lines. */
    check_right(results_dakota, &sim,
                "1.5 f\n-2 c1\n3e-3 c2\n4 c3\n[ 5.0e-01 5.0e-01 ]\n[[ 3.0e+00 0.0e+00\n   0.0e+00 3.0e+00 "
                "]]\n12 seconds\n");
    check_wrong(results_dakota, &sim, "FAIL\n", "r says \"fail\": the simulator gave up");
    check_wrong(results_dakota, &sim, "1 a\n2 b\n3 c\n", "r ends after 3 of 4 numbers, before t");
    check_wrong(results_dakota, &sim, "1 a\n2 b\n3 c\n4 d\n5 e\n",
                "r:5: more than the 4 numbers that were expected");
    check_wrong(results_dakota, &sim, "1 a\n2 b\n3 c\n4 d\n[ 1 2", "r:5: [ is never closed: the file is cut");
    check_wrong(results_dakota, &sim, "1 a\nnan b\n3 c\n4 d\n", "r:2: \"nan\" is not a finite number");
    check_wrong(results_dakota, &sim, "a 1\n", "r:1: \"a\" is not a number");
}

static void csv_results(void **state)
{
    (void)state;
    simulator sim = describe("true");
    check_right(results_csv, &sim, "time,c,t\n0,1.5,4\n1,-2,\n2,3e-3,\n");
    check_right(results_csv, &sim, "\"t\";\"c\"\r\n4;1.5\r\n;-2\r\n;0.003\r\n\r\n");
    check_right(results_csv, &sim, "run,c[0],c[1],c[2],t\n7,1.5,-2,3e-3,4\n");
    check_wrong(results_csv, &sim, "c[0],c[1],t\n1,2,4\n", "r:1: no column \"c[2]\" in \"c[0],c[1],t\"");
    check_wrong(results_csv, &sim, "c[0],c[1],c[2],t\n1,2,3,4\n1,2,3,4\n",
                "r: column \"c[0]\" has 2 values, 1 was expected");
    check_wrong(results_csv, &sim, "", "r is empty");
    check_wrong(results_csv, &sim, "time,c\n0,1\n", "r: column \"c\" has 1 value, 3 were expected");
    check_wrong(results_csv, &sim, "c,u\n1,2\n2,\n3,\n", "r:1: no column \"t\" in \"c,u\"");
    check_wrong(results_csv, &sim, "c,t\n1,4\n,\n3,\n4,\n", "r:3: column \"c\" is empty here");
    check_wrong(results_csv, &sim, "c,t\n1,4\nx,\n", "r:3: \"x\" is not a number");
    check_wrong(results_csv, &sim, "c,t\n1,4\n2,\nNaN,\n", "r:4: \"NaN\" is not a finite number");
    sim.column = "force";
    check_right(results_csv, &sim, "step\tforce\n1\t1.5\n2\t-2\n3\t3e-3\n4\t4\n");
    check_wrong(results_csv, &sim, "step,x\n1,1\n", "r:1: no column \"force\" in \"step,x\"");
    sim.column = "2";
    check_right(results_csv, &sim, "1,1.5\n2,-2\n3,3e-3\n4,4\n");
}

/* ---- Instruction files ---- */

static gofh_status follow(const simulator *sim, const char *instructions, const char *output,
                          gofh_error *error)
{
    char *seen = instruction_seen(sim);
    gofh_status status = instruction_read(sim, "i.ins", instructions, strlen(instructions), "out", output,
                                          strlen(output), y, seen, error);
    if (status == GOFH_OK) status = instruction_all_seen(sim, seen, error);
    free(seen);
    return status;
}

static void check_follow(const simulator *sim, const char *instructions, const char *output)
{
    gofh_error error = {.status = GOFH_OK};
    if (follow(sim, instructions, output, &error) != GOFH_OK) fail_msg("%s", error.message);
}

static simulator with_output(char *name, int size)
{
    static char *names[1];
    static int sizes[1];
    simulator sim = describe("true");
    names[0] = name;
    sizes[0] = size;
    sim.output_count = 1;
    sim.output_names = names;
    sim.output_sizes = sizes;
    return sim;
}

/* The texts below have the forms of the examples of PEST's manual. */

static void a_primary_marker_and_fixed_columns(void **state)
{
    (void)state;
    simulator sim = with_output("ar", 3);
    check_follow(
        &sim, "pif @\n@electrode@\nl1 [ar1]21:27\nl1 [ar2]21:27\nl1 [ar3]21:27\n",
        "SCHLUMBERGER ELECTRIC SOUNDING\nApparent resistivities\n electrode spacing  apparent resistivity\n"
        "         1.00       1.21072\n         1.47       1.51313\n         2.15       2.07536\n");
    check_near(y[0], 1.21072, 0.0);
    check_near(y[2], 2.07536, 0.0);
}

static void numbers_that_touch_are_read_by_their_columns(void **state)
{
    (void)state;
    simulator sim = with_output("a", 3);
    check_follow(&sim, "pif @\nl1 [a_1]1:8 [a_2]9:16 [a_3]17:24\n", "1236.5678495.000-900.000\n");
    check_near(y[0], 1236.567, 0.0);
    check_near(y[1], 8495.0, 0.0);
    check_near(y[2], -900.0, 0.0);
}

static void two_primary_markers_semi_fixed_columns_and_a_continued_line(void **state)
{
    (void)state;
    simulator sim = with_output("obs", 6);
    check_follow(
        &sim,
        "pif *\n*PERIOD NO. 3*\n*SOLUTION VECTOR*\nl1 (obs1)5:10 (obs2)12:17 (obs3)21:28\n"
        "& (obs4)32:37 (obs5)41:45 (obs6)50:55\n",
        "TIME PERIOD NO. 2 --->\nSOLUTION VECTOR\n    1.34356  7.59892  8.54195  5.32094  80.9443  5.49399\n"
        "TIME PERIOD NO. 3 --->\nSOLUTION VECTOR\n    2.09485  8.49021  9.39382  6.39920  79.9482  "
        "6.20983\n");
    static const double EXPECTED[] = {2.09485, 8.49021, 9.39382, 6.39920, 79.9482, 6.20983};
    for (int i = 0; i < 6; i++) check_near(y[i], EXPECTED[i], 0.0);
}

static void a_secondary_marker_that_is_missing_sends_the_search_on(void **state)
{
    (void)state;
    simulator sim = with_output("str", 2);
    check_follow(&sim, "pif %\n%TIME STEP 10% %STRAIN%\nl1 %STRAIN =% !str1!\nl1 %=% %=% !str2!\n",
                 "TIME STEP 10 (13 ITERATIONS REQUIRED) STRESS --->\nX = 1.05 STRESS = 4.35678E+03\n"
                 "TIME STEP 10 (BACK SUBSTITUTION) STRAIN --->\nX = 1.05 STRAIN = 2.56785E-03\n"
                 "X = 1.10 STRAIN = 2.34564E-03\n");
    check_near(y[0], 2.56785e-3, 0.0);
    check_near(y[1], 2.34564e-3, 0.0);
}

static void whitespace_columns_dummies_and_a_marker_after_a_number(void **state)
{
    (void)state;
    simulator sim = with_output("o", 5);
    check_follow(&sim,
                 "pif %\n%MODEL OUTPUTS:% w w w w !o1!\nl1 t60 %=% !o2!\nl1 !dum! !dum! !dum! !o[2]!\nl1 %=% "
                 "!o4! %#%\n"
                 "l1 w !O5!\n",
                 "MODEL OUTPUTS: 2.89988 4.487892 -4.59098 8.394843\n"
                 "TIME(1): A = 1.34564E-04, TIME(2): A = 1.45654E-04, TIME(3): A = 1.54982E-04\n"
                 "  4.33 n/a 23.392093 3.394382\nSOIL WATER CONTENT (NO CORRECTION)=21.345634#\na\t7\n");
    static const double EXPECTED[] = {8.394843, 1.54982e-4, 3.394382, 21.345634, 7.0};
    for (int i = 0; i < 5; i++) check_near(y[i], EXPECTED[i], 0.0);
}

static void a_name_without_a_number_stands_for_the_next_element(void **state)
{
    (void)state;
    simulator sim = describe("true");
    check_follow(&sim, "pif @\nl1 !c! !c! !c! !t!\n", "1 2 3 4");
    check_near(y[2], 3.0, 0.0);
    check_near(y[3], 4.0, 0.0);
}

static void brackets_count_from_0_and_names_of_pest_from_1(void **state)
{
    (void)state;
    simulator sim = describe("true");
    check_follow(&sim, "pif @\nl1 !c[2]! !c_1! !c2! !t!\n", "3 1 2 4");
    for (int i = 0; i < 4; i++) check_near(y[i], i + 1.0, 0.0);
    gofh_error error = {.status = GOFH_OK};
    assert_int_equal(follow(&sim, "pif @\nl1 !c[3]!\n", "1", &error), GOFH_ERROR_PROBLEM);
    assert_string_equal(error.message, "i.ins:2: \"c[3]\" is not an output, nor an element of one");
    error = (gofh_error){.status = GOFH_OK};
    assert_int_equal(follow(&sim, "pif @\nl1 !c_0!\n", "1", &error), GOFH_ERROR_PROBLEM);
    assert_string_equal(error.message, "i.ins:2: \"c_0\" is not an output, nor an element of one");
}

static void check_lost(const char *instructions, const char *output, gofh_status status, const char *expected)
{
    simulator sim = with_output("a", 1);
    gofh_error error = {.status = GOFH_OK};
    assert_int_equal(follow(&sim, instructions, output, &error), status);
    assert_string_equal(error.message, expected);
}

static void what_is_wrong_with_instructions_is_reported(void **state)
{
    (void)state;
    const gofh_status wrong = GOFH_ERROR_PROBLEM;
    check_lost("", "", wrong,
               "i.ins:1: \"\" must be \"pif\", a space and the marker delimiter, such as pif @");
    check_lost("pif a\n", "", wrong,
               "i.ins:1: \"pif a\" must be \"pif\", a space and the marker delimiter, such as pif @");
    check_lost("pif @\n!a!\n", "", wrong,
               "i.ins:2: \"!a!\" can't begin a line: a marker or a line advance such as l1 must");
    check_lost("pif @\nl1 !b!\n", "", wrong, "i.ins:2: \"b\" is not an output, nor an element of one");
    check_lost("pif @\nl1 !a! !a!\n", "", wrong, "i.ins:2: \"a\" is read twice");
    check_lost("pif @\nl1 [a]3:1\n", "", wrong,
               "i.ins:2: \"[a]3:1\" needs two columns in ascending order, such as [name]1:10");
    check_lost("pif @\nl0\n", "", wrong, "i.ins:2: \"l0\" needs a number from 1 on, such as l1 or t20");
    check_lost("pif @\nl1 x\n", "", wrong, "i.ins:2: \"x\" is not an instruction");
    check_lost("pif @\nl1 l1\n", "", wrong, "i.ins:2: \"l1\" may only stand at the beginning of a line");
    check_lost("pif @\n@open\n", "", wrong, "i.ins:2: \"@open\" is not a marker between two delimiters");
    check_lost("pif @\nl1\n", "1\n", wrong, "no instruction file reads a, which is an output");
}

static void what_is_missing_in_an_output_file_is_reported(void **state)
{
    (void)state;
    const gofh_status lost = GOFH_ERROR_ARGUMENT;
    check_lost("pif @\nl3 !a!\n", "1\n2\n", lost,
               "out:2: the file ends here, a further line was expected (i.ins:2)");
    check_lost("pif @\n@END@ !a!\n", "1\n2\n", lost, "out:2: \"END\" was not found (i.ins:2)");
    check_lost("pif @\nl1 !dum! @=@ !a!\n", "1 2\n", lost, "out:1: \"=\" was not found (i.ins:2)");
    check_lost("pif @\nl1 !a!\n", "  \n", lost, "out:1: the line ends, a number was expected (i.ins:2)");
    check_lost("pif @\nl1 [a]4:6\n", "abc   x\n", lost,
               "out:1: these columns are empty, a number was expected (i.ins:2)");
    check_lost("pif @\nl1 (a)4:6\n", "abc\n", lost,
               "out:1: these columns are empty, a number was expected (i.ins:2)");
    check_lost("pif @\nl1 !dum! [a]1:2\n", "abc 1\n", lost,
               "out:1: these columns have been passed already (i.ins:2)");
    check_lost("pif @\nl1 w !a!\n", "abc\n", lost, "out:1: no blank with something after it (i.ins:2)");
    check_lost("pif @\nl1 t9 !a!\n", "abc\n", lost, "out:1: the line is shorter than that column (i.ins:2)");
    check_lost("pif @\nl1 !dum! t1 !a!\n", "abc 1\n", lost,
               "out:1: this column has been passed already (i.ins:2)");
    check_lost("pif @\nl1 !a!\n", "NaN\n", lost, "out:1: \"NaN\" is not a finite number");
    check_lost("pif @\nl1 !a!\n", "1.5%\n", lost, "out:1: \"1.5%\" is not a number");
}

/* c is missing in part, t may be too. */
static void check_gaps(reader read, const char *text, const double *expected)
{
    static int missing[] = {1, 0};
    simulator sim = describe("true");
    sim.output_missing = missing;
    gofh_error error = {.status = GOFH_OK};
    if (read(&sim, "r", text, strlen(text), y, &error) != GOFH_OK) fail_msg("%s: %s", text, error.message);
    for (int i = 0; i < 4; i++) assert_true(isnan(expected[i]) ? isnan(y[i]) : y[i] == expected[i]);
}

static void values_may_be_missing_where_that_is_allowed(void **state)
{
    (void)state;
    static const double middle[4] = {1.0, NAN, 3.0, 4.0}, all[4] = {NAN, NAN, NAN, 4.0};
    check_gaps(results_json, "{\"c\": [1, null, 3], \"t\": 4}", middle);
    check_gaps(results_json, "{\"c\": [1, NaN, 3], \"nan\": \"NaN\", \"t\": 4}", middle);
    check_gaps(results_json, "{\"c\": null, \"t\": 4}", all);
    check_gaps(results_plain, "1 nan 3 4", middle);
    check_gaps(results_plain, "1 NA 3 4", middle);
    check_gaps(results_csv, "c,t\n1,4\n,\n3,\n", middle);
    check_gaps(results_csv, "c,t\n1,4\nNaN,\n3,\n", middle);
    check_gaps(results_csv, "c[0],c[1],c[2],t\n1,,3,4\n", middle);
    static int missing[] = {1, 0};
    simulator sim = describe("true");
    sim.output_missing = missing;
    check_wrong(results_json, &sim, "{\"c\": [1, 2, 3], \"t\": null}", "r: t is null, a number was expected");
    check_wrong(results_json, &sim, "{\"c\": [1, 2], \"t\": 4}", "r: c has 2 values, 3 were expected");
    check_wrong(results_plain, &sim, "1 2 3 nan", "r:1: \"nan\" is not a finite number");
    check_wrong(results_plain, &sim, "1 inf 3 4", "r:1: \"inf\" is not a finite number");
    check_wrong(results_csv, &sim, "c,t\n1,4\n2,\n", "r: column \"c\" has 2 values, 3 were expected");
}

/* c is a curve over s, wanted at three places; t is a number. */
static simulator describe_curve(int extend, int may_miss)
{
    static const double at[3] = {0.5, 2.0, 3.5};
    static simulator_curve curves[2];
    static int missing[2];
    simulator sim = describe("true");
    curves[0] = (simulator_curve){.at_name = "s", .at = at, .extend = extend};
    missing[0] = may_miss;
    sim.output_curves = curves;
    sim.output_missing = missing;
    return sim;
}

static void check_curve(reader read, const simulator *sim, const char *text, double a, double b, double c)
{
    const double expected[4] = {a, b, c, 4.0};
    gofh_error error = {.status = GOFH_OK};
    if (read(sim, "r", text, strlen(text), y, &error) != GOFH_OK) fail_msg("%s: %s", text, error.message);
    for (int i = 0; i < 4; i++)
        if (isnan(expected[i]))
            assert_true(isnan(y[i]));
        else
            check_near(y[i], expected[i], 1e-15);
}

static void curves_are_interpolated_where_they_are_wanted(void **state)
{
    (void)state;
    simulator sim = describe_curve(0, 0);
    check_curve(results_json, &sim, "{\"s\": [0, 1, 2, 4], \"c\": [1, 3, -2, 6], \"t\": 4}", 2.0, -2.0, 4.0);
    check_curve(results_json, &sim, "{\"s\": [0.5, 3.5], \"c\": [1, 4], \"t\": 4}", 1.0, 2.5, 4.0);
    check_curve(results_json, &sim, "{\"s\": [0, 3.499999999999], \"c\": [0, 7], \"t\": 4}",
                0.5 * 7.0 / 3.499999999999, 2.0 * 7.0 / 3.499999999999, 7.0);
    check_curve(results_csv, &sim, "s,c,t\n0,1,4\n1,3,\n2,-2,\n4,6,\n", 2.0, -2.0, 4.0);
    check_wrong(results_json, &sim, "{\"s\": [0, 3], \"c\": [1, 4], \"t\": 4}",
                "r: the curve of c ends at s = 3, before 3.5, where data are");
    check_wrong(results_csv, &sim, "s,c,t\n1,1,4\n5,3,\n",
                "r: the curve of c begins at s = 1, after 0.5, where data are");
    check_wrong(results_json, &sim, "{\"s\": [0, 2, 2, 4], \"c\": [1, 4, 5, 6], \"t\": 4}",
                "r: s[1] and s[2] are both 2: the places of c must be different");
    check_wrong(results_csv, &sim, "s,c,t\n0,1,4\n4,3,\n2,3,\n",
                "r: s[2] is 2, below the 4 before it: the places of c must increase");
    check_wrong(results_json, &sim, "{\"s\": [0, 4], \"c\": [1], \"t\": 4}",
                "r: c has 1 values, but s has 2");
    check_wrong(results_json, &sim, "{\"c\": [1], \"t\": 4}", "r has no \"s\"; it has \"c\", \"t\"");
    check_wrong(results_json, &sim, "{\"s\": 1, \"c\": [1], \"t\": 4}",
                "r: s is a number, an array of numbers was expected");
    check_wrong(results_json, &sim, "{\"s\": [], \"c\": [], \"t\": 4}", "r: c has no values");
    check_wrong(results_csv, &sim, "c,t\n0,1\n", "r:1: no column \"s\" in \"c,t\"");
    check_wrong(results_csv, &sim, "s,c,t\n0,1,4\n4,,\n", "r: column \"c\" has 1 value, 2 were expected");
}

static void a_curve_that_ends_early_may_be_extended_or_missing(void **state)
{
    (void)state;
    static const char short_one[] = "{\"s\": [0, 3], \"c\": [1, 4], \"t\": 4}",
                      with_gap[] = "{\"s\": [0, 1, 2, 4], \"c\": [1, null, 5, 7], \"t\": 4}";
    simulator sim = describe_curve(1, 0);
    check_curve(results_json, &sim, short_one, 1.5, 3.0, 4.0);
    check_wrong(results_json, &sim, "{\"s\": [1, 3], \"c\": [1, 4], \"t\": 4}",
                "r: the curve of c begins at s = 1, after 0.5, where data are");
    sim = describe_curve(0, 1);
    check_curve(results_json, &sim, short_one, 1.5, 3.0, NAN);
    check_curve(results_json, &sim, with_gap, NAN, 5.0, 6.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_results),
        cmocka_unit_test(plain_results),
        cmocka_unit_test(dakota_results),
        cmocka_unit_test(csv_results),
        cmocka_unit_test(curves_are_interpolated_where_they_are_wanted),
        cmocka_unit_test(a_curve_that_ends_early_may_be_extended_or_missing),
        cmocka_unit_test(values_may_be_missing_where_that_is_allowed),
        cmocka_unit_test(a_primary_marker_and_fixed_columns),
        cmocka_unit_test(numbers_that_touch_are_read_by_their_columns),
        cmocka_unit_test(two_primary_markers_semi_fixed_columns_and_a_continued_line),
        cmocka_unit_test(a_secondary_marker_that_is_missing_sends_the_search_on),
        cmocka_unit_test(whitespace_columns_dummies_and_a_marker_after_a_number),
        cmocka_unit_test(a_name_without_a_number_stands_for_the_next_element),
        cmocka_unit_test(brackets_count_from_0_and_names_of_pest_from_1),
        cmocka_unit_test(what_is_wrong_with_instructions_is_reported),
        cmocka_unit_test(what_is_missing_in_an_output_file_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
