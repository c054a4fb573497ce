#!/usr/bin/env python3
"""Kernels of zyxc beside functions of a BLAS library, product by product, and what the choice takes:

    test/bench/libraries/compare.py [--zyxc PATH] [--blas PATH|auto] [--rounds N] [PART]

Each round runs a product by our kernels and by the library wherever it can be, in turns, on one thread;
a time is processor time of the process with many runs less that with one, which other programs on the
machine disturb less; the least one counts. `ratio` is the time of our kernels over
that of the library: above 1 the library is faster. The last columns are what both were estimated at,
and what `--blas` chooses by these estimates. PART: only products whose name has it."""
import argparse
import os
import pathlib
import re
import resource
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]

# Name, dtype, shape and labels of both operands, labels of the result.
PRODUCTS = [
    ("square 1024", "f32", [1024, 1024], "ik", [1024, 1024], "kj", "ij"),
    ("square 1024, a and b transposed", "f32", [1024, 1024], "ki", [1024, 1024], "jk", "ij"),
    ("square 512, f64", "f64", [512, 512], "ik", [512, 512], "kj", "ij"),
    ("square 100", "f32", [100, 100], "ik", [100, 100], "kj", "ij"),
    ("square 16", "f32", [16, 16], "ik", [16, 16], "kj", "ij"),
    ("layer 128x3072x768", "f32", [128, 768], "ik", [768, 3072], "kj", "ij"),
    ("8 rows x 4096 x 4096", "f32", [8, 4096], "ik", [4096, 4096], "kj", "ij"),
    ("4096 rows x 8 x 512", "f32", [4096, 512], "ik", [512, 8], "kj", "ij"),
    ("1024 x 1024, sums of 16", "f32", [1024, 16], "ik", [16, 1024], "kj", "ij"),
    ("16 x 16, sums of 16384", "f32", [16, 16384], "ik", [16384, 16], "kj", "ij"),
    ("matrix 4096x4096 x vector", "f32", [4096, 4096], "ik", [4096], "k", "i"),
    ("transposed 4096x4096 x vector", "f32", [4096, 4096], "ki", [4096], "k", "i"),
    ("matrix 256x256 x vector", "f32", [256, 256], "ik", [256], "k", "i"),
    ("24 heads 128x128x64", "f32", [24, 128, 64], "bik", [24, 128, 64], "bjk", "bij"),
    ("256 products 16x16x16", "f32", [256, 16, 16], "bik", [256, 16, 16], "bkj", "bij"),
]


def module_of(product):
    _, dtype, a, of_a, b, of_b, of_c = product
    extents = dict(zip(of_a, a)) | dict(zip(of_b, b))
    labels = {label: i for i, label in enumerate(sorted(extents))}

    def tensor(shape):
        return f"tensor<{'x'.join(map(str, shape))}x{dtype}>"

    def numbers(of):
        return "[" + ", ".join(str(labels[label]) for label in of) + "]"

    c = tensor([extents[label] for label in of_c])
    return (
        f"func.func @main(%a: {tensor(a)}, %b: {tensor(b)}) -> {c} {{\n"
        f"  %0 = zyx.contract %a {numbers(of_a)}, %b {numbers(of_b)} -> {numbers(of_c)} "
        f"in {dtype} to {dtype} : {tensor(a)}, {tensor(b)} -> {c}\n"
        f"  return %0 : {c}\n}}\n"
    )


def seconds(zyxc, module, repeat, *options):
    """Processor time of a process, and the least wall time of a run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = subprocess.run(
        [zyxc, "run", module, "--threads", "1", "--repeat", str(repeat), "--quiet", *options],
        capture_output=True, text=True, check=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    ).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    least = float(re.search(r"run: min ([\d.]+) ms", text)[1]) * 1e-3
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, least


def time_of_run(zyxc, module, *options):
    """Microseconds of processor time of one run."""
    once, least = seconds(zyxc, module, 1, *options)
    least = min(least, seconds(zyxc, module, 20, *options)[1])
    more = min(max(int(1 / max(least, 1e-6)), 20), 500_000)
    return (seconds(zyxc, module, more + 1, *options)[0] - once) / more * 1e6


def estimate_of(zyxc, module, *options):
    """Microseconds that the chosen kernels are taken to need, and their names."""
    text = subprocess.run(
        [zyxc, "cost-model", "check", module, "--threads", "1", "--repeat", "1", *options],
        capture_output=True, text=True, check=True,
    ).stdout
    rows = re.findall(r"^ +([\d.]+) +[\d.]+ +[\d.]+  (\S+)", text, re.MULTILINE)
    return sum(float(row[0]) for row in rows), [row[1] for row in rows]


def chosen(zyxc, module, blas):
    """The kernels that the choice takes by cost."""
    text = subprocess.run(
        [zyxc, "explain", module, "--blas", blas], capture_output=True, text=True, check=True
    ).stdout
    return re.findall(r"^(\w+?)\d+_[0-9a-f]{8}:", text, re.MULTILINE)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("part", nargs="?", default="")
    parser.add_argument("--zyxc", default=str(ROOT / "build/release/bin/zyxc"))
    parser.add_argument("--blas", default="auto")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(f"{'product':32} {'ours us':>10} {'BLAS us':>10} {'ratio':>6} {'ours est.':>10} "
          f"{'BLAS est.':>10}  chosen")
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        module = pathlib.Path(folder) / "product.mlir"
        for product in PRODUCTS:
            if options.part not in product[0]:
                continue
            module.write_text(module_of(product), encoding="utf-8")
            ours = library = float("inf")
            always = ["--blas", options.blas, "--blas-when", "always"]
            for _ in range(options.rounds):
                ours = min(ours, time_of_run(options.zyxc, module))
                library = min(library, time_of_run(options.zyxc, module, *always))
            ours_estimated, _ = estimate_of(options.zyxc, module)
            library_estimated, kernels = estimate_of(options.zyxc, module, *always)
            assert any(kernel.startswith("cblas_") for kernel in kernels), kernels
            names = chosen(options.zyxc, module, options.blas)
            takes_library = any(name.startswith("cblas_") for name in names)
            ratio = ours / library
            # Within a tenth both are right: the machine is not steadier than that.
            is_wrong = ratio > 1.1 and not takes_library or ratio < 1 / 1.1 and takes_library
            wrong += is_wrong
            print(f"{product[0]:32} {ours:10.1f} {library:10.1f} {ratio:6.2f} {ours_estimated:10.1f} "
                  f"{library_estimated:10.1f}  {', '.join(names)}{' (slower)' * is_wrong}",
                  flush=True)
    print(f"{wrong} choices are over a tenth slower than the other kernel")


if __name__ == "__main__":
    main()
