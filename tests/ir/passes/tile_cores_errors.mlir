// Run out of order, or on IR that no earlier pass leaves.
// RUN: mmk-opt %s -verify-diagnostics -split-input-file --mmk-tile-cores

// expected-error @+1 {{expected a machine; run mmk-apply-variant first}}
module {
}

// -----

#machine = #aicore.machine<"tiny", coupled, cores = 8, vector_cores = 1, memories = {ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#id = affine_map<(m, n) -> (m, n)>

// No fusion group: nothing would be mapped to any core.
module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  // expected-error @+1 {{'linalg.generic' op is in no fusion group; run mmk-fuse-epilogue first}}
  %neg = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %out: f32):
    linalg.yield %e : f32
  } -> tensor<?x?xf32>
  mmk.return %neg : tensor<?x?xf32>
}
}

// -----

#machine = #aicore.machine<"tiny", coupled, cores = 8, vector_cores = 1, memories = {ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  // expected-error @+1 {{'mmk.fusion_group' op expected a product or an elementwise operation on whole tensors}}
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    mmk.yield %x : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}
}

// -----

#machine = #aicore.machine<"tiny", coupled, cores = 8, vector_cores = 1, memories = {ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#id = affine_map<(m, n) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  // expected-error @+1 {{'mmk.fusion_group' op expected to yield results of its product or elementwise operation}}
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %neg = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
    ^bb0(%e: f32, %out: f32):
      linalg.yield %e : f32
    } -> tensor<?x?xf32>
    mmk.yield %x : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {

mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf16>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %first = linalg.contract indexing_maps = [#a, #b, #c]
        ins(%x, %x : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
    // expected-error @+1 {{'linalg.contract' op is a second product of a fusion group without an elementwise operation on both}}
    %second = linalg.contract indexing_maps = [#a, #b, #c]
        ins(%x, %x : tensor<?x?xf16>, tensor<?x?xf16>) outs(%first : tensor<?x?xf32>) -> tensor<?x?xf32>
    mmk.yield %second : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

#c2 = affine_map<(m, n) -> (m, n)>

module attributes {aicore.machine = #machine} {

mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf16>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %first = linalg.contract indexing_maps = [#a, #b, #c]
        ins(%x, %x : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
    // expected-error @+1 {{'linalg.contract' op takes another product of its fusion group, which is computed tile by tile beside it}}
    %second = linalg.contract indexing_maps = [#a, #b, #c]
        ins(%x, %x : tensor<?x?xf16>, tensor<?x?xf16>) outs(%first : tensor<?x?xf32>) -> tensor<?x?xf32>
    %both = linalg.generic {indexing_maps = [#c2, #c2], iterator_types = ["parallel", "parallel"]}
        ins(%second : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
    ^bb0(%e: f32, %o: f32):
      linalg.yield %e : f32
    } -> tensor<?x?xf32>
    mmk.yield %both : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}
}

// -----

#machine = #aicore.machine<"tiny", coupled, cores = 8, vector_cores = 1, memories = {ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"y"["N"]>] {
^bb0(%x: tensor<?xf32>):
  // expected-error @+1 {{'mmk.fusion_group' op expected to yield results of a mmk.rows}}
  %y = mmk.fusion_group over ["N"] reduce [0] {
  ^bb0(%block: index):
    mmk.yield %x : tensor<?xf32>
  } -> tensor<?xf32>
  mmk.return %y : tensor<?xf32>
}
}
