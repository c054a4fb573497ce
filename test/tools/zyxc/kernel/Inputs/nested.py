"""Prints text that nests, repeats or counts beyond what a stack, or 64 bits, hold: nested.py KIND."""
import sys

KERNEL = """zyxk.kernel @k dims(N) ports(%x: in f32[N], %y: out f32[N]) axes(n < N{domain}) {{
  %zero = arith.constant 0.0 : f32
  %a = load %x[{coordinate}] oob else(%zero) : f32
  %b = where %a if ({guard}) else %zero : f32
  store %b, %y[n] : f32
}}
"""


def kernel(coordinate="n", guard="n >= 1", domain=""):
    return KERNEL.format(coordinate=coordinate, guard=guard, domain=domain)


def nest(open_, inner, close, depth=10000):
    return open_ * depth + inner + close * depth


def attribute(value):
    return "module attributes {zyxk.a = " + value + "} {}\n"


KINDS = {
    "parentheses": lambda: kernel(coordinate=nest("(", "n", ")")),
    "guard": lambda: kernel(guard=nest("(", "n", ")") + " >= 1"),
    "domain": lambda: kernel(domain=" where " + nest("(", "n", ")") + " <= 5"),
    "signs": lambda: kernel(coordinate=nest("-", "n", "")),
    "quotients": lambda: kernel(coordinate="n" + " floordiv 2 + 1" * 10000),
    "sum": lambda: kernel(coordinate=" + ".join(f"n floordiv {i + 2}" for i in range(10000))),
    # Each remainder written as a difference doubles what is before it.
    "remainders": lambda: kernel(coordinate="n" + " mod 7 * 3" * 30),
    "factor": lambda: kernel(coordinate="n * 4611686018427387904"),
    "factors": lambda: kernel(coordinate="n" + " * 4294967296" * 2),
    "constant": lambda: kernel(coordinate="n + 9223372036854775807"),
    "beyond": lambda: kernel(coordinate="n + 9223372036854775808"),
    "brackets": lambda: "[" * 1000,
    "arrays": lambda: attribute(nest("[", "", "]")),
    "dictionaries": lambda: attribute(nest("{b = ", "1", "}")),
    "types": lambda: attribute(nest("tuple<", "i1", ">")),
    "regions": lambda: nest("module {", "", "}"),
    "maps": lambda: attribute("affine_map<(d0) -> (" + nest("(", "d0", ")") + ")>"),
    "map-signs": lambda: attribute("affine_map<(d0) -> (" + nest("-", "d0", "") + ")>"),
    "map-sum": lambda: attribute(
        "affine_map<(d0) -> (" + " + ".join(f"d0 floordiv {i + 2}" for i in range(10000)) + ")>"),
    "locations": lambda: "module {} loc(" + nest('callsite("a" at ', "unknown", ")") + ")\n",
    "aliases": lambda: "#a0 = [1]\n" + "".join(
        f"#a{i + 1} = [#a{i}]\n" for i in range(10000)) + attribute("#a10000"),
}

sys.stdout.write(KINDS[sys.argv[1]]())
