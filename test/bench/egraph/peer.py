#!/usr/bin/env python3
"""Runs math-microbenchmark in egglog, for comparison with zyxc-bench-egraph.

usage: peer.py [ITERATIONS [ZYXC_BENCH_EGRAPH]]; needs the package egglog of PyPI. Given the program
zyxc-bench-egraph it runs that, too, and prints the ratio of CPU times at 11 iterations, the least of
three runs in turns.

The rules and start terms are those of math.egg beside this file, rewritten in egglog's language.
"""
import pathlib
import re
import resource
import subprocess
import sys
import time

from egglog.bindings import EGraph

NAMES = {"+": "Add", "-": "Sub", "*": "Mul", "/": "Div", "d": "Diff", "i": "Integral"}
ARITIES = {"ln": 1, "sqrt": 1, "sin": 1, "cos": 1}


def words(text):
    for line in text.splitlines():
        yield from line.split("#")[0].replace("(", " ( ").replace(")", " ) ").split()


def read(tokens):
    token = next(tokens)
    if token != "(":
        return token
    items = []
    while (item := read(tokens)) != ")":
        items.append(item)
    return items


def write(term, is_rule):
    if isinstance(term, list):
        name = NAMES.get(term[0], term[0].capitalize())
        return f"({name} {' '.join(write(operand, is_rule) for operand in term[1:])})"
    if term.lstrip("-").isdigit():
        return f"(Const {term})"
    return term if is_rule else f'(Var "{term}")'


def translate(text, iterations):
    tokens = words(text)
    items = []
    try:
        while True:
            items.append(read(tokens))
    except StopIteration:
        pass
    ops = [*NAMES.values(), "Pow"]
    lines = [f"({op} Math Math)" for op in ops] + [f"({op.capitalize()} Math)" for op in ARITIES]
    program = [f"(datatype Math (Const i64) (Var String) {' '.join(lines)})"]
    while items:
        left = items.pop(0)
        if items and items[0] in ("=>", "="):
            items.pop(0)
            right = items.pop(0)
            program.append(f"(rewrite {write(left, True)} {write(right, True)})")
        else:
            program.append(write(left, False))
    return "\n".join([*program, f"(run {iterations})", "(print-size)"])


def run(text, iterations):
    """Runs the program; returns milliseconds of CPU and what egglog prints last."""
    graph = EGraph()
    commands = graph.parse_program(translate(text, iterations))
    wall, cpu = time.time(), time.process_time()
    output = graph.run_program(*commands)
    wall, cpu = time.time() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"egglog: {1e3 * wall:.0f} ms ({1e3 * cpu:.0f} ms of CPU), peak {peak} MB")
    return 1e3 * cpu, output[-1]


def run_zyxc(bench, program):
    """Milliseconds of CPU that zyxc-bench-egraph takes for the program, of 11 iterations."""
    text = subprocess.run([bench, program, "0"], check=True, capture_output=True, text=True).stdout
    cpu = float(re.search(r"\((\d+) ms of CPU\)", text).group(1))
    print(f"zyxc: {cpu:.0f} ms of CPU")
    return cpu


def main():
    iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 11
    path = pathlib.Path(__file__).parent / "math.egg"
    text = path.read_text(encoding="utf-8")
    if len(sys.argv) < 3:
        print(run(text, iterations)[1])
        return
    theirs, ours = [], []
    for _ in range(3):
        theirs.append(run(text, 11)[0])
        ours.append(run_zyxc(sys.argv[2], path))
    print(f"egglog takes {min(theirs) / min(ours):.2f} times the CPU time of zyxc")


if __name__ == "__main__":
    main()
