#include "aicore/plan.h"

#include "ir/element_type.h"
#include "passes/passes.h"
#include "passes/variant.h"
#include "place/vector_scratch.h"
#include "schedule/directive.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace mmk::aicore {
namespace {

/// Splits of a reduction that are tried; more of them only add to the sum.
constexpr int64_t triedSplits[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32};
/// The most parts of a row, as `grid` takes them.
constexpr int64_t maximumParts = 1024;
/// Widths of swizzle that are tried.
constexpr int64_t triedWidths[] = {2, 4, 8};
/// Kept elements for each vector core beside which dividing rows may help: some whole rows, or some
/// pieces of memory of columns.
int64_t mostKept(const RowWork &work) { return work.program.plane().reducesColumns ? 2 : 64; }
/// Bytes of UB that tiles leave free.
constexpr int64_t spareInUb = 1024;
/// The words of `reduce`.
constexpr std::pair<std::string_view, RowForm> rowWords[] = {
    {"two_pass", RowForm::passes}, {"whole", RowForm::whole}, {"online", RowForm::online}};

} // namespace

PlanSpace::PlanSpace(ir::KernelOp kernel, const Machine &machine, const CandidateRequest &request)
    : machine_(machine), attr_(machineOf(kernel->getParentOfType<mlir::ModuleOp>())),
      request_(request) {
  std::vector<std::string> names;
  for (llvm::StringRef name : kernel.getDims().getAsValueRange<mlir::StringAttr>())
    names.push_back(name.str());
  for (const std::string &name : tileDims(kernel))
    if (!llvm::is_contained(names, name))
      names.push_back(name); // of a literal extent, or joined
  for (const std::string &name : names) {
    Fixed &dim = dims_.emplace_back();
    dim.name = name;
    dim.extent = extentOf(kernel, request.dims, name);
    dim.tile = fixedNumber("tile." + dim.name).value_or(0);
    dim.fitsTile = isFixed("tile." + dim.name) && dim.tile == 0;
    dim.stage = fixedNumber("stage." + dim.name).value_or(0);
    dim.splits = fixedNumber("grid." + dim.name).value_or(0);
  }
  const auto copies = [&](const char *group) {
    return fixedNumber(fmt::format("buffers.{}", group));
  };
  cores_ = fixedNumber("cores").value_or(machine.cubeCores);
  copies_.l1 = copies("l1").value_or(copies_.l1);
  copies_.l0 = copies("l0").value_or(copies_.l0);
  copies_.ub = copies("ub").value_or(copies_.ub);
  copies_.out = copies("out").value_or(copies_.out);
  copies_.acc = copies("acc").value_or(copies_.acc);

  if (const auto keep = request.fixed.find("keep"); keep != request.fixed.end())
    keptPanel_ = keptPanel(keep->second);

  const Backend &backend = backendOf(machine.kind);
  for (GroupWork &work : workOf(kernel, machine, request.dims)) {
    Group &group = groups_.emplace_back();
    group.row = numberOf(work.rowDim);
    group.column = numberOf(work.columnDim);
    for (const ProductWork &product : work.products) {
      ProductDims dims = dimsOf(product);
      dims.addsRow = work.addsRow;
      dims.literal = backend.literalProductTile(attr_, typeOf(product.type, kernel.getContext()));
      const auto require = [&](Number dim, int64_t unit) {
        if (dim)
          dims_[*dim].unit = std::lcm(dims_[*dim].unit, unit);
      };
      // One that reads windows from L1 may be computed transposed.
      const int64_t both = std::lcm(machine.cube.m, machine.cube.n);
      require(dims.row, dims.image ? both : machine.cube.m);
      require(dims.column, dims.image ? both : machine.cube.n);
      require(dims.depth, dims.unit);
      group.products.push_back(dims);
    }
    group.work = std::move(work);
  }
  for (Group &group : groups_)
    for (ProductDims &dims : group.products)
      for (const Group &other : groups_)
        for (const ProductDims &each : other.products)
          dims.depthIsOutput |= dims.depth && (dims.depth == each.row || dims.depth == each.column);
}

PlanSpace::Number PlanSpace::numberOf(const std::string &dim) const {
  const auto found = std::ranges::find(dims_, dim, &Fixed::name);
  return found == dims_.end() ? Number() : Number(found - dims_.begin());
}

