/* A function drawn from the posterior of a Gaussian process: a draw from the prior by random
 * Fourier features, corrected to the data by the process's own factor (Matheron's rule; eq. P1 to
 * P3 of docs/method_pes.md). */
#ifndef ACQUIRE_PES_PATH_H
#define ACQUIRE_PES_PATH_H

#include "acquire/pes.h"
#include "base/random.h"

enum { PES_FEATURES = 512 };

struct pes_path {
    const gp *process;
    const gp_inputs *inputs;
    gofh_kernel kernel;
    double mean;
    double *frequency;           /* d x PES_FEATURES, a coordinate after the other */
    double *amplitude, *phase;   /* PES_FEATURES each */
    double *weights;             /* n */
    double *correlation, *slope; /* n each: scratch of an evaluation */
};

/* Doubles in one path's block, to which pes_path_place points its arrays. */
size_t pes_path_size(int d, int n);
void pes_path_place(pes_path *path, int d, int n, double *block);

/* work: d * PES_FEATURES doubles. */
void pes_path_draw(pes_path *path, const gp *process, const gp_inputs *inputs, gofh_kernel kernel,
                   random_stream *stream, double *work);

#endif
