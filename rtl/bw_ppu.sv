// The arithmetic pipeline of the post-processing unit: Lanes results a clock, ready/valid on both
// sides.
//
//   in_valid_i, in_ready_o                                     out_valid_o, out_ready_i
//   a, b, parameters a lane ---> 7 stages (bw_ppu_lane) ------> y a lane
//   op, mode, alignment of the beat ---> one register a stage
//   lut_write_i, entries ---> bw_lut_table, read by lookups in stage 4
//
// The whole pipeline moves or stands: enable = ~out_valid_o | out_ready_i, and in_ready_o = enable.
// A beat taken at edge t is at the output from edge t + 6 on. Bubbles advance like beats. The beats
// of a window, one a position, come one after the other with bubbles or without; register 1 folds
// them, and the one with last_i makes the result. Other operations have first_i, last_i, inside_i 1.
//
//   op 0 requantise  clip(round((a - azp) * M, S) + zp, lo, hi)
//   op 1 add         the same of round(align(a) +- align(b), s1) clipped to s1_bits; s1_bits 0: of
//                    the sum itself
//   op 2 multiply    the same of (a - azp) * (b - bzp)
//   op 3 maximum     the largest a of a window, 32 bits
//   op 4 sum         the same as 0 of the sum of (a - azp) over a window
//   op 5 lookup      entry of the table that starts at lut_base, by the key a (bw_lookup)
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
  parameter int ModeMask = 31,
  parameter int LutEntries = 514,   // of all tables
  parameter int LutShiftMax = 8,    // log2 of the largest step between entries
  parameter bit LutInterpolate = 1,
  parameter int TableWords = 4      // entries that one clock can write
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
  // Place of the beat in its window.
  input  logic                          first_i,
  input  logic                          last_i,
  input  logic                          inside_i,
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
  input  logic [$clog2(LutEntries)-1:0] lut_base_i,
  input  logic signed [31:0]            lut_low_i,
  input  logic signed [31:0]            lut_high_i,
  input  logic [4:0]                    lut_shift_i,
  input  logic                          lut_interpolate_i,
  input  logic                          lut_ramp_i,
  // Entries for the tables, whatever the pipeline does; no lookup that reads them is inside.
  input  logic                          lut_write_i,
  input  logic [$clog2(LutEntries)-1:0] lut_entry_i,
  input  logic [$clog2(TableWords+1)-1:0] lut_count_i,
  input  logic [TableWords*32-1:0]      lut_values_i,
  // A result.
  output logic                          out_valid_o,
  input  logic                          out_ready_i,
  output logic [Lanes*32-1:0]           y_o,
  output logic [31:0]                   saturations_o
);

  // Widest value to requantise: an accumulator minus its zero point, a window's sum, the sum of an
  // add, or a product.
  localparam int SumBits = ActBits + AlignShiftMax + 3;
  localparam int ProductBits = 2 * (ActBits + 2);
  localparam int EltBits = SumBits > ProductBits ? SumBits : ProductBits;
  localparam int XBits = ABits + 1 > EltBits ? ABits + 1 : EltBits;

  localparam int LutAddrBits = $clog2(LutEntries);

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
  logic [LutAddrBits-1:0] lut_base1_q, lut_base2_q;
  logic signed [31:0]  lut_low1_q, lut_high1_q;
  logic [4:0]          lut_shift1_q, lut_shift2_q, lut_shift3_q, lut_shift4_q, lut_shift5_q;
  logic                lut_interpolate1_q, lut_interpolate2_q, lut_ramp1_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {valid1_q, valid2_q, valid3_q, valid4_q, valid5_q, valid6_q, valid7_q} <= 7'd0;
    end else if (enable) begin
      {valid1_q, valid2_q, valid3_q, valid4_q, valid5_q, valid6_q, valid7_q} <=
          {in_valid_i & last_i, valid1_q, valid2_q, valid3_q, valid4_q, valid5_q, valid6_q};
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
      lut_low1_q  <= lut_low_i;
      lut_high1_q <= lut_high_i;
      lut_ramp1_q <= lut_ramp_i;
      {lut_base1_q, lut_base2_q} <= {lut_base_i, lut_base1_q};
      {lut_interpolate1_q, lut_interpolate2_q} <= {lut_interpolate_i, lut_interpolate1_q};
      {lut_shift1_q, lut_shift2_q, lut_shift3_q, lut_shift4_q, lut_shift5_q} <=
          {lut_shift_i, lut_shift1_q, lut_shift2_q, lut_shift3_q, lut_shift4_q};
    end
  end

  assign out_valid_o = valid7_q;

  // ---- which registers take a value: those of stage k when a beat is in front of them
  logic [7:1] take;
  logic [3:2] take_add, take_multiply;
  logic [6:2] take_lookup;

  assign take = {7{enable}} &
                {valid6_q, valid5_q, valid4_q, valid3_q, valid2_q, valid1_q, in_valid_i};
  assign take_add = take[3:2] & {op2_q == bw_isa_pkg::CoreOpAdd, op1_q == bw_isa_pkg::CoreOpAdd};
  assign take_multiply = take[3:2] & {op2_q == bw_isa_pkg::CoreOpMultiply,
                                      op1_q == bw_isa_pkg::CoreOpMultiply};
  assign take_lookup = take[6:2] & {op5_q == bw_isa_pkg::CoreOpLookup,
                                    op4_q == bw_isa_pkg::CoreOpLookup,
                                    op3_q == bw_isa_pkg::CoreOpLookup,
                                    op2_q == bw_isa_pkg::CoreOpLookup,
                                    op1_q == bw_isa_pkg::CoreOpLookup};

  // ---- what the operation does at both ends of the lanes
  logic                   requantise0, requantise6;
  logic signed [ActBits:0] a_zp;

  assign requantise0 = op_i == bw_isa_pkg::CoreOpRequantise || op_i == bw_isa_pkg::CoreOpAdd ||
                       op_i == bw_isa_pkg::CoreOpMultiply || op_i == bw_isa_pkg::CoreOpSum;
  assign requantise6 = op6_q == bw_isa_pkg::CoreOpRequantise || op6_q == bw_isa_pkg::CoreOpAdd ||
                       op6_q == bw_isa_pkg::CoreOpMultiply || op6_q == bw_isa_pkg::CoreOpSum;
  assign a_zp = requantise0 ? a_zp_i : (ActBits+1)'(0);

  // ---- lookup tables: two reads a lane, an entry and the next one
  logic [2*Lanes*LutAddrBits-1:0] lut_address;
  logic [2*Lanes*32-1:0]          lut_value;

  bw_lut_table #(
    .Entries  (LutEntries),
    .Words    (TableWords),
    .ReadPorts(2 * Lanes)
  ) u_table (
    .clk_i,
    .write_i  (lut_write_i),
    .entry_i  (lut_entry_i),
    .count_i  (lut_count_i),
    .values_i (lut_values_i),
    .read_i   (take_lookup[4]),
    .address_i(lut_address),
    .value_o  (lut_value)
  );

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
      .ModeMask     (ModeMask),
      .LutEntries   (LutEntries),
      .LutShiftMax  (LutShiftMax),
      .LutInterpolate(LutInterpolate)
    ) u_lane (
      .clk_i,
      .take_i      (take),
      .take_add_i  (take_add),
      .take_multiply_i(take_multiply),
      .take_lookup_i(take_lookup),
      .a_i         (a_i[i*ABits +: ABits]),
      .b_i         (b_i[i*(ActBits+1) +: ActBits+1]),
      .mult_i      (mult_i[i*MultBits +: MultBits]),
      .mult_neg_i  (mult_neg_i[i*MultBits +: MultBits]),
      .shift_i     (shift_i[i*7 +: 7]),
      .shift_neg_i (shift_neg_i[i*7 +: 7]),
      .zero_point_i(zero_point_i[i*32 +: 32]),
      .lo_i        (lo_i[i*32 +: 32]),
      .hi_i        (hi_i[i*32 +: 32]),
      .first_i,
      .inside_i,
      .maximum_i   (op_i == bw_isa_pkg::CoreOpMaximum),
      .a_zp_i      (a_zp),
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
      .requantise7_i(requantise6),
      .lookup7_i   (op6_q == bw_isa_pkg::CoreOpLookup),
      .lut_low2_i  (lut_low1_q),
      .lut_high2_i (lut_high1_q),
      .lut_ramp2_i (lut_ramp1_q),
      .lut_base3_i (lut_base2_q),
      .lut_shift3_i(lut_shift2_q),
      .lut_interpolate3_i(lut_interpolate2_q),
      .lut_shift6_i(lut_shift5_q),
      .lut_address_o(lut_address[2*i*LutAddrBits +: LutAddrBits]),
      .lut_next_address_o(lut_address[(2*i+1)*LutAddrBits +: LutAddrBits]),
      .lut_entry_i (lut_value[2*i*32 +: 32]),
      .lut_next_i  (lut_value[(2*i+1)*32 +: 32]),
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
