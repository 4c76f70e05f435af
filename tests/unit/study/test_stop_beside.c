/* Which suggestions of a batch count as idle: slopes and points apart from the rest were asked for
 * before anyone knew of the gain beside them. */
#include "check.h"
#include "study/stop.h"

enum { DESIGN = 3, MOST = 40 };

/* What stop_read finds after a design and these: "l" a local step that gains, "L" one that does not, "s"
 * a slope, "p" a spread, "r" a restart; "|": by then the last gain was known, else nobody has asked since. */
static stop_history history_after(const char *suggestions)
{
    trial trials[MOST];
    const outer g = {.sign = 1.0};
    int count = 0, known = 0, gain = DESIGN;
    double best = 0.0;
    for (; count < DESIGN; count++)
        trials[count] = (trial){.state = GOFH_TRIAL_DONE, .origin = "design", .f = -1.0 * count};
    for (const char *s = suggestions; *s; s++) {
        if (*s == '|') {
            known = count;
            continue;
        }
        const char *origin = *s == 's' ? "slope" : *s == 'p' ? "spread" : *s == 'r' ? "restart" : "local";
        best += *s == 'l';
        if (*s == 'l') gain = count + 1;
        trials[count++] = (trial){.state = GOFH_TRIAL_DONE, .origin = origin, .f = *s == 'l' ? best : -5.0};
    }
    const study st = {.d = 2,
                      .spec = {.g = &g},
                      .trials = {.list = trials, .count = (size_t)count},
                      .gain = {.trial = known ? gain : 0, .asked = (size_t)known}};
    stop_history h;
    assert_int_equal(stop_read(&st, &h), GOFH_OK);
    return h;
}

static int idle_after(const char *suggestions)
{
    return history_after(suggestions).idle;
}

static void what_was_asked_beside_a_gain_begins_no_row(void **state)
{
    (void)state;
    assert_int_equal(idle_after("lsspppppppppppppp"), 0);
    assert_int_equal(idle_after("lssppplsspppp"), 0);
}

static void what_was_asked_when_the_gain_was_known_begins_a_row(void **state)
{
    (void)state;
    assert_int_equal(idle_after("lssp|pppp"), 4);
    assert_int_equal(idle_after("lssp|s"), 1);
    assert_int_equal(idle_after("l|pppplss|pp"), 2);
}

static void after_an_idle_suggestion_of_another_kind_all_count(void **state)
{
    (void)state;
    assert_int_equal(idle_after("lssppLsspp"), 5);
    assert_int_equal(idle_after("lrrss"), 4);
    assert_int_equal(idle_after("lssppLssppl"), 0);
}

static void only_those_that_looked_elsewhere_end_a_study(void **state)
{
    (void)state;
    stop_history polished = history_after("lLLLLLLLLLLLLLLLLL"), mixed = history_after("lLrrrLsrp");
    assert_int_equal(polished.idle, 17);
    assert_int_equal(polished.looked, 0);
    assert_int_equal(mixed.idle, 8);
    assert_int_equal(mixed.looked, 5);
    assert_int_equal(history_after("lrrrrl").looked, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_asked_beside_a_gain_begins_no_row),
        cmocka_unit_test(what_was_asked_when_the_gain_was_known_begins_a_row),
        cmocka_unit_test(after_an_idle_suggestion_of_another_kind_all_count),
        cmocka_unit_test(only_those_that_looked_elsewhere_end_a_study),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
