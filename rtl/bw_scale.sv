// round(x * multiplier * 2^-shift): the multiply, round and shift of every rescale.
//
//   x_i [InWidth] ----*---- product [InWidth+MultBits] --+-- shift >= 0: round ----+
//   mult_i [MultBits]       (register 1)                 |                         +-- result_o
//   shift_i, mode_i --------(register 1)                 +-- shift < 0: left shift-+  (register 2)
//
// Latency: 2 clock edges, each with its bit of take_i. Mode 5 (double) rounds half up by at most 31 bits, then half
// away from zero by the rest; it is built when its bit of ModeMask is set.
// The result is OutWidth bits; a value that does not fit is the caller's to exclude or to clip:
// OutWidth = InWidth + MultBits + LeftShiftMax holds every one.
//
// Worked: x 8001, mult 33193, shift 21, half_up: 265577193 / 2^21 = 126.6 -> 127.
module bw_scale #(
  parameter int InWidth = 33,
  parameter int MultBits = 16,
  parameter int LeftShiftMax = 15,
  parameter int OutWidth = 64,
  parameter int ModeMask = 31
) (
  input  logic                       clk_i,
  input  logic        [2:1]          take_i,   // bit r: register r takes a value
  input  logic signed [InWidth-1:0]  x_i,
  input  logic        [MultBits-1:0] mult_i,
  input  logic signed [6:0]          shift_i,
  input  logic        [2:0]          mode_i,
  output logic signed [OutWidth-1:0] result_o
);

  localparam int ProductWidth = InWidth + MultBits;
  localparam bit HasDouble = ((ModeMask >> bw_isa_pkg::RoundingDouble) & 1) != 0;
  localparam int HalfUpBit = 1 << bw_isa_pkg::RoundingHalfUp;
  localparam int WideWidth = ProductWidth + LeftShiftMax;

  // Register 1: |x| <= 2^(InWidth-1) and mult < 2^MultBits, so the product has ProductWidth bits.
  logic signed [ProductWidth-1:0] product_d, product_q;
  logic signed [6:0]              shift_q;
  logic        [2:0]              mode_q;

  assign product_d = ProductWidth'(x_i) * ProductWidth'($signed({1'b0, mult_i}));

  always_ff @(posedge clk_i) begin
    if (take_i[1]) begin
      product_q <= product_d;
      shift_q   <= shift_i;
      mode_q    <= mode_i;
    end
  end

  // Right shift and rounding.
  logic        [6:0]              right_first;
  logic        [2:0]              mode_first;
  logic signed [ProductWidth-1:0] rounded_first;
  logic signed [ProductWidth-1:0] rounded;

  bw_round_shift #(
    .Width(ProductWidth),
    .ShiftWidth(7),
    .ModeMask(HasDouble ? (ModeMask | HalfUpBit) : ModeMask)
  ) u_round (
    .value_i (product_q),
    .shift_i (right_first),
    .mode_i  (mode_first),
    .result_o(rounded_first)
  );

  if (HasDouble) begin : gen_double
    logic       is_double;
    logic [6:0] right_second;

    assign is_double = mode_q == bw_isa_pkg::RoundingDouble;
    assign right_first = (is_double && shift_q > 7'sd31) ? 7'd31 : shift_q;
    assign right_second = (is_double && shift_q > 7'sd31) ? shift_q - 7'd31 : 7'd0;
    assign mode_first = is_double ? bw_isa_pkg::RoundingHalfUp : mode_q;

    bw_round_shift #(
      .Width(ProductWidth),
      .ShiftWidth(7),
      .ModeMask(1 << bw_isa_pkg::RoundingHalfAway)
    ) u_round_second (
      .value_i (rounded_first),
      .shift_i (right_second),
      .mode_i  (bw_isa_pkg::RoundingHalfAway),
      .result_o(rounded)
    );
  end else begin : gen_single
    assign right_first = shift_q;
    assign mode_first = mode_q;
    assign rounded = rounded_first;
  end

  // Left shift.
  logic signed [WideWidth-1:0] wide;

  if (LeftShiftMax > 0) begin : gen_left
    logic [6:0] left;
    assign left = 7'd0 - shift_q;
    assign wide = (shift_q < 7'sd0) ? (WideWidth'(product_q) <<< left) : WideWidth'(rounded);
  end else begin : gen_no_left
    assign wide = WideWidth'(rounded);
  end

  if (OutWidth < WideWidth) begin : gen_dropped
    logic unused_high;
    assign unused_high = ^wide[WideWidth-1:OutWidth];
  end

  logic signed [OutWidth-1:0] result_q;

  always_ff @(posedge clk_i) begin
    if (take_i[2]) begin
      result_q <= OutWidth'(wide);
    end
  end

  assign result_o = result_q;

endmodule
