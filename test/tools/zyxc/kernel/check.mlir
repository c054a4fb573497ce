// What `zyxc kernel check` prints, and that it fails where it must.
// RUN: zyxc kernel check %s --kernel scale --sizes 12 | FileCheck %s --check-prefix=GOOD
// GOOD: checked @scale on host: 12 sizes, 24 runs: all agree with the interpreter (largest error {{.*}} of what is allowed)
// RUN: zyxc kernel check %s --kernel scale --dim N=5,M=3 --verbose | FileCheck %s --check-prefix=ONE
// ONE: @scale M=3 N=5: agrees
// ONE-NEXT: checked @scale on host: 1 size, 2 runs:
// RUN: zyxc kernel check %s --kernel scale --schedule '#zyxk.map<vec = 4>' --sizes 4 | FileCheck %s --check-prefix=SCHEDULE
// SCHEDULE: checked @scale on host: 4 sizes
// RUN: zyxc kernel check %s --kernel scale --work 5000 | FileCheck %s --check-prefix=WORK
// WORK: checked @scale {{.*}}; {{[0-9]+}} sizes left out: too much work for --work=5000)
zyxk.kernel @scale dims(M, N) ports(%x: in f32[M, N], %y: out f32[M, N]) axes(i < M, j < N) {
  %two = arith.constant 2.0 : f32
  %a = load %x[i, j] : f32
  %b = arith.mulf %a, %two : f32
  store %b, %y[i, j] : f32
}

// Padded rows: what lies between them stays as it was.
// RUN: zyxc kernel check %s --kernel pitch --sizes 8 | FileCheck %s --check-prefix=PITCH
// PITCH: checked @pitch on host: 8 sizes
zyxk.kernel @pitch dims(M) ports(%x: in f32[M, 5] layout(i, j -> i * 8 + j),
    %y: out f32[M, 5] layout(i, j -> i * 16 + j) align 64) axes(i < M, j < 5) {
  %a = load %x[i, j] : f32
  store %a, %y[i, j] : f32
}

// What a kernel assumes is respected.
// RUN: zyxc kernel check %s --kernel even --verbose --sizes 6 | FileCheck %s --check-prefix=EVEN
// EVEN-COUNT-6: @even N={{[0-9]*[02468]}}: agrees
// RUN: not zyxc kernel check %s --kernel even --dim N=3 2>&1 | FileCheck %s --check-prefix=ODD
// ODD: zyxc: error: {{.*}}check.mlir: --dim: @even does not assume such dims
zyxk.kernel @even dims(N) ports(%x: in i32[N], %y: out i32[N floordiv 2]) axes(i < N floordiv 2)
    assume(N mod 2 == 0) {
  %a = load %x[i * 2] : i32
  store %a, %y[i] : i32
}

// A kernel that is wrong at some sizes only: the interpreter names the place.
// RUN: sh -c 'zyxc kernel check %s --kernel outside; echo exit $?' 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: zyxc: error: {{.*}}check.mlir: @outside N={{.*}}: {{.*}}check.mlir:[[#]]:{{.*}}load reads outside of its port, and the value is stored by {{.*}}store at i = {{[0-9]+}}
// OUTSIDE-NEXT: exit 3
zyxk.kernel @outside dims(N) ports(%x: in f32[N floordiv 2], %y: out f32[N]) axes(i < N) {
  %i = index i
  %two = arith.constant 2 : index
  %p = arith.divui %i, %two : index
  %a = load %x[%p] : f32
  store %a, %y[i] : f32
}

// An answer that differs is printed and counted: what a cast makes of a number that its type does
// not hold is not defined, and the processor's value is not the interpreter's.
// RUN: sh -c 'zyxc kernel check %s --kernel overflow --dim N=64; echo exit $?' 2>&1 | FileCheck %s --check-prefix=DIFFERS
// DIFFERS-DAG: @overflow N=64: port 1 differs in {{[0-9]+}} of 64 elements; first at [{{[0-9]+}}]: -2147483648, expected 2147483647
// DIFFERS-DAG: zyxc: error: {{.*}}check.mlir: @overflow on host: 1 size, 1 of them differ from the interpreter
// DIFFERS: exit 5
zyxk.kernel @overflow dims(N) ports(%x: in f32[N], %y: out i32[N]) axes(i < N) {
  %large = arith.constant 1.0e+20 : f32
  %a = load %x[i] : f32
  %b = arith.mulf %a, %large : f32
  %c = arith.fptosi %b : f32 to i32
  store %c, %y[i] : i32
}

// Launches of a program run on the memory of those before.
// RUN: zyxc kernel check %s --kernel twice --sizes 8 | FileCheck %s --check-prefix=PROGRAM
// PROGRAM: checked @twice on host: 8 sizes, 16 runs: all agree
zyxk.program @twice dims(M, N) ports(%x: in f32[M, N], %y: out f32[M, N], %w: scratch f32[M, N]) {
  launch @scale(%x, %w) dims(M = M, N = N)
  launch @scale(%w, %y) dims(M = M, N = N)
}
