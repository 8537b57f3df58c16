/* Glicko-2, one game after another (every game a rating period of its own, no idle time).
 *
 * Three ways to the new volatility, sigma'^2 = e^x:
 *   glicko2_halley    Halley's method from the old volatility: the same algorithm as the Python
 *                     package, one step and no exponential after an ordinary game
 *   glicko2_newton    Newton's method from there, two steps and two exponentials
 *   glicko2_illinois  M. E. Glickman, "Example of the Glicko-2 system", step 5 as printed: a bracket
 *                     walked downwards by tau, regula falsi with the Illinois rule, to 1e-6 in x
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct { double rating, deviation, volatility; } Player; /* points, points, natural units */
typedef struct { double precision, surplus; } Evidence;

static const double PI = 3.14159265358979323846;
static const double SCALE = 400.0 / 2.302585092994045684; /* points per natural unit */
static const double Q = 2.302585092994045684 / 400.0;     /* natural units per point */

static inline Evidence evidence(Player me, Player opponent, double score)
{
    const double phi = Q * opponent.deviation;
    const double g = 1.0 / sqrt(1.0 + 3.0 / (PI * PI) * phi * phi);
    const double e = 1.0 / (1.0 + exp(g * (Q * (opponent.rating - me.rating))));
    return (Evidence){g * g * e * (1.0 - e), g * (score - e)};
}

static inline Player with_variance(Player me, Evidence total, double phi2, double volatility2)
{
    const double widened = phi2 + volatility2;
    const double variance = widened / (1.0 + widened * total.precision);
    return (Player){me.rating + SCALE * variance * total.surplus, SCALE * sqrt(variance),
                    sqrt(volatility2)};
}

static inline Player halley(Player me, Evidence total, double tau)
{
    const double phi2 = Q * Q * me.deviation * me.deviation;
    const double old = me.volatility * me.volatility, pull = 1.0 / (tau * tau);
    const double P = total.precision, S2 = total.surplus * total.surplus;
    double z = 0.0, y = old;
    for (int n = 0; n < 20; n++) {
        const double share = 1.0 / (1.0 + P * (phi2 + y));
        const double u = P * y * share, t = S2 * y * share * share, own = u * (1.0 - u);
        const double f = 0.5 * (t - u) - z * pull;
        const double slope = 0.5 * (t * (1.0 - 2.0 * u) - own) - pull;
        const double bend = 0.5 * (t * (1.0 - 6.0 * own) - own * (1.0 - 2.0 * u));
        const double step = 2.0 * f * slope / (f * bend - 2.0 * slope * slope);
        if (fabs(step) < 1e-3 && (t + u) * fabs(step * step * step) < 1e-14 * pull) {
            y *= 1.0 + step * (1.0 + step / 2.0 * (1.0 + step / 3.0 * (1.0 + step / 4.0)));
            break;
        }
        z += step;
        y = old * exp(z);
    }
    return with_variance(me, total, phi2, y);
}

static inline Player newton(Player me, Evidence total, double tau)
{
    const double phi2 = Q * Q * me.deviation * me.deviation;
    const double old = me.volatility * me.volatility, tau2 = tau * tau;
    const double P = total.precision, S2 = total.surplus * total.surplus;
    double z = 0.0, y = old;
    for (int n = 0; n < 20; n++) {
        const double d = 1.0 + P * (phi2 + y);
        const double f = y * (S2 - P * d) / (2.0 * d * d) - z / tau2;
        const double bent = (S2 - P * d) * (d - 2.0 * P * y) - P * P * y * d;
        const double step = f / (y * bent / (2.0 * d * d * d) - 1.0 / tau2);
        z -= step;
        if (fabs(step) < 1e-7)
            break;
        y = old * exp(z);
    }
    return with_variance(me, total, phi2, old * exp(z));
}

static inline double printed(double x, double delta2, double phi2, double v, double a, double tau)
{
    const double e = exp(x), sum = phi2 + v + e;
    return e * (delta2 - phi2 - v - e) / (2.0 * sum * sum) - (x - a) / (tau * tau);
}

static inline Player illinois(Player me, Evidence total, double tau)
{
    const double phi = Q * me.deviation, phi2 = phi * phi;
    const double v = 1.0 / total.precision, delta = v * total.surplus, delta2 = delta * delta;
    const double a = log(me.volatility * me.volatility);
    double A = a, B;
    if (delta2 > phi2 + v) {
        B = log(delta2 - phi2 - v);
    } else {
        int k = 1;
        while (printed(a - k * tau, delta2, phi2, v, a, tau) < 0.0)
            k++;
        B = a - k * tau;
    }
    double fA = printed(A, delta2, phi2, v, a, tau), fB = printed(B, delta2, phi2, v, a, tau);
    while (fabs(B - A) > 1e-6) {
        const double C = A + (A - B) * fA / (fB - fA);
        const double fC = printed(C, delta2, phi2, v, a, tau);
        if (fC * fB <= 0.0) {
            A = B;
            fA = fB;
        } else {
            fA /= 2.0;
        }
        B = C;
        fB = fC;
    }
    return with_variance(me, total, phi2, exp(A));
}

#define LOOP(NAME, SOLVED)                                                                     \
    void NAME(Player *restrict player, const uint32_t *restrict a, const uint32_t *restrict b, \
              const double *restrict score, size_t games, double tau)                          \
    {                                                                                          \
        for (size_t row = 0; row < games; row++) {                                             \
            const uint32_t i = a[row], j = b[row];                                             \
            const Player one = player[i], other = player[j];                                   \
            player[i] = SOLVED(one, evidence(one, other, score[row]), tau);                    \
            player[j] = SOLVED(other, evidence(other, one, 1.0 - score[row]), tau);            \
        }                                                                                      \
    }

LOOP(glicko2_halley, halley)
LOOP(glicko2_newton, newton)
LOOP(glicko2_illinois, illinois)