PlanSpace::ProductDims PlanSpace::dimsOf(const ProductWork &product) const {
  ProductDims dims;
  dims.row = numberOf(product.rowDim);
  dims.column = numberOf(product.columnDim);
  dims.depth = numberOf(product.depthDim);
  dims.bytes = static_cast<int64_t>(sizeInBytes(product.type));
  dims.unit = machine_.cube.depth.at(product.type);
  dims.image = product.image;
  return dims;
}

std::optional<int64_t> PlanSpace::fixedNumber(const std::string &key) const {
  const auto found = request_.fixed.find(key);
  int64_t number = 0;
  if (found == request_.fixed.end() || llvm::StringRef(found->second).getAsInteger(10, number))
    return std::nullopt;
  return number;
}

bool PlanSpace::hasProduct() const {
  return std::ranges::any_of(groups_, [](const Group &it) { return !it.products.empty(); });
}

bool PlanSpace::hasRows() const {
  return std::ranges::any_of(groups_, [](const Group &it) { return it.work.ofRows != nullptr; });
}

std::optional<RowForm> PlanSpace::namedForm(const Group &group) const {
  if (!group.work.ofRows)
    return std::nullopt;
  const RowSpace &space = group.work.ofRows->program.space();
  for (int64_t dim : space.reduced())
    if (const auto fixed = request_.fixed.find(("reduce." + space.names[dim]).str());
        fixed != request_.fixed.end())
      for (const auto &[word, form] : rowWords)
        if (fixed->second == word)
          return form;
  return std::nullopt;
}

std::vector<RowForm> PlanSpace::rowForms(const Group &group) const {
  if (const auto named = namedForm(group))
    return {*named};
  const auto fixed = request_.fixed.find("reduce");
  const bool mayBeOnline = std::ranges::any_of(
      groups_, [](const Group &it) { return it.work.ofRows && it.work.ofRows->onlineProgram; });
  std::vector<RowForm> forms;
  for (const auto &[word, form] : rowWords) {
    const bool isOpen = fixed == request_.fixed.end() || fixed->second == word;
    if (isOpen && (form != RowForm::online || mayBeOnline))
      forms.push_back(form);
  }
  if (forms.empty() || !hasRows())
    return {RowForm::passes};
  return forms;
}

//===--- tiles ----------------------------------------------------------------------------===//

Plan PlanSpace::first() const {
  Plan plan;
  plan.dims.resize(dims_.size());
  plan.copies = copies_;
  for (size_t i = 0; i < dims_.size(); ++i)
    plan.dims[i].splits = std::max<int64_t>(1, dims_[i].splits);
  if (keptPanel_)
    plan.options.order = orderAlong(*keptPanel_) == "rows" ? ir::Order::rows : ir::Order::columns;
  const auto setLeast = [&](Number dim, int64_t length) {
    if (!dim)
      return;
    int64_t &tile = plan.dims[*dim].tile;
    tile = tile == 0 ? length : std::min(tile, length);
    if (dims_[*dim].tile > 0)
      tile = dims_[*dim].tile;
  };
  for (const Group &group : groups_)
    for (const ProductDims &dims : group.products) {
      setLeast(dims.row, dims.literal.m);
      setLeast(dims.column, dims.literal.n);
    }
  for (const Group &group : groups_)
    for (size_t i = 0; i < group.products.size(); ++i)
      (void)setDepth(plan, group.products[i], group.work.products[i].depth, 0);
  if (!hasProduct())
    for (const Group &group : groups_) {
      const ElementwiseTile tile = backendOf(machine_.kind).literalElementwiseTile();
      setLeast(group.row, tile.rows);
      setLeast(group.column, tile.columns);
    }
  return plan;
}

std::vector<int64_t> PlanSpace::lengths(size_t dim, int64_t extent, int64_t longest) const {
  const Fixed &fixed = dims_[dim];
  if (fixed.tile > 0 || fixed.fitsTile)
    return {fixed.tile > 0 ? fixed.tile : first().dims[dim].tile};
  std::vector<int64_t> lengths;
  for (int64_t length = fixed.unit; length <= longest; length += fixed.unit) {
    if (length == fixed.unit || llvm::divideCeilSigned(extent, length) <
                                    llvm::divideCeilSigned(extent, length - fixed.unit))
      lengths.push_back(length);
    if (length >= extent)
      break;
  }
  return lengths;
}

