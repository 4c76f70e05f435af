#include "check.h"
#include "report/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const progress_state HALFWAY = {.finished = 12,
                                       .budget = 60,
                                       .running = 2,
                                       .failed = 1,
                                       .best = 0.25,
                                       .expected = 0.001,
                                       .seconds = 300.0};
static const progress_style PLAIN = {.terminal = 1, .columns = 80};

static void the_line_tells_all_where_there_is_room(void **state)
{
    (void)state;
    char text[256];
    progress_line(text, sizeof text, &HALFWAY, &PLAIN);
    assert_string_equal(text, "12 of 60  best 0.25  expected gain 0.001  2 running  1 failed  5 min left");
}

static void jobs_of_a_queue_are_shown_with_why_they_wait(void **state)
{
    (void)state;
    char text[256];
    progress_state queued = HALFWAY;
    queued.queue = "1 running, 1 pending (Priority)";
    queued.expected = NAN;
    progress_line(text, sizeof text, &queued, &PLAIN);
    assert_string_equal(text, "12 of 60  best 0.25  1 running, 1 pending (Priority)  1 failed  5 min left");
    queued.queue = NULL;
    queued.seconds_low = 120.0;
    queued.seconds_high = 720.0;
    progress_line(text, sizeof text, &queued, &PLAIN);
    assert_non_null(strstr(text, "1 failed  2 min to 12 min left"));
}

static void what_is_not_known_is_not_shown(void **state)
{
    (void)state;
    char text[256];
    const progress_state start = {.best = NAN, .expected = NAN, .seconds = NAN};
    progress_line(text, sizeof text, &start, &PLAIN);
    assert_string_equal(text, "0");
}

static void the_line_fits_every_width(void **state)
{
    (void)state;
    for (int columns = 1; columns < 100; columns++) {
        char text[256];
        const progress_style style = {.terminal = 1, .columns = columns};
        progress_line(text, sizeof text, &HALFWAY, &style);
        assert_true((int)strlen(text) < columns);
    }
    char text[256];
    const progress_style narrow = {.terminal = 1, .columns = 40};
    progress_line(text, sizeof text, &HALFWAY, &narrow);
    assert_string_equal(text, "12 of 60  best 0.25  1 failed");
}

static void colours_do_not_count_and_end(void **state)
{
    (void)state;
    char text[256];
    const progress_style style = {.terminal = 1, .colour = 1, .columns = 22};
    progress_line(text, sizeof text, &HALFWAY, &style);
    assert_string_equal(text, "\033[1m12 of 60\033[0m  \033[32mbest 0.25\033[0m");
}

