#include "machines/description.h"

#include "machines/embedded.h"
#include "machines/host.h"
#include "machines/json_document.h"
#include "support/diagnostics.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/SaveAndRestore.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <optional>

namespace mmk {
namespace {

bool isFile(llvm::StringRef nameOrFile) {
  return nameOrFile.contains('/') || nameOrFile.ends_with(".json");
}

/// "; did you mean x", or else "; legal: a, b or c".
std::string legalWords(const std::string &found, const std::vector<std::string> &legal) {
  const std::string_view nearest = nearestWord(found, legal);
  if (!nearest.empty())
    return fmt::format("; did you mean {}", nearest);
  return fmt::format("; legal: {}", listOf(legal));
}

/// Why a file cannot be read; empty when it was. A device may have no end.
std::string readText(const std::string &path, std::string &text) {
  constexpr size_t maximumBytes = size_t(16) << 20;
  const std::unique_ptr<FILE, int (*)(FILE *)> file(fopen(path.c_str(), "rb"), fclose);
  if (!file)
    return std::strerror(errno);
  char block[65536];
  while (const size_t count = fread(block, 1, sizeof block, file.get())) {
    text.append(block, count);
    if (text.size() > maximumBytes)
      return "it has more than 16 MiB, which no description needs";
  }
  return ferror(file.get()) ? std::strerror(errno) : "";
}

class Reader {
public:
  explicit Reader(Problems &problems) : problems_(problems) {}

  /// `requestedAt` is the place of the `extends`, or empty for the command line.
  void read(const std::string &nameOrFile, const std::string &requestedAt, Description &into) {
    llvm::SmallString<128> canonical(nameOrFile);
    llvm::sys::path::remove_dots(canonical, /*remove_dot_dot=*/true);
    if (llvm::is_contained(open_, canonical.str()))
      return problem(requestedAt, fmt::format("{} extends itself", nameOrFile));
    std::string text, file;
    if (!fetch(nameOrFile, requestedAt, text, file))
      return;
    llvm::Expected<JsonDocument> document = parseJson(file, text);
    if (!document) {
      problems_.push_back(llvm::toString(document.takeError()));
      return;
    }
    open_.push_back(canonical.str().str());
    const llvm::SaveAndRestore here(file_, file);
    readRoot(document->root, file, into);
    open_.pop_back();
  }

private:
  void problem(const std::string &place, const std::string &message) {
    problems_.push_back(place.empty() ? message : place + ": " + message);
  }

  bool fetch(const std::string &nameOrFile, const std::string &requestedAt, std::string &text,
             std::string &file) {
    if (isFile(nameOrFile)) {
      file = nameOrFile;
      const std::string reason = readText(nameOrFile, text);
      if (!reason.empty())
        problem(requestedAt,
                fmt::format("cannot read the machine description {}: {}", nameOrFile, reason));
      return reason.empty();
    }
    for (const auto &[name, content] : embeddedDescriptions()) {
      if (name != nameOrFile)
        continue;
      text = content;
      file = nameOrFile + ".json";
      return true;
    }
    problem(requestedAt,
            fmt::format("unknown machine {}; legal: {}; a file is named by a path with a slash or "
                        "by its ending .json",
                        nameOrFile, listOf(machineNames())));
    return false;
  }

  void readRoot(const JsonNode &root, const std::string &file, Description &into) {
    if (!root.value->getAsObject())
      return problem(root.place, fmt::format("expected an object with the figures of a machine, "
                                             "found {}",
                                             describeJson(*root.value)));
    if (const JsonNode *base = root.member("extends"))
      readBase(*base, file, into);
    if (const JsonNode *legend = root.member("sources"))
      readLegend(*legend, into);
    readSection("", root, into);
  }

  void readBase(const JsonNode &base, const std::string &file, Description &into) {
    auto name = base.value->getAsString();
    if (!name)
      return problem(base.place, fmt::format("extends: expected the name or the path of a machine "
                                             "description, found {}",
                                             describeJson(*base.value)));
    // A path is relative to the file, not to the working directory.
    llvm::SmallString<128> path(*name);
    if (isFile(*name) && llvm::sys::path::is_relative(*name)) {
      path = llvm::sys::path::parent_path(file);
      llvm::sys::path::append(path, *name);
      llvm::sys::path::remove_dots(path);
    }
    read(path.str().str(), base.place, into);
  }

