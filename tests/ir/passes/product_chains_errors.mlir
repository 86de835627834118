// Kernels whose products are not computed in one loop.
// RUN: mmk-opt %s -verify-diagnostics -split-input-file --mmk-fuse-epilogue --mmk-split-reduction --mmk-tile-cores --mmk-tile-base --aicore-assign-memories --aicore-insert-transfers

// There is one product only.
#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {aicore.machine = #aicore.machine<"ascend910b3", split, cores = 20, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524032, 32], ub = [196352, 32, 4096, 16, 32, 256]}, cube = 16 x 16, max_extent = 4095, depth = {bf16 = 16 : i64, f16 = 16 : i64, f32 = 8 : i64, i8 = 32 : i64}, event_ids = 6, cross_flags = 16>} {
  mmk.kernel @none dims ["M", "D", "N"] args [#mmk.named<"q"["M", "D"]>, #mmk.named<"k"["D", "N"]>] results [#mmk.named<"s"["M", "N"]>] {
  ^bb0(%q: tensor<?x?xf16>, %k: tensor<?x?xf16>):
    %0 = mmk.dim "N"
    %1 = mmk.dim "M"
    %cst = arith.constant 0.000000e+00 : f32
    %2 = tensor.empty(%1, %0) : tensor<?x?xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %4 = linalg.contract indexing_maps = [#map, #map1, #map2] ins(%q, %k : tensor<?x?xf16>, tensor<?x?xf16>) outs(%3 : tensor<?x?xf32>) -> tensor<?x?xf32>
    mmk.return %4 : tensor<?x?xf32>
  } schedule {
    mmk.choice "tile.M" = [64]
    mmk.choice "tile.N" = [64]
    mmk.choice "tile.D" = [64]
    // expected-error @+1 {{fuse = products computes a product together with one that multiplies what is computed from its rows and needed nowhere else, and this kernel has no such two; nearest legal: fuse = all}}
    mmk.choice "fuse" = ["products"]
    mmk.choice "cores" = [20]
    mmk.choice "buffers.l1" = [2]
    mmk.choice "stage.D" = [256]
    mmk.choice "buffers.l0" = [2]
    mmk.choice "buffers.acc" = [2]
    mmk.choice "buffers.out" = [2]
    mmk.choice "buffers.ub" = [2]
    mmk.choice "order" = ["rows"]
  } attributes {variant = "cores=20,tile=64x64x64,stage=256,l1=2,l0=2,acc=2,out=2,ub=2,order=rows,fuse=products"}
}

// -----

