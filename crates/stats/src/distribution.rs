//! The beta, Student t and normal distributions: probabilities and quantiles.
//!
//! Everything rests on the incomplete beta function by its continued fraction (NIST Digital Library of
//! Mathematical Functions, 8.17.22), evaluated by the modified Lentz method, and on `erfc` and `lgamma` of
//! the libm crate. Quantiles are found by bisection of the distribution function down to neighbouring floats:
//! slow, never wrong. Both tails are computed, so that a small p-value is not the rest of a subtraction.
//!
//! Limits: relative error about 1e-12 for shapes below 1e3 and 1e-8 at 1e6, where the logarithms of the gamma
//! function cancel. Arguments outside a domain give NaN, not a panic.

/// Both tails of a distribution at a point. They add up to 1 but for rounding, and each is precise when
/// small.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tails {
    /// Probability of at most the point.
    pub lower: f64,
    /// Probability of more than the point.
    pub upper: f64,
}

impl Tails {
    const NAN: Self = Self { lower: f64::NAN, upper: f64::NAN };
    const ALL_ABOVE: Self = Self { lower: 0.0, upper: 1.0 };
    const ALL_BELOW: Self = Self { lower: 1.0, upper: 0.0 };

    fn swapped(self) -> Self {
        Self { lower: self.upper, upper: self.lower }
    }
}

