//! [`Twin`]: two cores side by side on the same inputs. Every output of every cycle
//! must be the same.

use cores::core::{Core, Inputs, Outputs, Shape};
use hdl::rtl::Watch;
use std::fmt::Debug;

/// Two cores that should be one.
pub struct Twin {
    one: Box<dyn Core>,
    other: Box<dyn Core>,
    out: [Outputs; 2],
    difference: Option<String>,
}

impl Twin {
    /// Of two cores of one shape; the first is the one to be looked into.
    pub fn new(one: Box<dyn Core>, other: Box<dyn Core>) -> Twin {
        assert_eq!(one.shape(), other.shape(), "cores of one configuration");
        let pipes = one.shape().pipes;
        Twin { one, other, out: [Outputs::new(pipes), Outputs::new(pipes)], difference: None }
    }
}

/// The first part that differs, with both values.
fn difference([one, other]: &[Outputs; 2]) -> Option<String> {
    fn part<P: PartialEq + Debug>(name: &str, one: &P, other: &P) -> Option<String> {
        (one != other).then(|| {
            let (one, other) = (format!("{one:?}"), format!("{other:?}"));
            // Long lists of lanes: from shortly before the place where they part.
            let parts = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
            let from = parts.saturating_sub(60);
            let cut = |text: &str| text.chars().skip(from).take(120).collect::<String>();
            format!("{name}: {:?} in process, {:?} in Verilog", cut(&one), cut(&other))
        })
    }
    part("fetch", &one.fetch, &other.fetch)
        .or_else(|| part("data", &one.data, &other.data))
        .or_else(|| part("retire", &one.retire, &other.retire))
        .or_else(|| part("late", &one.late, &other.late))
        .or_else(|| part("stat", &one.stat, &other.stat))
        .or_else(|| part("fatal", &one.fatal, &other.fatal))
}

impl Core for Twin {
    fn shape(&self) -> Shape {
        self.one.shape()
    }

    fn reset(&mut self) {
        self.one.reset();
        self.other.reset();
    }

    fn settle(&mut self, inputs: &Inputs) {
        self.one.settle(inputs);
        self.other.settle(inputs);
        let [one, other] = &mut self.out;
        self.one.outputs(one);
        self.other.outputs(other);
        if self.difference.is_none() {
            self.difference = difference(&self.out);
        }
    }

    fn outputs(&self, out: &mut Outputs) {
        out.clone_from(&self.out[0]);
    }

    fn edge(&mut self) {
        self.one.edge();
        self.other.edge();
    }

    fn sweeps(&self) -> u64 {
        self.one.sweeps()
    }

    fn circuit(&self) -> Option<&dyn Watch> {
        self.one.circuit()
    }

    fn trouble(&self) -> Option<&str> {
        self.difference.as_deref()
    }
}
