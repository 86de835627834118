// Run out of order.
// RUN: mmk-opt %s -verify-diagnostics -split-input-file --aicore-insert-transfers

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#id = affine_map<(m, n) -> (m, n)>

module attributes {aicore.machine = #machine} {

mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  // expected-error @+1 {{'mmk.fusion_group' op has no buffers; run aicore-assign-memories first}}
  %y = mmk.fusion_group tile [16, 32] {
  ^bb0(%block: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %loop = scf.for %j = %c0 to %m step %c1 iter_args(%out = %empty) -> (tensor<?x?xf32>) {
      %neg = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
      ^bb0(%e: f32, %o: f32):
        %p = arith.negf %e : f32
        linalg.yield %p : f32
      } -> tensor<?x?xf32>
      %insert = tensor.insert_slice %neg into %out[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
      scf.yield %insert : tensor<?x?xf32>
    }
    mmk.yield %loop : tensor<?x?xf32>
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
  %y = mmk.fusion_group tile [16, 32] steps [16, 16] {
  ^bb0(%block: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %loop = scf.for %j = %c0 to %m step %c1 iter_args(%out = %empty) -> (tensor<?x?xf32>) {
      %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
      %stages = scf.for %ks = %c0 to %n step %c1 iter_args(%sum = %fill) -> (tensor<?x?xf32>) {
        %steps = scf.for %kb = %c0 to %n step %c1 iter_args(%part = %sum) -> (tensor<?x?xf32>) {
          // expected-error @+1 {{'linalg.contract' op has operands without buffers; run aicore-assign-memories first}}
          %acc = linalg.contract indexing_maps = [#a, #b, #c]
              ins(%x, %x : tensor<?x?xf16>, tensor<?x?xf16>) outs(%part : tensor<?x?xf32>) -> tensor<?x?xf32>
          scf.yield %acc : tensor<?x?xf32>
        }
        scf.yield %steps : tensor<?x?xf32>
      }
      %insert = tensor.insert_slice %stages into %out[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
      scf.yield %insert : tensor<?x?xf32>
    }
    mmk.yield %loop : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>

// A sum of squares is not rescaled.
module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  // expected-error @+1 {{reduce = online rescales sums of exponentials while their maximum grows; here a reduction waits for another in another way; nearest legal: reduce = two_pass}}
  %y = mmk.fusion_group over ["M", "N"] reduce [1] tile [16, 32] {
  ^bb0(%block: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %empty = tensor.empty(%m) : tensor<?xf32>
    %loop = scf.for %j = %c0 to %m step %c1 iter_args(%out = %empty) -> (tensor<?xf32>) {
      %s = mmk.rows %x along [array<i64: 0, 1>] to [array<i64: 0>] {
      ^bb0(%e: f32):
        %top = mmk.row_reduce max %e from 0xFF800000 : f32 : (f32) -> f32
        %d = arith.subf %e, %top : f32
        %q = arith.mulf %d, %d : f32
        %r = mmk.row_reduce add %q from 0.0 : f32 : (f32) -> f32
        mmk.row_elements %r : f32
      } : (tensor<?x?xf32>) -> tensor<?xf32>
      %insert = tensor.insert_slice %s into %out[0] [%m] [1] : tensor<?xf32> into tensor<?xf32>
      scf.yield %insert : tensor<?xf32>
    }
    mmk.yield %loop : tensor<?xf32>
  } -> tensor<?xf32>
  mmk.return %y : tensor<?xf32>
} schedule {
  mmk.choice "reduce" = ["online"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#id = affine_map<(m, n) -> (m, n)>

// A row group without its program.
module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  // expected-error @+1 {{'mmk.fusion_group' op expected a mmk.rows}}
  %y = mmk.fusion_group over ["M", "N"] reduce [1] tile [16, 32] {
  ^bb0(%block: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %loop = scf.for %j = %c0 to %m step %c1 iter_args(%out = %empty) -> (tensor<?x?xf32>) {
      %neg = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
      ^bb0(%e: f32, %o: f32):
        %r = arith.negf %e : f32
        linalg.yield %r : f32
      } -> tensor<?x?xf32>
      %insert = tensor.insert_slice %neg into %out[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
      scf.yield %insert : tensor<?x?xf32>
    }
    mmk.yield %loop : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}
}
