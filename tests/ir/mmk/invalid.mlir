// Every message of the verifiers of the mmk dialect, one wrong program each.
// RUN: mmk-opt %s -verify-diagnostics -split-input-file

// expected-error @+1 {{'mmk.kernel' op has 2 parameters, but its body takes 1}}
mmk.kernel @parameters dims ["N"] args [#mmk.named<"x"["N"]>, #mmk.named<"y"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  mmk.return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{'mmk.kernel' op "x" has 1 dimensions, but its type is 'tensor<?x?xf32>'}}
mmk.kernel @rank_of_parameter dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  mmk.return %x : tensor<?x?xf32>
}

// -----

// A scalar is a parameter without dimensions; with dimensions it is no scalar.
// expected-error @+1 {{'mmk.kernel' op "alpha" has 1 dimensions, but its type is 'f32'}}
mmk.kernel @scalar_with_dimensions dims ["N"] args [#mmk.named<"x"["N"]>, #mmk.named<"alpha"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>, %alpha: f32):
  mmk.return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{'mmk.kernel' op "z" has 2 dimensions, but its type is 'tensor<?xf32>'}}
mmk.kernel @rank_of_result dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N", "N"]>] {
^bb0(%x: tensor<?xf32>):
  mmk.return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{'mmk.kernel' op "alpha" is a constant, but no tensor}}
mmk.kernel @constant_scalar dims ["N"] args [#mmk.named<"x"["N"]>, #mmk.named<"alpha" const>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>, %alpha: f32):
  mmk.return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{'mmk.kernel' op "z" is a constant, but a result}}
mmk.kernel @constant_result dims ["N"] args [#mmk.named<"x"["N"] const>] results [#mmk.named<"z"["N"] const>] {
^bb0(%x: tensor<?xf32>):
  mmk.return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{'mmk.kernel' op expected the body to end with mmk.return}}
mmk.kernel @no_return dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  %n = mmk.dim "N"
}

// -----

// A body without any op has no terminator.
// expected-error @+1 {{'mmk.kernel' op expected the body to end with mmk.return}}
mmk.kernel @empty_body dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
}

// -----

// expected-error @+1 {{'mmk.kernel' op has 2 results, but returns 1}}
mmk.kernel @results dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"y"["N"]>, #mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  mmk.return %x : tensor<?xf32>
}

// -----

mmk.kernel @repeated dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  mmk.return %x : tensor<?xf32>
} schedule {
  mmk.choice "tile.N" = [512]
  // expected-error @+1 {{'mmk.choice' op repeats the directive tile.N}}
  mmk.choice "tile.N" = [1024]
}

// -----

mmk.kernel @no_alternative dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  mmk.return %x : tensor<?xf32>
} schedule {
  // expected-error @+1 {{'mmk.choice' op expected at least one alternative}}
  mmk.choice "tile.N" = []
}

// -----

mmk.kernel @wrong_alternative dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  mmk.return %x : tensor<?xf32>
} schedule {
  // expected-error @+1 {{'mmk.choice' op expected integers and strings as alternatives, found 5.000000e-01 : f64}}
  mmk.choice "tile.N" = [512, 0.5]
}

// -----

mmk.kernel @rule_of_index dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  mmk.return %x : tensor<?xf32>
} schedule {
  // expected-error @+1 {{'mmk.require' op expected the rule to yield one i1}}
  mmk.require "tile.N" {
    %n = mmk.chosen "tile.N"
    mmk.yield %n : index
  }
}

// -----

mmk.kernel @rule_of_nothing dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  mmk.return %x : tensor<?xf32>
} schedule {
  // expected-error @+1 {{'mmk.require' op expected the rule to yield one i1}}
  mmk.require "tile.N" {
    %n = mmk.chosen "tile.N"
  }
}

// -----

mmk.kernel @nest_without_block dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  // expected-error @+1 {{'mmk.fusion_group' op expected one index argument, the number of the core}}
  %y = mmk.fusion_group {
    mmk.yield %x : tensor<?xf32>
  } -> tensor<?xf32>
  mmk.return %y : tensor<?xf32>
}

// -----

mmk.kernel @nest_yields_other_type dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  // expected-error @+1 {{'mmk.fusion_group' op expected to yield its results}}
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    mmk.yield %x : tensor<?xf32>
  } -> tensor<?xf16>
  mmk.return %x : tensor<?xf32>
}

// -----

mmk.kernel @nest_tile dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  // expected-error @+1 {{'mmk.fusion_group' op expected rows and columns of a tile, found array<i64: 64>}}
  %y = mmk.fusion_group tile [64] {
  ^bb0(%block: index):
    mmk.yield %x : tensor<?xf32>
  } -> tensor<?xf32>
  mmk.return %y : tensor<?xf32>
}

// -----

mmk.kernel @nest_steps dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  // expected-error @+1 {{'mmk.fusion_group' op expected the depth of a stage and of a base tile for each of its 0 products, found array<i64: 64, 16>}}
  %y = mmk.fusion_group tile [1, 64] steps [64, 16] {
  ^bb0(%block: index):
    mmk.yield %x : tensor<?xf32>
  } -> tensor<?xf32>
  mmk.return %y : tensor<?xf32>
}

