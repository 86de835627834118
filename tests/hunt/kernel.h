// A kernel of the hunt: text in pieces, for drawing and shrinking.
#pragma once

#include "support/element.h"

#include <string>
#include <utility>
#include <vector>

namespace mmk::hunt {

/// `head` is a name or a number, an operator, a function or "cast<f16>"; without operands, also a
/// text in index notation.
struct Expression {
  std::string head;
  std::vector<Expression> operands;
};
std::string text(const Expression &expression);
inline Expression call(std::string head, std::vector<Expression> operands) {
  return {std::move(head), std::move(operands)};
}

/// A parameter or a result; a scalar has no dimensions, and a default.
struct Declaration {
  std::string name;
  ElementType type = ElementType::f32;
  std::vector<std::string> dims;
  std::string byDefault = {};
  bool isConstant = false;
};

struct Statement {
  bool isLet = false;
  std::string name;
  Expression value;
  std::string indices = {}; ///< of index notation: "[i, j]"
};

/// "tile.M" and its alternatives, the default first.
struct Alternatives {
  std::string key;
  std::vector<std::string> words;
};

struct KernelText {
  std::vector<Declaration> parameters, results;
  std::vector<std::string> requirements; ///< of dimensions: "H == 2 * G"
  std::vector<Statement> body;
  std::vector<Alternatives> schedule;
};
std::string text(const KernelText &kernel);

} // namespace mmk::hunt
