// The passes on mmk IR, in the order of the pipeline (compiler/pipeline.cpp): they choose a variant,
// group operations and tile them.
#ifndef MMK_PASSES_TD
#define MMK_PASSES_TD

include "mlir/Pass/PassBase.td"

def SetChoices : Pass<"mmk-set-choices", "::mlir::ModuleOp"> {
  let summary = "make choices in place of those of the schedule";
  let description = [{
    For mmk-opt: the compiler makes the choices of a variant in the same way before its passes run.
    ```mlir
    mmk.choice "tile.M" = [128, 64]    =>   mmk.choice "tile.M" = [32]     // variant=tile.M=32
    ```
  }];
  let options = [
    Option<"variant", "variant", "std::string", "\"\"", "choices, e.g. tile.M=64,fuse=windows">
  ];
  let dependentDialects = ["::mmk::ir::MmkDialect"];
}

def UnrollWindows : Pass<"mmk-unroll-windows", "::mlir::ModuleOp"> {
  let summary = "compute reductions over a few taps of a window, or of a product, tap by tap";
  let description = [{
    A reduction over literal extents, 25 elements at most, of what is read of a window becomes an
    elementwise operation with one window for each tap: poolings and depthwise convolutions. On
    machines whose cores read windows in place nothing is done.
    ```mlir
    %w = mmk.window %x at (q, s) -> (2 * q + s) ["Q", "2"]       %a = mmk.window %x at (q) -> (2 * q) ["Q"]
    %y = linalg.generic ["parallel", "reduction"] (%w)      =>   %b = mmk.window %x at (q) -> (2 * q + 1) ["Q"]
           maximum                                               %y = linalg.generic ["parallel"] (%a, %b) maximum
    ```
    With `fuse = windows`, the first alternative of the schedule, a reduction of a product over 9 elements at most becomes a combination of products, one for each tap: on all
    machines. The windows do not overlap, and nothing else reads the product.
    ```mlir
    %p = linalg.contract (%x, %k)                                %a = mmk.window %x at (q, c) -> (2 * q, c) ["Q", "C"]
    %w = mmk.window %p at (q, n, s) -> (2 * q + s, n)       =>   %b = mmk.window %x at (q, c) -> (2 * q + 1, c) ["Q", "C"]
    %y = linalg.generic [.., "reduction"] (%w) maximum           %y = linalg.generic (%a * %k, %b * %k) maximum
    ```
    The rows of a product may be several dimensions. Those of a tap are one, too, whose name has those
    of its parts: `B*P*Q`.
  }];
  let dependentDialects = ["::mmk::ir::MmkDialect", "::mmk::aicore::AicoreDialect"];
}

def JoinDimensions : Pass<"mmk-join-dimensions", "::mlir::ModuleOp"> {
  let summary = "go along dimensions as one that every operation goes along together";
  let description = [{
    Two dimensions that follow each other in each tensor which has one of them become one, and those
    of literal extent 1 go: tiles extend along two dimensions, and have long rows then. A dimension
    that the schedule names stays, as does one of which a position is read, and those of windows,
    cumulative sums and parts of tensors. Parameters are read in the dimensions that are left, and
    results split into their own.
    ```mlir
    %y = linalg.generic ["parallel",               %a = tensor.collapse_shape %x [[0, 1, 2], [3]]
        "parallel", "parallel",                    %r = linalg.generic ["parallel", "parallel"] (%a)
        "parallel"] (%x)                      =>   %y = tensor.expand_shape %r [[0, 1, 2], [3]]
    mmk.return %y                                  mmk.return %y
    ```
    Elementwise work on a product whose rows were split goes along the rows that it had before.

    Rows that multiply the same matrices in groups, as heads of queries that share keys, are rows of
    one product: their dimension becomes the groups and their positions, where those can be joined
    with the rows.
    ```mlir
    %w = mmk.window %k at (h, j, d) ->             %s = tensor.expand_shape %q [[0, 1], [2], [3]]
        (h floordiv 4, j, d) grouped               %a = tensor.collapse_shape %s [[0], [1, 2], [3]]
    %y = linalg.contract (h, i, d),           =>   %r = linalg.contract (g, i, d),
        (h, j, d) to (h, i, j) (%q, %w)                (g, j, d) to (g, i, j) (%a, %k)
    ```
    The name of a dimension that is joined has those of its parts: `B*H` of `B` and `H`, `C*49` of
    `C`, `7` and `7`. With `extent W = 1`, W is a literal 1.
  }];
  let options = [
    Option<"joins", "joins", "bool", "true", "whether any are joined; else only extents are set">
  ];
  let dependentDialects = ["::mmk::ir::MmkDialect", "::mlir::tensor::TensorDialect"];
}

