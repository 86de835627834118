// The choices of a kernel's variant by its dimensions, as the search for candidates varies them,
// and how they tile each fusion group.
#pragma once

#include "aicore/group_time.h"
#include "backend/backend.h"
#include "passes/variant.h"

#include "llvm/ADT/SmallVector.h"

namespace mmk::aicore {

/// The order of tiles and the words of a product, which all groups share.
struct PlanOptions {
  ir::Order order = ir::Order::rows;
  int64_t width = 1; ///< of swizzle
  bool skewed = false, overlapped = false, biasTable = false;
  bool separate = false;          ///< `fuse = none`
  bool reducesProducts = false;   ///< `fuse = rows` or `products`
  bool readsWindows = false;      ///< another `window` than the kernel's
  RowForm rows = RowForm::passes; ///< `reduce`
  enum class Kept { none, a, b } kept = Kept::none;
  auto operator<=>(const PlanOptions &) const = default;
};

/// Copies of buffers.
struct PlanCopies {
  int64_t l1 = 2, l0 = 2, ub = 2, out = 2;
  int64_t acc = 0; ///< 0: two where they fit, else one
  auto operator<=>(const PlanCopies &) const = default;
};

/// For each dimension of the kernel the length of its tile, of its stage, and the number of its
/// splits; 0 where it has none.
struct Plan {
  struct Dimension {
    int64_t tile = 0, stage = 0, splits = 1;
    auto operator<=>(const Dimension &) const = default;
  };
  llvm::SmallVector<Dimension, 6> dims;
  PlanOptions options;
  PlanCopies copies;
  int64_t cores = 0;      ///< 0: those of the space
  int64_t panelDepth = 0; ///< of a panel that is kept; 0: that of the reduction
};

/// The plans that a kernel, a machine and the choices that are fixed leave open.
class PlanSpace {
public:
  PlanSpace(ir::KernelOp kernel, const Machine &machine, const CandidateRequest &request);

  /// A dimension by its number in the kernel; a literal one has none.
  using Number = std::optional<size_t>;
  /// The dimensions of a product, and the tile of those that are literal.
  struct ProductDims {
    Number row, column, depth;
    ProductTile literal;
    bool depthIsOutput = false;   ///< of another product
    int64_t bytes = 2, unit = 16; ///< of an element; of its depth
    std::optional<ImageWork> image = {};
    bool addsRow = false; ///< which the bias table may hold
  };
  struct Group {
    GroupWork work;
    std::vector<ProductDims> products;
    Number row, column;
  };
  const std::vector<Group> &groups() const { return groups_; }
  bool hasProduct() const;
  bool hasRows() const;
  /// How the rows of a group may be reduced.
  std::vector<RowForm> rowForms(const Group &group) const;
  /// The form that is given for a dimension which the group reduces, `reduce.N`.
  std::optional<RowForm> namedForm(const Group &group) const;

  /// The first plan of a search: the machine's default tiles.
  Plan first() const;
  /// The shortest tile of each number of tiles, up to `longest`; the fixed one alone.
  std::vector<int64_t> lengths(size_t dim, int64_t extent, int64_t longest) const;
  /// Tiles of elementwise work: the shares of `parts` cores, and parts of these, in multiples of
  /// `unit`.
  std::vector<int64_t> shares(Number dim, int64_t extent, int64_t parts, int64_t unit) const;
  int64_t unitsOfCore() const;
  /// Numbers of parts to try for the rows of a group of which a tile keeps `length`: one for each
  /// of the group's reduced dimensions. First those that are given, or 1.
  std::vector<std::vector<int64_t>> divisions(const Group &group, int64_t length,
                                              bool alsoParts) const;
  /// Whether a search may divide the rows of a group: there are less than vector cores.
  bool mayDivide(const Group &group) const;
  /// Whether a plan divides rows that no choice divides.
  bool divides(const Plan &plan) const;
  /// Of a plan that divides the rows of a group: tiles of its results as high as fits.
  void fitResultRows(Plan &plan, const Group &group) const;
  int64_t longestTile() const;
  /// Numbers of splits to try for a product of so many tiles.
  std::vector<int64_t> splits(const ProductDims &dims, const ProductWork &product,
                              int64_t tiles) const;
  /// Sets the base depth of a product and the depth of its stage, for a reduction over `extent`.
  /// `which` counts the stages that are tried, the deepest first. False when there are no more.
  bool setDepth(Plan &plan, const ProductDims &dims, int64_t extent, int which) const;

