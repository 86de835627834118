// Run out of order, or on IR that no earlier pass leaves.
// RUN: mmk-opt %s -verify-diagnostics -split-input-file --aicore-assign-memories

// expected-error @+1 {{expected a machine; run mmk-apply-variant first}}
module {
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#id = affine_map<(m, n) -> (m, n)>

module attributes {aicore.machine = #machine} {

mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  // expected-error @+1 {{'linalg.generic' op is in no fusion group; run mmk-fuse-epilogue first}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %o: f32):
    %p = arith.negf %e : f32
    linalg.yield %p : f32
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>


module attributes {aicore.machine = #machine} {

mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  // expected-error @+1 {{'mmk.return' op expected each result to come from a mmk.fusion_group}}
  mmk.return %x : tensor<?x?xf32>
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#id = affine_map<(m, n) -> (m, n)>

module attributes {aicore.machine = #machine} {

mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  // expected-error @+1 {{'mmk.fusion_group' op is not tiled; run mmk-tile-cores first}}
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %neg = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
    ^bb0(%e: f32, %o: f32):
      %p = arith.negf %e : f32
      linalg.yield %p : f32
    } -> tensor<?x?xf32>
    mmk.yield %neg : tensor<?x?xf32>
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
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group tile [16, 32] {
  ^bb0(%block: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %loop = scf.for %j = %c0 to %m step %c1 iter_args(%out = %empty) -> (tensor<?x?xf32>) {
      %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
      // expected-error @+1 {{'linalg.contract' op is not tiled; run mmk-tile-base first}}
      %acc = linalg.contract indexing_maps = [#a, #b, #c]
          ins(%x, %x : tensor<?x?xf32>, tensor<?x?xf32>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
      %insert = tensor.insert_slice %acc into %out[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
      scf.yield %insert : tensor<?x?xf32>
    }
    mmk.yield %loop : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>


module attributes {aicore.machine = #machine} {

mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group tile [16, 32] {
  ^bb0(%block: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %loop = scf.for %j = %c0 to %m step %c1 iter_args(%out = %empty) -> (tensor<?x?xf32>) {
      // A tensor operation that is no transfer, no product and not elementwise.
      // expected-error @+1 {{'tensor.pad' op has no place on the machine: not scalar, and no part of a tiled fusion group}}
      %pad = tensor.pad %x low[0, 0] high[0, 0] {
      ^bb0(%i: index, %l: index):
        tensor.yield %zero : f32
      } : tensor<?x?xf32> to tensor<?x?xf32>
      %insert = tensor.insert_slice %pad into %out[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
      scf.yield %insert : tensor<?x?xf32>
    }
    mmk.yield %loop : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#id = affine_map<(m, n) -> (m, n)>

module attributes {aicore.machine = #machine} {

mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  // Each core writes its own tiles into the result, never the whole of it.
  // expected-error @+1 {{'mmk.fusion_group' op expected its tile loop to insert one tile of each result}}
  %y = mmk.fusion_group tile [16, 32] {
  ^bb0(%block: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %loop = scf.for %j = %c0 to %m step %c1 iter_args(%out = %empty) -> (tensor<?x?xf32>) {
      %neg = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
      ^bb0(%e: f32, %o: f32):
        %p = arith.negf %e : f32
        linalg.yield %p : f32
      } -> tensor<?x?xf32>
      scf.yield %neg : tensor<?x?xf32>
    }
    mmk.yield %loop : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#id = affine_map<(m, n) -> (m, n)>

module attributes {aicore.machine = #machine} {

mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group tile [16, 32] {
  ^bb0(%block: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %loop = scf.for %j = %c0 to %m step %c1 iter_args(%out = %empty) -> (tensor<?x?xf32>) {
      %neg = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
      ^bb0(%e: f32, %o: f32):
        %p = arith.negf %e : f32
        linalg.yield %p : f32
      } -> tensor<?x?xf32>
      // Two elementwise operations where mmk-fuse-epilogue leaves one.
      // expected-error @+1 {{'linalg.generic' op reads a tensor that is neither a parameter, nor of an earlier fusion group, nor a product of its own, nor generated}}
      %again = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%neg : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
      ^bb0(%e: f32, %o: f32):
        %p = arith.negf %e : f32
        linalg.yield %p : f32
      } -> tensor<?x?xf32>
      %insert = tensor.insert_slice %again into %out[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
      scf.yield %insert : tensor<?x?xf32>
    }
    mmk.yield %loop : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>

// A copy, whose operation --canonicalize has folded.
module attributes {aicore.machine = #machine} {

mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  // expected-error @+1 {{'mmk.fusion_group' op has neither a product nor an elementwise operation in its tile loop}}
  %y = mmk.fusion_group tile [8, 16] {
  ^bb0(%block: index):
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %loop = scf.for %i = %zero to %one step %one iter_args(%out = %empty) -> (tensor<?x?xf32>) {
      %tile = tensor.extract_slice %x[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
      %filled = tensor.insert_slice %tile into %out[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
      scf.yield %filled : tensor<?x?xf32>
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
    %lines = scf.for %i = %c0 to %m step %c1 iter_args(%line = %empty) -> (tensor<?x?xf32>) {
      %tiles = scf.for %j = %c0 to %m step %c1 iter_args(%out = %line) -> (tensor<?x?xf32>) {
        // The panel of A would differ for each tile.
        // expected-error @+1 {{'tensor.extract_slice' op is of a panel that is kept, but differs from tile to tile}}
        %panel = tensor.extract_slice %x[%j, 0] [%m, %n] [1, 1] : tensor<?x?xf16> to tensor<?x?xf16>
        %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
        %stages = scf.for %ks = %c0 to %n step %c1 iter_args(%sum = %fill) -> (tensor<?x?xf32>) {
          %sa = tensor.extract_slice %panel[0, %ks] [%m, %n] [1, 1] : tensor<?x?xf16> to tensor<?x?xf16>
          %steps = scf.for %kb = %c0 to %n step %c1 iter_args(%part = %sum) -> (tensor<?x?xf32>) {
            %acc = linalg.contract indexing_maps = [#a, #b, #c]
                ins(%sa, %x : tensor<?x?xf16>, tensor<?x?xf16>) outs(%part : tensor<?x?xf32>) -> tensor<?x?xf32>
            scf.yield %acc : tensor<?x?xf32>
          }
          scf.yield %steps : tensor<?x?xf32>
        }
        %insert = tensor.insert_slice %stages into %out[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
        scf.yield %insert : tensor<?x?xf32>
      }
      scf.yield %tiles : tensor<?x?xf32>
    }
    mmk.yield %lines : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "keep" = ["A(128)"]
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
  %y = mmk.fusion_group tile [16, 32] steps [16, 16, 16, 16] {
  ^bb0(%block: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %loop = scf.for %j = %c0 to %m step %c1 iter_args(%out = %empty) -> (tensor<?x?xf32>) {
      %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
      %stages = scf.for %ks = %c0 to %n step %c1 iter_args(%sum = %fill) -> (tensor<?x?xf32>) {
        %steps = scf.for %kb = %c0 to %n step %c1 iter_args(%part = %sum) -> (tensor<?x?xf32>) {
          %first = linalg.contract indexing_maps = [#a, #b, #c]
              ins(%x, %x : tensor<?x?xf16>, tensor<?x?xf16>) outs(%part : tensor<?x?xf32>) -> tensor<?x?xf32>
          // Neither of them is dropped silently.
          // expected-error @+1 {{'linalg.contract' op expected loops of its own in the loop over tiles of its fusion group's first product}}
          %second = linalg.contract indexing_maps = [#a, #b, #c]
              ins(%x, %x : tensor<?x?xf16>, tensor<?x?xf16>) outs(%first : tensor<?x?xf32>) -> tensor<?x?xf32>
          scf.yield %second : tensor<?x?xf32>
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
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

#id = affine_map<(m, n) -> (m, n)>

module attributes {aicore.machine = #machine} {

mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>, #mmk.named<"z"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf16>, %z: tensor<?x?xbf16>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group tile [16, 32] steps [16, 16, 16, 16] {
  ^bb0(%block: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %loop = scf.for %j = %c0 to %m step %c1 iter_args(%out = %empty) -> (tensor<?x?xf32>) {
      %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
      %stages = scf.for %ks = %c0 to %n step %c1 iter_args(%sum = %fill) -> (tensor<?x?xf32>) {
        %steps = scf.for %kb = %c0 to %n step %c1 iter_args(%part = %sum) -> (tensor<?x?xf32>) {
          %first = linalg.contract indexing_maps = [#a, #b, #c]
              ins(%x, %x : tensor<?x?xf16>, tensor<?x?xf16>) outs(%part : tensor<?x?xf32>) -> tensor<?x?xf32>
          scf.yield %first : tensor<?x?xf32>
        }
        scf.yield %steps : tensor<?x?xf32>
      }
      %others = scf.for %ks = %c0 to %n step %c1 iter_args(%sum = %fill) -> (tensor<?x?xf32>) {
        %steps = scf.for %kb = %c0 to %n step %c1 iter_args(%part = %sum) -> (tensor<?x?xf32>) {
          // expected-error @+1 {{'linalg.contract' op multiplies 'bf16', but the first product of its fusion group 'f16'}}
          %second = linalg.contract indexing_maps = [#a, #b, #c]
              ins(%z, %z : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%part : tensor<?x?xf32>) -> tensor<?x?xf32>
          scf.yield %second : tensor<?x?xf32>
        }
        scf.yield %steps : tensor<?x?xf32>
      }
      %both = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%stages, %others : tensor<?x?xf32>, tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
      ^bb0(%e: f32, %f: f32, %o: f32):
        %p = arith.mulf %e, %f : f32
        linalg.yield %p : f32
      } -> tensor<?x?xf32>
      %insert = tensor.insert_slice %both into %out[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
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

#id = affine_map<(m, n) -> (m, n)>

module attributes {aicore.machine = #machine} {

mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf16>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group tile [16, 32] steps [16, 16, 16, 16] {
  ^bb0(%block: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %loop = scf.for %j = %c0 to %m step %c1 iter_args(%out = %empty) -> (tensor<?x?xf32>) {
      %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
      %stages = scf.for %ks = %c0 to %n step %c1 iter_args(%sum = %fill) -> (tensor<?x?xf32>) {
        %steps = scf.for %kb = %c0 to %n step %c1 iter_args(%part = %sum) -> (tensor<?x?xf32>) {
          %first = linalg.contract indexing_maps = [#a, #b, #c]
              ins(%x, %x : tensor<?x?xf16>, tensor<?x?xf16>) outs(%part : tensor<?x?xf32>) -> tensor<?x?xf32>
          scf.yield %first : tensor<?x?xf32>
        }
        scf.yield %steps : tensor<?x?xf32>
      }
      %others = scf.for %ks = %c0 to %n step %c1 iter_args(%sum = %fill) -> (tensor<?x?xf32>) {
        %steps = scf.for %kb = %c0 to %n step %c1 iter_args(%part = %sum) -> (tensor<?x?xf32>) {
          %second = linalg.contract indexing_maps = [#a, #b, #c]
              ins(%x, %x : tensor<?x?xf16>, tensor<?x?xf16>) outs(%part : tensor<?x?xf32>) -> tensor<?x?xf32>
          scf.yield %second : tensor<?x?xf32>
        }
        scf.yield %steps : tensor<?x?xf32>
      }
      %both = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%stages, %others : tensor<?x?xf32>, tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
      ^bb0(%e: f32, %f: f32, %o: f32):
        %p = arith.mulf %e, %f : f32
        linalg.yield %p : f32
      } -> tensor<?x?xf32>
      %insert = tensor.insert_slice %both into %out[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
      scf.yield %insert : tensor<?x?xf32>
    }
    mmk.yield %loop : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{store = overlapped drains one product in parts, but a fusion group has 2; nearest legal: store = after}}
  mmk.choice "store" = ["overlapped"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

#id = affine_map<(m, n) -> (m, n)>

module attributes {aicore.machine = #machine} {

mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf16>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group tile [16, 32] steps [16, 16, 16, 16] {
  ^bb0(%block: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %lines = scf.for %i = %c0 to %m step %c1 iter_args(%line = %empty) -> (tensor<?x?xf32>) {
      %loop = scf.for %j = %c0 to %m step %c1 iter_args(%out = %line) -> (tensor<?x?xf32>) {
        %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
        %stages = scf.for %ks = %c0 to %n step %c1 iter_args(%sum = %fill) -> (tensor<?x?xf32>) {
          %steps = scf.for %kb = %c0 to %n step %c1 iter_args(%part = %sum) -> (tensor<?x?xf32>) {
            %first = linalg.contract indexing_maps = [#a, #b, #c]
                ins(%x, %x : tensor<?x?xf16>, tensor<?x?xf16>) outs(%part : tensor<?x?xf32>) -> tensor<?x?xf32>
            scf.yield %first : tensor<?x?xf32>
          }
          scf.yield %steps : tensor<?x?xf32>
        }
        %others = scf.for %ks = %c0 to %n step %c1 iter_args(%sum = %fill) -> (tensor<?x?xf32>) {
          %steps = scf.for %kb = %c0 to %n step %c1 iter_args(%part = %sum) -> (tensor<?x?xf32>) {
            // expected-error @+1 {{'linalg.contract' op is a second product of a fusion group that keeps a panel of the first}}
            %second = linalg.contract indexing_maps = [#a, #b, #c]
                ins(%x, %x : tensor<?x?xf16>, tensor<?x?xf16>) outs(%part : tensor<?x?xf32>) -> tensor<?x?xf32>
            scf.yield %second : tensor<?x?xf32>
          }
          scf.yield %steps : tensor<?x?xf32>
        }
        %both = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
            ins(%stages, %others : tensor<?x?xf32>, tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
        ^bb0(%e: f32, %f: f32, %o: f32):
          %p = arith.mulf %e, %f : f32
          linalg.yield %p : f32
        } -> tensor<?x?xf32>
        %insert = tensor.insert_slice %both into %out[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
        scf.yield %insert : tensor<?x?xf32>
      }
      scf.yield %loop : tensor<?x?xf32>
    }
    mmk.yield %lines : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}
}
