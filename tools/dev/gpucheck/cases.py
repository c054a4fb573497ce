"""What is timed: kernels, sizes, the peer beside each, and what must hold (gate) and may (goal).

A case names a kernel file of test/kernels, the values of its dims, and how its peer and its
reference are computed in torch. Ports are in the order of the kernel.
"""
import dataclasses
import math
import typing


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    file: str
    dims: dict
    # reference(torch, ports): the expected output port
    reference: typing.Callable
    # peer(torch, ports): a function to time, or None: a copy of as many bytes as `bytes`
    peer: typing.Callable | None = None
    flops: float = 0  # of one run; 0: memory-bound
    bytes: float = 0  # read and written by one run
    gate: float = 0
    goal: float = 0
    target: str = "sm_90a"
    kernel: str = ""  # its name, if not that of the file
    against: str = "peer"  # peer: its time over ours; us: gate and goal are times; CASE: of its speed
    tolerance: float = 1e-3  # relative error in the Euclidean norm
    scale: dict = dataclasses.field(default_factory=dict)  # of inputs that are not N(0, 1), by port
    compile_ms: float = 60  # text to machine code, in one process, warm
    vulkan: bool = False  # also timed through Vulkan, against this kernel's PTX


def gelu(torch, x):
    return torch.nn.functional.gelu(x, approximate="tanh")


def matmul(name, m, n, k, file="matmul.mlir", fused=False, **more):
    """A product; `fused`: with bias and GELU, the peer is the plain product all the same."""

    def reference(torch, ports):
        product = ports[0].float() @ ports[1].float()
        return gelu(torch, product + ports[2].float()) if fused else product

    # The product's elements are N(0, 1), as those of a layer are.
    return Case(
        name, file, {"M": m, "N": n, "K": k}, reference,
        peer=lambda torch, ports: lambda: torch.matmul(ports[0], ports[1]),
        flops=2.0 * m * n * k, scale={1: 1 / math.sqrt(k)},
        compile_ms=150 if more.get("target") == "sm_80" else 250, **more)


def attention(name, file, d, causal=False, **more):
    b, h, s = 4, 16, 2048

    def reference(torch, ports):
        q, k, v = (port.float() for port in ports[:3])
        scores = q @ k.transpose(-1, -2) / math.sqrt(d)
        if causal:
            hidden = torch.ones(s, s, dtype=torch.bool, device=q.device).triu(1)
            scores = scores.masked_fill(hidden, float("-inf"))
        return torch.softmax(scores, -1) @ v

    return Case(
        name, file, {"B": b, "H": h, "S": s}, reference,
        peer=lambda torch, ports: lambda: torch.nn.functional.scaled_dot_product_attention(
            *ports[:3], is_causal=causal),
        flops=4.0 * b * h * s * s * d / (2 if causal else 1), compile_ms=250, **more)


def softmax(torch, ports):
    return torch.softmax(ports[0], -1)


def layer_norm(torch, ports):
    x, r, gain, bias = (port.float() for port in ports[:4])
    return torch.nn.functional.layer_norm(x + r, x.shape[-1:], gain, bias)


def column_sum(torch, ports):
    return ports[0].double().sum(0)


def transpose_add(torch, ports):
    return ports[0].t() + ports[1]


def chain(torch, ports):
    a, b = ports[:2]
    return torch.maximum(torch.nn.functional.silu(a * b + a).abs().sqrt(), b)


def block_means(torch, ports):
    x = ports[0].double()
    for _ in range(4):
        d = x - x.mean()
        x = torch.tanh(d * 0.5) * d + x
    return x


def convolution(torch, ports):
    return torch.nn.functional.conv2d(ports[0], ports[1], padding=1)
