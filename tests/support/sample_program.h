// A program with something of everything a .bwp file holds, written as text.
#ifndef TESTS_SUPPORT_SAMPLE_PROGRAM_H_
#define TESTS_SUPPORT_SAMPLE_PROGRAM_H_

#include <string>

#include "models/hwconfig/hw_config.h"

namespace bw::testing {

// A small machine; every parameter is within its range and the rules hold.
inline hwconfig::HwConfig SmallMachine() {
  hwconfig::HwConfig config;
  config.name = "small";
  config.array_rows = 4;
  config.array_cols = 4;
  config.ppu_lanes = 4;
  config.ppu_param_entries = 64;
  config.spm_bytes = 8192;
  config.spm_banks = 4;
  config.spm_bank_bytes = 8;
  config.acc_entries = 512;
  config.dram_bytes = 65536;
  config.dram_bytes_per_cycle = 4;
  return config;
}

// ".config" to ".end".
inline std::string ConfigBlock(const hwconfig::HwConfig& config) {
  std::string text = ".config\n";
  std::string line;
  for (const char c : hwconfig::ToYaml(config)) {
    line += c;
    if (c != '\n') continue;
    text += "  " + line;
    line.clear();
  }
  return text + ".end\n";
}

// Two segments with a host operator between: a 1x4 vector is loaded, scaled, stored; softmax; the
// result is loaded and stored once more.
inline std::string SampleProgramText() {
  return ".network \"a \\\"sample\\\"\"\n" + ConfigBlock(SmallMachine()) + R"(
.dram_bytes_used 1024
.warning "scales of \\ were clipped"
.input "x" shape=1x4 bits=8 signed=1 scale=0x1.8p-4 zero_point=-3 file_axes=1,0 ties_to_even=1 file_integers=1 base=0 strides=32,8 width=8 width_signed=1
.output "y" shape=1x4 bits=8 signed=1 scale=0x1p-7 zero_point=0 file_axes= ties_to_even=0 file_integers=0 base=2048 strides=32,8 width=8 width_signed=1
.layer "scale" op="Mul" shape=1x4 bits=8 macs=0
.layer "softmax" op="Softmax" shape=1x4 bits=8 macs=0

.segment
  cfg load cnt0=4 cnt1=1 cnt2=1
  cfg load cnt3=1 cnt4=1 cnt5=1
  cfg load dstr0=8
  cfg load mstr0=8
  cfg load hi0=4 hi1=1 hi2=1
  cfg load hi3=1 hi4=1 hi5=1
  cfg load dbits=8 mbits=8 sgn=1
  ld dram=0 local=64
  ldp dram=512 entry=0 count=1 post=ppu
  cfg ppu c0=4 c1=1 c2=1
  cfg ppu c3=1
  cfg ppu as0=8
  cfg ppu ds0=8
  cfg ppu abits=8 asgn=1 azp=-3
  cfg ppu dbits=8
  rq a_base=64 d_base=128 mode=half_up wait=load post=store   # scales
  cfg store cnt0=4 cnt1=1 cnt2=1
  cfg store cnt3=1 cnt4=1 cnt5=1
  cfg store dstr0=8
  cfg store mstr0=8
  cfg store dbits=8 mbits=8 sgn=1
  st dram=256 local=128 wait=ppu
  halt load
.host "softmax" layer=1 one=128 lo=-128 hi=127 table=16777216,8388608,0
.host_input "s" shape=1x4 bits=8 signed=1 scale=0.5 zero_point=0 file_axes= ties_to_even=0 file_integers=0 base=2048 strides=32,8 width=8 width_signed=1
.host_output "t" shape=1x4 bits=8 signed=1 scale=0.0078125 zero_point=0 file_axes= ties_to_even=0 file_integers=0 base=4096 strides=32,8 width=8 width_signed=1

.segment
.tile 1 0
  ld dram=512 local=64 post=store
.tile 1 1
  st dram=256 local=64 wait=load
  halt store

.probe instruction=15 layer=0 memory=spm first=0,0 extent=1,4 base=1024 strides=32,8 width=8 width_signed=1
.probe instruction=24 layer=1 memory=dram first=0,1 extent=1,2 base=2056 strides=32,8 width=8 width_signed=1
.constants 512
  00800000 00000000 00000000 81ffffff 7f000000 0f000000
.end
)";
}

}  // namespace bw::testing

#endif  // TESTS_SUPPORT_SAMPLE_PROGRAM_H_
