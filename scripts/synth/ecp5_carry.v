// Times of a carry chain's cells for ABC, in picoseconds: those that Yosys and nextpnr have, of speed
// grade 6, and 900 for the wire into the chain. What comes out of one takes 500 longer, for the wire
// into a LUT RAM, which ABC does not see: it knows no setup of a box.

(* abc9_box, blackbox *)
module CCU2C (
    (* abc9_carry *) input CIN,
    input A0, B0, C0, D0, A1, B1, C1, D1,
    output S0, S1,
    (* abc9_carry *) output COUT
);
    parameter [15:0] INIT0 = 16'h0000;
    parameter [15:0] INIT1 = 16'h0000;
    parameter INJECT1_0 = "YES";
    parameter INJECT1_1 = "YES";
    specify
        (A0 => S0) = 1279;
        (B0 => S0) = 1279;
        (C0 => S0) = 1175;
        (D0 => S0) = 1041;
        (CIN => S0) = 757;
        (A0 => S1) = 1530;
        (B0 => S1) = 1530;
        (C0 => S1) = 1426;
        (D0 => S1) = 1292;
        (A1 => S1) = 1279;
        (B1 => S1) = 1279;
        (C1 => S1) = 1175;
        (D1 => S1) = 1041;
        (CIN => S1) = 773;
        (A0 => COUT) = 1416;
        (B0 => COUT) = 1416;
        (C0 => COUT) = 1312;
        (D0 => COUT) = 1178;
        (A1 => COUT) = 1416;
        (B1 => COUT) = 1416;
        (C1 => COUT) = 1312;
        (D1 => COUT) = 1178;
        (CIN => COUT) = 43;
    endspecify
endmodule
