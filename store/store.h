// The memory of all tuning: an SQLite file that several processes may use at once and that any of
// them may be killed over. Nothing in it is ever changed, only added: a figure belongs to what it
// was found for (see Identity), to a shape and to a variant.
#pragma once

#include "store/identity.h"
#include "store/known.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace mmk::tune {

class Database;

/// A shape by its values, and how it is called in exchanged files.
struct StoredShape {
  std::string dims; ///< "M=2048,N=1024,K=512"
  std::string key;  ///< "2048x1024x512:f16"
};

/// One finding to be kept. Those of one call are kept together or not at all.
struct Finding {
  std::string request, variant, reason; ///< as in Known::Code; no request: of measures alone
  std::vector<ShapeLimit> limits;
  std::vector<std::pair<size_t, Measure>> measures; ///< by number of the shape
};

/// A row of `mmk cache list` and of the exchanged file: the best that is known at a shape.
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
  /// one of another layout, is set aside and a new one begun, which `notice` then says. The error
  /// says why there can be none.
  static llvm::Expected<std::unique_ptr<Store>> open(const std::string &folder,
                                                     std::string &notice);

  /// Chooses what the calls below are about. A check counts for the `rule`, the tolerances, that
  /// it was made by.
  llvm::Error choose(const Identity &identity, llvm::ArrayRef<StoredShape> shapes,
                     const std::string &rule);
  llvm::Error load(Known &known);
  llvm::Error add(llvm::ArrayRef<Finding> findings);
  /// Of the chosen shapes.
  llvm::Error addDecision(const Decision &decision);
  llvm::Error addCheck(size_t shape, const std::string &variant, const Check &check);

  /// For each shape of a kernel the fastest variant that passed its check by this rule.
  llvm::Expected<std::vector<BestRow>> winners(const Identity &identity, const std::string &rule);
  /// Variants that were the best of a shape for another build, or for somebody else: their figures
  /// do not count here, but they are worth a try.
  llvm::Expected<std::vector<BestRow>> hints(const Identity &identity);
  /// For each shape of everything the fastest that passed a check; where none did, the fastest that
  /// is not known to be wrong.
  llvm::Expected<std::vector<BestRow>> all();
  /// Keeps the rows of an exchanged file. Their checks do not count: they were made elsewhere.
  llvm::Error import(llvm::ArrayRef<BestRow> rows);
  /// Forgets what no longer serves: figures of other builds than `build`, or of all where that is
  /// empty. Returns how many figures there were.
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
