/* NumPy's files and raw doubles. The headers are as NumPy 2.2 writes them; python/tests has files
 * that it has written. */
#include "fixture.h"

#include "run/results.h"

#include <stdint.h>

static char file[512];
static size_t length;
static double y[4];

/* The doubles 1.5, -2, 0.003 and 4, the lowest byte first. */
static const char DOUBLES[] = "\0\0\0\0\0\0\xf8\x3f"
                              "\0\0\0\0\0\0\0\xc0"
                              "\xfa~j\xbct\x93h\x3f"
                              "\0\0\0\0\0\0\x10@";
/* The floats 1.5, -2, 0.25 and 4. */
static const char FLOATS[] = "\0\0\xc0\x3f"
                             "\0\0\0\xc0"
                             "\0\0\x80\x3e"
                             "\0\0\x80@";

static void add(const void *bytes, size_t count)
{
    assert_true(length + count <= sizeof file);
    memcpy(file + length, bytes, count);
    length += count;
}

/* A .npy file of this version, header and numbers. */
static void make(int version, const char *header, const char *numbers, size_t count)
{
    size_t size = strlen(header);
    const char begin[8] = {'\x93', 'N', 'U', 'M', 'P', 'Y', (char)version, 0};
    const char bytes[4] = {(char)size, 0, 0, 0};
    length = 0;
    add(begin, 8);
    add(bytes, version == 1 ? 2 : 4);
    add(header, size);
    add(numbers, count);
}

#define HEADER(type, order, shape)                                                                           \
    "{'descr': " type ", 'fortran_order': " order ", 'shape': " shape ", }          \n"

static gofh_status read_npy(const simulator *sim, gofh_error *error)
{
    /* A copy of exactly its size, so that a reader that goes on is caught by sanitizers. */
    char *bytes = malloc(length ? length : 1);
    assert_non_null(bytes);
    memcpy(bytes, file, length);
    gofh_status status = results_npy(sim, "r", bytes, length, y, error);
    free(bytes);
    return status;
}

static void check_read(const double *expected)
{
    simulator sim = describe("true");
    gofh_error error = {.status = GOFH_OK};
    memset(y, 0, sizeof y);
    if (read_npy(&sim, &error)) fail_msg("%s", error.message);
    assert_memory_equal(y, expected, sizeof y);
}

static void check_refused(const char *message)
{
    simulator sim = describe("true");
    gofh_error error = {.status = GOFH_OK};
    assert_int_equal(read_npy(&sim, &error), GOFH_ERROR_ARGUMENT);
    assert_string_equal(error.message, message);
}

static const double EXPECTED[4] = {1.5, -2.0, 3e-3, 4.0}, EXPECTED_FLOATS[4] = {1.5, -2.0, 0.25, 4.0};

static void arrays_of_doubles_and_floats_are_read_in_all_versions(void **state)
{
    (void)state;
    for (int version = 1; version <= 3; version++) {
        make(version, HEADER("'<f8'", "False", "(4,)"), DOUBLES, 32);
        check_read(EXPECTED);
        make(version, HEADER("'<f4'", "False", "(4,)"), FLOATS, 16);
        check_read(EXPECTED_FLOATS);
    }
}

static void shapes_and_orders_that_mean_the_same_are_the_same(void **state)
{
    (void)state;
    static const char *const headers[] = {HEADER("'<f8'", "False", "(2, 2)"), HEADER("'<f8'", "True", "(4,)"),
                                          HEADER("'<f8'", "True", "(1, 4, 1)"),
                                          HEADER("'<f8'", "False", "(4, 1)"),
                                          /* as other programs may write it */
                                          "{\"shape\":(4,),\"descr\":\"<f8\",\"fortran_order\":False}"};
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        make(1, headers[i], DOUBLES, 32);
        check_read(EXPECTED);
    }
}

static void a_single_number_has_no_dimension(void **state)
{
    (void)state;
    char *names[] = {"t"};
    int one = 1;
    simulator sim = describe("true");
    sim.output_count = 1;
    sim.output_names = names;
    sim.output_sizes = &one;
    gofh_error error = {.status = GOFH_OK};
    make(1, HEADER("'<f8'", "False", "()"), DOUBLES, 8);
    if (read_npy(&sim, &error)) fail_msg("%s", error.message);
    assert_true(y[0] == 1.5);
}

static void another_type_order_or_size_is_refused_with_the_remedy(void **state)
{
    (void)state;
    make(1, HEADER("'>f8'", "False", "(4,)"), DOUBLES, 32);
    check_refused("r holds numbers of type >f8, <f8 or <f4 was expected: save array.astype('<f8')");
    make(1, HEADER("'<i8'", "False", "(4,)"), DOUBLES, 32);
    check_refused("r holds numbers of type <i8, <f8 or <f4 was expected: save array.astype('<f8')");
    make(1, HEADER("[('a', '<f8'), ('b', [('c', '<f8')])]", "False", "(2,)"), DOUBLES, 32);
    check_refused("r holds numbers of type a structure, <f8 or <f4 was expected: save array.astype('<f8')");
    make(1, HEADER("'<f8'", "True", "(2, 2)"), DOUBLES, 32);
    check_refused("r holds an array of 2 dimensions in Fortran's order: save numpy.ascontiguousarray(array)");
    make(1, HEADER("'<f8'", "False", "(3,)"), DOUBLES, 24);
    check_refused("r holds 3 numbers, 4 were expected");
    make(1, HEADER("'<f8'", "False", "(2, 0)"), DOUBLES, 0);
    check_refused("r holds 0 numbers, 4 were expected");
    make(1, HEADER("'<f8'", "False", "(4000000000, 4000000000, 4000000000)"), DOUBLES, 32);
    check_refused("r holds more than 4294967294 numbers, 4 were expected");
}

