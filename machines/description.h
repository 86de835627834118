// A machine description as a list of fields, merged with the one that it extends and with the
// overrides of the command line. Knows JSON and the schema, not `Machine`.
#pragma once

#include "machines/schema.h"

#include <string>
#include <utility>
#include <vector>

namespace mmk {

struct DescriptionEntry {
  const Field *field;
  FieldValue value;
  std::string source; ///< empty for words
  std::string place;  ///< "chip.json:3:5", or the command line's own words
};

struct Description {
  std::string name;
  std::vector<DescriptionEntry> entries;
  /// The legend of the words that sources begin with: "INI" -> "the platform_config files of ...".
  std::vector<std::pair<std::string, std::string>> legend;

  const DescriptionEntry *find(const std::string &path) const;
  /// Replaces the entry of the same field, or appends.
  void put(DescriptionEntry entry);
};

/// Messages, one a line, in the order of their places.
using Problems = std::vector<std::string>;

Description readDescription(const std::string &nameOrFile, Problems &problems);
void applyOverride(Description &description, const MachineOverride &override, Problems &problems);

/// The figure as text: "524288", "0.0154", "mte2".
std::string spelling(const Field &field, const FieldValue &value);

} // namespace mmk