// -----

// Operations of a kernel are refused outside of one.
// expected-error @+1 {{'mmk.choice' op expects parent op 'mmk.kernel'}}
mmk.choice "tile.N" = [512]

// -----

// A name that the kernel does not have; a literal dimension is its number and always known.
mmk.kernel @unknown_dimension dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  %literal = mmk.dim "64"
  // expected-error @+1 {{'mmk.dim' op names no dimension of its kernel: M}}
  %m = mmk.dim "M"
  mmk.return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{'mmk.kernel' op "x" has the dimension "M", which its kernel does not have}}
mmk.kernel @unknown_dimension_of_parameter dims ["N"] args [#mmk.named<"x"["M"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  mmk.return %x : tensor<?xf32>
}

// -----

mmk.kernel @cumulate_beyond_rank dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  // expected-error @+1 {{'mmk.cumulate' op goes along dimension 1 of 'tensor<?xf32>'}}
  %y = mmk.cumulate %x along 1 : tensor<?xf32>
  mmk.return %y : tensor<?xf32>
}

// -----

mmk.kernel @nothing_reduced dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  // expected-error @+1 {{'mmk.fusion_group' op expected to reduce some of its dimensions ["N"]}}
  %y = mmk.fusion_group over ["N"] {
  ^bb0(%block: index):
    mmk.yield %x : tensor<?xf32>
  } -> tensor<?xf32>
  mmk.return %y : tensor<?xf32>
}

// -----

mmk.kernel @reduces_beyond dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  // expected-error @+1 {{'mmk.fusion_group' op reduces dimension 1, but has 1}}
  %y = mmk.fusion_group over ["N"] reduce [1] {
  ^bb0(%block: index):
    mmk.yield %x : tensor<?xf32>
  } -> tensor<?xf32>
  mmk.return %y : tensor<?xf32>
}

// -----

mmk.kernel @positions_of_floats dims ["N"] args [#mmk.named<"x"["N"]>, #mmk.named<"seed">, #mmk.named<"p">] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>, %seed: i32, %p: f32):
  // expected-error @+1 {{'mmk.positions' op expected a tensor of i32 with one dimension, found 'tensor<?xf32>'}}
  %y = mmk.positions "N" : tensor<?xf32>
  mmk.return %x : tensor<?xf32>
}

// -----

mmk.kernel @random_integers dims ["N"] args [#mmk.named<"x"["N"]>, #mmk.named<"seed">, #mmk.named<"p">] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>, %seed: i32, %p: f32):
  // expected-error @+1 {{'mmk.random' op expected a tensor of f32, found 'tensor<?xi32>'}}
  %y = mmk.random ["N"] of %seed : tensor<?xi32>
  mmk.return %x : tensor<?xf32>
}

// -----

mmk.kernel @random_rank dims ["N"] args [#mmk.named<"x"["N"]>, #mmk.named<"seed">, #mmk.named<"p">] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>, %seed: i32, %p: f32):
  // expected-error @+1 {{'mmk.random' op expected a tensor of 2 dimensions, one for each of its names, found 'tensor<?xf32>'}}
  %y = mmk.random ["N", "N"] of %seed : tensor<?xf32>
  mmk.return %x : tensor<?xf32>
}

// -----

mmk.kernel @window_elements dims ["N"] args [#mmk.named<"x"["N"]>, #mmk.named<"seed">, #mmk.named<"p">] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>, %seed: i32, %p: f32):
  // expected-error @+1 {{'mmk.window' op expected elements of 'f32', found 'tensor<?xf16>'}}
  %y = mmk.window %x at affine_map<(i) -> (i)> ["N"] : tensor<?xf32> -> tensor<?xf16>
  mmk.return %x : tensor<?xf32>
}

// -----

mmk.kernel @window_padding dims ["N"] args [#mmk.named<"x"["N"]>, #mmk.named<"seed">, #mmk.named<"p">] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>, %seed: i32, %p: f32):
  // expected-error @+1 {{'mmk.window' op expected a padding of 'f32', found 'i32'}}
  %y = mmk.window %x at affine_map<(i) -> (i)> ["N"] pad %seed : i32 : tensor<?xf32> -> tensor<?xf32>
  mmk.return %x : tensor<?xf32>
}

// -----

mmk.kernel @window_indices dims ["N"] args [#mmk.named<"x"["N"]>, #mmk.named<"seed">, #mmk.named<"p">] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>, %seed: i32, %p: f32):
  // expected-error @+1 {{'mmk.window' op expected a tensor of 2 dimensions, one for each of its indices, found 'tensor<?xf32>'}}
  %y = mmk.window %x at affine_map<(i) -> (i, i)> ["N"] : tensor<?xf32> -> tensor<?xf32>
  mmk.return %x : tensor<?xf32>
}

// -----

