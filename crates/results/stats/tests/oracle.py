"""Prints the golden values that tests/oracle.rs compares with, as JSON.

Run by hand when a formula is added, never by the tests:

    python3 -m venv /tmp/oracle && /tmp/oracle/bin/pip install numpy scipy statsmodels
    /tmp/oracle/bin/python crates/results/stats/tests/oracle.py > crates/results/stats/tests/oracle.json

Data are drawn here (seeded) and stored with the results, so that the Rust test needs no Python.
"""

import json
import sys

import numpy as np
import scipy
import statsmodels
from scipy import optimize, special, stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

SEED = 20_240_501
rng = np.random.default_rng(SEED)
FRACTIONS = [0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0]


CLUSTERS = [
    [[0, 100], [40, 100], [0, 100], [0, 100], [10, 100]],
    [[9, 100], [11, 100], [10, 100], [8, 100], [12, 100], [10, 90]],
    [[1, 400], [0, 400], [0, 400], [0, 400], [0, 400]],
    [[48, 50], [50, 50], [49, 50], [50, 50], [30, 50]],
]


def floats(values):
    return [float(value) for value in np.asarray(values).ravel()]


def distributions():
    cases = []

    def add(name, args, point, lower, upper):
        cases.append({"name": name, "args": floats(args), "point": float(point),
                      "lower": float(lower), "upper": float(upper)})

    for z in [-8.0, -3.0, -1.0, 0.0, 0.5, 1.959963984540054, 5.0, 9.0]:
        add("normal", [], z, stats.norm.cdf(z), stats.norm.sf(z))
    for df in [1.0, 2.0, 3.7, 4.0, 9.0, 29.5, 120.0, 1e4]:
        for t in [-30.0, -2.0, -0.01, 0.0, 0.7, 2.776, 12.0]:
            add("student_t", [df], t, stats.t.cdf(t, df), stats.t.sf(t, df))
    for a, b in [(0.5, 0.5), (1.0, 3.0), (2.5, 7.0), (40.0, 60.0), (1.0, 4000.0), (975.0, 9025.0), (5e4, 5e4)]:
        for p in [1e-6, 0.025, 0.5, 0.8, 0.999]:
            x = stats.beta.ppf(p, a, b)
            add("beta", [a, b], x, stats.beta.cdf(x, a, b), stats.beta.sf(x, a, b))
    return cases


def quantiles():
    cases = []

    def add(name, args, p, value):
        cases.append({"name": name, "args": floats(args), "p": p, "value": float(value)})

    for p in [1e-10, 0.005, 0.025, 0.3, 0.5, 0.6, 0.975, 0.9999]:
        add("normal", [], p, stats.norm.ppf(p))
        for df in [1.0, 2.0, 4.0, 6.3, 19.0, 200.0]:
            add("student_t", [df], p, stats.t.ppf(p, df))
    for p in [0.025, 0.5, 0.95, 0.995]:
        for a, b in [(0.5, 2.0), (3.0, 398.0), (40.0, 60.0)]:
            add("beta", [a, b], p, stats.beta.ppf(p, a, b))
    return cases


def positive_mean_interval(values):
    """The t interval of the mean's logarithm, by the delta method; from SciPy's t distribution on the log scale."""
    mean = values.mean()
    return floats(np.exp(stats.t.interval(0.95, len(values) - 1, np.log(mean), stats.sem(values) / mean)))


def datasets():
    return [
        rng.normal(69.5, 5.6, 5),
        rng.normal(0.0, 1.0, 12),
        rng.lognormal(10.0, 0.8, 30),
        rng.integers(-20, 20, 41).astype(float),
        rng.pareto(2.5, 200) * 1e6 + 35e6,
    ]


