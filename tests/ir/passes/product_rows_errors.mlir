// Schedules that do not go with rows of a product that its fusion group reduces.
// RUN: mmk-opt %s -verify-diagnostics -split-input-file --mmk-fuse-epilogue --mmk-split-reduction --mmk-tile-cores --mmk-tile-base --aicore-assign-memories

#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d0)>
#map5 = affine_map<(d0) -> (d0)>
module attributes {aicore.machine = #aicore.machine<"ascend910b3", split, cores = 20, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524032, 32], ub = [196352, 32, 4096, 16, 32, 256]}, cube = 16 x 16, max_extent = 4095, depth = {bf16 = 16 : i64, f16 = 16 : i64, f32 = 8 : i64, i8 = 32 : i64}, event_ids = 6, cross_flags = 16>} {
  mmk.kernel @norm dims ["M", "K", "N"] args [#mmk.named<"x"["M", "K"]>, #mmk.named<"w"["K", "N"]>, #mmk.named<"r"["M", "N"]>] results [#mmk.named<"h"["M", "N"]>, #mmk.named<"y"["M", "N"]>] {
  ^bb0(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>, %r: tensor<?x?xf16>):
    %0 = mmk.dim "N"
    %1 = mmk.dim "M"
    %cst = arith.constant 0.000000e+00 : f32
    %2 = tensor.empty(%1, %0) : tensor<?x?xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %4 = linalg.contract indexing_maps = [#map, #map1, #map2] ins(%x, %w : tensor<?x?xf16>, tensor<?x?xf16>) outs(%3 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %5 = tensor.empty(%1, %0) : tensor<?x?xf32>
    %6 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<?x?xf16>) outs(%5 : tensor<?x?xf32>) {
    ^bb0(%in: f16, %out: f32):
      %28 = arith.extf %in : f16 to f32
      linalg.yield %28 : f32
    } -> tensor<?x?xf32>
    %7 = tensor.empty(%1, %0) : tensor<?x?xf32>
    %8 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%4, %6 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%7 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %28 = arith.addf %in, %in_2 : f32
      linalg.yield %28 : f32
    } -> tensor<?x?xf32>
    %9 = tensor.empty(%1, %0) : tensor<?x?xf16>
    %10 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<?x?xf32>) outs(%9 : tensor<?x?xf16>) {
    ^bb0(%in: f32, %out: f16):
      %28 = arith.truncf %in : f32 to f16
      linalg.yield %28 : f16
    } -> tensor<?x?xf16>
    %11 = tensor.empty(%1, %0) : tensor<?x?xf32>
    %12 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%8, %8 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%11 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %28 = arith.mulf %in, %in_2 : f32
      linalg.yield %28 : f32
    } -> tensor<?x?xf32>
    %cst_0 = arith.constant 0.000000e+00 : f32
    %13 = tensor.empty(%1) : tensor<?xf32>
    %14 = linalg.fill ins(%cst_0 : f32) outs(%13 : tensor<?xf32>) -> tensor<?xf32>
    %15 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "reduction"]} ins(%12 : tensor<?x?xf32>) outs(%14 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %28 = arith.addf %out, %in : f32
      linalg.yield %28 : f32
    } -> tensor<?xf32>
    %16 = arith.index_cast %0 : index to i64
    %17 = arith.sitofp %16 : i64 to f32
    %18 = tensor.empty(%1) : tensor<?xf32>
    %19 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel"]} ins(%15 : tensor<?xf32>) outs(%18 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %28 = arith.divf %in, %17 : f32
      linalg.yield %28 : f32
    } -> tensor<?xf32>
    %cst_1 = arith.constant 1.000000e-03 : f32
    %20 = tensor.empty(%1) : tensor<?xf32>
    %21 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel"]} ins(%19 : tensor<?xf32>) outs(%20 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %28 = arith.addf %in, %cst_1 : f32
      linalg.yield %28 : f32
    } -> tensor<?xf32>
    %22 = tensor.empty(%1) : tensor<?xf32>
    %23 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel"]} ins(%21 : tensor<?xf32>) outs(%22 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %28 = math.sqrt %in : f32
      linalg.yield %28 : f32
    } -> tensor<?xf32>
    %24 = tensor.empty(%1, %0) : tensor<?x?xf32>
    %25 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%8, %23 : tensor<?x?xf32>, tensor<?xf32>) outs(%24 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %28 = arith.divf %in, %in_2 : f32
      linalg.yield %28 : f32
    } -> tensor<?x?xf32>
    %26 = tensor.empty(%1, %0) : tensor<?x?xf16>
    %27 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%25 : tensor<?x?xf32>) outs(%26 : tensor<?x?xf16>) {
    ^bb0(%in: f32, %out: f16):
      %28 = arith.truncf %in : f32 to f16
      linalg.yield %28 : f16
    } -> tensor<?x?xf16>
    mmk.return %10, %27 : tensor<?x?xf16>, tensor<?x?xf16>
  } schedule {
    // expected-error @+1 {{grid.K = 3 splits a product, but fuse = rows reduces the rows of the whole one; nearest legal: grid.K = 1, fuse = all}}
    mmk.choice "grid.K" = [3]
    mmk.choice "fuse" = ["rows"]
    mmk.choice "tile.M" = [32]
    mmk.choice "tile.N" = [128]
    mmk.choice "cores" = [20]
    mmk.choice "tile.K" = [64]
    mmk.choice "buffers.l1" = [2]
    mmk.choice "stage.K" = [256]
    mmk.choice "buffers.l0" = [2]
    mmk.choice "buffers.acc" = [2]
    mmk.choice "buffers.out" = [2]
    mmk.choice "buffers.ub" = [2]
    mmk.choice "order" = ["rows"]
  } attributes {variant = "cores=20,tile=32x128x64,stage=256,l1=2,l0=2,acc=2,out=2,ub=2,order=rows,fuse=rows"}
}

