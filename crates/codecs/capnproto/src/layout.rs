//! The places that the Cap'n Proto compiler gives to a struct's fields, derived from the message definition at compile time.
//!
//! Source: the algorithm of `StructLayout` in capnproto's compiler (c++/src/capnp/compiler/node-translator.c++):
//! fields take the smallest hole that fits, in the order of their numbers; members of a union share their places. The
//! matching schema is that of `wiredyno_schema::idl::capnp`; `capnp convert` reads the result (oracles).
//!
//! The runtime is not used here: `wiredyno-dynamic` compiles this file too, and has no library.

use wiredyno_codec::record::{ChoiceInfo, FieldInfo, FieldType, MemberInfo, MessageInfo, Shape};

/// The sizes of a struct's two sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Words in the data section.
    pub data: u16,
    /// Pointers after the data section.
    pub pointers: u16,
}

impl Size {
    /// The words of one struct, at most 131,070.
    pub const fn words(self) -> u32 {
        self.data as u32 + self.pointers as u32
    }
}

/// The place of one field, as offsets in its struct.
#[derive(Debug, Clone, Copy)]
pub struct Slot {
    /// Scalars: offset from the start of the data section, in units of their own width. Others: the pointer's index.
    pub at: u32,
    /// The bit that says whether an optional scalar is present.
    pub flag: u32,
    /// The 16-bit word that says which member of a union is present.
    pub union: u32,
}

/// What space a field needs.
#[derive(Clone, Copy)]
enum Need {
    Bits(u32),
    Pointer,
}

const fn need(field: &FieldInfo) -> Need {
    match field.shape {
        Shape::List | Shape::Map(_) => Need::Pointer,
        Shape::One | Shape::Optional => element_need(field),
    }
}

const fn element_need(field: &FieldInfo) -> Need {
    match field.ty {
        FieldType::Text | FieldType::Bytes | FieldType::Message(_) => Need::Pointer,
        FieldType::Bool => Need::Bits(0),
        FieldType::Enum(_) => Need::Bits(4),
        FieldType::F32 => Need::Bits(5),
        FieldType::F64 => Need::Bits(6),
        _ => Need::Bits(match field.integer() {
            Some(integer) => (integer.bits as u32).trailing_zeros(),
            None => 6,
        }),
    }
}

/// Whether absence needs a bit of its own, because the field is not a pointer.
pub const fn has_flag(field: &FieldInfo) -> bool {
    matches!(field.shape, Shape::Optional) && matches!(need(field), Need::Bits(_))
}

/// No hole: a hole never starts at 0, because the field that made it is there.
const NONE: u32 = 0;

/// The sections of a struct as they are filled.
struct Sections {
    /// At most one hole of each size from 1 to 32 bits; its offset in units of that size.
    holes: [u32; 6],
    words: u32,
    pointers: u32,
}

impl Sections {
    const fn take_hole(&mut self, size: u32) -> u32 {
        if size >= 6 {
            return NONE;
        }
        let own = self.holes[size as usize];
        if own != NONE {
            self.holes[size as usize] = NONE;
            return own;
        }
        let larger = self.take_hole(size + 1);
        if larger == NONE {
            return NONE;
        }
        self.holes[size as usize] = larger * 2 + 1;
        larger * 2
    }

    const fn bits(&mut self, size: u32) -> u32 {
        let hole = self.take_hole(size);
        if hole != NONE {
            return hole;
        }
        let at = self.words << (6 - size);
        self.words += 1;
        let (mut size, mut hole) = (size, at + 1);
        while size < 6 {
            self.holes[size as usize] = hole;
            size += 1;
            hole = hole.div_ceil(2);
        }
        at
    }

    /// Whether a place can grow by this many powers of two into the holes after it.
    const fn grow(&mut self, size: u32, at: u32, factor: u32) -> bool {
        if factor == 0 {
            return true;
        }
        if size >= 6 || self.holes[size as usize] != at + 1 {
            return false;
        }
        if self.grow(size + 1, at >> 1, factor - 1) {
            self.holes[size as usize] = NONE;
            return true;
        }
        false
    }

    const fn pointer(&mut self) -> u32 {
        self.pointers += 1;
        self.pointers - 1
    }
}

/// The most different data places of one union: each is larger than the one before, or could not grow.
const MAX_PLACES: usize = 16;