int64_t PlanSpace::unitsOfCore() const {
  return machine_.topology == mmk::Topology::split ? machine_.vectorCoresPerCube : 1;
}

std::vector<int64_t> PlanSpace::shares(Number dim, int64_t extent, int64_t parts,
                                       int64_t unit) const {
  if (!dim)
    return {unit};
  const Fixed &fixed = dims_[*dim];
  if (fixed.tile > 0 || fixed.fitsTile)
    return {fixed.tile > 0 ? fixed.tile : unit};
  std::vector<int64_t> lengths;
  const auto add = [&](int64_t all) {
    const int64_t length = std::min<int64_t>(llvm::alignTo(all, unit), maximumTile / unit * unit);
    if (std::ranges::find(lengths, length) == lengths.end())
      lengths.push_back(length);
  };
  for (int64_t share = extent; share > 0; share = share * 3 / 4) {
    add(share);
    add(llvm::divideCeilSigned(share, parts));
  }
  // As many tiles for each of the cores.
  if (parts > 1)
    for (int64_t tiles : {2, 3, 4, 5, 6, 8})
      add(std::max<int64_t>(1, llvm::divideCeilSigned(extent, tiles * parts)));
  std::ranges::sort(lengths);
  return lengths;
}

// All vector cores have a part, or several to even them out. The first dimension that is long
// enough is divided: what is inside of it stays in one piece of memory.
std::vector<std::vector<int64_t>> PlanSpace::divisions(const Group &group, int64_t length,
                                                       bool alsoParts) const {
  const RowWork &work = *group.work.ofRows;
  std::vector<int64_t> given(work.reduced.size(), 1);
  for (auto [i, dim] : llvm::enumerate(work.reduced))
    if (const Number number = numberOf(dim.name); number && dims_[*number].splits > 0)
      given[i] = dims_[*number].splits;
  std::vector<std::vector<int64_t>> divisions = {given};
  const int64_t units = cores_ * unitsOfCore(),
                kept = work.batches * llvm::divideCeilSigned(work.keptExtent, length);
  if (!alsoParts || !mayDivide(group) || kept >= units)
    return divisions;
  constexpr int64_t rounds = 2; // of parts, which a few outer iterations would not even out
  size_t at = 0;
  while (at + 1 < work.reduced.size() && work.reduced[at].extent < rounds * units)
    ++at;
  const auto add = [&](size_t dim, int64_t parts) {
    if (parts < 2 || parts > work.reduced[dim].extent || parts > maximumParts)
      return;
    std::vector<int64_t> division(work.reduced.size(), 1);
    division[dim] = parts;
    if (std::ranges::find(divisions, division) == divisions.end())
      divisions.push_back(division);
  };
  for (const int64_t each : {1, 2, 4})
    add(at, each * units / kept);
  // Where all is short, parts of an outer dimension have no loop over it.
  for (size_t outer = 0; outer < at; ++outer)
    add(outer, std::min(work.reduced[outer].extent, units / kept));
  return divisions;
}

bool PlanSpace::mayDivide(const Group &group) const {
  const RowWork &work = *group.work.ofRows;
  return !work.reduced.empty() &&
         work.batches * work.keptExtent < cores_ * unitsOfCore() * mostKept(work) &&
         std::ranges::all_of(
             work.reduced,
             [&](const RowWork::Reduced &dim) {
               const Number number = numberOf(dim.name);
               return number && dims_[*number].splits == 0;
             });
}

bool PlanSpace::divides(const Plan &plan) const {
  return std::ranges::any_of(groups_, [&](const Group &group) {
    return group.products.empty() && group.work.ofRows && !tilingOf(plan, group).parts.empty() &&
           mayDivide(group);
  });
}

int64_t PlanSpace::longestTile() const {
  return std::min(machine_.cube.maxExtent, machine_.memory(Memory::l0c).capacity() /
                                               (4 * std::min(machine_.cube.m, machine_.cube.n)));
}

