// Layouts of ports that are written give each element an address of its own: exact for strides and
// digits of dims, and for what is small enough to be tried. Symbolic ones are checked once bound.
// RUN: zyx-opt %s --split-input-file --verify-diagnostics
// RUN: not zyx-opt %s --split-input-file 2>&1 | FileCheck %s
// RUN: sh -c 'zyxc kernel check %S/Inputs/layouts.mlir --kernel pitch --dim P=3; echo exit $?' 2>&1 | FileCheck %s --check-prefix=BOUND

// BOUND: zyxc: error: {{.*}}layouts.mlir:[[#]]:[[#]]: {{.*}}the layout of port 1 gives two elements one address, but the port is written (with P=3
// BOUND-NEXT: exit 3

// expected-error @below {{the layout of port 1 gives two elements one address, but the port is written}}
zyxk.kernel @broadcast ports(%x: in f32[8, 4], %y: out f32[8, 4] layout(i, j -> j)) axes(i < 8, j < 4) {
  %a = load %x[i, j] : f32
  store %a, %y[i, j] : f32
}

// -----

// Rows that overlap by one element.
// expected-error @below {{the layout of port 0 gives two elements one address}}
zyxk.kernel @overlap ports(%y: inout f32[8, 4] layout(i, j -> i * 3 + j)) axes(i < 8, j < 4) {
  %a = load %y[i, j] : f32
  store %a, %y[i, j] : f32
}

// -----

// 6 * 2 = 4 * 3: too large to be tried, found by the search.
// expected-error @below {{the layout of port 0 gives two elements one address}}
zyxk.kernel @strides ports(%y: inout f32[40000, 40000] layout(i, j -> i * 4 + j * 6)) axes(i < 1) {
}

// -----

// Blocks of 8 that lie 4 apart.
// expected-error @below {{the layout of port 0 gives two elements one address}}
zyxk.kernel @blocks ports(%y: out f32[64] layout(i -> (i floordiv 8) * 4 + i mod 8)) axes(i < 64) {
}

// -----

// expected-error @below {{the layout of port 0 gives two elements one address}}
zyxk.kernel @remainder ports(%y: out f32[9] layout(i -> i mod 8)) axes(i < 9) {
}

// -----

// A port that is read may give one element many coordinates. Columns first, padding, interleaving,
// a stride that only fits because of the extents, blocks with a ragged end, no elements at all.
// CHECK-LABEL: @good
zyxk.kernel @good dims(N) ports(%x: in f32[8, 4] layout(i, j -> j),
    %a: out f32[8, 4] layout(i, j -> j * 8 + i), %b: out f32[8, 4] layout(i, j -> i * 9 + j * 2 + 7),
    %c: out f32[3, 5] layout(i, j -> i * 5 + j * 3),
    %d: out f32[100, 16] layout(i, j -> (i floordiv 8) * 128 + j * 8 + i mod 8),
    %e: out f32[0, 4] layout(i, j -> j * 0), %f: out f32[1000000, 1000000] layout(i, j -> j * 1000000 + i),
    %g: out f32[N, 4] layout(i, j -> j * N + i), %h: out f32[1, 4] layout(i, j -> j)) axes(i < 8, j < 4) {
  %v = load %x[i, j] : f32
  store %v, %a[i, j] : f32
  store %v, %b[i, j] : f32
}