  /// Plans that differ from one in a tile, a depth, the number of copies or a word: what a descent
  /// tries (plan_changes.cpp). Some may not fit.
  std::vector<Plan> changesOf(const Plan &plan) const;
  /// The same with half as long tiles along rows and half as many along columns, and the reverse.
  std::vector<Plan> exchangesOf(const Plan &plan) const;

  bool fits(const Plan &plan) const;
  /// With the depth of one of its products.
  GroupTiling tilingOf(const Plan &plan, const Group &group, size_t product = 0) const;
  /// The number of a dimension of the kernel by its name.
  Number numberOf(const std::string &dim) const;

  std::vector<std::pair<ir::Order, int64_t>> orders() const;
  std::vector<bool> skews() const;
  /// Plans that keep a panel of an operand in L1 in place of two or more copies of its stages:
  /// lines of tiles of `plan`, as long as they are, and cut so that all cores have some.
  std::vector<Plan> keeping(const Plan &plan) const;
  std::vector<bool> overlaps(const Plan &plan) const;
  std::vector<bool> tables(const Plan &plan) const;
  /// Whether elementwise work may be a group of its own.
  std::vector<bool> separations() const;
  /// How the elementwise work of a product is tiled when it is a group of its own.
  GroupTiling separateTiling(const Plan &plan, const Group &group) const;

  /// The words of the open directives.
  Choices choicesOf(const Plan &plan) const;
  /// Elements of a tile of elementwise work that UB has room for.
  int64_t mostElements(const Plan &plan, const GroupWork &work) const;
  int64_t cores() const { return cores_; }
  const Machine &machine() const { return machine_; }
  /// Whether every plan keeps the panel that was chosen.
  bool isKept() const { return keptPanel_.has_value(); }
  /// Whether neither buffers for what vector cores read nor for what they write have given copies.
  bool hasOpenCopies() const { return !isFixed("buffers.ub") && !isFixed("buffers.out"); }
  /// Whether a number of splits is given.
  bool hasSplits() const {
    return std::ranges::any_of(dims_, [](const Fixed &dim) { return dim.splits > 0; });
  }

private:
  class Changes;
  /// What is fixed of a dimension; 0: open.
  struct Fixed {
    std::string name;
    int64_t extent = 1; ///< in the shape of the request
    int64_t tile = 0, stage = 0, splits = 0;
    bool fitsTile = false; ///< `tile = auto` was chosen
    int64_t unit = 1;      ///< tiles are multiples of it
  };
  ProductDims dimsOf(const ProductWork &product) const;
  std::optional<int64_t> fixedNumber(const std::string &key) const;
  bool isFixed(const std::string &key) const { return request_.fixed.contains(key); }
  std::vector<bool> words(const char *directive, std::string_view second, bool isPossible) const;
  int64_t tileOf(const Plan &plan, Number dim, int64_t literal) const {
    return dim && plan.dims[*dim].tile > 0 ? plan.dims[*dim].tile : literal;
  }
  /// The tile and the copies of a product, and the depth of its base tile.
  ProductSizes sizesOf(const Plan &plan, const ProductDims &dims) const;
  bool setDepthOfImage(Plan &plan, const ProductDims &dims, int which) const;
  bool fitsImage(const Plan &plan, const GroupTiling &tiling, const ProductDims &dims) const;
  int64_t stepOfStage(const Plan &plan, const ProductDims &dims) const;
  /// Rows of a tile of the results of divided rows that UB has room for.
  int64_t mostResultRows(const Plan &plan, const GroupTiling &tiling, RowWork &work) const;
  bool fitsRows(const Plan &plan, const GroupTiling &tiling, RowWork &work) const;
  bool fitsUb(const Plan &plan, const GroupTiling &tiling, const GroupWork &work) const;
  /// Bits of UB for an element of a tile of elementwise work.
  static int64_t bitsOfElement(const Plan &plan, const GroupWork &work);
  int64_t mostDepth(const Plan &plan, const ProductDims &dims) const {
    return sizesOf(plan, dims).mostDepth(attr_, dims.bytes);
  }
  /// Shortens the base depth and the stage of every product to what fits beside its tile.
  void fitDepths(Plan &plan) const;
  /// The most depth of a stage in L1.
  int64_t mostStage(const Plan &plan, const ProductDims &dims) const;
  int64_t panelDepth(const Plan &plan) const;

  const Machine &machine_;
  MachineAttr attr_; ///< the same in the kernel
  const CandidateRequest &request_;
  std::vector<Fixed> dims_;
  std::vector<Group> groups_;
  int64_t cores_;
  PlanCopies copies_;                  ///< those that are fixed, else the machine's defaults
  std::optional<KeptPanel> keptPanel_; ///< the fixed one
};

} // namespace mmk::aicore
