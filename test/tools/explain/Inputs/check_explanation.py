"""check_explanation.py FILE.json.. [DOCUMENT.md]: explanations are consistent; with a document, all their keys
together are those that it lists."""
import json
import re
import sys

ROLES = {"computed", "rewritten", "served"}


def check_tensors(tensors, kernels, is_whole):
    for tensor in tensors:
        assert tensor["name"] and tensor["type"], tensor
        assert (tensor["kind"] == "made") == ("kernel" in tensor), tensor
        if "kernel" in tensor and is_whole:
            maker = kernels[tensor["kernel"]]
            assert tensor["name"] in [made["name"] for made in maker["makes"]], (tensor, maker)


def check_rejected(kernel, part, kernels, is_whole):
    costs = [other["cost"] for other in kernel["rejected"]]
    assert costs == sorted(costs), kernel["name"]
    for other in kernel["rejected"]:
        check_tensors(other["reads"], kernels, is_whole)
        if other["why"] in ("place", "cycle"):
            assert "inAll" not in other
            continue
        more = other["inAll"]
        assert other["why"] == ("dearer" if more > 0 else "same" if more == 0 else "cheaper"), other
        assert part["cost"] + more >= part["lowerBound"] or part["storedBetweenParts"], other
        if is_whole:  # the difference is what is added, less what is saved
            added = other["cost"] + sum(extra["cost"] for extra in other["extras"])
            saved = sum(kernels[k]["cost"] for k in other["saves"])
            saved += 0 if other["keepsChosen"] else kernel["cost"]
            assert more == added - saved, (kernel["name"], other)


def check_part(part, is_whole):
    kernels = {kernel["id"]: kernel for kernel in part["kernels"]}
    nodes = {node["id"]: node for node in part["nodes"]}
    assert len(kernels) == len(part["kernels"]) and len(nodes) == len(part["nodes"])
    assert part["gap"] == part["cost"] - part["lowerBound"] >= 0
    assert not part["proved"] or part["gap"] == 0
    if is_whole:
        assert part["cost"] == sum(kernel["cost"] for kernel in part["kernels"])
    for node in part["nodes"]:
        assert (node["state"] == "inKernels") == bool(node["kernels"]), node
        assert node["ops"], node
        assert all(operand < node["id"] for operand in node["operands"]), node
        for member in node["kernels"]:
            assert member["role"] in ROLES
            if not is_whole and member["kernel"] not in kernels:
                continue
            back = {"node": node["id"], "role": member["role"]}
            assert back in kernels[member["kernel"]]["nodes"], (node, member)
    made = set()
    for kernel in part["kernels"]:
        for member in kernel["nodes"]:
            assert {"kernel": kernel["id"], "role": member["role"]} in nodes[member["node"]]["kernels"]
        assert (kernel["kind"] == "kernel") == bool(kernel["name"]) == bool(kernel["family"]), kernel
        check_tensors(kernel["reads"] + kernel["makes"], kernels, is_whole)
        for tensor in kernel["reads"]:  # in order of execution
            assert not is_whole or tensor["kind"] != "made" or tensor["name"] in made, kernel
        assert all(tensor["kernel"] == kernel["id"] for tensor in kernel["makes"])
        made |= {tensor["name"] for tensor in kernel["makes"]}
        check_rejected(kernel, part, kernels, is_whole)
        for step in kernel["form"]:
            assert (step["by"] == "rule") == ("rule" in step), step


def check(explanation):
    assert explanation["format"] == "zyxc-explanation" and explanation["version"] == 1
    names = [part["name"] for part in explanation["parts"]]
    run = [name for part in explanation["parts"] for kernel in part["kernels"] for name in kernel["runs"]]
    if explanation["node"] is None:
        assert names[0] == "" and sorted(names[1:]) == sorted(run), (names, run)
    else:
        assert all(part["nodes"][0]["name"] == explanation["node"] for part in explanation["parts"])
    for part in explanation["parts"]:
        check_part(part, explanation["node"] is None)


def documented_keys(text):
    """All keys of the tables of the section on JSON."""
    section = text.split("\n## JSON\n", 1)[1]
    rows = re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE)
    nested = re.findall(r"(?:with|besides:) `(\w+)`.*?and `(\w+)`", section)
    return {key for row in rows for key in re.findall(r"`(\w+)`", row)} | set(sum(nested, ()))


def keys_of(value):
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    if isinstance(value, dict):
        return set(value).union(*map(keys_of, value.values()))
    return set()


def main():
    used = set()
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            text = file.read()
        if name.endswith(".md"):
            documented = documented_keys(text)
            assert used == documented, f"not in it: {used - documented}, only there: {documented - used}"
            print("all keys are documented")
            continue
        explanation = json.loads(text)
        check(explanation)
        used |= keys_of(explanation)
        parts = explanation["parts"]
        print("consistent:", len(parts), "parts,", sum(len(part["nodes"]) for part in parts), "nodes,",
              sum(len(part["kernels"]) for part in parts), "kernels")


if __name__ == "__main__":
    main()
