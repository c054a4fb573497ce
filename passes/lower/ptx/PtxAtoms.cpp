#include "passes/lower/ptx/PtxAtoms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringExtras.h"
#include <string>

using namespace mlir;

namespace zyxc {

namespace {

struct AtomText {
  Atom atom;
  const char *text;
  const char *constraints;
  bool sideEffects;
};

} // namespace

// In the order of the enum. Labels carry a number that is unique in the module; scopes keep
// registers local.
static constexpr AtomText atoms[] = {
    {Atom::BarrierInit, "mbarrier.init.shared::cta.b64 [$0], $1;", "r,n,~{memory}", true},
    {Atom::BarrierInitFence, "fence.mbarrier_init.release.cluster;", "~{memory}", true},
    {Atom::BarrierWait,
     "{ .reg .pred P; W${:uid}: mbarrier.try_wait.parity.shared::cta.b64 P, [$0], $1; "
     "@!P bra W${:uid}; }",
     "r,r,~{memory}", true},
    {Atom::BarrierArrive, "mbarrier.arrive.shared::cta.b64 _, [$0];", "r,~{memory}", true},
    {Atom::BarrierArriveIf,
     "{ .reg .pred P; setp.ne.u32 P, $1, 0; @P mbarrier.arrive.shared::cta.b64 _, [$0]; }",
     "r,r,~{memory}", true},
    // Without .release.cluster, which costs a fence of the whole GPU before each arrival.
    {Atom::BarrierArriveRemoteIf,
     "{ .reg .pred P; .reg .b32 ra; setp.ne.u32 P, $1, 0; mapa.shared::cluster.u32 ra, $0, $2; "
     "@P mbarrier.arrive.shared::cluster.b64 _, [ra]; }",
     "r,r,r,~{memory}", true},
    {Atom::BarrierExpect, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,n,~{memory}",
     true},
    {Atom::BarrierArriveOnCopies, "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];",
     "r,~{memory}", true},
    {Atom::MoreRegisters, "setmaxnreg.inc.sync.aligned.u32 $0;", "n", true},
    {Atom::FewerRegisters, "setmaxnreg.dec.sync.aligned.u32 $0;", "n", true},
    {Atom::WgmmaFence, "wgmma.fence.sync.aligned;", "~{memory}", true},
    {Atom::WgmmaCommit, "wgmma.commit_group.sync.aligned;", "~{memory}", true},
    {Atom::WgmmaWait, "wgmma.wait_group.sync.aligned $0;", "n,~{memory}", true},
    {Atom::NamedSync, "bar.sync $0, $1;", "r,n,~{memory}", true},
    {Atom::NamedArrive, "bar.arrive $0, $1;", "r,n,~{memory}", true},
    {Atom::SyncWarp, "bar.warp.sync 0xffffffff;", "~{memory}", true},
    {Atom::ProxyFence, "fence.proxy.async.shared::cta;", "~{memory}", true},
    {Atom::StoreSharedPair, "st.shared.v2.f32 [$0+$1], {$2, $3};", "r,n,f,f,~{memory}", true},
    {Atom::LoadMatrix, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {$0, $1, $2, $3}, [$4+$5];",
     "=r,=r,=r,=r,r,n,~{memory}", true},
    {Atom::LoadMatrixTransposed,
     "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {$0, $1, $2, $3}, [$4+$5];",
     "=r,=r,=r,=r,r,n,~{memory}", true},
    {Atom::CopyAsync, "cp.async.cg.shared.global [$0+$1], [$2+$3], 16;", "r,n,l,n,~{memory}", true},
    {Atom::CopyAsyncPart, "cp.async.cg.shared.global [$0+$1], [$2+$3], 16, $4;",
     "r,n,l,n,r,~{memory}", true},
    {Atom::CopyCommit, "cp.async.commit_group;", "~{memory}", true},
    {Atom::CopyWait, "cp.async.wait_group $0;", "n,~{memory}", true},
    {Atom::PackF16, "cvt.rn.f16x2.f32 $0, $2, $1;", "=r,f,f", false},
    {Atom::PackBF16, "cvt.rn.bf16x2.f32 $0, $2, $1;", "=r,f,f", false},
    {Atom::Tanh, "tanh.approx.f32 $0, $1;", "=f,f", false},
    {Atom::Exp2, "ex2.approx.ftz.f32 $0, $1;", "=f,f", false},
    {Atom::ShuffleXor, "shfl.sync.bfly.b32 $0, $1, $2, 31, 0xffffffff;", "=r,r,n", true},
    {Atom::VoteAny,
     "{ .reg .pred P, Q; setp.ne.u32 P, $1, 0; vote.sync.any.pred Q, P, 0xffffffff; "
     "selp.u32 $0, 1, 0, Q; }",
     "=r,r", true},
    {Atom::OpaqueXor, "xor.b32 $0, $1, $2;", "=r,r,r", true},
    {Atom::ThreadId, "mov.u32 $0, %tid.x;", "=r", true},
    {Atom::BlockId, "mov.u32 $0, %ctaid.x;", "=r", true},
    {Atom::GridSize, "mov.u32 $0, %nctaid.x;", "=r", true},
};

static constexpr bool isInOrder() {
  for (unsigned i = 0; i < std::size(atoms); ++i) {
    if (atoms[i].atom != Atom(i)) {
      return false;
    }
  }
  return true;
}
static_assert(isInOrder());

//===- Texts with many registers -------------------------------------------------------------===//

/// "{$first, .., $(first + count - 1)}"
static std::string registerList(unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i) {
    text += (i ? ", $" : "$") + std::to_string(first + i);
  }
  return text + "}";
}

