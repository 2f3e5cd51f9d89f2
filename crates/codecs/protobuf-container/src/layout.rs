//! The container's bytes around a message. prost is not used here: `wiredyno-dynamic` compiles this file too, and has no
//! library.

/// The first two bytes of every container.
pub const MAGIC: [u8; 2] = [0x0d, 0xa4];

/// The container before the message: its data type, then the key of the message.
pub const BEFORE: [u8; 3] = [0x08, 0x01, 0x12];

/// The container after the message: the times of sending and receipt.
pub const END: [u8; 24] = [
    0x1a, 10, 0x08, 0x80, 0xa3, 0xf0, 0xa9, 0x05, 0x10, 0x90, 0xa1, 0x0f, // sent
    0x22, 10, 0x08, 0x80, 0xa3, 0xf0, 0xa9, 0x05, 0x10, 0x90, 0xa1, 0x0f, // received
];