// The weights are a result.
#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
module attributes {aicore.machine = #aicore.machine<"ascend910b3", split, cores = 20, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524032, 32], ub = [196352, 32, 4096, 16, 32, 256]}, cube = 16 x 16, max_extent = 4095, depth = {bf16 = 16 : i64, f16 = 16 : i64, f32 = 8 : i64, i8 = 32 : i64}, event_ids = 6, cross_flags = 16>} {
  mmk.kernel @kept dims ["M", "D", "N", "E"] args [#mmk.named<"q"["M", "D"]>, #mmk.named<"k"["D", "N"]>, #mmk.named<"v"["N", "E"]>] results [#mmk.named<"p"["M", "N"]>, #mmk.named<"o"["M", "E"]>] {
  ^bb0(%q: tensor<?x?xf16>, %k: tensor<?x?xf16>, %v: tensor<?x?xf16>):
    %0 = mmk.dim "E"
    %1 = mmk.dim "N"
    %2 = mmk.dim "M"
    %cst = arith.constant 0.000000e+00 : f32
    %3 = tensor.empty(%2, %1) : tensor<?x?xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %5 = linalg.contract indexing_maps = [#map, #map1, #map2] ins(%q, %k : tensor<?x?xf16>, tensor<?x?xf16>) outs(%4 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %6 = tensor.empty(%2, %1) : tensor<?x?xf32>
    %7 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<?x?xf32>) outs(%6 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = math.exp %in : f32
      linalg.yield %13 : f32
    } -> tensor<?x?xf32>
    %8 = tensor.empty(%2, %1) : tensor<?x?xf16>
    %9 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<?x?xf32>) outs(%8 : tensor<?x?xf16>) {
    ^bb0(%in: f32, %out: f16):
      %13 = arith.truncf %in : f32 to f16
      linalg.yield %13 : f16
    } -> tensor<?x?xf16>
    %cst_0 = arith.constant 0.000000e+00 : f32
    %10 = tensor.empty(%2, %0) : tensor<?x?xf32>
    %11 = linalg.fill ins(%cst_0 : f32) outs(%10 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %12 = linalg.contract indexing_maps = [#map, #map1, #map2] ins(%9, %v : tensor<?x?xf16>, tensor<?x?xf16>) outs(%11 : tensor<?x?xf32>) -> tensor<?x?xf32>
    mmk.return %9, %12 : tensor<?x?xf16>, tensor<?x?xf32>
  } schedule {
    mmk.choice "tile.M" = [64]
    mmk.choice "tile.N" = [64]
    mmk.choice "tile.D" = [64]
    mmk.choice "tile.E" = [64]
    // expected-error @+1 {{fuse = products computes a product together with one that multiplies what is computed from its rows and needed nowhere else, and this kernel has no such two; nearest legal: fuse = all}}
    mmk.choice "fuse" = ["products"]
    mmk.choice "cores" = [20]
    mmk.choice "buffers.l1" = [2]
    mmk.choice "stage.D" = [256]
    mmk.choice "stage.N" = [256]
    mmk.choice "buffers.l0" = [2]
    mmk.choice "buffers.acc" = [2]
    mmk.choice "buffers.out" = [2]
    mmk.choice "buffers.ub" = [2]
    mmk.choice "order" = ["rows"]
  } attributes {variant = "cores=20,tile=64x64x64x64,stage.D=256,stage.N=256,l1=2,l0=2,acc=2,out=2,ub=2,order=rows,fuse=products"}
}

// -----

// What the mean takes off is no factor of the weights.
#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d0)>
#map5 = affine_map<(d0) -> (d0)>
module attributes {aicore.machine = #aicore.machine<"ascend910b3", split, cores = 20, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524032, 32], ub = [196352, 32, 4096, 16, 32, 256]}, cube = 16 x 16, max_extent = 4095, depth = {bf16 = 16 : i64, f16 = 16 : i64, f32 = 8 : i64, i8 = 32 : i64}, event_ids = 6, cross_flags = 16>} {
  mmk.kernel @norm dims ["M", "D", "N", "E"] args [#mmk.named<"q"["M", "D"]>, #mmk.named<"k"["D", "N"]>, #mmk.named<"v"["N", "E"]>] results [#mmk.named<"o"["M", "E"]>] {
  ^bb0(%q: tensor<?x?xf16>, %k: tensor<?x?xf16>, %v: tensor<?x?xf16>):
    %0 = mmk.dim "E"
    %1 = mmk.dim "N"
    %2 = mmk.dim "M"
    %cst = arith.constant 0.000000e+00 : f32
    %3 = tensor.empty(%2, %1) : tensor<?x?xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %5 = linalg.contract indexing_maps = [#map, #map1, #map2] {mmk.name = "s"} ins(%q, %k : tensor<?x?xf16>, tensor<?x?xf16>) outs(%4 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %cst_0 = arith.constant 0.000000e+00 : f32
    %6 = tensor.empty(%2) : tensor<?xf32>
    %7 = linalg.fill ins(%cst_0 : f32) outs(%6 : tensor<?xf32>) -> tensor<?xf32>
    %8 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "reduction"]} ins(%5 : tensor<?x?xf32>) outs(%7 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.addf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<?xf32>
    %9 = arith.index_cast %1 : index to i64
    %10 = arith.sitofp %9 : i64 to f32
    %11 = tensor.empty(%2) : tensor<?xf32>
    %12 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel"]} ins(%8 : tensor<?xf32>) outs(%11 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.divf %in, %10 : f32
      linalg.yield %20 : f32
    } -> tensor<?xf32>
    %13 = tensor.empty(%2, %1) : tensor<?x?xf32>
    %14 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%5, %12 : tensor<?x?xf32>, tensor<?xf32>) outs(%13 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %20 = arith.subf %in, %in_2 : f32
      linalg.yield %20 : f32
    } -> tensor<?x?xf32>
    %15 = tensor.empty(%2, %1) : tensor<?x?xf16>
    %16 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<?x?xf32>) outs(%15 : tensor<?x?xf16>) {
    ^bb0(%in: f32, %out: f16):
      %20 = arith.truncf %in : f32 to f16
      linalg.yield %20 : f16
    } -> tensor<?x?xf16>
    %cst_1 = arith.constant 0.000000e+00 : f32
    %17 = tensor.empty(%2, %0) : tensor<?x?xf32>
    %18 = linalg.fill ins(%cst_1 : f32) outs(%17 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %19 = linalg.contract indexing_maps = [#map, #map1, #map2] ins(%16, %v : tensor<?x?xf16>, tensor<?x?xf16>) outs(%18 : tensor<?x?xf32>) -> tensor<?x?xf32>
    mmk.return %19 : tensor<?x?xf32>
  } schedule {
    mmk.choice "tile.M" = [64]
    mmk.choice "tile.N" = [64]
    mmk.choice "tile.D" = [64]
    mmk.choice "tile.E" = [64]
    // expected-error @+1 {{fuse = products computes the rows between two products in one pass over them, with sums of exponentials rescaled while their maximum grows; here a value waits for a reduction in another way; nearest legal: fuse = all}}
    mmk.choice "fuse" = ["products"]
    mmk.choice "cores" = [20]
    mmk.choice "buffers.l1" = [2]
    mmk.choice "stage.D" = [256]
    mmk.choice "stage.N" = [256]
    mmk.choice "buffers.l0" = [2]
    mmk.choice "buffers.acc" = [2]
    mmk.choice "buffers.out" = [2]
    mmk.choice "buffers.ub" = [2]
    mmk.choice "order" = ["rows"]
  } attributes {variant = "cores=20,tile=64x64x64x64,stage.D=256,stage.N=256,l1=2,l0=2,acc=2,out=2,ub=2,order=rows,fuse=products"}
}

