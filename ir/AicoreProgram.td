// The structure of a program: kernels, phases, vector cores, buffers and their slots, and the marks
// that passes leave for each other.
#ifndef MMK_IR_AICOREPROGRAM_TD
#define MMK_IR_AICOREPROGRAM_TD

include "AicoreTypes.td"

def Aicore_KernelOp : Aicore_Op<"kernel", [IsolatedFromAbove, Symbol, SingleBlock, NoTerminator,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a placed kernel: phases that all cores run one after the other";
  let description = [{
    Block arguments: the dimensions (index), the parameters (f32 scalars, tensors in global
    memory), the results (tensors in global memory). `buffers` is what the variant requests, by
    memory: copies of each buffer (`{l1 = 2, "l1.a" = 3}`). `limits` are the largest dimensions that
    it may run with (`{K = 2048}`), where a buffer holds all of one; the key of dimensions that are
    joined is their name, `"H*D"`.
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
    /// What limits a dimension, if anything does.
    ::mmk::aicore::HeldWhole heldWhole(::llvm::StringRef dim);
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

def Aicore_ScalarBoundOp : Aicore_Op<"scalar_bound", [Pure]> {
  let summary = "a scalar of the kernel, as a bound of loops";
  let description = [{
    `%n = aicore.scalar_bound %length absent 2147483647`: where a count does not know the scalar, as for
    the choice of a variant, it is the number that `absent` says.
  }];
  let arguments = (ins I32:$scalar, I64Attr:$absent);
  let results = (outs Index:$result);
  let assemblyFormat = "$scalar `absent` $absent attr-dict";
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
    `steps` of them. `aicore-distribute-vector-work` puts the region into loops over the windows. With
    `nonempty` a vector core without rows has one window of none: its pipes then wait for each other
    as on the other cores, and what one of them signals holds for all.

    With `interleaved` each window has `height` rows of every vector core, one after the other, so that
    all have as many windows. The cube core can then fill the buffers of a window: an aicore.drain in
    the region that it executes goes before the part of the vector cores.
    ```mlir
    aicore.vector_work %tile size(%rows, %columns) at(%c0) steps 2 height 32 {
    ^bb0(%row: index, %count: index, %column: index, %width: index, %step: index):
      %s = aicore.slot %step of %x_ub : memref<32x256xf32, #aicore.space<ub>>
      aicore.load %x[%row, %column] along [0, 1] size(%count, %width) -> %x_ub[%s] pad 1 : ...
    }
    ```
  }];
  let arguments = (ins Index:$number, Index:$rows, Index:$columns, Index:$column, I64Attr:$steps,
                       I64Attr:$height, UnitAttr:$by_columns, UnitAttr:$nonempty,
                       UnitAttr:$interleaved);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $number `size` `(` $rows `,` $columns `)` `at` `(` $column `)` `steps` $steps `height` $height
    (`by_columns` $by_columns^)? (`nonempty` $nonempty^)? (`interleaved` $interleaved^)? $body attr-dict
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

#endif
