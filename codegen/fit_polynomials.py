#!/usr/bin/env python3
"""Fits the polynomials of codegen/vector_math.cpp and codegen/parts.h and prints them; run by hand
when a degree changes.

Each is a weighted least-squares fit on Chebyshev nodes, iterated towards equal ripple (Lawson's
weights), in double precision. The error printed is relative to the function's value, in units of
the last place of f32 (2**-24).
"""
import math

import numpy as np


def fit(target, basis, low, high, degree, weight, rounds=60):
    """Coefficients c of sum c[i] * x**i * basis(x) nearest to target(x), by weight(x) * error."""
    n = 4000
    x = (low + high) / 2 + (high - low) / 2 * np.cos(np.pi * (np.arange(n) + 0.5) / n)
    columns = np.stack([x**i * basis(x) for i in range(degree + 1)], axis=1)
    t, w, lawson = target(x), weight(x), np.ones(n)
    for _ in range(rounds):
        s = np.sqrt(lawson) * w
        c, *_ = np.linalg.lstsq(columns * s[:, None], t * s, rcond=None)
        error = np.abs((columns @ c - t) * w)
        lawson *= error / error.mean() + 1e-3
        lawson /= lawson.mean()
    return c, error.max() * 2**24


erf = np.vectorize(math.erf)
erfc = np.vectorize(math.erfc)


def report(name, result):
    c, ulps = result
    print(f"// {name}: {ulps:.3f} ulp before rounding")
    print("{" + ", ".join(f"{v:.9e}f" for v in c) + "}")


one = lambda x: np.ones_like(x)
half_ln2 = math.log(2) / 2 * 1.001

# exp(r) = 1 + r + r^2 q(r)
report("exp", fit(lambda r: (np.expm1(r) - r) , lambda r: r * r, -half_ln2, half_ln2, 4,
                  lambda r: np.exp(-r)))
# log(1 + f) = f - f^2/2 + f^3 q(f), f from sqrt(1/2) - 1 to 3/2 - 1
report("log", fit(lambda f: np.log1p(f) - f + f * f / 2, lambda f: f**3,
                  math.sqrt(0.5) - 1, 0.5, 7,
                  lambda f: 1 / np.maximum(np.abs(np.log1p(f)), 1e-9)))
# log(1 + e) = e + e^2 q(e) for e from 0 to 1
report("log1p", fit(lambda e: np.log1p(e) - e, lambda e: e * e, 1e-9, 1.0, 8, lambda e: 1 / np.log1p(e)))
# tanh(x) = x + x^3 q(x^2) for |x| < 0.625, in u = x^2
report("tanh", fit(lambda u: np.tanh(np.sqrt(u)) / np.sqrt(u) - 1, lambda u: u, 1e-9, 0.625**2, 5,
                   lambda u: np.sqrt(u) / np.tanh(np.sqrt(u))))
# erf(x) = x + x q(x^2) for |x| < 1, in u = x^2
report("erf, small", fit(lambda u: erf(np.sqrt(u)) / np.sqrt(u) - 1, one, 1e-9, 1.0, 7,
                         lambda u: np.sqrt(u) / erf(np.sqrt(u))))
# erf(x) = 1 - exp(-q(x)) for 1 <= x < 4; the error counts as far as erfc(x) does
report("erf, large", fit(lambda x: -np.log(erfc(x)), one, 1.0, 4.0, 8, lambda x: erfc(x) / erf(x)))
# erf(x) = c + (u + u q(u)), u = x - i / 8 within 1 / 16, c = erf(i / 8) as f32, and 1 in the end; of
# q the coefficients of all parts i, one power a line
w, parts = 1 / 8, []
for i in range(32):
    c = 1.0 if i == 31 else float(np.float32(math.erf(i * w)))
    low, high = 1e-6 if i == 0 else -w / 2, 1e-12 if i == 31 else w / 2
    q, _ = fit(lambda u: erf(i * w + u) - c - u, lambda u: u, low, high, 3,
               lambda u: 1 / np.maximum(erf(i * w + u), 1e-30))
    parts.append([c, *q])
print("// erf, in parts")
for power in np.array(parts).T:
    print("{" + ", ".join(f"{np.float32(v):.9e}f" for v in power) + "},")


def near(f, x):
    """A number next to x where f is next to a number of f32, so that it needs no second one."""
    x = np.float32(x) + np.arange(-3000, 3001) * np.spacing(np.float32(x))
    value = f(np.float64(x))
    rounded = value.astype(np.float32)
    return float(x[np.argmin(np.abs(value - rounded) / np.spacing(np.abs(rounded)))])


# tanh(x) = c[0] + c[1] (x - m) + ... in 32 parts up to 8.7, where it is 1; the m, then one power a line
w, parts = 8.7 / 31, []
for i in range(32):
    m = near(np.tanh, i * w) if 0 < i < 31 else i * w
    c = float(np.float32(np.tanh(m))) if i < 31 else 1.0
    low, high = 1e-6 if i == 0 else (i - 0.5) * w - m, -1e-12 if i == 31 else (i + 0.5) * w - m
    q, _ = fit(lambda u: np.tanh(m + u) - c, lambda u: u, low, high, 4,
               lambda u: 1 / np.tanh(m + u))
    parts.append([m, c, *q])
print("// tanh, in parts")
for line in np.array(parts).T:
    print("{" + ", ".join(f"{np.float32(v):.9e}f" for v in line) + "},")

# What gelu has less than max(x, 0), of y = scale |x| in parts as of erf, and 0 in the end. Of the
# numbers near sqrt(1/2) the scale is one that half of, the slope at 0, has a quotient in f32. What is
# below a hundredth of x may be off as that.
scale = float(np.float32(0.70833266))
gelu = lambda x: x / 2 * erfc(x / math.sqrt(2))
gelu_tanh = lambda x: x / (1 + np.exp(math.sqrt(8 / math.pi) * (x + 0.044715 * x**3)))
for name, f in ("gelu", gelu), ("gelu with tanh", gelu_tanh):
    parts = []
    for i in range(32):
        m = i / 8
        t = lambda u: f((m + u) / scale)
        weight = lambda u: 1 / np.maximum(t(u), (m + u) / 100)
        if i == 0:
            c = [0, float(np.float32(0.5 / scale))]
            q, _ = fit(lambda u: t(u) - c[1] * u, lambda u: u**2, 1e-6, 1 / 16, 2, weight)
        else:
            c = [float(np.float32(t(0.0))) if i < 31 else 0.0]
            q, _ = fit(lambda u: t(u) - c[0], lambda u: u, -1 / 16, 1 / 16 if i < 31 else -1e-12, 3,
                       weight)
        parts.append([*c, *q])
    print(f"// {name}, in parts")
    for line in np.array(parts).T:
        print("{" + ", ".join(f"{np.float32(v):.9e}f" for v in line) + "},")
