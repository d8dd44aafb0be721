//! Tests of routing, on the device as nextpnr knows it.

use super::device::Device;
use super::nets::{Net, Sink, is_free};
use super::{GRADE, MORE, PRESENT, Wires};
use hdl::tools::Tools;
use serde_json::json;
use std::collections::HashSet;
use std::sync::LazyLock;

static DEVICE: LazyLock<Device> = LazyLock::new(|| Device::read(&database(), GRADE).unwrap());

fn database() -> Vec<u8> {
    std::fs::read(Tools::of_project().ecp5_database().unwrap()).unwrap()
}

fn pin(x: usize, y: usize, site: &str, port: &str) -> u32 {
    DEVICE.pin(&format!("X{x}/Y{y}/{site}"), port).unwrap()
}

/// The table of a logic cell.
fn table(lane: usize) -> String {
    format!("SLICE{}.K{}", char::from(b'A' + lane as u8 / 2), lane % 2)
}

fn sink(wire: u32) -> Sink {
    Sink { wire, number: None, critical: 0.0, late: false }
}

/// From tables of one tile to all inputs of those of another, and from the first to the four below, too.
fn nets() -> Vec<Net> {
    let inputs =
        |lane: usize| ["A", "B", "C", "D"].map(|port| sink(pin(60, 50, &table(lane), port)));
    let net = |lane: usize| {
        let lanes = if lane == 4 { 0..=4 } else { lane..=lane };
        let source = pin(54, 50, &table(lane), "F");
        Net::new(&DEVICE, format!("n{lane}"), source, lanes.flat_map(inputs).collect())
    };
    (4..8).map(net).collect()
}

/// Rounds until no wire has several nets; how many, and how many wires had some in the first.
fn negotiate(wires: &mut Wires) -> (usize, usize) {
    let (mut present, mut first) = (PRESENT, None);
    for round in 1..100 {
        wires.round(present).unwrap();
        let over = wires.over();
        first.get_or_insert(over);
        if over == 0 {
            return (round, first.unwrap());
        }
        present *= MORE;
    }
    panic!("{} wires have several nets", wires.over());
}

#[test]
fn nets_negotiate_until_each_wire_has_one() {
    let mut wires = Wires::new(&DEVICE, nets(), &[]);
    let (rounds, over) = negotiate(&mut wires);
    assert!(rounds > 1 && over > 0, "nobody had to give way");
    let mut all = HashSet::new();
    for net in &wires.nets {
        assert!(all.insert(net.source));
        assert!(net.tree.keys().all(|wire| all.insert(*wire)), "{} has what another has", net.name);
        for sink in &net.sinks {
            for (wire, step) in net.way(sink.wire, |wire| wire == net.source) {
                let mut down = DEVICE.down(step.from);
                assert!(down.any(|down| (down.switch, down.to) == (step.switch, wire)));
            }
        }
    }
    let taken: usize = wires.taken.iter().map(|nets| usize::from(*nets)).sum();
    assert_eq!(taken, all.len());
}

#[test]
fn delay_or_price_is_minded() {
    let (source, end) = (pin(54, 50, &table(0), "F"), pin(60, 50, &table(0), "M"));
    let way = |critical: f32, busy: &[u32]| {
        let net = Net::new(&DEVICE, "n".into(), source, vec![Sink { critical, ..sink(end) }]);
        let mut wires = Wires::new(&DEVICE, vec![net], &[]);
        busy.iter().for_each(|wire| wires.taken[*wire as usize] += 1);
        wires.round(10.0).unwrap();
        let tree = &wires.nets[0].tree;
        (tree.keys().copied().collect::<Vec<_>>(), tree[&end].delay)
    };
    let (all, least) = way(1.0, &[]);
    // There are others but at both ends.
    let busy: Vec<_> =
        all.iter().copied().filter(|wire| (55..59).contains(&DEVICE.at(*wire).0)).collect();
    assert!(!busy.is_empty());
    assert_eq!(way(1.0, &busy), (all, least));
    let (other, delay) = way(0.0, &busy);
    assert!(delay >= least && !other.iter().any(|wire| busy.contains(wire)), "{least} {delay}");
}

