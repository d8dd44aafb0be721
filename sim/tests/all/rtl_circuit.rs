//! The adapter between a circuit with the ports of a core and the harness:
//! every signal arrives in its field, and in the value change dump.

use cores::core_block;
use hdl::block;
use hdl::config::RawConfig;
use hdl::core::port::{DataPort, FetchPort, LatePort, RetireLanes, RetirePort, StatPort};
use hdl::rtl::prelude::*;
use hdl::rtl::{Clocked, U};
use sim::rtl::vcd::Dump;
use sim::rtl::{self, Core, Inputs, Outputs, RtlCore, Shape};

block! {
    /// Answers with a function of its inputs and the cycle.
    pub struct Echo [const T: usize] [T] fn new(pipes: usize) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
        }
        output { pub fatal: Signal<Out, Bit>, }
        port {
            pub fetch: Vec<FetchPort> = fresh_vec(pipes),
            pub data: DataPort<T>,
            pub retire: Vec<RetirePort<T>> = fresh_vec(pipes),
            pub lanes: RetireLanes<T>,
            pub late: LatePort<T>,
            pub stat: Vec<StatPort> = fresh_vec(pipes),
        }
        plain { _n: u64 = 77, }
    }
}

core_block!([const T: usize] Echo<T>, T);

fn word<const N: usize>(value: u64) -> U<N> {
    U::new(value)
}

impl<const T: usize> Logic for Echo<T> {
    fn update(&mut self) {
        if self.clock.edge() {
            self._n = if self.reset.val() { 0 } else { self._n + 1 };
        }
        let n = self._n;
        for (pipe, port) in (0..).zip(&mut self.fetch) {
            port.request.next = port.ready.val();
            port.pc.next = word(n + pipe);
            port.tag.next = word(n + 2 * pipe);
            let stat = &mut self.stat[pipe as usize];
            stat.idle.next = word(n + pipe);
            stat.dropped.next = pipe == 0;
            stat.stalled.next = pipe == 1;
            let (mask, r) = (T as u64 - 1, &mut self.retire[pipe as usize]);
            r.valid.next = port.reply.val();
            r.insn.next = port.reply_data.val();
            r.depth.next = port.reply_tag.val();
            r.warp.next = word(n + 1);
            r.slot.next = word(n + 2);
            r.pc.next = word(n + 3);
            r.mask.next = word(mask);
            r.done.next = word(n);
            r.trapped.next = word(1);
            r.cause.next = word(n + 4);
            r.rd.next = word(9);
            r.open.next = true;
            r.access.next = true;
            r.write.next = pipe == 1;
            r.go_mask.next = word(n + 5);
            r.go_pc.next = word(n + 6);
            r.go_depth.next = word(n + 7);
            r.other_mask.next = word(n + 8);
            r.other_pc.next = word(n + 9);
            r.other_depth.next = word(n + 10);
            r.halt_mask.next = word(n + 11);
            r.wake.next = pipe == 0;
            for lane in 0..T as u64 {
                let i = lane as usize;
                self.lanes.tval[i].next = word(100 + lane);
                self.lanes.value[i].next = word(200 + lane);
                self.lanes.addr[i].next = word(300 + lane);
                self.lanes.operand[i].next = word(400 + lane);
            }
        }
        self.fatal.next = self.data.reply_error.val();
        let d = &mut self.data;
        d.request.next = d.ready.val();
        d.tag.next = word(n);
        d.op.next = word(n + 1);
        d.warp.next = word(n + 2);
        d.block.next = word(n + 3);
        d.lanes.next = word(n + 4);
        d.reply_ready.next = d.reply.val();
        let late = &mut self.late;
        late.valid.next = d.reply.val();
        late.warp.next = word(n);
        late.rd.next = d.reply_tag.val().to_bits();
        late.mask.next = word(1);
        for i in 0..T {
            d.enable[i].next = word(i as u64 + n);
            d.data[i].next = word(i as u64 + 500);
            d.word[i].next = word(i as u64);
            late.value[i].next = d.reply_data[i].val();
        }
    }
}

