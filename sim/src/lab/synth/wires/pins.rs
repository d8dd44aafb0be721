//! Which wire a pin of a cell is, by the names that wires have.

use super::device::Device;

impl Device {
    /// The wire at a port of what is at a place of nextpnr's: `X3/Y4/SLICEA.K0`.
    pub fn pin(&self, place: &str, port: &str) -> Option<u32> {
        let mut parts = place.split('/');
        let x = parts.next()?.strip_prefix('X')?.parse().ok()?;
        let y = parts.next()?.strip_prefix('Y')?.parse().ok()?;
        self.wire(x, y, &name(parts.next()?, port)?)
    }
}

/// Its name in the tile.
fn name(site: &str, port: &str) -> Option<String> {
    if let Some(site) = site.strip_prefix("SLICE") {
        return slice(site, port);
    }
    let pad = |pad: &str| match port {
        "I" => Some(format!("PADDO{pad}_PIO")),
        "O" => Some(format!("JPADDI{pad}_PIO")),
        "T" => Some(format!("PADDT{pad}_PIO")),
        _ => None,
    };
    match site {
        _ if site.starts_with("EBR") => Some(format!("J{port}_EBR")),
        _ if site.starts_with("MULT18_") => Some(format!("J{port}_MULT18")),
        _ => pad(site.strip_prefix("PIO")?),
    }
}

/// Of the two logic cells of a slice (`A.K0`, and their registers `A.FF0`), or its write port (`A.RAMW`).
fn slice(site: &str, port: &str) -> Option<String> {
    let (letter, part) = site.split_once('.')?;
    let number = letter.bytes().next()?.checked_sub(b'A')?;
    if part == "RAMW" {
        // Its inputs are those of both tables.
        return Some(match port.as_bytes() {
            [input @ b'A'..=b'D', half @ b'0'..=b'1'] => {
                format!("{}{}_SLICE", char::from(*input), 2 * number + half - b'0')
            }
            _ => format!("{port}{letter}_SLICE"),
        });
    }
    let half = part.bytes().last()?.checked_sub(b'0')?;
    let lane = 2 * number + half;
    Some(match (port, half) {
        ("A" | "B" | "C" | "D" | "M" | "DI" | "F" | "Q", _) => format!("{port}{lane}_SLICE"),
        ("F1", _) => format!("F{}_SLICE", lane + 1),
        ("CE" | "LSR" | "WRE", _) => format!("{port}{number}_SLICE"),
        ("WD", _) => format!("WD{half}{letter}_SLICE"),
        ("OFX", 0) => format!("F5{letter}_SLICE"),
        ("OFX", _) => format!("FX{letter}_SLICE"),
        // Carries go from half to half and from slice to slice; at the ends of a tile to the next one.
        ("FCI", 0) if lane == 0 => "FCI_SLICE".to_string(),
        ("FCI", 0) => format!("FCI{letter}_SLICE"),
        ("FCI", _) | ("FCO", 0) => format!("FCI{letter}1_SLICE"),
        ("FCO", _) if lane == 7 => "FCO_SLICE".to_string(),
        _ => format!("{port}{letter}_SLICE"),
    })
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn pins_have_names_by_where_they_are() {
        for (site, port, expected) in [
            ("SLICEA.K0", "A", "A0_SLICE"),
            ("SLICED.K1", "D", "D7_SLICE"),
            ("SLICEB.FF1", "Q", "Q3_SLICE"),
            ("SLICEB.FF1", "CE", "CE1_SLICE"),
            ("SLICEC.K0", "F1", "F5_SLICE"),
            ("SLICEA.K0", "FCI", "FCI_SLICE"),
            ("SLICEA.K0", "FCO", "FCIA1_SLICE"),
            ("SLICEA.K1", "FCI", "FCIA1_SLICE"),
            ("SLICEA.K1", "FCO", "FCOA_SLICE"),
            ("SLICEB.K0", "FCI", "FCIB_SLICE"),
            ("SLICED.K1", "FCO", "FCO_SLICE"),
            ("SLICEB.K0", "OFX", "F5B_SLICE"),
            ("SLICEB.K1", "OFX", "FXB_SLICE"),
            ("SLICEB.K1", "FXA", "FXAB_SLICE"),
            ("SLICEA.K1", "WD", "WD1A_SLICE"),
            ("SLICEA.K1", "WAD3", "WAD3A_SLICE"),
            ("SLICEC.RAMW", "A1", "A5_SLICE"),
            ("SLICEC.RAMW", "WDO2", "WDO2C_SLICE"),
            ("EBR3", "DOA17", "JDOA17_EBR"),
            ("MULT18_5", "P0", "JP0_MULT18"),
            ("PIOB", "O", "JPADDIB_PIO"),
            ("PIOA", "I", "PADDOA_PIO"),
        ] {
            assert_eq!(name(site, port).as_deref(), Some(expected), "{site} {port}");
        }
        for (site, port) in [("PIOA", "B"), ("TDCC0", "CLKI"), ("SLICE", "A"), ("SLICEA", "A")] {
            assert_eq!(name(site, port), None, "{site} {port}");
        }
    }
}