std::vector<int64_t> PlanSpace::splits(const ProductDims &dims, const ProductWork &product,
                                       int64_t tiles) const {
  if (!dims.depth || dims.depthIsOutput || dims.image)
    return {1};
  if (dims_[*dims.depth].splits > 0)
    return {dims_[*dims.depth].splits};
  if (request_.variesOptions)
    return {1}; // the best plan has none
  std::vector<int64_t> splits;
  // Many where most cores would be idle, two where the last round of tiles would leave some idle.
  constexpr int64_t fewRounds = 32;
  const auto isUseful = [&](int64_t count) {
    return tiles * (count - 1) < 2 * cores_ ||
           (count == 2 && tiles % cores_ != 0 && tiles < fewRounds * cores_);
  };
  for (int64_t count : triedSplits)
    if (count == 1 || (isUseful(count) && count * dims.unit <= product.depth))
      splits.push_back(count);
  return splits;
}

ProductSizes PlanSpace::sizesOf(const Plan &plan, const ProductDims &dims) const {
  ProductSizes sizes;
  sizes.rows = tileOf(plan, dims.row, dims.literal.m);
  sizes.columns = tileOf(plan, dims.column, dims.literal.n);
  sizes.inL1 = plan.copies.l1;
  sizes.inL0 = plan.copies.l0;
  sizes.keepsA = plan.options.kept == PlanOptions::Kept::a;
  sizes.keepsB = plan.options.kept == PlanOptions::Kept::b;
  sizes.hasBias = dims.addsRow;
  // See baseDepth of passes/variant.h.
  sizes.depth = tileOf(plan, dims.depth, dims.literal.k);
  if (dims.depthIsOutput)
    sizes.depth = halvedTo(sizes.mostDepth(attr_, dims.bytes), sizes.depth, dims.unit);
  sizes.stage = dims.depth ? plan.dims[*dims.depth].stage : dims.literal.k;
  sizes.accumulators = 2;
  if (sizes.bytesInL0C(1) > attr_.capacity(Space::l0c))
    sizes.accumulators = 1;
  if (plan.copies.acc > 0)
    sizes.accumulators = plan.copies.acc;
  return sizes;
}

int64_t PlanSpace::mostStage(const Plan &plan, const ProductDims &dims) const {
  ProductSizes sizes = sizesOf(plan, dims);
  if (sizes.keepsA || sizes.keepsB)
    sizes.panelDepth = panelDepth(plan);
  return sizes.mostStage(attr_, dims.bytes);
}

/// Of what a stage is a multiple: of a base tile, and of the unit of the dimension, which is that
/// of an output, too, where it is one of another product.
int64_t PlanSpace::stepOfStage(const Plan &plan, const ProductDims &dims) const {
  const int64_t base = sizesOf(plan, dims).depth;
  return dims.depth ? std::lcm(base, dims_[*dims.depth].unit) : base;
}

// The stage is that of a block of channels with all taps, in equal base tiles.
bool PlanSpace::setDepthOfImage(Plan &plan, const ProductDims &dims, int which) const {
  const Fixed &fixed = dims_[*dims.depth];
  Plan::Dimension &chosen = plan.dims[*dims.depth];
  constexpr int tried = 3;
  const int64_t deep = dims.image->depthOfStage(),
                most = std::min(mostDepth(plan, dims), machine_.cube.maxExtent),
                parts = llvm::divideCeilSigned(deep, std::max<int64_t>(dims.unit, most)) + which;
  if (which >= tried || (which > 0 && parts * dims.unit > deep))
    return false;
  chosen.tile =
      fixed.tile > 0
          ? fixed.tile
          : static_cast<int64_t>(llvm::alignTo(llvm::divideCeilSigned(deep, parts), dims.unit));
  chosen.stage =
      fixed.stage > 0 ? fixed.stage : static_cast<int64_t>(llvm::alignTo(deep, chosen.tile));
  return (fixed.tile == 0 && fixed.stage == 0) || which == 0;
}

bool PlanSpace::fitsImage(const Plan &plan, const GroupTiling &tiling,
                          const ProductDims &dims) const {
  return tiling.splits == 1 && !tiling.keepsA && !tiling.keepsB &&
         dims.image->fits(tiling.rows, tiling.columns, tiling.stage, dims.bytes, plan.copies.l1,
                          machine_);
}

