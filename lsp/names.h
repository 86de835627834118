// The names of a text: what each stands for, and every place where it is written.
#pragma once

#include "frontend/ast.h"
#include "frontend/kernel.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mmk::lsp {

enum class NameKind {
  kernel,
  function,
  dimension,
  parameter,
  result,
  value,    ///< of a `let`
  variable, ///< an index
  kernelCase,
  // What a text does not define itself.
  libraryFunction, ///< of the prelude, or a primitive
  directive,
  bufferGroup,
  type,
};

struct Symbol {
  NameKind kind;
  std::string name;
  std::string item;    ///< the kernel or function that it belongs to; empty for these themselves
  std::string meaning; ///< one line of the language, or its type: "x: f16[M, N]"
};

/// A place where the text of a symbol is written; its definition or a use of it.
struct Occurrence {
  uint32_t begin, end; ///< offsets in bytes
  size_t symbol;
  bool isDefinition;
};

struct Names {
  std::vector<Symbol> symbols;
  std::vector<Occurrence> occurrences; ///< in the order of the text

  /// The occurrence at an offset, also right behind its last character; null where there is none.
  const Occurrence *at(uint32_t offset) const;
  const Occurrence *definitionOf(size_t symbol) const;
};

/// `kernels` are those of the syntax tree in its order, as far as they could be checked: types are
/// theirs.
Names namesOf(const ast::Program &tree, const std::vector<std::unique_ptr<Kernel>> &kernels);

} // namespace mmk::lsp
