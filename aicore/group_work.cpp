#include "aicore/group_work.h"

#include "ir/element_type.h"
#include "machines/vector_instructions.h"
#include "passes/dimensions.h"
#include "passes/fixpipe_form.h"
#include "passes/variant.h"
#include "passes/windows/image_operand.h"
#include "place/online_rows.h"
#include "place/vector_functions.h"
#include "place/vector_scratch.h"
#include "schedule/joined_dimension.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OwningOpRef.h"

#include <numeric>

using namespace mlir;

namespace mmk::aicore {
namespace {

class WorkReader {
public:
  WorkReader(ir::KernelOp kernel, const Machine &machine, ArrayRef<int64_t> dims)
      : kernel_(kernel), machine_(machine), dims_(dims) {}

  GroupWork read(ir::FusionGroupOp group) {
    GroupWork work;
    SmallVector<linalg::ContractOp> contracts;
    group.walk([&](linalg::ContractOp contract) { contracts.push_back(contract); });
    for (linalg::ContractOp contract : contracts)
      work.products.push_back(product(contract));
    if (contracts.size() > 1)
      readSharedLines(contracts, work);
    if (group.getSpaceAttr()) {
      readRows(group, work);
      if (!work.products.empty())
        readTransfers(work);
      return work;
    }
    linalg::GenericOp generic;
    group.walk([&](linalg::GenericOp it) { generic = it; });
    readOutput(group, work);
    for (Value result : group.getResults())
      work.stores.push_back(bytesOf(result));
    if (generic)
      readElementwise(generic, work);
    return work;
  }

private:
  int64_t extentOf(StringRef dim) const { return aicore::extentOf(kernel_, dims_, dim); }
  static int64_t bytesOf(Value tensor) {
    const Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
    return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  }
  static int64_t rankOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()).getRank(); }

  static RowWork::Reduced::Place placeOf(RowProgram &program, int64_t dim) {
    using Place = RowWork::Reduced::Place;
    const TilePlane &plane = program.plane();
    if (dim == (plane.reducesColumns ? plane.columns : plane.rows))
      return Place::plane;
    const auto rank = static_cast<int64_t>(program.space().names.size());
    return dim + program.joined() >= rank ? Place::joined : Place::outside;
  }

  // The tile has the dimensions of the plane.
  void readRows(ir::FusionGroupOp group, GroupWork &work) const {
    FailureOr<RowProgram> program = RowProgram::of(group);
    if (failed(program))
      return;
    work.ofRows = std::make_shared<RowWork>(std::move(*program));
    RowWork &rows = *work.ofRows;
    rows.machine = machineOf(kernel_->getParentOfType<ModuleOp>());
    const RowSpace &space = rows.program.space();
    const TilePlane &plane = rows.program.plane();
    rows.mayBeWhole = space.reduced().size() == 1;
    FailureOr<RowProgram> online = RowProgram::of(group);
    if (succeeded(online) && makeOnline(*online) && online->online()) {
      rows.onlineProgram.emplace(std::move(*online));
      rows.online = scheduleRows(*rows.onlineProgram, false);
    }
    const SmallVector<StringRef> divided = dividedDims(kernel_);
    for (auto [dim, name] : llvm::enumerate(space.names)) {
      const int64_t extent = extentOf(name), number = static_cast<int64_t>(dim);
      if (space.isReduced[dim] && llvm::is_contained(divided, name))
        rows.reduced.push_back({name.str(), extent, placeOf(rows.program, number)});
      const bool isJoined =
          number + rows.program.joined() >= static_cast<int64_t>(space.names.size());
      if (isJoined && space.isReduced[dim])
        rows.reducedExtent *= extent;
      else if (number == plane.rows || number == plane.columns)
        (space.isReduced[dim] ? rows.reducedExtent : rows.keptExtent) = extent;
      else
        (space.isReduced[dim] ? rows.outerReduced : rows.batches) *= extent;
    }
    const int64_t rowsOfResult = elementwiseRows(space.names);
    for (auto [dim, name] : llvm::enumerate(space.names)) {
      const bool isRow = static_cast<int64_t>(dim) == rowsOfResult,
                 isColumn = dim + 1 == space.names.size();
      (isRow      ? rows.result.rows
       : isColumn ? rows.result.columns
                  : rows.result.batches) *= extentOf(name);
      if (isRow)
        rows.result.rowDim = name;
    }
    if (plane.rows >= 0)
      work.rowDim = space.names[plane.rows];
    work.columnDim = space.names[plane.columns];
    work.rows = plane.rows >= 0 ? extentOf(work.rowDim) : 1;
    work.columns = extentOf(work.columnDim);
    work.batches = rows.batches * rows.outerReduced;
  }