def ApplyVariant : Pass<"mmk-apply-variant", "::mlir::ModuleOp"> {
  let summary = "select one alternative of each directive";
  let description = [{
    Selects the first alternative of each `mmk.choice`; adds the defaults of the machine for missing
    directives; checks every `mmk.require`.
    ```mlir
    mmk.choice "tile.M" = [128, 64]          mmk.choice "tile.M" = [64]
    mmk.choice "order" = ["rows"]       =>   mmk.choice "order" = ["rows"]
                                             mmk.choice "cores" = [20]       // of the machine
    ```
    The module then has the machine as its attribute `aicore.machine`. A tile that is `auto`, or not
    given, becomes the largest that fits the machine, marked `fit` for mmk-tile-cores.
  }];
  let options = [
    Option<"machine", "machine", "std::string", "\"\"", "machine description, by name or file">
  ];
  let dependentDialects = ["::mmk::ir::MmkDialect", "::mmk::aicore::AicoreDialect"];
}

def ReadWindows : Pass<"mmk-read-windows", "::mlir::ModuleOp"> {
  let summary = "products that read windows of an image in place of a copy of them";
  let description = [{
    With `window = direct`, a product takes the collapsed window itself; there is no matrix of it.
    The image lies with its channels last, and the other operand with its depth outside: one that
    does not is copied in that order first. The windows are the left operand: a product whose right
    operand they are is computed transposed, with what follows elementwise, and copied into the
    order of the kernel.
    ```mlir
    %w = mmk.window %x (b, c, p + r, q + s)  %t = linalg.generic (%x, channels last)
    %m = linalg.generic (copy of %w)     =>  %w = mmk.window %t (b, p + r, q + s, c)
    %a = tensor.collapse_shape %m            %a = tensor.collapse_shape %w
    linalg.contract %k, %a                   linalg.contract %kt, %a
    ```
  }];
  let dependentDialects = ["::mmk::ir::MmkDialect"];
}

def FuseEpilogue : Pass<"mmk-fuse-epilogue", "::mlir::ModuleOp"> {
  let summary = "group the body into fusion groups: a product with its epilogue, or an elementwise part";
  let description = [{
    With `fuse = all`, all elementwise operations that follow a product become one
    linalg.generic in the product's fusion group; with `none` they become a fusion group of
    their own after it. With `bias = table`, a row that is added to a product becomes its initial
    value: a linalg.broadcast in place of the zero.
    ```mlir
    %acc = linalg.contract ...               %c = mmk.fusion_group {
    %s = linalg.generic (add bias)             %acc = linalg.contract ...
    %c = linalg.generic (leaky relu)    =>     %y = linalg.generic (add bias, leaky relu)
                                               mmk.yield %y
                                             }
    ```
    With `fuse = rows`, reductions over the columns of a product, and what reads them, join the
    product's group, which is then a row group with a product. With `fuse = products`, so does a
    product whose left operand is computed from those rows, and what follows it.

    Reductions over the same dimensions become a row group with the elementwise operations before,
    between and behind them. Results that read the same tensors join the group. With `none` each
    reduction is a group of its own. What a reduction reads is stored before it where it only
    repeats along a reduced dimension: no other tensor says how long that is.
    ```mlir
    %top = linalg.generic (maximum)          %y = mmk.fusion_group over ["M", "N"] reduce [1] {
    %e = linalg.generic (x - top, exp)         %top = linalg.generic (maximum)
    %sum = linalg.generic (add)          =>    %sum = linalg.generic (x - top, exp, add)
    %y = linalg.generic (e / sum)              %y = linalg.generic (x - top, exp, divide by sum)
                                               mmk.yield %y
                                             }
    ```

    For vector cores, `log1p` and `expm1` become formulas of exp, log and a quotient.
  }];
  let dependentDialects = ["::mmk::ir::MmkDialect"];
}

