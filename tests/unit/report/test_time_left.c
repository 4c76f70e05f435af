/* The time left of studies whose runs have log-normal times, against how long they then took. The
 * table that is printed says how often the estimate is right within a factor of 1.5, and how often the
 * truth is in the interval of probability 0.8:
 *   build/tests/unit_report_test_time_left */
#include "base/normal.h"
#include "base/random.h"
#include "check.h"
#include "report/time_left.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUDGET = 60, STUDIES = 200, PLACES = 16 };

typedef struct {
    double began, end;
} piece;

/* When each of BUDGET runs begins and ends, with `parallel` at once; the end of all. */
static double play(piece runs[BUDGET], int parallel, double deviation, random_stream *stream)
{
    double free_at[PLACES] = {0}, end = 0.0;
    for (int i = 0; i < BUDGET; i++) {
        int place = 0;
        for (int k = 1; k < parallel; k++)
            if (free_at[k] < free_at[place]) place = k;
        runs[i].began = free_at[place];
        runs[i].end = free_at[place] += 100.0 * exp(deviation * random_normal(stream));
        end = fmax(end, runs[i].end);
    }
    return end;
}

/* The estimate over the truth when `share` of the runs are over, and its interval. `known`: from run
 * times that say all about how they are distributed, so that only chance is left. */
static time_estimate ratio_at(const piece *runs, double end, int parallel, double share, double known)
{
    enum { MANY = 999 };
    double ends[BUDGET], ended[BUDGET], running[BUDGET], all[MANY];
    for (int i = 0; i < BUDGET; i++) ends[i] = runs[i].end;
    for (int i = 1; i < BUDGET; i++)
        for (int k = i; k > 0 && ends[k] < ends[k - 1]; k--) {
            double swap = ends[k];
            ends[k] = ends[k - 1];
            ends[k - 1] = swap;
        }
    double now = ends[(int)(share * BUDGET) - 1];
    time_facts facts = {.ended = ended, .running = running, .parallel = parallel};
    for (int i = 0; i < BUDGET; i++) {
        if (runs[i].end <= now)
            ended[facts.ended_count++] = runs[i].end - runs[i].began;
        else if (runs[i].began < now)
            running[facts.running_count++] = now - runs[i].began;
        else
            facts.left++;
    }
    for (int i = 0; known > 0.0 && i < MANY; i++)
        all[i] = 100.0 * exp(known * normal_quantile((i + 1.0) / (MANY + 1.0)));
    if (known > 0.0) {
        facts.ended = all;
        facts.ended_count = MANY;
    }
    time_estimate e = time_left(&facts);
    double truth = end - now;
    return (time_estimate){e.seconds / truth, e.low / truth, e.high / truth, e.sure};
}

static double share_right(int parallel, double deviation, double share, int known, double *inside)
{
    piece runs[BUDGET];
    int right = 0, covered = 0;
    for (int i = 0; i < STUDIES; i++) {
        random_stream stream = random_open(7, RANDOM_TEST, (uint64_t)i, (uint64_t)parallel);
        double end = play(runs, parallel, deviation, &stream);
        time_estimate ratio = ratio_at(runs, end, parallel, share, known ? deviation : 0.0);
        right += ratio.seconds <= TIME_FACTOR && ratio.seconds >= 1.0 / TIME_FACTOR;
        covered += ratio.low <= 1.0 && ratio.high >= 1.0;
    }
    *inside = (double)covered / STUDIES;
    return (double)right / STUDIES;
}

/* A quarter, half and three quarters of 60 runs are over. Where the runs differ much and few are left,
 * the truth itself varies by more than the factor: then the estimate is to be hardly worse than that of
 * somebody who knows the distribution. */
static void the_time_left_is_right_within_one_and_a_half(void **state)
{
    static const double deviations[] = {0.3, 0.6, 1.0}, shares[] = {0.25, 0.5, 0.75};
    static const int places[] = {1, 4, PLACES};
    (void)state;
    puts("share of studies within a factor of 1.5 (with the distribution known), and in the interval");
    puts("deviation  at once  25 % are over       50 %                75 %");
    for (int d = 0; d < 3; d++)
        for (int p = 0; p < 3; p++) {
            printf("%9.1f  %7d", deviations[d], places[p]);
            for (int k = 0; k < 3; k++) {
                double inside, known;
                double right = share_right(places[p], deviations[d], shares[k], 0, &inside);
                double best = share_right(places[p], deviations[d], shares[k], 1, &known);
                printf("  %5.2f (%4.2f) %4.2f", right, best, inside);
                assert_true(right >= 0.9 || right >= best - 0.25);
                /* Of an interval of 0.8; less by three standard errors of 200 studies (0.085), and by what
                 * the first 15 of runs that differ more than is assumed beforehand can't tell. */
                assert_true(inside >= 0.65);
            }
            putchar('\n');
        }
}

/* All runs take as long, so nothing is uncertain: ten more of 30 s, one after the other, or five at
 * once, of which none has begun. */
static void equal_runs_take_their_number_times_as_long(void **state)
{
    double ended[50];
    (void)state;
    for (int i = 0; i < 50; i++) ended[i] = 30.0;
    time_facts one = {.ended = ended, .ended_count = 50, .left = 10, .parallel = 1};
    check_near(time_left(&one).seconds, 300.0, 15.0);
    one.asking = 10.0;
    check_near(time_left(&one).seconds, 400.0, 15.0);
    time_facts five = {.ended = ended, .ended_count = 50, .left = 10, .parallel = 5};
    check_near(time_left(&five).seconds, 60.0, 8.0);
}

static void nothing_is_known_before_the_first_end_and_nothing_left_after_the_last(void **state)
{
    double seconds = 5.0;
    (void)state;
    time_facts none = {.running = &seconds, .running_count = 1, .left = 3, .parallel = 1};
    assert_true(isnan(time_left(&none).seconds));
    time_facts over = {.ended = &seconds, .ended_count = 1, .parallel = 1};
    check_near(time_left(&over).seconds, 0.0, 0.0);
}

/* Three short runs are over, and one that takes a hundred times as long is under way: there are more
 * like it. */
static void a_long_run_under_way_counts(void **state)
{
    double ended[] = {1.0, 1.1, 0.9}, running = 100.0;
    (void)state;
    time_facts with = {ended, 3, &running, 1, 20, 4, 0.0}, without = {ended, 3, NULL, 0, 20, 4, 0.0};
    assert_true(time_left(&with).seconds > 3.0 * time_left(&without).seconds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_time_left_is_right_within_one_and_a_half),
        cmocka_unit_test(equal_runs_take_their_number_times_as_long),
        cmocka_unit_test(nothing_is_known_before_the_first_end_and_nothing_left_after_the_last),
        cmocka_unit_test(a_long_run_under_way_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
