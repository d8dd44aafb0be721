//! `tradeoff.svg` and its section of `figure4.md`: what a divergence unit costs, against what it
//! issues too much, from the rows of `lab area` and `lab units`.

use super::super::area;
use super::chart::range;
use super::data::{Data, Of, config};
use crate::lab::draw::{Area, COLOURS, Drawn, label, rectangle, svg};
use crate::lab::hardware::Row;
use crate::lab::table::{head, line};
use crate::lab::units::{UNITS, WORST};
use crate::lab::view::geometric_mean;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

/// A unit at one T.
pub struct Point<'a> {
    variant: &'static str,
    area: &'a area::Row,
    /// Programs in which no thread races and that all units finish, in kernels and those of
    /// many paths; behind each what the first unit made of it.
    kernels: Vec<[&'a Row; 2]>,
    many_paths: Vec<[&'a Row; 2]>,
}

/// The one that issues most too much, and how much as a share of the ideal.
fn worst<'a>(runs: &[[&'a Row; 2]]) -> Option<(&'a str, f64)> {
    let runs = runs.iter().map(|[row, _]| (row.kernel.as_str(), row.extra()));
    runs.max_by(|a, b| a.1.total_cmp(&b.1))
}

impl Point<'_> {
    /// Logic elements at least, and at most.
    fn logic(&self) -> [u64; 2] {
        let total = &self.area.total;
        [total.logic_least.unwrap_or(total.logic), total.logic]
    }

    /// The geometric mean over the kernels of what a run has.
    fn mean(&self, of: impl Fn(&[&Row; 2]) -> f64) -> f64 {
        geometric_mean(self.kernels.iter().map(of)).expect("a point has kernels")
    }

    fn mark(&self, data: &Data) -> &'static str {
        let runs = || self.kernels.iter().chain(&self.many_paths).flatten();
        match runs().all(|row| row.version == hdl::HARDWARE) {
            true => data.mark(&self.area.hardware),
            false => "°",
        }
    }
}

/// Programs of a T with a run of each unit.
fn programs(data: &Data, threads: u32) -> Vec<[&Row; UNITS.len()]> {
    let name = |variant: &str| {
        let flags = format!("--threads-per-warp {threads} --warps 8 --divergence {variant}");
        config(&flags).expect("a unit of today").name()
    };
    let names = UNITS.map(|(.., variant)| name(variant));
    let finishes = |row: &Row| row.same_end && ["pass", "parked"].contains(&row.outcome.as_str());
    let first = data.orders.iter().filter(|row| row.core == names[0] && row.order_free);
    let all = first.filter_map(|row| {
        let mut of = [row; UNITS.len()];
        for (of, name) in of.iter_mut().zip(&names) {
            let is_wanted = |other: &&Row| other.core == *name && other.kernel == row.kernel;
            *of = data.orders.iter().find(is_wanted).filter(|row| finishes(row))?;
        }
        Some(of)
    });
    all.collect()
}

/// Every unit and T that both studies have rows of.
pub fn points(data: &Data) -> Vec<Point<'_>> {
    let mut all = Vec::new();
    let programs: Vec<_> = data.threads().into_iter().map(|t| (t, programs(data, t))).collect();
    for (unit, (.., variant)) in UNITS.into_iter().enumerate() {
        for (threads, programs) in &programs {
            let of = Of { target: "cycloneive", part: "unit", variant };
            let runs = programs.iter().map(|units| [units[unit], units[0]]);
            let (many_paths, kernels): (Vec<_>, Vec<_>) =
                runs.partition(|[row, _]| row.kernel.starts_with(WORST));
            if let Some(area) = data.area(of, *threads).filter(|_| !kernels.is_empty()) {
                all.push(Point { variant, area, kernels, many_paths });
            }
        }
    }
    all
}

fn percent(share: f64) -> String {
    if share == 0.0 { "0".into() } else { format!("{:+.2} %", 100.0 * share) }
}

/// The section; nothing if there are no points.
pub fn section(data: &Data) -> String {
    let points = points(data);
    if points.is_empty() {
        return String::new();
    }
    let mut s = "\n## Area against order\n\nWhat a unit takes on Cyclone IV, and the warp \
                 instructions that its cores issue beyond the order (depth, PC): in the kernel \
                 that it is worst at, on average over the kernels in which no thread races, and in \
                 the worst program of many paths; and the cycles of the kernels, as multiples of \
                 the first unit's (geometric means). From the rows of [units.jsonl](units.jsonl); \
                 every kernel: [units.md](units.md).\n\n\
                 ![Area against extra warp instructions](tradeoff.svg)\n\n"
        .to_string();
    let columns = ["T", "LE", "M9K", "worst kernel", "kernels on average", "many paths", "cycles"];
    head(&mut s, "unit", &columns);
    for point in &points {
        let [least, most] = point.logic();
        let (kernel, extra) = worst(&point.kernels).expect("a point has kernels");
        let kernel = if extra > 0.0 { format!(" ({kernel})") } else { String::new() };
        let cells = [
            format!("`{}`{}", point.variant, point.mark(data)),
            point.area.threads_per_warp.to_string(),
            format!("{least} to {most}"),
            point.area.total.ram.to_string(),
            percent(extra) + &kernel,
            percent(point.mean(|[row, _]| 1.0 + row.extra()) - 1.0),
            worst(&point.many_paths).map_or("-".into(), |(_, extra)| percent(extra)),
            format!("{:.3}", point.mean(|run| cycles(run[0]) / cycles(run[1]))),
        ];
        line(&mut s, cells);
    }
    s
}

