// The store of tuning results: an SQLite file that several processes may use at once, and that
// survives a kill of any of them. Rows are only added, never changed: a figure belongs to an
// identity, a shape and a variant.
#pragma once

#include "store/identity.h"
#include "store/known.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>

namespace mmk::tune {

class Database;

/// A shape by its values, and its name in exchanged files.
struct StoredShape {
  std::string dims; ///< "M=2048,N=1024,K=512"
  std::string key;  ///< "2048x1024x512:f16"
};

/// One result to store. Those of one call are stored together or not at all.
struct Finding {
  std::string request, variant, reason; ///< as in Known::Code; without a request: measures only
  std::vector<ShapeLimit> limits;
  std::vector<std::pair<size_t, Measure>> measures; ///< by number of the shape
  DiagnosticCode code = DiagnosticCode::none;       ///< of the reason
};

/// A row of `mmk cache list` and of the exchanged file: the best known variant at a shape.
struct BestRow {
  Identity identity;
  StoredShape shape;
  std::string variant;
  Measure measure;
  Check check;
  int64_t variants = 0; ///< measured at this shape
};

class Store {
public:
  ~Store();

  /// Opens `folder`/memory.sqlite, or makes it, the folder for this user alone. A damaged file, or
  /// one of another layout, is renamed and a new one begun; `notice` then reports it. The error
  /// says why no store can be opened.
  static llvm::Expected<std::unique_ptr<Store>> open(const std::string &folder,
                                                     std::string &notice);

  /// Selects the kernel, machine and shapes of the calls below. A check is valid for its `rule`,
  /// the tolerances.
  llvm::Error choose(const Identity &identity, llvm::ArrayRef<StoredShape> shapes,
                     const std::string &rule);
  llvm::Error load(Known &known);
  llvm::Error add(llvm::ArrayRef<Finding> findings);
  /// The results at the selected shapes.
  llvm::Error addDecision(const Decision &decision);
  llvm::Error addCheck(size_t shape, const std::string &variant, const Check &check);

  /// For each shape of a kernel the fastest variant that passed its check by this rule.
  llvm::Expected<std::vector<BestRow>> winners(const Identity &identity, const std::string &rule);
  /// The fastest variant of a kernel at a shape of this build that was never checked by this rule;
  /// nothing where there is none.
  llvm::Expected<std::optional<BestRow>>
  unchecked(const Identity &identity, const std::string &dims, const std::string &rule);
  /// Variants that were the best of a shape for another build, for another user, or for the machine
  /// with other figures: what was measured does not apply here, but the variants are candidates.
  llvm::Expected<std::vector<BestRow>> hints(const Identity &identity);
  /// For each shape of each kernel and machine the fastest variant that passed a check; where none
  /// did, the fastest that is not known to be wrong.
  llvm::Expected<std::vector<BestRow>> all();
  /// Stores the rows of an exchanged file. Their checks do not count: they were made elsewhere.
  llvm::Error import(llvm::ArrayRef<BestRow> rows);
  /// Removes the figures of other builds than `build`, or all if it is empty. Returns the number of
  /// removed figures.
  llvm::Expected<int64_t> prune(const std::string &build);

  const std::string &path() const { return path_; }

private:
  Store() = default;
  std::vector<BestRow> firstOfShapes(const std::string &where, auto... values);
  std::vector<Decision> decisions();
  llvm::Error guarded(llvm::function_ref<void()> work);

  std::string path_;
  std::unique_ptr<Database> database_;
  int64_t context_ = 0;
  std::vector<int64_t> shapes_;
  std::string rule_;
  std::unordered_map<std::string, int64_t> variants_;
};

} // namespace mmk::tune
