// `--machine-set PATH=VALUE`: a what-if on one figure of a description.
#include "machines/description.h"

#include "support/diagnostics.h"

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>

namespace mmk {
namespace {

std::optional<double> numberFrom(const std::string &text) {
  char *end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0')
    return std::nullopt;
  return number;
}

/// The legal path with the fewest edits; unlike a mistyped word, a distant path is still a useful
/// hint.
std::string unknownPath(const std::string &path) {
  std::vector<std::string> paths;
  for (const Field &field : machineFields())
    paths.push_back(field.path);
  if (std::string_view nearest = nearestWord(path, paths); !nearest.empty())
    return fmt::format("no figure has this path; nearest legal: {}", nearest);
  if (isSection(path))
    return fmt::format("the path of a section; figures in it: {}", listOf(wordsIn(path), "and"));
  std::string section = sectionOf(path);
  while (!section.empty() && !isSection(section))
    section = sectionOf(section);
  return fmt::format("no figure has this path; legal {}: {}",
                     section.empty() ? "at the top" : "in " + section,
                     listOf(wordsIn(section), "and"));
}

/// The message on an illegal value, or empty when `entry` now holds it.
std::string assign(const Field &field, const std::string &text, const DescriptionEntry *old,
                   DescriptionEntry &entry) {
  if (field.isWord()) {
    entry.value.word = text;
    for (const std::string &choice : field.choices)
      if (choice == text)
        return "";
    return field.kind == FieldKind::text
               ? ""
               : fmt::format("expected {}, found {}", field.expectation(), text);
  }
  const bool scales = !text.empty() && text[0] == '*';
  const std::optional<double> number = numberFrom(scales ? text.substr(1) : text);
  if (!number)
    return fmt::format("expected {}, or a factor as *0.7, found \"{}\"", field.expectation(), text);
  if (scales && !old)
    return "the machine has no such figure to scale";
  // Cores and bytes are whole: 0.7 of 20 cores are 14, in spite of the rounding of 0.7.
  const bool whole = field.kind != FieldKind::positive && field.kind != FieldKind::cycles;
  const double scaled = scales ? *number * old->value.number : *number;
  entry.value.number = scales && whole ? std::round(scaled) : scaled;
  if (field.accepts(entry.value.number))
    return "";
  return fmt::format("expected {}, found {}{}", field.expectation(entry.value.number),
                     entry.value.number,
                     scales ? fmt::format(" ({} of {})", text, old->value.number) : "");
}

} // namespace

void applyOverride(Description &description, const MachineOverride &override, Problems &problems) {
  const std::string place = fmt::format("--machine-set {}={}", override.path, override.value);
  const Field *field = findField(override.path);
  if (!field) {
    problems.push_back(fmt::format("{}: {}", place, unknownPath(override.path)));
    return;
  }
  const DescriptionEntry *old = description.find(override.path);
  const bool hasSource = !field->isWord() || (old && !old->source.empty());
  DescriptionEntry entry{field, {}, hasSource ? "--machine-set" : "", place};
  const std::string fault = assign(*field, override.value, old, entry);
  if (!fault.empty()) {
    problems.push_back(fmt::format("{}: {}", place, fault));
    return;
  }
  if (old && override.value.starts_with("*"))
    entry.source = fmt::format("--machine-set: {} of {}", override.value, old->value.number);
  description.put(std::move(entry));
}

} // namespace mmk
