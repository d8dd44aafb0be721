//! Where more wire would lie than there is room for.

use super::board::{HEIGHT, WIDTH};
use super::netlist::Place;

/// Wire that a tile has room for, in tiles, counted as if each net were spread evenly over
/// its columns and rows. (Routers use nearly twice as much: about half of the wires there are.
/// With many tiles nearly full they take hours, and late wires make detours.)
const ROOM: f32 = 45.0;
/// In a large design there has to be more, so much along rows and so much along columns: ways are negotiated there,
/// and what is left over along columns helps nobody who is short of wire along rows.
const ROOM_OF_LARGE: f32 = 45.0;
/// How much more length counts where there is twice the wire that there is room for, and in a large design.
const CROWD: f32 = 5.0;
const CROWD_OF_LARGE: f32 = 20.0;

/// What depends on this file, for a hash.
pub fn what() -> String {
    format!("{ROOM} {ROOM_OF_LARGE} {CROWD} {CROWD_OF_LARGE}")
}

/// Columns and rows of a net.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Extent {
    /// First column and row.
    pub low: (i16, i16),
    /// Last ones.
    pub high: (i16, i16),
}

impl Extent {
    /// With another place.
    pub fn with(self, at: Place) -> Extent {
        Extent {
            low: (self.low.0.min(at.x), self.low.1.min(at.y)),
            high: (self.high.0.max(at.x), self.high.1.max(at.y)),
        }
    }

    /// A place lies inside, at no edge.
    pub fn holds(self, at: Place) -> bool {
        self.low.0 < at.x && at.x < self.high.0 && self.low.1 < at.y && at.y < self.high.1
    }

    fn tiles(self) -> f32 {
        let side = |low: i16, high: i16| f32::from(high - low + 1);
        side(self.low.0, self.high.0) * side(self.low.1, self.high.1)
    }

    /// From side to side, and from end to end.
    pub fn sides(self) -> [f32; 2] {
        [f32::from(self.high.0 - self.low.0), f32::from(self.high.1 - self.low.1)]
    }

    /// From corner to corner along columns and rows.
    pub fn length(self) -> f32 {
        let [x, y] = self.sides();
        x + y
    }
}

/// Sums over columns and rows.
#[derive(Debug)]
pub struct Tiles(Vec<f32>);

/// One more of each than there are, so that a sum has its end inside.
const STRIDE: usize = WIDTH + 2;

impl Tiles {
    /// Nothing anywhere.
    fn new() -> Tiles {
        Tiles(vec![0.0; STRIDE * (HEIGHT + 2)])
    }

    fn at(x: i16, y: i16) -> usize {
        y as usize * STRIDE + x as usize
    }

    /// The four corners of an extent, just outside at the ends.
    fn corners(extent: Extent) -> [usize; 4] {
        let ((x0, y0), (x1, y1)) = (extent.low, (extent.high.0 + 1, extent.high.1 + 1));
        [Tiles::at(x0, y0), Tiles::at(x1, y1), Tiles::at(x1, y0), Tiles::at(x0, y1)]
    }

    /// Spreads something evenly over an extent; it is there after `sum`.
    fn spread(&mut self, extent: Extent, much: f32) {
        let more = much / extent.tiles();
        let [low, high, right, above] = Tiles::corners(extent);
        self.0[low] += more;
        self.0[high] += more;
        self.0[right] -= more;
        self.0[above] -= more;
    }

    /// In every place, the sum of what is before it in both directions, and there.
    fn sum(&mut self) {
        for i in 1..self.0.len() {
            if i % STRIDE != 0 {
                self.0[i] += self.0[i - 1];
            }
        }
        for i in STRIDE..self.0.len() {
            self.0[i] += self.0[i - STRIDE];
        }
    }

    /// How much more than so much there is; sums, again.
    fn over(mut self, room: f32) -> Tiles {
        self.sum();
        let mut over = Tiles::new();
        for y in 0..HEIGHT as i16 {
            for x in 0..WIDTH as i16 {
                let wire = self.0[Tiles::at(x, y)];
                over.0[Tiles::at(x + 1, y + 1)] = (wire / room - 1.0).max(0.0);
            }
        }
        over.sum();
        over
    }

    /// Of sums, on average over an extent.
    fn average(&self, extent: Extent) -> f32 {
        let [low, high, right, above] = Tiles::corners(extent);
        (self.0[low] + self.0[high] - self.0[right] - self.0[above]) / extent.tiles()
    }
}

/// How much more wire than there is room for; sums, of what is before a place.
#[derive(Debug, Default)]
pub enum Crowd {
    /// Nothing is known yet.
    #[default]
    Unknown,
    /// Of all wire.
    All(Tiles),
    /// Of that along rows and that along columns.
    Each([Tiles; 2]),
}

impl Crowd {
    /// Of nets that have so much more wire than their extents.
    pub fn new(nets: impl Iterator<Item = (f32, Extent)>, large: bool) -> Crowd {
        let mut wire = [Tiles::new(), Tiles::new()];
        for (weight, extent) in nets {
            if large {
                let [x, y] = extent.sides();
                wire[0].spread(extent, weight * x);
                wire[1].spread(extent, weight * y);
            } else {
                wire[0].spread(extent, weight * extent.length());
            }
        }
        if large {
            return Crowd::Each(wire.map(|wire| wire.over(ROOM_OF_LARGE)));
        }
        let [all, _] = wire;
        Crowd::All(all.over(ROOM))
    }

    /// The length of a net with such an extent and so much more wire, which is more where it is crowded.
    pub fn length(&self, weight: f32, extent: Extent) -> f32 {
        match self {
            Crowd::Unknown => weight * extent.length(),
            Crowd::All(over) => weight * extent.length() * (1.0 + CROWD * over.average(extent)),
            Crowd::Each([along_rows, along_columns]) => {
                let [x, y] = extent.sides();
                let [across, up] = [along_rows, along_columns]
                    .map(|over| 1.0 + CROWD_OF_LARGE * over.average(extent));
                weight * (x * across + y * up)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_counts_more_where_it_is_crowded_and_in_a_large_design_by_direction() {
        let extent = |low, high| Extent { low, high };
        let along = extent((10, 10), (30, 12));
        let nets = |count| std::iter::repeat_n((2.0, along), count);
        let across = extent((12, 5), (13, 25));
        let elsewhere = extent((60, 60), (70, 70));
        for large in [false, true] {
            let length = |crowd: &Crowd, extent| crowd.length(2.0, extent);
            // There is room for a few.
            let few = Crowd::new(nets(10), large);
            assert_eq!(length(&few, along), 2.0 * 22.0);
            let many = Crowd::new(nets(100), large);
            assert!(length(&many, along) > 2.0 * length(&few, along));
            assert_eq!(length(&many, elsewhere), length(&few, elsewhere));
            // What goes through there along columns finds room in a large design, but for its one column.
            let more = length(&many, across) / length(&few, across);
            assert_eq!(more > 1.2, !large, "{more}");
            assert!(more > 1.0);
        }
        assert_eq!(Crowd::default().length(3.0, along), 3.0 * 22.0);
    }
}
