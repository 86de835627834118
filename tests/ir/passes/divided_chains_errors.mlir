// Two products whose columns are not divided.
// RUN: mmk-opt %s -verify-diagnostics -split-input-file --mmk-fuse-epilogue --mmk-split-rows

// A gradient has two first products.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
module attributes {aicore.machine = #aicore.machine<"ascend910b3", split, cores = 20, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524032, 32], ub = [196352, 32, 4096, 16, 32, 256]}, cube = 16 x 16, max_extent = 4095, depth = {bf16 = 16 : i64, f16 = 16 : i64, f32 = 8 : i64, i8 = 32 : i64}, event_ids = 6, cross_flags = 16>} {
  mmk.kernel @gradient dims ["B", "M", "D", "N", "E"] args [#mmk.named<"q"["B", "M", "D"]>, #mmk.named<"k"["B", "N", "D"]>, #mmk.named<"g"["B", "M", "E"]>, #mmk.named<"v"["B", "N", "E"]>, #mmk.named<"l"["B", "M"]>] results [#mmk.named<"y"["B", "M", "D"]>] {
  ^bb0(%q: tensor<?x?x?xf16>, %k: tensor<?x?x?xf16>, %g: tensor<?x?x?xf16>, %v: tensor<?x?x?xf16>, %l: tensor<?x?xf32>):
    %0 = mmk.dim "D"
    %1 = mmk.dim "N"
    %2 = mmk.dim "M"
    %3 = mmk.dim "B"
    %cst = arith.constant 0.000000e+00 : f32
    %4 = tensor.empty(%3, %2, %1) : tensor<?x?x?xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %6 = linalg.contract indexing_maps = [#map, #map1, #map2] ins(%q, %k : tensor<?x?x?xf16>, tensor<?x?x?xf16>) outs(%5 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %7 = tensor.empty(%3, %2, %1) : tensor<?x?x?xf32>
    %8 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %l : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%7 : tensor<?x?x?xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %23 = arith.subf %in, %in_2 : f32
      linalg.yield %23 : f32
    } -> tensor<?x?x?xf32>
    %9 = tensor.empty(%3, %2, %1) : tensor<?x?x?xf32>
    %10 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<?x?x?xf32>) outs(%9 : tensor<?x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %23 = math.exp %in : f32
      linalg.yield %23 : f32
    } -> tensor<?x?x?xf32>
    %cst_0 = arith.constant 0.000000e+00 : f32
    %11 = tensor.empty(%3, %2, %1) : tensor<?x?x?xf32>
    %12 = linalg.fill ins(%cst_0 : f32) outs(%11 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %13 = linalg.contract indexing_maps = [#map, #map1, #map2] {mmk.name = "t"} ins(%g, %v : tensor<?x?x?xf16>, tensor<?x?x?xf16>) outs(%12 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %14 = tensor.empty(%3, %2, %1) : tensor<?x?x?xf32>
    %15 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10, %13 : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%14 : tensor<?x?x?xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %23 = arith.mulf %in, %in_2 : f32
      linalg.yield %23 : f32
    } -> tensor<?x?x?xf32>
    %16 = tensor.empty(%3, %2, %1) : tensor<?x?x?xf16>
    %17 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<?x?x?xf32>) outs(%16 : tensor<?x?x?xf16>) {
    ^bb0(%in: f32, %out: f16):
      %23 = arith.truncf %in : f32 to f16
      linalg.yield %23 : f16
    } -> tensor<?x?x?xf16>
    %cst_1 = arith.constant 0.000000e+00 : f32
    %18 = tensor.empty(%3, %2, %0) : tensor<?x?x?xf32>
    %19 = linalg.fill ins(%cst_1 : f32) outs(%18 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %20 = linalg.contract indexing_maps = [#map, #map5, #map2] ins(%17, %k : tensor<?x?x?xf16>, tensor<?x?x?xf16>) outs(%19 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %21 = tensor.empty(%3, %2, %0) : tensor<?x?x?xf16>
    %22 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<?x?x?xf32>) outs(%21 : tensor<?x?x?xf16>) {
    ^bb0(%in: f32, %out: f16):
      %23 = arith.truncf %in : f32 to f16
      linalg.yield %23 : f16
    } -> tensor<?x?x?xf16>
    mmk.return %22 : tensor<?x?x?xf16>
  } schedule {
    // expected-error @+1 {{grid.N = 6 divides the rows between one product and another, but this loop computes 3 products; nearest legal: grid.N = 1}}
    mmk.choice "grid.N" = [6]
    mmk.choice "tile.M" = [16]
    mmk.choice "tile.N" = [64]
    mmk.choice "tile.D" = [64]
    mmk.choice "tile.E" = [64]
    mmk.choice "stage.D" = [64]
    mmk.choice "stage.E" = [64]
    mmk.choice "fuse" = ["products"]
    mmk.choice "cores" = [20]
    mmk.choice "buffers.l1" = [2]
    mmk.choice "stage.N" = [256]
    mmk.choice "buffers.l0" = [2]
    mmk.choice "buffers.acc" = [2]
    mmk.choice "buffers.out" = [2]
    mmk.choice "buffers.ub" = [2]
    mmk.choice "order" = ["rows"]
  } attributes {variant = "cores=20,grid.N=6,tile=16x64x64x64,stage.D=64,stage.E=64,stage.N=256,l1=2,l0=2,acc=2,out=2,ub=2,order=rows,fuse=products"}
}