static void durations_have_two_parts_at_most(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {{0.0, "0 s"},          {45.2, "45 s"},        {720.0, "12 min"}, {12000.0, "3 h 20 min"},
                 {439200.0, "5 d 2 h"}, {INFINITY, "unknown"}, {NAN, "unknown"},  {-1.0, "unknown"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32];
        progress_duration(cases[i].seconds, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
}

static void nothing_feasible_is_said_in_words(void **state)
{
    (void)state;
    char text[256];
    progress_state state_now = HALFWAY;
    state_now.best = INFINITY;
    state_now.violates = state_now.best_violates = 1;
    gofh_trial trial = {
        .trial = 2, .state = GOFH_TRIAL_DONE, .origin = "design", .expected = NAN, .f = INFINITY};
    progress_plain(text, sizeof text, &trial, &state_now);
    assert_string_equal(text, "trial 2 (12 of 60)  design  not feasible  nothing feasible yet\n");
    progress_line(text, sizeof text, &state_now, &PLAIN);
    assert_non_null(strstr(text, "12 of 60  nothing feasible yet  "));
    trial.f = state_now.best = -INFINITY; /* maximised */
    progress_plain(text, sizeof text, &trial, &state_now);
    assert_string_equal(text, "trial 2 (12 of 60)  design  not feasible  nothing feasible yet\n");
    state_now.violates = state_now.best_violates = 0; /* an overflow */
    progress_plain(text, sizeof text, &trial, &state_now);
    assert_string_equal(text, "trial 2 (12 of 60)  design  f is not finite  no finite f yet\n");
}

static void a_plain_line_is_one_line(void **state)
{
    (void)state;
    char text[512];
    gofh_trial trial = {
        .trial = 13, .state = GOFH_TRIAL_DONE, .origin = "local", .expected = 0.5, .f = 2.0, .reason = ""};
    progress_plain(text, sizeof text, &trial, &HALFWAY);
    assert_string_equal(text, "trial 13 (12 of 60)  local  f 2  expected gain 0.5  best 0.25\n");
    trial.expected = 1234.5;
    progress_plain(text, sizeof text, &trial, &HALFWAY);
    assert_string_equal(text, "trial 13 (12 of 60)  local  f 2  expected gain 1234  best 0.25\n");
    trial.state = GOFH_TRIAL_FAILED;
    trial.reason = "exit code 1\n\033[31mred\r";
    progress_plain(text, sizeof text, &trial, &HALFWAY);
    assert_string_equal(text, "trial 13 (12 of 60)  failed: exit code 1  [31mred   best 0.25\n");
    trial.reason = "not \xc2\x9b"
                   "2Jgood, \xc2\xa0 \xc3\xa9";
    progress_plain(text, sizeof text, &trial, &HALFWAY);
    assert_string_equal(text, "trial 13 (12 of 60)  failed: not   2Jgood, \xc2\xa0 \xc3\xa9  best 0.25\n");
    progress_plain(text, 12, &trial, &HALFWAY);
    assert_string_equal(text, "trial 13 (\n");
}

static void a_curve_from_a_hundred_thousand_down_is_logarithmic(void **state)
{
    (void)state;
    char text[2048];
    /* One decade per step: on a logarithmic scale a straight line, each row one step. */
    const double values[6] = {1e5, 1e4, 1e3, 1e2, 1e1, 1.0};
    progress_curve(text, sizeof text, values, 6, GOFH_MINIMIZE, &PLAIN);
    assert_string_equal(text, "     1e+05  *\n"
                              "             *\n"
                              "              *\n"
                              "               *\n"
                              "                *\n"
                              "         1       *\n"
                              "            best of 6 evaluations, logarithmic\n");
}

static void a_curve_of_blocks_shows_the_best_so_far(void **state)
{
    (void)state;
    char text[2048];
    const progress_style style = {.unicode = 1, .columns = 80};
    const double values[4] = {NAN, 1.0, 5.0, 2.0};
    progress_curve(text, sizeof text, values, 4, GOFH_MAXIMIZE, &style);
    assert_non_null(strstr(text, "         5    ██\n"));
    assert_non_null(strstr(text, "         1   ▁██\n"));
    assert_non_null(strstr(text, "best of 4 evaluations\n"));
}

static void negative_values_that_come_near_zero_are_logarithmic_too(void **state)
{
    (void)state;
    char text[2048];
    const double values[3] = {-1e4, -1.0, -1e-4};
    progress_curve(text, sizeof text, values, 3, GOFH_MAXIMIZE, &PLAIN);
    assert_non_null(strstr(text, "logarithmic"));
    assert_non_null(strstr(text, "   -0.0001    *\n"));
    assert_non_null(strstr(text, "    -1e+04  *\n"));
}

static void there_is_no_curve_of_nothing(void **state)
{
    (void)state;
    char text[256] = "x";
    const double values[3] = {NAN, INFINITY, 1.0};
    progress_curve(text, sizeof text, values, 3, GOFH_MINIMIZE, &PLAIN);
    assert_string_equal(text, "");
    static const double WORSE[] = {1.0, 2.0, 3.0};
    progress_curve(text, sizeof text, WORSE, 3, GOFH_MINIMIZE, &PLAIN);
    assert_string_equal(text, "");
    progress_curve(text, sizeof text, NULL, 0, GOFH_MINIMIZE, &PLAIN);
    assert_string_equal(text, "");
}

/* What is in a file, which is then empty. */
static const char *take(FILE *file)
{
    static char written[512];
    rewind(file);
    size_t count = fread(written, 1, sizeof written - 1, file);
    written[count] = '\0';
    rewind(file);
    assert_int_equal(ftruncate(fileno(file), 0), 0);
    return written;
}

static void a_file_gets_no_live_line(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    assert_non_null(file);
    char first[] = "12 of 60", *lines[] = {first};
    progress_screen screen = {0};
    progress_style style = progress_detect(file);
    assert_false(style.terminal || style.colour);
    progress_draw(file, &screen, &style, lines, 1);
    progress_clear(file, &screen, &style);
    assert_int_equal(ftell(file), 0);
    style.terminal = 1;
    progress_draw(file, &screen, &style, lines, 1);
    assert_string_equal(take(file), "\r12 of 60\033[K\033[J\r");
    progress_clear(file, &screen, &style);
    assert_string_equal(take(file), "\r\033[J");
    fclose(file);
}

/* Two lines of 30 and 10 characters: at 80 columns they are two rows; a terminal that became 20 wide
 * shows the first on two, so that the cursor goes up by two instead of one. */
static void lines_are_found_again_after_a_resize(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    assert_non_null(file);
    char first[] = "\033[1m123456789012345678901234567890\033[0m", second[] = "1234567890";
    char *lines[] = {first, second};
    progress_screen screen = {0};
    progress_style style = {.terminal = 1, .columns = 80};
    progress_draw(file, &screen, &style, lines, 2);
    take(file);
    progress_draw(file, &screen, &style, lines, 2);
    assert_int_equal(strncmp(take(file), "\033[1A\r", 5), 0);
    style.columns = 20;
    progress_draw(file, &screen, &style, lines, 2);
    assert_int_equal(strncmp(take(file), "\033[2A\r", 5), 0);
    fclose(file);
}

static void a_run_is_shown_with_its_parameters_as_far_as_they_fit(void **state)
{
    (void)state;
    static const char *const names[] = {"D", "Länge"};
    static const char *const values[] = {"0.07", "1.5"};
    char text[256];
    progress_style style = {.terminal = 1, .columns = 80};
    progress_run(text, sizeof text, 13, 130.0, names, values, 2, &style);
    assert_string_equal(text, "  trial 13  2 min  D=0.07 Länge=1.5");
    style.columns = 36; /* 35 characters, of which one has two bytes */
    progress_run(text, sizeof text, 13, 130.0, names, values, 2, &style);
    assert_string_equal(text, "  trial 13  2 min  D=0.07 Länge=1.5");
    style.columns = 35; /* no parameter is cut in the middle */
    progress_run(text, sizeof text, 13, 130.0, names, values, 2, &style);
    assert_string_equal(text, "  trial 13  2 min  D=0.07 ...");
    style.columns = 29;
    progress_run(text, sizeof text, 13, 130.0, names, values, 2, &style);
    assert_string_equal(text, "  trial 13  2 min  ...");
    progress_run(text, sizeof text, 13, NAN, names, values, 1, &style);
    assert_string_equal(text, "  trial 13    D=0.07");
}

static void a_text_is_broken_between_words(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    progress_wrap(file, "zwölf Jäger, and a word-of-more-than-13 letters\n  then  \nthe end", 13);
    fclose(file);
    assert_string_equal(text, "zwölf Jäger,\nand a\nword-of-more-than-13\nletters\n  then  \nthe end");
    free(text);
}

static void a_spark_goes_down_with_the_best(void **state)
{
    (void)state;
    static const double VALUES[] = {8.0, 4.5, 9.0, 1.0};
    char text[PROGRESS_SPARK];
    const progress_style blocks = {.terminal = 1, .columns = 80, .unicode = 1};
    progress_spark(text, VALUES, 4, GOFH_MINIMIZE, &blocks, 16);
    assert_string_equal(text, "█▅▅▁"); /* 1 + 7 (best - 1)/7, in eighths */
    progress_spark(text, VALUES, 4, GOFH_MINIMIZE, &PLAIN, 16);
    assert_string_equal(text, "");
}

static void the_locale_says_whether_there_are_blocks(void **state)
{
    (void)state;
    static const struct {
        const char *all, *type, *lang;
        int unicode;
    } cases[] = {
        {"", "", "en_GB.UTF-8", 1}, {"C", "", "en_GB.UTF-8", 0}, {"", "de_DE.utf8", "C", 1}, {"", "", "", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("LC_ALL", cases[i].all, 1);
        setenv("LC_CTYPE", cases[i].type, 1);
        setenv("LANG", cases[i].lang, 1);
        assert_int_equal(progress_detect(stderr).unicode, cases[i].unicode);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_tells_all_where_there_is_room),
        cmocka_unit_test(jobs_of_a_queue_are_shown_with_why_they_wait),
        cmocka_unit_test(what_is_not_known_is_not_shown),
        cmocka_unit_test(the_line_fits_every_width),
        cmocka_unit_test(colours_do_not_count_and_end),
        cmocka_unit_test(durations_have_two_parts_at_most),
        cmocka_unit_test(nothing_feasible_is_said_in_words),
        cmocka_unit_test(a_plain_line_is_one_line),
        cmocka_unit_test(a_curve_from_a_hundred_thousand_down_is_logarithmic),
        cmocka_unit_test(a_curve_of_blocks_shows_the_best_so_far),
        cmocka_unit_test(negative_values_that_come_near_zero_are_logarithmic_too),
        cmocka_unit_test(there_is_no_curve_of_nothing),
        cmocka_unit_test(a_file_gets_no_live_line),
        cmocka_unit_test(lines_are_found_again_after_a_resize),
        cmocka_unit_test(a_run_is_shown_with_its_parameters_as_far_as_they_fit),
        cmocka_unit_test(a_text_is_broken_between_words),
        cmocka_unit_test(a_spark_goes_down_with_the_best),
        cmocka_unit_test(the_locale_says_whether_there_are_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
