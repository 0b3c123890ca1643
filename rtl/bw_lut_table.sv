// Memory of the lookup tables: Entries words of 32 bits, ReadPorts of them read a clock, and a
// write of up to Words neighbours a clock.
//
//   write_i, entry_i, count_i, values_i ---> memory_q ---+
//   read_i, address_i (a port) --------------------------+---> value_o (a port, one register)
//
// A value that is written in one clock is read from the next one on. entry_i + count_i is at most
// Entries.
module bw_lut_table #(
  parameter int Entries = 514,
  parameter int Words = 4,
  parameter int ReadPorts = 32
) (
  input  logic                                  clk_i,
  input  logic                                  write_i,
  input  logic [$clog2(Entries)-1:0]            entry_i,
  input  logic [$clog2(Words+1)-1:0]            count_i,   // 1 .. Words
  input  logic [Words*32-1:0]                   values_i,  // that of entry_i + w: bits [w*32 +: 32]
  input  logic                                  read_i,
  input  logic [ReadPorts*$clog2(Entries)-1:0]  address_i,
  output logic [ReadPorts*32-1:0]               value_o
);

  localparam int AddrBits = $clog2(Entries);

  logic [31:0] memory_q [0:Entries-1];

  always_ff @(posedge clk_i) begin
    if (write_i) begin
      for (int w = 0; w < Words; w++) begin
        if (w < 32'(count_i)) begin
          memory_q[entry_i + AddrBits'(w)] <= values_i[w*32 +: 32];
        end
      end
    end
  end

  for (genvar p = 0; p < ReadPorts; p++) begin : gen_port
    logic [31:0] value_q;

    always_ff @(posedge clk_i) begin
      if (read_i) begin
        value_q <= memory_q[address_i[p*AddrBits +: AddrBits]];
      end
    end

    assign value_o[p*32 +: 32] = value_q;
  end

endmodule
