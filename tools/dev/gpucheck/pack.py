"""Packs what a machine without LLVM needs into one archive."""
import pathlib
import subprocess
import tarfile

import vulkan
from program import find

LIMIT = 60_000_000  # bytes: what a slow line carries in a minute or two
PARTS = ["tools/gpu-check", "tools/dev/gpucheck", "test/kernels", "test/e2e",
         "tools/dev/onnx-node-tests", "tools/dev/onnx-node", "LICENSE", "THIRD_PARTY_NOTICES.md"]
CASES = ["node", "simple", "pytorch-converted", "pytorch-operator"]


def build(root):
    """The path of a static zyxc, beside the runner of ONNX's cases."""
    folder = root / "build/static"
    if not (folder / "build.ninja").exists():
        subprocess.run(["cmake", "--preset", "static"], cwd=root, check=True)
    subprocess.run(["cmake", "--build", folder, "--target", "zyxc",
                    "zyxc-onnx-node"], cwd=root, check=True)
    return folder / "bin/zyxc"


def without_caches(entry):
    """Archives hold no byte code, and are the same whoever makes them."""
    if "__pycache__" in entry.name:
        return None
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def cases(root):
    """The folder of ONNX's cases, or nothing."""
    done = subprocess.run([root / "tools/dev/test-data"], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL, check=False)
    return pathlib.Path(done.stdout.strip(), "onnx/backend/test/data") if not done.returncode else None


def pack(root, out, program):
    program = find(root, program) if program else build(root)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(out, "w:xz", preset=9) as archive:
        archive.add(program, "bin/zyxc", filter=without_caches)
        runner = program.parent / "zyxc-onnx-node"
        data = cases(root) if runner.exists() else None
        if data:
            archive.add(runner, "bin/zyxc-onnx-node", filter=without_caches)
            for folder in CASES:
                archive.add(data / folder, f"data/{folder}", filter=without_caches)
        if vulkan.loader():
            archive.add(vulkan.loader(), "lib/libvulkan.so.1", filter=without_caches)
        for part in PARTS:
            archive.add(root / part, part, filter=without_caches)
    size = out.stat().st_size
    print(f"{out}: {size / 1e6:.1f} MB; the program is "
          f"{pathlib.Path(program).stat().st_size / 1e6:.1f} MB")
    if size > LIMIT:
        print(f"the archive is over {LIMIT / 1e6:.0f} MB")
        return 1
    return 0
