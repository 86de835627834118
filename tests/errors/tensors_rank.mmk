// A pooling takes images in batches, four dimensions.
kernel pool(x: f32[H, W]) -> y: f32[P, W] {
  dim P = (H - 2) / 2 + 1;
  y = max_pool(x, 2, 2);
}
