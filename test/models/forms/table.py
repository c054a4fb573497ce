"""How forms are written down.

A form is one computation: its inputs and outputs, and the ways in which exporters and people write it, in
ONNX's text form (opset 18), by name. Each way becomes one kernel that reads each input once, unless it
stands in `several` with the number of kernels that it takes and the reason.
"""
import dataclasses


@dataclasses.dataclass
class Spelling:
    nodes: str
    kernels: int = 1
    reason: str = ""  # why there are more than one


@dataclasses.dataclass
class Form:
    inputs: str
    outputs: str
    spellings: dict


def several(kernels, reason, nodes):
    """A spelling of more than one kernel, and why it should have them."""
    return Spelling(nodes, kernels, reason)



def filled(name, dtype, *shape, value=None, step=37):
    """An initializer in text: `value` everywhere, or small numbers that differ."""
    count = 1
    for extent in shape:
        count *= extent
    numbers = [value if value is not None else f"{(i * step % 101 + 1) / 256:g}" for i in range(count)]
    dims = f"[{','.join(map(str, shape))}]" if shape else ""
    return f"{dtype}{dims} {name} = {{{', '.join(map(str, numbers))}}}"


def listed(name, *values):
    return f"int64[{len(values)}] {name} = {{{', '.join(map(str, values))}}}"


NUMBERS = {
    "eps": 1e-5, "zero": 0, "one": 1, "two": 2, "three": 3, "six": 6, "eight": 8, "fifty": 50, "half": 0.5,
    "eighth": 0.125, "minus_half": -0.5, "n768": 768, "n767": 767, "by768": 0.0013020833, "root768": 27.712813,
    "root2": 1.4142135, "root_half": 0.70710677, "root32": 5.656854, "scale": 0.17677669, "root_scale": 0.4204482,
    "gelu_cubic": 0.044715, "gelu_scale": 0.7978846, "gelu_quick": 1.702, "minus_10000": -10000, "lowest": -3e38,
    "minus_inf": "-inf",
}
LISTS = {
    "last": [-1], "first": [0], "second": [1], "third": [2], "axis1_list": [1], "axis2_list": [2],
    "batch_axes": [0, 2, 3], "image_axes": [2, 3], "image_axes_new": [2, 3], "pool_axes": [3, 5], "five": [5],
    "groups": [2, 8, -1], "images": [2, 32, 14, 14], "channels": [1, 32, 1, 1], "channels24": [1, 24, 1, 1],
    "channels16": [1, 16, 1, 1], "n768_256": [768, 256], "blocks": [2, 16, 14, 2, 14, 2], "deep": [2, 64, 14, 14],
    "pooled": [2, 16, 14, 2, 14, 2], "borders": [0, 0, 1, 1, 0, 0, 1, 1], "shape_48_64": [48, 64],
    "heads": [2, 4, 48, 32], "flat_heads": [8, 48, 32], "flat_rows": [384, 48], "scores_shape": [2, 4, 48, 48],
    "joined_heads": [2, 48, 128], "joined_weights": [128, 128], "each": [2, 2, 2, 48, 32],
    "all_heads": [2, 4, 48, 32], "grouped_heads": [2, 2, 2, 48, 32], "to_heads": [2, 64, 4, 64],
    "square48": [48, 48],
}
INTEGERS = {"zero_i": 0, "one_i": 1, "count48": 48, "count96": 96, "axis0": 0, "axis1": 1, "depth200": 200,
            "depth1000": 1000}
TENSORS = {
    "ones768": filled("ones768", "float", 768, value=1), "ones256": filled("ones256", "float", 256, value=1),
    "ones64": filled("ones64", "float", 64, value=1), "ones8": filled("ones8", "float", 8, value=1),
    "zeros8": filled("zeros8", "float", 8, value=0), "off_on": "float[2] off_on = {0, 1}",
    "zero_u8": "uint8 zero_u8 = {0}",
    "none": "float[0] none = {}", "twice": "float[4] twice = {1, 1, 2, 2}",
    "weight256": filled("weight256", "float", 256, 256), "other256": filled("other256", "float", 256, 256, step=41),
    "weight256_768": filled("weight256_768", "float", 256, 768), "kernel16": filled("kernel16", "float", 16, 16, 3, 3),
    "scale16": filled("scale16", "float", 16), "bias16": filled("bias16", "float", 16),
    "mean16": filled("mean16", "float", 16), "var16": filled("var16", "float", 16),
}
# Initializers that nodes may use by name.
CONSTANTS = {
    **{name: f"float {name} = {{{value}}}" for name, value in NUMBERS.items()},
    **{name: f"int64 {name} = {{{value}}}" for name, value in INTEGERS.items()},
    **{name: listed(name, *values) for name, values in LISTS.items()},
    **TENSORS,
}
