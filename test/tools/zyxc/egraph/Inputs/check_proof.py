"""Replays the JSON of `zyxc egraph explain --json` with the rules of a program: a second checker, so
that the JSON is known to say all. usage: check_proof.py PROGRAM LEFT RIGHT < JSON"""

import json
import re
import sys


def read(text):
    """The items of a text: words, and lists of items."""
    stack = [[]]
    for token in re.findall(r"[()]|[^\s()]+", re.sub(r"[#;].*", "", text)):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        elif token.endswith(":"):
            stack[-1] += [token[:-1], ":"]
        elif token.endswith(","):
            stack[-1] += [token[:-1], ","] if token != "," else [","]
        else:
            stack[-1].append(token)
    return stack[0]


def rules_of(items):
    """Rules by name: one premise and one conclusion, or `=` for both directions."""
    rules = {}
    for i in range(len(items) - 2):
        if items[i] == ":":
            name, left, sign, right = items[i - 1], items[i + 1], items[i + 2], items[i + 3]
            rules[name] = (left, right)
            if sign == "=":
                rules[name + " back"] = (right, left)
    return rules


def is_constant(word):
    return word[0] == "'" or re.match(r"-?\d", word)


def main():
    program, left, right = sys.argv[1:]
    with open(program, encoding="utf-8") as file:
        rules = rules_of(read(file.read()))
    proof = json.load(sys.stdin)
    written = []  # terms as nested tuples: words are operands of none
    for term in proof["terms"]:
        operands = [written[t] for t in term.get("operands", [])]
        written.append((term["op"], *operands))

    def match(pattern, term, binding):
        if isinstance(pattern, str):
            if is_constant(pattern):
                return term == (pattern.lstrip("'"),)
            return binding.setdefault(pattern, term) == term
        return (
            term[0] == pattern[0]
            and len(term) == len(pattern)
            and all(match(p, t, binding) for p, t in zip(pattern[1:], term[1:]))
        )

    def plain(item):
        return (item,) if isinstance(item, str) else (item[0], *map(plain, item[1:]))

    said = []
    for number, step in enumerate(proof["steps"]):
        a, b = written[step["left"]], written[step["right"]]
        assert all(p < number for p in step.get("premises", [])), number
        premises = [said[p] for p in step.get("premises", [])]
        kind = step["kind"]
        if kind == "reflexivity":
            right_step = a == b
        elif kind == "symmetry":
            right_step = premises == [(b, a)]
        elif kind == "transitivity":
            ends = [a] + [p[1] for p in premises]
            right_step = [p[0] for p in premises] == ends[:-1] and ends[-1] == b
        elif kind == "congruence":
            right_step = a[0] == b[0] and premises == list(zip(a[1:], b[1:]))
        elif kind == "rule":
            premise, conclusion = rules[step["rule"]]
            binding = {}
            right_step = (
                len(premises) == 1
                and premises[0][1] == a
                and match(premise, premises[0][0], binding)
                and match(conclusion, b, binding)
            )
        else:
            right_step = False
        assert right_step, f"step {number}: {step}"
        said.append((a, b))
    assert said[-1] == (plain(read(left)[0]), plain(read(right)[0])), said[-1]
    print(f"{len(said)} steps hold")


main()
