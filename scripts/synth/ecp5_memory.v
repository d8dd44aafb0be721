
// And of what ABC takes for free: 900 for a wire where it sees none, into a memory, to a clock enable
// or a set, and when what is read is there.

// A flip-flop takes its value out of the LUT beside it, but what comes to its other pins comes by
// wire.
(* blackbox *)
module TRELLIS_FF (input CLK, LSR, CE, DI, M, output Q);
    parameter GSR = "ENABLED";
    parameter [127:0] CEMUX = "1";
    parameter CLKMUX = "CLK";
    parameter LSRMUX = "LSR";
    parameter SRMODE = "LSR_OVER_CE";
    parameter REGSET = "RESET";
    parameter [127:0] LSRMODE = "LSR";
    specify
        $setup(CE, posedge CLK, 900);
        $setup(LSR, posedge CLK, 900);
    endspecify
endmodule

// Read like a LUT, with the wire to it.
(* abc9_box, lib_whitebox *)
module TRELLIS_DPR16X4 (
    input [3:0] DI, WAD, input WRE, WCK, input [3:0] RAD, output [3:0] DO
);
    parameter WCKMUX = "WCK";
    parameter WREMUX = "WRE";
    parameter [63:0] INITVAL = 64'd0;
    reg [3:0] words [0:15];
    always @(posedge WCK) if (WRE) words[WAD] <= DI;
    assign DO = words[RAD];
    specify
        (RAD *> DO) = 1136;
    endspecify
endmodule

