// All ops of the zyx dialect, by family.
include "dialects/zyx/IR/ZyxOrder.td"
include "dialects/zyx/IR/ZyxAttrs.td"
include "dialects/zyx/IR/ZyxStructural.td"
include "dialects/zyx/IR/ZyxElementwise.td"
include "dialects/zyx/IR/ZyxReduce.td"
include "dialects/zyx/IR/ZyxMovement.td"
include "dialects/zyx/IR/ZyxComposite.td"
