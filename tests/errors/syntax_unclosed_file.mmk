// The file ends inside the kernel.
kernel one(a: f32[N]) -> c: f32[N] {
  c = a;
