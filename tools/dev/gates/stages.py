"""The stages of tools/check, in the order in which they run."""
import os
import pathlib
import subprocess
import sys

import tidy
from counts import Counts, from_closing_line, from_junit, from_lit, from_unittest, judged
from session import StageFailed, StageSkipped, show_tail

LIT_TIMEOUT = 120  # seconds a lit test
LONG_LIT_TIMEOUT = 1200
LIT_TOTAL_TIMEOUT = 3600  # of all lit tests together
LONG_LIT_TOTAL_TIMEOUT = 6 * 3600
UNIT_TIMEOUT = 1800


def script(session, log, *command):
    """A script that is one test: it passes or fails as a whole."""
    text = session.must_run(command, log)
    if text.strip():
        print(f"   {text.strip().splitlines()[-1]}")
    return Counts(passed=1)


def layers(session):
    return script(session, "layers", session.root / "tools/dev/check-layers")


def sizes(session):
    return script(session, "sizes", session.root / "tools/dev/check-sizes")


def layout(session):
    return script(session, "format", session.root / "tools/dev/format", "--check")


def unittests(session, folder, interpreter=sys.executable):
    """Python unittest files of one folder: one test a test method."""
    command = [interpreter, "-m", "unittest", "discover", "-s", folder, "-p", "*_test.py"]
    code, text = session.run(command, folder.replace("/", "-"))
    counts = judged(from_unittest(text), code)
    if counts.failed:
        show_tail(text)
    return counts


def self_tests(session):
    return unittests(session, "test/tools")


def docs(session):
    session.need_build()
    return unittests(session, "test/docs")


def python(session):
    """The environment with ONNX Runtime; tests that compare with it are skipped without."""
    code, text = session.run([session.root / "tools/dev/python-env"], "python", timeout=900)
    if code != 0:
        show_tail(text, lines=5)
        raise StageSkipped("no NumPy, ONNX and ONNX Runtime; tests that need them are skipped")
    return Counts(passed=1)


def data(session):
    """Unpacks the test data; tests that need it are skipped without."""
    code, text = session.run([session.root / "tools/dev/test-data"], "data")
    if code != 0:
        show_tail(text, lines=5)
        raise StageSkipped("tests that need the test data are skipped")
    return Counts(passed=1)


def configure_and_build(session, preset, *targets):
    """Builds all targets unless some are named."""
    session.must_run(["cmake", "--preset", preset], f"configure-{preset}")
    command = ["cmake", "--build", "--preset", preset, "-j", session.jobs]
    if targets:
        command += ["--target", *targets]
    session.must_run(command, f"build-{preset}")


def build(session):
    session.built = False
    configure_and_build(session, "dev")
    session.built = True
    return Counts(passed=1)


def catch2(session, program, log, env=None):
    """A Catch2 program: one test a test case."""
    report = session.logs / f"{log}.xml"
    report.unlink(missing_ok=True)
    command = [program, "-r", "junit", "-o", report]
    code, text = session.run(command, log, env=env, timeout=UNIT_TIMEOUT)
    try:
        counts = judged(from_junit(report.read_text(errors="replace")), code)
    except (OSError, SyntaxError) as error:  # no report, or one cut off by a crash
        text += f"\n{program} exited with {code} without a report: {error}\n"
        counts = Counts(failed=1)
    if counts.failed:
        again = session.run([program], f"{log}-failed", env=env, timeout=UNIT_TIMEOUT)[1]
        show_tail(text + again)
    return counts


def unit(session):
    session.need_build()
    return catch2(session, session.dev / "bin/zyxc-unit", "unit")


def unit_mlir(session):
    session.need_build()
    return catch2(session, session.dev / "bin/zyxc-unit-mlir", "unit-mlir")


def llvm_tool(name):
    """Path of a program of the LLVM packages that is not on PATH."""
    where = subprocess.run(
        ["llvm-config-22", "--bindir"], capture_output=True, text=True, check=False
    )
    path = pathlib.Path(where.stdout.strip()) / name
    if not path.exists():
        raise StageFailed(f"{name} of package llvm-22-tools was not found")
    return path


