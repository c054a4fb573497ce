"""view_chain.py LENGTH: a module that writes an input through a chain of views, and reads it after."""
import sys

rows, columns = 64, 64
lines = []
name = "d"


def shape():
    return f"tensor<{rows}x{columns}xf32>"


for step in range(int(sys.argv[1])):
    before = shape()
    if step % 4 == 0:
        rows -= 1
        op, attributes = "narrow", f"starts [1, 0] sizes [{rows}, {columns}] steps [1, 1]"
    elif step % 4 == 2:
        op, attributes = "flip", "[0]"
    else:
        op, attributes = "permute", "[1, 0]"
        rows, columns = columns, rows
    lines.append(f"  %v{step} = zyx.{op} %{name} {attributes} : {before} -> {shape()}")
    name = f"v{step}"
print(f"func.func @main(%d: tensor<64x64xf32>, %s: {shape()}) -> tensor<64x64xf32> {{")
print(*lines, sep="\n")
print(f"  %e = zyx.exp %s : {shape()} -> {shape()}")
print(f"  %w = zyx.assign %{name}, %e : {shape()}")
print(f"  %a = zyx.after %d, %w : tensor<64x64xf32>, {shape()}")
print("  return %a : tensor<64x64xf32>\n}")
