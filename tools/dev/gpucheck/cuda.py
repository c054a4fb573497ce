"""Launches bundled kernels through the CUDA driver, in the context that torch uses."""
import ctypes
import json
import pathlib

import torch

MAX_DYNAMIC_SHARED_BYTES = 8  # CUfunction_attribute
MAP_TYPES = {"u8": 0, "f16": 6, "f32": 7, "bf16": 9}  # CUtensorMapDataType
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}  # CUtensorMapSwizzle
L2_PROMOTION_256 = 3
DTYPES = {
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
    "i8": torch.int8, "u8": torch.uint8, "i16": torch.int16, "i32": torch.int32,
    "i64": torch.int64, "i1": torch.bool,
}


class LaunchAttribute(ctypes.Structure):
    """CUlaunchAttribute with an int as its value."""
    _fields_ = [("id", ctypes.c_int), ("padding", ctypes.c_int), ("value", ctypes.c_int),
                ("rest", ctypes.c_byte * 60)]


class LaunchConfig(ctypes.Structure):
    """CUlaunchConfig."""
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3),
                ("shared", ctypes.c_uint), ("stream", ctypes.c_void_p),
                ("attributes", ctypes.POINTER(LaunchAttribute)), ("count", ctypes.c_uint)]


# Programmatic stream serialization: the launch may start before the one before it has ended.
STARTS_EARLY = (LaunchAttribute * 1)(LaunchAttribute(6, 0, 1))


class Driver:
    """The functions of libcuda.so.1; an error is an exception that names it."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        torch.cuda.init()
        torch.zeros(1, device="cuda")

    def call(self, name, *arguments):
        error = getattr(self.library, name)(*arguments)
        if error:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(error, ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'?').decode()}")


def encode_map(driver, recipe, address):
    """A tensor map for a port's address, in memory aligned to 64 bytes."""
    memory = ctypes.create_string_buffer(128 + 64)
    start = (ctypes.addressof(memory) + 63) & ~63
    rank = len(recipe["dims"])
    driver.call(
        "cuTensorMapEncodeTiled", ctypes.c_void_p(start), MAP_TYPES[recipe["type"]], rank,
        ctypes.c_void_p(address), (ctypes.c_uint64 * rank)(*recipe["dims"]),
        (ctypes.c_uint64 * max(1, rank - 1))(*recipe["strides"]),
        (ctypes.c_uint32 * rank)(*recipe["box"]), (ctypes.c_uint32 * rank)(*([1] * rank)),
        0, SWIZZLES[recipe["swizzle"]], L2_PROMOTION_256, 0)
    return memory, start


class Kernel:
    """A kernel that `zyxc kernel bundle` wrote: NAME.json beside its image."""

    def __init__(self, driver, path):
        path = pathlib.Path(path)
        self.driver = driver
        self.record = json.loads(path.read_text())
        image = (path.parent / self.record["image"]).read_bytes() + b"\0"
        module = ctypes.c_void_p()
        driver.call("cuModuleLoadData", ctypes.byref(module), image)
        self.functions = []
        for launch in self.record["launches"]:
            function = ctypes.c_void_p()
            driver.call("cuModuleGetFunction", ctypes.byref(function), module,
                        launch["entry"].encode())
            if launch["shared"]:
                driver.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED_BYTES,
                            launch["shared"])
            self.functions.append(function)
        self.scratch = torch.empty(max(self.record["scratch_bytes"], 1), dtype=torch.uint8,
                                   device="cuda")

    def bind(self, tensors):
        """A function that launches the kernel on these ports, on torch's current stream."""
        addresses = [tensor.data_ptr() for tensor in tensors]
        if self.record["scratch_bytes"]:
            addresses.append(self.scratch.data_ptr())
        prepared = []
        for function, launch in zip(self.functions, self.record["launches"]):
            values = [ctypes.c_uint64(address) for address in addresses]
            maps = [encode_map(self.driver, recipe, addresses[recipe["port"]] + recipe["offset"])
                    for recipe in launch["maps"]]
            pointers = [ctypes.addressof(value) for value in values] + [at for _, at in maps]
            array = (ctypes.c_void_p * len(pointers))(*pointers)
            prepared.append((function, launch, array, values, maps))

        def go():
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            for function, launch, array, *_ in prepared:
                if 0 not in launch["grid"]:
                    config = LaunchConfig(tuple(launch["grid"]), (launch["block"], 1, 1),
                                          launch["shared"], stream, STARTS_EARLY,
                                          len(STARTS_EARLY) if launch["starts_early"] else 0)
                    self.driver.call("cuLaunchKernelEx", ctypes.byref(config), function, array,
                                     None)

        return go