def box_plot(values):
    q1, q3 = np.percentile(values, [25, 75])
    inner, outer = 1.5 * (q3 - q1), 3.0 * (q3 - q1)
    inside = values[(values >= q1 - inner) & (values <= q3 + inner)]
    return {
        "whisker_low": float(inside.min()), "p25": float(q1), "p75": float(q3), "whisker_high": float(inside.max()),
        "low": int((values < q1 - inner).sum()), "high": int((values > q3 + inner).sum()),
        "far": int((values < q1 - outer).sum() + (values > q3 + outer).sum()),
    }


def bootstrap(values, statistic, method):
    result = stats.bootstrap(values, statistic, n_resamples=100_000, method=method, batch=5_000, vectorized=True,
                             rng=np.random.default_rng(SEED))
    return floats(result.confidence_interval)


def samples():
    cases = []
    for values in datasets():
        n = len(values)
        steps = stats.ecdf(values).cdf
        cases.append({
            "values": floats(values), "mean": float(np.mean(values)), "deviation": float(np.std(values, ddof=1)),
            "quantiles": [[p, float(np.quantile(values, p))] for p in FRACTIONS],
            "t_interval": floats(stats.t.interval(0.95, n - 1, values.mean(), stats.sem(values))),
            "positive_interval": positive_mean_interval(values) if values.min() >= 0 else None,
            "box_plot": box_plot(values),
            "ecdf": [floats(steps.quantiles), floats(steps.probabilities)],
            "bca_mean": bootstrap((values,), np.mean, "BCa"),
            "bca_median": bootstrap((values,), np.median, "BCa"),
            "percentile_mean": bootstrap((values,), np.mean, "percentile"),
        })
    return cases


def pairs_of_samples():
    return [
        (rng.normal(10, 1, 5), rng.normal(11, 2, 5)),
        (rng.normal(10, 1, 8), rng.normal(10, 1, 6)),
        (rng.lognormal(3, 0.4, 12), rng.lognormal(3.3, 0.4, 15)),
        (rng.integers(0, 8, 9).astype(float) + 1, rng.integers(2, 9, 11).astype(float) + 1),
        (rng.normal(50, 5, 60), rng.normal(52, 9, 45)),
        (rng.integers(0, 12, 40).astype(float) + 1, rng.integers(1, 13, 55).astype(float) + 1),
    ]


def exact_rank_sum(a, b):
    """Two-sided p by the exact distribution of the rank sum given the ties."""
    ranks = stats.rankdata(np.concatenate([a, b]))
    return float(stats.permutation_test(
        (ranks[:len(a)], ranks[len(a):]), lambda x, y, axis: np.sum(x, axis=axis), vectorized=True,
        permutation_type="independent", n_resamples=np.inf, batch=20_000).pvalue)


def fieller(a, b, level):
    """Solved from the definition: the ratios r that a t test of mean(a) - r mean(b) = 0 does not reject."""
    va, vb = a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)
    r = a.mean() / b.mean()
    e1, e2 = va, r * r * vb
    df = (e1 + e2) ** 2 / (e1 ** 2 / (len(a) - 1) + e2 ** 2 / (len(b) - 1))
    t = stats.t.ppf(1 - (1 - level) / 2, df)

    def excess(x):
        return (a.mean() - x * b.mean()) ** 2 - t * t * (va + x * x * vb)

    return [optimize.brentq(excess, low, high, xtol=1e-15, rtol=1e-14) for low, high in [(0, r), (r, 100 * r)]]


