"""Which zyxc runs, and what the user is told where there is none."""
import lzma
import os
import pathlib
import tarfile

# Where builds leave it, and an unpacked archive has it; the first one there is taken.
PLACES = ["build/dev/bin/zyxc", "build/release/bin/zyxc", "bin/zyxc"]


class Unusable(Exception):
    """What is missing and what to do, in one line."""


def usable(path):
    return path.is_file() and os.access(path, os.X_OK)


def find(root, given):
    """The absolute path of the program that was given, or of one that was built."""
    if given:
        if not usable(given):
            raise Unusable(f"--zyxc: no program at {given}")
        return given.resolve()
    for place in PLACES:
        if usable(root / place):
            return (root / place).resolve()
    raise Unusable(f"no program at {' or '.join(PLACES)}: build one by tools/quickstart, or name "
                   "it by --zyxc")


def unpack(archive, folder):
    """Unpacks what `tools/gpu-check pack` made."""
    remedy = "give an archive that `tools/gpu-check pack` made, or --zyxc"
    if not archive.is_file():
        raise Unusable(f"no archive at {archive}: {remedy}")
    try:
        with tarfile.open(archive) as packed:
            # Python 3.11.4 and later have the filter; the archive is our own.
            safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
            packed.extractall(folder, **safe)
    except (tarfile.TarError, lzma.LZMAError, EOFError) as error:
        raise Unusable(f"{archive}: is no whole archive: {remedy}") from error
    if not usable(pathlib.Path(folder) / "bin/zyxc"):
        raise Unusable(f"{archive}: has no bin/zyxc: {remedy}")