static void a_file_that_is_cut_is_refused_wherever_it_ends(void **state)
{
    (void)state;
    simulator sim = describe("true");
    make(1, HEADER("'<f8'", "False", "(4,)"), DOUBLES, 32);
    size_t whole = length;
    for (length = 0; length < whole; length++) {
        gofh_error error = {.status = GOFH_OK};
        assert_int_equal(read_npy(&sim, &error), GOFH_ERROR_ARGUMENT);
        if (length == 0) assert_string_equal(error.message, "r is empty");
        if (length > 0 && length + 32 < whole)
            assert_string_equal(error.message, "r is cut within its header");
    }
    length = whole - 1;
    check_refused("r is cut: it has 3 of 4 numbers");
    length = whole;
    add("abc", 3);
    check_refused("r goes on after its array, for 3 bytes");
}

static void what_is_no_npy_file_is_refused(void **state)
{
    (void)state;
    length = 0;
    add("{\"c\": [1, 2, 3], \"t\": 4}", 24);
    check_refused("r is no .npy file: write it by numpy.save");
    length = 0;
    add("PK\x03\x04", 4); /* .npz */
    check_refused("r is no .npy file: write it by numpy.save");
    make(4, HEADER("'<f8'", "False", "(4,)"), DOUBLES, 32);
    check_refused("r is a .npy file of version 4, versions 1 to 3 are read");
    static const char *const headers[] = {
        "",
        "{",
        "{}",
        "{'descr': '<f8', 'shape': (4,), }",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (4,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4,), 'shape': (4,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4,), 'more': 1, }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-4,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 4, }",
        "{'descr': '<f8, 'fortran_order': False, 'shape': (4,), }",
        "{'descr': [('a', '<f8'), 'fortran_order': False, 'shape': (4,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4,), } and more"};
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        make(1, headers[i], DOUBLES, 32);
        check_refused("r: the header is not one that NumPy writes");
    }
}

static void numbers_that_are_not_finite_are_named(void **state)
{
    (void)state;
    char numbers[32];
    memcpy(numbers, DOUBLES, 32);
    memcpy(numbers + 8, "\0\0\0\0\0\0\xf8\x7f", 8); /* NaN */
    make(1, HEADER("'<f8'", "False", "(4,)"), numbers, 32);
    check_refused("r: c[1] is not a finite number");
    memcpy(numbers, FLOATS, 16);
    memcpy(numbers + 12, "\0\0\x80\xff", 4); /* minus infinity */
    make(1, HEADER("'<f4'", "False", "(4,)"), numbers, 16);
    check_refused("r: t is not a finite number");
}

static void raw_results_are_doubles_and_nothing_else(void **state)
{
    (void)state;
    simulator sim = describe("true");
    gofh_error error = {.status = GOFH_OK};
    assert_int_equal(results_raw(&sim, "r", DOUBLES, 32, y, &error), GOFH_OK);
    assert_memory_equal(y, EXPECTED, sizeof y);
    assert_int_equal(results_raw(&sim, "r", DOUBLES, 31, y, &error), GOFH_ERROR_ARGUMENT);
    assert_string_equal(error.message, "r has 31 bytes, 32 were expected: 4 doubles of 8 bytes");
    error = (gofh_error){.status = GOFH_OK};
    assert_int_equal(results_raw(&sim, "r", DOUBLES, 0, y, &error), GOFH_ERROR_ARGUMENT);
    assert_string_equal(error.message, "r has 0 bytes, 32 were expected: 4 doubles of 8 bytes");
    char numbers[32];
    memcpy(numbers, DOUBLES, 32);
    memcpy(numbers + 16, "\0\0\0\0\0\0\xf0\x7f", 8);
    error = (gofh_error){.status = GOFH_OK};
    assert_int_equal(results_raw(&sim, "r", numbers, 32, y, &error), GOFH_ERROR_ARGUMENT);
    assert_string_equal(error.message, "r: c[2] is not a finite number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_of_doubles_and_floats_are_read_in_all_versions),
        cmocka_unit_test(shapes_and_orders_that_mean_the_same_are_the_same),
        cmocka_unit_test(a_single_number_has_no_dimension),
        cmocka_unit_test(another_type_order_or_size_is_refused_with_the_remedy),
        cmocka_unit_test(a_file_that_is_cut_is_refused_wherever_it_ends),
        cmocka_unit_test(what_is_no_npy_file_is_refused),
        cmocka_unit_test(numbers_that_are_not_finite_are_named),
        cmocka_unit_test(raw_results_are_doubles_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
