// One lane of the PPU pipeline: requantise, elementwise add, elementwise multiply, pass.
//
//  stage  width                 work
//  1      ABits+1               a - azp, b - bzp                                (register)
//  2      AlignIn+MultBits      add: (x << lsh) * align multiplier; multiply: xa * xb
//  3      AlignOut              add: aligned operands, rounded                  (bw_scale)
//  4      XBits                 x = sum, shifted and clipped to Stage1Bits | product | xa
//  5      XBits+MultBits        x * M, or x * M2 when x < 0 and `neg`
//  6      + LeftShiftMax        rounded, shifted                                (bw_scale)
//  7      32                    clip(r + zp, lo, hi), or x as it is for `pass`
//
// Control arrives per stage from bw_ppu, parameters with the operands. Latency: 7 edges with enable.
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
  parameter int ModeMask = 31
) (
  input  logic                       clk_i,
  input  logic                       enable_i,
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
  input  logic                       pass7_i,
  output logic signed [31:0]         y_o,
  output logic                       saturated_o  // y_o was clipped; 0 for pass
);

  localparam int EltBits = ActBits + 2;                 // a value minus its zero point
  localparam int AlignIn = EltBits + AlignShiftMax;
  localparam int AlignOut = ActBits + AlignShiftMax + 2;
  localparam bit HasDouble = ((ModeMask >> bw_isa_pkg::RoundingDouble) & 1) != 0;
  localparam int HalfUpBit = 1 << bw_isa_pkg::RoundingHalfUp;
  localparam int SumBits = AlignOut + 1;
  localparam int RoundedBits = XBits + MultBits + LeftShiftMax;

  // ---- stage 1: zero points
  logic signed [ABits:0]      a1_q;
  logic signed [EltBits-1:0]  b1_q;

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      a1_q <= (ABits+1)'(a_i) - (ABits+1)'(a_zp_i);
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
    .enable_i,
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
    .enable_i,
    .x_i     (b_shifted1),
    .mult_i  (b_mult2_i),
    .shift_i (b_shift2_i),
    .mode_i  (mode2_i),
    .result_o(b_scaled3)
  );

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      a_shifted2_q <= a_shifted1;
      b_shifted2_q <= b_shifted1;
      product2_q   <= (2*EltBits)'(a_elt1) * (2*EltBits)'(b1_q);
      a2_q         <= a1_q;
      a_shifted3_q <= a_shifted2_q;
      b_shifted3_q <= b_shifted2_q;
      product3_q   <= product2_q;
      a3_q         <= a2_q;
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

  always_comb begin
    stage1_3 = sum_rounded3;
    if (s1_bits4_i == 5'd0) begin
      stage1_3 = sum3;
    end else if (sum_rounded3 > s1_limit3) begin
      stage1_3 = s1_limit3;
    end else if (sum_rounded3 < -s1_limit3) begin
      stage1_3 = -s1_limit3;
    end
  end

  always_comb begin
    x3 = XBits'(a3_q);  // requantise and pass
    if (op4_i == bw_isa_pkg::CoreOpAdd) begin
      x3 = XBits'(stage1_3);
    end else if (op4_i == bw_isa_pkg::CoreOpMultiply) begin
      x3 = XBits'(product3_q);
    end
  end

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
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
    if (enable_i) begin
      mult1_q <= mult_i;
      mult2_q <= mult1_q;
      mult3_q <= mult2_q;
      mult4_q <= mult3_q;
      mult_neg1_q <= mult_neg_i;
      mult_neg2_q <= mult_neg1_q;
      mult_neg3_q <= mult_neg2_q;
      mult_neg4_q <= mult_neg3_q;
      shift1_q <= shift_i;
      shift2_q <= shift1_q;
      shift3_q <= shift2_q;
      shift4_q <= shift3_q;
      shift_neg1_q <= shift_neg_i;
      shift_neg2_q <= shift_neg1_q;
      shift_neg3_q <= shift_neg2_q;
      shift_neg4_q <= shift_neg3_q;
      zp1_q <= zero_point_i;
      zp2_q <= zp1_q;
      zp3_q <= zp2_q;
      zp4_q <= zp3_q;
      zp5_q <= zp4_q;
      zp6_q <= zp5_q;
      lo1_q <= lo_i;
      lo2_q <= lo1_q;
      lo3_q <= lo2_q;
      lo4_q <= lo3_q;
      lo5_q <= lo4_q;
      lo6_q <= lo5_q;
      hi1_q <= hi_i;
      hi2_q <= hi1_q;
      hi3_q <= hi2_q;
      hi4_q <= hi3_q;
      hi5_q <= hi4_q;
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
    .enable_i,
    .x_i     (x4_q),
    .mult_i  (use_neg4 ? mult_neg4_q : mult4_q),
    .shift_i (use_neg4 ? shift_neg4_q : shift4_q),
    .mode_i  (mode5_i),
    .result_o(rounded6)
  );

  logic signed [31:0] x5_q, x6_q;  // of pass: a 32-bit value

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      x5_q <= x4_q[31:0];
      x6_q <= x5_q;
    end
  end

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
    if (enable_i) begin
      saturated7_q <= ~pass7_i & (above6 | below6);
      if (pass7_i) begin
        y7_q <= x6_q;
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
