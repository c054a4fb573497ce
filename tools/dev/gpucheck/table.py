"""The cases of tools/gpu-check, in the order in which they run."""
from cases import (Case, attention, block_means, chain, column_sum, convolution, layer_norm, matmul,
                   softmax, transpose_add)

# Memory-bound cases are measured by a copy that reads and writes as many bytes.
COPY = {"gate": 0.88, "goal": 0.95, "vulkan": True}

_ALL = [
    matmul("f16 4096^3", 4096, 4096, 4096, gate=0.95, goal=1.0),
    matmul("f16 4096^3 + bias + GELU", 4096, 4096, 4096, file="matmul_bias_gelu.mlir", fused=True,
           gate=0.93, goal=1.0),
    matmul("bf16 8192^3", 8192, 8192, 8192, file="matmul_bf16.mlir", tolerance=5e-3, gate=0.93,
           goal=1.0),
    matmul("f16 4095x4097x4093", 4095, 4097, 4093, against="f16 4096^3", gate=0.8, goal=1.0),
    attention("attention D64", "attention_d64.mlir", 64, gate=1.0, goal=1.1),
    attention("attention D128", "attention_d128.mlir", 128, gate=0.97, goal=1.05),
    attention("attention D64 causal", "attention_causal_d64.mlir", 64, causal=True, gate=0.95,
              goal=1.0),
    attention("attention D128 causal", "attention_causal_d128.mlir", 128, causal=True, gate=0.95,
              goal=1.0),
    Case("softmax f32 8Kx8K", "softmax.mlir", {"R": 8192, "N": 8192}, softmax, tolerance=1e-5,
         **COPY),
    Case("layer norm + residual f16 16Kx4K", "layer_norm_residual.mlir", {"R": 16384, "N": 4096},
         layer_norm, **COPY),
    Case("column sum f32 16Kx8K", "column_sum.mlir", {"R": 16384, "N": 8192}, column_sum,
         tolerance=1e-5, **COPY),
    Case("transpose + add f32 8Kx8K", "transpose_add.mlir", {"M": 8192, "N": 8192}, transpose_add,
         tolerance=1e-6, **COPY),
    Case("elementwise chain f32 64M", "chain.mlir", {"N": 1 << 26}, chain, tolerance=1e-5, **COPY),
    Case("32-op chain with means", "block_means.mlir", {"M": 64, "N": 64}, block_means,
         tolerance=1e-5, against="us", gate=40, goal=15),
    matmul("f16 4096^3 mma.sync", 4096, 4096, 4096, target="sm_80", against="TFLOP/s", gate=300,
           goal=400),
    # Without a gate: shown beside their peers.
    Case("conv 3x3 f32 8x128x56x56", "conv3x3.mlir",
         {"B": 8, "C": 128, "K": 128, "H": 56, "W": 56}, convolution, kernel="conv3x3",
         peer=lambda torch, ports: lambda: convolution(torch, ports),
         flops=2.0 * 8 * 128 * 128 * 56 * 56 * 9, tolerance=1e-5, compile_ms=150),
]
CASES = {case.name: case for case in _ALL}
