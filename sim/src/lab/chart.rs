//! `policies.svg`: warp instructions relative to the base policy, a group of
//! bars per kernel, on a logarithmic axis.
//!
//! Kernels on which all policies agree within 2 % have no bars to look at; the
//! foot of the figure names them.

use super::draw::{COLOURS, Drawn, font, label, rectangle, svg};
use super::row::End;
use super::view::{BASE, View, geometric_mean};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

const AGREE: f64 = 0.02;
const BAR: i32 = 7;
const GAP: i32 = 16;
const LEFT: i32 = 92;
const RIGHT: i32 = 24;
const TOP: i32 = 96;
const PLOT: i32 = 440;
const FOOT: i32 = 190;
const TICKS: [f64; 8] = [0.5, 0.7, 1.0, 1.5, 2.0, 4.0, 8.0, 16.0];
/// Groups of bars: a name and a value per policy, `None` where stuck.
struct Groups<'a> {
    bars: Vec<(&'a str, Vec<Option<f64>>)>,
    agree: Vec<&'a str>,
    stuck: Vec<String>,
}

fn groups<'a>(view: &View<'a>, others: &[&str]) -> Groups<'a> {
    let mut g = Groups { bars: Vec::new(), agree: Vec::new(), stuck: Vec::new() };
    for kernel in &view.kernels {
        let values: Vec<_> = others.iter().map(|p| view.relative(kernel, p)).collect();
        let close = |v: &Option<f64>| v.is_some_and(|v| (v - 1.0).abs() <= AGREE);
        let is_stuck = |p: &&&str| view.row(kernel, p).is_some_and(|r| r.outcome != End::Finishes);
        if view.policies.iter().any(|p| is_stuck(&p)) {
            let ends: Vec<_> = view.policies.iter().filter(|p| !is_stuck(p)).copied().collect();
            g.stuck.push(match ends[..] {
                [] => kernel.to_string(),
                _ => format!("{kernel} (finishes: {})", ends.join(", ")),
            });
        } else if values.iter().all(close) {
            g.agree.push(kernel);
        } else {
            g.bars.push((kernel, values));
        }
    }
    let worst = |v: &[Option<f64>]| v.iter().flatten().copied().fold(0.0, f64::max);
    g.bars.sort_by(|a, b| worst(&b.1).total_cmp(&worst(&a.1)).then(a.0.cmp(b.0)));
    let everywhere = view.everywhere();
    let mean = |p: &&str| geometric_mean(everywhere.iter().filter_map(|k| view.relative(k, p)));
    g.bars.push(("geometric mean", others.iter().map(mean).collect()));
    g
}

/// Names in lines of limited length.
fn wrap(title: &str, names: &[impl AsRef<str>], width: usize) -> Vec<String> {
    let mut lines = vec![title.to_string()];
    for (i, name) in names.iter().enumerate() {
        let comma = if i + 1 < names.len() { "," } else { "" };
        let line = lines.last_mut().expect("there is a title");
        if line.len() + name.as_ref().len() > width {
            lines.push(format!("    {}{comma}", name.as_ref()));
        } else {
            *line += &format!(" {}{comma}", name.as_ref());
        }
    }
    lines
}

/// The figure as SVG.
pub fn draw(view: &View<'_>) -> String {
    svg(|text| paint(view, text))
}

fn paint(view: &View<'_>, svg: &mut String) -> Drawn {
    let others: Vec<_> = view.policies.iter().copied().filter(|p| *p != BASE).collect();
    let g = groups(view, &others);
    let group = BAR * others.len() as i32 + GAP;
    let width = (LEFT + group * g.bars.len() as i32 + RIGHT).max(900);
    let letters = (width - LEFT) as usize / 9;
    let mut notes = Vec::new();
    if !g.agree.is_empty() {
        notes.extend(wrap("All policies within 2 %:", &g.agree, letters));
    }
    if !g.stuck.is_empty() {
        notes.extend(wrap("Stuck under some policy:", &g.stuck, letters));
    }
    let height = TOP + PLOT + FOOT + 22 * notes.len() as i32;
    let area = SVGBackend::with_string(svg, (width as u32, height as u32)).into_drawing_area();
    area.fill(&WHITE)?;

    let values = || g.bars.iter().flat_map(|(_, v)| v).flatten().copied();
    let low = values().fold(0.98, f64::min) * 0.97;
    let high = values().fold(1.5, f64::max) * 1.06;
    let y = |v: f64| TOP + ((high / v).ln() / (high / low).ln() * f64::from(PLOT)).round() as i32;
    let (left, right) = (LEFT, width - RIGHT);

    let title = format!(
        "Issued warp instructions relative to {BASE}, without join hints ({} threads x {} warps)",
        view.shape.threads_per_warp, view.shape.warps
    );
    label(&area, &title, (left, 14), 23, HPos::Left, VPos::Top)?;
    let mut x = left;
    for (i, policy) in others.iter().enumerate() {
        rectangle(&area, (x, 53), (x + 16, 69), COLOURS[(i + 1) % COLOURS.len()])?;
        label(&area, policy, (x + 23, 61), 17, HPos::Left, VPos::Center)?;
        x += 52 + 10 * policy.len() as i32;
    }
    for tick in TICKS.into_iter().filter(|t| (low..high).contains(t)) {
        let shade = if tick == 1.0 { RGBColor(60, 60, 60) } else { RGBColor(222, 222, 222) };
        area.draw(&PathElement::new([(left, y(tick)), (right, y(tick))], shade))?;
        label(&area, &format!("{tick}x"), (left - 8, y(tick)), 16, HPos::Right, VPos::Center)?;
    }
    let axis = font(16).transform(FontTransform::Rotate270);
    let axis = axis.pos(Pos::new(HPos::Center, VPos::Top));
    let what = format!("passes / passes of {BASE} (log)");
    area.draw(&Text::new(what, (8, TOP + PLOT / 2), axis))?;

    for (i, (name, values)) in g.bars.iter().enumerate() {
        let start = left + GAP / 2 + group * i as i32;
        if i + 1 == g.bars.len() {
            let x = start - GAP / 2;
            area.draw(&PathElement::new([(x, TOP), (x, TOP + PLOT)], RGBColor(150, 150, 150)))?;
        }
        for (j, value) in values.iter().enumerate() {
            let x = start + BAR * j as i32;
            let Some(value) = value else { continue };
            let (a, b) = (y(value.max(1.0)), y(value.min(1.0)));
            rectangle(&area, (x, a), (x + BAR - 1, b), COLOURS[(j + 1) % COLOURS.len()])?;
        }
        let style = font(16).transform(FontTransform::Rotate90);
        let at = (start + (group - GAP) / 2 + 6, TOP + PLOT + 8);
        area.draw(&Text::new(name.to_string(), at, style))?;
    }
    for (i, note) in notes.iter().enumerate() {
        let at = (left, TOP + PLOT + FOOT - 22 + 22 * i as i32);
        label(&area, note, at, 16, HPos::Left, VPos::Top)?;
    }
    area.present()
}