// What is read is there 5200 after the value of a flip-flop would be.
(* blackbox *)
module DP16KD (
    input CLKA, DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6,
                DIA5, DIA4, DIA3, DIA2, DIA1, DIA0, ADA13, ADA12, ADA11, ADA10, ADA9, ADA8,
                ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0, CEA, OCEA, WEA, RSTA, CSA2,
                CSA1, CSA0,
    output DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6,
           DOA5, DOA4, DOA3, DOA2, DOA1, DOA0,
    input CLKB, DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6,
                DIB5, DIB4, DIB3, DIB2, DIB1, DIB0, ADB13, ADB12, ADB11, ADB10, ADB9, ADB8,
                ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0, CEB, OCEB, WEB, RSTB, CSB2,
                CSB1, CSB0,
    output DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6,
           DOB5, DOB4, DOB3, DOB2, DOB1, DOB0
);
    parameter DATA_WIDTH_A = 18;
    parameter DATA_WIDTH_B = 18;
    parameter REGMODE_A = "NOREG";
    parameter REGMODE_B = "NOREG";
    parameter WRITEMODE_A = "NORMAL";
    parameter WRITEMODE_B = "NORMAL";
    parameter CSDECODE_A = "0b000";
    parameter CSDECODE_B = "0b000";
    parameter CLKAMUX = "CLKA";
    parameter CLKBMUX = "CLKB";
    parameter RESETMODE = "SYNC";
    parameter ASYNC_RESET_RELEASE = "SYNC";
    parameter GSR = "ENABLED";
    parameter INITVAL_00 = 320'd0, INITVAL_01 = 320'd0, INITVAL_02 = 320'd0,
              INITVAL_03 = 320'd0, INITVAL_04 = 320'd0, INITVAL_05 = 320'd0,
              INITVAL_06 = 320'd0, INITVAL_07 = 320'd0, INITVAL_08 = 320'd0,
              INITVAL_09 = 320'd0, INITVAL_0A = 320'd0, INITVAL_0B = 320'd0,
              INITVAL_0C = 320'd0, INITVAL_0D = 320'd0, INITVAL_0E = 320'd0,
              INITVAL_0F = 320'd0, INITVAL_10 = 320'd0, INITVAL_11 = 320'd0,
              INITVAL_12 = 320'd0, INITVAL_13 = 320'd0, INITVAL_14 = 320'd0,
              INITVAL_15 = 320'd0, INITVAL_16 = 320'd0, INITVAL_17 = 320'd0,
              INITVAL_18 = 320'd0, INITVAL_19 = 320'd0, INITVAL_1A = 320'd0,
              INITVAL_1B = 320'd0, INITVAL_1C = 320'd0, INITVAL_1D = 320'd0,
              INITVAL_1E = 320'd0, INITVAL_1F = 320'd0, INITVAL_20 = 320'd0,
              INITVAL_21 = 320'd0, INITVAL_22 = 320'd0, INITVAL_23 = 320'd0,
              INITVAL_24 = 320'd0, INITVAL_25 = 320'd0, INITVAL_26 = 320'd0,
              INITVAL_27 = 320'd0, INITVAL_28 = 320'd0, INITVAL_29 = 320'd0,
              INITVAL_2A = 320'd0, INITVAL_2B = 320'd0, INITVAL_2C = 320'd0,
              INITVAL_2D = 320'd0, INITVAL_2E = 320'd0, INITVAL_2F = 320'd0,
              INITVAL_30 = 320'd0, INITVAL_31 = 320'd0, INITVAL_32 = 320'd0,
              INITVAL_33 = 320'd0, INITVAL_34 = 320'd0, INITVAL_35 = 320'd0,
              INITVAL_36 = 320'd0, INITVAL_37 = 320'd0, INITVAL_38 = 320'd0,
              INITVAL_39 = 320'd0, INITVAL_3A = 320'd0, INITVAL_3B = 320'd0,
              INITVAL_3C = 320'd0, INITVAL_3D = 320'd0, INITVAL_3E = 320'd0,
              INITVAL_3F = 320'd0;
    specify
        $setup(DIA17, posedge CLKA, 900);
        $setup(DIA16, posedge CLKA, 900);
        $setup(DIA15, posedge CLKA, 900);
        $setup(DIA14, posedge CLKA, 900);
        $setup(DIA13, posedge CLKA, 900);
        $setup(DIA12, posedge CLKA, 900);
        $setup(DIA11, posedge CLKA, 900);
        $setup(DIA10, posedge CLKA, 900);
        $setup(DIA9, posedge CLKA, 900);
        $setup(DIA8, posedge CLKA, 900);
        $setup(DIA7, posedge CLKA, 900);
        $setup(DIA6, posedge CLKA, 900);
        $setup(DIA5, posedge CLKA, 900);
        $setup(DIA4, posedge CLKA, 900);
        $setup(DIA3, posedge CLKA, 900);
        $setup(DIA2, posedge CLKA, 900);
        $setup(DIA1, posedge CLKA, 900);
        $setup(DIA0, posedge CLKA, 900);
        $setup(ADA13, posedge CLKA, 900);
        $setup(ADA12, posedge CLKA, 900);
        $setup(ADA11, posedge CLKA, 900);
        $setup(ADA10, posedge CLKA, 900);
        $setup(ADA9, posedge CLKA, 900);
        $setup(ADA8, posedge CLKA, 900);
        $setup(ADA7, posedge CLKA, 900);
        $setup(ADA6, posedge CLKA, 900);
        $setup(ADA5, posedge CLKA, 900);
        $setup(ADA4, posedge CLKA, 900);
        $setup(ADA3, posedge CLKA, 900);
        $setup(ADA2, posedge CLKA, 900);
        $setup(ADA1, posedge CLKA, 900);
        $setup(ADA0, posedge CLKA, 900);
        $setup(CEA, posedge CLKA, 900);
        $setup(OCEA, posedge CLKA, 900);
        $setup(WEA, posedge CLKA, 900);
        $setup(RSTA, posedge CLKA, 900);
        $setup(CSA2, posedge CLKA, 900);
        $setup(CSA1, posedge CLKA, 900);
        $setup(CSA0, posedge CLKA, 900);
        (posedge CLKA => (DOA17 : 1'bx)) = 5200;
        (posedge CLKA => (DOA16 : 1'bx)) = 5200;
        (posedge CLKA => (DOA15 : 1'bx)) = 5200;
        (posedge CLKA => (DOA14 : 1'bx)) = 5200;
        (posedge CLKA => (DOA13 : 1'bx)) = 5200;
        (posedge CLKA => (DOA12 : 1'bx)) = 5200;
        (posedge CLKA => (DOA11 : 1'bx)) = 5200;
        (posedge CLKA => (DOA10 : 1'bx)) = 5200;
        (posedge CLKA => (DOA9 : 1'bx)) = 5200;
        (posedge CLKA => (DOA8 : 1'bx)) = 5200;
        (posedge CLKA => (DOA7 : 1'bx)) = 5200;
        (posedge CLKA => (DOA6 : 1'bx)) = 5200;
        (posedge CLKA => (DOA5 : 1'bx)) = 5200;
        (posedge CLKA => (DOA4 : 1'bx)) = 5200;
        (posedge CLKA => (DOA3 : 1'bx)) = 5200;
        (posedge CLKA => (DOA2 : 1'bx)) = 5200;
        (posedge CLKA => (DOA1 : 1'bx)) = 5200;
        (posedge CLKA => (DOA0 : 1'bx)) = 5200;
        $setup(DIB17, posedge CLKB, 900);
        $setup(DIB16, posedge CLKB, 900);
        $setup(DIB15, posedge CLKB, 900);
        $setup(DIB14, posedge CLKB, 900);
        $setup(DIB13, posedge CLKB, 900);
        $setup(DIB12, posedge CLKB, 900);
        $setup(DIB11, posedge CLKB, 900);
        $setup(DIB10, posedge CLKB, 900);
        $setup(DIB9, posedge CLKB, 900);
        $setup(DIB8, posedge CLKB, 900);
        $setup(DIB7, posedge CLKB, 900);
        $setup(DIB6, posedge CLKB, 900);
        $setup(DIB5, posedge CLKB, 900);
        $setup(DIB4, posedge CLKB, 900);
        $setup(DIB3, posedge CLKB, 900);
        $setup(DIB2, posedge CLKB, 900);
        $setup(DIB1, posedge CLKB, 900);
        $setup(DIB0, posedge CLKB, 900);
        $setup(ADB13, posedge CLKB, 900);
        $setup(ADB12, posedge CLKB, 900);
        $setup(ADB11, posedge CLKB, 900);
        $setup(ADB10, posedge CLKB, 900);
        $setup(ADB9, posedge CLKB, 900);
        $setup(ADB8, posedge CLKB, 900);
        $setup(ADB7, posedge CLKB, 900);
        $setup(ADB6, posedge CLKB, 900);
        $setup(ADB5, posedge CLKB, 900);
        $setup(ADB4, posedge CLKB, 900);
        $setup(ADB3, posedge CLKB, 900);
        $setup(ADB2, posedge CLKB, 900);
        $setup(ADB1, posedge CLKB, 900);
        $setup(ADB0, posedge CLKB, 900);
        $setup(CEB, posedge CLKB, 900);
        $setup(OCEB, posedge CLKB, 900);
        $setup(WEB, posedge CLKB, 900);
        $setup(RSTB, posedge CLKB, 900);
        $setup(CSB2, posedge CLKB, 900);
        $setup(CSB1, posedge CLKB, 900);
        $setup(CSB0, posedge CLKB, 900);
        (posedge CLKB => (DOB17 : 1'bx)) = 5200;
        (posedge CLKB => (DOB16 : 1'bx)) = 5200;
        (posedge CLKB => (DOB15 : 1'bx)) = 5200;
        (posedge CLKB => (DOB14 : 1'bx)) = 5200;
        (posedge CLKB => (DOB13 : 1'bx)) = 5200;
        (posedge CLKB => (DOB12 : 1'bx)) = 5200;
        (posedge CLKB => (DOB11 : 1'bx)) = 5200;
        (posedge CLKB => (DOB10 : 1'bx)) = 5200;
        (posedge CLKB => (DOB9 : 1'bx)) = 5200;
        (posedge CLKB => (DOB8 : 1'bx)) = 5200;
        (posedge CLKB => (DOB7 : 1'bx)) = 5200;
        (posedge CLKB => (DOB6 : 1'bx)) = 5200;
        (posedge CLKB => (DOB5 : 1'bx)) = 5200;
        (posedge CLKB => (DOB4 : 1'bx)) = 5200;
        (posedge CLKB => (DOB3 : 1'bx)) = 5200;
        (posedge CLKB => (DOB2 : 1'bx)) = 5200;
        (posedge CLKB => (DOB1 : 1'bx)) = 5200;
        (posedge CLKB => (DOB0 : 1'bx)) = 5200;
    endspecify
endmodule
