// An int parameter is given where the kernel is compiled.
kernel strided(x: f32[H], stride: int = 2) -> y: f32[P] {
  dim P = H / stride;
  stride = 3;
  y[p] = x[stride * p];
}