bool PlanSpace::setDepth(Plan &plan, const ProductDims &dims, int64_t extent, int which) const {
  if (!dims.depth)
    return which == 0;
  if (dims.image)
    return setDepthOfImage(plan, dims, which);
  const Fixed &fixed = dims_[*dims.depth];
  Plan::Dimension &chosen = plan.dims[*dims.depth];
  if (!dims.depthIsOutput) {
    int64_t depth = fixed.unit;
    const int64_t most = std::min(mostDepth(plan, dims), machine_.cube.maxExtent);
    while (depth * 2 <= most && depth < extent)
      depth *= 2;
    chosen.tile = fixed.tile > 0 ? fixed.tile : depth;
  } else if (chosen.tile == 0) {
    chosen.tile = dims.literal.k;
  }
  if (fixed.stage > 0) {
    chosen.stage = fixed.stage;
    return which == 0;
  }
  const int64_t base = sizesOf(plan, dims).depth;
  int64_t most = mostStage(plan, dims) / base;
  // Whole packets of global memory, where a stage has so many base tiles.
  const int64_t packet = std::max<int64_t>(1, machine_.packetBytes / (dims.bytes * base));
  if (most >= packet)
    most = most / packet * packet;
  most = std::min(most, llvm::divideCeilSigned(extent, base));
  for (int i = 0; i < which && most >= 1; ++i)
    most = most == 1 ? 0 : llvm::divideCeilSigned(most, 2);
  const int64_t step = stepOfStage(plan, dims);
  chosen.stage = std::max(step, most * base / step * step);
  return most >= 1;
}

bool PlanSpace::fits(const Plan &plan) const {
  for (const Group &group : groups_) {
    const GroupTiling tiling = tilingOf(plan, group);
    if (group.products.empty()) {
      if ((!hasProduct() || group.work.ofRows) && !fitsUb(plan, tiling, group.work))
        return false;
      continue;
    }
    const int64_t rectangles = tiling.gridRows * tiling.gridColumns;
    if (rectangles > 1 && rectangles * tiling.splits > tiling.cores)
      return false;
    // A tile has whole rows of a product that are reduced, and all of its depth.
    if (group.work.ofRows && (tiling.splits > 1 || tiling.columns < group.work.columns ||
                              tiling.overlapped || !fitsRows(plan, tiling, *group.work.ofRows)))
      return false;
    if (tiling.bytesInL0C(std::ssize(group.products)) > attr_.capacity(Space::l0c))
      return false;
    for (const ProductDims &dims : group.products)
      if (tiling.depth > mostDepth(plan, dims) || tiling.stage % stepOfStage(plan, dims) != 0 ||
          (dims.image ? !fitsImage(plan, tiling, dims) : tiling.stage > mostStage(plan, dims)))
        return false;
  }
  return true;
}

int64_t PlanSpace::mostResultRows(const Plan &plan, const GroupTiling &tiling,
                                  RowWork &work) const {
  const RowSchedule &schedule = work.scheduleOf(tiling.form);
  const auto bytesOf = [](mlir::Value element) {
    return static_cast<int64_t>(llvm::divideCeil(element.getType().getIntOrFloatBitWidth(), 8));
  };
  constexpr int64_t padding = 32;
  int64_t most = std::numeric_limits<int64_t>::max();
  for (const RowPass &pass : schedule.passes) {
    if (pass.outputs.empty())
      continue;
    int64_t bytes = 4 * schedule.scratch;
    RowProgram &program = work.programOf(tiling.form);
    const int64_t columns = llvm::alignTo(tiling.columns, padding);
    int64_t room = machine_.memory(Memory::ub).capacity() - spareInUb;
    for (unsigned number : pass.inputs) {
      RowInput &input = program.inputs()[number];
      const int64_t all = plan.copies.ub * bytesOf(input.element);
      if (broadcastOf(program, input.dims) == Broadcast::full)
        bytes += all;
      else if (llvm::is_contained(input.dims, program.plane().columns))
        room -= all * columns;
    }
    for (unsigned number : pass.outputs)
      bytes += plan.copies.out * bytesOf(program.outputs()[number].element);
    most = std::min(most, std::max<int64_t>(0, room) / (bytes * columns));
  }
  return most;
}