  /// What the rows of a product move besides it.
  static void readTransfers(GroupWork &work) {
    work.hasVector = true;
    RowProgram &program = work.ofRows->program;
    const auto bytesOf = [](Value element) {
      return llvm::divideCeil(element.getType().getIntOrFloatBitWidth(), 8);
    };
    for (RowInput &input : program.inputs())
      if (!input.tensor.getDefiningOp<linalg::ContractOp>())
        (broadcastOf(program, input.dims) == Broadcast::full ? work.reads : work.rowReads)
            .push_back(bytesOf(input.element));
    for (RowOutput &output : program.outputs())
      if (varies(program, output.dims))
        work.stores.push_back(bytesOf(output.element));
  }

  void readOutput(ir::FusionGroupOp group, GroupWork &work) const {
    const Value result = group.getResult(0);
    if (rankOf(result) == 0) // of a sum of all elements
      return;
    const int64_t rank = rankOf(result);
    work.columnDim = dimName(result, rank - 1);
    work.columns = extentOf(work.columnDim);
    SmallVector<StringRef> dims;
    for (int64_t dim = 0; dim < rank; ++dim)
      dims.push_back(dimName(result, dim));
    const int64_t rowsAt =
        work.products.empty() && !group.getSpaceAttr() ? elementwiseRows(dims) : rank - 2;
    if (rowsAt >= 0) {
      work.rowDim = dims[rowsAt];
      work.rows = extentOf(work.rowDim);
    }
    for (int64_t dim = 0; dim + 1 < rank; ++dim)
      if (dim != rowsAt)
        work.batches *= extentOf(dims[dim]);
  }

  /// The tensor in global memory that a value is a view or windows of.
  static Value sourceOf(Value tensor) {
    tensor = behindViews(tensor);
    auto window = tensor.getDefiningOp<ir::WindowOp>();
    return window ? behindViews(window.getSource()) : tensor;
  }

  OperandWork operand(linalg::ContractOp contract, unsigned which, unsigned depthLoop) const {
    Value tensor = contract.getInputs()[which];
    const AffineMap map = contract.getIndexingMapsArray()[which];
    const int64_t rank = rankOf(tensor);
    OperandWork work;
    work.isTransposed = map.getDimPosition(rank - 1) != depthLoop;
    // In memory the last dimension is contiguous, whatever the operand.
    work.pitch = extentOf(dimName(tensor, rank - 1)) * bytesOf(tensor);
    work.variesByBatch = rank > 2;
    tensor = sourceOf(tensor);
    work.isIntermediate = tensor.getDefiningOp<ir::FusionGroupOp>() != nullptr;
    double bytes = static_cast<double>(bytesOf(tensor));
    for (int64_t dim = 0, dims = rankOf(tensor); dim < dims; ++dim)
      bytes *= static_cast<double>(extentOf(dimName(tensor, dim)));
    work.staysInL2 = work.isIntermediate && bytes <= static_cast<double>(machine_.l2Bytes);
    work.tensor = tensor.getAsOpaquePointer();
    return work;
  }

  ProductWork product(linalg::ContractOp contract) const {
    const ProductNames names = productNames(contract);
    const unsigned depthLoop = productDims(contract)->reduction;
    ProductWork work;
    work.rowDim = names.rows;
    work.columnDim = names.columns;
    work.depthDim = names.reduction;
    work.rows = extentOf(names.rows);
    work.columns = extentOf(names.columns);
    work.depth = extentOf(names.reduction);
    work.type = elementTypeOf(operandType(contract)).value_or(ElementType::f32);
    work.a = operand(contract, 0, depthLoop);
    work.b = operand(contract, 1, depthLoop);
    if (std::optional<ImageOperand> image = imageOperand(contract))
      readImage(*image, contract, work);
    return work;
  }

