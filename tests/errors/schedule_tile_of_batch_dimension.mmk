// D is neither in a result nor inside a product, so that nothing is tiled by it.
kernel k(a: f32[M, N], d: f32[M, D]) -> c: f32[M, N] {
  let unused = d + 1;
  c = a;
  schedule { tile D = 16; }
}
