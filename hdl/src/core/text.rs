//! Pieces of Verilog for leaves that are printed lane by lane.

/// `{f(n-1), .., f(1), f(0)}`: lane 0 is the lowest.
pub fn concat(n: usize, f: impl Fn(usize) -> String) -> String {
    let parts: Vec<String> = (0..n).rev().map(f).collect();
    format!("{{{}}}", parts.join(", "))
}

/// The text with every `#` replaced by the number of the lane, lane by lane.
pub fn lanes(n: usize, text: &str) -> String {
    (0..n).map(|i| text.replace('#', &i.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lane_zero_is_lowest() {
        assert_eq!(concat(3, |i| format!("a${i}[5]")), "{a$2[5], a$1[5], a$0[5]}");
        assert_eq!(concat(1, |i| format!("a${i}")), "{a$0}");
        assert_eq!(lanes(2, "x_# = a$#;\n"), "x_0 = a$0;\nx_1 = a$1;\n");
    }
}
