// The cpu dialect: the work of a thread of the host CPU, in whole tiles.
#ifndef MMK_CPU_CPU_TD
#define MMK_CPU_CPU_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "ir/AicoreInterfaces.td"

def Cpu_Dialect : Dialect {
  let name = "cpu";
  let cppNamespace = "::mmk::cpu";
  let summary = "tiles on the host CPU, from global memory to global memory";
  let description = [{
    A CPU has no pipes to keep busy and no memories to fill: its gains are made in registers. So one
    operation does a whole tile, and its region is applied to the elements while they are in
    registers, before their only store. Kernels, phases, workspaces and buffers are those of aicore.

    Each tensor comes with offsets in all its dimensions; `along` names those that run with the
    tile's rows and columns, -1 where an input does not vary.
  }];
}

def Cpu_ThreadsOp : Op<Cpu_Dialect, "threads",
    [Pure, DeclareOpInterfaceMethods<Aicore_CallConstant>]> {
  let summary = "threads that share the blocks of a kernel, at most";
  let description = [{
    `%t = cpu.threads`. Known when the kernel is called, and the same for all of its blocks.
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

/// What a tile reads and writes, each tensor with offsets and dimensions along the tile.
defvar tensorsOfTile = (ins Variadic<AnyMemRef>:$inputs, Variadic<Index>:$inputOffsets,
                            DenseI64ArrayAttr:$inputAlong,
                            Variadic<AnyMemRef>:$outputs, Variadic<Index>:$outputOffsets,
                            DenseI64ArrayAttr:$outputAlong);

class Cpu_TileOp<string mnemonic, list<Trait> traits = [SingleBlock]> : Op<Cpu_Dialect, mnemonic,
    [AttrSizedOperandSegments, DeclareOpInterfaceMethods<Aicore_Instruction>,
     DeclareOpInterfaceMethods<Aicore_TileInstruction>,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>] # traits>;

def Cpu_ProductOp : Cpu_TileOp<"product"> {
  let summary = "an output tile of a product";
  let description = [{
    m x n x k, in passes of `step` along k. The region takes the sum of A x B and one element of each
    input, and yields one element for each output. The tensors run along m and k (A), and along k and
    n (B). `scratch` is where blocks of the operands are packed, and where sums wait between two
    passes: no more of it is used than stays in the caches. With `packed`, B is a constant that comes
    in panels (support/panel_layout.h), over its whole depth; with `packedLeft`, A is one, where the
    target can multiply it.

    With `window`, A or B, the one that runs along [-1, -1], is the tensor of which a matrix of its
    elements is multiplied. The position of a row and that of a column of the matrix are each split
    into so many `digits`: these are the dimensions of the map, which gives the indices of the
    element. An element outside of the tensor is 0. The operands are the symbols of the map, the
    extents of the digits, and the positions of the first row and column of the tile:
    `window affine_map<(c, r, s, p, q)[n] -> (n, c, p + r - 1, q + s - 1)> digits [3, 2] (...)`.
    ```mlir
    cpu.product %a[%m, %c0] along [0, 1], %b[%c0, %n] along [0, 1]
      size(%rows, %columns, %k) step 512
      ins(%bias[%n] along [-1, 0]) outs(%c[%m, %n] along [0, 1])
      scratch(%a_l0, %b_l0, %acc) {
    ^bb0(%sum: f32, %v: f32):
      %y = arith.addf %sum, %v : f32
      cpu.yield %y : f32
    } : ...
    ```
  }];
  let arguments = !con(
      (ins AnyMemRef:$a, Variadic<Index>:$aOffsets, DenseI64ArrayAttr:$aAlong,
           AnyMemRef:$b, Variadic<Index>:$bOffsets, DenseI64ArrayAttr:$bAlong,
           Index:$m, Index:$n, Index:$k, I64Attr:$step),
      tensorsOfTile,
      (ins AnyStaticShapeMemRef:$aScratch, AnyStaticShapeMemRef:$bScratch,
           AnyStaticShapeMemRef:$acc, Variadic<Index>:$windowOperands,
           OptionalAttr<AffineMapAttr>:$window, OptionalAttr<DenseI64ArrayAttr>:$windowDigits,
           UnitAttr:$packed, UnitAttr:$packedLeft));
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $a `[` $aOffsets `]` `along` $aAlong `,` $b `[` $bOffsets `]` `along` $bAlong
    `size` `(` $m `,` $n `,` $k `)` `step` $step
    `ins` `(` custom<GlobalViews>($inputs, $inputOffsets, $inputAlong, type($inputs)) `)`
    `outs` `(` custom<GlobalViews>($outputs, $outputOffsets, $outputAlong, type($outputs)) `)`
    `scratch` `(` $aScratch `,` $bScratch `,` $acc `)`
    (`window` $window^ `digits` $windowDigits `(` $windowOperands `)`)? $body
    `:` type($a) `,` type($b) `,` type($aScratch) `,` type($bScratch) `,` type($acc) attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool isWindowOfA() { return getWindow() && getAAlong()[0] < 0; }
    bool isWindowOfB() { return getWindow() && getAAlong()[0] >= 0; }
  }];
}

def Cpu_ElementwiseOp : Cpu_TileOp<"elementwise"> {
  let summary = "a tile without a product";
  let description = [{
    Rows x columns elements of each output; tensors and region are those of a cpu.product, without
    the sum. An output may be the same elements as an input.
    ```mlir
    cpu.elementwise size(%rows, %columns) ins(%x[%m, %n] along [0, 1], %v[%n] along [-1, 0])
      outs(%y[%m, %n] along [0, 1]) {
    ^bb0(%e: f32, %w: f32):
      %sum = arith.addf %e, %w : f32
      cpu.yield %sum : f32
    }
    ```
  }];
  let arguments = !con((ins Index:$m, Index:$n), tensorsOfTile);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `size` `(` $m `,` $n `)`
    `ins` `(` custom<GlobalViews>($inputs, $inputOffsets, $inputAlong, type($inputs)) `)`
    `outs` `(` custom<GlobalViews>($outputs, $outputOffsets, $outputAlong, type($outputs)) `)`
    $body attr-dict
  }];
  let hasVerifier = 1;
}

