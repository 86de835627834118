// Shape arithmetic: what broadcasts to what.
#pragma once

#include "frontend/kernel.h"

namespace mmk {

/// Two dimensions that should have been equal, and how many dimensions follow them in their shapes.
struct Mismatch {
  Dimension left, right;
  size_t fromEnd = 0;
};

/// As NumPy does: aligned at the last dimension, and 1 stretches. Nothing, and the mismatch, when
/// the two do not fit.
std::optional<Shape> broadcast(const Shape &left, const Shape &right, Mismatch &mismatch);

/// Whether `shape` can be stretched to exactly `target`.
bool broadcastsTo(const Shape &shape, const Shape &target);

/// Whether `target` is `shape` without some dimensions of literal extent 1.
bool isWithoutUnits(const Shape &shape, const Shape &target);

std::string spelling(const Dimension &dimension);

/// Where a dimension of this name is in a shape, as first and behind the last: itself, or several
/// that are joined, without those of extent 1 ("B*H").
std::vector<std::pair<size_t, size_t>> placesOf(const Shape &shape, std::string_view name);

/// "the last dimensions are N and M", "the dimensions third from the end are ...".
std::string spelling(const Mismatch &mismatch);

} // namespace mmk
