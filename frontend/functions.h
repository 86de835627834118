// The functions that a text may call: its own, then the prelude's. A definition is checked once,
// without types; types are inferred at every call.
#pragma once

#include "frontend/ast.h"
#include "support/diagnostics.h"

#include <map>

namespace mmk {

struct Function {
  const ast::Function *definition = nullptr;
  bool isPrelude = false;
  bool isSound = true; ///< false when its definition has errors, which have been reported
};

class Functions {
public:
  /// The functions of `program`, over those of the prelude. `program` must outlive this.
  Functions(const ast::Program &program, Diagnostics &diagnostics);

  /// Null when unknown. A function of the prelude calls only functions of the prelude, whatever a
  /// text defines.
  const Function *find(const std::string &name, bool fromPrelude = false) const;

  /// Whether `name` reads an extent, as the language has it: a text may define another.
  bool isExtent(const std::string &name, bool fromPrelude = false) const {
    return name == "extent" && !find(name, fromPrelude);
  }

  /// The same of `index`, the variable that stands for a dimension of a function.
  bool isIndex(const std::string &name, bool fromPrelude = false) const {
    return name == "index" && !find(name, fromPrelude);
  }
  /// The same of `random`.
  bool isRandom(const std::string &name, bool fromPrelude = false) const {
    return name == "random" && !find(name, fromPrelude);
  }

  /// Of all functions that can be called, primitives included; for messages.
  std::vector<std::string> names() const;

private:
  void define(const ast::Function &definition, Diagnostics &diagnostics);
  void refuseRecursion(Diagnostics &diagnostics);

  std::map<std::string, Function> prelude_, own_;
};

} // namespace mmk
