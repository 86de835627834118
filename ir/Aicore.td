// The aicore dialect: the program of an AI core, in the terms of its manual.
#ifndef MMK_IR_AICORE_TD
#define MMK_IR_AICORE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "AicoreInterfaces.td"

def Aicore_Dialect : Dialect {
  let name = "aicore";
  let cppNamespace = "::mmk::aicore";
  let summary = "instructions of an Ascend-like AI core";
  let description = [{
    A block (on split chips one cube core and its vector cores) is one program, and program order
    is its meaning: running the instructions one after the other gives the right numbers. Which
    core and which pipe executes an instruction follows from the instruction; pipes and flags are
    the time and the hazards, never the meaning.

    On-chip buffers are `aicore.alloc`s in a memory space, with a number of copies; a transfer
    names the buffer and the slot (the copy): `%a_l1[%slot]`. Extents are run-time values up to
    the buffer's static shape; what a ragged edge leaves is zero up to the cube's granularity.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

// Names and dimensions, `#mmk.named<"a"["M", "K"]>`, as the mmk dialect has them.
def Aicore_NamedArrayAttr : TypedArrayAttrBase<
    Attr<CPred<"::llvm::isa<::mmk::ir::NamedAttr>($_self)">, "#mmk.named attribute">, "names">;

class Aicore_Op<string mnemonic, list<Trait> traits = []> : Op<Aicore_Dialect, mnemonic, traits>;

//===--- Enumerations ------------------------------------------------------------------------===//

def Aicore_Space : I32EnumAttr<"Space", "memory", [
    I32EnumAttrCase<"gm", 0>, I32EnumAttrCase<"l1", 1>, I32EnumAttrCase<"l0a", 2>,
    I32EnumAttrCase<"l0b", 3>, I32EnumAttrCase<"l0c", 4>, I32EnumAttrCase<"bt", 5>,
    I32EnumAttrCase<"ub", 6>]> {
  let cppNamespace = "::mmk::aicore";
  let genSpecializedAttr = 0;
}
def Aicore_SpaceAttr : EnumAttr<Aicore_Dialect, Aicore_Space, "space"> {
  let assemblyFormat = "`<` $value `>`";
}

def Aicore_Pipe : I32EnumAttr<"Pipe", "in-order instruction queue of a core", [
    I32EnumAttrCase<"scalar", 0>, I32EnumAttrCase<"mte1", 1>, I32EnumAttrCase<"mte2", 2>,
    I32EnumAttrCase<"mte3", 3>, I32EnumAttrCase<"cube", 4>, I32EnumAttrCase<"fixpipe", 5>,
    I32EnumAttrCase<"vector", 6>]> {
  let cppNamespace = "::mmk::aicore";
}

def Aicore_Unit : I32EnumAttr<"Unit", "core of a block", [
    I32EnumAttrCase<"cube_core", 0, "cube">, I32EnumAttrCase<"vector_core", 1, "vector">]> {
  let cppNamespace = "::mmk::aicore";
}

def Aicore_Topology : I32EnumAttr<"Topology", "how cube and vector cores meet", [
    I32EnumAttrCase<"split", 0>, I32EnumAttrCase<"coupled", 1>]> {
  let cppNamespace = "::mmk::aicore";
}

def Aicore_Broadcast : I32EnumAttr<"Broadcast", "how an operand of a vector instruction covers the tile", [
    I32EnumAttrCase<"full", 0>, I32EnumAttrCase<"row", 1>, I32EnumAttrCase<"column", 2>,
    I32EnumAttrCase<"single", 3>]> {
  let cppNamespace = "::mmk::aicore";
  let genSpecializedAttr = 0;
}

def Aicore_Covered : I32EnumAttr<"Covered", "what a condition leaves of elements", [
  I32EnumAttrCase<"all", 0>, I32EnumAttrCase<"skipped", 1>, I32EnumAttrCase<"full", 2>]> {
  let cppNamespace = "::mmk::aicore";
}

def Aicore_ReduceKind : I32EnumAttr<"ReduceKind", "how a reduction combines elements", [
  I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"mul", 1>, I32EnumAttrCase<"max", 2>,
  I32EnumAttrCase<"min", 3>, I32EnumAttrCase<"argmax", 4>, I32EnumAttrCase<"argmin", 5>]> {
  let cppNamespace = "::mmk::aicore";
}

def Aicore_BroadcastAttr : EnumAttr<Aicore_Dialect, Aicore_Broadcast, "broadcast"> {
  let assemblyFormat = "`<` $value `>`";
}
def Aicore_BroadcastArrayAttr : TypedArrayAttrBase<Aicore_BroadcastAttr, "broadcasts">;

def Aicore_TileType : TypeDef<Aicore_Dialect, "Tile"> {
  let mnemonic = "tile";
  let summary = "a tile in UB, as an operand of a vector instruction";
  let description = [{
    `!aicore.tile<f32>`: rows x columns of that element type in one copy of a buffer;
    `!aicore.tile<i1>`: a mask, one bit for each element.
  }];
  let parameters = (ins "::mlir::Type":$element);
  let assemblyFormat = "`<` $element `>`";
  let extraClassDeclaration = [{
    bool isMask() const { return getElement().isInteger(1); }
  }];
}

def Aicore_MachineAttr : AttrDef<Aicore_Dialect, "Machine"> {
  let mnemonic = "machine";
  let summary = "the figures of the machine that the passes read; on the module as `aicore.machine`";
  let description = [{
    Cores (blocks), vector cores of a block, usable bytes and alignment of each memory
    (`memories = {l1 = [524032, 32], ...}`), granularity of a cube instruction in m and n
    (`cube = 16 x 16`) and along k by operand type (`depth = {f16 = 16, ...}`), its largest extent,
    event ids for each pair of pipes, cross-core flags. `kind "host"` behind the name says which back
    end it has; without, an emulated AI core.
  }];
  let parameters = (ins "::mlir::StringAttr":$name,
                        OptionalParameter<"::mlir::StringAttr">:$kind,
                        EnumParameter<Aicore_Topology>:$topology,
                        "int64_t":$cores, "int64_t":$vectorCores,
                        "::mlir::DictionaryAttr":$memories, "int64_t":$cubeM, "int64_t":$cubeN,
                        "int64_t":$maxExtent, "::mlir::DictionaryAttr":$depth,
                        "int64_t":$eventIds, "int64_t":$crossFlags);
  let assemblyFormat = [{ `<` $name (`kind` $kind^)? `,` $topology `,` `cores` `=` $cores `,`
    `vector_cores` `=` $vectorCores `,` `memories` `=` $memories `,` `cube` `=` $cubeM `x` $cubeN `,`
    `max_extent` `=` $maxExtent `,` `depth` `=` $depth `,`
    `event_ids` `=` $eventIds `,` `cross_flags` `=` $crossFlags `>` }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::mmk::MachineKind getMachineKind() const;
    /// Usable bytes of a memory; 0 when the machine has none.
    int64_t capacity(Space space) const;
    /// Alignment of a buffer in it, bytes.
    int64_t alignment(Space space) const;
    /// Granularity of the cube along k for an operand type; 0 when the cube does not multiply it.
    int64_t depthOf(::mlir::Type element) const;
    /// Rows and columns of an operand in L1 are zero-padded to multiples of this, and its buffer has
    /// room for them: the least that both m and n divide.
    int64_t padding() const;
  }];
}

//===--- Structure ---------------------------------------------------------------------------===//

def Aicore_KernelOp : Aicore_Op<"kernel", [IsolatedFromAbove, Symbol, SingleBlock, NoTerminator,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a placed kernel: phases that all cores run one after the other";
  let description = [{
    Block arguments: the dimensions (index), the parameters (f32 scalars, tensors in global
    memory), the results (tensors in global memory). `buffers` is what the variant requests, by
    memory: copies of each buffer (`{l1 = 2, "l1.a" = 3}`). `limits` are the largest dimensions that
    it may run with (`{K = 2048}`), where a buffer holds all of one.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$dims,
                       Aicore_NamedArrayAttr:$args,
                       Aicore_NamedArrayAttr:$results,
                       I64Attr:$cores, DictionaryAttr:$buffers,
                       OptionalAttr<DictionaryAttr>:$limits);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `dims` $dims `args` $args `results` $results `cores` $cores `buffers` $buffers
    (`limits` $limits^)? $body attr-dict-with-keyword
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Why it does not run with these dimensions, for the user; empty if it runs.
    std::string limitProblem(::llvm::ArrayRef<int64_t> dims);
    /// What limits its dimensions, if anything does.
    ::mmk::aicore::HeldWhole heldWhole();
  }];
}

def Aicore_WorkspaceOp : Aicore_Op<"workspace", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "a temporary tensor in global memory, made before the kernel starts";
  let description = "`%ws = aicore.workspace \"acc\" [%m, %n] : memref<?x?xf32, #aicore.space<gm>>`";
  let arguments = (ins StrAttr:$name, Variadic<Index>:$extents);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$name ` ` `[` $extents `]` `:` type($result) attr-dict";
  let hasVerifier = 1;
}