/// "=f,=f,..": `count` results.
static std::string outputs(const char *constraint, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    text += (i ? ",=" : "=") + std::string(constraint);
  }
  return text;
}

/// ",0,1,..": inputs tied to `count` results.
static std::string ties(unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    text += "," + std::to_string(i);
  }
  return text;
}

static const char *nameOf(Type element) {
  assert((element.isF16() || element.isBF16()) && "a type that matrix units do not take");
  return element.isF16() ? "f16" : "bf16";
}

//===- Emission ------------------------------------------------------------------------------===//

Value PtxAtoms::constant(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}

Value PtxAtoms::emitText(StringRef text, StringRef constraints, ValueRange operands, Type result,
                         bool sideEffects) {
  auto dialect = LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT);
  auto op = LLVM::InlineAsmOp::create(
      builder, loc, result ? TypeRange(result) : TypeRange(), operands, text, constraints,
      sideEffects, /*is_align_stack=*/false, LLVM::TailCallKind::None, dialect, ArrayAttr());
  return result ? op.getResult(0) : Value();
}

Value PtxAtoms::emit(Atom atom, ValueRange operands, Type result) {
  const AtomText &entry = atoms[static_cast<unsigned>(atom)];
  return emitText(entry.text, entry.constraints, operands, result, entry.sideEffects);
}

SmallVector<Value> PtxAtoms::emitMany(StringRef text, StringRef constraints, ValueRange operands,
                                      Type type, unsigned count, bool sideEffects) {
  auto tuple =
      LLVM::LLVMStructType::getLiteral(builder.getContext(), SmallVector<Type>(count, type));
  Value all = emitText(text, constraints, operands, tuple, sideEffects);
  SmallVector<Value> results;
  for (unsigned i = 0; i < count; ++i) {
    results.push_back(LLVM::ExtractValueOp::create(builder, loc, all, i));
  }
  return results;
}

//===- Barriers ------------------------------------------------------------------------------===//

void PtxAtoms::barrierInit(Value bar, int64_t count) {
  emit(Atom::BarrierInit, {bar, constant(count)});
}

void PtxAtoms::barrierInitFence() {
  emit(Atom::BarrierInitFence, {});
}

void PtxAtoms::barrierWait(Value bar, Value parity) {
  emit(Atom::BarrierWait, {bar, parity});
}

void PtxAtoms::barrierArrive(Value bar) {
  emit(Atom::BarrierArrive, {bar});
}

void PtxAtoms::barrierArriveIf(Value bar, Value condition) {
  Value flag = arith::ExtUIOp::create(builder, loc, builder.getI32Type(), condition);
  emit(Atom::BarrierArriveIf, {bar, flag});
}

void PtxAtoms::barrierArriveRemoteIf(Value bar, Value condition, Value rank) {
  Value flag = arith::ExtUIOp::create(builder, loc, builder.getI32Type(), condition);
  emit(Atom::BarrierArriveRemoteIf, {bar, flag, rank});
}

void PtxAtoms::barrierExpect(Value bar, int64_t bytes) {
  emit(Atom::BarrierExpect, {bar, constant(bytes)});
}

void PtxAtoms::barrierArriveOnCopies(Value bar) {
  emit(Atom::BarrierArriveOnCopies, {bar});
}

void PtxAtoms::namedSync(Value id, int64_t threads) {
  emit(Atom::NamedSync, {id, constant(threads)});
}

void PtxAtoms::namedArrive(Value id, int64_t threads) {
  emit(Atom::NamedArrive, {id, constant(threads)});
}

void PtxAtoms::syncWarp() {
  emit(Atom::SyncWarp, {});
}

void PtxAtoms::proxyFence() {
  emit(Atom::ProxyFence, {});
}

