#include "linalg/small.h"

#include "base/fused.h"

#include <math.h>
#include <stddef.h>

#define FOR_SET
#define NAMED(f) f##_anywhere
#include "linalg/small_kernels.h"
#ifdef FUSED_SET
#    define FOR_SET  FUSED_SET
#    define NAMED(f) f##_fused
#    include "linalg/small_kernels.h"
#endif

int small_factor(int n, double *a)
{
#ifdef FUSED_SET
    if (has_fused_set()) return factor_fused(n, a);
#endif
    return factor_anywhere(n, a);
}

void small_solve(int n, const double *l, int ld, double *b)
{
#ifdef FUSED_SET
    if (has_fused_set()) {
        solve_fused(n, l, ld, b);
        return;
    }
#endif
    solve_anywhere(n, l, ld, b);
}
