/* Elo, one game after another: what a careful C programmer would write for the same formula.
 *
 * E = 1 / (1 + e^(ln 10 / scale (r_b - r_a))); choosing by the sign of the difference, as the Python
 * package does, costs gcc a branch that is often guessed wrong and twice the time.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

void elo(double *restrict rating, const uint32_t *restrict a, const uint32_t *restrict b,
         const double *restrict score, size_t games, double k, double scale)
{
    const double steep = log(10.0) / scale;
    for (size_t row = 0; row < games; row++) {
        const uint32_t i = a[row], j = b[row];
        const double expected = 1.0 / (1.0 + exp(steep * (rating[j] - rating[i])));
        const double change = k * (score[row] - expected);
        rating[i] += change;
        rating[j] -= change;
    }
}
