/* Compiles a function once for each instruction set that matters, chosen when the program starts.
 * The results are the same whichever it is, for the build allows no fused multiply-add
 * (-ffp-contract=off). */
#ifndef BASE_INSTRUCTION_SETS_H
#define BASE_INSTRUCTION_SETS_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#    define FOR_EACH_INSTRUCTION_SET __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#    define FOR_EACH_INSTRUCTION_SET
#endif

/* The same with fused multiply-add where the machine has it, in files that allow it
 * (-ffp-contract=fast): faster and a little more exact, and the same on all machines that have it.
 * An older compiler fuses nothing. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#    define FOR_EACH_FUSED_SET __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#elif defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#    define FOR_EACH_FUSED_SET                                                                               \
        __attribute__((target_clones("avx2", "default"))) /* not fused: no name for both */
#else
#    define FOR_EACH_FUSED_SET
#endif

#endif
