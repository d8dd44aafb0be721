//! Where more wire would lie than there is room for.

use super::board::{HEIGHT, WIDTH};
use super::netlist::Place;

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

    /// From corner to corner along columns and rows.
    pub fn length(self) -> f32 {
        f32::from(self.high.0 - self.low.0 + self.high.1 - self.low.1)
    }
}

/// Sums over columns and rows.
#[derive(Debug)]
pub struct Tiles(Vec<f32>);

/// One more of each than there are, so that a sum has its end inside.
const STRIDE: usize = WIDTH + 2;

impl Tiles {
    /// Nothing anywhere.
    pub fn new() -> Tiles {
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
    pub fn spread(&mut self, extent: Extent, much: f32) {
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
}

/// How much more wire than there is room for; sums, of what is before a place.
#[derive(Debug, Default)]
pub struct Crowd(Option<Tiles>);

impl Crowd {
    /// Of how much wire there is, and of so much room for it in a tile.
    pub fn new(mut wire: Tiles, room: f32) -> Crowd {
        wire.sum();
        let over = |wire: f32| (wire / room - 1.0).max(0.0);
        let mut sums = Tiles::new();
        for y in 0..HEIGHT as i16 {
            for x in 0..WIDTH as i16 {
                sums.0[Tiles::at(x + 1, y + 1)] = over(wire.0[Tiles::at(x, y)]);
            }
        }
        sums.sum();
        Crowd(Some(sums))
    }

    /// On average over an extent.
    pub fn of(&self, extent: Extent) -> f32 {
        let Some(Tiles(sums)) = &self.0 else { return 0.0 };
        let [low, high, right, above] = Tiles::corners(extent);
        (sums[low] + sums[high] - sums[right] - sums[above]) / extent.tiles()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_crowded_where_there_is_more_wire_than_room() {
        let extent = |low, high| Extent { low, high };
        let along = extent((10, 10), (29, 12));
        let mut wire = Tiles::new();
        // Sixty tiles, with two and a half times the room in each.
        wire.spread(along, 60.0 * 2.5 * 40.0);
        let crowd = Crowd::new(wire, 40.0);
        let close = |a: f32, b: f32| assert!((a - b).abs() < 1.0e-3, "{a} {b}");
        close(crowd.of(along), 1.5);
        close(crowd.of(extent((12, 11), (12, 11))), 1.5);
        // Half of it lies there.
        close(crowd.of(extent((5, 11), (14, 11))), 0.75);
        close(crowd.of(extent((60, 60), (70, 70))), 0.0);
        close(Crowd::default().of(along), 0.0);
    }
}
