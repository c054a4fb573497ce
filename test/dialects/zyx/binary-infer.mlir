// RUN: zyx-opt %s -verify-diagnostics -split-input-file
// The declared type must be the inferred one.

%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{add: the result has type 'tensor<3xf32>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.add %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{sub: the result has type 'tensor<3xf32>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.sub %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{mul: the result has type 'tensor<3xf32>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.mul %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{div: the result has type 'tensor<3xf32>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.div %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{rem: the result has type 'tensor<3xf32>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.rem %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{mod: the result has type 'tensor<3xf32>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.mod %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{pow: the result has type 'tensor<3xf32>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.pow %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{max: the result has type 'tensor<3xf32>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.max %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{min: the result has type 'tensor<3xf32>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.min %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<3xf32>
// -----
%x = zyx.leaf "x" id 0 : i8 [2] -> tensor<2xi8>
// expected-error@+1 {{and: the result has type 'tensor<2xi16>', operands and attributes give 'tensor<2xi8>'}}
%0 = zyx.and %x, %x : tensor<2xi8>, tensor<2xi8> -> tensor<2xi16>
// -----
%x = zyx.leaf "x" id 0 : i8 [2] -> tensor<2xi8>
// expected-error@+1 {{or: the result has type 'tensor<2xi16>', operands and attributes give 'tensor<2xi8>'}}
%0 = zyx.or %x, %x : tensor<2xi8>, tensor<2xi8> -> tensor<2xi16>
// -----
%x = zyx.leaf "x" id 0 : i8 [2] -> tensor<2xi8>
// expected-error@+1 {{xor: the result has type 'tensor<2xi16>', operands and attributes give 'tensor<2xi8>'}}
%0 = zyx.xor %x, %x : tensor<2xi8>, tensor<2xi8> -> tensor<2xi16>
// -----
%x = zyx.leaf "x" id 0 : i8 [2] -> tensor<2xi8>
// expected-error@+1 {{shl: the result has type 'tensor<2xi16>', operands and attributes give 'tensor<2xi8>'}}
%0 = zyx.shl %x, %x : tensor<2xi8>, tensor<2xi8> -> tensor<2xi16>
// -----
%x = zyx.leaf "x" id 0 : i8 [2] -> tensor<2xi8>
// expected-error@+1 {{shr: the result has type 'tensor<2xi16>', operands and attributes give 'tensor<2xi8>'}}
%0 = zyx.shr %x, %x : tensor<2xi8>, tensor<2xi8> -> tensor<2xi16>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{eq: the result has type 'tensor<2xf32>', operands and attributes give 'tensor<2xi1>'}}
%0 = zyx.eq %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{ne: the result has type 'tensor<2xf32>', operands and attributes give 'tensor<2xi1>'}}
%0 = zyx.ne %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{lt: the result has type 'tensor<2xf32>', operands and attributes give 'tensor<2xi1>'}}
%0 = zyx.lt %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{le: the result has type 'tensor<2xf32>', operands and attributes give 'tensor<2xi1>'}}
%0 = zyx.le %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{gt: the result has type 'tensor<2xf32>', operands and attributes give 'tensor<2xi1>'}}
%0 = zyx.gt %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{ge: the result has type 'tensor<2xf32>', operands and attributes give 'tensor<2xi1>'}}
%0 = zyx.ge %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
// -----
%c = zyx.leaf "c" id 0 : i1 [2] -> tensor<2xi1>
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{select: the result has type 'tensor<2xi1>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.select %c, %x, %x : tensor<2xi1>, tensor<2xf32>, tensor<2xf32> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{cast: the result has type 'tensor<2xi16>', operands and attributes give 'tensor<2xi8>'}}
%0 = zyx.cast %x to i8 : tensor<2xf32> -> tensor<2xi16>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{bitcast: the result has type 'tensor<4xi32>', operands and attributes give 'tensor<2xi32>'}}
%0 = zyx.bitcast %x to i32 : tensor<2xf32> -> tensor<4xi32>
