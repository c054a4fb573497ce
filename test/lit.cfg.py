"""lit's configuration: what is a test, and the tools that its RUN lines name."""
import os
import pathlib
import shutil
import subprocess

import lit.formats

source = pathlib.Path(config.zyxc_source_dir)
build = pathlib.Path(config.zyxc_build_dir)

config.name = "zyxc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "fuzz", "bench", "Inputs"]
config.test_source_root = str(source / "test")
config.test_exec_root = str(build / "test")

# The built tools come before anything installed.
path = [str(build / "bin"), config.llvm_tools_dir, config.environment.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input=fail"
passed_on = ("HOME", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "ZYXC_TEST_DATA")
for name in passed_on:
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%source", str(source)))
config.substitutions.append(("%zyxc-run", str(build / "bin/zyxc-run")))
config.substitutions.append(("%python", config.python))

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

# `REQUIRES: vulkan`: the software Vulkan device, found by its manifest, and the validation layer.
share = ("/usr/share/vulkan", "/usr/local/share/vulkan", "/etc/vulkan")
drivers = [str(f) for folder in share for f in pathlib.Path(folder).glob("icd.d/lvp_icd*.json")]
layer = "explicit_layer.d/VkLayer_khronos_validation.json"
if drivers and any((pathlib.Path(folder) / layer).exists() for folder in share):
    config.available_features.add("vulkan")
    config.environment["ZYXC_VULKAN_DEVICE"] = "cpu"
    for name in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES"):  # the second one for older loaders
        config.environment[name] = drivers[0]

# `REQUIRES: spirv-val`: the validator of SPIR-V.
if shutil.which("spirv-val"):
    config.available_features.add("spirv-val")

# `REQUIRES: long`: only in the long mode of tools/check.
if os.environ.get("ZYXC_LONG_TESTS"):
    config.available_features.add("long")
    config.environment["ZYXC_LONG_TESTS"] = "1"
