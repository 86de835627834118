// Errors in the pass's own options.
// RUN: not mmk-opt %s --mmk-set-choices="variant=tile.M" --mmk-apply-variant=machine=ascend910b3 2>&1 | FileCheck %s --check-prefix=ITEM
// RUN: not mmk-opt %s --mmk-set-choices="variant=tile=64" --mmk-apply-variant=machine=ascend910b3 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not mmk-opt %s --mmk-set-choices="variant=stage=1x2x3" --mmk-apply-variant=machine=ascend910b3 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: not mmk-opt %s --mmk-set-choices="variant=tile.M=0" --mmk-apply-variant=machine=ascend910b3 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not mmk-opt %s --mmk-set-choices="variant=l1=0" --mmk-apply-variant=machine=ascend910b3 2>&1 | FileCheck %s --check-prefix=COPIES
// RUN: not mmk-opt %s "--mmk-apply-variant=machine=no_such_chip" 2>&1 | FileCheck %s --check-prefix=MACHINE

// ITEM: error: expected DIRECTIVE=VALUE, found 'tile.M'
// TILE: error: tile=64 gives 1 values; the tiles of this kernel are 2: M x N
// STAGE: error: stage=1x2x3 gives 3 values
// ZERO: error: tile.M = 0 is not legal; expected a positive number
// COPIES: error: buffers.l1 = 0 is not legal; expected a positive number
// MACHINE: error: {{.*}}no_such_chip
mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  mmk.return %x : tensor<?x?xf32>
}
