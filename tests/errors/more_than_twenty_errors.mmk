// After twenty errors the rest is counted.
kernel k(a: f32[N]) -> c: f32[N] {
  let v0 = a + x0;
  let v1 = a + x1;
  let v2 = a + x2;
  let v3 = a + x3;
  let v4 = a + x4;
  let v5 = a + x5;
  let v6 = a + x6;
  let v7 = a + x7;
  let v8 = a + x8;
  let v9 = a + x9;
  let v10 = a + x10;
  let v11 = a + x11;
  let v12 = a + x12;
  let v13 = a + x13;
  let v14 = a + x14;
  let v15 = a + x15;
  let v16 = a + x16;
  let v17 = a + x17;
  let v18 = a + x18;
  let v19 = a + x19;
  let v20 = a + x20;
  let v21 = a + x21;
  let v22 = a + x22;
  c = a;
}
