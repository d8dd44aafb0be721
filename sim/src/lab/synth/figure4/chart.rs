//! `figure4.svg`: logic, RAM and frequency against T.

use super::data::{Data, Of};
use crate::lab::draw::{Area, COLOURS, Drawn, label, rectangle, svg};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

const WIDTH: i32 = 360;
const PLOT: i32 = 260;
const LEFT: i32 = 76;
const TOP: i32 = 116;
const GAP: i32 = 96;

/// A line of a panel: T and value.
struct Series {
    colour: RGBColor,
    points: Vec<(u32, f64)>,
}

struct Panel {
    title: &'static str,
    series: Vec<Series>,
}

/// The units and their parts that are drawn.
const DRAWN: [(&str, &str, &str, usize); 6] = [
    ("hct", "core", "hct, core", 1),
    ("arbiter", "core", "arbiter, core", 2),
    // So that many threads fit the device.
    (
        "hct --lanes 8 --dividers 1 --crossbar serial --csrs serial",
        "core",
        "hct, core of 8 lanes",
        5,
    ),
    (
        "arbiter --lanes 8 --dividers 1 --crossbar serial --csrs serial",
        "core",
        "arbiter, core of 8 lanes",
        4,
    ),
    ("hct", "unit", "hct, unit alone", 3),
    ("arbiter", "unit", "arbiter, unit alone", 6),
];

fn panel(
    title: &'static str,
    data: &Data,
    value: impl Fn(&str, &str, u32) -> Option<f64>,
) -> Panel {
    let series = DRAWN.iter().map(|(variant, part, _, colour)| {
        let point = |t: u32| Some((t, value(variant, part, t)?));
        Series {
            colour: COLOURS[*colour],
            points: data.threads().into_iter().filter_map(point).collect(),
        }
    });
    Panel { title, series: series.collect() }
}

/// Powers of two from below the least to above the greatest.
pub fn range(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let low = values.clone().fold(f64::INFINITY, f64::min).max(1.0);
    let high = values.fold(2.0, f64::max);
    let low = if low.is_finite() { low.log2().floor() } else { 0.0 };
    (low, high.log2().ceil().max(low + 1.0))
}

fn draw_panel(area: &Area<'_>, left: i32, panel: &Panel, threads: &[u32]) -> Drawn {
    let values = panel.series.iter().flat_map(|s| &s.points).map(|(_, v)| *v);
    let (low, high) = range(values);
    let y = |v: f64| {
        TOP + PLOT - ((v.max(1.0).log2() - low) / (high - low) * f64::from(PLOT)).round() as i32
    };
    let step = WIDTH / threads.len().max(2) as i32;
    let x = |t: u32| {
        left + step / 2 + step * threads.iter().position(|known| *known == t).unwrap_or(0) as i32
    };
    label(area, panel.title, (left, TOP - 30), 18, HPos::Left, VPos::Top)?;
    for tick in low as i32..=high as i32 {
        let value = 2f64.powi(tick);
        let line = [(left, y(value)), (left + WIDTH, y(value))];
        area.draw(&PathElement::new(line, RGBColor(222, 222, 222)))?;
        label(area, &format!("{value}"), (left - 8, y(value)), 15, HPos::Right, VPos::Center)?;
    }
    for t in threads {
        label(area, &format!("{t}"), (x(*t), TOP + PLOT + 10), 15, HPos::Center, VPos::Top)?;
    }
    for Series { colour, points } in &panel.series {
        let line: Vec<_> = points.iter().map(|(t, v)| (x(*t), y(*v))).collect();
        area.draw(&PathElement::new(line.clone(), colour.stroke_width(2)))?;
        for at in line {
            area.draw(&Circle::new(at, 4, colour.filled()))?;
        }
    }
    label(
        area,
        "threads per warp",
        (left + WIDTH / 2, TOP + PLOT + 32),
        15,
        HPos::Center,
        VPos::Top,
    )
}

/// The figure.
pub fn draw(data: &Data) -> String {
    let panels = [
        panel("Cyclone IV: logic elements (log)", data, |variant, part, t| {
            let of = Of { target: "cycloneive", part, variant };
            Some(data.area(of, t)?.total.logic as f64)
        }),
        panel("Cyclone IV: M9K (log)", data, |variant, part, t| {
            let of = Of { target: "cycloneive", part, variant };
            Some(data.area(of, t)?.total.ram as f64)
        }),
        panel("ECP5: MHz (log)", data, |variant, part, t| {
            Some(data.timing(Of { target: "ecp5", part, variant }, t)?.0.fmax)
        }),
    ];
    let threads: Vec<_> = data.threads().into_iter().collect();
    let width = LEFT + panels.len() as i32 * (WIDTH + GAP);
    svg(|text| {
        let size = (width as u32, (TOP + PLOT + 66) as u32);
        let area = SVGBackend::with_string(text, size).into_drawing_area();
        area.fill(&WHITE)?;
        label(&area, "Area and frequency, eight warps", (LEFT, 10), 22, HPos::Left, VPos::Top)?;
        let mut x = LEFT;
        for (_, _, title, colour) in DRAWN {
            rectangle(&area, (x, 42), (x + 14, 56), COLOURS[colour])?;
            label(&area, title, (x + 20, 49), 16, HPos::Left, VPos::Center)?;
            x += 40 + 9 * title.len() as i32;
        }
        for (at, panel) in panels.iter().enumerate() {
            draw_panel(&area, LEFT + at as i32 * (WIDTH + GAP), panel, &threads)?;
        }
        area.present()
    })
}
