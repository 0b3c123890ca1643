// One lane of a table lookup (NUMERICS.md section 6); the table itself is outside (bw_lut_table).
//
//  stage  width                  work
//  2      IndexBits              i = clip(key, low, high) - low; notes keys outside    (register)
//  3      AddrBits, ShiftMax     interpolated: n = i >> k, fraction = the k bits below (register)
//                                nearest: n = (i >> k) + bit k - 1, fraction = 0
//  4      32, 32                 T[n], T[n + 1] (T[n] where the fraction is 0)         (table)
//  5      33 + ShiftMax          (T[n + 1] - T[n]) * fraction                          (register)
//  6      32                     T[n] + product rounded half up by k                   (register)
//
// The last key, i = segments * 2^k, gives n = segments with fraction 0: no limit on n is needed. The
// result lies between two entries, so it has 32 bits. An exact table is the nearest entry with
// k = 0. With `ramp`, a key below gives 0, and one above gives the key itself: key_o says so, as the
// lane carries it already. Registers take values for lookups only. Latency: 5 edges.
//
// Worked: low -128, k 3, key 5: i 133, n 16, fraction 5; T[16] 0, T[17] 9: 45 / 8 = 5.6 -> 6.
module bw_lookup #(
  parameter int KeyBits = 33,
  parameter int Entries = 514,    // of all tables
  parameter int ShiftMax = 8,     // largest k, 0 .. 30
  parameter bit Interpolate = 1   // 0: nearest entries only, no multiplier
) (
  input  logic                             clk_i,
  // Bit k: the registers of stage k take a lookup.
  input  logic [6:2]                       take_i,
  // Key and control, stage 2.
  input  logic signed [KeyBits-1:0]        key_i,
  input  logic signed [31:0]               low2_i,
  input  logic signed [31:0]               high2_i,
  input  logic                             ramp2_i,
  // Control, stage 3.
  input  logic [$clog2(Entries)-1:0]       base3_i,         // first entry of the table
  input  logic [4:0]                       shift3_i,        // k
  input  logic                             interpolate3_i,
  // The table, stage 4: addresses, and what its registers hold after it.
  output logic [$clog2(Entries)-1:0]       address_o,
  output logic [$clog2(Entries)-1:0]       next_address_o,
  input  logic signed [31:0]               entry_i,
  input  logic signed [31:0]               next_i,
  // Control, stage 6.
  input  logic [4:0]                       shift6_i,
  output logic signed [31:0]               value_o,
  output logic                             key_o            // the result is the key, not value_o
);

  localparam int AddrBits = $clog2(Entries);
  localparam int IndexBits = AddrBits + ShiftMax < 32 ? AddrBits + ShiftMax : 32;

  // ---- stage 2: limit the key
  logic                       below, above;
  logic signed [KeyBits-1:0]  limited;
  logic signed [KeyBits-1:0]  offset;
  logic        [IndexBits-1:0] index2_q;
  logic                       zero2_q, zero3_q, zero4_q, zero5_q;
  logic                       key2_q, key3_q, key4_q, key5_q, key6_q;

  assign below = key_i < KeyBits'(low2_i);
  assign above = key_i > KeyBits'(high2_i);
  assign limited = below ? KeyBits'(low2_i) : (above ? KeyBits'(high2_i) : key_i);
  assign offset = limited - KeyBits'(low2_i);

  logic unused_offset;  // 0, as high - low is at most segments * 2^k
  assign unused_offset = ^offset[KeyBits-1:IndexBits];

  always_ff @(posedge clk_i) begin
    if (take_i[2]) begin
      index2_q <= offset[IndexBits-1:0];
      zero2_q  <= ramp2_i & below;
      key2_q   <= ramp2_i & above;
    end
    if (take_i[3]) begin
      zero3_q <= zero2_q;
      key3_q  <= key2_q;
    end
    if (take_i[4]) begin
      zero4_q <= zero3_q;
      key4_q  <= key3_q;
    end
    if (take_i[5]) begin
      zero5_q <= zero4_q;
      key5_q  <= key4_q;
    end
    if (take_i[6]) begin
      key6_q <= key5_q;
    end
  end

  // ---- stage 3: entry and fraction
  // One bit is appended, so that the bit below the entry's number is bit 0 after the shift.
  logic [IndexBits:0]  floor_and_half;
  logic                half;
  logic [AddrBits-1:0] number;
  logic                has_fraction;
  logic [AddrBits-1:0] address3_q, next_address3_q;

  assign floor_and_half = {index2_q, 1'b0} >> shift3_i;
  assign half = floor_and_half[0] & ~interpolate3_i;
  assign number = AddrBits'(floor_and_half[IndexBits:1]) + AddrBits'(half);

  if (IndexBits > AddrBits) begin : gen_high
    logic unused_number;  // 0, as n is at most segments
    assign unused_number = ^floor_and_half[IndexBits:AddrBits+1];
  end

  always_ff @(posedge clk_i) begin
    if (take_i[3]) begin
      address3_q      <= base3_i + number;
      next_address3_q <= base3_i + number + AddrBits'(has_fraction);
    end
  end

  assign address_o = address3_q;
  assign next_address_o = next_address3_q;

  // ---- stages 3 to 6: interpolation
  logic signed [31:0] entry5_q;
  logic signed [31:0] result5;
  logic signed [31:0] value6_q;

  if (Interpolate && ShiftMax > 0) begin : gen_interpolate
    localparam int ProductBits = 33 + ShiftMax;

    logic        [ShiftMax-1:0]    fraction_mask;
    logic        [ShiftMax-1:0]    fraction;
    logic        [ShiftMax-1:0]    fraction3_q, fraction4_q;
    logic signed [32:0]            rise;
    logic signed [ProductBits-1:0] product5_q;
    logic signed [ProductBits-1:0] rounded;

    // The k bits below the entry's number; none without interpolation.
    assign fraction_mask = interpolate3_i ? ~({ShiftMax{1'b1}} << shift3_i) : {ShiftMax{1'b0}};
    assign fraction = index2_q[ShiftMax-1:0] & fraction_mask;
    assign has_fraction = |fraction;
    assign rise = 33'(next_i) - 33'(entry_i);

    always_ff @(posedge clk_i) begin
      if (take_i[3]) begin
        fraction3_q <= fraction;
      end
      if (take_i[4]) begin
        fraction4_q <= fraction3_q;
      end
      if (take_i[5]) begin
        product5_q <= ProductBits'(rise) * ProductBits'($signed({1'b0, fraction4_q}));
      end
    end

    bw_round_shift #(
      .Width(ProductBits),
      .ShiftWidth(5),
      .ModeMask(1 << bw_isa_pkg::RoundingHalfUp)
    ) u_round (
      .value_i (product5_q),
      .shift_i (shift6_i),
      .mode_i  (bw_isa_pkg::RoundingHalfUp),
      .result_o(rounded)
    );

    logic unused_rounded;  // the sum lies between two entries: modulo 2^32 is enough
    assign unused_rounded = ^rounded[ProductBits-1:32];
    assign result5 = entry5_q + rounded[31:0];
  end else begin : gen_nearest
    logic unused_nearest;
    assign unused_nearest = ^{next_i, shift6_i};
    assign has_fraction = 1'b0;
    assign result5 = entry5_q;
  end

  always_ff @(posedge clk_i) begin
    if (take_i[5]) begin
      entry5_q <= entry_i;
    end
    if (take_i[6]) begin
      value6_q <= zero5_q ? 32'sd0 : result5;
    end
  end

  assign value_o = value6_q;
  assign key_o = key6_q;

endmodule