def run_lit(session, folder, log, env=None, part=""):
    """The lit tests of a build folder, or those of one folder in it: one test a file."""
    report = session.logs / f"{log}.json"
    report.unlink(missing_ok=True)
    timeout = LONG_LIT_TIMEOUT if session.long_mode else LIT_TIMEOUT
    command = [llvm_tool("lit"), "-v", "--print-result-after=failed", "--no-progress-bar"]
    command += ["-j", session.jobs, "--timeout", timeout, "-o", report, folder / "test" / part]
    total = LONG_LIT_TOTAL_TIMEOUT if session.long_mode else LIT_TOTAL_TIMEOUT
    code, text = session.run(command, log, env=env, timeout=total)
    try:
        counts = judged(from_lit(report.read_text()), code)
    except (OSError, ValueError) as error:
        text += f"\nlit exited with {code} without a report: {error}\n"
        counts = Counts(failed=1)
    if counts.failed:
        show_tail(text, lines=200)
    return counts


def lit(session):
    session.need_build()
    return run_lit(session, session.dev, "lit")


def models(session):
    """Whole networks against the interpreter, recorded outputs and ONNX Runtime."""
    session.need_build()
    interpreter = session.build / "venv/bin/python"
    if not (session.build / "venv/requirements.txt").exists():
        raise StageSkipped("no NumPy, ONNX and ONNX Runtime")
    return unittests(session, "test/models", interpreter)


# Light networks with few kernels; the long mode takes all.
QUICK_NETWORKS = ("squeezenet", "shufflenet")
ALL_SKIPPED = 77  # what check-light-networks ends with where nothing could be judged


def gpu_code(session):
    """ptxas and spirv-val on the kernels of the light networks: a kernel counts once a target."""
    session.need_build()
    networks = () if session.long_mode else QUICK_NETWORKS
    command = [session.root / "tools/dev/check-light-networks", "--jobs", session.jobs, *networks]
    code, text = session.run(command, "gpu-code")
    if code == ALL_SKIPPED:
        raise StageSkipped(text.strip().splitlines()[0])
    counts = judged(from_closing_line(text), code)
    if counts.failed:
        show_tail(text)
    return counts


# LLVM's packages are not instrumented: its containers look overflowed, its caches leaked, and
# memory that our copy of its allocators' headers poisons is written by their code.
SANITIZED = {
    "ASAN_OPTIONS": "detect_container_overflow=0:detect_leaks=0:allow_user_poisoning=0",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
}


def sanitizers(session):
    """The unit programs and the lit tests, built with the address and undefined sanitizers."""
    configure_and_build(session, "asan")
    folder = session.build / "asan"
    counts = catch2(session, folder / "bin/zyxc-unit", "asan-unit", SANITIZED)
    counts += catch2(session, folder / "bin/zyxc-unit-mlir", "asan-unit-mlir", SANITIZED)
    return counts + run_lit(session, folder, "asan-lit", SANITIZED)


def sanitized_kernels(session):
    """The part of `sanitizers` that needs zyxc only: the kernels of test/kernels on the host."""
    configure_and_build(session, "asan", "zyxc")
    return run_lit(session, session.build / "asan", "asan-kernels", SANITIZED, part="kernels")


def quickstart(session):
    """The README's first command, which builds the release preset."""
    return script(session, "quickstart", session.root / "tools/quickstart")


def bench(session):
    """Speed against ONNX Runtime: at most 3 times slower on resnet50, 1.5 times on a recurrent one."""
    if not (session.build / "venv/requirements.txt").exists():
        raise StageSkipped("no ONNX Runtime to compare with")
    if not (session.build / "test-data").exists():
        raise StageSkipped("no test data")
    program = "test/bench/vs-onnxruntime"
    counts = script(session, "bench", program, "resnet50", "--min-speed-up", "0.333")
    return counts + script(session, "bench-recurrent", program, "silero", "silero_16k", "--repeat",
                           "200", "--min-speed-up", "0.667")


STAGES = {
    "layers": layers,
    "sizes": sizes,
    "format": layout,
    "self-tests": self_tests,
    "python": python,
    "data": data,
    "build": build,
    "unit": unit,
    "unit-mlir": unit_mlir,
    "lit": lit,
    "models": models,
    "gpu-code": gpu_code,
    "docs": docs,
    "tidy": tidy.run,
    "sanitizers": sanitizers,
    "sanitized-kernels": sanitized_kernels,
    "quickstart": quickstart,
    "bench": bench,
}

# Stages that run in the long mode only; the quick mode does not name them.
LONG_STAGES = {"sanitizers", "quickstart", "bench"}
# Parts of other stages, which run only when they are named.
PART_STAGES = {"sanitized-kernels"}


def default_jobs():
    return len(os.sched_getaffinity(0))
