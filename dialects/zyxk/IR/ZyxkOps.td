// All of the zyxk dialect.
include "dialects/zyxk/IR/ZyxkKernel.td"
include "dialects/zyxk/IR/ZyxkProgram.td"
include "dialects/zyxk/IR/ZyxkReduce.td"
include "dialects/zyxk/IR/ZyxkScalar.td"
include "dialects/zyxk/IR/ZyxkSchedules.td"
