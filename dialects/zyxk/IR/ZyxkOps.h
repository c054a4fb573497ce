// The zyxk dialect: kernels as an iteration domain, ports, a scalar body and a schedule attribute.
// docs/kernels.md explains the model; AxisSets.h gives the axes of a value, ScalarBody.h builds
// scalar ops with zyx semantics.
#pragma once
#include "dialects/zyxk/IR/ScheduleFields.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/zyxk/IR/ZyxkDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/zyxk/IR/ZyxkTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/zyxk/IR/ZyxkAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialects/zyxk/IR/ZyxkOps.h.inc"
