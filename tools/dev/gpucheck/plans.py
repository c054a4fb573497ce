"""Steps of tools/gpu-check for whole models: plans for GPUs against the interpreter and ONNX's cases."""
import concurrent.futures
import os
import re

from results import NOT_RUN, Result, last_line

MODEL_SECONDS = 60
NODE_SECONDS = 400
UNSUPPORTED = 4  # exit code of zyxc
CLOSING = re.compile(r"(\d+) passed, (\d+) failed, (\d+) skipped")


def is_model(text):
    """One model whose sizes are known."""
    return "//--- " not in text and "#zyx.dims" not in text


def models_on(target):
    """A step: the models of test/e2e on a target, against the interpreter."""

    def step(session):
        def one(path):
            code, text = session.command([session.zyxc, "verify", path, "--target", target,
                                          "--rtol=1e-3"], MODEL_SECONDS)
            status = {0: "ok", UNSUPPORTED: "skipped", NOT_RUN: "skipped"}.get(code, "FAIL")
            session.results.add(Result("plans", path.stem, target, status, detail=last_line(text)))

        models = [path for path in sorted((session.root / "test/e2e").rglob("*.mlir"))
                  if session.only.search(path.stem) and is_model(path.read_text())]
        with concurrent.futures.ThreadPoolExecutor(session.jobs) as pool:
            list(pool.map(one, models))

    return step


def nodes_on(target):
    """A step: ONNX's own cases on a target, where they were packed."""

    def step(session):
        data = session.root / "data"
        if not data.is_dir():
            session.results.add(Result("nodes", "all", target, "skipped",
                                       detail="the archive has no cases: pack it with ZYXC_TEST_DATA"))
            return
        session.environment["PATH"] = f"{session.zyxc.parent}{os.pathsep}{os.environ['PATH']}"
        code, text = session.command(
            [session.root / "tools/dev/onnx-node-tests", "--data", data, "--complete",
             "--target", target, "--jobs", session.jobs, "--quiet"], NODE_SECONDS)
        counts = CLOSING.search(last_line(text))
        session.results.add(Result("nodes", "all", target, "ok" if code == 0 else "FAIL",
                                   value=int(counts[1]) if counts else None, unit="passed",
                                   detail=last_line(text)))
        for line in text.splitlines()[:-1]:
            session.results.log(f"  {line}")

    return step
