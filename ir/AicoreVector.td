// The vector unit, and what fills its memory other than a transfer of a tensor: windows, positions
// and random numbers.
#ifndef MMK_IR_AICOREVECTOR_TD
#define MMK_IR_AICOREVECTOR_TD

include "AicoreTypes.td"

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
    A vector unit that works on registers loads the inputs and stores the outputs once, and what one
    instruction leaves for another is in `registers`: the last arguments of the region, which have no
    buffer.
    ```mlir
    aicore.vector ins(...) outs(...) registers 1 size(%rows, %columns) {
    ^bb0(%x: !aicore.tile<f32>, %bias: !aicore.tile<f32>, %y: !aicore.tile<f32>, %r: !aicore.tile<f32>):
      aicore.vec add %x, %bias -> %r : !aicore.tile<f32>, !aicore.tile<f32> -> !aicore.tile<f32>
      ...
    }
    ```
  }];
  let arguments = (ins Variadic<AnyStaticShapeMemRef>:$inputs, Variadic<Index>:$inputSlots,
                       Aicore_BroadcastArrayAttr:$broadcasts,
                       Variadic<AnyStaticShapeMemRef>:$outputs, Variadic<Index>:$outputSlots,
                       Variadic<AnyStaticShapeMemRef>:$scratch,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$scratchCopies,
                       Index:$rows, Index:$columns, DefaultValuedAttr<I64Attr, "0">:$registers);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `ins` `(` custom<VectorInputs>($inputs, $inputSlots, $broadcasts, type($inputs)) `)`
    `outs` `(` custom<VectorOutputs>($outputs, $outputSlots, type($outputs)) `)`
    (`scratch` `(` custom<VectorScratch>($scratch, $scratchCopies, type($scratch))^ `)`)?
    (`registers` $registers^)? `size` `(` $rows `,` $columns `)` $body attr-dict
  }];
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$inputs, "::mlir::ValueRange":$inputSlots,
                                 "::mlir::ArrayAttr":$broadcasts, "::mlir::ValueRange":$outputs,
                                 "::mlir::ValueRange":$outputSlots, "::mlir::Value":$rows,
                                 "::mlir::Value":$columns), [{
    build($_builder, $_state, inputs, inputSlots, broadcasts, outputs, outputSlots,
          ::mlir::ValueRange(), $_builder.getDenseI64ArrayAttr({}), rows, columns,
          $_builder.getI64IntegerAttr(0));
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

#endif
