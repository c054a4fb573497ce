// Schedules of every family: read in any order, printed in declaration order without defaults.
// RUN: zyx-opt %s | FileCheck %s
// RUN: zyx-opt %s | zyx-opt | FileCheck %s

// CHECK: @map{{.*}}
// CHECK: schedule #zyxk.map<elements = 4, vec = 4, flatten = 0, threads = 256>
zyxk.kernel @map ports(%x: in f32[4]) axes(i < 4) {
} schedule #zyxk.map<threads = 256, elements = 4, vec = 4, flatten = 0>

// CHECK: schedule #zyxk.row<scope = block, threads = 256, rows = 1, hold = reg, vec = 4, inflight = 8, online = 1>
zyxk.kernel @row ports(%x: in f32[4]) axes(i < 4) {
} schedule #zyxk.row<scope = block, threads = 256, rows = 1, hold = reg, vec = 4, inflight = 8, online = 1, cluster = 0>

// CHECK: schedule #zyxk.col<tile = 128, threads = 256, split = 32, finish = last_block, vec = 4>
zyxk.kernel @col ports(%x: in f32[4]) axes(i < 4) {
} schedule #zyxk.col<tile = 128, threads = 256, split = 32, finish = last_block, vec = 4>

// CHECK: schedule #zyxk.contract<mr = 8, nr = 32, pack_b = prepared, order = "nkm", task = "batch">
zyxk.kernel @contract ports(%x: in f32[4]) axes(i < 4) {
} schedule #zyxk.contract<pack_a = loop, pack_b = prepared, mr = 8, nr = 32, order = "nkm", task = "batch">

// CHECK: schedule #zyxk.mma<unit = wgmma, cta = [128, 256, 64], warpgroups = [2, 1], stages = 4, copy = tma, swizzle = 128, loaders = 1, regs = [24, 240], grid = persistent, group = 16, cols = 64>
zyxk.kernel @wgmma ports(%x: in f32[4]) axes(i < 4) {
} schedule #zyxk.mma<unit = wgmma, cta = [128, 256, 64], warpgroups = [2, 1], stages = 4, copy = tma,
    swizzle = 128, loaders = 1, regs = [24, 240], grid = persistent, group = 16, a = smem, epilogue = smem, cols = 64>

// CHECK: schedule #zyxk.mma<cta = [64, 64, 16], warps = [2, 2], thread = [8, 4], stages = 2, copy = cp_async, split = 4, finish = last_block, a = reg, epilogue = reg>
zyxk.kernel @fma ports(%x: in f32[4]) axes(i < 4) {
} schedule #zyxk.mma<unit = fma, cta = [64, 64, 16], warps = [2, 2], thread = [8, 4], stages = 2, copy = cp_async,
    split = 4, finish = last_block, a = reg, epilogue = reg>

// CHECK: schedule #zyxk.attn<q = 256, kv = 64, unit = wgmma, warpgroups = 4, stages = 4, copy = tma, loaders = 1, regs = [24, 112], queries = reg, overlap = intra, rescale = 8, skip = bounds>
zyxk.kernel @attn ports(%x: in f32[4]) axes(i < 4) {
} schedule #zyxk.attn<q = 256, kv = 64, unit = wgmma, warpgroups = 4, stages = 4, copy = tma, loaders = 1,
    regs = [24, 112], queries = reg, p = reg, overlap = intra, rescale = 8, skip = bounds>

// CHECK: schedule #zyxk.move<tile = [64, 32], via = tma, swizzle = 1, vec = 4, threads = 256>
zyxk.kernel @move ports(%x: in f32[4]) axes(i < 4) {
} schedule #zyxk.move<tile = [64, 32], via = tma, swizzle = 1, vec = 4, threads = 256>

// CHECK: schedule #zyxk.scan<items = 8, threads = 256, mode = lookback>
zyxk.kernel @scan ports(%x: in f32[4]) axes(i < 4) {
} schedule #zyxk.scan<items = 8, threads = 256, mode = lookback>

// CHECK: schedule #zyxk.block<threads = 512, hold = smem>
zyxk.kernel @block ports(%x: in f32[4]) axes(i < 4) {
} schedule #zyxk.block<threads = 512, hold = smem>
