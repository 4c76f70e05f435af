/* Runs each scenario with its first allocation failing, then its second, until it runs through: each time it must
 * say that there was no memory, and leave nothing allocated. */
#include "fault/allocator.h"
#include "fault/scenarios.h"

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

static int passes(const fault_scenario *scenario, fault_mode mode)
{
    const char *mode_name = mode == FAIL_ONCE ? "once" : "and all after it";
    for (long which = 1;; which++) {
        fault_start(which, mode);
        gofh_status status = scenario->run();
        const char *wrong = complaint(status);
        if (wrong) {
            printf("%s: allocation %ld fails (%s): %s (status %d, %ld blocks left)\n", scenario->name, which,
                   mode_name, wrong, (int)status, fault_live());
            return 0;
        }
        if (fault_failures() > 0) continue;
        if (which == 1) {
            printf("%s: allocates nothing, so it shows nothing\n", scenario->name);
            return 0;
        }
        printf("%s: %ld allocations, each failing (%s): passed\n", scenario->name, which - 1, mode_name);
        return 1;
    }
}

/* With a name: that scenario only. */
int main(int count, char **arguments)
{
    int failed = 0, ran = 0;
    for (const fault_scenario *scenario = FAULT_SCENARIOS; scenario->name; scenario++) {
        if (count > 1 && strcmp(arguments[1], scenario->name) != 0) continue;
        ran++;
        /* Once without faults: libraries set themselves up on first use. */
        fault_start(0, FAIL_ONCE);
        if (scenario->run() != GOFH_OK) {
            printf("%s: fails by itself\n", scenario->name);
            failed++;
            continue;
        }
        if (!passes(scenario, FAIL_ONCE) || !passes(scenario, FAIL_ONWARD)) failed++;
    }
    fault_start(0, FAIL_ONCE); /* what runs at exit, coverage counters for one, is none of this test */
    if (ran == 0) printf("there is no such scenario\n");
    return failed > 0 || ran == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
