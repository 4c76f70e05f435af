/* Runs each scenario with one allocation failing, then another: each time it must say that there
 * was no memory, and leave nothing allocated. Those that fail are the first and the last of each
 * place and its callers, as the others take the same way through the same code; with GOFH_TORTURE
 * it is every one. */
#include "fault/allocator.h"
#include "fault/scenarios.h"
#include "torture.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What went wrong in the last run; NULL if nothing. */
static const char *complaint(gofh_status status)
{
    if (fault_live() != 0) return "left blocks allocated";
    if (fault_strange() != 0) return "freed what it had not allocated";
    if (fault_failures() == 0) return status == GOFH_OK ? NULL : "failed though no allocation did";
    return status == GOFH_ERROR_MEMORY ? NULL : "did not say that there was no memory";
}

/* Of the allocations of a scenario, those to fail. */
typedef struct {
    long count, picked;
    unsigned char fails[FAULT_STACKS + 1]; /* from 1 */
} plan;

/* After a run in which none failed. */
static void make_plan(plan *p)
{
    p->count = fault_count();
    p->picked = 0;
    for (long i = 1; i <= p->count; i++) {
        int earlier = 0, later = 0;
        for (long j = 1; j < i && !earlier; j++) earlier = fault_stack(j) == fault_stack(i);
        for (long j = i + 1; j <= p->count && !later; j++) later = fault_stack(j) == fault_stack(i);
        p->fails[i] = (unsigned char)torture_count(!earlier || !later, 1);
        p->picked += p->fails[i];
    }
}

static int passes(const fault_scenario *scenario, const plan *p, fault_mode mode)
{
    const char *mode_name = mode == FAIL_ONCE ? "once" : "and all after it";
    for (long which = 1; which <= p->count; which++) {
        if (!p->fails[which]) continue;
        fault_start(which, mode);
        gofh_status status = scenario->run();
        const char *wrong = complaint(status);
        if (!wrong && fault_failures() == 0) wrong = "was not asked for this time";
        if (wrong) {
            printf("%s: allocation %ld fails (%s): %s (status %d, %ld blocks left)\n", scenario->name, which,
                   mode_name, wrong, (int)status, fault_live());
            return 0;
        }
    }
    printf("%s: %ld of %ld allocations failing (%s): passed\n", scenario->name, p->picked, p->count,
           mode_name);
    return 1;
}

static int scenario_passes(const fault_scenario *scenario)
{
    static plan p;
    fault_limit(LONG_MAX);
    /* Once without faults, as libraries set themselves up on first use, and once more to count. */
    for (int i = 0; i < 2; i++) {
        fault_start(0, FAIL_ONCE);
        gofh_status status = scenario->run();
        const char *wrong = i == 0 && status == GOFH_OK ? NULL : complaint(status);
        if (wrong) return printf("%s: %s (status %d)\n", scenario->name, wrong, (int)status), 0;
    }
    if (fault_count() == 0 || fault_count() > FAULT_STACKS)
        return printf("%s: %ld allocations, not 1 to %d\n", scenario->name, fault_count(), FAULT_STACKS), 0;
    make_plan(&p);
    fault_limit(10 * p.count);
    return passes(scenario, &p, FAIL_ONCE) && passes(scenario, &p, FAIL_ONWARD);
}

/* With a name: that scenario only. */
int main(int count, char **arguments)
{
    int failed = 0, ran = 0;
    for (const fault_scenario *scenario = FAULT_SCENARIOS; scenario->name; scenario++) {
        if (count > 1 && strcmp(arguments[1], scenario->name) != 0) continue;
        ran++;
        failed += !scenario_passes(scenario);
    }
    fault_limit(LONG_MAX);
    /* What runs at exit, coverage counters for one, is none of this test. */
    fault_start(0, FAIL_ONCE);
    if (ran == 0) printf("there is no such scenario\n");
    return failed > 0 || ran == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