def SplitReduction : Pass<"mmk-split-reduction", "::mlir::ModuleOp"> {
  let summary = "split-K: the splits of a reduction in one fusion group, their sum in the next";
  let description = [{
    With `grid K = s`, a product becomes up to s independent products over consecutive splits of its
    reduction, each a whole number of stages (or of base tiles, if less than one stage). Their sum
    replaces the product, and the epilogue follows it. A reduction that is too short for s splits has
    fewer; none is empty.
    ```mlir
                                             %splits = mmk.fusion_group {
                                               scf.forall %s = 0 to %count {
                                                 linalg.contract (k from %s * %length on)
    %c = mmk.fusion_group {                          }
      %acc = linalg.contract ...     =>      %c = mmk.fusion_group {
      %y = linalg.generic (epilogue)           %acc = linalg.reduce %splits   // in this order
      mmk.yield %y                             %y = linalg.generic (epilogue)
    }                                          mmk.yield %y
                                             }
    ```
  }];
  let dependentDialects = ["::mmk::ir::MmkDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def SplitRows : Pass<"mmk-split-rows", "::mlir::ModuleOp"> {
  let summary = "the parts of rows in one row group, their combination in the next";
  let description = [{
    With `grid N = n`, the reductions of a row group over N become reductions over up to n
    consecutive parts of N, each a whole number of tiles. A second row group combines their results
    in the order of the parts, and computes what follows from them for each row. Parts behind the
    end of a short row are empty. Their number is a literal dimension.
    ```mlir
                                             %parts = mmk.fusion_group over ["M", "N"] reduce [1] {
                                               scf.forall %p = 0 to 8 {
                                                 mmk.rows (add, n from %p * %length on) parts [1, 8]
    %s = mmk.fusion_group over ["M", "N"]      }
        reduce [1] {                   =>    }
      %r = mmk.rows (add, root)              %s = mmk.fusion_group over ["8", "M"] reduce [0] {
      mmk.yield %r                             %r = mmk.rows (add, root) %parts combines
    }                                          mmk.yield %r
                                             }
    ```
    mmk-fuse-epilogue leaves no operation in such a group that waits for a reduction of whole rows:
    it is in the next group, or one of its own, which reads the result. With `reduce = online` a sum
    of exponentials is of the group of its maximum: each part has both of its own, and the second
    group multiplies the sums with the exponential of the difference of the maxima.

    A group of two products is divided likewise, along the columns between them. Each part has
    reductions and a second product of its own, of weights without the factors of whole rows. One
    group combines the reductions and computes the factor, and the next one the results.
    ```mlir
                                             %parts:3 = mmk.fusion_group over ["M", "N"] reduce [1] {
                                               scf.forall %p = 0 to 8 {
    %o = mmk.fusion_group                        linalg.contract
        over ["M", "N"] reduce [1] {             mmk.rows (max, e = exp(s - max), add e, e) parts [1, 8]
      %s = linalg.contract ...                   linalg.contract
      %w = mmk.rows (max,                      }
          e = exp(s - max),            =>    }
          e / (add e))                       %max, %f = mmk.fusion_group over ["8", "M"] reduce [0] {
      %o = linalg.contract %w, %v              mmk.rows (max, add, 1 / sum) combines
      mmk.yield %o                           }
    }                                        %o = mmk.fusion_group over ["8", "M", "E"] reduce [0] {
                                               mmk.rows (add (exp(max - %max) * part), * %f) combines
                                             }
    ```
  }];
  let dependentDialects = ["::mmk::ir::MmkDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::linalg::LinalgDialect"];
}

def TileCores : Pass<"mmk-tile-cores", "::mlir::ModuleOp"> {
  let summary = "tile the output of each fusion group and map the tiles to cores";
  let description = [{
    ```mlir
    %c = mmk.fusion_group {                          %c = mmk.fusion_group tile [128, 256] {
      %acc = linalg.contract ...             ^bb0(%block: index):
      %y = linalg.generic ...          =>      %n = mmk.tile_count %block of ...
      mmk.yield %y                             %r = scf.for %j = 0 to %n iter_args(%out) {
    }                                            %b, %i, %k = mmk.tile_coords %j on %block of ...
                                                 (contract and generic of one tile)
                                                 tensor.insert_slice ... into %out
    ```
    Tiles at the ragged edge are smaller: sizes are minima, computed at run time. So is a tile
    marked `fit`, whose number is an upper bound: it shrinks until the wave count would grow.

    A product whose operand another group writes as 0 where the condition of a sum does not hold goes
    over the part of the depth alone that the condition leaves to the rows and columns of the tile:
    for `j <= i`, %d is %i + %m.
    ```mlir
    %a = tensor.extract_slice %masked[%i, 0] [%m, %d] [1, 1]
    %b = tensor.extract_slice %v[0, %j] [%d, %n] [1, 1]
    linalg.contract {mmk.bounded = 1 : i64} ins(%a, %b) ...
    ```
    Where nothing is left, one position is, and the operand with the number `mmk.bounded` begins
    behind its tensor: it counts as 0 there.

    With `keep`, whole lines of tiles are mapped to cores, rows for A and columns for B, which a
    grid splits into segments; an outer loop runs over the lines, the inner one over the tiles of a
    line.
    ```mlir
    scf.for %p = 0 to %n {
      %b, %i, %s = mmk.tile_coords %p on %block of ... x %rows x %segments
      scf.for %j = 0 to %columns {
        (contract and generic of one tile)
    ```
  }];
  let dependentDialects = ["::mmk::ir::MmkDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect"];
}

def TileBase : Pass<"mmk-tile-base", "::mlir::ModuleOp"> {
  let summary = "tile the reduction of each product twice: the stage in L1, the base tile in L0";
  let description = [{
    ```mlir
    linalg.contract (tile.M x tile.N x K)
      =>
    scf.for %ks = 0 to K step stage.K {
      scf.for %kb = 0 to min(stage.K, K - %ks) step tile.K {
        linalg.contract (tile.M x tile.N x tile.K)
    ```
  }];
  let dependentDialects = ["::mmk::ir::MmkDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect"];
}

#endif
