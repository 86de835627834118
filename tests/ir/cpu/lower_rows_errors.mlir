// Row groups that earlier passes do not make.
// RUN: mmk-opt %s -split-input-file -verify-diagnostics --cpu-lower

#machine = #aicore.machine<"tiny" kind "host", coupled, cores = 4, vector_cores = 1, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [1048576, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>

// A tensor that the group makes is in no memory.
module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  // expected-error @+1 {{'mmk.fusion_group' op reads a tensor that is neither a parameter nor a result of an earlier fusion group}}
  %y = mmk.fusion_group over ["M", "N"] reduce [1] tile [1, 32] {
  ^bb0(%block: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %empty = tensor.empty(%m) : tensor<?xf32>
    %other = tensor.empty(%m, %n) : tensor<?x?xf32>
    %loop = scf.for %j = %c0 to %m step %c1 iter_args(%out = %empty) -> (tensor<?xf32>) {
      %part = tensor.extract_slice %other[%j, 0] [1, %n] [1, 1] : tensor<?x?xf32> to tensor<1x?xf32>
      %sum = mmk.rows %part along [array<i64: 0, 1>] to [array<i64: 0>] {
      ^bb0(%e: f32):
        %r = mmk.row_reduce add %e from 0.0 : f32 : (f32) -> f32
        mmk.row_elements %r : f32
      } : (tensor<1x?xf32>) -> tensor<1xf32>
      %insert = tensor.insert_slice %sum into %out[%j] [1] [1] : tensor<1xf32> into tensor<?xf32>
      scf.yield %insert : tensor<?xf32>
    }
    mmk.yield %loop : tensor<?xf32>
  } -> tensor<?xf32>
  mmk.return %y : tensor<?xf32>
}
}

// -----

#machine = #aicore.machine<"tiny" kind "host", coupled, cores = 4, vector_cores = 1, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [1048576, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>

// A result of no operation.
module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  // expected-error @+1 {{'mmk.fusion_group' op expected its tile loop to insert one tile of each result}}
  %y = mmk.fusion_group over ["M", "N"] reduce [1] tile [1, 32] {
  ^bb0(%block: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %empty = tensor.empty(%m) : tensor<?xf32>
    %other = tensor.empty(%m, %n) : tensor<?x?xf32>
    %loop = scf.for %j = %c0 to %m step %c1 iter_args(%out = %empty) -> (tensor<?xf32>) {
      %part = tensor.extract_slice %x[%j, 0] [1, %n] [1, 1] : tensor<?x?xf32> to tensor<1x?xf32>
      %slot = tensor.empty() : tensor<1xf32>
      %sum = mmk.rows %part along [array<i64: 0, 1>] to [array<i64: 0>] {
      ^bb0(%e: f32):
        %r = mmk.row_reduce add %e from 0.0 : f32 : (f32) -> f32
        mmk.row_elements %r : f32
      } : (tensor<1x?xf32>) -> tensor<1xf32>
      %insert = tensor.insert_slice %slot into %out[%j] [1] [1] : tensor<1xf32> into tensor<?xf32>
      scf.yield %insert : tensor<?xf32>
    }
    mmk.yield %loop : tensor<?xf32>
  } -> tensor<?xf32>
  mmk.return %y : tensor<?xf32>
}
}

// -----

#machine = #aicore.machine<"tiny" kind "host", coupled, cores = 4, vector_cores = 1, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [1048576, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>

// Before its tiles are chosen.
module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  // expected-error @+1 {{'mmk.fusion_group' op is not tiled; run mmk-tile-cores first}}
  %y = mmk.fusion_group over ["M", "N"] reduce [1] {
  ^bb0(%block: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %empty = tensor.empty(%m) : tensor<?xf32>
    %other = tensor.empty(%m, %n) : tensor<?x?xf32>
    %loop = scf.for %j = %c0 to %m step %c1 iter_args(%out = %empty) -> (tensor<?xf32>) {
      %part = tensor.extract_slice %x[%j, 0] [1, %n] [1, 1] : tensor<?x?xf32> to tensor<1x?xf32>
      %sum = mmk.rows %part along [array<i64: 0, 1>] to [array<i64: 0>] {
      ^bb0(%e: f32):
        %r = mmk.row_reduce add %e from 0.0 : f32 : (f32) -> f32
        mmk.row_elements %r : f32
      } : (tensor<1x?xf32>) -> tensor<1xf32>
      %insert = tensor.insert_slice %sum into %out[%j] [1] [1] : tensor<1xf32> into tensor<?xf32>
      scf.yield %insert : tensor<?xf32>
    }
    mmk.yield %loop : tensor<?xf32>
  } -> tensor<?xf32>
  mmk.return %y : tensor<?xf32>
}
}

// -----

#machine = #aicore.machine<"tiny" kind "host", coupled, cores = 4, vector_cores = 1, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [1048576, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>

// A cumulative sum of a tensor in no memory.
module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  // expected-error @+1 {{'mmk.fusion_group' op reads a tensor that is neither a parameter nor a result of an earlier fusion group}}
  %y = mmk.fusion_group over ["M", "N"] reduce [1] tile [1, 32] {
  ^bb0(%block: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %other = tensor.empty(%m, %n) : tensor<?x?xf32>
    %loop = scf.for %j = %c0 to %m step %c1 iter_args(%out = %empty) -> (tensor<?x?xf32>) {
      %part = tensor.extract_slice %other[%j, 0] [1, %n] [1, 1] : tensor<?x?xf32> to tensor<1x?xf32>
      %sum = mmk.rows %part along [array<i64: 0, 1>] to [array<i64: 0, 1>] {
      ^bb0(%e: f32):
        %r = mmk.row_reduce add scan %e from 0.0 : f32 : (f32) -> f32
        mmk.row_elements %r : f32
      } : (tensor<1x?xf32>) -> tensor<1x?xf32>
      %insert = tensor.insert_slice %sum into %out[%j, 0] [1, %n] [1, 1] : tensor<1x?xf32> into tensor<?x?xf32>
      scf.yield %insert : tensor<?x?xf32>
    }
    mmk.yield %loop : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}
}
