// Elementwise operators as libraries have them, for every type: rows of the table replace f32.
kernel maximum(x: f32[M, N], y: f32[M, N]) -> z: f32[M, N] {
  z = max(x, y);
}

kernel rectify(x: f32[M, N]) -> z: f32[M, N] {
  z = relu(x);
}

kernel bent(x: f32[M, N]) -> z: f32[M, N] {
  z = gelu_tanh(x);
}

kernel sigmoid(x: f32[M, N]) -> z: f32[M, N] {
  z = 1 / (1 + exp(-x));
}

kernel swiglu(x: f32[M, N], y: f32[M, N]) -> z: f32[M, N] {
  z = silu(x) * y;
}
