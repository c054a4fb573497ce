// RUN: zyx-opt %s -verify-diagnostics -split-input-file
// Elements of less than a byte are stored and cast, nothing else.

%x = zyx.leaf "x" id 0 : i4 [2, 3] -> tensor<2x3xi4>
// expected-error@+1 {{add: is not defined on i4, which elements are only stored in: cast them}}
%0 = zyx.add %x, %x : tensor<2x3xi4>, tensor<2x3xi4> -> tensor<2x3xi4>
// -----
%x = zyx.leaf "x" id 0 : f4E2M1FN [2, 3] -> tensor<2x3xf4E2M1FN>
// expected-error@+1 {{softmax: is not defined on f4E2M1FN, which elements are only stored in: cast them}}
%0 = zyx.softmax %x over [1] : tensor<2x3xf4E2M1FN> -> tensor<2x3xf4E2M1FN>
// -----
%x = zyx.leaf "x" id 0 : i8 [2, 3] -> tensor<2x3xi8>
// expected-error@+1 {{contract: products of i8 cannot be accumulated in i4}}
%0 = zyx.contract %x [0, 1], %x [0, 1] -> [0] in i4 to i8 : tensor<2x3xi8>, tensor<2x3xi8> -> tensor<2xi8>
// -----
%x = zyx.leaf "x" id 0 : i8 [2, 3] -> tensor<2x3xi8>
// expected-error@+1 {{contract: is not defined on i4, which elements are only stored in: cast them}}
%0 = zyx.contract %x [0, 1], %x [0, 1] -> [0] in i32 to i4 : tensor<2x3xi8>, tensor<2x3xi8> -> tensor<2xi4>
// -----
%x = zyx.leaf "x" id 0 : ui2 [3] -> tensor<3xui2>
// expected-error@+1 {{sort: is not defined on u2, which elements are only stored in: cast them}}
%0 = zyx.sort %x descending 0 : tensor<3xui2> -> tensor<3xui2>
// -----
// expected-error@+1 {{iota: is not defined on u4, which elements are only stored in: cast them}}
%0 = zyx.iota [3] axis 0 to ui4 -> tensor<3xui4>
