"""Times the steps of compiling the cases, on any machine with ptxas."""
import pathlib
import re
import subprocess

import table
from program import find

SECONDS = 120  # one case


def measure(root, zyxc, case, args):
    """A dict of the columns of `zyxc kernel compile --tsv`, or what it said instead."""
    words = [zyxc, "kernel", "compile", root / "test/kernels" / case.file, "--tsv",
             "--target", case.target, "--assemble-for", args.assemble_for,
             "--kernel", case.kernel or pathlib.Path(case.file).stem, "--repeat", args.repeat,
             "--dim", ",".join(f"{dim}={size}" for dim, size in case.dims.items())]
    try:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return None, f"stopped after {SECONDS} s"
    lines = done.stdout.splitlines()
    if done.returncode != 0 or len(lines) != 2:
        return None, (done.stderr or done.stdout).strip()
    return dict(zip(lines[0].split("\t"), lines[1].split("\t"))), ""


def run(root, args):
    """Prints a table; 1 if a case does not compile."""
    zyxc = find(root, args.zyxc)
    steps = ["lower", "convert", "translate", "optimize", "emit", "assemble"]
    print("| case | ms | median | " + " | ".join(steps) + " | must |")
    print("|---" * (len(steps) + 4) + "|")
    failed = 0
    for name, case in table.CASES.items():
        if not re.search(args.only, name):
            continue
        row, message = measure(root, zyxc, case, args)
        if row is None:
            print(f"{name}: {message}")
            failed = 1
            continue
        cells = [name, row["least_ms"], row["median_ms"], *(row[step] for step in steps)]
        cells[1:] = [f"{float(cell):.1f}" for cell in cells[1:]]
        print("| " + " | ".join(cells) + f" | {case.compile_ms:g} |", flush=True)
    return failed
