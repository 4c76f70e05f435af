#include "base/student.h"

#include "base/normal.h"

#include <math.h>

/* By the finite sums that the integral of the density has for whole degrees, in the angle whose tangent
 * is t / sqrt(degrees): sums of powers of its cosine, which begin with 0 (odd) or 1 (even degrees). */
double student_cdf(double t, int degrees)
{
    if (degrees <= 0) return normal_cdf(t);
    if (isinf(t)) return t > 0.0 ? 1.0 : 0.0;
    double root = sqrt(degrees), length = hypot(root, t), sine = t / length, cosine = root / length;
    int odd = degrees % 2;
    double term = odd ? cosine : 1.0, sum = 0.0;
    for (int i = odd ? 3 : 2; i <= degrees; i += 2) {
        sum += term;
        term *= cosine * cosine * (i - 1.0) / i;
    }
    double inside = odd ? (atan2(t, root) + sine * sum) / acos(0.0) : sine * sum;
    return 0.5 + 0.5 * inside;
}

double student_quantile(double p, int degrees)
{
    if (degrees <= 0) return normal_quantile(p);
    double low = 0.0, high = 1.0, upper = fmax(p, 1.0 - p);
    while (student_cdf(high, degrees) < upper && high < 1e15) high *= 2.0;
    for (int i = 0; i < 200; i++) {
        double middle = low + 0.5 * (high - low);
        if (middle == low || middle == high) break;
        if (student_cdf(middle, degrees) < upper)
            low = middle;
        else
            high = middle;
    }
    return p < 0.5 ? -high : p > 0.5 ? high : 0.0;
}
