"""lit's configuration: what is a test, and the tools that its RUN lines name."""
import ctypes.util
import os
import pathlib
import shutil
import subprocess
import sys

source = pathlib.Path(config.zyxc_source_dir)
build = pathlib.Path(config.zyxc_build_dir)
sys.path.insert(0, str(source / "tools/lit"))
import zyxc_lit

config.name = "zyxc"
zyxc_lit.configure(config, build / "bin", config.llvm_tools_dir)
config.excludes = ["unit", "fuzz", "bench", "Inputs", "outside"]
config.test_source_root = str(source / "test")
config.test_exec_root = str(build / "test")
if "ZYXC_TEST_DATA" in os.environ:
    config.environment["ZYXC_TEST_DATA"] = os.environ["ZYXC_TEST_DATA"]

config.substitutions.append(("%source", str(source)))
config.substitutions.append(("%zyxc-run", str(build / "bin/zyxc-run")))
config.substitutions.append(("%python", config.python))
config.substitutions.append(("%build", str(build)))
config.substitutions.append(("%lit", str(pathlib.Path(config.llvm_tools_dir) / "lit")))

# `REQUIRES: test-data`: the unpacked test data is in %data.
unpacked = subprocess.run(
    [str(source / "tools/dev/test-data")], capture_output=True, text=True, check=False
)
if unpacked.returncode == 0:
    config.available_features.add("test-data")
    config.substitutions.append(("%data", unpacked.stdout.strip()))

# `REQUIRES: onnx-node-data`: what tools/dev/onnx-node-tests needs.
if unpacked.returncode == 0 or pathlib.Path("/usr/share/libonnx-testdata/data").is_dir():
    config.available_features.add("onnx-node-data")

# `REQUIRES: onnxruntime`: %venv-python is an interpreter with NumPy, ONNX and ONNX Runtime.
venv = source / "build/venv"
if (venv / "requirements.txt").exists():
    config.available_features.add("onnxruntime")
    config.substitutions.append(("%venv-python", str(venv / "bin/python")))

# `REQUIRES: ptxas`, `REQUIRES: nvrtc`: parts of the CUDA toolkit.
if shutil.which("ptxas"):
    config.available_features.add("ptxas")
if ctypes.util.find_library("nvrtc"):
    config.available_features.add("nvrtc")

# `REQUIRES: blas`: a BLAS library that `--blas auto` finds (Debian's libopenblas0-pthread).
def has_blas():
    for name in ("libopenblas.so.0", "libopenblas.so", "libcblas.so.3", "libblas.so.3"):
        try:
            return hasattr(ctypes.CDLL(name), "cblas_sgemm")
        except OSError:
            pass
    return False


if has_blas():
    config.available_features.add("blas")

# `REQUIRES: long`: only in the long mode of tools/check.
if os.environ.get("ZYXC_LONG_TESTS"):
    config.available_features.add("long")
    config.environment["ZYXC_LONG_TESTS"] = "1"

# `REQUIRES: unsanitized`: what takes too long in a build with sanitizers.
if "ASAN_OPTIONS" not in os.environ:
    config.available_features.add("unsanitized")