/// The places that the members of a union share.
struct Shared {
    /// Size and offset of each.
    data: [(u32, u32); MAX_PLACES],
    count: usize,
    pointer: Option<u32>,
}

impl Shared {
    const fn bits(&mut self, sections: &mut Sections, size: u32) -> u32 {
        // The smallest place that is large enough, the first of its size.
        let (mut at, mut best) = (0, MAX_PLACES);
        while at < self.count {
            if self.data[at].0 >= size && (best == MAX_PLACES || self.data[at].0 < self.data[best].0) {
                best = at;
            }
            at += 1;
        }
        if best < MAX_PLACES {
            let (known, place) = self.data[best];
            return place << (known - size);
        }
        at = 0;
        while at < self.count {
            let (known, place) = self.data[at];
            if sections.grow(known, place, size - known) {
                self.data[at] = (size, place >> (size - known));
                return self.data[at].1;
            }
            at += 1;
        }
        let place = sections.bits(size);
        // More than MAX_PLACES would need more sizes than there are.
        self.data[self.count % MAX_PLACES] = (size, place);
        self.count += 1;
        place
    }

    const fn pointer(&mut self, sections: &mut Sections) -> u32 {
        match self.pointer {
            Some(pointer) => pointer,
            None => {
                let pointer = sections.pointer();
                self.pointer = Some(pointer);
                pointer
            }
        }
    }
}

/// The slot of the field with a Protobuf number, and the size of the whole struct.
const fn lay(info: &MessageInfo, wanted: u32) -> (Slot, Size) {
    let mut sections = Sections { holes: [NONE; 6], words: 0, pointers: 0 };
    let mut found = Slot { at: 0, flag: 0, union: 0 };
    let mut member = 0;
    while member < info.members.len() {
        match &info.members[member] {
            MemberInfo::Field(field) => {
                let flag = if has_flag(field) { sections.bits(0) } else { 0 };
                let at = match need(field) {
                    Need::Bits(size) => sections.bits(size),
                    Need::Pointer => sections.pointer(),
                };
                if field.number == wanted {
                    found = Slot { at, flag, union: 0 };
                }
            }
            MemberInfo::Choice(choice) => {
                if let Some(slot) = lay_union(choice, &mut sections, wanted) {
                    found = slot;
                }
            }
        }
        member += 1;
    }
    (found, Size { data: sections.words as u16, pointers: sections.pointers as u16 })
}

const fn lay_union(choice: &ChoiceInfo, sections: &mut Sections, wanted: u32) -> Option<Slot> {
    let mut shared = Shared { data: [(0, 0); MAX_PLACES], count: 0, pointer: None };
    // `none` comes first and takes nothing; the second member adds the word that distinguishes them.
    let union = sections.bits(4);
    let mut found = None;
    let mut at = 0;
    while at < choice.alternatives.len() {
        let field = &choice.alternatives[at];
        let place = match need(field) {
            Need::Bits(size) => shared.bits(sections, size),
            Need::Pointer => shared.pointer(sections),
        };
        if field.number == wanted {
            found = Some(Slot { at: place, flag: 0, union });
        }
        at += 1;
    }
    found
}

/// The slot of the field with a Protobuf number.
pub const fn slot(info: &MessageInfo, number: u32) -> Slot {
    lay(info, number).0
}

/// The sizes of a struct's sections.
pub const fn size(info: &MessageInfo) -> Size {
    lay(info, 0).1
}

/// The layout of the struct that represents an entry of a map.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The offset or index of the key.
    pub key: u32,
    /// The offset or index of the value.
    pub value: u32,
    /// The size of the struct.
    pub size: Size,
}

/// Computes the layout of a map's entry.
pub const fn entry(key: &FieldInfo, value: &FieldInfo) -> Entry {
    let mut sections = Sections { holes: [NONE; 6], words: 0, pointers: 0 };
    let mut places = [0; 2];
    let needs = [element_need(key), element_need(value)];
    let mut at = 0;
    while at < 2 {
        places[at] = match needs[at] {
            Need::Bits(size) => sections.bits(size),
            Need::Pointer => sections.pointer(),
        };
        at += 1;
    }
    let size = Size { data: sections.words as u16, pointers: sections.pointers as u16 };
    Entry { key: places[0], value: places[1], size }
}
