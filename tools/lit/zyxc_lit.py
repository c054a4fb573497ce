"""What lit needs to know of zyxc's tools: for zyxc's own tests and for those of other projects.

A project that tests its own passes, rules or kernels with an installed zyxc writes a lit.cfg.py:

    import sys
    sys.path.insert(0, "PREFIX/share/zyxc/lit")
    import zyxc_lit

    config.name = "mine"
    zyxc_lit.configure(config)

RUN lines then find zyxc, zyx-opt, zyx-translate and FileCheck; `REQUIRES:` knows the features below.
"""
import os
import pathlib
import shutil
import subprocess

import lit.formats

# Where a manifest of Mesa's software Vulkan device and of the validation layer may lie.
VULKAN_SHARE = ("/usr/share/vulkan", "/usr/local/share/vulkan", "/etc/vulkan")
VALIDATION_LAYER = "explicit_layer.d/VkLayer_khronos_validation.json"
# Variables of the caller that tests see.
PASSED_ON = ("HOME", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS")


def llvm_tools():
    """The folder of FileCheck and its kin; None if LLVM's tools are not installed."""
    for name in ("llvm-config-22", "llvm-config"):
        if shutil.which(name):
            done = subprocess.run([name, "--bindir"], capture_output=True, text=True, check=False)
            folder = pathlib.Path(done.stdout.strip())
            if (folder / "FileCheck").exists():
                return str(folder)
    return None


def add_vulkan(config):
    """`REQUIRES: vulkan`: the software Vulkan device, by its manifest, and the validation layer."""
    folders = [pathlib.Path(folder) for folder in VULKAN_SHARE]
    drivers = [str(f) for folder in folders for f in folder.glob("icd.d/lvp_icd*.json")]
    if drivers and any((folder / VALIDATION_LAYER).exists() for folder in folders):
        config.available_features.add("vulkan")
        config.environment["ZYXC_VULKAN_DEVICE"] = "cpu"
        for name in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES"):  # the second one for older loaders
            config.environment[name] = drivers[0]


def configure(config, bin_dir=None, llvm_tools_dir=None):
    """Makes `config` (lit's) one of text tests with zyxc's tools.

    bin_dir: the folder of zyxc's programs; by default that of the installation this file is in.
    llvm_tools_dir: the folder of FileCheck; by default what llvm-config-22 names.
    Features: vulkan (a software device and the validation layer), spirv-val.
    Raises RuntimeError where the programs or FileCheck are missing.
    """
    llvm_tools_dir = llvm_tools_dir or llvm_tools()
    if bin_dir is None:
        bin_dir = pathlib.Path(__file__).resolve().parents[3] / "bin"
        if not (bin_dir / "zyx-opt").exists():
            raise RuntimeError(f"zyxc_lit: no zyx-opt in {bin_dir}: pass bin_dir")
    if not llvm_tools_dir:
        raise RuntimeError("zyxc_lit: no FileCheck: install llvm-22-tools or pass llvm_tools_dir")
    config.test_format = lit.formats.ShTest(execute_external=False)
    config.suffixes = [".mlir", ".test"]
    # zyxc's tools come before anything installed.
    path = [str(bin_dir), str(llvm_tools_dir), config.environment.get("PATH", "")]
    config.environment["PATH"] = os.pathsep.join(path)
    config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input=fail"
    for name in PASSED_ON:
        if name in os.environ:
            config.environment[name] = os.environ[name]
    add_vulkan(config)
    if shutil.which("spirv-val"):  # the validator of SPIR-V
        config.available_features.add("spirv-val")
