//! The reduction tree of [`Arbiter`](super::Arbiter): the greatest of T keys
//! and the mask of the leaves that hold it.
//!
//! Nodes `0..T` are the leaves, node `T + i` is the parent of `2i` and `2i + 1`,
//! the root is `2T - 2`. A key is `{valid, depth, !pc}`, so that the greatest is
//! the deepest and then lowest. Masks travel with the keys: equality is decided
//! beside the order, and no compare of T keys with the root has to follow.
//!
//! `stages` register levels cut the tree into `stages + 1` parts of about equal
//! height; `tag` takes as long as the keys.

use crate::rtl::Clocked;
use crate::rtl::prelude::*;
use std::fmt::Write;

/// Bits of a key: valid, depth, inverted PC.
pub const KEY: usize = 39;
/// Bits of the difference of two: its sign is their order, and zero is equal.
const DIFFERENCE: usize = KEY + 1;
/// Bits of a tag.
pub const TAG: usize = 11;

block! {
    /// Delay lines of different lengths for keys and masks. A line of length 0
    /// is no line: it gives 0.
    pub struct Levels [const T: usize] [T] fn new(lengths: Vec<usize>) {
        input { pub clock: Signal<In, Clk>, }
        sampled {
            pub key_in: Vec<Signal<In, U<KEY>>> = fresh_vec(lengths.len()),
            pub mask_in: Vec<Signal<In, U<T>>> = fresh_vec(lengths.len()),
        }
        output {
            pub key_out: Vec<Signal<Out, U<KEY>>> = fresh_vec(lengths.len()),
            pub mask_out: Vec<Signal<Out, U<T>>> = fresh_vec(lengths.len()),
        }
        plain { pub _line: Vec<Vec<(U<KEY>, U<T>)>> = lengths.iter().map(|n| vec![Default::default(); *n]).collect(), }
    }
}

impl<const T: usize> Logic for Levels<T> {
    fn update(&mut self) {
        if !self.clock.edge() {
            return;
        }
        for (i, line) in self._line.iter_mut().enumerate() {
            if let Some(last) = line.len().checked_sub(1) {
                line.rotate_right(1);
                line[0] = (self.key_in[i].at_edge(), self.mask_in[i].at_edge());
                (self.key_out[i].next, self.mask_out[i].next) = line[last];
            }
        }
    }

    fn hdl(&self) -> Verilog {
        let mut text = String::new();
        for (i, line) in self._line.iter().enumerate() {
            for (name, width) in [("key", KEY), ("mask", T)] {
                let (q, d) = (format!("{name}_out${i}"), format!("{name}_in${i}"));
                if line.is_empty() {
                    let _ = writeln!(text, "always @(*) {q} = {d} & {width}'d0;");
                    continue;
                }
                let mut from = d;
                for stage in 1..line.len() {
                    let to = format!("{name}_{i}_{stage}");
                    let _ = writeln!(text, "reg [{}:0] {to};", width - 1);
                    let _ = writeln!(text, "always @(posedge clock) {to} <= {from};");
                    from = to;
                }
                let _ = writeln!(text, "always @(posedge clock) {q} <= {from};");
            }
        }
        Verilog::Custom(text)
    }
}

block! {
    /// A tag on its way through the tree; reset clears it.
    pub struct TagLine [] [] fn new(length: usize) {
        input { pub clock: Signal<In, Clk>, }
        sampled {
            pub reset: Signal<In, Bit>,
            pub d: Signal<In, U<TAG>>,
        }
        output { pub q: Signal<Out, U<TAG>>, }
        plain { pub _line: Vec<U<TAG>> = vec![U::default(); length], }
    }
}

impl Logic for TagLine {
    fn update(&mut self) {
        let Some(last) = self._line.len().checked_sub(1) else { return };
        if !self.clock.edge() {
            return;
        }
        self._line.rotate_right(1);
        self._line[0] = self.d.at_edge();
        if self.reset.at_edge() {
            self._line.fill(U::default());
        }
        self.q.next = self._line[last];
    }

    fn hdl(&self) -> Verilog {
        let length = self._line.len();
        if length == 0 {
            return Verilog::Custom(format!("always @(*) q = d & {TAG}'d0;\n"));
        }
        let mut text = String::new();
        let mut from = String::from("d");
        for stage in 1..=length {
            let to = if stage == length { "q".into() } else { format!("tag_{stage}") };
            if stage < length {
                let _ = writeln!(text, "reg [{}:0] {to};", TAG - 1);
            }
            let _ = writeln!(
                text,
                "always @(posedge clock) if (reset) {to} <= {TAG}'d0; else {to} <= {from};"
            );
            from = to;
        }
        Verilog::Custom(text)
    }
}

/// Register levels on top of each node: cut `k` of `stages` lies above level
/// `k * levels / (stages + 1)`.
fn cuts(lanes: usize, stages: usize) -> Vec<usize> {
    let levels = lanes.ilog2() as usize;
    let mut lengths = Vec::new();
    for level in 0..=levels {
        let here = (1..=stages).filter(|k| k * levels / (stages + 1) == level).count();
        lengths.extend(vec![here; lanes >> level]);
    }
    lengths
}

