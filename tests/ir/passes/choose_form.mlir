// One of the two ways in which a result is computed: the other is erased with all that is for it alone.
// RUN: mmk-opt %s --mmk-choose-form | FileCheck %s --check-prefix=USUAL
// RUN: mmk-opt %s --mmk-set-choices="variant=tile.M=64,fuse=windows" --mmk-choose-form | FileCheck %s --check-prefix=WINDOWS
// RUN: mmk-opt %s --mmk-set-choices="variant=fuse=windows,epilogue=separate" --mmk-choose-form | FileCheck %s --check-prefix=USUAL

// USUAL-LABEL: mmk.kernel @k
// USUAL-NOT:     arith.mulf
// USUAL:         arith.addf
// USUAL-NOT:     mmk.alternative
// USUAL-NOT:     arith.mulf
// WINDOWS-LABEL: mmk.kernel @k
// WINDOWS-NOT:     arith.addf
// WINDOWS:         [[Y:%.*]] = linalg.generic
// WINDOWS:           arith.mulf
// WINDOWS:         mmk.return [[Y]]
#id = affine_map<(d0) -> (d0)>
mmk.kernel @k dims ["M"] args [#mmk.named<"x"["M"]>] results [#mmk.named<"y"["M"]>] {
^bb0(%x: tensor<?xf32>):
  %m = mmk.dim "M"
  %e = tensor.empty(%m) : tensor<?xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %f = tensor.empty(%m) : tensor<?xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.mulf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %y = mmk.alternative %a or %b by "windows" : tensor<?xf32>
  mmk.return %y : tensor<?xf32>
} schedule {
}
