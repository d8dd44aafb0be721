//! Addresses and limits of the platform (`docs/platform.md`).

/// First byte of RAM.
pub const RAM_BASE: u32 = 0x8000_0000;
/// Default RAM size in bytes.
pub const RAM_SIZE: u32 = 16 << 20;
/// Smallest and largest RAM the platform accepts.
pub const RAM_LIMITS: (u32, u32) = (4 << 10, 1 << 30);

/// First byte of the device window.
pub const DEVICE_BASE: u32 = 0x1000_0000;
/// Bytes of the device window.
pub const DEVICE_SIZE: u32 = 0x200;
/// `WAKE[0]`, one bit per hart, 64 words.
pub const WAKE: u32 = DEVICE_BASE;
/// Store: this hart arrives; load: arrivals so far.
pub const BARRIER_ARRIVE: u32 = DEVICE_BASE + 0x100;
/// Arrivals that release the barrier.
pub const BARRIER_COUNT: u32 = DEVICE_BASE + 0x104;
/// Read only: harts alive after reset.
pub const INFO_HARTS: u32 = DEVICE_BASE + 0x110;
/// Read only: T.
pub const INFO_LANES: u32 = DEVICE_BASE + 0x114;
/// Read only: W.
pub const INFO_WARPS: u32 = DEVICE_BASE + 0x118;
/// Read only: bytes of RAM.
pub const INFO_RAM_SIZE: u32 = DEVICE_BASE + 0x11c;

/// High word of `tohost` that makes the low byte a console character.
pub const HTIF_CONSOLE: u32 = 0x0101_0000;
/// HTIF system calls that the platform supports.
pub const SYS_WRITE: u32 = 64;
/// See [`SYS_WRITE`].
pub const SYS_EXIT: u32 = 93;