// -----

// The sum waits for another one.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
module attributes {aicore.machine = #aicore.machine<"ascend910b3", split, cores = 20, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524032, 32], ub = [196352, 32, 4096, 16, 32, 256]}, cube = 16 x 16, max_extent = 4095, depth = {bf16 = 16 : i64, f16 = 16 : i64, f32 = 8 : i64, i8 = 32 : i64}, event_ids = 6, cross_flags = 16>} {
  mmk.kernel @waits dims ["B", "M", "D", "N", "E"] args [#mmk.named<"q"["B", "M", "D"]>, #mmk.named<"k"["B", "N", "D"]>, #mmk.named<"v"["B", "N", "E"]>] results [#mmk.named<"y"["B", "M", "E"]>] {
  ^bb0(%q: tensor<?x?x?xbf16>, %k: tensor<?x?x?xbf16>, %v: tensor<?x?x?xbf16>):
    %0 = mmk.dim "E"
    %1 = mmk.dim "N"
    %2 = mmk.dim "M"
    %3 = mmk.dim "B"
    %cst = arith.constant 0.000000e+00 : f32
    %4 = tensor.empty(%3, %2, %1) : tensor<?x?x?xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %6 = linalg.contract indexing_maps = [#map, #map1, #map2] {mmk.name = "s"} ins(%q, %k : tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) outs(%5 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %cst_0 = arith.constant 0.000000e+00 : f32
    %7 = tensor.empty(%3, %2) : tensor<?x?xf32>
    %8 = linalg.fill ins(%cst_0 : f32) outs(%7 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %9 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%6 : tensor<?x?x?xf32>) outs(%8 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %24 = arith.addf %out, %in : f32
      linalg.yield %24 : f32
    } -> tensor<?x?xf32>
    %10 = tensor.empty(%3, %2, %1) : tensor<?x?x?xf32>
    %11 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %9 : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%10 : tensor<?x?x?xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %24 = arith.subf %in, %in_3 : f32
      linalg.yield %24 : f32
    } -> tensor<?x?x?xf32>
    %cst_1 = arith.constant 0.000000e+00 : f32
    %12 = tensor.empty(%3, %2) : tensor<?x?xf32>
    %13 = linalg.fill ins(%cst_1 : f32) outs(%12 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %14 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%11 : tensor<?x?x?xf32>) outs(%13 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %24 = arith.addf %out, %in : f32
      linalg.yield %24 : f32
    } -> tensor<?x?xf32>
    %15 = tensor.empty(%3, %2, %1) : tensor<?x?x?xf32>
    %16 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %14 : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%15 : tensor<?x?x?xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %24 = arith.divf %in, %in_3 : f32
      linalg.yield %24 : f32
    } -> tensor<?x?x?xf32>
    %17 = tensor.empty(%3, %2, %1) : tensor<?x?x?xbf16>
    %18 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<?x?x?xf32>) outs(%17 : tensor<?x?x?xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %24 = arith.truncf %in : f32 to bf16
      linalg.yield %24 : bf16
    } -> tensor<?x?x?xbf16>
    %cst_2 = arith.constant 0.000000e+00 : f32
    %19 = tensor.empty(%3, %2, %0) : tensor<?x?x?xf32>
    %20 = linalg.fill ins(%cst_2 : f32) outs(%19 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %21 = linalg.contract indexing_maps = [#map, #map5, #map2] ins(%18, %v : tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) outs(%20 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %22 = tensor.empty(%3, %2, %0) : tensor<?x?x?xbf16>
    %23 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21 : tensor<?x?x?xf32>) outs(%22 : tensor<?x?x?xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %24 = arith.truncf %in : f32 to bf16
      linalg.yield %24 : bf16
    } -> tensor<?x?x?xbf16>
    mmk.return %23 : tensor<?x?x?xbf16>
  } schedule {
    // expected-error @+1 {{grid.N = 6 divides the rows between two products into parts with reductions of their own, but here a value waits for a reduction in another way than an exponential for its maximum; nearest legal: grid.N = 1}}
    mmk.choice "grid.N" = [6]
    mmk.choice "tile.M" = [16]
    mmk.choice "tile.N" = [64]
    mmk.choice "tile.D" = [64]
    mmk.choice "tile.E" = [64]
    mmk.choice "stage.D" = [64]
    mmk.choice "fuse" = ["products"]
    mmk.choice "cores" = [20]
    mmk.choice "buffers.l1" = [2]
    mmk.choice "stage.N" = [256]
    mmk.choice "buffers.l0" = [2]
    mmk.choice "buffers.acc" = [2]
    mmk.choice "buffers.out" = [2]
    mmk.choice "buffers.ub" = [2]
    mmk.choice "order" = ["rows"]
  } attributes {variant = "cores=20,grid.N=6,tile=16x64x64x64,stage.D=64,stage.N=256,l1=2,l0=2,acc=2,out=2,ub=2,order=rows,fuse=products"}
}