def Aicore_PhaseOp : Aicore_Op<"phase", [SingleBlock, NoTerminator,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "one pass over the machine; all cores finish it before any starts the next";
  let description = "The block argument is the number of the block that runs it, from 0.";
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
  let hasVerifier = 1;
}

def Aicore_VectorCoresOp : Aicore_Op<"vector_cores", [SingleBlock, NoTerminator,
    RecursiveMemoryEffects, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a part of the program that each vector core of the block runs";
  let description = [{
    The block argument is the number of the vector core in its block. Each has its own UB and its
    own pipes; a buffer in UB stands for one in each core.
  }];
  let arguments = (ins I64Attr:$count);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$count $body attr-dict";
  let hasVerifier = 1;
}

def Aicore_AllocOp : Aicore_Op<"alloc", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "an on-chip buffer and its copies";
  let description = [{
    `%a_l1 = aicore.alloc "a" of "l1" copies 2 at 0 : memref<128x256xf16, #aicore.space<l1>>`
    `group` names the `buffers` directive that says how many copies the variant requests
    (aicore-double-buffer sets them); aicore-plan-memory sets the byte offset (`at`). A buffer in
    gm is the block's own piece of global memory, through which the cores of a split chip meet.
    An accumulator may have `parts`: columns that are filled and drained apart from each other, each
    a multiple of the cube's width (the last may be narrower; without a machine on the module, of 1).
    Without a part, an instruction accesses all of them.
  }];
  let arguments = (ins StrAttr:$name, StrAttr:$group, I64Attr:$copies,
                       DefaultValuedAttr<I64Attr, "1">:$parts, OptionalAttr<I64Attr>:$offset);
  let results = (outs AnyStaticShapeMemRef:$result);
  let assemblyFormat = [{
    $name `of` $group `copies` $copies (`parts` $parts^)? (`at` $offset^)?
    `:` type($result) attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    Space getSpace();
    /// Bytes of one copy.
    int64_t getBytes();
    /// Columns of each part but the last.
    int64_t getPartWidth();
  }];
}

