//! SHA-256 (FIPS 180-4), so that `sha256sum` can check what was written.

/// The first 32 bits behind the binary point of the root of a prime.
fn root(prime: u128, degree: u32) -> u32 {
    // The largest r with r^degree <= prime * 2^(32 * degree).
    let (mut low, mut high) = (0u128, 1 << 37);
    while high - low > 1 {
        let middle = (low + high) / 2;
        let fits = middle.pow(degree) <= prime << (32 * degree);
        if fits { low = middle } else { high = middle }
    }
    low as u32
}

/// The hash of `bytes` in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    let primes: Vec<u128> =
        (2..).filter(|n| (2..*n).all(|divisor| n % divisor != 0)).take(64).collect();
    let k: Vec<u32> = primes.iter().map(|&prime| root(prime, 3)).collect();
    let mut hash: [u32; 8] = std::array::from_fn(|i| root(primes[i], 2));

    let mut message = bytes.to_vec();
    message.push(0x80);
    message.resize((bytes.len() + 9).next_multiple_of(64) - 8, 0);
    message.extend((8 * bytes.len() as u64).to_be_bytes());
    for block in message.as_chunks::<64>().0 {
        let mut w: Vec<u32> =
            block.as_chunks::<4>().0.iter().map(|&word| u32::from_be_bytes(word)).collect();
        for t in 16..64 {
            let (a, b) = (w[t - 15], w[t - 2]);
            let small_0 = a.rotate_right(7) ^ a.rotate_right(18) ^ a >> 3;
            let small_1 = b.rotate_right(17) ^ b.rotate_right(19) ^ b >> 10;
            let sum = small_1.wrapping_add(w[t - 7]).wrapping_add(small_0);
            w.push(sum.wrapping_add(w[t - 16]));
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = hash;
        for t in 0..64 {
            let big_1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choose = (e & f) ^ (!e & g);
            let first = h.wrapping_add(big_1).wrapping_add(choose).wrapping_add(k[t]);
            let first = first.wrapping_add(w[t]);
            let big_0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let majority = (a & b) ^ (a & c) ^ (b & c);
            let second = big_0.wrapping_add(majority);
            (h, g, f, e) = (g, f, e, d.wrapping_add(first));
            (d, c, b, a) = (c, b, a, first.wrapping_add(second));
        }
        for (sum, value) in hash.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *sum = sum.wrapping_add(value);
        }
    }
    hash.iter().map(|word| format!("{word:08x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::hex;

    /// From the standard's examples.
    #[test]
    fn examples() {
        for (text, hash) in [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
        ] {
            assert_eq!(hex(text.as_bytes()), hash, "{text}");
        }
        let million = hex(&[b'a'; 1_000_000]);
        assert_eq!(million, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
}
