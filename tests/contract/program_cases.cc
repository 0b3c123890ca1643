#include "tests/contract/executor_contract.h"

namespace bw::contract {
namespace {

using isa::Opcode;
using isa::PpuReg;
using testing::ProgramBuilder;
using testing::Random;

constexpr uint64_t kResult = 65536;  // DRAM

// Exponentials of distances, and what else the kind asks for.
using SetUpHostOp = void (*)(isa::HostOp& op);

void IntegerSoftmax(isa::HostOp& op) {
  op.kind = "softmax";
  op.output.is_signed = op.output.placement.is_signed = false;
  for (int64_t e = 1 << 24; e > 0; e = e * 7 / 8) op.table.push_back(static_cast<int32_t>(e));
  op.table.push_back(0);
  op.one = 256;
  op.hi = 255;
}

void TfliteSoftmax(isa::HostOp& op) {
  op.kind = "tflite_softmax";
  for (int64_t e = INT32_MAX; e > 1000; e = e * 7 / 8) op.table.push_back(static_cast<int32_t>(e));
}

template <SetUpHostOp kSetUp>
void HostOperatorBetweenSegments(ProgramBuilder& p, Random& random) {
  const int64_t rows = random.In(1, 3), length = random.In(1, 9);
  p.LoadBytes(0, 0, rows * length);
  p.StoreBytes(kResult, 0, rows * length);
  p.EndSegment();
  isa::HostOp op;
  op.input.name = "x";
  op.input.shape = op.output.shape = tensor::Shape{rows, length};
  op.input.placement = {kResult * 8, {length * 8, 8}, 8, true};
  op.output.name = "y";
  op.output.placement = {kResult * 8 + 4096, {8, rows * 8}, 8, true};  // transposed
  kSetUp(op);
  p.AddHostOp(op);
  p.LoadBytes(kResult + 512, 0, rows * length);
  p.StoreBytes(kResult + 2048, 0, rows * length);
}

// Registers keep their values over segments; the second one only loads and stores.
void RegistersKeepTheirValues(ProgramBuilder& p, Random&) {
  p.LoadBytes(0, 64, 100);
  p.StoreBytes(kResult, 64, 100);
  p.EndSegment();
  p.Ld(500, 80);
  p.St(kResult + 200, 70);
}

// Every queue in turn, several times over the same places: each token is needed.
void ReuseOfEveryMemory(ProgramBuilder& p, Random& random) {
  using isa::MacReg;
  p.SetAll(MacReg::km0, {4, 1, 8, 8, 1, 1}).Set(MacReg::kcm0, 8);
  p.Set(MacReg::kam0, 64).Set(MacReg::kak0, 8).Set(MacReg::kbk0, 8).Set(MacReg::kbn, 64);
  p.Set(MacReg::kxlim, 1).Set(MacReg::kylim, 1);
  p.SetAll(MacReg::kabits, {8, 1, 0}).SetAll(MacReg::kbbits, {8, 1, 0});
  p.SetAll(PpuReg::kc0, {8, 4, 1, 1, 1, 1}).Set(PpuReg::kas0, 1).Set(PpuReg::kas0, 8, 1);
  p.Set(PpuReg::kds0, 8).Set(PpuReg::kds1, 64).Set(PpuReg::kdbits, 8).Set(PpuReg::kpstr, 1);
  for (int tile = 0; tile < 6; ++tile) {
    p.LoadBytes(static_cast<uint64_t>(tile) * 96, 0, 96);
    std::vector<isa::PpuParam> params(8);
    for (auto& param : params) param = {random.In(1 << 15, 65535), 0, 0, -127, 127, 24, 0};
    p.LoadParams(params, 0);
    p.Mac(Opcode::kMm, 0, 32, 0, isa::AccInit::kZero);
    isa::Instruction rq;
    rq.opcode = Opcode::kRq;
    rq.queue = isa::Queue::kPpu;
    rq.ppu.a_mem = isa::Memory::kAcc;
    rq.ppu.d_base = 128;
    rq.ppu.mode = 2;
    p.Emit(rq);
    p.StoreBytes(kResult + static_cast<uint64_t>(tile) * 32, 128, 32);
  }
}

}  // namespace

std::vector<ContractCase> ProgramCases() {
  return {{"HostOperatorsRunBetweenSegments", HostOperatorBetweenSegments<IntegerSoftmax>, {}, 6},
          {"TfliteSoftmaxRunsOnTheHost", HostOperatorBetweenSegments<TfliteSoftmax>, {}, 6},
          {"RegistersKeepTheirValues", RegistersKeepTheirValues, {}, 2},
          {"TokensOrderReuseOfEveryMemory", ReuseOfEveryMemory, {}, 4}};
}

}  // namespace bw::contract
