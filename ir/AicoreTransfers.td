// Transfers between memories, and the matrix unit.
#ifndef MMK_IR_AICORETRANSFERS_TD
#define MMK_IR_AICORETRANSFERS_TD

include "AicoreTypes.td"

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

    With `clipped` the last dimension but one of the view may end beyond the tensor, where its rows
    are zero: the last block of channels is filled up so.
    ```mlir
    // Blocks of 16 channels, taps (r, s), channels of a block.
    aicore.load %w[%r, %s, %c, %o] along [2, 0, 1, 2, 3] step [16, 1, 1, 1, 1] clipped
      size(%blocks, %rs, %ss, %c16, %os) -> %w_l1[%slot] pad 16
      : memref<?x?x?x?xf16, #aicore.space<gm>> -> memref<576x64xf16, #aicore.space<l1>>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Variadic<Index>:$offsets, DenseI64ArrayAttr:$along,
                       OptionalAttr<DenseI64ArrayAttr>:$step, OptionalAttr<I64Attr>:$joined,
                       UnitAttr:$clipped, Variadic<Index>:$sizes,
                       AnyStaticShapeMemRef:$target, Index:$slot, I64Attr:$pad);
  let assemblyFormat = [{
    $source `[` $offsets `]` `along` $along (`step` $step^)? (`joined` $joined^)? (`clipped` $clipped^)?
    `size` `(` $sizes `)` `->`
    $target `[` $slot `]` `pad` $pad `:` type($source) `->` type($target) attr-dict
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::mlir::ValueRange":$offsets,
                                 "::llvm::ArrayRef<int64_t>":$along, "::mlir::Value":$rows,
                                 "::mlir::Value":$columns, "::mlir::Value":$target,
                                 "::mlir::Value":$slot, "int64_t":$pad), [{
    build($_builder, $_state, source, offsets, along, /*step=*/::mlir::DenseI64ArrayAttr(),
          /*joined=*/::mlir::IntegerAttr(), /*clipped=*/false, ::mlir::ValueRange{rows, columns}, target,
          slot, pad);
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

def Aicore_Load3dOp : Aicore_InstructionOp<"load3d"> {
  let summary = "L1 -> L0A (MTE1): windows of an image, as the left operand of the cube";
  let description = [{
    L1 holds `lines` x `width` pixels of an image as rows, its channels as columns, a multiple of
    `block` of them. Of the result, whose lines have `by` pixels, `size` begins with the number of
    pixels, from the pixel `first` on, then the depth, from `depth` on. The depth goes over blocks of
    channels, the rows and columns of the taps, and the channels of a block, the last one the
    fastest.

    The tap (r, s) of the pixel (p, q) is the pixel (top + p * stride[0] + r * dilation[0],
    q * stride[1] + s * dilation[1] - left) of the image; `top` may be negative. Outside of the image
    it is zero. L0A takes pixels x depth. Into L0B the instruction of the chip makes pixels the depth,
    for gradients of weights; no pass has a use for that.
    ```mlir
    aicore.load3d %x_l1[%s] image(%lines, %width) taps(%r, %s) top(%top) by(%q) first(%p)
      depth(%k) size(%pixels, %n) stride [1, 1] dilation [1, 1] left 1 block 16 -> %x_l0[%t]
      : memref<1024x64xf16, #aicore.space<l1>> -> memref<128x64xf16, #aicore.space<l0a>>
    ```
  }];
  let arguments = (ins AnyStaticShapeMemRef:$source, Index:$slot, Index:$lines, Index:$width,
                       Index:$tapRows, Index:$tapColumns, Index:$top, Index:$outWidth, Index:$first,
                       Index:$from, Index:$pixels, Index:$depth, DenseI64ArrayAttr:$stride,
                       DenseI64ArrayAttr:$dilation, I64Attr:$left, I64Attr:$block,
                       AnyStaticShapeMemRef:$target, Index:$targetSlot);
  let assemblyFormat = [{
    $source `[` $slot `]` `image` `(` $lines `,` $width `)` `taps` `(` $tapRows `,` $tapColumns `)`
    `top` `(` $top `)` `by` `(` $outWidth `)` `first` `(` $first `)` `depth` `(` $from `)`
    `size` `(` $pixels `,` $depth `)` `stride` $stride `dilation` $dilation `left` $left
    `block` $block `->` $target `[` $targetSlot `]` `:` type($source) `->` type($target) attr-dict
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
    The view is that of aicore.store. With `relu` an element below 0 becomes 0 before it is converted; with
    `leaky_relu`, on the way to f16, it is multiplied by the slope, of which the first `bits` count.
    ```mlir
    aicore.fixpipe %acc[%s] -> %c[%m, %n] along [0, 1] size(%rows, %columns) relu
      : memref<128x256xf32, #aicore.space<l0c>> -> memref<?x?xf16, #aicore.space<gm>>
    ```
  }];
  let arguments = (ins AnyStaticShapeMemRef:$source, Index:$slot, AnyMemRef:$target,
                       Variadic<Index>:$offsets, DenseI64ArrayAttr:$along,
                       OptionalAttr<DenseI64ArrayAttr>:$step, Variadic<Index>:$sizes,
                       OptionalAttr<I64Attr>:$part, UnitAttr:$relu, Optional<F32>:$slope,
                       OptionalAttr<I64Attr>:$slopeBits);
  let assemblyFormat = [{
    $source `[` $slot `]` (`part` $part^)? `->` $target `[` $offsets `]` `along` $along (`step` $step^)?
    `size` `(` $sizes `)` (`relu` $relu^)? (`leaky_relu` `(` $slope^ `bits` $slopeBits `)`)? `:` type($source) `->` type($target) attr-dict
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$slot,
                                 "::mlir::Value":$target, "::mlir::ValueRange":$offsets,
                                 "::llvm::ArrayRef<int64_t>":$along, "::mlir::Value":$rows,
                                 "::mlir::Value":$columns, "::mlir::IntegerAttr":$part, "bool":$relu,
                                 CArg<"::mlir::Value", "{}">:$slope,
                                 CArg<"::mlir::IntegerAttr", "{}">:$slopeBits), [{
    build($_builder, $_state, source, slot, target, offsets, along,
          /*step=*/::mlir::DenseI64ArrayAttr(), ::mlir::ValueRange{rows, columns}, part, relu,
          slope, slopeBits);
  }]>];
  let extraClassDeclaration = accessors # [{
    int64_t columnDims() { return 1; }
  }];
  let hasVerifier = 1;
}

def Aicore_SpillOp : Aicore_InstructionOp<"spill", [AttrSizedOperandSegments]> {
  let summary = "L0C (fixpipe) or UB (MTE3) -> the block's own global memory, or UB -> L1, for its other cores";
  let description = [{
    The whole accumulator, or a part of it into a target of the width of a part. Rows of UB go to the
    target from row `at` on, so that each vector core writes its own. An accumulator goes to a wider
    target from a `column` on. Where the machine has a path from UB to L1, rows of UB go there directly.
    ```mlir
    aicore.spill %acc[%s] size(%rows, %columns) -> %tile[%w]
      : memref<128x256xf32, #aicore.space<l0c>> -> memref<128x256xf32, #aicore.space<gm>>
    aicore.spill %acc[%s] size(%rows, %columns) -> %wide[%w] column(%c)
      : memref<128x128xf32, #aicore.space<l0c>> -> memref<128x256xf32, #aicore.space<gm>>
    aicore.spill %y[%u] size(%rows, %columns) -> %tile[%w] at(%row)
      : memref<32x256xf16, #aicore.space<ub>> -> memref<128x256xf16, #aicore.space<gm>>
    ```
  }];
  let arguments = (ins AnyStaticShapeMemRef:$source, Index:$slot, Index:$rows, Index:$columns,
                       AnyStaticShapeMemRef:$target, Index:$targetSlot, Optional<Index>:$row,
                       Optional<Index>:$column, OptionalAttr<I64Attr>:$part);
  let assemblyFormat = [{
    $source `[` $slot `]` (`part` $part^)? `size` `(` $rows `,` $columns `)` `->` $target `[` $targetSlot `]`
    (`at` `(` $row^ `)`)? (`column` `(` $column^ `)`)? `:` type($source) `->` type($target) attr-dict
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
  let summary = "L0C -> UB: rows of the accumulator";
  let description = [{
    The machine says which pipe executes it. On a coupled core it is the vector pipe. On a split chip
    it is the fixpipe of the cube core, and the rows are divided evenly over the vector cores: with two,
    the first takes the upper half, rounded up, into its UB.
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

def Aicore_ScalarRangeOp : Aicore_InstructionOp<"scalar_range"> {
  let summary = "the least and the greatest of i32 elements in global memory (scalar)";
  let description = [{
    The scalar unit loads `size` elements, one after the other along a dimension of the tensor (-1: the
    only one), and compares them: bounds of loops that depend on data. It issues nothing meanwhile. No
    flag holds the scalar unit, so the tensor must have been written before the phase.

    Of no elements, and where the elements are not known, as in a count without a run, they are those
    that `absent` says.
    ```mlir
    %least, %greatest = aicore.scalar_range %length[%i] along 0 size(%rows) absent [0, 2147483647]
      : memref<?xi32, #aicore.space<gm>>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Variadic<Index>:$offsets, I64Attr:$along, Index:$size,
                       DenseI64ArrayAttr:$absent);
  let results = (outs Index:$least, Index:$greatest);
  let assemblyFormat = [{
    $source `[` $offsets `]` `along` $along `size` `(` $size `)` `absent` $absent
    `:` type($source) attr-dict
  }];
  let hasVerifier = 1;
}

#endif