block! {
    /// See the module.
    pub struct Tree [const T: usize] [T] fn new(stages: usize) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            pub leaf: [Signal<In, U<KEY>>; T],
            pub tag: Signal<In, U<TAG>>,
        }
        output {
            pub root: Signal<Out, U<KEY>>,
            pub mask: Signal<Out, U<T>>,
            pub tag_out: Signal<Out, U<TAG>>,
        }
        local {
            key: Vec<Signal<Local, U<KEY>>> = fresh_vec(2 * T - 1),
            same: Vec<Signal<Local, U<T>>> = fresh_vec(2 * T - 1),
            from: Vec<Signal<Local, U<DIFFERENCE>>> = fresh_vec(T - 1),
            less: Vec<Signal<Local, Bit>> = fresh_vec(T - 1),
            equal: Vec<Signal<Local, Bit>> = fresh_vec(T - 1),
        }
        part {
            levels: Levels<T> = Levels::new(cuts(T, stages)),
            line: TagLine = TagLine::new(stages),
            lane: Vec<Constant<U<T>>> = (0..T).map(|i| Constant::new(U::new(1 << i))).collect(),
            cut: Vec<Constant<Bit>> =
                cuts(T, stages).iter().map(|n| Constant::new(*n != 0)).collect(),
            pipelined: Constant<Bit> = Constant::new(stages != 0),
        }
    }
}

impl<const T: usize> Logic for Tree<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.levels.clock.next = self.clock.val();
        self.line.clock.next = self.clock.val();
        self.line.reset.next = self.reset.val();
        for i in 0..T {
            self.levels.key_in[i].next = self.leaf[i].val();
            self.levels.mask_in[i].next = self.lane[i].val();
            self.key[i].next = self.leaf[i].val();
            self.same[i].next = self.lane[i].val();
            if self.cut[i].val() {
                self.key[i].next = self.levels.key_out[i].val();
            }
        }
        for n in T..(T + 1) {
            for i in 0..(T - 1) {
                self.from[i].next = self.key[2 * i].val().to_bits::<DIFFERENCE>()
                    - self.key[2 * i + 1].val().to_bits::<DIFFERENCE>();
                self.less[i].next = self.from[i].val().get_bit(39);
                self.equal[i].next = !self.from[i].val().get_bits::<KEY>(0).any();
                self.key[n + i].next = self.key[2 * i].val();
                self.same[n + i].next = self.same[2 * i].val();
                if self.less[i].val() {
                    self.key[n + i].next = self.key[2 * i + 1].val();
                    self.same[n + i].next = self.same[2 * i + 1].val();
                }
                if self.equal[i].val() {
                    self.same[n + i].next = self.same[2 * i].val() | self.same[2 * i + 1].val();
                }
                self.levels.key_in[n + i].next = self.key[n + i].val();
                self.levels.mask_in[n + i].next = self.same[n + i].val();
                if self.cut[n + i].val() {
                    self.key[n + i].next = self.levels.key_out[n + i].val();
                    self.same[n + i].next = self.levels.mask_out[n + i].val();
                }
            }
        }
        self.line.d.next = self.tag.val();
        self.tag_out.next = self.tag.val();
        if self.pipelined.val() {
            self.tag_out.next = self.line.q.val();
        }
        for r in (2 * T - 2)..(2 * T - 1) {
            self.root.next = self.key[r].val();
            self.mask.next = self.same[r].val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_are_spread_and_none_is_lost() {
        for t in [1, 2, 4, 8, 16, 32, 64_usize] {
            for stages in 0..=4 {
                let lengths = cuts(t, stages);
                assert_eq!(lengths.len(), 2 * t - 1);
                let (mut node, mut sum) = (0, lengths[0]);
                while node != 2 * t - 2 {
                    node = t + node / 2;
                    sum += lengths[node];
                }
                assert_eq!(sum, stages, "T {t}, {stages} stages");
            }
        }
        assert_eq!(cuts(4, 1), [0, 0, 0, 0, 1, 1, 0]);
    }

    fn greatest<const T: usize>(stages: usize) {
        let mut tree = Tree::<T>::new(stages);
        let mut state = 7_u64;
        let mut expected = Vec::new();
        tree.connect_all();
        tree.update_all();
        for cycle in 0..200 {
            let mut keys = Vec::new();
            for leaf in &mut tree.leaf {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let key = (state >> 20 & 3) << 37 | state & 3;
                leaf.next = U::new(key);
                keys.push(key);
            }
            let best = *keys.iter().max().unwrap();
            let mask = keys.iter().enumerate().fold(0, |m, (i, k)| m | u64::from(*k == best) << i);
            expected.push((best, mask));
            tree.tag.next = U::new(cycle);
            tree.update_all();
            if let Some(old) = (cycle as usize).checked_sub(stages) {
                assert_eq!((tree.root.val().raw(), tree.mask.val().raw()), expected[old]);
                assert_eq!(tree.tag_out.val(), old as u64);
            }
            tree.clock.next = tree.clock.val().tick();
            tree.update_all();
        }
    }

    #[test]
    fn the_root_is_the_greatest_leaf() {
        for stages in 0..=4 {
            greatest::<1>(stages);
            greatest::<2>(stages);
            greatest::<8>(stages);
            greatest::<64>(stages);
        }
    }
}