  void readLegend(const JsonNode &legend, Description &into) {
    if (!legend.value->getAsObject())
      return problem(legend.place, fmt::format("sources: expected an object that says what each "
                                               "source stands for, found {}",
                                               describeJson(*legend.value)));
    for (const JsonNode &node : legend.members) {
      auto meaning = node.value->getAsString();
      if (!meaning) {
        problem(node.place, fmt::format("sources.{}: expected a string, found {}", node.key,
                                        describeJson(*node.value)));
        continue;
      }
      std::erase_if(into.legend, [&](const auto &entry) { return entry.first == node.key; });
      into.legend.emplace_back(node.key, meaning->str());
    }
  }

  /// {"extends": "ascend910b3", "source": "assumed: as there"} takes the figures of another
  /// machine's section, with a source of their own.
  void readSectionBase(const std::string &section, const JsonNode &base, const JsonNode *source,
                       Description &into) {
    if (!source)
      return problem(base.place, section + ": a section that extends without \"source\"");
    Description other;
    readBase(base, file_, other);
    std::optional<std::string> text;
    for (DescriptionEntry &entry : other.entries) {
      if (!llvm::StringRef(entry.field->path).starts_with(section + "."))
        continue;
      if (!text) {
        readSource(*entry.field, *source, into, entry);
        text = entry.source;
      }
      if (!entry.field->isWord())
        entry.source = *text;
      entry.place = base.place;
      into.put(std::move(entry));
    }
  }

  void readSection(const std::string &section, const JsonNode &node, Description &into) {
    const JsonNode *base = section.empty() ? nullptr : node.member("extends");
    if (base)
      readSectionBase(section, *base, node.member("source"), into);
    for (const JsonNode &member : node.members) {
      const std::string &key = member.key;
      const std::string path = section.empty() ? key : section + "." + key;
      if ((section.empty() && (key == "extends" || key == "sources")) ||
          (base && (key == "extends" || key == "source")))
        continue;
      if (const Field *field = key.find('.') == key.npos ? findField(path) : nullptr)
        readField(*field, member, into);
      else if (key.find('.') != key.npos || !isSection(path))
        unknownField(section, path, key, member);
      else if (member.value->kind() == llvm::json::Value::Null)
        std::erase_if(into.entries, [&](const DescriptionEntry &entry) {
          return llvm::StringRef(entry.field->path).starts_with(path + ".");
        });
      else if (!member.value->getAsObject())
        problem(member.place,
                fmt::format("{}: expected an object with {}, found {}", path,
                            listOf(wordsIn(path), "and"), describeJson(*member.value)));
      else
        readSection(path, member, into);
    }
  }

  void unknownField(const std::string &section, const std::string &path, const std::string &key,
                    const JsonNode &node) {
    std::vector<std::string> legal = wordsIn(section);
    if (section.empty())
      legal.insert(legal.begin(), {"extends", "sources"});
    problem(node.place, fmt::format("{}: unknown field{}", path, legalWords(key, legal)));
  }

  void readField(const Field &field, const JsonNode &node, Description &into) {
    DescriptionEntry entry{&field, {}, "", node.place};
    if (node.value->kind() == llvm::json::Value::Null) {
      std::erase_if(into.entries, [&](const DescriptionEntry &e) { return e.field == &field; });
      return;
    }
    const size_t before = problems_.size();
    const bool isObject = node.value->getAsObject() != nullptr;
    if (field.kind == FieldKind::text || (field.kind == FieldKind::choice && !isObject))
      readWord(field, node, entry);
    else
      readSourced(field, node, into, entry);
    if (problems_.size() == before)
      into.put(std::move(entry));
  }

  void readWord(const Field &field, const JsonNode &node, DescriptionEntry &entry) {
    auto word = node.value->getAsString();
    if (!word)
      return problem(node.place, fmt::format("{}: expected {}, found {}", field.path,
                                             field.expectation(), describeJson(*node.value)));
    entry.value.word = word->str();
    if (field.kind != FieldKind::text && !llvm::is_contained(field.choices, entry.value.word))
      problem(node.place,
              fmt::format("{}: unknown {} {}{}", field.path, wordOf(field), entry.value.word,
                          legalWords(entry.value.word, field.choices)));
  }