  static void readSharedLines(ArrayRef<linalg::ContractOp> contracts, GroupWork &work) {
    const std::optional<PaddingRange> shared = sharedLines(contracts);
    if (!shared)
      return;
    work.sharesLines = true;
    for (ProductWork &product : work.products) {
      ImageLimit::Axis &lines = product.image->limit.lines;
      lines.padding = shared->most;
      lines.further = shared->most - shared->least;
    }
  }

  void readImage(ImageOperand &image, linalg::ContractOp contract, ProductWork &work) const {
    const Type element = operandType(contract);
    ImageWork &own = work.image.emplace();
    own.limit = limitOf(image, productNames(contract).reduction,
                        directChannels(kernel_, element).value_or(channelsOfBlock(element)));
    ImageLimit &limit = own.limit;
    for (ImageLimit::Axis *axis : {&limit.lines, &limit.columns})
      for (std::string *name : {&axis->pixels, &axis->extent, &axis->taps})
        *name = std::to_string(extentOf(*name));
    own.channels = extentOf(limit.channels);
    limit.channels = std::to_string(own.channels);
    own.outWidth = extentOf(image.nameOf(image.columns.pixel));
    own.images = image.images ? extentOf(image.nameOf(image.images)) : 1;
    own.pixels = work.rows / std::max<int64_t>(1, own.images);
    // Rows of pixels, of which a stage takes some channels.
    work.a.isTransposed = false;
    work.a.pitch = own.channels * static_cast<int64_t>(sizeInBytes(work.type));
    work.a.variesByBatch = true;
  }

  void readElementwise(linalg::GenericOp generic, GroupWork &work) const {
    Block &body = *generic.getBody();
    const auto &leakyRelu = machine_.fixpipeLeakyRelu;
    const FixpipeSlopes slopes{leakyRelu.isUsed ? leakyRelu.slopeBits : 0,
                               kernel_->hasAttr("fast_math")};
    const auto allLeaveAs = [&](llvm::function_ref<bool(Value)> isSource) {
      return llvm::all_of(body.getTerminator()->getOperands(), [&](Value element) {
        const bool isSplit = machine_.topology == mmk::Topology::split;
        const FixpipeForm form = fixpipeFormOf(element, isSplit ? slopes : FixpipeSlopes());
        return isSource(form.source) && (!form.relu || isSplit);
      });
    };
    const bool isOfProduct = !work.products.empty() && generic.getInputs().size() == 1;
    work.hasVector =
        !(isOfProduct && allLeaveAs([&](Value source) { return source == body.getArgument(0); }));
    work.addsRow = llvm::any_of(body.getOps<arith::AddFOp>(),
                                [&](arith::AddFOp add) { return addsRow(generic, add); });
    work.onlyAddsRow =
        work.addsRow && generic.getInputs().size() == 2 && allLeaveAs([&](Value source) {
          auto add = source.getDefiningOp<arith::AddFOp>();
          return add && addsRow(generic, add);
        });
    if (work.addsRow)
      work.addPerElement = machine_.vector.at("add").perElement;
    if (!machine_.hasVectorRegisters()) {
      work.scratchBytes = 4 * scratchTiles(generic);
      work.masks = maskTiles(generic);
    }
    // Priced in the form that the vector cores compute; the kernel stays as it is.
    OwningOpRef<linalg::GenericOp> computed = cast<linalg::GenericOp>(generic->clone());
    Block &forms = *computed->getBody();
    chooseFunctionForms(forms, kernel_->hasAttr("fast_math"));
    for (Operation &op : forms.without_terminator())
      if (const VectorCost *cost = costOf(op, forms)) {
        work.vectorPerElement += cost->perElement;
        work.vectorFixed += cost->fixed;
      }
    if (machine_.hasVectorRegisters() && work.vectorFixed > 0) {
      const VectorCost function =
          machine_.functionCost(work.vectorPerElement, /*loaded=*/0, /*stored=*/0);
      std::tie(work.vectorPerElement, work.vectorFixed) =
          std::pair(function.perElement, function.fixed);
      work.addPerElement /= machine_.function.issued;
    }
    llvm::SmallPtrSet<const void *, 4> read;
    for (OpOperand *input : generic.getDpsInputOperands()) {
      if (input->get().getDefiningOp<linalg::ContractOp>())
        continue;
      const AffineMap map = generic.getMatchingIndexingMap(input);
      const bool isFull = map.isProjectedPermutation() &&
                          llvm::all_of(llvm::enumerate(dimNames(generic)), [&](auto loop) {
                            return map.isFunctionOfDim(loop.index()) || extentOf(loop.value()) == 1;
                          });
      const int64_t bytes = bytesOf(input->get()),
                    piece = std::max(bytes, machine_.packetBytes / 4); // as it is charged
      const int64_t charged = isInPieces(input->get(), map) ? bytes : piece;
      if (!isFull) {
        work.rowReads.push_back(charged);
        continue;
      }
      const bool isFirst = read.insert(sourceOf(input->get()).getAsOpaquePointer()).second;
      work.reads.insert(work.reads.end() - (isFirst ? work.rereads : 0), charged);
      work.rereads += !isFirst;
    }
  }