// -----

// The weights wait for a maximum that they are divided by in another way.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
module attributes {aicore.machine = #aicore.machine<"ascend910b3", split, cores = 20, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524032, 32], ub = [196352, 32, 4096, 16, 32, 256]}, cube = 16 x 16, max_extent = 4095, depth = {bf16 = 16 : i64, f16 = 16 : i64, f32 = 8 : i64, i8 = 32 : i64}, event_ids = 6, cross_flags = 16>} {
  mmk.kernel @ratio dims ["B", "M", "D", "N", "E"] args [#mmk.named<"q"["B", "M", "D"]>, #mmk.named<"k"["B", "N", "D"]>, #mmk.named<"v"["B", "N", "E"]>] results [#mmk.named<"y"["B", "M", "E"]>] {
  ^bb0(%q: tensor<?x?x?xbf16>, %k: tensor<?x?x?xbf16>, %v: tensor<?x?x?xbf16>):
    %0 = mmk.dim "E"
    %1 = mmk.dim "N"
    %2 = mmk.dim "M"
    %3 = mmk.dim "B"
    %cst = arith.constant 0.000000e+00 : f32
    %4 = tensor.empty(%3, %2, %1) : tensor<?x?x?xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %6 = linalg.contract indexing_maps = [#map, #map1, #map2] {mmk.name = "s"} ins(%q, %k : tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) outs(%5 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %cst_0 = arith.constant 0xFF800000 : f32
    %7 = tensor.empty(%3, %2) : tensor<?x?xf32>
    %8 = linalg.fill ins(%cst_0 : f32) outs(%7 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %9 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%6 : tensor<?x?x?xf32>) outs(%8 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.maximumf %out, %in : f32
      linalg.yield %21 : f32
    } -> tensor<?x?xf32>
    %10 = tensor.empty(%3, %2, %1) : tensor<?x?x?xf32>
    %11 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %9 : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%10 : tensor<?x?x?xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %21 = arith.divf %in, %in_2 : f32
      linalg.yield %21 : f32
    } -> tensor<?x?x?xf32>
    %12 = tensor.empty(%3, %2, %1) : tensor<?x?x?xf32>
    %13 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<?x?x?xf32>) outs(%12 : tensor<?x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = math.tanh %in : f32
      linalg.yield %21 : f32
    } -> tensor<?x?x?xf32>
    %14 = tensor.empty(%3, %2, %1) : tensor<?x?x?xbf16>
    %15 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<?x?x?xf32>) outs(%14 : tensor<?x?x?xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %21 = arith.truncf %in : f32 to bf16
      linalg.yield %21 : bf16
    } -> tensor<?x?x?xbf16>
    %cst_1 = arith.constant 0.000000e+00 : f32
    %16 = tensor.empty(%3, %2, %0) : tensor<?x?x?xf32>
    %17 = linalg.fill ins(%cst_1 : f32) outs(%16 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %18 = linalg.contract indexing_maps = [#map, #map5, #map2] ins(%15, %v : tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) outs(%17 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %19 = tensor.empty(%3, %2, %0) : tensor<?x?x?xbf16>
    %20 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<?x?x?xf32>) outs(%19 : tensor<?x?x?xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %21 = arith.truncf %in : f32 to bf16
      linalg.yield %21 : bf16
    } -> tensor<?x?x?xbf16>
    mmk.return %20 : tensor<?x?x?xbf16>
  } schedule {
    // expected-error @+1 {{grid.N = 6 divides the rows between two products into parts with reductions of their own, but here a value waits for a reduction in another way than an exponential for its maximum; nearest legal: grid.N = 1}}
    mmk.choice "grid.N" = [6]
    mmk.choice "tile.M" = [16]
    mmk.choice "tile.N" = [64]
    mmk.choice "tile.D" = [64]
    mmk.choice "tile.E" = [64]
    mmk.choice "stage.D" = [64]
    mmk.choice "fuse" = ["products"]
    mmk.choice "cores" = [20]
    mmk.choice "buffers.l1" = [2]
    mmk.choice "stage.N" = [256]
    mmk.choice "buffers.l0" = [2]
    mmk.choice "buffers.acc" = [2]
    mmk.choice "buffers.out" = [2]
    mmk.choice "buffers.ub" = [2]
    mmk.choice "order" = ["rows"]
  } attributes {variant = "cores=20,grid.N=6,tile=16x64x64x64,stage.D=64,stage.N=256,l1=2,l0=2,acc=2,out=2,ub=2,order=rows,fuse=products"}
}