void PtxAtoms::moreRegisters(int64_t count) {
  emit(Atom::MoreRegisters, {constant(count)});
}

void PtxAtoms::fewerRegisters(int64_t count) {
  emit(Atom::FewerRegisters, {constant(count)});
}

//===- Copies --------------------------------------------------------------------------------===//

void PtxAtoms::tmaLoad(Value shared, Value map, ValueRange coords, Value bar) {
  std::string text = "cp.async.bulk.tensor." + std::to_string(coords.size()) +
                     "d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, " +
                     registerList(2, coords.size()) + "], [$" + std::to_string(coords.size() + 2) +
                     "];";
  std::string constraints = "r,l";
  for (unsigned i = 0; i < coords.size(); ++i) {
    constraints += ",r";
  }
  SmallVector<Value> operands = {shared, map};
  llvm::append_range(operands, coords);
  operands.push_back(bar);
  emitText(text, constraints + ",r,~{memory}", operands, {}, true);
}

void PtxAtoms::copyAsync(Value shared, int64_t sharedOffset, Value global, int64_t globalOffset) {
  emit(Atom::CopyAsync, {shared, constant(sharedOffset), global, constant(globalOffset)});
}

void PtxAtoms::copyAsyncPart(Value shared, int64_t sharedOffset, Value global, int64_t globalOffset,
                             Value bytesRead) {
  emit(Atom::CopyAsyncPart,
       {shared, constant(sharedOffset), global, constant(globalOffset), bytesRead});
}

void PtxAtoms::copyCommit() {
  emit(Atom::CopyCommit, {});
}

void PtxAtoms::copyWait(int64_t pending) {
  emit(Atom::CopyWait, {constant(pending)});
}

void PtxAtoms::storeSharedPair(Value shared, int64_t offset, Value first, Value second) {
  emit(Atom::StoreSharedPair, {shared, constant(offset), first, second});
}

//===- Matrix units --------------------------------------------------------------------------===//

void PtxAtoms::wgmmaFence() {
  emit(Atom::WgmmaFence, {});
}

void PtxAtoms::wgmmaCommit() {
  emit(Atom::WgmmaCommit, {});
}

void PtxAtoms::wgmmaWait(int64_t pending) {
  emit(Atom::WgmmaWait, {constant(pending)});
}

SmallVector<Value> PtxAtoms::wgmmaWait(int64_t pending, ArrayRef<Value> accumulators) {
  unsigned count = accumulators.size();
  return emitMany("wgmma.wait_group.sync.aligned " + std::to_string(pending) + ";",
                  outputs("f", count) + ties(count) + ",~{memory}", accumulators,
                  builder.getF32Type(), count, true);
}

/// The text of one wgmma: accumulators from operand `first` on, a and b from `operand` on.
static std::string wgmmaText(const WgmmaShape &shape, unsigned first, bool starts, bool inRegisters,
                             unsigned operand) {
  std::string type = nameOf(shape.element);
  std::string text = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(shape.n) + "k16.f32." +
                     type + "." + type + " " + registerList(first, shape.registers()) + ", ";
  text += inRegisters ? registerList(operand, 4) : "$" + std::to_string(operand);
  text += ", $" + std::to_string(operand + (inRegisters ? 4 : 1));
  text += starts ? ", 0, 1, 1" : ", 1, 1, 1";
  text += inRegisters ? "" : shape.transposeA ? ", 1" : ", 0";
  return text + (shape.transposeB ? ", 1;" : ", 0;");
}

SmallVector<Value> PtxAtoms::emitWgmma(const WgmmaShape &shape, ArrayRef<Value> accumulators,
                                       ArrayRef<Value> a, Value b) {
  unsigned count = shape.registers();
  bool starts = accumulators.empty();
  bool inRegisters = a.size() == 4;
  std::string text = wgmmaText(shape, 0, starts, inRegisters, starts ? count : 2 * count);
  SmallVector<Value> operands(accumulators);
  llvm::append_range(operands, a);
  operands.push_back(b);
  std::string constraints =
      outputs("f", count) + (starts ? "" : ties(count)) + (inRegisters ? ",r,r,r,r,l" : ",l,l");
  return emitMany(text, constraints, operands, builder.getF32Type(), count, true);
}

