//! Random programs through the harness, on a core that is no hardware: right
//! ones pass, and a mistake in one is found and shrunk.

use crate::common::fake::{Fake, Fault};
use sim::torture::{Case, shrink};

fn run(case: &Case, fault: Fault) -> Result<bool, String> {
    let Some(program) = case.program() else { return Ok(false) };
    let mut core = Fake::new(&case.config(), &program, 1).with(fault, 0);
    case.run_on(&mut core).map(|tally| tally.is_some_and(|t| t.cycles > 0))
}

#[test]
fn random_programs_pass() {
    for races in [false, true] {
        let cases = (0..60).map(|seed| Case::on_hardware(seed, races, &["hct", "arbiter"]));
        let ran = cases.filter(|case| match run(case, Fault::None) {
            Ok(ran) => ran,
            Err(why) => panic!("seed {} races {races}: {why}", case.seed),
        });
        assert!(ran.count() > 50);
    }
}

#[test]
fn a_mistake_is_found_and_shrunk() {
    let fails = |case: &Case| run(case, Fault::Cause).is_err();
    let mut cases = (0..200).map(|seed| Case::on_hardware(seed, false, &["hct"]));
    let case = cases.find(|c| fails(c) && c.shape[0] > 1).expect("traps are common");
    let small = shrink(case, 500, fails);
    assert_eq!((small.shape[0], small.shape[1]), (1, 1));
    let hardware = small.hardware.as_ref().unwrap();
    let (timing, options) = (hardware.timing, &hardware.options);
    // Neither has to do with the mistake.
    assert!(options.bypass.is_none() && options.loads.is_none() && options.cct.is_none());
    assert_eq!((timing.latency, timing.jitter), (1, 0));
    assert!(small.tree.phases.iter().map(Vec::len).sum::<usize>() <= 2, "{small:?}");
}
