// One lane of the PPU pipeline: requantise, elementwise add and multiply, window maximum and sum,
// lookup.
//
//  stage  width                 work
//  1      ABits+1               a - azp, b - bzp; a window folds it into what the register holds:
//                               the larger, or the sum
//  2      AlignIn+MultBits      add: (x << lsh) * align multiplier; multiply: xa * xb
//  3      AlignOut              add: aligned operands, rounded                  (bw_scale)
//  4      XBits                 x = sum, shifted and clipped to Stage1Bits | product | xa
//  5      XBits+MultBits        x * M, or x * M2 when x < 0 and `neg`
//  6      + LeftShiftMax        rounded, shifted                                (bw_scale)
//  7      32                    clip(r + zp, lo, hi); maximum: x; lookup: its value or x
//
//  Beside it, stages 2 to 6: bw_lookup on a1_q, which reads the table in bw_ppu in stage 4.
//
// Control arrives per stage from bw_ppu, parameters with the operands. Registers take values of beats
// only (take_i), so that nothing toggles for bubbles, and those of the add, the multiply and the
// lookup for their own beats only. Latency: 7 edges.
//
// A sum of a window is an accumulator's size: at most max(acc_bits, 32) + 1 signed bits, which the
// compiler bounds. -2^ABits, where the maximum starts, is no larger than any operand.
//
// Worked (NUMERICS.md section 5, two stages): a 127 aligned to 2878773, b 63 << 15 = 2064384, sum
// 4943157, stage 1 (8) 19309, * 52547 >> 23 = 121.
module bw_ppu_lane #(
  parameter int ActBits = 8,
  parameter int ABits = 32,       // operand A: accumulator or 32-bit value
  parameter int MultBits = 16,
  parameter int LeftShiftMax = 15,
  parameter int AlignShiftMax = 20,
  parameter int XBits = 33,
  parameter int ModeMask = 31,
  parameter int LutEntries = 514,
  parameter int LutShiftMax = 8,
  parameter bit LutInterpolate = 1
) (
  input  logic                       clk_i,
  // Bit k: the registers of stage k take a beat; of an add, of a multiply, of a lookup.
  input  logic        [7:1]          take_i,
  input  logic        [3:2]          take_add_i,
  input  logic        [3:2]          take_multiply_i,
  input  logic        [6:2]          take_lookup_i,
  // Operands and parameters, stage 1.
  input  logic signed [ABits-1:0]    a_i,
  input  logic signed [ActBits:0]    b_i,
  input  logic        [MultBits-1:0] mult_i,
  input  logic        [MultBits-1:0] mult_neg_i,
  input  logic signed [6:0]          shift_i,
  input  logic signed [6:0]          shift_neg_i,
  input  logic signed [31:0]         zero_point_i,
  input  logic signed [31:0]         lo_i,
  input  logic signed [31:0]         hi_i,
  // Control, stage 1.
  input  logic                       first_i,         // of a window; 1 for other operations
  input  logic                       inside_i,        // 0: the position contributes nothing
  input  logic                       maximum_i,
  input  logic signed [ActBits:0]    a_zp_i,
  input  logic signed [ActBits:0]    b_zp_i,
  // Control, stage 2 (valid while the operands are in the registers of stage 1).
  input  logic        [4:0]          a_lsh2_i,
  input  logic        [4:0]          b_lsh2_i,
  input  logic        [MultBits-1:0] a_mult2_i,
  input  logic        [MultBits-1:0] b_mult2_i,
  input  logic signed [6:0]          a_shift2_i,
  input  logic signed [6:0]          b_shift2_i,
  input  logic        [2:0]          mode2_i,
  // Control, stage 4.
  input  logic        [2:0]          op4_i,
  input  logic        [2:0]          mode4_i,
  input  logic                       a_mul4_i,
  input  logic                       b_mul4_i,
  input  logic                       sub4_i,
  input  logic        [5:0]          s1_shift4_i,
  input  logic        [4:0]          s1_bits4_i,
  // Control, stage 5.
  input  logic                       neg5_i,
  input  logic        [2:0]          mode5_i,
  // Control, stage 7.
  input  logic                       requantise7_i,
  input  logic                       lookup7_i,
  // Lookup: control of stages 2, 3 and 6, and the table of stage 4.
  input  logic signed [31:0]         lut_low2_i,
  input  logic signed [31:0]         lut_high2_i,
  input  logic                       lut_ramp2_i,
  input  logic [$clog2(LutEntries)-1:0] lut_base3_i,
  input  logic        [4:0]          lut_shift3_i,
  input  logic                       lut_interpolate3_i,
  input  logic        [4:0]          lut_shift6_i,
  output logic [$clog2(LutEntries)-1:0] lut_address_o,
  output logic [$clog2(LutEntries)-1:0] lut_next_address_o,
  input  logic signed [31:0]         lut_entry_i,
  input  logic signed [31:0]         lut_next_i,
  output logic signed [31:0]         y_o,
  output logic                       saturated_o  // y_o was clipped; 0 unless requantised
);

  localparam int EltBits = ActBits + 2;                 // a value minus its zero point
  localparam int AlignIn = EltBits + AlignShiftMax;
  localparam int AlignOut = ActBits + AlignShiftMax + 2;
  localparam bit HasDouble = ((ModeMask >> bw_isa_pkg::RoundingDouble) & 1) != 0;
  localparam int HalfUpBit = 1 << bw_isa_pkg::RoundingHalfUp;
  localparam int SumBits = AlignOut + 1;
  localparam int RoundedBits = XBits + MultBits + LeftShiftMax;

  // ---- stage 1: zero points, fold of a window
  localparam logic signed [ABits:0] Lowest = {1'b1, {ABits{1'b0}}};

  logic signed [ABits:0]      term;
  logic signed [ABits:0]      a1_q;
  logic signed [EltBits-1:0]  b1_q;

  assign term = (ABits+1)'(a_i) - (ABits+1)'(a_zp_i);

  always_ff @(posedge clk_i) begin
    if (take_i[1]) begin
      if (first_i) begin
        a1_q <= inside_i ? term : (maximum_i ? Lowest : (ABits+1)'(0));
      end else if (inside_i) begin
        if (!maximum_i) begin
          a1_q <= a1_q + term;
        end else if (term > a1_q) begin
          a1_q <= term;
        end
      end
      b1_q <= EltBits'(b_i) - EltBits'(b_zp_i);
    end
  end

  // ---- stages 2 and 3: alignment of an add's operands, product of a multiply
  logic signed [EltBits-1:0]   a_elt1;
  logic signed [AlignIn-1:0]   a_shifted1, b_shifted1;
  logic signed [AlignOut-1:0]  a_scaled3, b_scaled3;
  logic signed [AlignIn-1:0]   a_shifted2_q, b_shifted2_q;
  logic signed [AlignIn-1:0]   a_shifted3_q, b_shifted3_q;
  logic signed [2*EltBits-1:0] product2_q, product3_q;
  logic signed [ABits:0]       a2_q, a3_q;

  // The operand of an add or multiply is an activation: it fits EltBits.
  assign a_elt1 = a1_q[EltBits-1:0];
  assign a_shifted1 = AlignIn'(a_elt1) <<< a_lsh2_i;
  assign b_shifted1 = AlignIn'(b1_q) <<< b_lsh2_i;

  bw_scale #(
    .InWidth(AlignIn),
    .MultBits(MultBits),
    .LeftShiftMax(LeftShiftMax),
    .OutWidth(AlignOut),
    .ModeMask(ModeMask)
  ) u_align_a (
    .clk_i,
    .take_i  (take_add_i),
    .x_i     (a_shifted1),
    .mult_i  (a_mult2_i),
    .shift_i (a_shift2_i),
    .mode_i  (mode2_i),
    .result_o(a_scaled3)
  );

  bw_scale #(
    .InWidth(AlignIn),
    .MultBits(MultBits),
    .LeftShiftMax(LeftShiftMax),
    .OutWidth(AlignOut),
    .ModeMask(ModeMask)
  ) u_align_b (
    .clk_i,
    .take_i  (take_add_i),
    .x_i     (b_shifted1),
    .mult_i  (b_mult2_i),
    .shift_i (b_shift2_i),
    .mode_i  (mode2_i),
    .result_o(b_scaled3)
  );

  always_ff @(posedge clk_i) begin
    if (take_add_i[2]) begin
      a_shifted2_q <= a_shifted1;
      b_shifted2_q <= b_shifted1;
    end
    if (take_add_i[3]) begin
      a_shifted3_q <= a_shifted2_q;
      b_shifted3_q <= b_shifted2_q;
    end
    if (take_multiply_i[2]) begin
      product2_q <= (2*EltBits)'(a_elt1) * (2*EltBits)'(b1_q);
    end
    if (take_multiply_i[3]) begin
      product3_q <= product2_q;
    end
    if (take_i[2]) begin
      a2_q <= a1_q;
    end
    if (take_i[3]) begin
      a3_q <= a2_q;
    end
  end

  // ---- stage 4: the value to requantise
  logic signed [AlignOut-1:0] a_aligned3, b_aligned3;
  logic signed [SumBits-1:0]  sum3;
  logic signed [SumBits-1:0]  sum_rounded3;
  logic signed [SumBits-1:0]  s1_limit3;
  logic signed [SumBits-1:0]  stage1_3;
  logic signed [XBits-1:0]    x3;
  logic signed [XBits-1:0]    x4_q;

  assign a_aligned3 = a_mul4_i ? a_scaled3 : AlignOut'(a_shifted3_q);
  assign b_aligned3 = b_mul4_i ? b_scaled3 : AlignOut'(b_shifted3_q);
  assign sum3 = sub4_i ? SumBits'(a_aligned3) - SumBits'(b_aligned3)
                       : SumBits'(a_aligned3) + SumBits'(b_aligned3);

  // The shift of stage 1 is at most K + A + 1 - W < 31, so that mode 5 acts as half up.
  bw_round_shift #(
    .Width(SumBits),
    .ShiftWidth(6),
    .ModeMask(HasDouble ? (ModeMask | HalfUpBit) : ModeMask)
  ) u_stage1 (
    .value_i (sum3),
    .shift_i (s1_shift4_i),
    .mode_i  (mode4_i == bw_isa_pkg::RoundingDouble ? bw_isa_pkg::RoundingHalfUp : mode4_i),
    .result_o(sum_rounded3)
  );

  assign s1_limit3 = (SumBits'(1) <<< (s1_bits4_i - 5'd1)) - SumBits'(1);

  // Not an always_comb: Icarus 11 then wakes the blocks of two lanes by turns without end.
  assign stage1_3 = s1_bits4_i == 5'd0        ? sum3
                  : sum_rounded3 > s1_limit3  ? s1_limit3
                  : sum_rounded3 < -s1_limit3 ? -s1_limit3
                  :                             sum_rounded3;

  always_comb begin
    x3 = XBits'(a3_q);
    if (op4_i == bw_isa_pkg::CoreOpAdd) begin
      x3 = XBits'(stage1_3);
    end else if (op4_i == bw_isa_pkg::CoreOpMultiply) begin
      x3 = XBits'(product3_q);
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_i[4]) begin
      x4_q <= x3;
    end
  end

  // ---- parameters travel beside the operands
  logic [MultBits-1:0]  mult1_q, mult2_q, mult3_q, mult4_q;
  logic [MultBits-1:0]  mult_neg1_q, mult_neg2_q, mult_neg3_q, mult_neg4_q;
  logic signed [6:0]    shift1_q, shift2_q, shift3_q, shift4_q;
  logic signed [6:0]    shift_neg1_q, shift_neg2_q, shift_neg3_q, shift_neg4_q;
  logic signed [31:0]   zp1_q, zp2_q, zp3_q, zp4_q, zp5_q, zp6_q;
  logic signed [31:0]   lo1_q, lo2_q, lo3_q, lo4_q, lo5_q, lo6_q;
  logic signed [31:0]   hi1_q, hi2_q, hi3_q, hi4_q, hi5_q, hi6_q;

  always_ff @(posedge clk_i) begin
    if (take_i[1]) begin
      mult1_q <= mult_i;
      mult_neg1_q <= mult_neg_i;
      shift1_q <= shift_i;
      shift_neg1_q <= shift_neg_i;
      zp1_q <= zero_point_i;
      lo1_q <= lo_i;
      hi1_q <= hi_i;
    end
    if (take_i[2]) begin
      mult2_q <= mult1_q;
      mult_neg2_q <= mult_neg1_q;
      shift2_q <= shift1_q;
      shift_neg2_q <= shift_neg1_q;
      zp2_q <= zp1_q;
      lo2_q <= lo1_q;
      hi2_q <= hi1_q;
    end
    if (take_i[3]) begin
      mult3_q <= mult2_q;
      mult_neg3_q <= mult_neg2_q;
      shift3_q <= shift2_q;
      shift_neg3_q <= shift_neg2_q;
      zp3_q <= zp2_q;
      lo3_q <= lo2_q;
      hi3_q <= hi2_q;
    end
    if (take_i[4]) begin
      mult4_q <= mult3_q;
      mult_neg4_q <= mult_neg3_q;
      shift4_q <= shift3_q;
      shift_neg4_q <= shift_neg3_q;
      zp4_q <= zp3_q;
      lo4_q <= lo3_q;
      hi4_q <= hi3_q;
    end
    if (take_i[5]) begin
      zp5_q <= zp4_q;
      lo5_q <= lo4_q;
      hi5_q <= hi4_q;
    end
    if (take_i[6]) begin
      zp6_q <= zp5_q;
      lo6_q <= lo5_q;
      hi6_q <= hi5_q;
    end
  end

  // ---- stages 5 and 6: rescale
  logic                          use_neg4;
  logic signed [RoundedBits-1:0] rounded6;

  assign use_neg4 = neg5_i & x4_q[XBits-1];

  bw_scale #(
    .InWidth(XBits),
    .MultBits(MultBits),
    .LeftShiftMax(LeftShiftMax),
    .OutWidth(RoundedBits),
    .ModeMask(ModeMask)
  ) u_rescale (
    .clk_i,
    .take_i  (take_i[6:5]),
    .x_i     (x4_q),
    .mult_i  (use_neg4 ? mult_neg4_q : mult4_q),
    .shift_i (use_neg4 ? shift_neg4_q : shift4_q),
    .mode_i  (mode5_i),
    .result_o(rounded6)
  );

  logic signed [31:0] x5_q, x6_q;  // of a maximum or lookup: a 32-bit value

  always_ff @(posedge clk_i) begin
    if (take_i[5]) begin
      x5_q <= x4_q[31:0];
    end
    if (take_i[6]) begin
      x6_q <= x5_q;
    end
  end

  // ---- stages 2 to 6: lookup
  logic signed [31:0] looked_up6;
  logic               is_key6;

  bw_lookup #(
    .KeyBits    (ABits + 1),
    .Entries    (LutEntries),
    .ShiftMax   (LutShiftMax),
    .Interpolate(LutInterpolate)
  ) u_lookup (
    .clk_i,
    .take_i        (take_lookup_i),
    .key_i         (a1_q),
    .low2_i        (lut_low2_i),
    .high2_i       (lut_high2_i),
    .ramp2_i       (lut_ramp2_i),
    .base3_i       (lut_base3_i),
    .shift3_i      (lut_shift3_i),
    .interpolate3_i(lut_interpolate3_i),
    .address_o     (lut_address_o),
    .next_address_o(lut_next_address_o),
    .entry_i       (lut_entry_i),
    .next_i        (lut_next_i),
    .shift6_i      (lut_shift6_i),
    .value_o       (looked_up6),
    .key_o         (is_key6)
  );

  // ---- stage 7: zero point, clip
  // r + zp > hi is r > hi - zp, which needs no bit more than r itself.
  localparam int ClipBits = RoundedBits > 33 ? RoundedBits : 33;

  logic signed [32:0]         top6, bottom6;
  logic                       above6, below6;
  logic signed [31:0]         y7_q;
  logic                       saturated7_q;

  assign top6 = 33'(hi6_q) - 33'(zp6_q);
  assign bottom6 = 33'(lo6_q) - 33'(zp6_q);
  assign above6 = ClipBits'(rounded6) > ClipBits'(top6);
  assign below6 = ClipBits'(rounded6) < ClipBits'(bottom6);

  always_ff @(posedge clk_i) begin
    if (take_i[7]) begin
      saturated7_q <= requantise7_i & (above6 | below6);
      if (!requantise7_i) begin
        y7_q <= (lookup7_i & ~is_key6) ? looked_up6 : x6_q;
      end else if (above6) begin
        y7_q <= hi6_q;
      end else if (below6) begin
        y7_q <= lo6_q;
      end else begin
        y7_q <= 32'(rounded6) + zp6_q;
      end
    end
  end

  assign y_o = y7_q;
  assign saturated_o = saturated7_q;

endmodule