// -----

#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d0)>
#map5 = affine_map<(d0) -> (d0)>
module attributes {aicore.machine = #aicore.machine<"ascend910b3", split, cores = 20, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524032, 32], ub = [196352, 32, 4096, 16, 32, 256]}, cube = 16 x 16, max_extent = 4095, depth = {bf16 = 16 : i64, f16 = 16 : i64, f32 = 8 : i64, i8 = 32 : i64}, event_ids = 6, cross_flags = 16>} {
  mmk.kernel @norm dims ["M", "K", "N"] args [#mmk.named<"x"["M", "K"]>, #mmk.named<"w"["K", "N"]>, #mmk.named<"r"["M", "N"]>] results [#mmk.named<"h"["M", "N"]>, #mmk.named<"y"["M", "N"]>] {
  ^bb0(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>, %r: tensor<?x?xf16>):
    %0 = mmk.dim "N"
    %1 = mmk.dim "M"
    %cst = arith.constant 0.000000e+00 : f32
    %2 = tensor.empty(%1, %0) : tensor<?x?xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %4 = linalg.contract indexing_maps = [#map, #map1, #map2] ins(%x, %w : tensor<?x?xf16>, tensor<?x?xf16>) outs(%3 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %5 = tensor.empty(%1, %0) : tensor<?x?xf32>
    %6 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<?x?xf16>) outs(%5 : tensor<?x?xf32>) {
    ^bb0(%in: f16, %out: f32):
      %28 = arith.extf %in : f16 to f32
      linalg.yield %28 : f32
    } -> tensor<?x?xf32>
    %7 = tensor.empty(%1, %0) : tensor<?x?xf32>
    %8 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%4, %6 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%7 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %28 = arith.addf %in, %in_2 : f32
      linalg.yield %28 : f32
    } -> tensor<?x?xf32>
    %9 = tensor.empty(%1, %0) : tensor<?x?xf16>
    %10 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<?x?xf32>) outs(%9 : tensor<?x?xf16>) {
    ^bb0(%in: f32, %out: f16):
      %28 = arith.truncf %in : f32 to f16
      linalg.yield %28 : f16
    } -> tensor<?x?xf16>
    %11 = tensor.empty(%1, %0) : tensor<?x?xf32>
    %12 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%8, %8 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%11 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %28 = arith.mulf %in, %in_2 : f32
      linalg.yield %28 : f32
    } -> tensor<?x?xf32>
    %cst_0 = arith.constant 0.000000e+00 : f32
    %13 = tensor.empty(%1) : tensor<?xf32>
    %14 = linalg.fill ins(%cst_0 : f32) outs(%13 : tensor<?xf32>) -> tensor<?xf32>
    %15 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "reduction"]} ins(%12 : tensor<?x?xf32>) outs(%14 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %28 = arith.addf %out, %in : f32
      linalg.yield %28 : f32
    } -> tensor<?xf32>
    %16 = arith.index_cast %0 : index to i64
    %17 = arith.sitofp %16 : i64 to f32
    %18 = tensor.empty(%1) : tensor<?xf32>
    %19 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel"]} ins(%15 : tensor<?xf32>) outs(%18 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %28 = arith.divf %in, %17 : f32
      linalg.yield %28 : f32
    } -> tensor<?xf32>
    %cst_1 = arith.constant 1.000000e-03 : f32
    %20 = tensor.empty(%1) : tensor<?xf32>
    %21 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel"]} ins(%19 : tensor<?xf32>) outs(%20 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %28 = arith.addf %in, %cst_1 : f32
      linalg.yield %28 : f32
    } -> tensor<?xf32>
    %22 = tensor.empty(%1) : tensor<?xf32>
    %23 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel"]} ins(%21 : tensor<?xf32>) outs(%22 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %28 = math.sqrt %in : f32
      linalg.yield %28 : f32
    } -> tensor<?xf32>
    %24 = tensor.empty(%1, %0) : tensor<?x?xf32>
    %25 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%8, %23 : tensor<?x?xf32>, tensor<?xf32>) outs(%24 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %28 = arith.divf %in, %in_2 : f32
      linalg.yield %28 : f32
    } -> tensor<?x?xf32>
    %26 = tensor.empty(%1, %0) : tensor<?x?xf16>
    %27 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%25 : tensor<?x?xf32>) outs(%26 : tensor<?x?xf16>) {
    ^bb0(%in: f32, %out: f16):
      %28 = arith.truncf %in : f32 to f16
      linalg.yield %28 : f16
    } -> tensor<?x?xf16>
    mmk.return %10, %27 : tensor<?x?xf16>, tensor<?x?xf16>
  } schedule {
    // expected-error @+1 {{store = overlapped drains a product in parts of its columns, but fuse = rows reduces whole rows of it; nearest legal: store = after, fuse = all}}
    mmk.choice "store" = ["overlapped"]
    mmk.choice "fuse" = ["rows"]
    mmk.choice "tile.M" = [32]
    mmk.choice "tile.N" = [128]
    mmk.choice "cores" = [20]
    mmk.choice "tile.K" = [64]
    mmk.choice "buffers.l1" = [2]
    mmk.choice "stage.K" = [256]
    mmk.choice "buffers.l0" = [2]
    mmk.choice "buffers.acc" = [2]
    mmk.choice "buffers.out" = [2]
    mmk.choice "buffers.ub" = [2]
    mmk.choice "order" = ["rows"]
  } attributes {variant = "cores=20,tile=32x128x64,stage=256,l1=2,l0=2,acc=2,out=2,ub=2,order=rows,fuse=rows"}
}
