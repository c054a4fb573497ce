"""Checks all kernels of a folder whose names match patterns, on the Vulkan device under the
validation layer. Prints a line each; fails at the end if one failed."""
import fnmatch
import pathlib
import subprocess
import sys

folder, *patterns = sys.argv[1:]
wanted = [p for p in patterns if not p.startswith("!")]
unwanted = [p[1:] for p in patterns if p.startswith("!")]


def is_wanted(name):
    def matches(of):
        return any(fnmatch.fnmatch(name, pattern) for pattern in of)

    return matches(wanted) and not matches(unwanted)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


failed = 0
files = [f for f in sorted(pathlib.Path(folder).glob("*.mlir")) if is_wanted(f.stem)]
for file in files:
    limits = ["--sizes", "8", "--work", "2e7"]
    check = run("zyxc", "kernel", "check", file, "--target", "vulkan", "--validate", *limits)
    print(check.stdout.strip() or check.stderr.strip())
    failed += check.returncode != 0
if not files or failed:
    sys.exit(f"{failed} of {len(files)} failed")
print(f"{len(files)} files, all agree")
