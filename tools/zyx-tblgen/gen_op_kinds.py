#!/usr/bin/env python3
"""Turns the records of ZyxOps.td (llvm-tblgen --dump-json) into the C++ table of op kinds.

usage: gen_op_kinds.py RECORDS.json OUT.inc
Output: one ZYX_OP(Kind, "mnemonic", Family, arity, commutative, ATTRIBUTES) a line, sorted by
mnemonic, where arity is -1 for a variadic op and ATTRIBUTES is ZYX_ATTRS({"name", Type}, ...).
"""
import json
import sys

ATTRIBUTE_TYPES = {
    "I64Attr": "Int", "F64Attr": "Float", "BoolAttr": "Int", "StrAttr": "String",
    "DenseI64ArrayAttr": "Ints", "TypeAttr": "DType", "ElementsAttr": "Tensor",
    "AffineMapAttr": "Map",
}


def attribute_type(records, definition):
    record = records[definition]
    while definition not in ATTRIBUTE_TYPES:  # DefaultValuedAttr and friends wrap a base
        base = record.get("baseAttr")
        if not base:
            sys.exit(f"gen_op_kinds: attribute type {definition} has no MLIR-free counterpart")
        definition, record = base["def"], records[base["def"]]
    return ATTRIBUTE_TYPES[definition]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        records = json.load(file)
    rows = []
    for name in records["!instanceof"]["Zyx_Op"] + records["!instanceof"]["Zyx_GraphKind"]:
        record = records[name]
        arity, attributes = 0, []
        for argument, label in record["arguments"]["args"]:
            definition = argument["def"]
            if definition == "Zyx_Tensor":
                arity += 1
            elif "Variadic" in records[definition]["!superclasses"]:
                arity = -1
            else:
                attributes.append(f'{{"{label}", {attribute_type(records, definition)}}}')
        traits = {trait["def"] for trait in record["traits"]}
        commutative = "true" if "Commutative" in traits else "false"
        kind = name.removeprefix("Zyx_").removesuffix("Op")
        rows.append((record["opName"],
                     f'ZYX_OP({kind}, "{record["opName"]}", {record["family"]}, {arity}, '
                     f'{commutative}, ZYX_ATTRS({", ".join(sorted(attributes))}))'))
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write("\n".join(row for _, row in sorted(rows)) + "\n")


main()
