"""One run of tools/check: its options, and how a stage runs commands and reports."""
import os
import pathlib
import subprocess
import time

from counts import Counts

TAIL_LINES = 60


class StageFailed(Exception):
    """A stage cannot go on; the text says why."""


class StageSkipped(Exception):
    """A stage does not apply here; the text says why."""


class Session:
    """Where the tree is, what was asked for, and the log folder."""

    def __init__(self, root, long_mode, jobs):
        self.root = pathlib.Path(root)
        self.build = self.root / "build"
        self.dev = self.build / "dev"
        self.logs = self.build / "check"
        self.long_mode = long_mode
        self.jobs = jobs
        self.built = None  # None: not tried; False: failed
        self.logs.mkdir(parents=True, exist_ok=True)

    def environment(self, extra=None):
        """The environment of test programs: ZYXC_LONG_TESTS=1 in the long mode."""
        env = dict(os.environ)
        if self.long_mode:
            env["ZYXC_LONG_TESTS"] = "1"
        env.update(extra or {})
        return env

    def run(self, command, log, env=None, timeout=3600):
        """Runs a command with its output in build/check/LOG.log; returns (exit code, output)."""
        path = self.logs / f"{log}.log"
        command = [str(part) for part in command]
        with open(path, "w", encoding="utf-8", errors="replace") as out:
            try:
                code = subprocess.run(
                    command,
                    cwd=self.root,
                    env=self.environment(env),
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    timeout=timeout,
                    check=False,
                ).returncode
            except subprocess.TimeoutExpired:
                out.write(f"\nstopped after {timeout} s\n")
                code = 124
            except OSError as error:
                out.write(f"\n{error}\n")
                code = 127
        return code, path.read_text(encoding="utf-8", errors="replace")

    def must_run(self, command, log, **options):
        """Like run, but a failure ends the stage."""
        code, text = self.run(command, log, **options)
        if code != 0:
            show_tail(text)
            raise StageFailed(f"{' '.join(map(str, command[:4]))} ... exited with {code}")
        return text

    def need_build(self):
        """Ends the stage where the build failed."""
        if self.built is False:
            raise StageFailed("the build failed")
        if not (self.dev / "build.ninja").exists():
            raise StageFailed("there is no build yet; run the stage 'build' first")


def show_tail(text, lines=TAIL_LINES):
    """Prints the end of a failing command's output."""
    shown = text.rstrip().splitlines()
    if len(shown) > lines:
        print(f"   ... {len(shown) - lines} lines before")
    for line in shown[-lines:]:
        print(f"   {line}")


def run_stage(session, name, function):
    """Runs one stage under its heading and returns its counts."""
    print(f"== {name}", flush=True)
    start = time.monotonic()
    try:
        counts = function(session)
    except StageFailed as failure:
        print(f"   failed: {failure}")
        counts = Counts(failed=1)
    except StageSkipped as reason:
        print(f"   skipped: {reason}")
        counts = Counts(skipped=1)
    print(f"   {name}: {counts} ({time.monotonic() - start:.1f} s)", flush=True)
    return counts