mmk.kernel @window_positions dims ["N"] args [#mmk.named<"x"["N"]>, #mmk.named<"seed">, #mmk.named<"p">] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>, %seed: i32, %p: f32):
  // expected-error @+1 {{'mmk.window' op expected indices of 1 positions and 0 extents, found affine_map<(d0)[s0] -> (d0 + s0)>}}
  %y = mmk.window %x at affine_map<(i)[n] -> (i + n)> ["N"] : tensor<?xf32> -> tensor<?xf32>
  mmk.return %x : tensor<?xf32>
}

// -----

mmk.kernel @rows_outside dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  // expected-error @+1 {{'mmk.rows' op expected to be in a mmk.fusion_group over dimensions}}
  %y = mmk.rows %x along [array<i64: 0>] to [array<i64: 0>] {
  ^bb0(%e: f32):
    mmk.row_elements %e : f32
  } : (tensor<?xf32>) -> tensor<?xf32>
  mmk.return %y : tensor<?xf32>
}

// -----

mmk.kernel @rows_input dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  %z = mmk.fusion_group over ["N"] reduce [0] {
  ^bb0(%block: index):
    // expected-error @+1 {{'mmk.rows' op expected an element of each tensor, and a dimension of its space, or -1, for each dimension of the tensor}}
    %y = mmk.rows %x along [array<i64: 1>] to [array<i64: 0>] {
    ^bb0(%e: f32):
      mmk.row_elements %e : f32
    } : (tensor<?xf32>) -> tensor<?xf32>
    mmk.yield %y : tensor<?xf32>
  } -> tensor<?xf32>
  mmk.return %z : tensor<?xf32>
}

// -----

mmk.kernel @rows_result dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  %z = mmk.fusion_group over ["N"] reduce [0] {
  ^bb0(%block: index):
    // expected-error @+1 {{'mmk.rows' op expected an element of each result, and a dimension of its space, or -1, for each dimension of the result}}
    %y = mmk.rows %x along [array<i64: 0>] to [array<i64>] {
    ^bb0(%e: f32):
      mmk.row_elements %e : f32
    } : (tensor<?xf32>) -> tensor<?xf32>
    mmk.yield %y : tensor<?xf32>
  } -> tensor<?xf32>
  mmk.return %z : tensor<?xf32>
}

// -----

mmk.kernel @rows_parts dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  %z = mmk.fusion_group over ["N"] reduce [0] {
  ^bb0(%block: index):
    // expected-error @+1 {{'mmk.rows' op expected a number of parts for each of 1 dimensions}}
    %y = mmk.rows %x along [array<i64: 0>] to [array<i64: 0>] parts [1, 4] {
    ^bb0(%e: f32):
      mmk.row_elements %e : f32
    } : (tensor<?xf32>) -> tensor<?xf32>
    mmk.yield %y : tensor<?xf32>
  } -> tensor<?xf32>
  mmk.return %z : tensor<?xf32>
}

// -----

mmk.kernel @row_position dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  %z = mmk.fusion_group over ["N"] reduce [0] {
  ^bb0(%block: index):
    %y = mmk.rows %x along [array<i64: 0>] to [array<i64: -1>] {
    ^bb0(%e: f32):
      // expected-error @+1 {{'mmk.row_reduce' op expected a position of argmax and argmin, and of no other kind}}
      %r = mmk.row_reduce argmax %e from 0.0 : f32 : (f32) -> f32
      mmk.row_elements %r : f32
    } : (tensor<?xf32>) -> tensor<?xf32>
    mmk.yield %y : tensor<?xf32>
  } -> tensor<?xf32>
  mmk.return %z : tensor<?xf32>
}

// -----

mmk.kernel @row_scan dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  %z = mmk.fusion_group over ["N"] reduce [0] {
  ^bb0(%block: index):
    %y = mmk.rows %x along [array<i64: 0>] to [array<i64: 0>] {
    ^bb0(%e: f32):
      // expected-error @+1 {{'mmk.row_reduce' op expected a scan to add}}
      %r = mmk.row_reduce max scan %e from 0.0 : f32 : (f32) -> f32
      mmk.row_elements %r : f32
    } : (tensor<?xf32>) -> tensor<?xf32>
    mmk.yield %y : tensor<?xf32>
  } -> tensor<?xf32>
  mmk.return %z : tensor<?xf32>
}

// -----

mmk.kernel @row_identity dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"z"["N"]>] {
^bb0(%x: tensor<?xf32>):
  %z = mmk.fusion_group over ["N"] reduce [0] {
  ^bb0(%block: index):
    %y = mmk.rows %x along [array<i64: 0>] to [array<i64: -1>] {
    ^bb0(%e: f32):
      // expected-error @+1 {{'mmk.row_reduce' op starts from 0 : i32, but combines 'f32'}}
      %r = mmk.row_reduce add %e from 0 : i32 : (f32) -> f32
      mmk.row_elements %r : f32
    } : (tensor<?xf32>) -> tensor<?xf32>
    mmk.yield %y : tensor<?xf32>
  } -> tensor<?xf32>
  mmk.return %z : tensor<?xf32>
}