  /// Whether a tensor that is read with this map, other than a window whose elements are apart in
  /// memory, has pieces of memory along the last loop.
  static bool isInPieces(Value tensor, AffineMap map) {
    auto window = behindViews(tensor).getDefiningOp<ir::WindowOp>();
    const unsigned last = map.getNumDims() - 1;
    const auto place = llvm::find(map.getResults(), getAffineDimExpr(last, map.getContext()));
    if (!window || place == map.getResults().end())
      return true;
    const AffineMap read = window.getMap();
    const unsigned dim = place - map.getResults().begin();
    const AffineExpr along = getAffineDimExpr(dim, map.getContext()),
                     index = read.getResults().back();
    const AffineExpr step = simplifyAffineExpr(index.replace(along, along + 1) - index,
                                               read.getNumDims(), read.getNumSymbols());
    const bool isAlone = llvm::none_of(read.getResults().drop_back(), [&](AffineExpr other) {
      return other.isFunctionOfDim(dim);
    });
    return isAlone && step == getAffineConstantExpr(1, map.getContext());
  }

  /// Of the instruction that an operation becomes; null for what the scalar unit computes.
  const VectorCost *costOf(Operation &op, Block &body) const {
    const StringRef name = op.getName().getStringRef();
    const VectorInstruction *row = vectorInstructionOf({name.data(), name.size()});
    if (!row)
      return nullptr;
    const auto isScalar = [&](Value value) {
      return value.getParentBlock() != &body || matchPattern(value, m_Constant());
    };
    const bool byScalar = llvm::any_of(op.getOperands(), isScalar) && !row->scalarCost.empty();
    return &machine_.vector.at(std::string(byScalar ? row->scalarCost : row->cost));
  }

  /// Whether this adds a row of f32 to a product, which is added to nothing else, as
  /// passes/bias_table.h requires of the kernel before its operations are fused.
  static bool addsRow(linalg::GenericOp generic, arith::AddFOp add) {
    Block &body = *generic.getBody();
    const auto inputOf = [&](Value value) -> OpOperand * {
      auto argument = dyn_cast<BlockArgument>(value);
      return argument && argument.getOwner() == &body &&
                     argument.getArgNumber() < generic.getNumDpsInputs()
                 ? generic.getDpsInputOperand(argument.getArgNumber())
                 : nullptr;
    };
    const auto isProduct = [&](Value value) {
      OpOperand *input = inputOf(value);
      return input && value.hasOneUse() && input->get().getDefiningOp<linalg::ContractOp>();
    };
    const auto isRow = [&](Value value) {
      OpOperand *input = inputOf(value);
      if (!input || !value.getType().isF32() || input->get().getDefiningOp<linalg::ContractOp>())
        return false;
      const AffineMap map = generic.getMatchingIndexingMap(input);
      const unsigned loops = map.getNumDims();
      return loops > 1 && map.isFunctionOfDim(loops - 1) && !map.isFunctionOfDim(loops - 2);
    };
    return (isProduct(add.getLhs()) && isRow(add.getRhs())) ||
           (isProduct(add.getRhs()) && isRow(add.getLhs()));
  }

