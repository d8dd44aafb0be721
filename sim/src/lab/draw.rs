//! What the figures share: fonts, colours, SVG text.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

const FONT: &str = "DejaVu Sans, Verdana, sans-serif";

/// Tells eight things apart, also for colour-blind readers (after Okabe and Ito).
pub const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 0, 0),
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(213, 94, 0),
    RGBColor(150, 150, 150),
];

/// Where to draw.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
/// How it went.
pub type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// A font of that size.
pub fn font(size: i32) -> TextStyle<'static> {
    (FONT, size).into_font().color(&BLACK)
}

/// Text at a place.
pub fn label(area: &Area<'_>, text: &str, at: (i32, i32), size: i32, h: HPos, v: VPos) -> Drawn {
    area.draw(&Text::new(text.to_string(), at, font(size).pos(Pos::new(h, v))))
}

/// A filled rectangle.
pub fn rectangle(area: &Area<'_>, from: (i32, i32), to: (i32, i32), colour: RGBColor) -> Drawn {
    area.draw(&Rectangle::new([from, to], colour.filled()))
}

/// A figure as SVG text.
pub fn svg(paint: impl FnOnce(&mut String) -> Drawn) -> String {
    let mut svg = String::new();
    paint(&mut svg).expect("drawing into a string does not fail");
    // plotters leaves trailing blanks of its own.
    svg.lines().map(|l| l.trim_end().to_string() + "\n").collect()
}
