// Plays a file of clock cycles into bw_ppu and compares its outputs with those in the file, so that
// a second simulator (Icarus, four-valued: an X is a difference) confirms the RTL.
//
// +vectors=FILE holds hexadecimal numbers, written by tests/unit/rtl_dut/icarus_test.cc. Kinds of
// record, by their first number:
//   1  table write:  entry count value*TableWords
//   2  clock:        out_ready, what out_valid must be; if it is: number of lanes, y*lanes;
//                    in_valid; if it is: lanes first last inside op mode neg a_zp b_zp sub a_lsh
//                    b_lsh a_mul b_mul a_mult b_mult a_shift b_shift s1_shift s1_bits lut_base
//                    lut_low lut_high lut_shift lut_interpolate lut_ramp; a lane: a b mult mult_neg
//                    shift shift_neg zero_point lo hi
//   3  end:          saturations
// Ends with "PASS cycles results" or "FAIL differences".
module bw_ppu_tb;
  parameter int Lanes = 2;
  parameter int ActBits = 8;
  parameter int ABits = 32;
  parameter int MultBits = 16;
  parameter int LeftShiftMax = 15;
  parameter int AlignShiftMax = 20;
  parameter int ModeMask = 31;
  parameter int LutEntries = 514;
  parameter int LutShiftMax = 8;
  parameter int LutInterpolate = 1;
  parameter int TableWords = 4;

  logic clk = 1'b0, rst_n = 1'b0;
  logic in_valid = 1'b0, in_ready, out_valid, out_ready = 1'b0;
  logic [6:0] lanes;
  logic [Lanes*ABits-1:0] a;
  logic [Lanes*(ActBits+1)-1:0] b;
  logic [Lanes*MultBits-1:0] mult, mult_neg;
  logic [Lanes*7-1:0] shift, shift_neg;
  logic [Lanes*32-1:0] zero_point, lo, hi, y;
  logic first, last, is_inside, neg, sub, a_mul, b_mul, lut_interpolate, lut_ramp;
  logic lut_write = 1'b0;
  logic [2:0] op, mode;
  logic signed [ActBits:0] a_zp, b_zp;
  logic [4:0] a_lsh, b_lsh, s1_bits, lut_shift;
  logic [MultBits-1:0] a_mult, b_mult;
  logic signed [6:0] a_shift, b_shift;
  logic [5:0] s1_shift;
  logic [$clog2(LutEntries)-1:0] lut_base, lut_entry;
  logic signed [31:0] lut_low, lut_high;
  logic [$clog2(TableWords+1)-1:0] lut_count;
  logic [TableWords*32-1:0] lut_values;
  logic [31:0] saturations;

  bw_ppu #(
    .Lanes(Lanes), .ActBits(ActBits), .ABits(ABits), .MultBits(MultBits),
    .LeftShiftMax(LeftShiftMax), .AlignShiftMax(AlignShiftMax), .ModeMask(ModeMask),
    .LutEntries(LutEntries), .LutShiftMax(LutShiftMax), .LutInterpolate(LutInterpolate != 0),
    .TableWords(TableWords)
  ) u_dut (
    .clk_i(clk), .rst_ni(rst_n), .in_valid_i(in_valid), .in_ready_o(in_ready), .lanes_i(lanes),
    .a_i(a), .b_i(b), .mult_i(mult), .mult_neg_i(mult_neg), .shift_i(shift),
    .shift_neg_i(shift_neg), .zero_point_i(zero_point), .lo_i(lo), .hi_i(hi), .first_i(first),
    .last_i(last), .inside_i(is_inside), .op_i(op), .mode_i(mode), .neg_i(neg), .a_zp_i(a_zp),
    .b_zp_i(b_zp), .sub_i(sub), .a_lsh_i(a_lsh), .b_lsh_i(b_lsh), .a_mul_i(a_mul),
    .b_mul_i(b_mul), .a_mult_i(a_mult), .b_mult_i(b_mult), .a_shift_i(a_shift),
    .b_shift_i(b_shift), .s1_shift_i(s1_shift), .s1_bits_i(s1_bits), .lut_base_i(lut_base),
    .lut_low_i(lut_low), .lut_high_i(lut_high), .lut_shift_i(lut_shift),
    .lut_interpolate_i(lut_interpolate), .lut_ramp_i(lut_ramp), .lut_write_i(lut_write),
    .lut_entry_i(lut_entry), .lut_count_i(lut_count), .lut_values_i(lut_values),
    .out_valid_o(out_valid), .out_ready_i(out_ready), .y_o(y), .saturations_o(saturations)
  );

  integer file, kind, used;
  integer cycles = 0, results = 0, differences = 0;
  string name;

  function automatic logic [63:0] Next();
    logic [63:0] value;
    value = 64'd0;
    if ($fscanf(file, "%h", value) != 1) begin
      $display("FAIL: the file ends early");
      $finish;
    end
    Next = value;
  endfunction

  task Expect(input logic [63:0] got, input logic [63:0] want);
    if (got !== want) begin
      differences = differences + 1;
      if (differences <= 5) $display("cycle %0d: %0h instead of %0h", cycles, got, want);
    end
  endtask

  task Edge;
    #1 clk = 1'b1;
    #1 clk = 1'b0;
    cycles = cycles + 1;
  endtask

  task ReadTable;
    lut_write = 1'b1;
    lut_entry = Next();
    lut_count = Next();
    for (integer w = 0; w < TableWords; w = w + 1) lut_values[w*32 +: 32] = Next();
  endtask

  task ReadBeat;
    lanes = Next();
    first = Next();
    last = Next();
    is_inside = Next();
    op = Next();
    mode = Next();
    neg = Next();
    a_zp = Next();
    b_zp = Next();
    sub = Next();
    a_lsh = Next();
    b_lsh = Next();
    a_mul = Next();
    b_mul = Next();
    a_mult = Next();
    b_mult = Next();
    a_shift = Next();
    b_shift = Next();
    s1_shift = Next();
    s1_bits = Next();
    lut_base = Next();
    lut_low = Next();
    lut_high = Next();
    lut_shift = Next();
    lut_interpolate = Next();
    lut_ramp = Next();
    for (integer i = 0; i < lanes; i = i + 1) begin
      a[i*ABits +: ABits] = Next();
      b[i*(ActBits+1) +: ActBits+1] = Next();
      mult[i*MultBits +: MultBits] = Next();
      mult_neg[i*MultBits +: MultBits] = Next();
      shift[i*7 +: 7] = Next();
      shift_neg[i*7 +: 7] = Next();
      zero_point[i*32 +: 32] = Next();
      lo[i*32 +: 32] = Next();
      hi[i*32 +: 32] = Next();
    end
  endtask

  task CheckOutputs;
    logic wanted;
    logic [31:0] y_wanted;
    wanted = Next();
    Expect(out_valid, wanted);
    if (wanted) begin
      used = Next();
      for (integer i = 0; i < used; i = i + 1) begin
        y_wanted = Next();
        Expect(y[i*32 +: 32], y_wanted);
        results = results + 1;
      end
    end
    Expect(in_ready, wanted ? out_ready : 1'b1);
  endtask

  initial begin
    if (!$value$plusargs("vectors=%s", name)) $display("FAIL: no +vectors=FILE");
    file = $fopen(name, "r");
    Edge();
    rst_n = 1'b1;
    kind = Next();
    while (kind == 1 || kind == 2) begin
      if (kind == 1) begin
        in_valid = 1'b0;
        out_ready = 1'b1;
        ReadTable();
      end else begin
        out_ready = Next();
        #1 CheckOutputs();
        in_valid = Next();
        if (in_valid) ReadBeat();
      end
      Edge();
      lut_write = 1'b0;
      kind = Next();
    end
    if (kind == 3) Expect(saturations, Next());
    if (kind != 3 || differences != 0 || results == 0) begin
      $display("FAIL %0d", differences);
    end else begin
      $display("PASS %0d %0d", cycles, results);
    end
    $finish;
  end
endmodule
