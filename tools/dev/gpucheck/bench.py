"""Checks and times bundled kernels beside their peers, in one process with torch.

usage: bench.py FILE: a JSON list of [case name, bundle]. Prints `START NAME` and then `RESULT JSON`
for each. run.py starts it, and starts it again behind a case that hangs or breaks the GPU's context.
"""
import json
import statistics
import sys

sys.dont_write_bytecode = True

import torch

import cuda
from table import CASES

WARM_UPS = 5
SAMPLES = 20
SHORT_US = 60  # below this a sample is a graph of several launches
GRAPH_RUNS = 10
AHEAD_CYCLES = 400_000  # the GPU sleeps about 200 us while Python enqueues what is measured


def make_ports(case, record):
    """A tensor for each port: inputs are random."""
    generator = torch.Generator(device="cuda").manual_seed(1)
    ports = []
    for i, port in enumerate(record["ports"]):
        dtype = cuda.DTYPES[port["type"]]
        if dtype.is_floating_point:
            tensor = torch.randn(port["shape"], generator=generator, device="cuda")
            tensor = (tensor * case.scale.get(i, 1)).to(dtype)
        else:
            tensor = torch.randint(0, 100, port["shape"], generator=generator, device="cuda",
                                   dtype=dtype)
        ports.append(tensor)
    return ports


def outputs(record, ports):
    return [tensor for port, tensor in zip(record["ports"], ports) if port["mode"] == "out"]


def run_poisoned(record, ports, go):
    """Runs the kernel on outputs full of NaN, and gives a copy of the first output."""
    for tensor in outputs(record, ports):
        tensor.fill_(float("nan") if tensor.dtype.is_floating_point else -1)
    go()
    torch.cuda.synchronize()
    return outputs(record, ports)[0].clone()


def difference(got, expected):
    """The relative error in the Euclidean norm; infinite where a number is not finite."""
    if not torch.isfinite(got).all():
        return float("inf")
    expected = expected.double()
    return float((got.double() - expected).norm() / expected.norm().clamp_min(1e-30))


def check(case, record, ports, go):
    """Runs the kernel twice: right, and the same bits both times. (error, what is wrong)."""
    first = run_poisoned(record, ports, go)
    error = difference(first, case.reference(torch, ports))
    if not error <= case.tolerance:
        return error, f"wrong: relative error {error:.3g}, allowed {case.tolerance:g}"
    if not torch.equal(first, run_poisoned(record, ports, go)):
        return error, "two runs differ"
    return error, ""


def copy_peer(nbytes):
    """A copy that reads and writes `nbytes` together."""
    count = int(nbytes) // 2
    source = torch.empty(count, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    return lambda: target.copy_(source)


def as_graph(function):
    """The function GRAPH_RUNS times as one graph: without the time that Python takes."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        function()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(GRAPH_RUNS):
            function()
    return graph.replay


def sample(function):
    """Microseconds of one call on the GPU, without the time that Python takes to launch it."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(AHEAD_CYCLES)
    start.record()
    function()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) * 1e3


def measure(functions):
    """The median time of each function in microseconds, measured in turns."""
    runs = [1] * len(functions)
    for i, function in enumerate(functions):
        function()
        if sample(function) < SHORT_US:
            functions[i] = as_graph(function)
            runs[i] = GRAPH_RUNS
    times = [[] for _ in functions]
    for turn in range(WARM_UPS + SAMPLES):
        for function, count, kept in zip(functions, runs, times):
            spent = sample(function) / count
            if turn >= WARM_UPS:
                kept.append(spent)
    return [statistics.median(kept) for kept in times]


def run_case(driver, case, bundle):
    kernel = cuda.Kernel(driver, bundle)
    ports = make_ports(case, kernel.record)
    go = kernel.bind(ports)
    error, fault = check(case, kernel.record, ports, go)
    result = {"error": error}
    if fault:
        return result | {"status": "FAIL", "detail": fault}
    nbytes = case.bytes or sum(tensor.numel() * tensor.element_size() for tensor in ports)
    peer = case.peer(torch, ports) if case.peer else copy_peer(nbytes)
    ours, theirs = measure([go, peer])
    # The outputs must be right after the timed runs as well.
    error, fault = check(case, kernel.record, ports, go)
    if fault:
        return result | {"status": "FAIL", "detail": "after timing: " + fault}
    return result | {"status": "ok", "us": ours, "peer_us": theirs, "bytes": nbytes}


def warm_up():
    """Work for the clocks to rise: a cold card is slower for a second."""
    a = torch.randn(8192, 8192, device="cuda", dtype=torch.float16)
    for _ in range(100):
        a @ a
    torch.cuda.synchronize()


def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    driver = cuda.Driver()
    warm_up()
    for name, bundle in json.loads(open(sys.argv[1]).read()):
        print(f"START {name}", flush=True)
        try:
            with torch.no_grad():
                result = run_case(driver, CASES[name], bundle)
        except Exception as error:  # one case must not stop the rest
            result = {"status": "FAIL", "detail": f"{type(error).__name__}: {error}"}
        print("RESULT " + json.dumps(result), flush=True)
        torch.cuda.empty_cache()
        torch.cuda.synchronize()  # a broken context ends the process here


if __name__ == "__main__":
    main()
