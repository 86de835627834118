// The rows as a page and as JSON.
#pragma once

#include "bench/peers/rows.h"

namespace mmk::peers {

/// A line a contender, while it is measured.
std::string progressText(const Row &row);

/// The tables of docs/bench.md.
std::string markdown(const std::vector<Row> &rows);
std::string json(const std::vector<Row> &rows);

} // namespace mmk::peers
