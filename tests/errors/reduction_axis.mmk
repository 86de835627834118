// Dimensions have names here, and no numbers.
kernel rows(x: f32[M, N]) -> s: f32[M] {
  s = sum(x, axis = 1);
}
