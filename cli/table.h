// Columns that line up, for the reports for people.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace mmk::driver {

/// A table whose columns are as wide as their widest cell.
class Table {
public:
  /// Of the columns that hold words, not numbers: "<" each, in their order; ">" the others.
  explicit Table(std::string alignment) : alignment_(std::move(alignment)) {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  /// `indent`: before each line.
  std::string text(const std::string &indent = "") const {
    std::vector<size_t> widths(alignment_.size(), 0);
    for (const auto &row : rows_)
      for (size_t i = 0; i < row.size(); ++i)
        widths[i] = std::max(widths[i], row[i].size());
    std::string text;
    for (const auto &row : rows_) {
      std::string line = indent;
      for (size_t i = 0; i < row.size(); ++i) {
        const std::string space(widths[i] - row[i].size(), ' ');
        line += (i == 0 ? "" : "  ") + (alignment_[i] == '<' ? row[i] + space : space + row[i]);
      }
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
  }

private:
  std::string alignment_;
  std::vector<std::vector<std::string>> rows_;
};

} // namespace mmk::driver
