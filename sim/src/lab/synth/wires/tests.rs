//! Tests of routing, on the device as nextpnr knows it.

use super::device::{Device, Down};
use super::nets::{Net, Sink, is_free};
use super::{FEW, GOAL, HOPE, HOPED, Hope, LONGER, MORE, PRESENT, Wires, device, sides, what};
use hdl::tools::Tools;
use serde_json::json;
use std::collections::HashSet;
use std::sync::LazyLock;
use std::sync::atomic::Ordering::Relaxed;

static DEVICE: LazyLock<Device> = LazyLock::new(|| device(&database()).unwrap());

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
fn nets_at(x: usize, y: usize) -> Vec<Net> {
    let inputs =
        |lane: usize| ["A", "B", "C", "D"].map(|port| sink(pin(x + 6, y, &table(lane), port)));
    let net = |lane: usize| {
        let lanes = if lane == 4 { 0..=4 } else { lane..=lane };
        let source = pin(x, y, &table(lane), "F");
        Net::new(&DEVICE, format!("n{lane} {x} {y}"), source, lanes.flat_map(inputs).collect())
    };
    (4..8).map(net).collect()
}

fn nets() -> Vec<Net> {
    nets_at(54, 50)
}

fn routing(nets: Vec<Net>, free: &[u32]) -> Wires<'static> {
    let mut wires = Wires::new(&DEVICE, false);
    wires.take(nets, free);
    wires
}

/// Rounds until no wire has several nets; how many, and how many wires had some in the first.
fn negotiate(wires: &mut Wires) -> (usize, usize) {
    let (mut present, mut first) = (PRESENT, None);
    for round in 1..100 {
        wires.round(present, false).unwrap();
        let over = wires.roads.over();
        first.get_or_insert(over);
        if over == 0 {
            return (round, first.unwrap());
        }
        present *= MORE;
    }
    panic!("{} wires have several nets", wires.roads.over());
}

/// The wires of each net, and by which switch they are reached.
fn ways(wires: &Wires) -> Vec<Vec<(u32, u32)>> {
    let way = |net: &Net| {
        let mut way: Vec<_> = net.tree.iter().map(|(wire, step)| (*wire, step.switch)).collect();
        way.sort_unstable();
        way
    };
    wires.nets.iter().map(way).collect()
}

#[test]
fn nets_negotiate_until_each_wire_has_one() {
    let mut wires = routing(nets(), &[]);
    let (rounds, over) = negotiate(&mut wires);
    assert!(rounds > 1 && over > 0, "nobody had to give way");
    let mut all = HashSet::new();
    for net in &wires.nets {
        assert!(all.insert(net.source));
        assert!(net.tree.keys().all(|wire| all.insert(*wire)), "{} has what another has", net.name);
        for sink in &net.sinks {
            for (wire, step) in net.way(sink.wire, |wire| wire == net.source) {
                let mut down = DEVICE.leads(step.from);
                assert!(down.any(|down| (down.switch, down.to) == (step.switch, wire)));
            }
        }
    }
    let taken: usize = (0..DEVICE.wires() as u32)
        .map(|wire| usize::from(wires.roads.all[wire as usize].taken.load(Relaxed)))
        .sum();
    assert_eq!(taken, all.len());
}

