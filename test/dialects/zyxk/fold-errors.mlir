// RUN: zyx-opt %s --split-input-file --verify-diagnostics

zyxk.kernel @no_merge ports(%x: in f32[8], %y: out f32[1]) axes(i < 8) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[i] : f32
  // expected-error @below {{with order tree needs a merge, which joins the states of two parts}}
  %s = fold %a over [i] order tree init(%zero) step(%s: f32, %v: f32) {
    %t = arith.addf %s, %v : f32
    yield %t : f32
  }
}

// -----

zyxk.kernel @useless_merge ports(%x: in f32[8], %y: out f32[1]) axes(i < 8) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[i] : f32
  // expected-error @below {{has a merge, which its order serial never uses; say order tree (associative) or order free}}
  %s = fold %a over [i] init(%zero) step(%s: f32, %v: f32) {
    yield %s : f32
  } merge(%s: f32, %t: f32) {
    yield %s : f32
  }
}

// -----

zyxk.kernel @two_axes ports(%x: in f32[8, 8], %y: out f32[1]) axes(i < 8, j < 8) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[i, j] : f32
  // expected-error @below {{with order serial goes along one axis; fold one axis after the other, or say order free}}
  %s = fold %a over [i, j] init(%zero) step(%s: f32, %v: f32) {
    yield %s : f32
  }
}

// -----

zyxk.kernel @bool_state ports(%x: in f32[8], %y: out f32[1]) axes(i < 8) {
  %off = arith.constant false
  %a = load %x[i] : f32
  // expected-error @below {{has a state of type 'i1'; a state is an integer of 8 to 64 bits or a float}}
  %s = fold %a over [i] init(%off) step(%s: i1, %v: f32) {
    yield %s : i1
  }
}

// -----

zyxk.kernel @init_axes ports(%x: in f32[8], %y: out f32[1]) axes(i < 8) {
  %a = load %x[i] : f32
  // expected-error @below {{begins with a value that depends on axis 'i', over which it runs}}
  %s = fold %a over [i] init(%a) step(%s: f32, %v: f32) {
    yield %s : f32
  }
}

// -----

zyxk.kernel @arguments ports(%x: in f32[8], %y: out f32[1]) axes(i < 8) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[i] : f32
  // expected-error @below {{step takes 1 states and 1 values, not 1 arguments}}
  %s = fold %a over [i] init(%zero) step(%s: f32) {
    yield %s : f32
  }
}

// -----

zyxk.kernel @merge_arguments ports(%x: in f32[8], %y: out f32[1]) axes(i < 8) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[i] : f32
  // expected-error @below {{merge takes the states of two parts, not 'f32'}}
  %s = fold %a over [i] order free init(%zero) step(%s: f32, %v: f32) {
    yield %s : f32
  } merge(%s: f32) {
    yield %s : f32
  }
}

// -----

zyxk.kernel @yielded ports(%x: in f32[8], %y: out f32[1]) axes(i < 8) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[i] : f32
  %s = fold %a over [i] init(%zero) step(%s: f32, %v: f32) {
    // expected-error @below {{gives 'f32', 'f32', but the state is 'f32'}}
    yield %s, %v : f32, f32
  }
}

// -----

zyxk.kernel @no_yield ports(%x: in f32[8], %y: out f32[1]) axes(i < 8) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[i] : f32
  %s = fold %a over [i] init(%zero) step(%s: f32, %v: f32) {
    // expected-error @below {{block with no terminator}}
    %t = arith.addf %s, %v : f32
  }
}

// -----

zyxk.kernel @outside ports(%x: in f32[8], %y: out f32[1]) axes(i < 8) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[i] : f32
  %s = fold %a over [i] init(%zero) step(%s: f32, %v: f32) {
    // expected-error @below {{use of undeclared SSA value name}}
    %t = arith.addf %s, %a : f32
    yield %t : f32
  }
}

// -----

zyxk.kernel @called ports(%x: in f32[8], %y: out f32[1]) axes(i < 8) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[i] : f32
  %s = fold %a over [i] init(%zero) step(%s: f32, %v: f32) {
    // expected-error @below {{expects parent op 'zyxk.kernel'}}
    %t = scalar @relu(%v) : f32
    yield %t : f32
  }
}
