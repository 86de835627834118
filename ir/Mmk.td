// The mmk dialect: a kernel as its author wrote it. The algorithm is linalg on tensors; the
// schedule is data beside it, never mixed into it.
#ifndef MMK_IR_MMK_TD
#define MMK_IR_MMK_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Mmk_Dialect : Dialect {
  let name = "mmk";
  let cppNamespace = "::mmk::ir";
  let summary = "what a kernel computes, and how it may be scheduled";
  let description = [{
    A `mmk.kernel` holds a body in upstream `linalg`, `arith` and `math` on tensors whose extents
    are named dimensions (`mmk.dim`), and a schedule: the alternatives of each directive
    (`mmk.choice`) and the rules between them (`mmk.require`). `mmk-apply-variant` leaves one
    alternative of each. `mmk-fuse-epilogue` groups the body into `mmk.fusion_group`s, each one pass
    over the machine; `mmk-tile-cores` and `mmk-tile-base` tile what is inside.
  }];
  let useDefaultAttributePrinterParser = 1;
}

class Mmk_Op<string mnemonic, list<Trait> traits = []> : Op<Mmk_Dialect, mnemonic, traits>;

def Mmk_NamedAttr : AttrDef<Mmk_Dialect, "Named"> {
  let mnemonic = "named";
  let summary = "name and dimensions of a tensor or scalar of a kernel";
  let description = [{
    `#mmk.named<"a"["M", "K"]>`: the parameter `a` with the dimensions M and K. A literal
    dimension is written as its number, `"64"`; a scalar has none. `const` behind them,
    `#mmk.named<"w"["K", "N"] const>`: the tensor stays the same from call to call, and is laid out
    for the machine when it is bound.
  }];
  let parameters = (ins "::mlir::StringAttr":$name,
                        OptionalArrayRefParameter<"::mlir::StringAttr">:$dims,
                        DefaultValuedParameter<"bool", "false">:$constant);
  let hasCustomAssemblyFormat = 1;
}

def Mmk_OrderRows : I32EnumAttrCase<"rows", 0>;
def Mmk_OrderColumns : I32EnumAttrCase<"columns", 1>;
def Mmk_OrderZigzag : I32EnumAttrCase<"zigzag", 2>;
def Mmk_OrderSwizzle : I32EnumAttrCase<"swizzle", 3>;
def Mmk_Order : I32EnumAttr<"Order", "order of the output tiles",
    [Mmk_OrderRows, Mmk_OrderColumns, Mmk_OrderZigzag, Mmk_OrderSwizzle]> {
  let cppNamespace = "::mmk::ir";
}

def Mmk_MappingAttr : AttrDef<Mmk_Dialect, "Mapping"> {
  let mnemonic = "mapping";
  let summary = "which core computes which output tiles, and in which order";
  let description = [{
    Without a grid, tile `t` in this order goes to core `t mod cores`. With a grid of gm x gn, each
    core owns a rectangle of tiles and computes it in `order`. `width` is the n of swizzle(n): the
    order goes down n rows of tiles before it moves to the next column. With a third number gk, the
    batches are mapped too, in gk equal runs: where they are the splits of a reduction, each core
    owns a rectangle of one split.
  }];
  let parameters = (ins EnumParameter<Mmk_Order>:$order, "int64_t":$width, "int64_t":$cores,
                        "int64_t":$gridM, "int64_t":$gridN,
                        DefaultValuedParameter<"int64_t", "1">:$gridK);
  let assemblyFormat = [{ `<` $order `,` `width` `=` $width `,` `cores` `=` $cores `,`
                          `grid` `=` $gridM `x` $gridN (`x` $gridK^)? `>` }];
}

