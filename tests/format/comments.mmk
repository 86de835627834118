

// The head of the file.



// Of the kernel.
kernel   k( // the operands
  /* first */ a:f16[M,K], // a is read once
  // second
  b : const f16 [ K, N ] /* weights */ ,
  s:f32=-.5/* scale */)->/* one result */c:f32[M,N]{// body

  // A product.
  let p=a@b /* tight */ ; // f32
  /* in front */ let q = p +
    // the reason for one
    1 // one
    * 2;


  c = select( p>0 , // positive
    q, /* else */ -q );
  // behind the statements

  schedule{ // general
    tile M=128|/* or */64,N=256; // tiles
    // no more
  }
  schedule for ascend910b*{}
  case a{M=1;N=1;K=1;} // small
  // larger
  case bcd{M=2;N=2;K=2; /* deep */}
  case e{M=3;N=3;K=3; // last
  }

  check{rtol=1e-3;atol=1e-3;}

  // before the end

} // of k
/* between */ fn f(x) = x; /* a
   block */
fn g(x) =
  // why
  x*x;

// The end.

