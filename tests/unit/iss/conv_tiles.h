// Two tiles of a matrix product through all four queues, on the same places of every memory, so
// that each of its tokens is needed.
#ifndef TESTS_UNIT_ISS_CONV_TILES_H_
#define TESTS_UNIT_ISS_CONV_TILES_H_

#include <string>

#include "tests/support/sample_program.h"

namespace bw::testing {

// `ld` and `st` move 64 and 32 bytes; `mm` takes A (8 x 8) and B (8 x 4), `rq` 8 x 4 accumulators.
inline std::string TileHead() {
  return ".network \"tiles\"\n" + ConfigBlock(SmallMachine()) + R"(
.dram_bytes_used 8192
.layer "conv" op="Conv" shape=1 bits=8 macs=0
.segment
  cfg load cnt0=64 cnt1=1 cnt2=1
  cfg load cnt3=1 cnt4=1 cnt5=1
  cfg load dstr0=8
  cfg load mstr0=8
  cfg load hi0=64 hi1=1 hi2=1
  cfg load hi3=1 hi4=1 hi5=1
  cfg load dbits=8 mbits=8 sgn=1
  cfg mac m0=8 m1=1 n=4
  cfg mac k0=8 k1=1 k2=1
  cfg mac am0=64
  cfg mac ak0=8
  cfg mac bk0=8
  cfg mac bn=64 cm0=4
  cfg mac xlim=1
  cfg mac ylim=1 abits=8 asgn=1
  cfg mac bbits=8 bsgn=1
  cfg ppu c0=4 c1=8 c2=1
  cfg ppu c3=1 r0=1 r1=1
  cfg ppu as0=1 as1=4
  cfg ppu bs0=8 bs1=32
  cfg ppu ds0=8 ds1=32
  cfg ppu bbits=8 bsgn=1
  cfg ppu dbits=8 pstr=1
  cfg store cnt0=32 cnt1=1 cnt2=1
  cfg store cnt3=1 cnt4=1 cnt5=1
  cfg store dstr0=8
  cfg store mstr0=8
  cfg store dbits=8 mbits=8 sgn=1
)";
}

// Parameters of four channels: m = 2^15, s = 20.
inline std::string TileConstants() {
  std::string text = ".constants 2048\n";
  for (int i = 0; i < 4; ++i) text += "  00800000 00000000 00000000 81ffffff 7f000000 14000000\n";
  return text + ".end\n";
}

inline std::string TwoTiles() {
  return TileHead() + R"(
  ld dram=1024 local=64                                               # 0: B
  ld dram=0 local=0 post=mac                                          # 1: A of tile 0
  ldp dram=2048 entry=0 count=4 post=ppu                              # 2
  mm a_base=0 b_base=64 acc_base=0 wait=load post=load,ppu            # 3
  rq a_mem=acc d_base=256 mode=half_up wait=load,mac post=load,mac,store  # 4
  st dram=4096 local=256 wait=ppu post=load,ppu                       # 5
.tile 0 1
  ld dram=128 local=0 wait=mac post=mac                               # 6: A of tile 1
  ldp dram=2048 entry=0 count=4 wait=ppu post=ppu                     # 7
  mm a_base=0 b_base=64 acc_base=0 wait=load,ppu post=ppu             # 8
  rq a_mem=acc d_base=256 mode=half_up wait=load,mac,store post=store # 9
  st dram=4160 local=256 wait=ppu                                     # 10
  ld dram=4096 local=512 wait=store                                   # 11: the result of tile 0
  halt load                                                           # 12
)" + TileConstants();
}

}  // namespace bw::testing

#endif  // TESTS_UNIT_ISS_CONV_TILES_H_
