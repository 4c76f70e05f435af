/* Every allocation fails once: a clean error, nothing lost (the sanitizers look), and nothing
 * allocated afterwards. */
#include "check.h"
#include "gofh_expression.h"

#include <stdlib.h>

/* Linked with --wrap: the library's allocations come here. */
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static long allocations, failing = -1; /* the number of the one that fails */

void *__wrap_calloc(size_t count, size_t size)
{
    return allocations++ == failing ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return allocations++ == failing ? NULL : __real_realloc(old, size);
}

static const double OBSERVED[] = {1, 2, 3};

static gofh_status add_symbols(gofh_symbols *symbols, gofh_error *error)
{
    gofh_status status = gofh_symbols_add_output(symbols, "y", 3, error);
    if (status == GOFH_OK) status = gofh_symbols_add_output(symbols, "t", 1, error);
    if (status == GOFH_OK) status = gofh_symbols_add_parameter(symbols, "a", error);
    if (status == GOFH_OK) status = gofh_symbols_add_parameter(symbols, "b", error);
    if (status == GOFH_OK) status = gofh_symbols_add_data(symbols, "o", OBSERVED, 3, error);
    return status;
}

static gofh_status compile_everything(gofh_error *error)
{
    static const char *const texts[] = {"-sum((y - o)^2) - t^2", "sum(y) + t",
                                        "(mean(y) - 2)^2 + (y[0] - t)^2",
                                        "sum(exp([y, a]/2)) + max(y, b, 3)[1] + log(t)^3"};
    static const char *const constraints_texts[] = {"0 <= y <= 3 and t < 4 or a > 3",
                                                    "t == 3 +- 0.1 and y < a", "y == o +- 1"};
    gofh_symbols *symbols = gofh_symbols_create();
    gofh_status status = symbols ? add_symbols(symbols, error) : GOFH_ERROR_MEMORY;
    for (int i = 0; i < 4 && status == GOFH_OK; i++) {
        gofh_expression *expression;
        status = gofh_expression_compile(&expression, texts[i], symbols, GOFH_MAXIMIZE, error);
        if (status != GOFH_OK) assert_null(expression);
        gofh_expression_free(expression);
    }
    if (status == GOFH_OK) {
        gofh_constraints *constraints;
        status = gofh_constraints_compile(&constraints, constraints_texts, 3, symbols, error);
        if (status != GOFH_OK) assert_null(constraints);
        gofh_constraints_free(constraints);
    }
    gofh_symbols_free(symbols);
    return status;
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    gofh_error error = {.status = GOFH_OK};
    failing = -1;
    allocations = 0;
    if (compile_everything(&error) != GOFH_OK) fail_msg("%s", error.message);
    long all = allocations;
    assert_true(all > 50);
    for (long i = 0; i < all; i++) {
        failing = i;
        allocations = 0;
        error = (gofh_error){.status = GOFH_OK};
        assert_int_equal(compile_everything(&error), GOFH_ERROR_MEMORY);
        if (i > 0) assert_int_equal(error.status, GOFH_ERROR_MEMORY);
    }
    failing = -1;
}

static void evaluating_allocates_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {"-sum((y - o)^2)", "sum(exp([y, a]/2)) + max(y, b, 3)[1] + log(t)^3"};
    gofh_symbols *symbols = gofh_symbols_create();
    assert_int_equal(add_symbols(symbols, NULL), GOFH_OK);
    for (int i = 0; i < 2; i++) {
        gofh_expression *expression;
        assert_int_equal(gofh_expression_compile(&expression, texts[i], symbols, GOFH_MAXIMIZE, NULL),
                         GOFH_OK);
        static double y[500 * 4], x[500 * 2], value[500], dy[500 * 4], dx[500 * 2];
        allocations = 0;
        gofh_expression_differentiate(expression, y, x, 500, value, dy, dx);
        assert_int_equal(allocations, 0);
        gofh_expression_free(expression);
    }
    gofh_symbols_free(symbols);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_allocation_may_fail),
        cmocka_unit_test(evaluating_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
