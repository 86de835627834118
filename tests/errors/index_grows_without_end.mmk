// Each function calls the one before twice, so that 40 of them make a trillion operations.
fn f0(x) = x * x + 1;
fn f1(x) = f0(f0(x) + 1);
fn f2(x) = f1(f1(x) + 2);
fn f3(x) = f2(f2(x) + 3);
fn f4(x) = f3(f3(x) + 4);
fn f5(x) = f4(f4(x) + 5);
fn f6(x) = f5(f5(x) + 6);
fn f7(x) = f6(f6(x) + 7);
fn f8(x) = f7(f7(x) + 8);
fn f9(x) = f8(f8(x) + 9);
fn f10(x) = f9(f9(x) + 10);
fn f11(x) = f10(f10(x) + 11);
fn f12(x) = f11(f11(x) + 12);
fn f13(x) = f12(f12(x) + 13);
fn f14(x) = f13(f13(x) + 14);
fn f15(x) = f14(f14(x) + 15);
fn f16(x) = f15(f15(x) + 16);
fn f17(x) = f16(f16(x) + 17);
fn f18(x) = f17(f17(x) + 18);
fn f19(x) = f18(f18(x) + 19);
fn f20(x) = f19(f19(x) + 20);
fn f21(x) = f20(f20(x) + 21);
fn f22(x) = f21(f21(x) + 22);
fn f23(x) = f22(f22(x) + 23);
fn f24(x) = f23(f23(x) + 24);
fn f25(x) = f24(f24(x) + 25);
fn f26(x) = f25(f25(x) + 26);
fn f27(x) = f26(f26(x) + 27);
fn f28(x) = f27(f27(x) + 28);
fn f29(x) = f28(f28(x) + 29);
fn f30(x) = f29(f29(x) + 30);
fn f31(x) = f30(f30(x) + 31);
fn f32(x) = f31(f31(x) + 32);
fn f33(x) = f32(f32(x) + 33);
fn f34(x) = f33(f33(x) + 34);
fn f35(x) = f34(f34(x) + 35);
fn f36(x) = f35(f35(x) + 36);
fn f37(x) = f36(f36(x) + 37);
fn f38(x) = f37(f37(x) + 38);
fn f39(x) = f38(f38(x) + 39);

kernel k(a: f32[N]) -> c: f32[N] {
  c[i] = f39(a[i]);
}
