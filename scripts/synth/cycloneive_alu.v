// Adders, subtracters and comparators of more than two bits as the carry chains of
// Cyclone IV: a logic element per bit. The name begins as in Yosys's own maps, which
// would be taken otherwise.
(* techmap_celltype = "$alu" *)
module _80_cycloneive_alu (A, B, CI, BI, X, Y, CO);
    parameter A_SIGNED = 0;
    parameter B_SIGNED = 0;
    parameter A_WIDTH = 1;
    parameter B_WIDTH = 1;
    parameter Y_WIDTH = 1;

    (* force_downto *) input [A_WIDTH-1:0] A;
    (* force_downto *) input [B_WIDTH-1:0] B;
    input CI, BI;
    (* force_downto *) output [Y_WIDTH-1:0] X, Y, CO;

    wire _TECHMAP_FAIL_ = Y_WIDTH < 3;

    wire [Y_WIDTH-1:0] left, right, addend;
    \$pos #(.A_SIGNED(A_SIGNED), .A_WIDTH(A_WIDTH), .Y_WIDTH(Y_WIDTH)) extend_a (.A(A), .Y(left));
    \$pos #(.A_SIGNED(B_SIGNED), .A_WIDTH(B_WIDTH), .Y_WIDTH(Y_WIDTH)) extend_b (.A(B), .Y(right));
    assign addend = BI ? ~right : right;
    assign X = left ^ addend;

    wire [Y_WIDTH:0] carry;
    assign carry[0] = CI;
    assign CO = carry[Y_WIDTH:1];
    genvar i;
    generate
        for (i = 0; i < Y_WIDTH; i = i + 1) begin : bits
            weft_carry element (
                .a(left[i]), .b(addend[i]), .ci(carry[i]), .s(Y[i]), .co(carry[i+1])
            );
        end
    endgenerate
endmodule