def Cpu_RowsOp : Cpu_TileOp<"rows"> {
  let summary = "a tile with reductions, and the elementwise work between and behind them";
  let description = [{
    A tile of a space of several dimensions, of which some are reduced. Each tensor names its
    dimension along each one of the space, -1 where it does not vary. The region takes one element of
    each input. Its cpu.reduce combine all elements along the reduced dimensions, each after those
    that its operand needs: a level of reductions takes a pass over the elements. An output that
    varies along reduced dimensions has one element for each iteration, any other is stored once for
    them. In `scratch`, rows of elements or of accumulators wait for the next pass.
    ```mlir
    cpu.rows size(%rows, %columns) reduce [1]
      ins(%x[%m, %c0] along [0, 1]) outs(%y[%m, %c0] along [0, 1]) scratch(%row) {
    ^bb0(%e: f32):
      %most = cpu.reduce max %e from 0xFF800000 : f32 -> f32
      %d = arith.subf %e, %most : f32
      cpu.yield %d : f32
    } : memref<1x8192xf32, #aicore.space<ub>>
    ```
  }];
  let arguments = !con((ins Variadic<Index>:$sizes, DenseI64ArrayAttr:$reduced), tensorsOfTile,
                       (ins AnyStaticShapeMemRef:$scratch));
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `size` `(` $sizes `)` `reduce` $reduced
    `ins` `(` custom<GlobalViews>($inputs, $inputOffsets, $inputAlong, type($inputs)) `)`
    `outs` `(` custom<GlobalViews>($outputs, $outputOffsets, $outputAlong, type($outputs)) `)`
    `scratch` `(` $scratch `)` $body `:` type($scratch) attr-dict
  }];
  let hasVerifier = 1;
}