void PlanSpace::fitResultRows(Plan &plan, const Group &group) const {
  RowWork &work = *group.work.ofRows;
  const Number row = numberOf(work.result.rowDim);
  const GroupTiling tiling = tilingOf(plan, group);
  if (!row || row == group.row || row == group.column || dims_[*row].tile > 0 ||
      tiling.parts.empty())
    return;
  plan.dims[*row].tile =
      std::max<int64_t>(1, std::min(mostResultRows(plan, tiling, work),
                                    llvm::divideCeilSigned(work.result.rows, unitsOfCore())));
}

bool PlanSpace::fitsRows(const Plan &plan, const GroupTiling &tiling, RowWork &work) const {
  const bool reducesColumns = work.program.plane().reducesColumns;
  if (tiling.form == RowForm::whole &&
      work.reducedExtent > (reducesColumns ? tiling.columns : tiling.rows))
    return false;
  if (!tiling.parts.empty() &&
      (tiling.form == RowForm::whole || tiling.resultRows > mostResultRows(plan, tiling, work)))
    return false;
  const int64_t units = hasProduct() ? 1 : unitsOfCore();
  return work
      .sizesOf(tiling.rows * (reducesColumns ? units : 1),
               tiling.columns * (reducesColumns ? 1 : units), tiling.form, plan.copies.ub,
               plan.copies.out)
      .fits;
}

// Two copies of each operand and result, and the scratch of the instructions: a tile is one step of
// a vector core. See place/vector_buffers.cpp.
bool PlanSpace::fitsUb(const Plan &plan, const GroupTiling &tiling, const GroupWork &work) const {
  if (work.ofRows)
    return fitsRows(plan, tiling, *work.ofRows);
  const auto ofRow = [&](int64_t bytes) {
    return paddedColumns(tiling.columns, bytes, machine_.memory(Memory::ub).alignment) * bytes;
  };
  int64_t shared = spareInUb, row = work.scratchBytes / 4 * ofRow(4);
  for (int64_t each : work.rowReads)
    shared += plan.copies.ub * ofRow(each);
  for (int64_t each : work.reads)
    row += plan.copies.ub * ofRow(each);
  for (int64_t each : work.stores)
    row += plan.copies.out * ofRow(each);
  row += llvm::divideCeilSigned(work.masks * tiling.columns, 8);
  return shared + tiling.rows * row <= machine_.memory(Memory::ub).capacity();
}

int64_t PlanSpace::bitsOfElement(const Plan &plan, const GroupWork &work) {
  int64_t bytes = work.scratchBytes;
  for (int64_t each : work.reads)
    bytes += plan.copies.ub * each;
  for (int64_t each : work.stores)
    bytes += plan.copies.out * each;
  return 8 * bytes + work.masks;
}

int64_t PlanSpace::mostElements(const Plan &plan, const GroupWork &work) const {
  return 8 * (machine_.memory(Memory::ub).capacity() - spareInUb) /
         std::max<int64_t>(1, bitsOfElement(plan, work));
}

GroupTiling PlanSpace::tilingOf(const Plan &plan, const Group &group, size_t product) const {
  GroupTiling tiling;
  tiling.cores = plan.cores > 0 ? plan.cores : cores_;
  tiling.inUb = plan.copies.ub;
  tiling.outOfUb = plan.copies.out;
  tiling.order = plan.options.order;
  tiling.width = plan.options.width;
  tiling.skewed = plan.options.skewed;
  tiling.overlapped = plan.options.overlapped;
  tiling.biasTable = plan.options.biasTable && group.work.addsRow;
  if (RowWork *rows = group.work.ofRows.get()) {
    const RowForm form = group.products.empty() ? namedForm(group).value_or(plan.options.rows)
                                                : RowForm::whole; // in the tile of a product
    tiling.form = rows->hasForm(form) ? form : RowForm::passes;
    for (const RowWork::Reduced &dim : rows->reduced) {
      const Number number = numberOf(dim.name);
      tiling.parts.push_back(number ? plan.dims[*number].splits : 1);
    }
    if (std::ranges::all_of(tiling.parts, [](int64_t parts) { return parts == 1; }))
      tiling.parts.clear();
    if (!rows->result.rowDim.empty())
      tiling.resultRows = tileOf(plan, numberOf(rows->result.rowDim),
                                 backendOf(machine_.kind).literalElementwiseTile().rows);
  }
  if (group.products.empty()) {
    const ElementwiseTile literal = backendOf(machine_.kind).literalElementwiseTile();
    tiling.rows = tileOf(plan, group.row, group.row ? literal.rows : 1);
    tiling.columns = tileOf(plan, group.column, literal.columns);
    return tiling;
  }
  const ProductDims &dims = group.products[product];
  static_cast<ProductSizes &>(tiling) = sizesOf(plan, dims);
  tiling.splits = dims.depth ? plan.dims[*dims.depth].splits : 1;
  tiling.gridRows = dims.row ? plan.dims[*dims.row].splits : 1;
  tiling.gridColumns = dims.column ? plan.dims[*dims.column].splits : 1;
  return tiling;
}

