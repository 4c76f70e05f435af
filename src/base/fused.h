/* A few files do what BLAS does otherwise, and use fused multiply-add as it does: they give the
 * same results on all machines that have it, and others, by rounding, on those that do not. Their
 * kernels are in a header that is included once for each instruction set, with FOR_SET the
 * attribute that chooses the set and NAMED(f) the name of f there. (FOR_EACH_FUSED_SET would not
 * do: operations on vectors are taken apart before functions are cloned.) */
#ifndef BASE_FUSED_H
#define BASE_FUSED_H

/* Four doubles that the compiler keeps in a register, or in two where registers are shorter. */
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

#if defined(__x86_64__) && defined(__GNUC__)
#    define FUSED_SET __attribute__((target("avx2,fma")))

static inline int has_fused_set(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

#endif
