// The arithmetic pipeline of the post-processing unit: Lanes results a clock, ready/valid on both
// sides.
//
//   in_valid_i, in_ready_o                                     out_valid_o, out_ready_i
//   a, b, parameters a lane ---> 7 stages (bw_ppu_lane) ------> y a lane
//   op, mode, alignment of the beat ---> one register a stage
//
// The whole pipeline moves or stands: enable = ~out_valid_o | out_ready_i, and in_ready_o = enable.
// A beat taken at edge t is at the output from edge t + 6 on. Bubbles advance like beats.
//
//   op 0 requantise  clip(round((a - azp) * M, S) + zp, lo, hi)
//   op 1 add         the same of round(align(a) +- align(b), s1) clipped to s1_bits; s1_bits 0: of
//                    the sum itself
//   op 2 multiply    the same of (a - azp) * (b - bzp)
//   op 3 pass        a, 32 bits
// Codes of op and mode are those of bw_isa_pkg; mode double needs MultBits = 31.
//
// saturations_o counts results that the last clip changed, over the lanes in use; it stays at its
// largest value and is cleared by reset alone.
module bw_ppu #(
  parameter int Lanes = 16,
  parameter int ActBits = 8,
  parameter int ABits = 32,      // operand A: max(acc_bits, 32), as 32-bit values pass too
  parameter int MultBits = 16,
  parameter int LeftShiftMax = 15,
  parameter int AlignShiftMax = 20,
  parameter int ModeMask = 31
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  // A beat. Lane i of a vector of width W is bits [i*W +: W].
  input  logic                          in_valid_i,
  output logic                          in_ready_o,
  input  logic [6:0]                    lanes_i,        // lanes in use, 1 .. Lanes
  input  logic [Lanes*ABits-1:0]        a_i,
  input  logic [Lanes*(ActBits+1)-1:0]  b_i,
  input  logic [Lanes*MultBits-1:0]     mult_i,
  input  logic [Lanes*MultBits-1:0]     mult_neg_i,
  input  logic [Lanes*7-1:0]            shift_i,        // signed
  input  logic [Lanes*7-1:0]            shift_neg_i,
  input  logic [Lanes*32-1:0]           zero_point_i,
  input  logic [Lanes*32-1:0]           lo_i,
  input  logic [Lanes*32-1:0]           hi_i,
  // Control of the beat.
  input  logic [2:0]                    op_i,
  input  logic [2:0]                    mode_i,
  input  logic                          neg_i,          // M2, S2 for negative values
  input  logic signed [ActBits:0]       a_zp_i,
  input  logic signed [ActBits:0]       b_zp_i,
  input  logic                          sub_i,
  input  logic [4:0]                    a_lsh_i,
  input  logic [4:0]                    b_lsh_i,
  input  logic                          a_mul_i,
  input  logic                          b_mul_i,
  input  logic [MultBits-1:0]           a_mult_i,
  input  logic [MultBits-1:0]           b_mult_i,
  input  logic signed [6:0]             a_shift_i,
  input  logic signed [6:0]             b_shift_i,
  input  logic [5:0]                    s1_shift_i,
  input  logic [4:0]                    s1_bits_i,
  // A result.
  output logic                          out_valid_o,
  input  logic                          out_ready_i,
  output logic [Lanes*32-1:0]           y_o,
  output logic [31:0]                   saturations_o
);

  // Widest value to requantise: an accumulator minus its zero point, a sum, or a product.
  localparam int SumBits = ActBits + AlignShiftMax + 3;
  localparam int ProductBits = 2 * (ActBits + 2);
  localparam int EltBits = SumBits > ProductBits ? SumBits : ProductBits;
  localparam int XBits = ABits + 1 > EltBits ? ABits + 1 : EltBits;

  logic enable;
  assign enable = ~out_valid_o | out_ready_i;
  assign in_ready_o = enable;

  // ---- control, one register a stage as far as it is needed
  logic        valid1_q, valid2_q, valid3_q, valid4_q, valid5_q, valid6_q, valid7_q;
  logic [6:0]  lanes1_q, lanes2_q, lanes3_q, lanes4_q, lanes5_q, lanes6_q, lanes7_q;
  logic [2:0]  op1_q, op2_q, op3_q, op4_q, op5_q, op6_q;
  logic [2:0]  mode1_q, mode2_q, mode3_q, mode4_q;
  logic        neg1_q, neg2_q, neg3_q, neg4_q;
  logic        sub1_q, sub2_q, sub3_q;
  logic        a_mul1_q, a_mul2_q, a_mul3_q, b_mul1_q, b_mul2_q, b_mul3_q;
  logic [5:0]  s1_shift1_q, s1_shift2_q, s1_shift3_q;
  logic [4:0]  s1_bits1_q, s1_bits2_q, s1_bits3_q;
  logic [4:0]  a_lsh1_q, b_lsh1_q;
  logic [MultBits-1:0] a_mult1_q, b_mult1_q;
  logic signed [6:0]   a_shift1_q, b_shift1_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {valid1_q, valid2_q, valid3_q, valid4_q, valid5_q, valid6_q, valid7_q} <= 7'd0;
    end else if (enable) begin
      {valid1_q, valid2_q, valid3_q, valid4_q, valid5_q, valid6_q, valid7_q} <=
          {in_valid_i, valid1_q, valid2_q, valid3_q, valid4_q, valid5_q, valid6_q};
    end
  end

  always_ff @(posedge clk_i) begin
    if (enable) begin
      {lanes1_q, lanes2_q, lanes3_q, lanes4_q, lanes5_q, lanes6_q, lanes7_q} <=
          {lanes_i, lanes1_q, lanes2_q, lanes3_q, lanes4_q, lanes5_q, lanes6_q};
      {op1_q, op2_q, op3_q, op4_q, op5_q, op6_q} <= {op_i, op1_q, op2_q, op3_q, op4_q, op5_q};
      {mode1_q, mode2_q, mode3_q, mode4_q} <= {mode_i, mode1_q, mode2_q, mode3_q};
      {neg1_q, neg2_q, neg3_q, neg4_q} <= {neg_i, neg1_q, neg2_q, neg3_q};
      {sub1_q, sub2_q, sub3_q} <= {sub_i, sub1_q, sub2_q};
      {a_mul1_q, a_mul2_q, a_mul3_q} <= {a_mul_i, a_mul1_q, a_mul2_q};
      {b_mul1_q, b_mul2_q, b_mul3_q} <= {b_mul_i, b_mul1_q, b_mul2_q};
      {s1_shift1_q, s1_shift2_q, s1_shift3_q} <= {s1_shift_i, s1_shift1_q, s1_shift2_q};
      {s1_bits1_q, s1_bits2_q, s1_bits3_q} <= {s1_bits_i, s1_bits1_q, s1_bits2_q};
      a_lsh1_q   <= a_lsh_i;
      b_lsh1_q   <= b_lsh_i;
      a_mult1_q  <= a_mult_i;
      b_mult1_q  <= b_mult_i;
      a_shift1_q <= a_shift_i;
      b_shift1_q <= b_shift_i;
    end
  end

  assign out_valid_o = valid7_q;

  // ---- lanes
  logic [Lanes-1:0] saturated;

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    bw_ppu_lane #(
      .ActBits      (ActBits),
      .ABits        (ABits),
      .MultBits     (MultBits),
      .LeftShiftMax (LeftShiftMax),
      .AlignShiftMax(AlignShiftMax),
      .XBits        (XBits),
      .ModeMask     (ModeMask)
    ) u_lane (
      .clk_i,
      .enable_i    (enable),
      .a_i         (a_i[i*ABits +: ABits]),
      .b_i         (b_i[i*(ActBits+1) +: ActBits+1]),
      .mult_i      (mult_i[i*MultBits +: MultBits]),
      .mult_neg_i  (mult_neg_i[i*MultBits +: MultBits]),
      .shift_i     (shift_i[i*7 +: 7]),
      .shift_neg_i (shift_neg_i[i*7 +: 7]),
      .zero_point_i(zero_point_i[i*32 +: 32]),
      .lo_i        (lo_i[i*32 +: 32]),
      .hi_i        (hi_i[i*32 +: 32]),
      .a_zp_i,
      .b_zp_i,
      .a_lsh2_i    (a_lsh1_q),
      .b_lsh2_i    (b_lsh1_q),
      .a_mult2_i   (a_mult1_q),
      .b_mult2_i   (b_mult1_q),
      .a_shift2_i  (a_shift1_q),
      .b_shift2_i  (b_shift1_q),
      .mode2_i     (mode1_q),
      .op4_i       (op3_q),
      .mode4_i     (mode3_q),
      .a_mul4_i    (a_mul3_q),
      .b_mul4_i    (b_mul3_q),
      .sub4_i      (sub3_q),
      .s1_shift4_i (s1_shift3_q),
      .s1_bits4_i  (s1_bits3_q),
      .neg5_i      (neg4_q),
      .mode5_i     (mode4_q),
      .pass7_i     (op6_q == bw_isa_pkg::CoreOpPass),
      .y_o         (y_o[i*32 +: 32]),
      .saturated_o (saturated[i])
    );
  end

  // ---- saturation counter: counts a result once, in the cycle in which it leaves
  logic [6:0]  saturated_lanes;
  logic [31:0] saturations_q;
  logic [32:0] saturations_sum;

  always_comb begin
    saturated_lanes = 7'd0;
    for (int i = 0; i < Lanes; i++) begin
      if (saturated[i] && i < 32'(lanes7_q)) begin
        saturated_lanes = saturated_lanes + 7'd1;
      end
    end
  end

  assign saturations_sum = 33'(saturations_q) + 33'(saturated_lanes);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      saturations_q <= 32'd0;
    end else if (out_valid_o & out_ready_i) begin
      saturations_q <= saturations_sum[32] ? 32'hFFFFFFFF : saturations_sum[31:0];
    end
  end

  assign saturations_o = saturations_q;

endmodule
