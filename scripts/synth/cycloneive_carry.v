// A logic element of Cyclone IV in arithmetic mode.
module weft_carry (input a, b, ci, output s, co);
endmodule
