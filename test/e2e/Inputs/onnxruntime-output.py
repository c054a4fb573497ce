"""Writes what ONNX Runtime computes for networks on the input arange(n) / n.

usage: onnxruntime-output.py MODEL.onnx...   X.onnx gives X_output_0.pb, a TensorProto
"""
import sys

import numpy as np
import onnxruntime
from onnx import numpy_helper

for path in sys.argv[1:]:
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    declared = session.get_inputs()[0]
    count = int(np.prod(declared.shape))
    image = (np.arange(count) / count).astype(np.float32).reshape(declared.shape)
    output = session.run(None, {declared.name: image})[0]
    with open(path.removesuffix(".onnx") + "_output_0.pb", "wb") as file:
        file.write(numpy_helper.from_array(output).SerializeToString())
