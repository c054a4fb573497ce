// RUN: zyx-opt %s -verify-diagnostics -split-input-file
// Operands that binary ops, comparisons, select and casts refuse.

%x = zyx.leaf "x" id 0 : i1 [2] -> tensor<2xi1>
// expected-error@+1 {{add: is not defined on bool}}
%0 = zyx.add %x, %x : tensor<2xi1>, tensor<2xi1> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : i1 [2] -> tensor<2xi1>
// expected-error@+1 {{sub: is not defined on bool}}
%0 = zyx.sub %x, %x : tensor<2xi1>, tensor<2xi1> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : i1 [2] -> tensor<2xi1>
// expected-error@+1 {{mul: is not defined on bool}}
%0 = zyx.mul %x, %x : tensor<2xi1>, tensor<2xi1> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : i1 [2] -> tensor<2xi1>
// expected-error@+1 {{div: is not defined on bool}}
%0 = zyx.div %x, %x : tensor<2xi1>, tensor<2xi1> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : i1 [2] -> tensor<2xi1>
// expected-error@+1 {{rem: is not defined on bool}}
%0 = zyx.rem %x, %x : tensor<2xi1>, tensor<2xi1> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : i1 [2] -> tensor<2xi1>
// expected-error@+1 {{mod: is not defined on bool}}
%0 = zyx.mod %x, %x : tensor<2xi1>, tensor<2xi1> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : i1 [2] -> tensor<2xi1>
// expected-error@+1 {{pow: is not defined on bool}}
%0 = zyx.pow %x, %x : tensor<2xi1>, tensor<2xi1> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : i1 [2] -> tensor<2xi1>
// expected-error@+1 {{max: is not defined on bool}}
%0 = zyx.max %x, %x : tensor<2xi1>, tensor<2xi1> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : i1 [2] -> tensor<2xi1>
// expected-error@+1 {{min: is not defined on bool}}
%0 = zyx.min %x, %x : tensor<2xi1>, tensor<2xi1> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : i1 [2] -> tensor<2xi1>
// expected-error@+1 {{shl: is not defined on bool}}
%0 = zyx.shl %x, %x : tensor<2xi1>, tensor<2xi1> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : i1 [2] -> tensor<2xi1>
// expected-error@+1 {{shr: is not defined on bool}}
%0 = zyx.shr %x, %x : tensor<2xi1>, tensor<2xi1> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{and: is not defined on f32}}
%0 = zyx.and %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{or: is not defined on f32}}
%0 = zyx.or %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{xor: is not defined on f32}}
%0 = zyx.xor %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
%y = zyx.leaf "y" id 0 : f64 [2] -> tensor<2xf64>
// expected-error@+1 {{eq: operand types f32[2] and f64[2] differ}}
%0 = zyx.eq %x, %y : tensor<2xf32>, tensor<2xf64> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
%y = zyx.leaf "y" id 0 : f64 [2] -> tensor<2xf64>
// expected-error@+1 {{ne: operand types f32[2] and f64[2] differ}}
%0 = zyx.ne %x, %y : tensor<2xf32>, tensor<2xf64> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
%y = zyx.leaf "y" id 0 : f64 [2] -> tensor<2xf64>
// expected-error@+1 {{lt: operand types f32[2] and f64[2] differ}}
%0 = zyx.lt %x, %y : tensor<2xf32>, tensor<2xf64> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
%y = zyx.leaf "y" id 0 : f64 [2] -> tensor<2xf64>
// expected-error@+1 {{le: operand types f32[2] and f64[2] differ}}
%0 = zyx.le %x, %y : tensor<2xf32>, tensor<2xf64> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
%y = zyx.leaf "y" id 0 : f64 [2] -> tensor<2xf64>
// expected-error@+1 {{gt: operand types f32[2] and f64[2] differ}}
%0 = zyx.gt %x, %y : tensor<2xf32>, tensor<2xf64> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
%y = zyx.leaf "y" id 0 : f64 [2] -> tensor<2xf64>
// expected-error@+1 {{ge: operand types f32[2] and f64[2] differ}}
%0 = zyx.ge %x, %y : tensor<2xf32>, tensor<2xf64> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
%y = zyx.leaf "y" id 0 : f32 [1] -> tensor<1xf32>
// expected-error@+1 {{add: operand types f32[2] and f32[1] differ}}
%0 = zyx.add %x, %y : tensor<2xf32>, tensor<1xf32> -> tensor<2xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{select: the condition is f32, not bool}}
%0 = zyx.select %x, %x, %x : tensor<2xf32>, tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
// -----
%c = zyx.leaf "c" id 0 : i1 [1] -> tensor<1xi1>
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{select: condition shape [1] and operand shape [2] differ}}
%0 = zyx.select %c, %x, %x : tensor<1xi1>, tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{cast: attribute 'dtype' must be an element type}}
%0 = zyx.cast %x to i7 : tensor<2xf32> -> tensor<2xi8>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{bitcast: f32 and f64 have different widths}}
%0 = zyx.bitcast %x to f64 : tensor<2xf32> -> tensor<2xf64>