def Cpu_CumulateOp : Cpu_TileOp<"cumulate", []> {
  let summary = "a tile of sums of the elements up to each, along one dimension";
  let description = [{
    A tile of a space of several dimensions; tensors are those of a cpu.rows. The input has the
    elements; a second one has the sums before the first of them, and does not vary along that
    dimension. In `scratch`, the sums of columns wait for the next row.
    ```mlir
    cpu.cumulate size(%rows, %columns) sum 1
      ins(%x[%m, %c0] along [0, 1]) outs(%y[%m, %c0] along [0, 1]) scratch(%row)
    ```
  }];
  let arguments = !con((ins Variadic<Index>:$sizes, I64Attr:$summed), tensorsOfTile,
                       (ins AnyStaticShapeMemRef:$scratch));
  let assemblyFormat = [{
    `size` `(` $sizes `)` `sum` $summed
    `ins` `(` custom<GlobalViews>($inputs, $inputOffsets, $inputAlong, type($inputs)) `)`
    `outs` `(` custom<GlobalViews>($outputs, $outputOffsets, $outputAlong, type($outputs)) `)`
    `scratch` `(` $scratch `)` `:` type($scratch) attr-dict
  }];
  let hasVerifier = 1;
}

def Cpu_ChainOp : Cpu_TileOp<"chain", []> {
  let summary = "a tile of products of what is computed from rows of other products";
  let description = [{
    m of all rows of each C = W x V, where the weights W, m x n, are computed from the scores A x B, and the
    rows of those are reduced; in attention, by a softmax. `a`, `b` and `depths` list the products of
    scores, `v` and `columns` those of weights. Rows are computed in parts along n, in one pass over
    all B and V, and no score is stored.

    The first region takes a score of each product and an element of each input. For each C it yields
    the weight, the ratio and the factor of its row, and then an element for each output, which has
    one for each row. Its reductions are of the columns so far. When a part is added, what C has of
    the parts before is multiplied by the ratio, and so are sums `times` one; after the last part C
    is multiplied by the factor. Each further region takes an element of its C and of its inputs
    behind it, and yields one for each of its results.

    In `scratch` are packed parts of B and V, rows of A and C, and the scores of a part.
    ```mlir
    cpu.chain size(%m of %rows, %n) a(%q[%i, %c0] along [0, 1]) b(%k[%c0, %c0] along [1, 0]) depths(%depth)
      v(%v[%c0, %c0] along [0, 1]) columns(%columns)
      ins() outs() behind() results(%o[%i, %c0] along [0, 1]) scratch(%s) {
    ^bb0(%score: f32):
      %top = cpu.reduce max %score from 0xFF800000 : f32 -> f32
      %before = cpu.before %top from %zero : f32
      %grown = arith.subf %before, %top : f32
      %ratio = math.exp %grown : f32
      %d = arith.subf %score, %top : f32
      %weight = math.exp %d : f32
      %sum = cpu.reduce add %weight from 0.0 times %ratio : f32 -> f32
      %factor = arith.divf %one, %sum : f32
      cpu.yield %weight, %ratio, %factor : f32, f32, f32
    }, {
    ^bb0(%product: f32):
      cpu.yield %product : f32
    } : ...
    ```
  }];
  let arguments = (ins Index:$m, Index:$rows, Index:$n,
                       Variadic<AnyMemRef>:$a, Variadic<Index>:$aOffsets, DenseI64ArrayAttr:$aAlong,
                       Variadic<AnyMemRef>:$b, Variadic<Index>:$bOffsets, DenseI64ArrayAttr:$bAlong,
                       Variadic<Index>:$depths,
                       Variadic<AnyMemRef>:$v, Variadic<Index>:$vOffsets, DenseI64ArrayAttr:$vAlong,
                       Variadic<Index>:$columns,
                       Variadic<AnyMemRef>:$inputs, Variadic<Index>:$inputOffsets,
                       DenseI64ArrayAttr:$inputAlong,
                       Variadic<AnyMemRef>:$outputs, Variadic<Index>:$outputOffsets,
                       DenseI64ArrayAttr:$outputAlong,
                       Variadic<AnyMemRef>:$behind, Variadic<Index>:$behindOffsets,
                       DenseI64ArrayAttr:$behindAlong,
                       Variadic<AnyMemRef>:$products, Variadic<Index>:$productOffsets,
                       DenseI64ArrayAttr:$productAlong,
                       AnyStaticShapeMemRef:$scratch);
  let regions = (region SizedRegion<1>:$body, VariadicRegion<SizedRegion<1>>:$epilogues);
  let assemblyFormat = [{
    `size` `(` $m `of` $rows `,` $n `)`
    `a` `(` custom<GlobalViews>($a, $aOffsets, $aAlong, type($a)) `)`
    `b` `(` custom<GlobalViews>($b, $bOffsets, $bAlong, type($b)) `)` `depths` `(` $depths `)`
    `v` `(` custom<GlobalViews>($v, $vOffsets, $vAlong, type($v)) `)` `columns` `(` $columns `)`
    `ins` `(` custom<GlobalViews>($inputs, $inputOffsets, $inputAlong, type($inputs)) `)`
    `outs` `(` custom<GlobalViews>($outputs, $outputOffsets, $outputAlong, type($outputs)) `)`
    `behind` `(` custom<GlobalViews>($behind, $behindOffsets, $behindAlong, type($behind)) `)`
    `results` `(` custom<GlobalViews>($products, $productOffsets, $productAlong, type($products)) `)`
    `scratch` `(` $scratch `)` $body `,` $epilogues `:` type($scratch) attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What the first region yields for each product of weights.
    enum Yielded : unsigned { weight, ratio, factor, yieldedOfProduct };
    /// What it yields before the elements of its outputs.
    unsigned firstOutput() { return yieldedOfProduct * getV().size(); }
    ::mlir::Value yielded(unsigned product, Yielded which) {
      return getBody().front().getTerminator()->getOperand(yieldedOfProduct * product + which);
    }
    /// The tensors behind a product of weights: their numbers in the list, of which each region has
    /// its own, one after the other.
    struct Own {
      unsigned first, count;
    };
    Own behindOf(unsigned product);
    Own resultsOf(unsigned product);
  }];
}