//===--- words ----------------------------------------------------------------------------===//

std::vector<std::pair<ir::Order, int64_t>> PlanSpace::orders() const {
  if (const auto found = request_.fixed.find("order"); found != request_.fixed.end()) {
    const auto word = chosenWord(*findDirective("order"), found->second);
    const auto order =
        word ? ir::symbolizeOrder({word->word.data(), word->word.size()}) : std::nullopt;
    return {{order.value_or(ir::Order::rows), std::max<int64_t>(1, word ? word->argument : 1)}};
  }
  std::vector<std::pair<ir::Order, int64_t>> orders = {{ir::Order::rows, 1}};
  if (!hasProduct())
    return orders;
  orders.emplace_back(ir::Order::columns, 1);
  for (int64_t width : triedWidths)
    orders.emplace_back(ir::Order::swizzle, width);
  return orders;
}

std::vector<bool> PlanSpace::words(const char *directive, std::string_view second,
                                   bool isPossible) const {
  if (const auto found = request_.fixed.find(directive); found != request_.fixed.end())
    return {found->second == second};
  return isPossible ? std::vector<bool>{false, true} : std::vector<bool>{false};
}

// Only a product by itself keeps a panel.
std::vector<Plan> PlanSpace::keeping(const Plan &plan) const {
  if (groups_.size() != 1 || groups_.front().products.size() != 1 ||
      groups_.front().products.front().image || (isFixed("keep") && !keptPanel_))
    return {};
  const Group &group = groups_.front();
  const ProductDims &dims = group.products.front();
  if (!dims.row || !dims.column || !dims.depth)
    return {};
  const bool hasGrid =
      isFixed("grid." + dims_[*dims.row].name) || isFixed("grid." + dims_[*dims.column].name);
  if ((hasGrid || isFixed("order")) && !keptPanel_)
    return {};
  const GroupTiling tiling = tilingOf(plan, group);
  const int64_t down = llvm::divideCeilSigned(group.work.rows, tiling.rows),
                across = llvm::divideCeilSigned(group.work.columns, tiling.columns);
  std::vector<Plan> plans;
  for (const bool ofA : {true, false}) {
    if (keptPanel_ && ofA != (keptPanel_->operand == 0))
      continue;
    Plan kept = plan;
    kept.options.kept = ofA ? PlanOptions::Kept::a : PlanOptions::Kept::b;
    kept.options.order = ofA ? ir::Order::rows : ir::Order::columns;
    kept.options.width = 1;
    kept.options.skewed = false;
    const int64_t most = mostStage(kept, dims) / tiling.depth * tiling.depth;
    if (most < tiling.depth)
      continue;
    if (dims_[*dims.depth].stage == 0)
      kept.dims[*dims.depth].stage =
          std::min<int64_t>(most, llvm::alignTo(group.work.products.front().depth, tiling.depth));
    if (hasGrid) {
      for (const Number dim : {dims.row, dims.column})
        kept.dims[*dim].splits = std::max<int64_t>(1, dims_[*dim].splits);
      plans.push_back(kept);
      continue;
    }
    const int64_t lines = ofA ? down : across, inLine = ofA ? across : down,
                  all = group.work.batches * tiling.splits * lines;
    if (inLine > 1 || keptPanel_)
      plans.push_back(kept);
    if (tiling.splits > 1 || all >= cores_)
      continue;
    const int64_t parts = std::min(lines, cores_), segments = std::min(inLine, cores_ / parts);
    kept.dims[*dims.row].splits = ofA ? parts : segments;
    kept.dims[*dims.column].splits = ofA ? segments : parts;
    if (segments > 1)
      plans.push_back(kept);
  }
  return plans;
}

