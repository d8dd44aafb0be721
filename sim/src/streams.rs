//! Commit streams: what each thread committed, in its own order, to compare
//! runs in which threads were interleaved otherwise.

use crate::golden::Effects;
use crate::record::lanes;
use hdl::config::CoreConfig;

/// When a program ends, other threads may be this many instructions further or
/// less far in the loop that parks them.
const TAIL: usize = 16;

/// Per hart, a hash of all it committed after each of its commits.
pub struct Streams(Vec<Vec<u64>>);

impl Streams {
    /// Nothing committed yet.
    pub fn new(config: &CoreConfig) -> Streams {
        Streams(vec![Vec::new(); config.total_harts() as usize])
    }

    /// Adds what a pass committed; `first` is the hart of lane 0. What an
    /// atomic stores whose result nobody reads depends on the order and does
    /// not belong to the stream.
    pub fn add(&mut self, first: u32, effects: &Effects) {
        for lane in lanes(effects.done | effects.trapped) {
            let e = &effects.lanes[lane];
            let stream = &mut self.0[first as usize + lane];
            let mut hash = stream.last().copied().unwrap_or(0);
            let mut mix = |value: u64| {
                hash = (hash.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
            };
            let pair = |a: u32, b: u32| u64::from(a) << 32 | u64::from(b);
            mix(pair(effects.pc, effects.insn.raw));
            if let Some((rd, value)) = e.rd {
                mix(pair(rd.into(), value));
            }
            if let Some((number, value)) = e.csr {
                mix(pair(number.into(), value));
            }
            if let Some((addr, size)) = e.load {
                mix(pair(addr, size));
            }
            if let Some((addr, size, value)) = e.store {
                let blind = e.load.is_some() && effects.insn.rd == 0;
                mix(pair(addr, size));
                mix(if blind { 0 } else { value.into() });
            }
            if let Some((cause, value)) = e.trap {
                mix(pair(!cause, value));
            }
            stream.push(hash);
        }
    }

    /// The first hart whose stream is another one: hart, and how it differs.
    pub fn differs(&self, other: &Streams) -> Option<String> {
        self.0.iter().zip(&other.0).enumerate().find_map(|(hart, (a, b))| {
            let common = a.len().min(b.len());
            let apart = a.len().abs_diff(b.len());
            if a[..common].last() != b[..common].last() {
                let at = a.iter().zip(b).position(|(x, y)| x != y).unwrap_or(0);
                Some(format!("hart {hart} commits something else from its commit {at} on"))
            } else if apart > TAIL {
                Some(format!("hart {hart} commits {} instructions, not {}", a.len(), b.len()))
            } else {
                None
            }
        })
    }
}