fn cycles(row: &Row) -> f64 {
    row.total().cycles as f64
}

const LEFT: i32 = 80;
const TOP: i32 = 96;
const WIDTH: i32 = 470;
const PLOT: i32 = 300;
const GAP: i32 = 96;
/// Below no extra instructions, for the numbers of the first unit, which has none.
const FLOOR: i32 = 24;
/// Of the units, in their order.
const SHADES: [usize; UNITS.len()] = [2, 1, 3];

/// A panel: a line for each unit from T to T, and bars from the least to the most elements.
fn panel(area: &Area<'_>, left: i32, title: &str, points: &[(&Point<'_>, f64)]) -> Drawn {
    let logic = points.iter().flat_map(|(point, _)| point.logic()).map(|logic| logic as f64);
    let (low, high) = range(logic);
    let x = |v: u64| {
        left + (((v as f64).log2() - low) / (high - low) * f64::from(WIDTH)).round() as i32
    };
    let most = points.iter().map(|(_, extra)| *extra).fold(0.01, f64::max) * 1.12;
    let rise = f64::from(PLOT - FLOOR);
    let y = |share: f64| TOP + PLOT - FLOOR - (share.max(0.0) / most * rise).round() as i32;
    let shade = RGBColor(222, 222, 222);
    label(area, title, (left, TOP - 30), 18, HPos::Left, VPos::Top)?;
    let steps = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0];
    let step = steps.into_iter().find(|step| most / step <= 8.0).unwrap_or(2.0);
    for tick in 0..=(most / step) as i32 {
        let share = f64::from(tick) * step;
        area.draw(&PathElement::new([(left, y(share)), (left + WIDTH, y(share))], shade))?;
        let text = format!("{:.1} %", 100.0 * share);
        label(area, &text, (left - 8, y(share)), 15, HPos::Right, VPos::Center)?;
    }
    for tick in low as i32..=high as i32 {
        let value = 1u64 << tick;
        area.draw(&PathElement::new([(x(value), TOP), (x(value), TOP + PLOT)], shade))?;
        label(area, &value.to_string(), (x(value), TOP + PLOT + 10), 15, HPos::Center, VPos::Top)?;
    }
    for ((.., variant), shade) in UNITS.into_iter().zip(SHADES) {
        let mine: Vec<_> = points.iter().filter(|(point, _)| point.variant == variant).collect();
        let at = |(point, extra): &(&Point<'_>, f64)| (x(point.logic()[1]), y(*extra));
        let path: Vec<_> = mine.iter().map(|point| at(point)).collect();
        area.draw(&PathElement::new(path, COLOURS[shade].stroke_width(1)))?;
        for (point, extra) in mine {
            let ends = point.logic().map(|logic| (x(logic), y(*extra)));
            area.draw(&PathElement::new(ends, COLOURS[shade].stroke_width(3)))?;
            area.draw(&Circle::new(ends[1], 5, COLOURS[shade].filled()))?;
            let text = point.area.threads_per_warp.to_string();
            let (side, v) = match variant == UNITS[0].2 {
                true => (8, VPos::Top),
                false => (-8, VPos::Bottom),
            };
            label(area, &text, (ends[1].0, ends[1].1 + side), 14, HPos::Center, v)?;
        }
    }
    let text = "logic elements (log), number at a point: threads per warp";
    label(area, text, (left + WIDTH / 2, TOP + PLOT + 32), 15, HPos::Center, VPos::Top)
}

/// The figure, if there are points.
pub fn draw(data: &Data) -> Option<String> {
    let points = points(data);
    let kernels: Vec<_> = points.iter().filter_map(|p| Some((p, worst(&p.kernels)?.1))).collect();
    let many_paths: Vec<_> =
        points.iter().filter_map(|p| Some((p, worst(&p.many_paths)?.1))).collect();
    let mut panels = vec![
        ("In the kernel that the unit is worst at", kernels),
        ("In the worst program of many paths", many_paths),
    ];
    panels.retain(|(_, points)| !points.is_empty());
    if panels.is_empty() {
        return None;
    }
    let width = LEFT + panels.len() as i32 * (WIDTH + GAP) - GAP + 24;
    Some(svg(|text| {
        let size = (width as u32, (TOP + PLOT + 66) as u32);
        let area = SVGBackend::with_string(text, size).into_drawing_area();
        area.fill(&WHITE)?;
        let title = "Extra warp instructions against the area of the unit";
        label(&area, title, (LEFT, 10), 22, HPos::Left, VPos::Top)?;
        let mut x = LEFT;
        for ((.., variant), shade) in UNITS.into_iter().zip(SHADES) {
            rectangle(&area, (x, 40), (x + 14, 54), COLOURS[shade])?;
            label(&area, variant, (x + 20, 47), 16, HPos::Left, VPos::Center)?;
            x += 48 + 9 * variant.len() as i32;
        }
        for (at, (title, points)) in panels.iter().enumerate() {
            panel(&area, LEFT + at as i32 * (WIDTH + GAP), title, points)?;
        }
        area.present()
    }))
}
