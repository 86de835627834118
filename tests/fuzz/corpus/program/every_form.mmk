fn twice(x) = x + x; /* and */ kernel k(a: i8[B, M, 64], b: i8[64, N], s: f32 = -.5e1) -> c: f16[B, N, M], d: i32[B, M, N] {
  let p = a @ b; d = p;
  c = cast<f16>(transpose(select(p >= 0 , twice(p), -s * min(p, 1)))) ;
  schedule { tile M = auto | 32, N = 64; stage 
   ; require tile.M * 2 <= 128 && !(cores > 4 || 1 != 1); cores = 2; }
  schedule for ascend310p* { order = swizzle(3); buffers l1.a = 3; }
  case T { B = 1; M = 2; N = 3; s = nan; } check { rtol = 1e-3; atol = inf; }
}