// That of the aicore dialect, by its class alone: its definition would bring the operations there.
def Cpu_ReduceKindAttr
    : Attr<CPred<"::llvm::isa<::mmk::aicore::ReduceKindAttr>($_self)">, "kind of reduction"> {
  let storageType = "::mmk::aicore::ReduceKindAttr";
  let returnType = "::mmk::aicore::ReduceKind";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::mmk::aicore::ReduceKindAttr::get($_builder.getContext(), $0)";
}

def Cpu_ReduceOp : Op<Cpu_Dialect, "reduce", [Pure, ParentOneOf<["RowsOp", "ChainOp"]>,
    AllTypesMatch<["element", "result"]>]> {
  let summary = "all elements along the reduced dimensions, combined";
  let description = [{
    `identity` is what no elements give. argmax and argmin also give the position of the first
    element that is beyond all before it, or of the first NaN, along the one dimension that is
    reduced. max and min propagate NaN; of conditions they are `or` and `and`.
    `%best, %where = cpu.reduce argmax %e from 0xFF800000 : f32 -> f32, i32`

    In a cpu.chain a sum may be rescaled: `times %ratio`, of each part, multiplies what the sum is of
    the parts before, unless that is 0.
  }];
  let arguments = (ins Cpu_ReduceKindAttr:$kind, AnyType:$element, TypedAttrInterface:$identity,
                       Optional<F32>:$ratio);
  let results = (outs AnyType:$result, Optional<I32>:$position);
  let assemblyFormat = [{
    custom<ReduceKind>($kind) $element `from` $identity (`times` $ratio^)? attr-dict `->` type($result) (`,` type($position)^)?
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Type":$position,
                                 "::mmk::aicore::ReduceKind":$kind, "::mlir::Value":$element,
                                 "::mlir::TypedAttr":$identity),
                            [{ build($_builder, $_state, result, position, kind, element, identity, {}); }]>];
}