def pairs():
    cases = []
    for a, b in pairs_of_samples():
        welch = stats.ttest_ind(a, b, equal_var=False)
        small = len(a) + len(b) <= 50
        tied = len(set(floats(a) + floats(b))) < len(a) + len(b)
        if not small:
            p = stats.mannwhitneyu(a, b, method="asymptotic").pvalue
        elif tied:
            p = exact_rank_sum(a, b)
        else:
            p = stats.mannwhitneyu(a, b, method="exact").pvalue
        m = len(a) + len(b) - 2
        pooled = np.sqrt(((len(a) - 1) * a.var(ddof=1) + (len(b) - 1) * b.var(ddof=1)) / m)
        j = np.exp(special.gammaln(m / 2) - special.gammaln((m - 1) / 2)) / np.sqrt(m / 2)
        cases.append({
            "a": floats(a), "b": floats(b),
            "welch": {"p": float(welch.pvalue), "freedom": float(welch.df),
                      "interval": floats(welch.confidence_interval(0.95))},
            "u": float(stats.mannwhitneyu(a, b).statistic), "u_p": float(p), "u_exact": small,
            "delta": float(np.mean(np.sign(np.subtract.outer(a, b)))),
            "g": float((a.mean() - b.mean()) / pooled * j),
            "fieller": fieller(a, b, 0.95),
            "bca_ratio": bootstrap((a, b), lambda x, y, axis: np.mean(x, axis=axis) / np.mean(y, axis=axis), "BCa"),
        })
    return cases


def paired():
    cases = []
    for values in [rng.normal(0.4, 1, 7), rng.normal(0.1, 1, 20), np.round(rng.normal(0.5, 2, 80))]:
        test = stats.ttest_1samp(values, 0.0)
        cases.append({"values": floats(values), "t_p": float(test.pvalue), "interval": floats(test.confidence_interval(0.95))})
    return cases


def proportions():
    cases = []
    counts = [(0, 10), (1, 10), (10, 10), (39, 400), (0, 5739), (975, 10_000), (190, 200), (49_800, 100_000)]
    for hits, total in counts:
        for level in [0.95, 0.99]:
            test = stats.binomtest(hits, total)
            cases.append({"hits": hits, "total": total, "level": level,
                          "exact": floats(test.proportion_ci(level, "exact"))})
    return cases


def clustered_proportions():
    """Korn and Graubard's interval: binom_test's exact one, in the form with beta quantiles, for the effective number."""
    cases = []
    for trials in CLUSTERS:
        hits, sizes = np.array(trials, dtype=float).T
        k, n = len(trials), sizes.sum()
        p = hits.sum() / n
        variance = k / (k - 1) * ((hits - p * sizes) ** 2).sum() / n ** 2
        for level in [0.95, 0.99]:
            tail = (1 - level) / 2
            effective = min(n, p * (1 - p) / variance * (stats.t.ppf(1 - tail, n - 1) / stats.t.ppf(1 - tail, k - 1)) ** 2)
            x = p * effective
            cases.append({"trials": trials, "level": level, "interval": floats([
                stats.beta.ppf(tail, x, effective - x + 1), stats.beta.ppf(1 - tail, x + 1, effective - x)])})
    return cases


def corrections():
    cases = []
    for size in [1, 4, 20]:
        p_values = rng.uniform(0, 1, size) ** 3
        cases.append({"p_values": floats(p_values), "holm": floats(multipletests(p_values, method="holm")[1])})
    return cases


def powers():
    """Of the two-sided paired t test, and the standardised difference found in 80 % of tests."""
    cases = []
    for pairs in [5, 10, 20, 60]:
        for shift in [0.2, 0.5, 1.0, 1.7]:
            cases.append({"pairs": pairs, "difference": shift,
                          "power": float(TTestPower().power(shift, pairs, 0.05, alternative="two-sided")),
                          "smallest": float(TTestPower().solve_power(nobs=pairs, alpha=0.05, power=0.8,
                                                                     alternative="two-sided"))})
    return cases


json.dump({
    "made_by": {"python": sys.version.split()[0], "numpy": np.__version__, "scipy": scipy.__version__,
                "statsmodels": statsmodels.__version__, "seed": SEED},
    "distributions": distributions(), "quantiles": quantiles(), "samples": samples(), "pairs": pairs(),
    "paired": paired(), "proportions": proportions(),
    "clustered_proportions": clustered_proportions(), "corrections": corrections(),
    "powers": powers(),
}, sys.stdout)
print()
