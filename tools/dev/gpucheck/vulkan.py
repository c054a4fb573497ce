"""What Vulkan needs on a machine that has a GPU but no installation of Vulkan: the loader that is
packed with zyxc, and a manifest that names NVIDIA's driver."""
import ctypes
import json
import os
import pathlib

# The first one needs no X11. The manifest that NVIDIA installs names the second one.
DRIVERS = ["libEGL_nvidia.so.0", "libGLX_nvidia.so.0"]
LOADERS = ["/usr/lib/x86_64-linux-gnu/libvulkan.so.1", "/usr/lib64/libvulkan.so.1"]


def loader():
    """Vulkan's loader of this machine, to pack; None if there is none."""
    found = [pathlib.Path(path).resolve() for path in LOADERS if pathlib.Path(path).exists()]
    return found[0] if found else None


def loads(library):
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def environment(root, folder):
    """The variables of this process, and what is missing for Vulkan. `root` is where the archive
    was unpacked; `folder` takes the manifest."""
    variables = dict(os.environ)
    packed = root / "lib"
    if not loads("libvulkan.so.1") and (packed / "libvulkan.so.1").exists():
        paths = [str(packed), variables.get("LD_LIBRARY_PATH", "")]
        variables["LD_LIBRARY_PATH"] = os.pathsep.join(path for path in paths if path)
    if "VK_DRIVER_FILES" in variables or "VK_ICD_FILENAMES" in variables:
        return variables
    driver = next((name for name in DRIVERS if loads(name)), None)
    if driver:
        manifest = folder / "nvidia_icd.json"
        icd = {"library_path": driver, "api_version": "1.3.0"}
        manifest.write_text(json.dumps({"file_format_version": "1.0.0", "ICD": icd}))
        variables["VK_DRIVER_FILES"] = variables["VK_ICD_FILENAMES"] = str(manifest)
    return variables