/// The depth of a panel: of the whole reduction, or of one of its splits.
int64_t PlanSpace::panelDepth(const Plan &plan) const {
  if (keptPanel_)
    return keptPanel_->depth;
  if (plan.panelDepth > 0)
    return plan.panelDepth;
  // Groups without a product may come first, such as copies of its operands.
  const auto found =
      std::ranges::find_if(groups_, [](const Group &it) { return !it.products.empty(); });
  if (found == groups_.end())
    return 0;
  const Group &group = *found;
  const ProductDims &dims = group.products.front();
  const GroupTiling tiling = tilingOf(plan, group);
  const int64_t all = group.work.products.front().depth;
  if (tiling.splits == 1)
    return llvm::alignTo(all, dims.unit);
  return tiling.depthOfSplit(all);
}

std::vector<bool> PlanSpace::skews() const { return words("skew", "stages", hasProduct()); }

std::vector<bool> PlanSpace::overlaps(const Plan &plan) const {
  const auto canOverlap = [&](const Group &it) {
    return it.products.size() <= 1 && (it.products.empty() || !it.work.ofRows) &&
           (it.products.empty() || tilingOf(plan, it).columns >= 2 * machine_.cube.n);
  };
  return words("store", "overlapped", hasProduct() && std::ranges::all_of(groups_, canOverlap));
}

std::vector<bool> PlanSpace::tables(const Plan &plan) const {
  const int64_t room = machine_.memory(Memory::bt).capacity();
  const auto addsRow = [](const Group &it) { return it.work.addsRow; };
  const auto hasRoom = [&](const Group &it) {
    return !it.work.addsRow || tilingOf(plan, it).columns * 4 <= room;
  };
  return words("bias", "table",
               room > 0 && std::ranges::any_of(groups_, addsRow) &&
                   std::ranges::all_of(groups_, hasRoom));
}

std::vector<bool> PlanSpace::separations() const {
  return words("fuse", "none", std::ranges::any_of(groups_, [](const Group &it) {
                 return !it.products.empty() && it.work.hasVector;
               }));
}

GroupTiling PlanSpace::separateTiling(const Plan &plan, const Group &group) const {
  GroupTiling tiling = tilingOf(plan, group);
  tiling.rows = llvm::divideCeilSigned(tiling.rows, unitsOfCore()); // of one vector core
  return tiling;
}

Choices PlanSpace::choicesOf(const Plan &plan) const {
  Choices choices;
  const auto add = [&](const std::string &key, const std::string &word) {
    if (!isFixed(key))
      choices.emplace_back(key, word);
  };
  for (size_t i = 0; i < dims_.size(); ++i) {
    const Plan::Dimension &dim = plan.dims[i];
    if (dim.tile > 0)
      add("tile." + dims_[i].name, std::to_string(dim.tile));
    if (dim.stage > 0)
      add("stage." + dims_[i].name, std::to_string(dim.stage));
    if (dim.splits > 1)
      add("grid." + dims_[i].name, std::to_string(dim.splits));
  }
  const PlanOptions &options = plan.options;
  add("order", options.order == ir::Order::swizzle ? fmt::format("swizzle({})", options.width)
                                                   : ir::stringifyOrder(options.order).str());
  if (options.kept != PlanOptions::Kept::none)
    add("keep",
        fmt::format("{}({})", options.kept == PlanOptions::Kept::a ? "A" : "B", panelDepth(plan)));
  if (plan.copies.l0 != copies_.l0)
    add("buffers.l0", std::to_string(plan.copies.l0));
  if (plan.copies.ub != copies_.ub)
    add("buffers.ub", std::to_string(plan.copies.ub));
  if (plan.copies.out != copies_.out)
    add("buffers.out", std::to_string(plan.copies.out));
  if (options.skewed)
    add("skew", "stages");
  if (options.overlapped)
    add("store", "overlapped");
  if (options.biasTable)
    add("bias", "table");
  if (options.separate)
    add("fuse", "none");
  if (options.rows != RowForm::passes)
    add("reduce", options.rows == RowForm::whole ? "whole" : "online");
  return choices;
}

} // namespace mmk::aicore