def Aicore_SlotOp : Aicore_Op<"slot", [Pure]> {
  let summary = "the copy of a buffer for its i-th use: i modulo copies";
  let description = [{
    `%s = aicore.slot %i of %a_l1 : memref<...>`. The block in which it stands is the life of one
    generation of the slot: between its first and its last use there, the slot belongs to it.
  }];
  let arguments = (ins Index:$index, AnyStaticShapeMemRef:$buffer);
  let results = (outs Index:$result);
  let assemblyFormat = "$index `of` $buffer `:` type($buffer) attr-dict";
}

def Aicore_TallyOp : Aicore_Op<"tally"> {
  let summary = "elements that a condition covers, for the report of the clock";
  let description = [{
    `aicore.tally skipped %n`: of the elements of a reduction, or of a result, behind a condition, all,
    those that are neither loaded nor computed, or those that are computed without it, as all satisfy
    it. It takes no time, and does nothing.
  }];
  let arguments = (ins Aicore_Covered:$covered, Index:$elements);
  let assemblyFormat = "$covered $elements attr-dict";
}

def Aicore_PlaceOp : Aicore_Op<"place", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "the buffer that holds a value of a tile";
  let description = [{
    `aicore-assign-memories` says by it where a tensor of a tile is held from here on;
    `aicore-insert-transfers` turns it into the transfer that brings the value there. A value that a
    loop carries stays in its buffer for as long as the loop runs.
    ```mlir
    %in_l1 = aicore.place %slice in %a_l1
      : tensor<?x?xf16> in memref<128x256xf16, #aicore.space<l1>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, AnyStaticShapeMemRef:$buffer);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value `in` $buffer `:` type($value) `in` type($buffer) attr-dict";
  let hasVerifier = 1;
}

def Aicore_VectorWorkOp : Aicore_Op<"vector_work", [SingleBlock, NoTerminator,
    RecursiveMemoryEffects, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "the vector work on a tile, for any window of the tile";
  let description = [{
    The tile is the `number`th of the block: `rows` x `columns` elements, from column `column` on. Its
    windows are full rows of it, `height` at a time, or with `by_columns` its columns, distributed
    evenly over the vector cores. The arguments of the region are the window's first row, rows, first column and
    columns, and a number that counts the windows of all tiles of a vector core; a full tile has
    `steps` of them. `aicore-distribute-vector-work` puts the region into loops over the windows.
    ```mlir
    aicore.vector_work %tile size(%rows, %columns) at(%c0) steps 2 height 32 {
    ^bb0(%row: index, %count: index, %column: index, %width: index, %step: index):
      %s = aicore.slot %step of %x_ub : memref<32x256xf32, #aicore.space<ub>>
      aicore.load %x[%row, %column] along [0, 1] size(%count, %width) -> %x_ub[%s] pad 1 : ...
    }
    ```
  }];
  let arguments = (ins Index:$number, Index:$rows, Index:$columns, Index:$column, I64Attr:$steps,
                       I64Attr:$height, UnitAttr:$by_columns);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $number `size` `(` $rows `,` $columns `)` `at` `(` $column `)` `steps` $steps `height` $height
    (`by_columns` $by_columns^)? $body attr-dict
  }];
  let hasVerifier = 1;
}

class Aicore_ProducerMarkerOp<string mnemonic> : Aicore_Op<mnemonic,
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let arguments = (ins AnyStaticShapeMemRef:$buffer, Index:$slot, I64Attr:$part);
  let assemblyFormat = "$buffer `[` $slot `]` `part` $part `:` type($buffer) attr-dict";
  let hasVerifier = 1;
}
def Aicore_ProducerAcquireOp : Aicore_ProducerMarkerOp<"producer_acquire"> {
  let summary = "from here on a part of an accumulator is filled";
  let description = [{
    `aicore.producer_acquire %acc[%s] part 1 : memref<...>` and `aicore.producer_commit` say where a
    generation begins and ends, where that is no block of the program: here in the first stage of a tile, there in the
    last. aicore-insert-sync turns them into flags.
  }];
}
def Aicore_ProducerCommitOp : Aicore_ProducerMarkerOp<"producer_commit"> {
  let summary = "a part of an accumulator has been filled";
  let description = "`aicore.producer_commit %acc[%s] part 1 : memref<...>`; see aicore.producer_acquire.";
}

def Aicore_ReleaseOp : Aicore_Op<"release",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a generation is not used any more";
  let description = [{
    `aicore.release %bias_bt[%s] : memref<...>` says where the use of a generation ends when that is
    before the end of the block in which its slot stands. aicore-insert-sync turns it into a flag.
  }];
  let arguments = (ins AnyStaticShapeMemRef:$buffer, Index:$slot);
  let assemblyFormat = "$buffer `[` $slot `]` `:` type($buffer) attr-dict";
  let hasVerifier = 1;
}

//===--- Instructions ------------------------------------------------------------------------===//

class Aicore_InstructionOp<string mnemonic, list<Trait> traits = []> : Aicore_Op<mnemonic,
    !listconcat([DeclareOpInterfaceMethods<Aicore_Instruction>,
                 DeclareOpInterfaceMethods<MemoryEffectsOpInterface>], traits)>;

/// A transfer between a buffer and a view of a tensor in global memory.
class Aicore_ViewTransferOp<string mnemonic, list<Trait> traits = []>
    : Aicore_InstructionOp<mnemonic, !listconcat([AttrSizedOperandSegments], traits)> {
  code accessors = [{
    /// Extents of the view: of the dimensions in front of the last two, and of those.
    ::mlir::OperandRange getOuter() { return getSizes().drop_back(2); }
    ::mlir::Value getRows() { return getSizes().drop_back().back(); }
    ::mlir::Value getColumns() { return getSizes().back(); }
    ::mlir::OpOperand &getRowsMutable() { return getSizesMutable()[getSizes().size() - 2]; }
    ::mlir::OpOperand &getColumnsMutable() { return getSizesMutable()[getSizes().size() - 1]; }
    /// From one element of the view to the next along this dimension of it, in elements of the
    /// tensor's.
    int64_t stepOf(size_t dim) {
      std::optional<::llvm::ArrayRef<int64_t>> steps = getStep();
      return steps ? (*steps)[dim] : 1;
    }
  }];
}

def Aicore_LoadOp : Aicore_ViewTransferOp<"load"> {
  let summary = "GM -> L1 or UB (MTE2), zero-padded to the cube's granularity";
  let description = [{
    Rows x columns elements from `offsets`; `along` names the dimensions of the tensor that the
    buffer's rows and columns run along (-1: none, a single one), so a transposed operand is
    read in place. The buffer is filled from its first element on; up to the next multiple of
    `pad` in each direction it is zero.
    ```mlir
    aicore.load %a[%m, %k] along [0, 1] size(%rows, %columns) -> %a_l1[%slot] pad 16
      : memref<?x?xf16, #aicore.space<gm>> -> memref<128x256xf16, #aicore.space<l1>>
    ```
    A view may have more dimensions. The rows of the buffer then run along all but the last, in
    row-major order. With `step`, the elements of the view along a dimension are so many elements of
    the tensor apart; two dimensions of the view may then run along the same one, as in a window:
    ```mlir
    // Rows (h, w), columns c: every second element along the height and the width.
    aicore.load %x[%h, %w, %c] along [0, 1, 2] step [2, 2, 1] size(%hs, %ws, %cs) -> %x_l1[%slot] pad 16
      : memref<?x?x?xf16, #aicore.space<gm>> -> memref<64x32xf16, #aicore.space<l1>>
    ```
    With `joined 2` the columns run along the last two dimensions of the tensor as if they were one,
    whose position is the last offset; the offset before it is 0.
  }];
  let arguments = (ins AnyMemRef:$source, Variadic<Index>:$offsets, DenseI64ArrayAttr:$along,
                       OptionalAttr<DenseI64ArrayAttr>:$step, OptionalAttr<I64Attr>:$joined,
                       Variadic<Index>:$sizes,
                       AnyStaticShapeMemRef:$target, Index:$slot, I64Attr:$pad);
  let assemblyFormat = [{
    $source `[` $offsets `]` `along` $along (`step` $step^)? (`joined` $joined^)?
    `size` `(` $sizes `)` `->`
    $target `[` $slot `]` `pad` $pad `:` type($source) `->` type($target) attr-dict
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::mlir::ValueRange":$offsets,
                                 "::llvm::ArrayRef<int64_t>":$along, "::mlir::Value":$rows,
                                 "::mlir::Value":$columns, "::mlir::Value":$target,
                                 "::mlir::Value":$slot, "int64_t":$pad), [{
    build($_builder, $_state, source, offsets, along, /*step=*/::mlir::DenseI64ArrayAttr(),
          /*joined=*/::mlir::IntegerAttr(), ::mlir::ValueRange{rows, columns}, target, slot, pad);
  }]>];
  let extraClassDeclaration = accessors # [{
    /// How many dimensions at the end of the tensor the columns run along, as one.
    int64_t columnDims() { return getJoined().value_or(1); }
  }];
  let hasVerifier = 1;
}

def Aicore_StoreOp : Aicore_ViewTransferOp<"store"> {
  let summary = "UB -> GM (MTE3), clipped to the tensor's bounds";
  let description = [{
    The view is that of aicore.load, but each of its dimensions runs along another one of the tensor.
    ```mlir
    aicore.store %y[%slot] -> %c[%m, %n] along [0, 1] size(%rows, %columns)
      : memref<32x256xf32, #aicore.space<ub>> -> memref<?x?xf32, #aicore.space<gm>>
    ```
  }];
  let arguments = (ins AnyStaticShapeMemRef:$source, Index:$slot, AnyMemRef:$target,
                       Variadic<Index>:$offsets, DenseI64ArrayAttr:$along,
                       OptionalAttr<DenseI64ArrayAttr>:$step, OptionalAttr<I64Attr>:$joined,
                       Variadic<Index>:$sizes);
  let assemblyFormat = [{
    $source `[` $slot `]` `->` $target `[` $offsets `]` `along` $along (`step` $step^)?
    (`joined` $joined^)? `size` `(` $sizes `)` `:` type($source) `->` type($target) attr-dict
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$slot,
                                 "::mlir::Value":$target, "::mlir::ValueRange":$offsets,
                                 "::llvm::ArrayRef<int64_t>":$along, "::mlir::Value":$rows,
                                 "::mlir::Value":$columns), [{
    build($_builder, $_state, source, slot, target, offsets, along,
          /*step=*/::mlir::DenseI64ArrayAttr(), /*joined=*/::mlir::IntegerAttr(),
          ::mlir::ValueRange{rows, columns});
  }]>];
  let extraClassDeclaration = accessors # [{
    /// How many dimensions at the end of the tensor the columns run along, as one.
    int64_t columnDims() { return getJoined().value_or(1); }
  }];
  let hasVerifier = 1;
}

def Aicore_LoadL0Op : Aicore_InstructionOp<"load_l0"> {
  let summary = "L1 -> L0A or L0B (MTE1), into the cube's fractal layout; or a row L1 -> BT";
  let description = [{
    A part of an L1 buffer, rows x columns from (row, column). L0A takes m x k, L0B takes k x n;
    `transposed` when L1 holds its transpose. The bias table takes one row as it is.
    ```mlir
    aicore.load_l0 %a_l1[%s] at(%row, %column) size(%rows, %columns) -> %a_l0[%t]
      : memref<128x256xf16, #aicore.space<l1>> -> memref<128x64xf16, #aicore.space<l0a>>
    ```
  }];
  let arguments = (ins AnyStaticShapeMemRef:$source, Index:$slot, Index:$row, Index:$column,
                       Index:$rows, Index:$columns, AnyStaticShapeMemRef:$target,
                       Index:$targetSlot, UnitAttr:$transposed);
  let assemblyFormat = [{
    $source `[` $slot `]` `at` `(` $row `,` $column `)` `size` `(` $rows `,` $columns `)`
    (`transposed` $transposed^)? `->` $target `[` $targetSlot `]`
    `:` type($source) `->` type($target) attr-dict
  }];
  let hasVerifier = 1;
}

def Aicore_MmadOp : Aicore_InstructionOp<"mmad", [AttrSizedOperandSegments]> {
  let summary = "acc += A x B (cube)";
  let description = [{
    m x k from L0A times k x n from L0B into L0C; `first` (i1): the accumulator starts from zero, or
    with a `bias` each of its rows from that row of the bias table. With a `part`, the n columns are
    those of that part of the accumulator, and of the bias.
    ```mlir
    aicore.mmad %a_l0[%s], %b_l0[%t] -> %acc[%u] size(%m, %n, %k) first(%first)
      : memref<128x64xf16, #aicore.space<l0a>>, memref<64x256xf16, #aicore.space<l0b>>
      -> memref<128x256xf32, #aicore.space<l0c>>
    ```
  }];
  let arguments = (ins AnyStaticShapeMemRef:$a, Index:$aSlot, AnyStaticShapeMemRef:$b,
                       Index:$bSlot, AnyStaticShapeMemRef:$acc, Index:$accSlot, Index:$m, Index:$n,
                       Index:$k, I1:$first, Optional<AnyStaticShapeMemRef>:$bias,
                       Optional<Index>:$biasSlot, OptionalAttr<I64Attr>:$part);
  let assemblyFormat = [{
    $a `[` $aSlot `]` `,` $b `[` $bSlot `]` `->` $acc `[` $accSlot `]` (`part` $part^)?
    `size` `(` $m `,` $n `,` $k `)` `first` `(` $first `)`
    (`bias` `(` $bias^ `[` $biasSlot `]` `:` type($bias) `)`)?
    `:` type($a) `,` type($b) `->` type($acc) attr-dict
  }];
  let hasVerifier = 1;
}

def Aicore_FixpipeOp : Aicore_ViewTransferOp<"fixpipe"> {
  let summary = "L0C -> GM (fixpipe), converting on the way, clipped to the tensor's bounds";
  let description = [{
    The view is that of aicore.store.
    ```mlir
    aicore.fixpipe %acc[%s] -> %c[%m, %n] along [0, 1] size(%rows, %columns)
      : memref<128x256xf32, #aicore.space<l0c>> -> memref<?x?xf16, #aicore.space<gm>>
    ```
  }];
  let arguments = (ins AnyStaticShapeMemRef:$source, Index:$slot, AnyMemRef:$target,
                       Variadic<Index>:$offsets, DenseI64ArrayAttr:$along,
                       OptionalAttr<DenseI64ArrayAttr>:$step, Variadic<Index>:$sizes,
                       OptionalAttr<I64Attr>:$part);
  let assemblyFormat = [{
    $source `[` $slot `]` (`part` $part^)? `->` $target `[` $offsets `]` `along` $along (`step` $step^)?
    `size` `(` $sizes `)` `:` type($source) `->` type($target) attr-dict
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$slot,
                                 "::mlir::Value":$target, "::mlir::ValueRange":$offsets,
                                 "::llvm::ArrayRef<int64_t>":$along, "::mlir::Value":$rows,
                                 "::mlir::Value":$columns, "::mlir::IntegerAttr":$part), [{
    build($_builder, $_state, source, slot, target, offsets, along,
          /*step=*/::mlir::DenseI64ArrayAttr(), ::mlir::ValueRange{rows, columns}, part);
  }]>];
  let extraClassDeclaration = accessors # [{
    int64_t columnDims() { return 1; }
  }];
  let hasVerifier = 1;
}

def Aicore_SpillOp : Aicore_InstructionOp<"spill"> {
  let summary = "L0C (fixpipe) or UB (MTE3) -> the block's own global memory, for its other cores";
  let description = [{
    The whole accumulator, or a part of it into a target of the width of a part. Rows of UB go to the
    target from row `at` on, so that each vector core writes its own.
    ```mlir
    aicore.spill %acc[%s] size(%rows, %columns) -> %tile[%w]
      : memref<128x256xf32, #aicore.space<l0c>> -> memref<128x256xf32, #aicore.space<gm>>
    aicore.spill %y[%u] size(%rows, %columns) -> %tile[%w] at(%row)
      : memref<32x256xf16, #aicore.space<ub>> -> memref<128x256xf16, #aicore.space<gm>>
    ```
  }];
  let arguments = (ins AnyStaticShapeMemRef:$source, Index:$slot, Index:$rows, Index:$columns,
                       AnyStaticShapeMemRef:$target, Index:$targetSlot, Optional<Index>:$row,
                       OptionalAttr<I64Attr>:$part);
  let assemblyFormat = [{
    $source `[` $slot `]` (`part` $part^)? `size` `(` $rows `,` $columns `)` `->` $target `[` $targetSlot `]`
    (`at` `(` $row^ `)`)? `:` type($source) `->` type($target) attr-dict
  }];
  let hasVerifier = 1;
}

def Aicore_FetchOp : Aicore_InstructionOp<"fetch"> {
  let summary = "the block's own global memory -> UB or L1 (MTE2): rows that another core spilled";
  let description = [{
    ```mlir
    aicore.fetch %tile[%w] at(%row) size(%rows, %columns) -> %y[%u]
      : memref<128x256xf32, #aicore.space<gm>> -> memref<32x256xf32, #aicore.space<ub>>
    ```
  }];
  let arguments = (ins AnyStaticShapeMemRef:$source, Index:$slot, Index:$row, Index:$rows,
                       Index:$columns, AnyStaticShapeMemRef:$target, Index:$targetSlot);
  let assemblyFormat = [{
    $source `[` $slot `]` `at` `(` $row `)` `size` `(` $rows `,` $columns `)` `->`
    $target `[` $targetSlot `]` `:` type($source) `->` type($target) attr-dict
  }];
  let hasVerifier = 1;
}

def Aicore_DrainOp : Aicore_InstructionOp<"drain"> {
  let summary = "L0C -> UB on a coupled core (vector pipe): rows of the accumulator";
  let description = [{
    ```mlir
    aicore.drain %acc[%s] at(%row) size(%rows, %columns) -> %y[%u]
      : memref<128x256xf32, #aicore.space<l0c>> -> memref<32x256xf32, #aicore.space<ub>>
    ```
  }];
  let arguments = (ins AnyStaticShapeMemRef:$source, Index:$slot, Index:$row, Index:$rows,
                       Index:$columns, AnyStaticShapeMemRef:$target, Index:$targetSlot,
                       OptionalAttr<I64Attr>:$part);
  let assemblyFormat = [{
    $source `[` $slot `]` (`part` $part^)? `at` `(` $row `)` `size` `(` $rows `,` $columns `)` `->`
    $target `[` $targetSlot `]` `:` type($source) `->` type($target) attr-dict
  }];
  let hasVerifier = 1;
}

def Aicore_VectorOp : Aicore_InstructionOp<"vector", [AttrSizedOperandSegments, SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "elementwise work of a vector core on a tile in UB (vector)";
  let description = [{
    `broadcasts` says how each input covers the tile: full, one row for all rows, one column for all
    columns (held as a row), or a single element. No flag is set or waited for inside of it.

    Up to aicore-select-vector the region computes one element from one element of each input, in
    `arith` and `math`; scalars of the kernel are used from above.
    ```mlir
    aicore.vector ins(%x[%s] full, %bias[%t] row : memref<32x256xf32, #aicore.space<ub>>,
                                                   memref<1x256xf32, #aicore.space<ub>>)
                  outs(%y[%u] : memref<32x256xf32, #aicore.space<ub>>)
                  size(%rows, %columns) {
    ^bb0(%e: f32, %b: f32):
      %sum = arith.addf %e, %b : f32
      aicore.yield %sum : f32
    }
    ```
    From there on the region is a list of aicore.vec, each on tiles: the arguments of the region are
    a tile for each input, each output and each scratch tile. A scratch tile is a copy of a buffer,
    `%scratch[1]`, and holds what one instruction leaves for another.
    ```mlir
    aicore.vector ins(...) outs(...) scratch(%scratch[0] : memref<32x256xf32, #aicore.space<ub>>)
                  size(%rows, %columns) {
    ^bb0(%x: !aicore.tile<f32>, %bias: !aicore.tile<f32>, %y: !aicore.tile<f32>,
         %scratch: !aicore.tile<f32>):
      aicore.vec add %x, %bias -> %scratch : !aicore.tile<f32>, !aicore.tile<f32> -> !aicore.tile<f32>
      ...
    }
    ```
  }];
  let arguments = (ins Variadic<AnyStaticShapeMemRef>:$inputs, Variadic<Index>:$inputSlots,
                       Aicore_BroadcastArrayAttr:$broadcasts,
                       Variadic<AnyStaticShapeMemRef>:$outputs, Variadic<Index>:$outputSlots,
                       Variadic<AnyStaticShapeMemRef>:$scratch,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$scratchCopies,
                       Index:$rows, Index:$columns);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `ins` `(` custom<VectorInputs>($inputs, $inputSlots, $broadcasts, type($inputs)) `)`
    `outs` `(` custom<VectorOutputs>($outputs, $outputSlots, type($outputs)) `)`
    (`scratch` `(` custom<VectorScratch>($scratch, $scratchCopies, type($scratch))^ `)`)?
    `size` `(` $rows `,` $columns `)` $body attr-dict
  }];
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$inputs, "::mlir::ValueRange":$inputSlots,
                                 "::mlir::ArrayAttr":$broadcasts, "::mlir::ValueRange":$outputs,
                                 "::mlir::ValueRange":$outputSlots, "::mlir::Value":$rows,
                                 "::mlir::Value":$columns), [{
    build($_builder, $_state, inputs, inputSlots, broadcasts, outputs, outputSlots,
          ::mlir::ValueRange(), $_builder.getDenseI64ArrayAttr({}), rows, columns);
  }]>];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether its region is a list of instructions.
    bool isSelected();
    /// The tile of an argument of the region of instructions.
    VectorTile tile(::mlir::Value argument);
  }];
}

def Aicore_VecOp : Aicore_Op<"vec", [HasParent<"VectorOp">]> {
  let summary = "one vector instruction";
  let description = [{
    Its name is a row of the table of vector instructions (machines/vector_instructions.h), which
    says what operands it takes: tiles, masks, scalars of the kernel. It may write over a tile that
    it reads. A comparison has a predicate.
    ```mlir
    aicore.vec leaky_relu %x, %alpha -> %y : !aicore.tile<f32>, f32 -> !aicore.tile<f32>
    aicore.vec compare olt %x, %limit -> %m : !aicore.tile<f32>, f32 -> !aicore.tile<i1>
    ```
  }];
  let arguments = (ins StrAttr:$instruction, OptionalAttr<StrAttr>:$predicate,
                       Variadic<AnyType>:$inputs, Aicore_TileType:$target);
  let assemblyFormat = [{
    custom<VectorInstruction>($instruction, $predicate) $inputs `->` $target
    `:` type($inputs) `->` qualified(type($target)) attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Its row of the table.
    const ::mmk::VectorInstruction &getRow();
    /// The figure of the machine that prices it.
    std::string_view getCost();
  }];
}

def Aicore_ReduceOp : Aicore_InstructionOp<"reduce", [AttrSizedOperandSegments]> {
  let summary = "the rows, or the columns, of a tile in UB combined to one (vector)";
  let description = [{
    Along its columns each row becomes one element; the target is a row of these. With `by_rows` all
    rows become one row. argmax and argmin also give the position of the first element that is beyond
    all before it, or of the first NaN. max and min propagate NaN.
    ```mlir
    aicore.reduce add %e[%s] size(%rows, %columns) -> %sums[%t]
      : memref<1x32xf32, #aicore.space<ub>> from memref<32x256xf32, #aicore.space<ub>>
    aicore.reduce argmax %e[%s] size(%rows, %columns) -> %best[%t], %where[%u]
      : memref<1x32xf32, #aicore.space<ub>>, memref<1x32xi32, #aicore.space<ub>>
      from memref<32x256xf32, #aicore.space<ub>>
    ```
  }];
  let arguments = (ins Aicore_ReduceKind:$kind, AnyStaticShapeMemRef:$source, Index:$slot,
                       Index:$rows, Index:$columns, UnitAttr:$by_rows,
                       Variadic<AnyStaticShapeMemRef>:$targets, Variadic<Index>:$targetSlots);
  let assemblyFormat = [{
    $kind $source `[` $slot `]` `size` `(` $rows `,` $columns `)` (`by_rows` $by_rows^)? `->`
    custom<VectorOutputs>($targets, $targetSlots, type($targets)) `from` type($source) attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether its second target is the position of an element.
    bool givesPosition() {
      return getKind() == ReduceKind::argmax || getKind() == ReduceKind::argmin;
    }
  }];
}

def Aicore_YieldOp : Aicore_Op<"yield", [Pure, Terminator,
    HasParent<"VectorOp">]> {
  let summary = "the elements that a region of vector work stores, one for each output";
  let description = "Of a region of vector instructions, none.";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Aicore_ScanOp : Aicore_InstructionOp<"scan"> {
  let summary = "the sums of the elements of a tile up to each (vector)";
  let description = [{
    Along the columns of each row, or with `by_rows` along its rows. The sums start from the carry, a
    row with an element for each row or column, and leave the last of them there for the next part.
    ```mlir
    aicore.scan %x[%s] size(%rows, %columns) carry %c[%t] -> %y[%u]
      : memref<32x256xf32, #aicore.space<ub>>, memref<1x32xf32, #aicore.space<ub>>
      -> memref<32x256xf32, #aicore.space<ub>>
    ```
  }];
  let arguments = (ins AnyStaticShapeMemRef:$source, Index:$slot, Index:$rows, Index:$columns,
                       UnitAttr:$by_rows, AnyStaticShapeMemRef:$carry, Index:$carrySlot,
                       AnyStaticShapeMemRef:$target, Index:$targetSlot);
  let assemblyFormat = [{
    $source `[` $slot `]` `size` `(` $rows `,` $columns `)` (`by_rows` $by_rows^)?
    `carry` $carry `[` $carrySlot `]` `->` $target `[` $targetSlot `]`
    `:` type($source) `,` type($carry) `->` type($target) attr-dict
  }];
  let hasVerifier = 1;
}

//===--- Generated tensors -------------------------------------------------------------------===//

def Aicore_WindowOp : Aicore_InstructionOp<"window", [AttrSizedOperandSegments]> {
  let summary = "GM -> UB (MTE2): elements at computed indices";
  let description = [{
    Of the buffer's row d0 and column d1 the map gives an index for each dimension of the tensor. With
    `pad`, an element outside of the tensor is this number. Elements that follow each other in memory
    along the columns move in one piece for each row; others one by one.
    ```mlir
    aicore.window %x at affine_map<(d0, d1)[s0] -> (2 * d0 + s0, d1 - 1)> (%h) pad %zero : f32
      size(%rows, %columns) -> %x_ub[%slot]
      : memref<?x?xf32, #aicore.space<gm>> -> memref<32x256xf32, #aicore.space<ub>>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, AffineMapAttr:$map, Variadic<Index>:$symbols,
                       Optional<AnyType>:$padding, Index:$rows, Index:$columns,
                       AnyStaticShapeMemRef:$target, Index:$slot);
  let assemblyFormat = [{
    $source `at` $map (`(` $symbols^ `)`)? (`pad` $padding^ `:` type($padding))?
    `size` `(` $rows `,` $columns `)` `->` $target `[` $slot `]`
    `:` type($source) `->` type($target) attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether the elements of a row follow each other in memory.
    bool isContiguous();
  }];
}

def Aicore_PositionsOp : Aicore_InstructionOp<"positions"> {
  let summary = "consecutive numbers as a row of a buffer (vector)";
  let description = [{
    ```mlir
    aicore.positions from %first size(%columns) -> %j_ub[%slot] : memref<1x256xi32, #aicore.space<ub>>
    ```
  }];
  let arguments = (ins Index:$first, Index:$columns, AnyStaticShapeMemRef:$target, Index:$slot);
  let assemblyFormat = [{
    `from` $first `size` `(` $columns `)` `->` $target `[` $slot `]` `:` type($target) attr-dict
  }];
  let hasVerifier = 1;
}

def Aicore_RandomOp : Aicore_InstructionOp<"random"> {
  let summary = "uniform random numbers (vector)";
  let description = [{
    The element in row r and column c is that of mmk.random at first + r * rowStep + c * columnStep.
    ```mlir
    aicore.random %seed from %first step(%n, %c1) size(%rows, %columns) -> %u_ub[%slot]
      : memref<32x256xf32, #aicore.space<ub>>
    ```
  }];
  let arguments = (ins I32:$seed, Index:$first, Index:$rowStep, Index:$columnStep, Index:$rows,
                       Index:$columns, AnyStaticShapeMemRef:$target, Index:$slot);
  let assemblyFormat = [{
    $seed `from` $first `step` `(` $rowStep `,` $columnStep `)` `size` `(` $rows `,` $columns `)` `->`
    $target `[` $slot `]` `:` type($target) attr-dict
  }];
  let hasVerifier = 1;
}

//===--- Synchronisation ---------------------------------------------------------------------===//

class Aicore_SyncOp<string mnemonic> : Aicore_Op<mnemonic,
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]>;

class Aicore_FlagOp<string mnemonic> : Aicore_SyncOp<mnemonic> {
  let arguments = (ins Aicore_Pipe:$from, Aicore_Pipe:$to, I64Attr:$event, Index:$slot);
  let assemblyFormat = "` ` `[` $from `->` $to `]` $event `+` $slot attr-dict";
  let hasVerifier = 1;
}
def Aicore_SetFlagOp : Aicore_FlagOp<"set_flag"> {
  let summary = "sets an event when all earlier work of the pipe `from` is done";
  let description = [{
    `aicore.set_flag [mte2 -> mte1] 0 + %slot`: event id = 0 + slot, on the core (cube or vector)
    in whose part of the program it stands.
  }];
}
def Aicore_WaitFlagOp : Aicore_FlagOp<"wait_flag"> {
  let summary = "holds the pipe `to` until the event is set, and clears it";
  let description = "`aicore.wait_flag [mte2 -> mte1] 0 + %slot`";
}

class Aicore_CrossOp<string mnemonic> : Aicore_SyncOp<mnemonic> {
  let arguments = (ins Aicore_Unit:$unit, Aicore_Pipe:$pipe, I64Attr:$flag, Index:$slot);
  let hasVerifier = 1;
}
def Aicore_SetCrossOp : Aicore_CrossOp<"set_cross"> {
  let summary = "counts up a cross-core flag when all earlier work of the pipe is done";
  let description = [{
    `aicore.set_cross fixpipe to vector 0 + %w`: from the cube core to both its vector cores;
    `aicore.set_cross mte2 to cube 2 + %w`: seen by the cube core when both vector cores have set.
  }];
  let assemblyFormat = "$pipe `to` $unit $flag `+` $slot attr-dict";
}
def Aicore_WaitCrossOp : Aicore_CrossOp<"wait_cross"> {
  let summary = "holds the pipe until the other core's flag is up, and counts it down";
  let description = "`aicore.wait_cross mte2 from cube 0 + %w`";
  let assemblyFormat = "$pipe `from` $unit $flag `+` $slot attr-dict";
}

def Aicore_BarrierOp : Aicore_SyncOp<"barrier"> {
  let summary = "later work of the pipe, or of all pipes, starts when all earlier work of it is done";
  let description = [{
    `aicore.barrier cube`: of one pipe. `aicore.barrier all`: no pipe of the core, cube or vector, in
    whose part of the program it stands goes on before all of them are done.
  }];
  let arguments = (ins OptionalAttr<Aicore_Pipe>:$pipe);
  let assemblyFormat = "($pipe^) : (`all`)? attr-dict";
}

#endif
