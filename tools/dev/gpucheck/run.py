"""Runs the steps of tools/gpu-check on a machine with a GPU, each with a time limit of its own."""
import concurrent.futures
import json
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading

import plans
import vulkan
from program import find, unpack
from results import NOT_RUN, UNSUPPORTED, Result, Results, last_line

HERE = pathlib.Path(__file__).resolve().parent
CHECK_SECONDS = 90  # one file on one target
BUNDLE_SECONDS = 60
CASE_SECONDS = 45  # one case without a line of output: it hangs
START_SECONDS = 120  # torch's first use of the GPU
SANITIZE_SECONDS = 240
SANITIZERS = ["memcheck", "racecheck", "initcheck", "synccheck"]


class Session:
    """The program, the kernels, and what is left of the time."""

    def __init__(self, root, zyxc, args):
        self.root = root
        self.kernels = root / "test/kernels"
        self.zyxc = zyxc
        self.only = re.compile(args.only)
        self.results = Results(args.out)
        self.seconds = args.minutes * 60
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="zyxc-gpu-"))
        self.environment = vulkan.environment(root, self.folder)
        self.jobs = max(1, min(8, (os.cpu_count() or 2) // 2))

    def left(self, at_most):
        """Seconds that a command may take."""
        return max(0.0, min(at_most, self.seconds - self.results.seconds()))

    def command(self, words, limit):
        """(exit code, output); the code is None if it ran past its limit."""
        limit = self.left(limit)
        if limit < 1:
            return None, "no time left"
        words = [str(word) for word in words]
        try:
            done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=limit, check=False, text=True, errors="replace",
                                  env=self.environment)
            code, text = done.returncode, done.stdout
        except subprocess.TimeoutExpired as stopped:
            code, text = None, f"stopped after {limit:.0f} s"
            if stopped.stdout:
                self.results.note(stopped.stdout.decode(errors="replace"))
        except OSError as error:
            code, text = 127, str(error)
        self.results.note(f"$ {' '.join(words)}\n{text}\nexit code: {code}")
        return code, text

    def files(self):
        return [path for path in sorted(self.kernels.rglob("*.mlir"))
                if self.only.search(path.stem)]


def judge(step, name, target, code, text):
    """The result of a command of zyxc."""
    if code == 0:
        return Result(step, name, target, "ok", detail=last_line(text))
    if code == NOT_RUN or (code == UNSUPPORTED and "which is for the host" in text):
        return Result(step, name, target, "skipped", detail=last_line(text))
    return Result(step, name, target, "FAIL", detail=last_line(text))


class NoGpu(Exception):
    """Nothing that follows can run here."""


def device(session):
    """What the machine is, and whether zyxc runs on it. NoGpu if there is no NVIDIA GPU."""
    found, text = session.command(
        ["nvidia-smi", "--query-gpu=name,driver_version,memory.total,clocks.sm,clocks.max.sm",
         "--format=csv,noheader"], 30)
    session.results.log(f"GPU: {last_line(text)}")
    code, text = session.command([session.zyxc, "doctor"], 30)
    for line in text.splitlines():
        session.results.log(line)
    session.results.add(judge("device", "zyxc starts", "", code, text))
    if found != 0:
        raise NoGpu("no NVIDIA GPU: nvidia-smi names none; run this on a machine with one, or name "
                    "steps that need none by --steps")


def check_on(target):
    """A step: every kernel file on a target, against the interpreter."""

    def step(session):
        def one(path):
            code, text = session.command([session.zyxc, "kernel", "check", path, "--target", target],
                                         CHECK_SECONDS)
            session.results.add(judge("check", path.stem, target, code, text))

        with concurrent.futures.ThreadPoolExecutor(session.jobs) as pool:
            list(pool.map(one, session.files()))

    return step


def add_compile_time(session, case, path):
    """The time of the steps from the kernel's text to machine code, in one process, warm."""
    steps = json.loads(pathlib.Path(path).read_text()).get("compile_ms", {})
    total = sum(steps.values())
    status = "ok" if total <= case.compile_ms else "SLOW"
    session.results.add(Result("compile", case.name, case.target, status, value=total, unit="ms",
                               gate=case.compile_ms, goal=case.compile_ms / 2, detail=", ".join(
                                   f"{step} {spent:.1f}" for step, spent in steps.items())))


def bundle_cases(session, cases):
    """[name, bundle] of each case that compiles. One at a time, since this is timed."""
    entries = []
    for case in cases:
        folder = session.folder / re.sub(r"\W+", "-", case.name)
        words = [session.zyxc, "kernel", "bundle", session.kernels / case.file, "--target",
                 case.target, "--out", folder]
        words += ["--dim", ",".join(f"{dim}={size}" for dim, size in case.dims.items())]
        words += ["--kernel", case.kernel or pathlib.Path(case.file).stem]
        code, text = session.command(words, BUNDLE_SECONDS)
        made = sorted(folder.glob("*.json"))
        if code == 0 and len(made) == 1:
            add_compile_time(session, case, made[0])
            entries.append([case.name, str(made[0])])
        else:
            session.results.add(Result("time", case.name, case.target, "FAIL", gate=case.gate,
                                       goal=case.goal, detail=last_line(text)))
    return entries


def read_lines(stream, lines):
    for line in stream:
        lines.put(line.rstrip("\n"))
    lines.put(None)


def run_bench(session, entries):
    """Yields (name, result) of the first cases of `entries`, up to one that hangs or crashes."""
    listing = session.folder / "cases.json"
    listing.write_text(json.dumps(entries))
    errors = open(session.folder / "bench.log", "w+")
    process = subprocess.Popen([sys.executable, HERE / "bench.py", listing], text=True,
                               stdout=subprocess.PIPE, stderr=errors)
    lines = queue.Queue()
    reader = threading.Thread(target=read_lines, args=(process.stdout, lines), daemon=True)
    reader.start()
    name, fault = "", ""
    limit = START_SECONDS
    answered = False
    while True:
        try:
            line = lines.get(timeout=max(1.0, session.left(limit)))
        except queue.Empty:
            fault = f"no answer for {limit} s"
            break
        if line is None:
            break
        limit = CASE_SECONDS
        if line.startswith("START "):
            name = line[len("START "):]
        elif line.startswith("RESULT "):
            yield name, json.loads(line[len("RESULT "):])
            name, answered = "", True
    process.kill()
    process.wait()
    reader.join()
    process.stdout.close()
    errors.seek(0)
    text = errors.read()
    errors.close()
    session.results.note(text)
    if name or fault or not answered:
        fault = fault or f"the process ended: {last_line(text)}"
        yield name or entries[0][0], {"status": "FAIL", "detail": fault}


def add_time(session, case, got, speeds):
    """The line of a timed case."""
    line = Result("time", case.name, case.target, got["status"], gate=case.gate, goal=case.goal,
                  detail=got.get("detail", ""))
    if got["status"] == "ok":
        us, peer = got["us"], got["peer_us"]
        work, unit = (case.flops, "TFLOP/s") if case.flops else (got["bytes"], "GB/s")
        scale = 1e-6 if case.flops else 1e-3
        line.value, line.unit, line.peer = work / us * scale, unit, work / peer * scale
        speeds[case.name] = line.value
        line.ratio = peer / us
        holds = None
        if case.against == "us":
            line.value, line.unit, line.ratio = us, "us", None
            holds = us <= case.gate
        elif case.against == "TFLOP/s":
            line.ratio = line.value
        elif case.against != "peer":
            line.ratio = line.value / speeds[case.against] if case.against in speeds else None
            holds = line.ratio is not None and line.ratio >= case.gate
        holds = line.ratio >= case.gate if holds is None else holds
        line.status = "ok" if holds else "SLOW"
        line.detail = f"{us:.1f} us, peer {peer:.1f} us, error {got['error']:.2g}"
    session.results.add(line)


def timing(session):
    """The cases of table.py beside torch."""
    sys.path.insert(0, str(HERE))
    import table

    wanted = {name for name, case in table.CASES.items() if session.only.search(case.name)}
    # A case whose gate is another case's speed is judged in the same run.
    wanted |= {table.CASES[name].against for name in wanted} & set(table.CASES)
    cases = [case for name, case in table.CASES.items() if name in wanted]
    entries = bundle_cases(session, cases)
    speeds = {}
    code, _ = session.command([sys.executable, "-c", "import torch"], START_SECONDS)
    if entries and code != 0:
        session.results.add(Result("time", "all", status="skipped",
                                   detail=f"PyTorch is not installed for {sys.executable}"))
        return
    while entries and session.left(1e9) > 1:
        done = 0
        for name, got in run_bench(session, entries):
            add_time(session, table.CASES[name], got, speeds)
            done += 1
        if not done:
            break
        entries = entries[done:]
    for name, _ in entries:
        case = table.CASES[name]
        session.results.add(Result("time", name, case.target, "FAIL", gate=case.gate,
                                   goal=case.goal, detail="not reached"))


def kernel_time(session, case, target):
    """The median time in microseconds by `zyxc kernel time`, or an explanation."""
    words = [session.zyxc, "kernel", "time", session.kernels / case.file, "--target", target,
             "--dim", ",".join(f"{dim}={size}" for dim, size in case.dims.items()), "--tsv"]
    words += ["--kernel", case.kernel or pathlib.Path(case.file).stem]
    code, text = session.command(words, CHECK_SECONDS)
    rows = [line.split("\t") for line in text.splitlines() if "\t" in line]
    if code != 0 or len(rows) < 2 or "median_us" not in rows[0]:
        return None, code, last_line(text)
    return float(rows[-1][rows[0].index("median_us")]), code, ""


def vulkan_time(session):
    """Memory-bound cases through Vulkan, beside their PTX."""
    sys.path.insert(0, str(HERE))
    import table

    for case in table.CASES.values():
        if not case.vulkan or not session.only.search(case.name):
            continue
        line = Result("vulkan-time", case.name, "vulkan", gate=0.75, goal=0.95)
        vulkan, code, fault = kernel_time(session, case, "vulkan")
        if vulkan is None:
            line.status = "skipped" if code == NOT_RUN else "FAIL"
        else:
            ptx, code, fault = kernel_time(session, case, case.target)
            line.value, line.unit, line.peer = vulkan, "us", ptx
            line.ratio = ptx / vulkan if ptx else None
            line.status = "ok" if line.ratio and line.ratio >= line.gate else "SLOW"
        line.detail = fault
        session.results.add(line)


def sanitize(session):
    """Every kernel at a few sizes under the four tools of compute-sanitizer."""
    program = shutil.which("compute-sanitizer")
    if not program:
        session.results.add(Result("sanitize", "all", status="skipped",
                                   detail="compute-sanitizer is not on the PATH"))
        return

    def one(job):
        tool, path = job
        code, text = session.command(
            [program, "--tool", tool, "--error-exitcode", "99", session.zyxc, "kernel", "check",
             path, "--target", "sm_90a", "--sizes", "4", "--work", "2e6"], SANITIZE_SECONDS)
        result = judge("sanitize", f"{tool} {path.stem}", "sm_90a", code, text)
        summary = [line for line in text.splitlines() if "ERROR SUMMARY" in line or "RACECHECK" in
                   line]
        result.detail = summary[-1].strip("= ") if summary else result.detail
        session.results.add(result)

    jobs = [(tool, path) for tool in SANITIZERS for path in session.files()]
    with concurrent.futures.ThreadPoolExecutor(session.jobs) as pool:
        list(pool.map(one, jobs))


STEPS = {
    "device": device,
    "check": check_on("sm_90a"),
    "time": timing,
    "check-sm_80": check_on("sm_80"),
    "check-vulkan": check_on("vulkan"),
    "vulkan-time": vulkan_time,
    "plans-cuda": plans.models_on("cuda"),
    "plans-vulkan": plans.models_on("vulkan"),
    "nodes-cuda": plans.nodes_on("cuda:sm_90"),
    "nodes-vulkan": plans.nodes_on("vulkan"),
    "sanitize": sanitize,
}


def run(root, archive, args):
    out = pathlib.Path(args.out)
    folder = None
    if archive:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="zyxc-gpu-check-"))
    args.out = out
    session = None
    try:
        if archive:
            unpack(archive, folder)
            root = folder
        zyxc = folder / "bin/zyxc" if archive else find(root, args.zyxc)
        session = Session(root, zyxc, args)
        for name in args.steps.split(","):
            session.results.log(f"step {name}")
            try:
                STEPS[name](session)
            except NoGpu as reason:
                session.results.add(Result(name, "GPU", status="skipped", detail=str(reason)))
                failed = session.results.print_tables()
                return failed or NOT_RUN
            except Exception as error:  # one step must not stop the rest
                session.results.add(Result(name, "step", status="FAIL",
                                           detail=f"{type(error).__name__}: {error}"))
        return session.results.print_tables()
    finally:
        if session:
            session.results.close()
        for made in (session and session.folder, folder):
            if made:
                shutil.rmtree(made, ignore_errors=True)
