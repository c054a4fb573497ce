"""clang-tidy over the changed files, or over all of them in the long mode."""
import concurrent.futures
import json
import subprocess
import time

import changed
from counts import Counts
from session import StageFailed, show_tail

QUICK_SECONDS = 75  # the quick mode starts no further file after this
FILE_SECONDS = 300


def compiled_files(session):
    """Paths, from the root of the tree, of the project's own files that the build compiles: those
    without MLIR's precompiled header first, which take a tenth of the time."""
    database = json.loads((session.dev / "compile_commands.json").read_text())
    root, own = f"{session.root}/", {}
    for row in database:
        path = row["file"].removeprefix(root)
        if path != row["file"] and not path.startswith("build/"):
            own[path] = "cmake_pch" in row["command"]
    return sorted(own, key=lambda path: (own[path], path))


def wanted(session):
    """The files to check: a changed header stands for the .cpp beside it."""
    compiled = compiled_files(session)
    if session.long_mode:
        return compiled
    touched = set(changed.files(session.root))
    touched |= {path[:-2] + ".cpp" for path in touched if path.endswith(".h")}
    return [path for path in compiled if path in touched]


def tidy_one(session, path):
    """The output of clang-tidy where it found something, else ''."""
    command = ["clang-tidy-22", "--quiet", "-p", str(session.dev), path]
    try:
        done = subprocess.run(
            command, cwd=session.root, capture_output=True, text=True, timeout=FILE_SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"{path}: clang-tidy took over {FILE_SECONDS} s"
    return "" if done.returncode == 0 else f"{path}:\n{done.stdout}{done.stderr}"


def run(session):
    """One test a file."""
    session.need_build()
    paths = wanted(session)
    if not paths:
        print("   no compiled file changed")
        return Counts(passed=1)
    deadline = time.monotonic() + QUICK_SECONDS
    late = []

    def check(path):
        if not session.long_mode and time.monotonic() > deadline:
            late.append(path)
            return ""
        return tidy_one(session, path)

    with concurrent.futures.ThreadPoolExecutor(session.jobs) as pool:
        found = [text for text in pool.map(check, paths) if text]
    for text in found:
        show_tail(text, lines=30)
    if late:
        print(f"   not checked within {QUICK_SECONDS} s: {len(late)} of {len(paths)} files; "
              "tools/check --all checks all")
    if len(late) == len(paths):
        raise StageFailed("no file was checked")
    return Counts(len(paths) - len(late) - len(found), len(found), len(late))
