// Choices replace those of the schedule, and others are added to it; a kernel without a schedule gets one.
// RUN: mmk-opt %s --mmk-set-choices="variant=tile.M=32,order=columns" | FileCheck %s

// CHECK-LABEL: mmk.kernel @listed
// CHECK:         mmk.choice "tile.M" = [32]
// CHECK-NEXT:    mmk.choice "cores" = [4, 8]
// CHECK-NEXT:    mmk.choice "order" = ["columns"]
mmk.kernel @listed dims ["M"] args [#mmk.named<"x"["M"]>] results [#mmk.named<"y"["M"]>] {
^bb0(%x: tensor<?xf32>):
  mmk.return %x : tensor<?xf32>
} schedule {
  mmk.choice "tile.M" = [128, 64]
  mmk.choice "cores" = [4, 8]
}

// CHECK-LABEL: mmk.kernel @bare
// CHECK:         schedule
// CHECK-NEXT:    mmk.choice "tile.M" = [32]
// CHECK-NEXT:    mmk.choice "order" = ["columns"]
mmk.kernel @bare dims ["M"] args [#mmk.named<"x"["M"]>] results [#mmk.named<"y"["M"]>] {
^bb0(%x: tensor<?xf32>):
  mmk.return %x : tensor<?xf32>
}
