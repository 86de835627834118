// The table of fields of a machine description: path, legal values, when it is required, and its
// member of `Machine`. Reading, overriding and listing legal words use this table, so a new figure
// is one line.
#pragma once

#include "machines/machine.h"

#include <functional>
#include <string>
#include <vector>

namespace mmk {

enum class FieldKind {
  text,      ///< one line of text
  choice,    ///< one of Field::choices
  positive,  ///< a number above 0
  cycles,    ///< a number, 0 or more
  count,     ///< a whole number, 1 or more
  whole,     ///< a whole number, 0 or more
  powerOfTwo ///< a whole number
};

enum class FieldNeed {
  optional,
  always,
  emulated, ///< unless the machine is the host, which no clock counts
  inSection ///< when its section has any figure
};

/// The value of a field, after its type was checked.
struct FieldValue {
  double number = 0;
  std::string word;
};

struct Field {
  std::string path;
  FieldKind kind;
  FieldNeed need;
  std::vector<std::string> choices; ///< of a choice
  std::function<void(Machine &, const FieldValue &)> set;
  /// Far beyond any chip, and small enough that results computed from it stay finite.
  double most = 0;

  /// text and choices are strings in the JSON; a choice may be an object with a source as well.
  bool isWord() const { return kind == FieldKind::text || kind == FieldKind::choice; }
  /// "a whole number of 1 or more": for messages.
  std::string expectation() const;
  /// The same for a number that is out of range: "a number of at most 100000".
  std::string expectation(double found) const;
  bool accepts(double number) const;
};

/// All fields, in the preferred order of a description.
const std::vector<Field> &machineFields();
const Field *findField(const std::string &path);
/// "links.gm_l1" for "links.gm_l1.pipe"; empty at the top.
std::string sectionOf(const std::string &path);
bool isSection(const std::string &path);
/// The legal words of a section: {"pipe", "bytes_per_cycle", ...}.
std::vector<std::string> wordsIn(const std::string &section);

} // namespace mmk
