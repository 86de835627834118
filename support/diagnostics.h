// Messages to the user: collected, so that a wrong program reports all its independent errors in
// one go, and printed in one form.
#pragma once

#include "support/source.h"

#include <string>
#include <string_view>
#include <vector>

namespace mmk {

enum class Severity { error, warning, remark, note };

/// The meaning of a message to a program, beside its text.
enum class DiagnosticCode {
  none,
  namesNearest, ///< names a legal choice close to the refused one
  beyondProof,  ///< the proof of the flags takes too long; the flags may be right
  overflowsL1,  ///< the buffers of a variant exceed this on-chip memory
  overflowsL0a,
  overflowsL0b,
  overflowsL0c,
  overflowsBt,
  overflowsUb
};

/// One message. Lower case first letter, no final period; what was expected, what was found.
struct Diagnostic {
  Severity severity = Severity::error;
  SourceRange where;
  std::string message;
  /// Further places or the legal choices, printed below, each as a `note:`.
  std::vector<Diagnostic> notes;
  DiagnosticCode code = DiagnosticCode::none;
};

class Diagnostics {
public:
  /// Reports an error; the reference is good for adding notes until the next report.
  Diagnostic &error(SourceRange where, std::string message);
  Diagnostic &warning(SourceRange where, std::string message);
  void add(Diagnostic diagnostic);

  bool hasErrors() const { return errors_ > 0; }
  const std::vector<Diagnostic> &all() const { return all_; }

  /// All messages in the order of their places, e.g.
  ///   gemm.mmk:7:11: error: cannot multiply f16[M, K] by f16[N, K]: ...
  ///       7 |   let acc = a @ b;
  ///         |             ^~~~~
  /// Colour is the caller's choice; beyond 20 errors the rest is counted, not printed.
  std::string render(bool colour = false) const;

private:
  std::vector<Diagnostic> all_;
  unsigned errors_ = 0;
};

/// The candidate nearest to `word` by edit distance, or empty when none is near enough to be a
/// typing error (at most a third of its letters). For "did you mean".
std::string_view nearestWord(std::string_view word, const std::vector<std::string> &candidates);

/// "a, b or c" for lists of legal choices.
std::string listOf(const std::vector<std::string> &words, std::string_view last = "or");

} // namespace mmk
