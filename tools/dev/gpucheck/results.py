"""The results of a run: lines of a table, kept as they come."""
import dataclasses
import time

COLUMNS = ["step", "name", "target", "status", "value", "unit", "peer", "ratio", "gate", "goal",
           "detail"]
UNSUPPORTED = 4  # exit code of zyxc: valid, but not handled on this target
NOT_RUN = 10  # exit code of zyxc: there is no device, or nothing to run


def last_line(text):
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1] if lines else ""


@dataclasses.dataclass
class Result:
    """One line. status: ok, FAIL (wrong or crashed), SLOW (below its gate), skipped."""

    step: str
    name: str
    target: str = ""
    status: str = "ok"
    value: float | None = None  # in `unit`
    unit: str = ""
    peer: float | None = None  # the peer's value in the same unit
    ratio: float | None = None  # what the gate is about; more is better
    gate: float | None = None
    goal: float | None = None
    detail: str = ""


def cell(value):
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value).replace("\t", " ")


class Results:
    """Writes every result to results.tsv and the log at once, so that nothing is lost."""

    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.start = time.monotonic()
        self.lines = []
        self.log_file = open(folder / "log.txt", "w", buffering=1)
        self.table = open(folder / "results.tsv", "w", buffering=1)
        self.table.write("\t".join(COLUMNS) + "\n")
        self.report = folder / "report.txt"

    def seconds(self):
        return time.monotonic() - self.start

    def log(self, text):
        line = f"[{self.seconds():5.0f} s] {text}"
        print(line, flush=True)
        self.log_file.write(line + "\n")

    def note(self, text):
        """To the log file only."""
        self.log_file.write(text.rstrip("\n") + "\n")

    def add(self, result):
        self.lines.append(result)
        cells = [cell(getattr(result, column)) for column in COLUMNS]
        self.table.write("\t".join(cells) + "\n")
        shown = [result.step, result.name, result.target, result.status]
        if result.value is not None:
            shown.append(f"{result.value:.4g} {result.unit}")
        if result.ratio is not None:
            shown.append(f"ratio {result.ratio:.3f}")
        if result.gate is not None:
            shown.append(f"(gate {result.gate:g}, goal {result.goal:g})")
        self.log(" ".join(part for part in shown if part) +
                 (f": {result.detail}" if result.detail else ""))

    def close(self):
        self.log_file.close()
        self.table.close()

    def print_tables(self):
        """All lines with a gate, then all that failed, then the counts."""
        text = []
        gated = [line for line in self.lines if line.gate is not None]
        if gated:
            text.append(f"{'case':34} {'value':>10} {'unit':9} {'peer':>10} {'ratio':>7} "
                        f"{'gate':>6} {'goal':>6}  status")
            for line in gated:
                text.append(f"{line.name:34} {cell(line.value):>10} {line.unit:9} "
                            f"{cell(line.peer):>10} {cell(line.ratio):>7} {line.gate:>6g} "
                            f"{line.goal:>6g}  {line.status}")
        for line in self.lines:
            if line.status in ("FAIL", "SLOW"):
                text.append(f"{line.status}: {line.step} {line.name} {line.target} {line.detail}")
        counts = {}
        for line in self.lines:
            counts[line.status] = counts.get(line.status, 0) + 1
        text.append(", ".join(f"{count} {status}" for status, count in sorted(counts.items())) +
                    f"; {self.seconds():.0f} s")
        self.report.write_text("\n".join(text) + "\n")
        print("\n".join(text), flush=True)
        return 1 if counts.get("FAIL") or counts.get("SLOW") or not counts.get("ok") else 0
