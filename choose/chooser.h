// Chooses the variant of a kernel for a shape: the back end ranks variants by a closed form, and
// the clock counts the best few. The choice depends on kernel, machine and shape alone, so that it
// is the same on every computer.
#pragma once

#include "backend/backend.h"
#include "compiler/compiler.h"

#include <map>
#include <optional>

namespace mmk {

/// A candidate that was compiled and counted.
struct CountedCandidate {
  Choices choices;
  double predicted = 0; ///< cycles by the closed form, not less than those of memory
  double form = 0;      ///< by the closed form alone
  int64_t cycles = 0;   ///< by the clock; 0: not legal
};

struct ChosenVariant {
  Choices choices; ///< of the directives that were open; none: the machine's default is the best
  /// Of it; of the machine's default, 0 where that is not legal or the best is by form.
  int64_t cycles = 0, defaultCycles = 0;
  bool isByForm = false;                 ///< too large to be counted: `cycles` is predicted
  int64_t considered = 0;                ///< variants that the closed form was computed for
  std::vector<CountedCandidate> counted; ///< in the order in which they were counted
};

/// Whether the last dimension of a result that is no literal 1 is 1 in this shape.
bool hasInnermostUnit(const Kernel &kernel, llvm::ArrayRef<int64_t> dims);

class Chooser {
public:
  /// `fixed`: choices of the user; those of the kernel's schedule are kept as well. All outlive it.
  Chooser(Compiler &compiler, const Kernel &kernel, const Machine &machine, Choices fixed);

  /// The best variant at these dimensions: never behind the machine's default, unless that is too
  /// large to be counted as well. Nothing where no candidate is legal, or where the code of the
  /// machine fits itself to the shape.
  std::optional<ChosenVariant> choose(llvm::ArrayRef<int64_t> dims);

  /// Dimensions of extent 1 in this shape, as "extent.W=1", where tiles extend along others without
  /// them. Where code fits itself to the shape, only if they are the innermost ones of a result:
  /// loops go along those.
  Choices unitsOf(llvm::ArrayRef<int64_t> dims);

  /// What the choice depends on besides kernel, machine and shape: "order=rows,tile.M=64", and the
  /// rules of the schedule.
  std::string kept() const;

  /// Tiles that are counted, where that is cheap, and where it is not; and then changes of one word
  /// of the best.
  size_t mostCheap = 10, mostTiles = 5, mostChanges = 3;

private:
  struct Grouping;
  std::vector<Grouping> groupings();
  /// The kernel in fusion groups.
  Lowering grouped(const Choices &choices);
  /// Counts a candidate, and keeps it if it is the best.
  void count(const Candidate &candidate, llvm::ArrayRef<int64_t> dims, ChosenVariant &chosen);
  /// Counts ever smaller tiles of all dimensions until one has room.
  void countShrunk(llvm::ArrayRef<int64_t> dims, ChosenVariant &chosen);
  /// Takes a candidate that is too large to be counted, if it is legal.
  void takeByForm(const Candidate &candidate, llvm::ArrayRef<int64_t> dims, ChosenVariant &chosen);
  Lowering lower(const Choices &choices, FlagEffort effort);
  /// By the clock; 0 where the variant is not legal.
  int64_t cyclesOf(const Choices &choices, llvm::ArrayRef<int64_t> dims, FlagEffort effort);
  /// Whether they divide reduced dimensions over the cores.
  bool dividesRows(const Choices &choices) const;
  /// Whether no rule of the schedule is broken.
  bool follows(const Schedule &schedule, const Choices &choices) const;
  /// Puts some that compute a product for each tap of a pooling in front of the others.
  static void countPooled(std::vector<Candidate> &best);
  /// Beside other choices that group the kernel.
  void addWindows(const Choices &others, std::vector<Grouping> &groupings);
  Candidates ranked(ir::KernelOp kernel, const CandidateRequest &request) const;
  void countChanges(ir::KernelOp kernel, CandidateRequest request, ChosenVariant &chosen);

  Compiler &compiler_;
  const Kernel &kernel_;
  const Machine &machine_;
  Choices fixed_;                           ///< of the user
  Choices units_;                           ///< dimensions that the shape leaves out
  std::map<std::string, std::string> kept_; ///< these and the schedule's
  mlir::OwningOpRef<mlir::ModuleOp> ir_;
  double stepsLeft_ = 0; ///< that may still be counted
};

} // namespace mmk