  mutable ir::KernelOp kernel_; ///< mlir's operations are not const
  const Machine &machine_;
  ArrayRef<int64_t> dims_;
};

int64_t literal(StringRef number) {
  int64_t value = 1;
  (void)number.getAsInteger(10, value);
  return value;
}

} // namespace

int64_t ImageWork::pixelsOfTile(int64_t tile) const {
  ImageLimit own = limit;
  own.tile = tile;
  return own.pixelsOfTile(literal);
}
int64_t ImageWork::depthOfStage() const { return limit.depthOfStage(literal); }
int64_t ImageWork::firstStage(int64_t core) const {
  const int64_t ofPart = limit.held / limit.block, first = firstPart(core) * ofPart;
  return first + core % std::min(ofPart, stages() - first);
}
int64_t ImageWork::firstLine(int64_t tile, int64_t rows) const {
  const int64_t tiles = llvm::divideCeilSigned(pixels, rows), pixel = tile % tiles * rows,
                line = pixel / outWidth * limit.lines.stride - limit.lines.padding;
  return tile / tiles * literal(limit.lines.extent) + std::max<int64_t>(0, line);
}
int64_t ImageWork::depth() const {
  return literal(limit.lines.taps) * literal(limit.columns.taps) *
         static_cast<int64_t>(llvm::alignTo(channels, limit.block));
}

// As aicore-assign-memories places them: the image has the room that the other operand leaves.
bool ImageWork::fits(int64_t tile, int64_t columns, int64_t stage, int64_t bytes, int64_t copies,
                     const Machine &machine) const {
  const auto padding = std::lcm(machine.cube.m, machine.cube.n),
             unit = std::lcm(padding, limit.block);
  const auto whole = [](int64_t length, int64_t step) {
    return static_cast<int64_t>(llvm::alignTo(length, step));
  };
  ImageLimit own = limit;
  own.tile = tile;
  own.stage = stage;
  // A row of bias may be in L1 as well.
  const int64_t bias = 2 * 4 * columns,
                weights = whole(stage, padding) * whole(columns, padding) * bytes * copies,
                left = machine.memory(Memory::l1).capacity() - bias - weights;
  own.pixels = left / (whole(limit.held, unit) * bytes * copies) / unit * unit;
  return own.problem(literal).empty();
}

int64_t extentOf(ir::KernelOp kernel, ArrayRef<int64_t> dims, StringRef name) {
  return extentOfName(name, [&](StringRef factor) -> int64_t {
    for (auto [own, extent] : llvm::zip(kernel.getDims().getAsValueRange<StringAttr>(), dims))
      if (own == factor)
        return extent;
    return 1;
  });
}

std::pair<GroupWork, GroupWork> separate(const GroupWork &group) {
  constexpr int64_t accumulatorBytes = 4;
  GroupWork product = group, elementwise = group;
  product.hasVector = false;
  product.vectorPerElement = product.vectorFixed = product.addPerElement = 0;
  product.reads.clear();
  product.rereads = 0;
  product.rowReads.clear();
  product.stores.assign(group.products.size(), accumulatorBytes);
  elementwise.products.clear();
  elementwise.reads.insert(elementwise.reads.begin(), group.products.size(), accumulatorBytes);
  return {product, elementwise};
}

std::vector<GroupWork> workOf(ir::KernelOp kernel, const Machine &machine, ArrayRef<int64_t> dims) {
  std::vector<GroupWork> groups;
  WorkReader reader(kernel, machine, dims);
  for (auto group : kernel.getBody().getOps<ir::FusionGroupOp>())
    groups.push_back(reader.read(group));
  return groups;
}

} // namespace mmk::aicore
