// Forms that the frontend never emits, but textual IR may hold.
// RUN: mmk-opt %s -verify-diagnostics -split-input-file --mmk-fuse-epilogue

// A result that nothing computes has no fusion group to come from.
mmk.kernel @k dims ["M", "N"]
    args [#mmk.named<"x"["M", "N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  // expected-error @+1 {{'mmk.return' op expected each result to come from a linalg.contract or linalg.generic}}
  mmk.return %x : tensor<?x?xf32>
}

// -----

// The pass runs once.
mmk.kernel @k dims ["M", "N"]
    args [#mmk.named<"x"["M", "N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  // expected-error @+1 {{'mmk.fusion_group' op stands in a kernel that is to be grouped into fusion groups}}
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    mmk.yield %x : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}

// -----

mmk.kernel @k dims ["M", "N"]
    args [#mmk.named<"x"["M", "N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  // expected-error @+1 {{'linalg.matmul' op is neither a linalg.contract nor a linalg.generic with one result}}
  %y = linalg.matmul ins(%x, %x : tensor<?x?xf32>, tensor<?x?xf32>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

mmk.kernel @k dims ["M", "N"]
    args [#mmk.named<"x"["M", "N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  // expected-error @+1 {{'linalg.contract' op expected to start from a linalg.fill or a linalg.broadcast}}
  %y = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%x, %x : tensor<?x?xf32>, tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}

// -----

#id = affine_map<(m, n) -> (m, n)>

mmk.kernel @k dims ["M", "N"]
    args [#mmk.named<"x"["M", "N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  // expected-error @+1 {{'linalg.generic' op expected to write to a tensor.empty}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%x : tensor<?x?xf32>)
      {
  ^bb0(%e0: f32, %out: f32):
    %z = arith.constant 0.0 : f32
    %r = arith.maximumf %e0, %z : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}

// -----

#id = affine_map<(m, n) -> (m, n)>

mmk.kernel @k dims ["M", "N"]
    args [#mmk.named<"x"["M", "N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y_empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  // expected-error @+1 {{'linalg.generic' op expected to start from a linalg.fill or a linalg.broadcast}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%y_empty : tensor<?x?xf32>) {
  ^bb0(%e0: f32, %out: f32):
    %z = arith.constant 0.0 : f32
    %r = arith.maximumf %e0, %z : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}

// -----

#id = affine_map<(m, n) -> (m, n)>

mmk.kernel @k dims ["M", "N"]
    args [#mmk.named<"x"["M", "N"]>]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %four = arith.constant 4 : index
  %y_empty = tensor.empty(%four, %n) : tensor<?x?xf32>
  %x_empty = tensor.empty(%four, %n) : tensor<?x?xf32>
  // expected-error @+1 {{'linalg.generic' op expected each of its 2 dimensions to be one of a parameter or a mmk.dim}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x_empty : tensor<?x?xf32>) outs(%y_empty : tensor<?x?xf32>) {
  ^bb0(%e0: f32, %out: f32):
    %z = arith.constant 0.0 : f32
    %r = arith.maximumf %e0, %z : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
mmk.kernel @k dims ["M", "N", "K"]
    args [#mmk.named<"b"["K", "N"]>, #mmk.named<"seed">]
    results [#mmk.named<"c"["M", "N"]>] {
^bb0(%b: tensor<?x?xf32>, %seed: i32):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{'mmk.random' op is read where its elements have to be in memory: a linalg.generic writes them there}}
  %u = mmk.random ["M", "K"] of %seed : tensor<?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.contract indexing_maps = [#a, #b, #c] ins(%u, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%start : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}

// -----

#in = affine_map<(m, n) -> (m, n)>
#kept = affine_map<(m, n) -> (m)>

// Differences depend on their order.
mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%m) : tensor<?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  // expected-error @+1 {{'linalg.generic' op combines its elements in a way that no machine has}}
  %y = linalg.generic {indexing_maps = [#in, #kept], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%fill : tensor<?xf32>) {
  ^bb0(%e: f32, %o: f32):
    %r = arith.subf %o, %e : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  mmk.return %y : tensor<?xf32>
}

// -----

#in = affine_map<(m, n) -> (m, n)>
#kept = affine_map<(m, n) -> (m)>

// A sum that starts from an argument.
mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>, #mmk.named<"z">] results [#mmk.named<"y"["M"]>] {
^bb0(%x: tensor<?x?xf32>, %z: f32):
  %m = mmk.dim "M"
  %empty = tensor.empty(%m) : tensor<?xf32>
  %fill = linalg.fill ins(%z : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  // expected-error @+1 {{'linalg.generic' op expected to start from a constant}}
  %y = linalg.generic {indexing_maps = [#in, #kept], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%fill : tensor<?xf32>) {
  ^bb0(%e: f32, %o: f32):
    %r = arith.addf %o, %e : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  mmk.return %y : tensor<?xf32>
}