/// Continued fraction of the incomplete beta function by the modified Lentz method. It converges in about the
/// root of the greater shape when `x` lies below (a + 1) / (a + b + 2), which the caller sees to.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let keep_off_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let steps = 300 + 20 * a.max(b).sqrt().min(1e6) as u64;
    let mut c = 1.0;
    let mut d = 1.0 / keep_off_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for step in 1..=steps {
        let m = step as f64;
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / keep_off_zero(1.0 + even * d);
        c = keep_off_zero(1.0 + even / c);
        fraction *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / keep_off_zero(1.0 + odd * d);
        c = keep_off_zero(1.0 + odd / c);
        fraction *= d * c;
        if (d * c - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    fraction
}

/// Tails of Beta(a, b) at `x`, with `y = 1 - x` given apart because the caller often knows it more precisely.
fn beta_tails_at(a: f64, b: f64, x: f64, y: f64) -> Tails {
    if !(a > 0.0 && b > 0.0) || x.is_nan() || y.is_nan() {
        return Tails::NAN;
    }
    if x <= 0.0 {
        return Tails::ALL_ABOVE;
    }
    if y <= 0.0 {
        return Tails::ALL_BELOW;
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return beta_tails_at(b, a, y, x).swapped();
    }
    let ln_front = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * x.ln() + b * y.ln();
    let lower = (ln_front.exp() * beta_fraction(a, b, x) / a).clamp(0.0, 1.0);
    Tails { lower, upper: 1.0 - lower }
}

/// Tails of the beta distribution with shapes `a` and `b` (positive) at `x` (0..1).
pub fn beta(a: f64, b: f64, x: f64) -> Tails {
    beta_tails_at(a, b, x, 1.0 - x)
}

/// Quantile of the beta distribution at probability `p` (0..1).
pub fn beta_quantile(a: f64, b: f64, p: f64) -> f64 {
    if !(a > 0.0 && b > 0.0 && (0.0..=1.0).contains(&p)) {
        return f64::NAN;
    }
    if p == 0.0 || p == 1.0 {
        return p;
    }
    bisect(0.0, 1.0, |x| beta(a, b, x).lower < p)
}

/// The point between `low` and `high` where `below` turns from true to false, to the last bit.
fn bisect(mut low: f64, mut high: f64, below: impl Fn(f64) -> bool) -> f64 {
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return middle;
        }
        if below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// Tails of the standard normal distribution at `z`.
pub fn normal(z: f64) -> Tails {
    Tails { lower: normal_below(z), upper: normal_below(-z) }
}

/// The lower tail alone, where only it is wanted.
pub(crate) fn normal_below(z: f64) -> f64 {
    libm::erfc(-z / std::f64::consts::SQRT_2) / 2.0
}

/// Quantile of the standard normal distribution at probability `p`; infinite at 0 and 1.
pub fn normal_quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p == 0.0 || p == 1.0 {
        return if p == 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    if p > 0.5 {
        return -normal_quantile(1.0 - p);
    }
    // erfc underflows below -39, so no positive float has its quantile beyond.
    bisect(-40.0, 0.0, |z| normal(z).lower < p)
}

/// Tails of Student's t with `freedom` degrees of freedom (positive, may be infinite) at `t`.
pub fn student_t(freedom: f64, t: f64) -> Tails {
    if freedom == f64::INFINITY {
        return normal(t);
    }
    if freedom.is_nan() || freedom <= 0.0 || t.is_nan() {
        return Tails::NAN;
    }
    if t.is_infinite() {
        return if t > 0.0 { Tails::ALL_BELOW } else { Tails::ALL_ABOVE };
    }
    let square = t * t;
    let outside =
        beta_tails_at(freedom / 2.0, 0.5, freedom / (freedom + square), square / (freedom + square)).lower;
    let above = Tails { lower: 1.0 - outside / 2.0, upper: outside / 2.0 };
    if t >= 0.0 { above } else { above.swapped() }
}

/// Two-sided p-value of a t statistic.
pub fn student_t_two_sided(freedom: f64, t: f64) -> f64 {
    (2.0 * student_t(freedom, t.abs()).upper).min(1.0)
}

/// Quantile of Student's t with `freedom` degrees of freedom at probability `p`; infinite at 0 and 1.
pub fn student_t_quantile(freedom: f64, p: f64) -> f64 {
    if freedom == f64::INFINITY {
        return normal_quantile(p);
    }
    if freedom.is_nan() || freedom <= 0.0 || !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p < 0.5 {
        return -student_t_quantile_above(freedom, p);
    }
    student_t_quantile_above(freedom, 1.0 - p)
}

/// The t that `tail` (0..0.5) lies above. The square over the degrees of freedom is a ratio of betas; the
/// smaller of the two is solved for, so that neither end loses digits.
fn student_t_quantile_above(freedom: f64, tail: f64) -> f64 {
    if tail == 0.0 {
        return f64::INFINITY;
    }
    if tail < 0.25 {
        let x = beta_quantile(freedom / 2.0, 0.5, 2.0 * tail);
        (freedom * (1.0 - x) / x).sqrt()
    } else {
        let y = beta_quantile(0.5, freedom / 2.0, 1.0 - 2.0 * tail);
        (freedom * y / (1.0 - y)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(got: f64, table: f64, digits: f64) {
        assert!((got - table).abs() <= digits, "{got} is not {table}");
    }

    /// Values as printed in the tables of any statistics textbook.
    #[test]
    fn quantiles_agree_with_the_printed_tables() {
        close(normal_quantile(0.975), 1.959_964, 5e-7);
        close(normal_quantile(0.995), 2.575_829, 5e-7);
        for (freedom, table) in [(1.0, 12.706), (4.0, 2.776), (9.0, 2.262), (30.0, 2.042), (120.0, 1.980)] {
            close(student_t_quantile(freedom, 0.975), table, 5e-4);
        }
    }

    #[test]
    fn outside_a_domain_there_is_nan_and_no_panic() {
        assert!(beta(0.0, 1.0, 0.5).lower.is_nan());
        assert!(beta_quantile(1.0, 1.0, 2.0).is_nan());
        assert!(normal_quantile(-0.1).is_nan());
        assert!(student_t(0.0, 1.0).lower.is_nan());
        assert!(student_t_quantile(5.0, f64::NAN).is_nan());
        assert_eq!(student_t_quantile(5.0, 1.0), f64::INFINITY);
        assert_eq!(student_t(5.0, f64::INFINITY).upper, 0.0);
    }

    #[test]
    fn quantile_and_probability_are_inverse() {
        for freedom in [1.0, 2.5, 4.0, 17.0, 1000.0] {
            for p in [1e-9, 0.001, 0.2, 0.4999, 0.5, 0.7, 0.999] {
                close(student_t(freedom, student_t_quantile(freedom, p)).lower / p, 1.0, 1e-9);
            }
        }
    }
}
