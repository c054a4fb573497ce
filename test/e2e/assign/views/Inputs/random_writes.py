"""random_writes.py SEED COUNT: random modules that write parts of their inputs through chains of views,
with values that read inputs as they were and as writes left them. Each is compared with the interpreter,
the written inputs, too. Prints the first module that differs, and exits with 1."""
import math
import pathlib
import random
import subprocess
import sys
import tempfile


def tensor(shape):
    return f"tensor<{''.join(f'{size}x' for size in shape)}f32>"


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.inputs = [(f"%in{i}", self.shape()) for i in range(self.random.randint(1, 3))]
        self.writes = []  # (input, result of the assign, its shape)
        self.readable = list(self.inputs)
        for _ in range(self.random.randint(1, 5)):
            self.write()
            if self.random.random() < 0.6:
                self.read_after()
        self.outputs = [self.random.choice(self.readable) for _ in range(self.random.randint(0, 3))]

    def shape(self):
        return [self.random.choice((1, 2, 3, 4, 6)) for _ in range(self.random.randint(1, 3))]

    def add(self, op, operands, attributes, shape):
        """A line `op operands attributes` with a result of this shape; operands are (name, shape)."""
        name = f"%{len(self.lines)}"
        names = ", ".join(operand for operand, _ in operands)
        types = ", ".join(tensor(operand) for _, operand in operands)
        if op == "assign":
            types = tensor(shape)
        elif op != "after":
            types += f" -> {tensor(shape)}"
        self.lines.append(f"{name} = zyx.{op} {names} {attributes}: {types}")
        return name, shape

    def narrow(self, value, starts, sizes):
        steps = [1] * len(sizes)
        return self.add("narrow", [value], f"starts {starts} sizes {sizes} steps {steps} ", sizes)

    def reshape(self, value, shape):
        return self.add("reshape", [value], f"{shape} ", shape)

    def view(self, value):
        """A part of a tensor, or all of it in another order."""
        shape = value[1]
        axes = list(range(len(shape)))
        kind = self.random.choice(("narrow", "flip", "permute", "reshape"))
        if kind == "narrow":
            starts = [self.random.randint(0, size - 1) for size in shape]
            if self.random.random() < 0.5:  # whole in all axes but one
                axis = self.random.choice(axes)
                starts = [start if i == axis else 0 for i, start in enumerate(starts)]
            sizes = [self.random.randint(1, size - start) if start else size
                     for size, start in zip(shape, starts)]
            return self.narrow(value, starts, sizes)
        if kind == "flip":
            turned = sorted(self.random.sample(axes, self.random.randint(1, len(axes))))
            return self.add("flip", [value], f"{turned} ", shape)
        if kind == "permute":
            self.random.shuffle(axes)
            return self.add("permute", [value], f"{axes} ", [shape[axis] for axis in axes])
        left = math.prod(shape)
        first = self.random.choice([size for size in range(1, left + 1) if left % size == 0])
        return self.reshape(value, [first, left // first])

    def views(self, value, most):
        for _ in range(self.random.randint(0, most)):
            value = self.view(value)
        return value

    def fitted(self, shape):
        """What can be read, in this shape: all of it, a part of it, or its maximum."""
        value = self.random.choice(self.readable)
        have, need = math.prod(value[1]), math.prod(shape)
        if have < need:
            axes = list(range(len(value[1])))
            largest = self.add("reduce_max", [value], f"over {axes} ", [])
            ones = self.reshape(largest, [1] * len(shape))
            return self.add("expand", [ones], f"{shape} ", shape)
        if have > need:
            start = self.random.randint(0, have - need)
            value = self.narrow(self.reshape(value, [have]), [start], [need])
        return self.reshape(value, shape)

    def value(self, shape):
        value = self.fitted(shape)
        if self.random.random() < 0.3:
            value = self.add("flip", [value], "[0] ", shape)
        kind = self.random.choice(("copy", "neg", "tanh", "add", "sub", "max"))
        if kind in ("neg", "tanh"):
            value = self.add(kind, [value], "", shape)
        elif kind != "copy":
            value = self.add(kind, [value, self.fitted(shape)], "", shape)
        return value

    def write(self):
        written = self.random.choice(self.inputs)
        target = self.views(written, 3)
        result = self.add("assign", [target, self.value(target[1])], "", target[1])
        self.writes.append((written, result))

    def read_after(self):
        written, result = self.random.choice(self.writes)
        part = self.views(written, 2)
        self.readable.append(self.add("after", [part, result], "", part[1]))

    def text(self):
        arguments = ", ".join(f"{name}: {tensor(shape)}" for name, shape in self.inputs)
        types = ", ".join(tensor(shape) for _, shape in self.outputs)
        names = ", ".join(name for name, _ in self.outputs)
        body = "\n  ".join([*self.lines, f"return {names} : {types}" if names else "return"])
        return f"func.func @main({arguments}) -> ({types}) {{\n  {body}\n}}\n"


def main():
    seed, count = map(int, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        for each in range(seed, seed + count):
            text = Program(each).text()
            path = pathlib.Path(folder) / "program.mlir"
            path.write_text(text)
            command = ["zyxc", "verify", str(path), f"--threads={each % 3 + 1}", "--numerics=exact"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"seed {each}: {done.stdout}{done.stderr}\n{text}")
                sys.exit(1)
    print(f"{count} programs agree")


main()