#[test]
fn who_is_late_looks_again_and_others_stay() {
    let mut wires = Wires::new(&DEVICE, nets(), &[]);
    negotiate(&mut wires);
    let ways = |wires: &Wires| -> Vec<Vec<(u32, u32)>> {
        let way = |net: &Net| {
            let mut way: Vec<_> =
                net.tree.iter().map(|(wire, step)| (*wire, step.switch)).collect();
            way.sort_unstable();
            way
        };
        wires.nets.iter().map(way).collect()
    };
    let before = ways(&wires);
    wires.round(1.0).unwrap();
    assert_eq!(ways(&wires), before);
    wires.nets[0].sinks[0].late = true;
    let open = {
        let mut net = wires.nets.remove(0);
        let open = wires.clear(&mut net);
        wires.nets.insert(0, net);
        open
    };
    assert_eq!(open, [0]);
    assert_ne!(ways(&wires)[0], before[0]);
    assert_eq!(ways(&wires)[1..], before[1..]);
}

#[test]
fn nets_are_written_as_nextpnr_does() {
    let net = Net::new(
        &DEVICE,
        "n".into(),
        pin(54, 50, "SLICEA.K0", "F"),
        vec![sink(pin(54, 50, "SLICEA.FF0", "DI"))],
    );
    let mut wires = Wires::new(&DEVICE, vec![net], &[]);
    assert_eq!(negotiate(&mut wires), (1, 0));
    let text = wires.nets[0].text(&DEVICE);
    let mut steps: Vec<_> =
        text.split(';').collect::<Vec<_>>().chunks(3).map(<[_]>::concat).collect();
    steps.sort_unstable();
    assert_eq!(
        steps,
        [
            "X54/Y50/DI0X54/Y50/0_0_F0->0_0_DI01",
            "X54/Y50/DI0_SLICEX54/Y50/0_0_DI0->0_0_DI0_SLICE1",
            "X54/Y50/F0X54/Y50/0_0_F0_SLICE->0_0_F01",
            "X54/Y50/F0_SLICE1",
        ]
    );
}

#[test]
fn inputs_change_places_only_where_they_may() {
    let (a, b) = (pin(54, 50, "SLICEA.K0", "A"), pin(54, 50, "SLICEA.K0", "B"));
    let reached = |free: &[u32]| {
        let net = Net::new(&DEVICE, "n".into(), pin(50, 50, "SLICEA.K0", "F"), vec![sink(a)]);
        let mut wires = Wires::new(&DEVICE, vec![net], free);
        // Everything that leads to this input by its own wire is as dear as can be.
        for wire in 0..DEVICE.wires() as u32 {
            if DEVICE.name(wire) == "X54/Y50/A0" {
                wires.dear[wire as usize] = 1.0e6;
            }
        }
        negotiate(&mut wires);
        DEVICE.name(wires.nets[0].tree[&a].from)
    };
    let cell = |kind: &str, parameters| is_free(&json!({"type": kind, "parameters": parameters}));
    assert!(cell("TRELLIS_COMB", json!({})) && cell("TRELLIS_COMB", json!({"MODE": "LOGIC"})));
    for mode in ["CCU2", "DPRAM", "RAMW_BLOCK"] {
        assert!(!cell("TRELLIS_COMB", json!({"MODE": mode})));
    }
    assert!(!cell("TRELLIS_FF", json!({})));
    assert_eq!(reached(&[]), "X54/Y50/A0");
    assert_ne!(reached(&[a, b]), "X54/Y50/A0");
}

#[test]
fn what_is_no_database_is_said_to_be_none() {
    let whole = database();
    for bytes in [&[][..], &whole[..4], &whole[..whole.len() / 2], &[0xff; 64]] {
        let why = Device::read(bytes, GRADE).unwrap_err();
        assert_eq!(why, "not a database of nextpnr for ECP5");
    }
    assert!(Device::read(&whole, 99).is_err());
}
