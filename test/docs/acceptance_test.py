"""docs/acceptance.md accounts for each acceptance case: a test names it, or a table says why none does."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASE = r"(?:KZ-T-[A-Z]|KZ-B|RT-A)\d+"
SUFFIXES = (".cpp", ".mlir", ".py", ".test")


def section(title):
    text = (ROOT / "docs/acceptance.md").read_text(encoding="utf-8")
    return text.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


def cases(text):
    """The cases in a text; `A1` to `A3` are three."""
    found = set(re.findall(CASE, text))
    for family, first, last_family, last in re.findall(
            r"`([A-Z-]+?)(\d+)` to `([A-Z-]+?)(\d+)`", text):
        assert family == last_family, family
        found |= {f"{family}{i}" for i in range(int(first), int(last))}
    return found


def column(title, number):
    """The cases in one column of the table of a section."""
    rows = [row.split(" | ") for row in section(title).splitlines() if row.startswith("| `")]
    return cases("\n".join(row[number] for row in rows))


class AcceptanceTest(unittest.TestCase):
    def setUp(self):
        table = re.findall(r"^\| `([A-Z-]+)` \| (\d+) \|",
                           (ROOT / "docs/acceptance.md").read_text(encoding="utf-8"), re.MULTILINE)
        self.all = {f"{family}{i}" for family, count in table for i in range(1, int(count) + 1)}
        files = [path for path in (ROOT / "test").rglob("*")
                 if path.suffix in SUFFIXES and path.parent != ROOT / "test/docs"]
        self.tested = {case for path in files
                       for case in re.findall(CASE + r"\b", path.read_text(errors="replace"))}
        self.later = column("Not here yet", 0)
        self.faults = column("Faults of the past", 0)

    def test_families(self):
        self.assertEqual(len(self.all), 197)

    def test_each_case_is_accounted_for(self):
        self.assertEqual(sorted(self.all - self.tested - self.later - self.faults), [])

    def test_no_other_case_is_named(self):
        named = self.tested | self.later | self.faults | column("Decided otherwise", 0)
        self.assertEqual(sorted(named - self.all), [])

    def test_what_is_tested_is_not_listed_as_missing(self):
        self.assertEqual(sorted(self.tested & (self.later | self.faults)), [])

    def test_what_was_decided_otherwise_is_tested(self):
        self.assertEqual(sorted(column("Decided otherwise", 0) - self.tested), [])

    def test_faults_of_the_past_name_cases(self):
        self.assertEqual(sorted(column("Faults of the past", 1) - self.tested - self.later), [])


if __name__ == "__main__":
    unittest.main()
