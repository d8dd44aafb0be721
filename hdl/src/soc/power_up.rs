//! Reset: for fifteen cycles after power comes up or the button was pressed.

use crate::rtl::Clocked;
use crate::rtl::prelude::*;

block! {
    /// See the module. The button may change at any time.
    pub struct PowerUp [] [] fn new() {
        input {
            pub clock: Signal<In, Clk>,
            pub button: Signal<In, Bit>,
        }
        output { pub reset: Signal<Out, Bit>, }
        plain {
            pub _seen: u8 = 0,
            pub _count: u8 = 0,
        }
    }
}

impl Logic for PowerUp {
    fn update(&mut self) {
        if self.clock.edge() {
            self._count = if self._seen & 2 != 0 { 0 } else { (self._count + 1).min(15) };
            self._seen = (self._seen << 1 | u8::from(self.button.val())) & 3;
        }
        self.reset.next = self._count != 15;
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            "reg [1:0] seen;\n\
             reg [3:0] count;\n\
             wire [3:0] next = seen[1] ? 4'd0 : (&count) ? count : count + 4'd1;\n\
             initial begin\n\
             seen = 2'd0;\n\
             count = 4'd0;\n\
             reset = 1'b1;\n\
             end\n\
             always @(posedge clock) begin\n\
             seen <= {seen[0], button};\n\
             count <= next;\n\
             reset <= ~(&next);\n\
             end\n"
                .into(),
        )
    }
}
