"""Counts of tests, and how to read them from each test runner's report."""
import dataclasses
import json
import re
import xml.etree.ElementTree as xml

LIT_PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
LIT_SKIPPED = {"UNSUPPORTED", "SKIPPED"}
LIT_UNCOUNTED = {"EXCLUDED"}


@dataclasses.dataclass
class Counts:
    """Numbers of tests that passed, failed and were skipped."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other):
        return Counts(
            self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped
        )

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def judged(counts, exit_code):
    """Adds a failure where the runner failed without naming a test, or ran nothing at all."""
    if exit_code != 0 and counts.failed == 0:
        return counts + Counts(failed=1)
    if counts == Counts():
        return Counts(failed=1)
    return counts


def from_lit(text):
    """Counts of lit's JSON report (lit --output)."""
    counts = Counts()
    for test in json.loads(text)["tests"]:
        code = test["code"]
        if code in LIT_UNCOUNTED:
            continue
        counts.passed += code in LIT_PASSED
        counts.skipped += code in LIT_SKIPPED
        counts.failed += code not in LIT_PASSED | LIT_SKIPPED
    return counts


def from_junit(text):
    """Counts of a JUnit report (Catch2 -r junit): one test a test case, its sections together."""
    cases = {}
    for case in xml.fromstring(text).iter("testcase"):
        # Catch2 writes "case/section" for the sections of a case; the class is the program's.
        name = case.get("classname", ""), case.get("name", "").split("/", 1)[0]
        bad = case.find("failure") is not None or case.find("error") is not None
        cases[name] = cases.get(name, False) or bad
    failed = sum(cases.values())
    return Counts(passed=len(cases) - failed, failed=failed)


def from_unittest(text):
    """Counts of Python's unittest, from its closing lines."""
    ran = re.search(r"^Ran (\d+) tests? in", text, re.MULTILINE)
    if not ran:
        return Counts()
    number = {key: 0 for key in ("failures", "errors", "skipped")}
    for key, value in re.findall(r"(failures|errors|skipped)=(\d+)", text[ran.end() :]):
        number[key] = int(value)
    failed = number["failures"] + number["errors"]
    return Counts(int(ran.group(1)) - failed - number["skipped"], failed, number["skipped"])


def from_closing_line(text):
    """Counts of a tool whose last line is `N passed, N failed, N skipped`."""
    lines = text.rstrip().splitlines() or [""]
    found = re.fullmatch(r"(\d+) passed, (\d+) failed, (\d+) skipped", lines[-1])
    return Counts(*map(int, found.groups())) if found else Counts()
