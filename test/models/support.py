"""What the network tests share: the built zyxc, the test data, models with random weights."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
ZYXC = pathlib.Path(os.environ.get("ZYXC", BUILD / "dev/bin/zyxc"))
LIGHT = BUILD / "test-data/onnx/backend/test/data/light"
LONG = os.environ.get("ZYXC_LONG_TESTS") == "1"

# Convolutions of each light network, the launches of its plan, and how many of those kernels neither
# reduce nor contract. What is no convolution is a pool, a matrix product, a normalization over
# channels or a softmax; ShuffleNet stores one concatenation that is read twice after a relu.
NETWORKS = {
    "bvlc_alexnet": {"convs": 5, "launches": 14, "elementwise": 0},
    "densenet121": {"convs": 121, "launches": 126, "elementwise": 0},
    "inception_v1": {"convs": 57, "launches": 75, "elementwise": 0},
    "inception_v2": {"convs": 69, "launches": 84, "elementwise": 0},
    "resnet50": {"convs": 53, "launches": 57, "elementwise": 0},
    "shufflenet": {"convs": 49, "launches": 57, "elementwise": 1},
    "squeezenet": {"convs": 26, "launches": 31, "elementwise": 0},
    "vgg19": {"convs": 16, "launches": 25, "elementwise": 0},
    "zfnet512": {"convs": 5, "launches": 14, "elementwise": 0},
}
# Small enough for every run of tools/check; the long mode takes all.
QUICK = ("squeezenet", "shufflenet")


def networks():
    return tuple(NETWORKS) if LONG else QUICK


def need_data():
    if not LIGHT.is_dir():
        raise unittest.SkipTest("the light networks are not there: set ZYXC_TEST_DATA")


def run_zyxc(arguments, expect):
    command = [str(ZYXC), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False)
    if done.returncode != expect:
        raise AssertionError(
            f"{' '.join(command)} exited with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    return done


def zyxc(*arguments, expect=0):
    """Runs zyxc and returns what it printed; fails on another exit code than expected."""
    return run_zyxc(arguments, expect).stdout


def zyxc_error(*arguments, expect=0):
    """As zyxc, but returns what it wrote to standard error: dumps and messages."""
    return run_zyxc(arguments, expect).stderr


def random_model(network):
    """The network with seeded He-scaled weights; made once."""
    out = BUILD / "networks" / f"{network}.onnx"
    if not out.exists():
        out.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            [sys.executable, ROOT / "tools/dev/randomize-weights", LIGHT / f"light_{network}.onnx",
             out], check=True, capture_output=True)
    return out


# Voice activity, trained (package silero-vad): without If, and with one for each rate, nested.
SILERO = {"silero_16k": "silero_vad_openvino_16k.onnx", "silero": "silero_vad.onnx"}
SILERO_CHUNK = 512 + 64  # samples of a chunk at 16 kHz, and those before it


def silero_model(name):
    spec = importlib.util.find_spec("silero_vad")
    if spec is None:
        raise unittest.SkipTest("the package silero-vad is not installed")
    return pathlib.Path(spec.submodule_search_locations[0], "data", SILERO[name])


def onnxruntime_session(path):
    """On one thread; says nothing."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def onnxruntime_outputs(path, feeds):
    session = onnxruntime_session(path)
    return dict(zip((output.name for output in session.get_outputs()), session.run(None, feeds)))