#[test]
fn delay_or_price_is_minded() {
    let (source, end) = (pin(54, 50, &table(0), "F"), pin(60, 50, &table(0), "M"));
    let way = |critical: f32, busy: &[u32]| {
        let net = Net::new(&DEVICE, "n".into(), source, vec![Sink { critical, ..sink(end) }]);
        let mut wires = routing(vec![net], &[]);
        busy.iter().for_each(|wire| *wires.roads.all[*wire as usize].taken.get_mut() += 1);
        wires.round(10.0, false).unwrap();
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
fn what_nets_share_is_as_dear_where_no_delay_is_counted() {
    let (source, end) = (pin(54, 50, &table(0), "F"), pin(66, 50, &table(0), "M"));
    // Long wires along rows are among them.
    let free: HashSet<_> = (0..DEVICE.wires() as u32)
        .flat_map(|wire| DEVICE.leads(wire))
        .filter(|down| down.delay == 0.0 && !down.ends)
        .map(|down| down.to)
        .filter(|wire| ["/H", "/V"].iter().any(|kind| DEVICE.name(*wire).contains(kind)))
        .collect();
    let way = |nets: u16| {
        let net = Net::new(&DEVICE, "n".into(), source, vec![sink(end)]);
        let mut wires = routing(vec![net], &[]);
        for wire in &free {
            *wires.roads.all[*wire as usize].taken.get_mut() += nets;
        }
        wires.round(10.0, false).unwrap();
        wires.nets[0].tree.keys().filter(|wire| free.contains(wire)).count()
    };
    assert!(way(0) > 0, "there are better ways");
    assert_eq!(way(1), 0);
}

#[test]
fn who_is_late_looks_again_and_others_stay() {
    let mut wires = routing(nets(), &[]);
    negotiate(&mut wires);
    let before = ways(&wires);
    wires.round(1.0, false).unwrap();
    assert_eq!(ways(&wires), before);
    wires.nets[0].sinks[0].late = true;
    assert_eq!(wires.roads.clear(&mut wires.nets[0]), [0]);
    assert_ne!(ways(&wires)[0], before[0]);
    assert_eq!(ways(&wires)[1..], before[1..]);
}

#[test]
fn what_moved_is_routed_again_and_the_rest_stays() {
    let mut wires = routing(nets(), &[]);
    negotiate(&mut wires);
    let before = ways(&wires);
    let mut moved = nets();
    // An end of one is elsewhere now, and another begins elsewhere.
    moved[2].sinks[0] = sink(pin(60, 53, &table(0), "M"));
    moved[3].source = pin(55, 50, &table(0), "F");
    let moved =
        moved.into_iter().map(|net| Net::new(&DEVICE, net.name, net.source, net.sinks)).collect();
    wires.take(moved, &[]);
    let kept = ways(&wires);
    assert_eq!(kept[..2], before[..2]);
    assert!(kept[2].iter().all(|step| before[2].contains(step)) && kept[2].len() < before[2].len());
    assert_eq!(kept[3], []);
    for sink in &wires.nets[2].sinks[1..] {
        assert!(wires.nets[2].tree.contains_key(&sink.wire));
    }
    negotiate(&mut wires);
    let all = wires.nets.iter().flat_map(|net| net.tree.keys().chain([&net.source]));
    assert_eq!(all.clone().collect::<HashSet<_>>().len(), all.count());
    for net in &wires.nets {
        assert!(net.sinks.iter().all(|sink| net.tree.contains_key(&sink.wire)));
    }
}

#[test]
fn ways_do_not_depend_on_how_many_threads_there_are() {
    // On either side of the middle, in all four quarters, and across.
    let (width, height) = DEVICE.size();
    let (x, y) = (width as usize / 2, height as usize / 2);
    let places = [(20, 20), (90, 20), (20, 71), (90, 71), (x - 3, 20), (20, y), (x - 3, y)];
    let all = || places.iter().flat_map(|(x, y)| nets_at(*x, *y)).collect::<Vec<_>>();
    let mut nets = all();
    let (columns, across) =
        sides(nets.iter_mut().collect(), width / 2, |net| (net.low.0, net.high.0));
    assert_eq!((columns[0].len(), columns[1].len(), across.len()), (12, 8, 8));
    assert!(columns[0].iter().all(|net| net.high.0 < width / 2));
    assert!(columns[1].iter().all(|net| net.low.0 >= width / 2));
    let routed = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut wires = routing(all(), &[]);
            let rounds = negotiate(&mut wires);
            (rounds, ways(&wires))
        })
    };
    assert_eq!(routed(1), routed(2));
}

#[test]
fn what_leads_to_cells_of_its_tile_leads_nowhere_else() {
    fn check(wire: u32) {
        for down in DEVICE.leads(wire) {
            assert_eq!(DEVICE.at(down.to), DEVICE.at(wire), "{}", DEVICE.name(wire));
            assert!(down.ends);
            check(down.to);
        }
    }
    let (mut ends, mut leads) = (0, 0);
    for name in ["H02E0001", "V02N0101", "H06E0003", "A0", "F3"] {
        let wire = DEVICE.wire(54, 50, name).unwrap();
        for down in DEVICE.leads(wire) {
            if down.ends {
                check(down.to);
                ends += 1;
            } else {
                assert!(DEVICE.leads(down.to).next().is_some());
                leads += 1;
            }
        }
    }
    assert!(ends > 10 && leads > 10, "{ends} {leads}");
}

#[test]
fn what_ends_elsewhere_is_left_out() {
    let place = (54, 50);
    let (mut all, mut some) = (0, 0);
    for wire in (0..DEVICE.wires() as u32).filter(|wire| (45..65).contains(&DEVICE.at(*wire).0)) {
        let counts = |down: &Down| !down.ends || DEVICE.at(down.to) == place;
        let mut leads: Vec<_> =
            DEVICE.leads(wire).map(|down| (down.switch, counts(&down))).collect();
        let mut down: Vec<_> =
            DEVICE.down_to(wire, place).iter().map(|down| (down.switch, counts(down))).collect();
        (all, some) = (all + leads.len(), some + down.len());
        leads.retain(|(_, counts)| *counts);
        down.retain(|(_, counts)| *counts);
        leads.sort_unstable();
        down.sort_unstable();
        assert_eq!(down, leads, "{}", DEVICE.name(wire));
    }
    // Tiles around that place have a few of the others.
    assert!(some > 0 && some < all * 2 / 3, "{some} of {all}");
}

