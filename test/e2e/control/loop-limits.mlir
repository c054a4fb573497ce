// What a loop cannot be is said when the module is read, what its sizes forbid when it is bound; a loop
// without iterations needs nothing.
// RUN: split-file %s %t
// RUN: not zyxc verify %t/name.mlir 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: 2:8: 'zyx.custom' op '' is no name of a function
// RUN: not zyxc verify %t/most.mlir 2>&1 | FileCheck %s --check-prefix=MOST
// MOST: the limit is 1125899906842624, not 0 to 281474976710656
// RUN: not zyxc verify %t/nest.mlir 2>&1 | FileCheck %s --check-prefix=NEST
// NEST: branches and loops are nested more than 16 deep: join conditions (And), or nest fewer
// RUN: zyxc verify --open %t/rows.mlir | FileCheck %s --check-prefix=ROWS
// ROWS: 0 refused by both
// RUN: zyxc compile %t/negative.mlir -o %t.zyxp
// RUN: not zyxc-run %t.zyxp --dim N=0 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: the limit of a loop needs N - 3 >= 0, which is not so at N = 0
// RUN: not zyxc run %t/many.mlir --dim N=20000000 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: too many elements
//--- name.mlir
func.func @main(%c: tensor<i1>, %x: tensor<4xf32>, %n: tensor<4xi64>) -> (tensor<4xf32>) {
  %r = zyx.custom ""(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
//--- most.mlir
func.func @main(%c: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>) {
  %r = zyx.loop limit [1125899906842624] while %c carry %x : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<4xf32>):
    %k = zyx.constant dense<5> : tensor<i64>
    %l = zyx.lt %i, %k : tensor<i64>, tensor<i64> -> tensor<i1>
    %n = zyx.sin %p : tensor<4xf32> -> tensor<4xf32>
    zyx.yield %l, %n : tensor<i1>, tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
//--- nest.mlir
func.func @main(%c: tensor<i1>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %r1 = zyx.if %c : (tensor<i1>) -> tensor<3xf32> {
    %r2 = zyx.if %c : (tensor<i1>) -> tensor<3xf32> {
      %r3 = zyx.if %c : (tensor<i1>) -> tensor<3xf32> {
        %r4 = zyx.if %c : (tensor<i1>) -> tensor<3xf32> {
          %r5 = zyx.if %c : (tensor<i1>) -> tensor<3xf32> {
            %r6 = zyx.if %c : (tensor<i1>) -> tensor<3xf32> {
              %r7 = zyx.if %c : (tensor<i1>) -> tensor<3xf32> {
                %r8 = zyx.if %c : (tensor<i1>) -> tensor<3xf32> {
                  %r9 = zyx.if %c : (tensor<i1>) -> tensor<3xf32> {
                    %r10 = zyx.if %c : (tensor<i1>) -> tensor<3xf32> {
                      %r11 = zyx.if %c : (tensor<i1>) -> tensor<3xf32> {
                        %r12 = zyx.if %c : (tensor<i1>) -> tensor<3xf32> {
                          %r13 = zyx.if %c : (tensor<i1>) -> tensor<3xf32> {
                            %r14 = zyx.if %c : (tensor<i1>) -> tensor<3xf32> {
                              %r15 = zyx.if %c : (tensor<i1>) -> tensor<3xf32> {
                                %r16 = zyx.if %c : (tensor<i1>) -> tensor<3xf32> {
                                  %r17 = zyx.if %c : (tensor<i1>) -> tensor<3xf32> {
                                    %s18 = zyx.sin %x : tensor<3xf32> -> tensor<3xf32>
                                    %t18 = zyx.add %s18, %x : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
                                    zyx.yield %t18 : tensor<3xf32>
                                  } else { zyx.yield %x : tensor<3xf32> }
                                  zyx.yield %r17 : tensor<3xf32>
                                } else { zyx.yield %x : tensor<3xf32> }
                                zyx.yield %r16 : tensor<3xf32>
                              } else { zyx.yield %x : tensor<3xf32> }
                              zyx.yield %r15 : tensor<3xf32>
                            } else { zyx.yield %x : tensor<3xf32> }
                            zyx.yield %r14 : tensor<3xf32>
                          } else { zyx.yield %x : tensor<3xf32> }
                          zyx.yield %r13 : tensor<3xf32>
                        } else { zyx.yield %x : tensor<3xf32> }
                        zyx.yield %r12 : tensor<3xf32>
                      } else { zyx.yield %x : tensor<3xf32> }
                      zyx.yield %r11 : tensor<3xf32>
                    } else { zyx.yield %x : tensor<3xf32> }
                    zyx.yield %r10 : tensor<3xf32>
                  } else { zyx.yield %x : tensor<3xf32> }
                  zyx.yield %r9 : tensor<3xf32>
                } else { zyx.yield %x : tensor<3xf32> }
                zyx.yield %r8 : tensor<3xf32>
              } else { zyx.yield %x : tensor<3xf32> }
              zyx.yield %r7 : tensor<3xf32>
            } else { zyx.yield %x : tensor<3xf32> }
            zyx.yield %r6 : tensor<3xf32>
          } else { zyx.yield %x : tensor<3xf32> }
          zyx.yield %r5 : tensor<3xf32>
        } else { zyx.yield %x : tensor<3xf32> }
        zyx.yield %r4 : tensor<3xf32>
      } else { zyx.yield %x : tensor<3xf32> }
      zyx.yield %r3 : tensor<3xf32>
    } else { zyx.yield %x : tensor<3xf32> }
    zyx.yield %r2 : tensor<3xf32>
  } else { zyx.yield %x : tensor<3xf32> }
  return %r1 : tensor<3xf32>
}
//--- rows.mlir
func.func @main(%x: tensor<?xf32, #zyx.dims<"N">>, %i: tensor<i64>, %c: tensor<i1>) -> (tensor<f32>, tensor<?xf32, #zyx.dims<"N">>) {
  %z = zyx.constant dense<1.0> : tensor<f32>
  %r:2 = zyx.loop limit ["N"] while %c carry %z : (tensor<i1>, tensor<f32>) -> (tensor<f32>, tensor<?xf32, #zyx.dims<"N">>) {
  ^bb0(%k: tensor<i64>, %p: tensor<f32>):
    %d = zyx.gather %x, %k axis 0 : tensor<?xf32, #zyx.dims<"N">>, tensor<i64> -> tensor<f32>
    %s = zyx.max %p, %d : tensor<f32>, tensor<f32> -> tensor<f32>
    zyx.yield %c, %s, %s : tensor<i1>, tensor<f32>, tensor<f32>
  }
  return %r#0, %r#1 : tensor<f32>, tensor<?xf32, #zyx.dims<"N">>
}
//--- negative.mlir
func.func @main(%c: tensor<i1>, %x: tensor<?xf32, #zyx.dims<"N">>) -> (tensor<?xf32, #zyx.dims<"N">>) {
  %l = zyx.loop limit ["N - 3"] while %c carry %x : (tensor<i1>, tensor<?xf32, #zyx.dims<"N">>) -> (tensor<?xf32, #zyx.dims<"N">>) {
  ^bb0(%i: tensor<i64>, %a: tensor<?xf32, #zyx.dims<"N">>):
    %s = zyx.sin %a : tensor<?xf32, #zyx.dims<"N">> -> tensor<?xf32, #zyx.dims<"N">>
    zyx.yield %c, %s : tensor<i1>, tensor<?xf32, #zyx.dims<"N">>
  }
  return %l : tensor<?xf32, #zyx.dims<"N">>
}
//--- many.mlir
func.func @main(%c: tensor<i1>, %x: tensor<?xf32, #zyx.dims<"N">>) -> (tensor<?xf32, #zyx.dims<"N">>, tensor<?x?xf32, #zyx.dims<"N * N", "N">>) {
  %l:2 = zyx.loop limit ["N * N"] while %c carry %x : (tensor<i1>, tensor<?xf32, #zyx.dims<"N">>) -> (tensor<?xf32, #zyx.dims<"N">>, tensor<?x?xf32, #zyx.dims<"N * N", "N">>) {
  ^bb0(%i: tensor<i64>, %a: tensor<?xf32, #zyx.dims<"N">>):
    %s = zyx.sin %a : tensor<?xf32, #zyx.dims<"N">> -> tensor<?xf32, #zyx.dims<"N">>
    zyx.yield %c, %s, %a : tensor<i1>, tensor<?xf32, #zyx.dims<"N">>, tensor<?xf32, #zyx.dims<"N">>
  }
  return %l#0, %l#1 : tensor<?xf32, #zyx.dims<"N">>, tensor<?x?xf32, #zyx.dims<"N * N", "N">>
}