  static std::string wordOf(const Field &field) {
    return field.path.substr(field.path.rfind('.') + 1);
  }

  void readSourced(const Field &field, const JsonNode &node, const Description &into,
                   DescriptionEntry &entry) {
    const JsonNode *value = node.member("value"), *source = node.member("source");
    if (!node.value->getAsObject())
      return problem(
          node.place,
          fmt::format("{}: expected an object {{\"value\": ..., \"source\": ...}}, found {}",
                      field.path, describeJson(*node.value)));
    for (const JsonNode &member : node.members)
      if (member.key != "value" && member.key != "source")
        problem(member.place, fmt::format("{}.{}: unknown field{}", field.path, member.key,
                                          legalWords(member.key, {"value", "source"})));
    for (const auto &[member, name] : {std::pair(value, "value"), std::pair(source, "source")})
      if (!member)
        problem(node.place, fmt::format("{}: a figure without \"{}\"", field.path, name));
    if (value && field.isWord())
      readWord(field, *value, entry);
    else if (value)
      readNumber(field, *value, entry);
    if (source)
      readSource(field, *source, into, entry);
  }

  void readNumber(const Field &field, const JsonNode &node, DescriptionEntry &entry) {
    if (node.value->getAsString() == "detected") {
      if (std::optional<double> detected = detectFigure(field.path))
        entry.value.number = *detected;
      else
        problem(node.place, fmt::format("{}: cannot be detected; can: {}", field.path,
                                        listOf(detectableFigures(), "and")));
      return;
    }
    auto number = node.value->getAsNumber();
    if (number && field.accepts(*number))
      entry.value.number = *number;
    else
      problem(node.place, fmt::format("{}: expected {}, found {}", field.path,
                                      number ? field.expectation(*number) : field.expectation(),
                                      describeJson(*node.value)));
  }

  /// "ADK, derived: 1.8 TB/s": words of the legend, then an explanation.
  void readSource(const Field &field, const JsonNode &node, const Description &into,
                  DescriptionEntry &entry) {
    auto source = node.value->getAsString();
    if (!source) {
      problem(node.place, fmt::format("{}.source: expected a string, found {}", field.path,
                                      describeJson(*node.value)));
      return;
    }
    std::vector<std::string> known;
    for (const auto &[key, meaning] : into.legend)
      known.push_back(key);
    llvm::SmallVector<llvm::StringRef> keys;
    source->split(':').first.split(keys, ',');
    for (llvm::StringRef key : keys)
      if (!llvm::is_contained(known, key.trim()))
        problem(node.place,
                known.empty()
                    ? fmt::format("{}.source: \"{}\" is not explained in \"sources\"", field.path,
                                  key.trim().str())
                    : fmt::format("{}.source: \"{}\" is not explained in \"sources\"{}", field.path,
                                  key.trim().str(), legalWords(key.trim().str(), known)));
    entry.source = source->str();
  }

  Problems &problems_;
  std::vector<std::string> open_;
  std::string file_; ///< that is being read
};

} // namespace

const DescriptionEntry *Description::find(const std::string &path) const {
  for (const DescriptionEntry &entry : entries)
    if (entry.field->path == path)
      return &entry;
  return nullptr;
}

void Description::put(DescriptionEntry entry) {
  for (DescriptionEntry &old : entries)
    if (old.field == entry.field) {
      old = std::move(entry);
      return;
    }
  entries.push_back(std::move(entry));
}

Description readDescription(const std::string &nameOrFile, Problems &problems) {
  Description description;
  description.name = isFile(nameOrFile) ? llvm::sys::path::stem(nameOrFile).str() : nameOrFile;
  Reader(problems).read(nameOrFile, "", description);
  return description;
}

std::string spelling(const Field &field, const FieldValue &value) {
  return field.isWord() ? value.word : fmt::format("{}", value.number);
}

} // namespace mmk
