// ReLU of a product, and a conversion behind it, are the fixpipe's on a split chip.
// RUN: mmk-opt %s --mmk-fuse-epilogue --mmk-tile-cores --mmk-tile-base --canonicalize --cse \
// RUN:   %place --canonicalize --cse | FileCheck %s
// RUN: sed -e 's/split, cores/coupled, cores/' -e 's/vector_cores = 2/vector_cores = 1/' \
// RUN:     -e 's/"table"/"vector"/' %s | mmk-opt - --mmk-fuse-epilogue --mmk-tile-cores --mmk-tile-base \
// RUN:   --canonicalize --cse %place --canonicalize --cse | FileCheck %s --check-prefix COUPLED
// Leaky ReLU, where the machine's fixpipe has it: with the slope of the kernel.
// RUN: sed -e 's/cross_flags = 16>/cross_flags = 16 leaky_relu 32>/' %s | mmk-opt - --mmk-fuse-epilogue \
// RUN:   --mmk-tile-cores --mmk-tile-base --canonicalize --cse %place --canonicalize --cse \
// RUN:   | FileCheck %s --check-prefix LEAKY

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>

module attributes {aicore.machine = #machine} {

// CHECK-LABEL: aicore.kernel @narrowed
// CHECK-NOT:     aicore.vector
// CHECK:         aicore.fixpipe %acc_l0c[%{{.*}}] -> %c[%{{.*}}, %{{.*}}] along [0, 1] size(%{{.*}}, %{{.*}}) relu : {{.*}} -> memref<?x?xf16, #aicore.space<gm>>
// CHECK-NOT:     aicore.vector
// COUPLED-LABEL: aicore.kernel @narrowed
// COUPLED:         aicore.drain
// COUPLED:         arith.maximumf
mmk.kernel @narrowed dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %half = tensor.empty(%m, %n) : tensor<?x?xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc : tensor<?x?xf32>) outs(%half : tensor<?x?xf16>) {
  ^bb0(%e: f32, %out: f16):
    %r = arith.maximumf %zero, %e : f32
    %t = arith.truncf %r : f32 to f16
    linalg.yield %t : f16
  } -> tensor<?x?xf16>
  mmk.return %y : tensor<?x?xf16>
} schedule {
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
  mmk.choice "tile.K" = [16]
  mmk.choice "stage.K" = [48]
}

// What is left behind a row of the bias table.
// CHECK-LABEL: aicore.kernel @table
// CHECK:         aicore.mmad {{.*}} bias(
// CHECK-NOT:     aicore.vector
// CHECK:         aicore.fixpipe {{.*}} relu : {{.*}} -> memref<?x?xf32, #aicore.space<gm>>
// CHECK-NOT:     aicore.vector
// COUPLED-LABEL: aicore.kernel @table
// COUPLED:         arith.maximumf
mmk.kernel @table dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [#row, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%bias, %acc : tensor<?xf32>, tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%r: f32, %e: f32, %out: f32):
    %s = arith.addf %r, %e : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %out: f32):
    %r = arith.maximumf %e, %zero : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "bias" = ["table"]
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
  mmk.choice "tile.K" = [16]
  mmk.choice "stage.K" = [48]
}

// Each result in its own form.
// CHECK-LABEL: aicore.kernel @two
// CHECK-NOT:     aicore.vector
// CHECK:         aicore.fixpipe {{.*}} -> %c[%{{.*}}, %{{.*}}] along [0, 1] size(%{{.*}}, %{{.*}}) : {{.*}} -> memref<?x?xf16, #aicore.space<gm>>
// CHECK:         aicore.fixpipe {{.*}} -> %d[%{{.*}}, %{{.*}}] along [0, 1] size(%{{.*}}, %{{.*}}) relu : {{.*}} -> memref<?x?xf32, #aicore.space<gm>>
// CHECK-NOT:     aicore.vector
mmk.kernel @two dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>]
    results [#mmk.named<"c"["M", "N"]>, #mmk.named<"d"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %half = tensor.empty(%m, %n) : tensor<?x?xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc : tensor<?x?xf32>) outs(%half : tensor<?x?xf16>) {
  ^bb0(%e: f32, %out: f16):
    %t = arith.truncf %e : f32 to f16
    linalg.yield %t : f16
  } -> tensor<?x?xf16>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %out: f32):
    %r = arith.maximumf %e, %zero : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  mmk.return %y, %z : tensor<?x?xf16>, tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
  mmk.choice "tile.K" = [16]
  mmk.choice "stage.K" = [48]
}

// Another bound than 0 is the vector unit's, also -0, which the maximum with it leaves as it is.
// CHECK-LABEL: aicore.kernel @one
// CHECK-NOT:     aicore.fixpipe
// CHECK:         aicore.vector
mmk.kernel @one dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %bound = arith.constant 1.0 : f32
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %out: f32):
    %r = arith.maximumf %e, %bound : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
  mmk.choice "tile.K" = [16]
  mmk.choice "stage.K" = [48]
}

// CHECK-LABEL: aicore.kernel @negative_zero
// CHECK-NOT:     aicore.fixpipe
// CHECK:         aicore.vector
mmk.kernel @negative_zero dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %bound = arith.constant -0.0 : f32
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %out: f32):
    %r = arith.maximumf %e, %bound : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
  mmk.choice "tile.K" = [16]
  mmk.choice "stage.K" = [48]
}

// LEAKY-LABEL: aicore.kernel @leaky
// LEAKY-NOT:     aicore.vector
// LEAKY:         aicore.fixpipe %acc_l0c[%{{.*}}] -> %c[%{{.*}}, %{{.*}}] along [0, 1] size(%{{.*}}, %{{.*}}) leaky_relu(%alpha bits 32) : {{.*}} -> memref<?x?xf16, #aicore.space<gm>>
// LEAKY-NOT:     aicore.vector
// CHECK-LABEL: aicore.kernel @leaky
// CHECK:         aicore.vector
// CHECK:         arith.select
// COUPLED-LABEL: aicore.kernel @leaky
// COUPLED:         arith.select
mmk.kernel @leaky dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"alpha">]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %alpha: f32):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %half = tensor.empty(%m, %n) : tensor<?x?xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc : tensor<?x?xf32>) outs(%half : tensor<?x?xf16>) {
  ^bb0(%e: f32, %out: f16):
    %positive = arith.cmpf oge, %e, %zero : f32
    %scaled = arith.mulf %alpha, %e : f32
    %r = arith.select %positive, %e, %scaled : f32
    %t = arith.truncf %r : f32 to f16
    linalg.yield %t : f16
  } -> tensor<?x?xf16>
  mmk.return %y : tensor<?x?xf16>
} schedule {
  mmk.choice "tile.M" = [64]
  mmk.choice "tile.N" = [32]
  mmk.choice "tile.K" = [16]
  mmk.choice "stage.K" = [48]
}

}