def Mmk_KernelOp : Mmk_Op<"kernel", [IsolatedFromAbove, Symbol, NoTerminator,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a kernel: body and schedule";
  let description = [{
    The body's block takes the parameters in the order of `args`; `mmk.return` gives the results.
    ```mlir
    mmk.kernel @double dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"y"["N"]>] {
    ^bb0(%x: tensor<?xf32>):
      ...
      mmk.return %y : tensor<?xf32>
    } schedule {
      mmk.choice "tile.N" = [512, 1024]
    }
    ```
    `apart` says that dimensions which memory joins are apart because choices name them; the name of
    the variant then names the dimension of each tile.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$dims,
                       TypedArrayAttrBase<Mmk_NamedAttr, "parameters">:$args,
                       TypedArrayAttrBase<Mmk_NamedAttr, "results">:$results, UnitAttr:$apart);
  let regions = (region SizedRegion<1>:$body, MaxSizedRegion<1>:$schedule);
  let assemblyFormat = [{
    $sym_name `dims` $dims `args` $args `results` $results (`apart` $apart^)? $body
    (`schedule` $schedule^)?
    attr-dict-with-keyword
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The alternatives of a directive, by its dotted key; null when the schedule has none.
    ChoiceOp choice(llvm::StringRef key);
    /// The one value left by mmk-apply-variant; an error of the compiler when there are several.
    int64_t chosenNumber(llvm::StringRef key, int64_t otherwise);
    llvm::StringRef chosenWord(llvm::StringRef key, llvm::StringRef otherwise);
  }];
}

def Mmk_DimOp : Mmk_Op<"dim", [Pure]> {
  let summary = "the run-time value of a named dimension";
  let description = [{
    `%m = mmk.dim "M"`. The name of joined dimensions has their factors, `mmk.dim "B*T"`: its value is
    their product. A literal dimension is its number, `mmk.dim "64"`: it stays opaque until the
    kernel is placed, so that its loops keep the shape that the passes expect.
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Index:$result);
  let assemblyFormat = "$name attr-dict";
}

// A generated tensor is never in memory: each operation that reads it computes its elements, or
// loads them from where they are.

def Mmk_PositionsOp : Mmk_Op<"positions", [Pure]> {
  let summary = "the positions along a dimension";
  let description = [{
    `%j = mmk.positions "N" : tensor<?xi32>`: element j is j. mmk-fuse-epilogue reads it in place of
    a linalg.index.
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Mmk_RandomOp : Mmk_Op<"random", [Pure]> {
  let summary = "uniform random numbers in [0, 1) of a seed and of their position";
  let description = [{
    Element e in row-major order, of the dimensions in brackets, is word e mod 4 of Philox4x32-10
    with the key (seed, 0) and the counter (e / 4 low, e / 4 high, 0, 0), as (word >> 8) * 2^-24.
    ```mlir
    %u = mmk.random ["M", "N"] of %seed : tensor<?x?xf32>
    ```
  }];
  let arguments = (ins StrArrayAttr:$dims, I32:$seed);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$dims `of` $seed attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Mmk_WindowOp : Mmk_Op<"window", [Pure, AttrSizedOperandSegments]> {
  let summary = "a tensor read at computed indices";
  let description = [{
    Of the position (d0, d1, ...) in the dimensions in brackets, the map gives an index for each
    dimension of the source. Its symbols are extents. With `pad`, an element outside of the source
    is this number; without it the kernel's conditions keep every index inside.
    ```mlir
    %w = mmk.window %x at affine_map<(p, r) -> (2 * p + r - 1)> ["P", "R"] pad %zero
      : tensor<?xf32> -> tensor<?x?xf32>
    ```
    With `grouped`, each index that is a quotient goes over whole groups: of (h floordiv 8), the
    dimension of h is 8 times that of the source.
  }];
  let arguments = (ins AnyRankedTensor:$source, AffineMapAttr:$map, Variadic<Index>:$symbols,
                       StrArrayAttr:$dims, Optional<AnyType>:$padding, UnitAttr:$grouped);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `at` $map (`(` $symbols^ `)`)? $dims (`grouped` $grouped^)?
    (`pad` $padding^ `:` type($padding))? attr-dict
    `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether each of its matrices is one of its source, which a product reads in place.
    bool isOfMatrices() { return !getPadding() && givesMatrices(getMap()); }
  }];
}

def Mmk_CumulateOp : Mmk_Op<"cumulate", [Pure, SameOperandsAndResultType]> {
  let summary = "the sums of the elements up to each, along one dimension";
  let description = [{
    `%y = mmk.cumulate %x along 1 : tensor<?x?xf32>`: y[i, j] is the sum of x[i, 0] to x[i, j]. No
    linalg operation reads its own result.
  }];
  let arguments = (ins AnyRankedTensor:$operand, I64Attr:$along);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand `along` $along attr-dict `:` type($operand)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getResult().getType());
    }
  }];
}

def Mmk_ReturnOp : Mmk_Op<"return", [Terminator, HasParent<"KernelOp">]> {
  let summary = "the results of a kernel";
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "$values `:` type($values) attr-dict";
}

def Mmk_ChoiceOp : Mmk_Op<"choice", [HasParent<"KernelOp">]> {
  let summary = "a directive of the schedule and its alternatives, the default first";
  let description = [{
    ```mlir
    mmk.choice "tile.M" = [128, 64, 256]
    mmk.choice "order" = ["rows", "swizzle(4)"]
    ```
    After mmk-apply-variant exactly one alternative is left.
  }];
  let arguments = (ins StrAttr:$key, ArrayAttr:$alternatives);
  let assemblyFormat = "$key `=` $alternatives attr-dict";
  let hasVerifier = 1;
}

def Mmk_RequireOp : Mmk_Op<"require", [HasParent<"KernelOp">, SingleBlock, NoTerminator]> {
  let summary = "a rule that the choices must keep";
  let description = [{
    The region computes an i1 from `mmk.chosen` values by `arith` on index; `text` is the rule as
    its author wrote it.
    ```mlir
    mmk.require "tile.M * tile.N <= 32768" {
      %m = mmk.chosen "tile.M"
      %n = mmk.chosen "tile.N"
      %mn = arith.muli %m, %n : index
      %limit = arith.constant 32768 : index
      %ok = arith.cmpi sle, %mn, %limit : index
      mmk.yield %ok : i1
    }
    ```
  }];
  let arguments = (ins StrAttr:$text);
  let regions = (region SizedRegion<1>:$rule);
  let assemblyFormat = "$text $rule attr-dict";
  let hasVerifier = 1;
}

def Mmk_ChosenOp : Mmk_Op<"chosen", [Pure]> {
  let summary = "the chosen number of a directive, inside a mmk.require";
  let arguments = (ins StrAttr:$key);
  let results = (outs Index:$result);
  let assemblyFormat = "$key attr-dict";
}

def Mmk_FusionGroupOp : Mmk_Op<"fusion_group", [SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "one pass over the machine: products of one tile with their epilogue, or an elementwise part";
  let description = [{
    Every core runs the region with its own number `%block`; a result has, at each element, what
    the core that inserted it wrote. All cores finish a fusion group before any starts the next.
    Its anchors are products of the same rows and columns, each of a depth of its own, and an
    elementwise operation may take all of them. mmk-fuse-epilogue makes groups of one; textual IR
    may have more.
    A row group computes reductions over the same dimensions, and elementwise work between and behind
    them. `over` names the dimensions of its iterations, `reduce` those that it reduces, by number;
    what it computes is one `mmk.rows`. So it is in a group of a cumulative sum, which goes along the
    dimension that is reduced.
    ```mlir
    %y = mmk.fusion_group over ["M", "N"] reduce [1] { ... }
    ```
    Before mmk-tile-cores the region works on whole tensors, and `%block` is unused. That pass says
    in `tile` how many rows and columns a tile of the result has, at most; mmk-tile-base in `steps`
    the depth of a stage and of a base tile, for each product in program order.
    ```mlir
    %c = mmk.fusion_group tile [128, 256] steps [256, 64] {
    ^bb0(%block: index):
      ...
      mmk.yield %tile : tensor<?x?xf32>
    } -> tensor<?x?xf32>
    ```
  }];
  let arguments = (ins OptionalAttr<StrArrayAttr>:$space, OptionalAttr<DenseI64ArrayAttr>:$reduced,
                       OptionalAttr<DenseI64ArrayAttr>:$tile, OptionalAttr<DenseI64ArrayAttr>:$steps);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$types, "::mlir::DenseI64ArrayAttr":$tile,
                                 "::mlir::DenseI64ArrayAttr":$steps), [{
    build($_builder, $_state, types, ::mlir::ArrayAttr(), ::mlir::DenseI64ArrayAttr(), tile, steps);
  }]>];
  let assemblyFormat = [{
    (`over` $space^)? (`reduce` $reduced^)? (`tile` $tile^)? (`steps` $steps^)? $body `->` type($results) attr-dict
  }];
  let hasRegionVerifier = 1;
}

def Mmk_YieldOp : Mmk_Op<"yield", [Pure, Terminator, ParentOneOf<["FusionGroupOp", "RequireOp"]>]> {
  let summary = "what a mmk.fusion_group or a mmk.require yields";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Mmk_ExtremesOp : Mmk_Op<"extremes", [Pure]> {
  let summary = "the least and the greatest of i32 elements of a parameter, as bounds of loops";
  let description = [{
    `%least, %greatest = mmk.extremes %lengths along 0 : tensor<?xi32>`: of a slice with several elements
    along one dimension at most (-1: one element). A count that does not know them takes the least and
    the greatest i32.
  }];
  let arguments = (ins AnyRankedTensor:$source, I64Attr:$along);
  let results = (outs Index:$least, Index:$greatest);
  let assemblyFormat = "$source `along` $along attr-dict `:` type($source)";
}

def Mmk_TileCountOp : Mmk_Op<"tile_count", [Pure]> {
  let summary = "how many output tiles a core has";
  let description = [{
    `%n = mmk.tile_count %block of %batches x %rows x %columns by #mmk.mapping<...>`
  }];
  let arguments = (ins Index:$block, Index:$batches, Index:$rows, Index:$columns,
                       Mmk_MappingAttr:$mapping);
  let results = (outs Index:$result);
  let assemblyFormat = "$block `of` $batches `x` $rows `x` $columns `by` $mapping attr-dict";
}

def Mmk_TileCoordsOp : Mmk_Op<"tile_coords", [Pure]> {
  let summary = "which output tile is the i-th of a core";
  let description = [{
    `%b, %m, %n = mmk.tile_coords %i on %block of %batches x %rows x %columns by #mmk.mapping<...>`:
    coordinates in tiles.
  }];
  let arguments = (ins Index:$index, Index:$block, Index:$batches, Index:$rows, Index:$columns,
                       Mmk_MappingAttr:$mapping);
  let results = (outs Index:$batch, Index:$row, Index:$column);
  let assemblyFormat = [{
    $index `on` $block `of` $batches `x` $rows `x` $columns `by` $mapping attr-dict
  }];
}

#endif