// -----

// No condition excludes a column of the first product.
#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
module attributes {aicore.machine = #aicore.machine<"ascend910b3", split, cores = 20, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524032, 32], ub = [196352, 32, 4096, 16, 32, 256]}, cube = 16 x 16, max_extent = 4095, depth = {bf16 = 16 : i64, f16 = 16 : i64, f32 = 8 : i64, i8 = 32 : i64}, event_ids = 6, cross_flags = 16>} {
  mmk.kernel @excluded dims ["M", "D", "N", "E"] args [#mmk.named<"q"["M", "D"]>, #mmk.named<"k"["D", "N"]>, #mmk.named<"v"["N", "E"]>] results [#mmk.named<"o"["M", "E"]>] {
  ^bb0(%q: tensor<?x?xf16>, %k: tensor<?x?xf16>, %v: tensor<?x?xf16>):
    %0 = mmk.dim "E"
    %1 = mmk.dim "N"
    %2 = mmk.dim "M"
    %cst = arith.constant 0.000000e+00 : f32
    %3 = tensor.empty(%2, %1) : tensor<?x?xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %5 = linalg.contract indexing_maps = [#map, #map1, #map2] ins(%q, %k : tensor<?x?xf16>, tensor<?x?xf16>) outs(%4 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %cst_0 = arith.constant 0.000000e+00 : f32
    %6 = tensor.empty(%2, %1) : tensor<?x?xf32>
    %7 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<?x?xf32>) outs(%6 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.maximumf %in, %cst_0 : f32
      linalg.yield %13 : f32
    } -> tensor<?x?xf32>
    %8 = tensor.empty(%2, %1) : tensor<?x?xf16>
    %9 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<?x?xf32>) outs(%8 : tensor<?x?xf16>) {
    ^bb0(%in: f32, %out: f16):
      %13 = arith.truncf %in : f32 to f16
      linalg.yield %13 : f16
    } -> tensor<?x?xf16>
    %cst_1 = arith.constant 0.000000e+00 : f32
    %10 = tensor.empty(%2, %0) : tensor<?x?xf32>
    %11 = linalg.fill ins(%cst_1 : f32) outs(%10 : tensor<?x?xf32>) -> tensor<?x?xf32>
    // expected-error @+1 {{'linalg.contract' op leaves columns out by mmk.excluded, but its weights have no condition that leaves a range of them for the rows of a tile}}
    %12 = linalg.contract indexing_maps = [#map, #map1, #map2] {mmk.excluded} ins(%9, %v : tensor<?x?xf16>, tensor<?x?xf16>) outs(%11 : tensor<?x?xf32>) -> tensor<?x?xf32>
    mmk.return %12 : tensor<?x?xf32>
  } schedule {
    mmk.choice "fuse" = ["products"]
    mmk.choice "cores" = [20]
    mmk.choice "tile.M" = [128] {fit}
    mmk.choice "tile.N" = [64]
    mmk.choice "tile.D" = [64]
    mmk.choice "tile.E" = [256] {fit}
    mmk.choice "buffers.l1" = [2]
    mmk.choice "stage.D" = [256]
    mmk.choice "stage.N" = [256]
    mmk.choice "buffers.l0" = [2]
    mmk.choice "buffers.acc" = [1]
    mmk.choice "buffers.out" = [2]
    mmk.choice "buffers.ub" = [2]
    mmk.choice "order" = ["rows"]
  } attributes {variant = "cores=20,tile=autox64xautox64,stage.D=256,stage.N=256,l1=2,l0=2,acc=1,out=2,ub=2,order=rows,fuse=products"}
}