SmallVector<Value> PtxAtoms::wgmmaGroup(const WgmmaShape &shape, ArrayRef<Value> accumulators,
                                        ArrayRef<WgmmaFactors> factors,
                                        std::optional<int64_t> pending) {
  unsigned blocks = 0;
  for (const WgmmaFactors &each : factors) {
    blocks = std::max(blocks, each.block + 1);
  }
  unsigned count = blocks * shape.registers();
  assert(accumulators.empty() || accumulators.size() == count);
  // The first product writes accumulators that must not be factors of the next ones.
  std::string constraints = outputs("&f", count) + (accumulators.empty() ? "" : ties(count));
  std::string text = "wgmma.fence.sync.aligned;";
  SmallVector<Value> operands(accumulators);
  SmallVector<bool> starts(blocks, accumulators.empty());
  for (const WgmmaFactors &each : factors) {
    bool inRegisters = each.a.size() == 4;
    assert(inRegisters ? !shape.transposeA : each.a.size() == 1);
    text += "\n\t" + wgmmaText(shape, each.block * shape.registers(), starts[each.block],
                               inRegisters, count + operands.size());
    starts[each.block] = false;
    constraints += inRegisters ? ",r,r,r,r,l" : ",l,l";
    llvm::append_range(operands, each.a);
    operands.push_back(each.b);
  }
  text += "\n\twgmma.commit_group.sync.aligned;";
  if (pending) {
    text += "\n\twgmma.wait_group.sync.aligned " + std::to_string(*pending) + ";";
  }
  return emitMany(text, constraints + ",~{memory}", operands, builder.getF32Type(), count, true);
}

SmallVector<Value> PtxAtoms::wgmma(const WgmmaShape &shape, ArrayRef<Value> accumulators, Value a,
                                   Value b) {
  return emitWgmma(shape, accumulators, a, b);
}

SmallVector<Value> PtxAtoms::wgmmaRegisters(const WgmmaShape &shape, ArrayRef<Value> accumulators,
                                            ArrayRef<Value> a, Value b) {
  assert(a.size() == 4 && !shape.transposeA);
  return emitWgmma(shape, accumulators, a, b);
}

SmallVector<Value> PtxAtoms::loadMatrix(Value shared, bool transposed, int64_t offset) {
  const AtomText &entry =
      atoms[static_cast<unsigned>(transposed ? Atom::LoadMatrixTransposed : Atom::LoadMatrix)];
  return emitMany(entry.text, entry.constraints, {shared, constant(offset)}, builder.getI32Type(),
                  4, entry.sideEffects);
}

SmallVector<Value> PtxAtoms::mma(Type element, ArrayRef<Value> accumulators, ArrayRef<Value> a,
                                 ArrayRef<Value> b) {
  unsigned count = accumulators.size();
  assert(a.size() == 4 && count == 2 * b.size() && "four sums and two registers of b each");
  std::string type = nameOf(element);
  std::string text;
  for (unsigned i = 0; i < count; i += 4) {
    std::string sums = registerList(i, 4);
    text += text.empty() ? "" : "\n\t";
    text += "mma.sync.aligned.m16n8k16.row.col.f32." + type + "." + type + ".f32 " + sums + ", " +
            registerList(2 * count, 4) + ", " + registerList(2 * count + 4 + i / 2, 2) + ", " +
            sums + ";";
  }
  SmallVector<Value> operands(accumulators);
  llvm::append_range(operands, a);
  llvm::append_range(operands, b);
  std::string constraints = outputs("&f", count) + ties(count);
  for (unsigned i = 0; i < a.size() + b.size(); ++i) {
    constraints += ",r";
  }
  return emitMany(text, constraints, operands, builder.getF32Type(), count, false);
}

//===- Scalars -------------------------------------------------------------------------------===//

Value PtxAtoms::pack(Type element, Value low, Value high) {
  assert((element.isF16() || element.isBF16()) && "only halves are packed");
  return emit(element.isF16() ? Atom::PackF16 : Atom::PackBF16, {low, high}, builder.getI32Type());
}

Value PtxAtoms::tanh(Value x) {
  return emit(Atom::Tanh, {x}, builder.getF32Type());
}

Value PtxAtoms::exp2(Value x) {
  return emit(Atom::Exp2, {x}, builder.getF32Type());
}

Value PtxAtoms::shuffleXor(Value x, int64_t mask) {
  return emit(Atom::ShuffleXor, {x, constant(mask)}, builder.getI32Type());
}

Value PtxAtoms::voteAny(Value condition) {
  Value flag = arith::ExtUIOp::create(builder, loc, builder.getI32Type(), condition);
  Value any = emit(Atom::VoteAny, {flag}, builder.getI32Type());
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, any, constant(0));
}

Value PtxAtoms::opaqueXor(Value x, Value y) {
  return emit(Atom::OpaqueXor, {x, y}, builder.getI32Type());
}

Value PtxAtoms::threadId() {
  return emit(Atom::ThreadId, {}, builder.getI32Type());
}

Value PtxAtoms::blockId() {
  return emit(Atom::BlockId, {}, builder.getI32Type());
}

Value PtxAtoms::gridSize() {
  return emit(Atom::GridSize, {}, builder.getI32Type());
}

} // namespace zyxc
