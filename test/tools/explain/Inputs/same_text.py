"""same_text.py EXPLAIN COMPILE DUMP: the text of explain begins that of compile --explain, and is the dump."""
import sys

explain, compiled, dump = (open(name, encoding="utf-8").read() for name in sys.argv[1:])
assert explain and compiled.startswith(explain), "compile --explain says something else"
assert dump == f"// after plan\n{explain}\n", "the dump of the plan says something else"
