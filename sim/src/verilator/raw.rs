//! What passes between a compiled model and us: the same structures in C++ and in
//! Rust. The fields are those of `hdl/src/core/port.rs`, so that the path of a port
//! is also the place of its value ([`place`]).

use cores::MAX_LANES;

/// Most pipes of a core.
pub const MAX_PIPES: usize = 8;

/// A structure in both languages.
macro_rules! shared {
    ($($(#[$doc:meta])* struct $name:ident { $($field:ident: $kind:ident $([$n:ident])?,)* })*) => {
        $(
            $(#[$doc])*
            #[repr(C)]
            #[derive(Clone, Copy)]
            pub struct $name { $(pub $field: shared!(@rust $kind $([$n])?),)* }

            impl Default for $name {
                fn default() -> $name {
                    $name { $($field: shared!(@zero $kind $([$n])?),)* }
                }
            }
        )*

        /// The structures as C++ has them.
        pub fn structures() -> String {
            let mut text = String::new();
            $(
                text += concat!("struct ", stringify!($name), " {\n");
                $(text += &shared!(@c $field $kind $([$n])?);)*
                text += "};\n";
            )*
            text
        }
    };
    (@rust $kind:ident) => { $kind };
    (@rust $kind:ident [$n:ident]) => { [$kind; $n] };
    (@zero u32) => { 0 };
    (@zero u64) => { 0 };
    (@zero $kind:ident) => { $kind::default() };
    (@zero $kind:ident [$n:ident]) => { [shared!(@zero $kind); $n] };
    (@c $field:ident $kind:ident) => { format!("{} {};\n", c(stringify!($kind)), stringify!($field)) };
    (@c $field:ident $kind:ident [$n:ident]) => {
        format!("{} {}[{}];\n", c(stringify!($kind)), stringify!($field), $n)
    };
}

/// The name of a type in C++.
fn c(kind: &str) -> &str {
    match kind {
        "u32" => "uint32_t",
        "u64" => "uint64_t",
        own => own,
    }
}

shared! {
    /// To a fetch port.
    struct FetchIn {
        ready: u32,
        reply: u32,
        reply_tag: u32,
        reply_data: u32,
        reply_error: u32,
    }

    /// To the data port.
    struct DataIn {
        ready: u32,
        reply: u32,
        reply_tag: u32,
        reply_error: u32,
        reply_data: u32[MAX_LANES],
    }

    /// All inputs of a cycle.
    struct RawIn {
        reset: u32,
        fetch: FetchIn[MAX_PIPES],
        data: DataIn,
    }

    /// From a fetch port.
    struct FetchOut {
        request: u32,
        pc: u32,
        tag: u32,
    }

    /// From the data port.
    struct DataOut {
        request: u32,
        tag: u32,
        op: u32,
        warp: u32,
        block: u32,
        reply_ready: u32,
        lanes: u64,
        enable: u32[MAX_LANES],
        data: u32[MAX_LANES],
        word: u32[MAX_LANES],
    }

    /// From a retire port.
    struct RetireOut {
        mask: u64,
        done: u64,
        trapped: u64,
        go_mask: u64,
        other_mask: u64,
        halt_mask: u64,
        valid: u32,
        warp: u32,
        slot: u32,
        pc: u32,
        depth: u32,
        insn: u32,
        cause: u32,
        rd: u32,
        open: u32,
        access: u32,
        write: u32,
        go_pc: u32,
        go_depth: u32,
        other_pc: u32,
        other_depth: u32,
        wake: u32,
    }

    /// Lane data of what retires.
    struct LanesOut {
        tval: u32[MAX_LANES],
        value: u32[MAX_LANES],
        addr: u32[MAX_LANES],
        operand: u32[MAX_LANES],
    }

    /// From the late write-back port.
    struct LateOut {
        mask: u64,
        valid: u32,
        warp: u32,
        rd: u32,
        value: u32[MAX_LANES],
    }

    /// From a statistics port.
    struct StatOut {
        idle: u32,
        dropped: u32,
        stalled: u32,
    }

    /// All outputs of a cycle.
    struct RawOut {
        fetch: FetchOut[MAX_PIPES],
        retire: RetireOut[MAX_PIPES],
        stat: StatOut[MAX_PIPES],
        data: DataOut,
        lanes: LanesOut,
        late: LateOut,
        fatal: u32,
    }
}

/// The place of a port's value in those structures: `data.reply_data[3]` of
/// `data$reply_data$3`.
pub fn place(path: &str) -> String {
    let mut place = String::new();
    for part in path.split('$') {
        match part.bytes().all(|b| b.is_ascii_digit()) {
            true => place += &format!("[{part}]"),
            false if place.is_empty() => place += part,
            false => place += &format!(".{part}"),
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_places() {
        assert_eq!(place("reset"), "reset");
        assert_eq!(place("fetch$0$ready"), "fetch[0].ready");
        assert_eq!(place("data$reply_data$3"), "data.reply_data[3]");
        let text = structures();
        assert!(text.contains("struct RawIn {\nuint32_t reset;\nFetchIn fetch[8];\n"), "{text}");
    }
}
