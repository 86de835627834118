// One line on a name of a text: how it is declared, or the type that was inferred.
#pragma once

#include "frontend/ast.h"
#include "frontend/kernel.h"

#include <map>
#include <string>

namespace mmk::lsp {

std::string meaningOf(const ast::Kernel &kernel);
std::string meaningOf(const ast::Function &function);
std::string meaningOf(const ast::Parameter &parameter);
std::string meaningOf(const ast::Result &result);
std::string meaningOf(const ast::Argument &argument);

/// The types of the values of one kernel, by name, and the ranges of its index variables.
class TypesOfValues {
public:
  TypesOfValues() = default;
  /// `kernel` may be null, or lack values, where the text has errors.
  TypesOfValues(const ast::Kernel &tree, const Kernel *kernel);

  /// "let s: f32[M, N]"; without a type where it is not known.
  std::string meaningOf(const std::string &let) const;
  /// What the variable at a place of a statement, or of a call, ranges over: "M"; empty where it is
  /// not known.
  std::string rangeOf(const ast::Statement &statement, size_t place) const;
  std::string rangeOf(const ast::Expression &call, const ast::Place &place) const;

private:
  std::string rangeIn(const ast::Expression &tree, const std::string &variable) const;

  std::map<std::string, Shape> shapes_;
  std::map<std::string, std::string> types_; ///< of lets
};

} // namespace mmk::lsp
