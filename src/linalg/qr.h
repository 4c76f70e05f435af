/* QR factorisation, of which only the triangle is wanted. */
#ifndef LINALG_QR_H
#define LINALG_QR_H

#include <stddef.h>

/* Doubles of workspace. */
size_t qr_work(int columns);

/* a (rows x columns, column-major, leading dimension ld) becomes the triangle R of its QR factorisation,
 * in its first min(rows, columns) rows, with 0 below the diagonal there. Each column is exact up to
 * rounding relative to its own length. work: qr_work(columns). */
void qr_triangle(int rows, int columns, double *a, int ld, double *work);

#endif
