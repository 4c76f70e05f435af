/* Compiles a function once for each instruction set that matters, chosen when the program starts. The
 * results are the same whichever it is, for the build allows no fused multiply-add (-ffp-contract=off). */
#ifndef BASE_INSTRUCTION_SETS_H
#define BASE_INSTRUCTION_SETS_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#    define FOR_EACH_INSTRUCTION_SET __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#    define FOR_EACH_INSTRUCTION_SET
#endif

#endif