#[test]
fn negotiation_ends_where_there_is_more_wire_than_room() {
    // It goes up and down behind its 200th round, and never so far down again.
    let gone = |many: usize| {
        let mut hope = Hope::new();
        assert!((1..=200).all(|round| !hope.is_gone(many + 200 - round, round)));
        let gone = (201..).find(|round| hope.is_gone(many + round % 7, *round));
        assert_eq!((hope.over, hope.round), (many, 200));
        gone.unwrap() - 200
    };
    assert_eq!((gone(5000), gone(FEW), gone(1)), (HOPE, LONGER * HOPE, LONGER * HOPE));
    // Where that is: many tiles around the first place, one wire more in the other.
    let mut wires = routing(Vec::new(), &[]);
    let mut share = |x, y, name| {
        let wire = DEVICE.wire(x, y, name).unwrap();
        *wires.roads.all[wire as usize].taken.get_mut() = 2;
    };
    (61..64).for_each(|x| share(x, 45, "A0"));
    share(20, 20, "A0");
    share(20, 20, "B0");
    assert_eq!((wires.roads.over(), wires.roads.crowded()), (5, (65, 45)));
}

#[test]
fn who_is_patient_makes_sharing_dearer_but_less_so_for_good() {
    // At most in a round, and for good for one net too many in one.
    let prices = |patient| {
        let mut wires = Wires::new(&DEVICE, patient);
        wires.take(nets(), &[]);
        wires.round(PRESENT, false).unwrap();
        assert!(wires.roads.over() > 0, "nobody had to give way");
        let dear = wires.roads.all.iter().map(|road| road.dear).fold(0.0, f32::max);
        (wires.prices().0, dear)
    };
    let ((most, dear), patience) = (prices(false), LONGER as f32);
    assert!(most > PRESENT && dear > 0.0);
    assert_eq!(prices(true), (most * patience, dear / patience));
    // Nor are paths to be any shorter than they can be.
    let goals = |patient| [9_000.0, 40_000.0].map(|ps| Wires::new(&DEVICE, patient).goal_for(ps));
    assert_eq!(goals(false), [HOPED * 9_000.0, GOAL]);
    assert_eq!(goals(true), [HOPED * 9_000.0, HOPED * 40_000.0]);
    // Patient nets find ways, too; they are others for a hash.
    let mut wires = Wires::new(&DEVICE, true);
    wires.take(nets(), &[]);
    assert!(negotiate(&mut wires).0 > 1);
    assert_ne!(what(true), what(false));
}

#[test]
fn who_finds_no_room_goes_farther() {
    let mut wires = routing(nets(), &[]);
    let extents = |wires: &Wires| -> Vec<_> {
        wires.nets.iter().map(|net| (net.low.0, net.low.1, net.high.0, net.high.1)).collect()
    };
    let before = extents(&wires);
    negotiate(&mut wires);
    assert_eq!(extents(&wires), before);
    wires.nets[1].tree.clear();
    wires.round(1.0, true).unwrap();
    let after = extents(&wires);
    let wider = |(x0, y0, x1, y1): (i32, i32, i32, i32)| (x0 - 1, y0 - 1, x1 + 1, y1 + 1);
    assert_eq!(after[1], wider(before[1]));
    // Others have their ways, or had to look for some as well.
    for (before, after) in before.iter().zip(&after) {
        assert!([*before, wider(*before)].contains(after));
    }
    assert!(after.iter().zip(&before).any(|(after, before)| after == before));
}

#[test]
fn nets_are_written_as_nextpnr_does() {
    let net = Net::new(
        &DEVICE,
        "n".into(),
        pin(54, 50, "SLICEA.K0", "F"),
        vec![sink(pin(54, 50, "SLICEA.FF0", "DI"))],
    );
    let mut wires = routing(vec![net], &[]);
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
        let mut wires = routing(vec![net], free);
        // Everything that leads to this input by its own wire is as dear as can be.
        for wire in 0..DEVICE.wires() as u32 {
            if DEVICE.name(wire) == "X54/Y50/A0" {
                wires.roads.all[wire as usize].dear = 1.0e6;
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
        let why = device(bytes).unwrap_err();
        assert_eq!(why, "not a database of nextpnr for ECP5");
    }
    assert!(Device::read(&whole, 99).is_err());
}