fn check<const T: usize>() {
    let mut core = RtlCore::new(Echo::<T>::new(2), 8, 3);
    assert_eq!(core.shape(), Shape { threads: T, warps: 8, slots: 3, pipes: 2 });
    core.reset();
    let (mut inputs, mut out) = (Inputs::new(2), Outputs::new(2));
    // Nothing but what is valid is copied.
    core.settle(&inputs);
    core.outputs(&mut out);
    assert!(out.retire.iter().all(|r| !r.valid && r.tval[0] == 0));
    assert!(!out.late.valid && !out.data.request && out.fetch.iter().all(|f| !f.request));
    core.edge();
    core.edge();
    let low = |value: u64| value & u64::MAX >> (64 - T);
    for (pipe, fetch) in inputs.fetch.iter_mut().enumerate() {
        (fetch.ready, fetch.reply) = (true, true);
        (fetch.tag, fetch.data) = (40 + pipe as u8, 0xdead_0000 + pipe as u32);
    }
    let data = &mut inputs.data;
    (data.ready, data.reply, data.tag) = (true, true, 13);
    data.words = std::array::from_fn(|i| 7000 + i as u32);
    core.settle(&inputs);
    core.outputs(&mut out);
    for (pipe, r) in out.retire.iter().enumerate() {
        let n = 2;
        assert_eq!(out.fetch[pipe].pc, n + pipe as u32);
        assert_eq!((out.fetch[pipe].request, out.fetch[pipe].tag), (true, 2 + 2 * pipe as u8));
        let stat = out.stat[pipe];
        assert_eq!(
            (stat.idle, stat.dropped, stat.stalled),
            (2 + pipe as u64, pipe == 0, pipe == 1)
        );
        assert!(r.valid && r.open && r.access && r.write == (pipe == 1) && r.wake == (pipe == 0));
        assert_eq!((r.insn, r.path.depth), (0xdead_0000 + pipe as u32, 40 + pipe as u32));
        assert_eq!((r.warp, r.slot, r.path.pc, r.cause, r.rd), (3, 4, 5, 6, 9));
        assert_eq!((r.path.mask, r.done, r.trapped), (low(T as u64 - 1), low(2), 1));
        assert_eq!((r.go.mask, r.go.pc, r.go.depth), (low(7), 8, 9));
        assert_eq!((r.other.mask, r.other.pc, r.other.depth), (low(10), 11, 12));
        assert_eq!(r.halt, low(13));
        for lane in 0..T {
            let i = lane as u32;
            let got = [r.tval[lane], r.value[lane], r.addr[lane], r.operand[lane]];
            assert_eq!(got, [100 + i, 200 + i, 300 + i, 400 + i]);
        }
    }
    let d = &out.data;
    assert!(d.request && d.reply_ready);
    assert_eq!((d.tag, d.op, d.warp, d.block, d.lanes), (2, 3, 4, 5, low(6)));
    let late = &out.late;
    assert_eq!((late.valid, late.warp, late.rd, late.mask), (true, 2, 13, 1));
    for lane in 0..T {
        assert_eq!((d.enable[lane], d.word[lane]), ((lane + 2) as u8 & 15, lane as u8));
        assert_eq!((d.data[lane], late.value[lane]), (500 + lane as u32, 7000 + lane as u32));
    }
}

#[test]
fn every_signal_has_its_field() {
    check::<1>();
    check::<2>();
    check::<32>();
    check::<64>();
}

#[test]
fn a_dump_shows_ports_and_appears_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("core.vcd");
    let mut core = RtlCore::new(Echo::<4>::new(1), 2, 1);
    core.reset();
    let mut dump = Dump::open(&path).unwrap();
    let mut inputs = Inputs::new(1);
    for cycle in 0..6 {
        inputs.fetch[0].ready = cycle >= 3;
        core.settle(&inputs);
        dump.sample(cycle, core.circuit().unwrap());
        core.edge();
    }
    assert!(!path.exists(), "not before the end");
    dump.finish().unwrap().finish().unwrap();
    let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
    let mut parser = vcd::Parser::new(file);
    let header = parser.parse_header().unwrap();
    let find = |path: &[&str]| header.find_var(path).unwrap_or_else(|| panic!("{path:?}")).code;
    let pc = find(&["core", "fetch$0", "pc"]);
    let request = find(&["core", "fetch$0", "request"]);
    let (mut now, mut pcs, mut requests) = (0, Vec::new(), Vec::new());
    for command in parser {
        match command.unwrap() {
            vcd::Command::Timestamp(t) => now = t / 10,
            vcd::Command::ChangeVector(id, bits) if id == pc => {
                let text: String = bits.iter().map(|b| b.to_string()).collect();
                pcs.push((now, u64::from_str_radix(&text, 2).unwrap()));
            }
            vcd::Command::ChangeScalar(id, bit) if id == request => {
                requests.push((now, bit == vcd::Value::V1));
            }
            _ => {}
        }
    }
    assert_eq!(pcs, (0..6).map(|n| (n, n)).collect::<Vec<_>>());
    assert_eq!(requests, [(0, false), (3, true)]);
}

/// An error of the bus, fetch or data, stays until reset, and nothing issues.
#[test]
fn a_bus_error_is_fatal() {
    for unit in ["hct", "arbiter"] {
        let raw = RawConfig {
            threads_per_warp: Some("4".into()),
            divergence: Some(unit.into()),
            ..RawConfig::default()
        };
        let mut core = rtl::build(&raw.validate().unwrap()).unwrap();
        for data in [false, true] {
            core.reset();
            let (mut inputs, mut out) = (Inputs::new(1), Outputs::new(1));
            inputs.data.ready = true;
            inputs.fetch[0].ready = true;
            let (mut reply, mut retired) = (None, [0; 2]);
            for cycle in 0..400 {
                // Every instruction is `addi x0, x0, 0`, one cycle later.
                inputs.fetch[0].reply = reply.is_some();
                inputs.fetch[0].tag = reply.unwrap_or_default();
                inputs.fetch[0].data = 0x13;
                let fails = cycle == 200;
                inputs.data.reply = data && fails;
                inputs.data.error = data && fails;
                inputs.fetch[0].error = !data && fails;
                if !data && fails {
                    assert!(inputs.fetch[0].reply, "there is a reply to fail");
                }
                core.settle(&inputs);
                core.outputs(&mut out);
                assert_eq!(out.fatal, cycle > 200, "{unit}, cycle {cycle}");
                retired[usize::from(cycle > 210)] += u32::from(out.retire[0].valid);
                reply = out.fetch[0].request.then_some(out.fetch[0].tag);
                core.edge();
            }
            assert!(retired[0] > 100 && retired[1] == 0, "{unit}: {retired:?}");
        }
    }
}