def Cpu_BeforeOp : Op<Cpu_Dialect, "before", [Pure, HasParent<"ChainOp">,
    AllTypesMatch<["value", "start", "result"]>]> {
  let summary = "what a value of a row was after the part before";
  let description = [{ `%b = cpu.before %top from %zero : f32`: `%zero` in the first part. }];
  let arguments = (ins F32:$value, F32:$start);
  let results = (outs F32:$result);
  let assemblyFormat = "$value `from` $start attr-dict `:` type($value)";
}

class Cpu_ElementOp<string mnemonic, list<Trait> traits = []> : Op<Cpu_Dialect, mnemonic,
    [Pure, ParentOneOf<["ProductOp", "ElementwiseOp", "RowsOp", "ChainOp"]>] # traits>;

def Cpu_PositionOp : Cpu_ElementOp<"position"> {
  let summary = "the position of an element along a size of its tile";
  let description = [{
    `%j = cpu.position 1 from %n`: the number of the column, the first being `%n`. In memory there is
    no such tensor.
  }];
  let arguments = (ins I64Attr:$size, Index:$first);
  let results = (outs I32:$result);
  let assemblyFormat = "$size `from` $first attr-dict";
  let hasVerifier = 1;
}

def Cpu_RandomOp : Cpu_ElementOp<"random"> {
  let summary = "the random number of a position";
  let description = [{
    `%u = cpu.random %seed at %e`: that of mmk.random, of its element `%e` in row-major order.
    `contiguous`: the next column has the next element.
  }];
  let arguments = (ins I32:$seed, Index:$at, UnitAttr:$contiguous);
  let results = (outs F32:$result);
  let assemblyFormat = "$seed `at` $at (`contiguous` $contiguous^)? attr-dict";
}

def Cpu_GatherOp : Cpu_ElementOp<"gather", [AllTypesMatch<["base", "result"]>]> {
  let summary = "an element at a computed index";
  let description = [{
    `%v = cpu.gather %e at %i : f32`: the element of the tensor of `%e` that lies `%i` elements behind
    it. `%e` is an input that varies along no size.
  }];
  let arguments = (ins AnyType:$base, Index:$at);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$base `at` $at attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Cpu_GatherRunOp : Cpu_ElementOp<"gather_run",
    [AllTypesMatch<["base", "padding", "result"]>]> {
  let summary = "an element at a computed index, which lies in a row with those of other columns";
  let description = [{
    `%v = cpu.gather_run %e at %i step 2 stride %s where %here, %j below %n else %pad : f32`: as
    cpu.gather, where for the next column `%j` is `2` more and `%i` is `2 * %s` more. Where `%here`,
    which is the same for all columns, is false, or `%j` is no index below `%n`, nothing is read, and
    the element is `%pad`. With a stride of 1, the elements of a vector are one load or two.
  }];
  let arguments = (ins AnyType:$base, Index:$at, I64Attr:$step, Index:$stride, I1:$here,
                       Index:$index, Index:$extent, AnyType:$padding);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $base `at` $at `step` $step `stride` $stride `where` $here `,` $index `below` $extent
    `else` $padding attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Cpu_StrideOp : Op<Cpu_Dialect, "stride", [Pure]> {
  let summary = "elements from one index to the next along a dimension of a tensor";
  let description = [{ `%s = cpu.stride %x 1 : memref<?x?xf32, #aicore.space<gm>>` }];
  let arguments = (ins AnyMemRef:$tensor, I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$tensor $dim attr-dict `:` type($tensor)";
  let hasVerifier = 1;
}

def Cpu_YieldOp : Op<Cpu_Dialect, "yield", [Pure, Terminator,
    ParentOneOf<["ProductOp", "ElementwiseOp", "RowsOp", "ChainOp"]>]> {
  let summary = "the elements that a region stores, one for each output";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "$values `:` type($values) attr-dict";
}

#endif
