// Divides an exact integer by 2^shift and rounds it; combinational.
//
//   value_i --+--> value >>> shift ------------------(floor)--+
//             |                                               + --> result_o
//             +--> bit shift-1 (half), bits below (sticky) ---> increment (mode)
//
// Width of the result is the width of the value: rounding never leaves it, as shift >= 1 frees a
// bit. Modes not in ModeMask are not built and act as floor.
//
//   mode           increment of floor when shift >= 1
//   0 floor        0
//   1 truncate     negative & (half | sticky)
//   2 half_up      half
//   3 half_away    half & (sticky | ~negative)
//   4 half_even    half & (sticky | floor is odd)
//
// Worked: value -3, shift 1: floor -2, half 1, sticky 0; half_up -1, half_away -2, half_even -2.
module bw_round_shift #(
  parameter int Width = 48,
  parameter int ShiftWidth = 7,
  // Bit m: mode m is built in.
  parameter int ModeMask = 31
) (
  input  logic signed [Width-1:0]      value_i,
  input  logic        [ShiftWidth-1:0] shift_i,
  input  logic        [2:0]            mode_i,
  output logic signed [Width-1:0]      result_o
);

  // A shift by the width or more leaves the sign; |value| < 2^(Width-1) then rounds to 0 in every
  // nearest mode, as it does for shift = Width.
  localparam int Limit = Width;

  localparam bit HasTruncate = ((ModeMask >> bw_isa_pkg::RoundingTruncate) & 1) != 0;
  localparam bit HasHalfUp = ((ModeMask >> bw_isa_pkg::RoundingHalfUp) & 1) != 0;
  localparam bit HasHalfAway = ((ModeMask >> bw_isa_pkg::RoundingHalfAway) & 1) != 0;
  localparam bit HasHalfEven = ((ModeMask >> bw_isa_pkg::RoundingHalfEven) & 1) != 0;

  logic [ShiftWidth-1:0] shift;
  assign shift = (32'(shift_i) > Limit) ? ShiftWidth'(Limit) : shift_i;

  logic signed [Width:0] floor_and_half;
  logic signed [Width:0] doubled;
  logic        [Width:0] below_mask;
  logic                  half;
  logic                  sticky;
  logic                  negative;
  logic                  odd;
  logic                  increment;

  // One bit is appended, so that the half bit is bit 0 after the shift and shift = 0 gives half = 0.
  assign doubled = {value_i, 1'b0};
  assign floor_and_half = doubled >>> shift;
  assign half = floor_and_half[0];
  assign below_mask = ((Width+1)'(1) << shift) - (Width+1)'(1);
  assign sticky = |(doubled & below_mask);
  assign negative = value_i[Width-1];
  assign odd = floor_and_half[1];

  always_comb begin
    increment = 1'b0;
    if (mode_i == bw_isa_pkg::RoundingTruncate && HasTruncate) begin
      increment = negative & (half | sticky);
    end else if (mode_i == bw_isa_pkg::RoundingHalfUp && HasHalfUp) begin
      increment = half;
    end else if (mode_i == bw_isa_pkg::RoundingHalfAway && HasHalfAway) begin
      increment = half & (sticky | ~negative);
    end else if (mode_i == bw_isa_pkg::RoundingHalfEven && HasHalfEven) begin
      increment = half & (sticky | odd);
    end
  end

  assign result_o = floor_and_half[Width:1] + Width'(increment);

endmodule
