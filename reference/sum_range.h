// The rounding error of a sum of products that is accumulated in f32, in any order.
#pragma once

#include "reference/range.h"

#include <cstdint>
#include <vector>

namespace mmk {

/// One row of the left operand of a product, or one column of the right: what one element reads.
struct Line {
  std::vector<double> values;
  std::vector<double> errors; ///< largest differences from `values`; empty when all are 0
};

/// The largest power of two of which every value is a multiple; 0 when one is not finite.
double quantumOf(const std::vector<double> &values);

/// How a range is computed.
enum class Care {
  quick,       ///< from the first terms, when there are many: never wider than `full`
  full,        ///< for every order of summation
  biased,      ///< the same, with the roundings of a sum in f32 added up: never narrower
  likely,      ///< for most elements, of most orders
  likelyBiased ///< the same, with the roundings added up
};

/// Sums up to this depth are always read whole.
inline constexpr int64_t shallowSum = 4096;

/// The first terms that `Care::quick` reads of a sum of `depth`.
int64_t termsRead(int64_t depth, Care care);

/// The range of sum over k of left[k] * right[k], of `depth` terms, of which the lines hold
/// `termsRead`. `value` is the reference's, rounded to f32.
///
/// With u = 2^-24, an addition whose exact result is s changes it by at most u |s|. Roundings that
/// are independent and uniform have a standard deviation of u |s| / sqrt(3) each. Of K additions,
/// whose partial sums are s_k, six deviations together are
///
///   6 / sqrt(3) * u * sqrt(sum of s_k^2)
///
/// (Higham and Mary, "A new approach to probabilistic rounding error analysis", 2019, with the
/// partial sums in place of a bound of them.) The partial sums depend on the order of summation.
/// Let R be the largest difference of two partial sums in the order of k, at least the root of the
/// sum of the squared terms: an order that starts elsewhere, or that sums parts, has no larger
/// ones, and `full` has K R^2 for the sum of squares. `likely` has that of the order of k, or its
/// mean over all orders, K (S^2 / 3 + Q / 6) of a sum S with the squared terms Q, whichever is
/// larger.
///
/// Terms can contradict the independence: a constant is rounded in one direction for as long as the
/// sum stays between two powers of two. `biased` sums in f32, in the order of k, and adds up the
/// roundings of 32 neighbours, of 1024, and so on up to all: of independent ones, the root of the
/// sum of the squares is the deviation at every level. Six times the largest counts if it is more.
/// Errors of the operands are independent for `full`; for `biased` those of equal values are equal.
/// No bound is above the worst case, u K R. A sum whose terms have so few bits that no order rounds
/// has no error.
///
/// Where the terms of one sign alone overflow f32, an order of summation overflows: an infinity of
/// that sign is right, and of both signs also NaN.
Range rangeOfSum(const Line &left, const Line &right, int64_t depth, double value, Care care);

/// The same for a sum of integers that is exact modulo 2^32.
Range rangeOfIntegerSum(const Line &left, const Line &right, int64_t depth, double value);

/// The rounding error of a sum that starts from `start`, where the sum of the products alone is
/// exact: that of sums that round, or none where `start` has so few bits as well.
double errorOfExactFrom(double start, const Line &left, const Line &right, Care care);

/// What a number that the sum starts from, or that is added to it before its end, adds to the error
/// of a sum of `depth` terms.
double errorOfStart(double start, int64_t depth);

} // namespace mmk
