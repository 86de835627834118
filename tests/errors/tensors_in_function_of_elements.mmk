// smaller takes a whole image, and gets an element of it.
fn smaller(x) = relu(max_pool(x, 2, 2));
kernel pool(x: f32[B, C, H, W]) -> y: f32[B, C, H, W] {
  y[n, c, h, w] = smaller(x[n, c, h, w]);
}
