//! Random values of a message type, with frequent edge cases.

use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, Value};

/// Every type, shape and stand-in.
pub const KITCHEN: &str = "
    syntax = \"proto3\";
    import \"wiredyno/options.proto\";
    message Kitchen {
      option (wiredyno.root) = true;
      bool flag = 1; int32 i = 2; sint32 s = 3; sfixed32 sf = 4; int64 l = 5; sint64 sl = 6; sfixed64 sfl = 7;
      uint32 u = 8; fixed32 fu = 9; uint64 ul = 10; fixed64 ful = 11; float f = 12; double d = 13;
      string text = 14; bytes data = 15; Colour colour = 16;
      optional bool oflag = 30; optional int32 oi = 31; optional uint64 oul = 32; optional float of = 33;
      optional double od = 34; optional string otext = 35; optional bytes odata = 36; optional Colour ocolour = 37;
      Inner inner = 38; Inner must = 39 [(wiredyno.required) = true];
      repeated bool flags = 60; repeated int32 is = 61; repeated sint64 ls = 62; repeated uint32 us = 63;
      repeated uint64 uls = 64; repeated float fs = 65; repeated double ds = 66; repeated string texts = 67;
      repeated bytes datas = 68; repeated Colour colours = 69; repeated Inner inners = 70;
      map<string, int32> by_text = 80; map<int32, string> by_i = 81; map<uint64, double> by_ul = 82;
      map<bool, Inner> by_flag = 83; map<sint64, bytes> by_l = 84; map<uint32, Colour> by_u = 85;
      map<string, bool> flags_by_text = 86;
      oneof choice { bool cflag = 100; string ctext = 101; Inner cinner = 102; uint64 cul = 116; float cf = 117; bytes cdata = 118; }
    }
    message Inner { string name = 1; sint32 number = 2; repeated Inner more = 3; optional Kitchen kitchen = 32767; bool last = 9; }
    enum Colour { BLACK = 0; RED = 1; DARK = -5; FAR = 1000000; GREEN = 24; }
";

/// SplitMix64 (Steele, Lea, Flood 2014), to avoid a dependency.
pub struct Values {
    state: u64,
    /// Whether texts and byte strings are long.
    pub long: bool,
    /// How many more messages a value may contain.
    left: u32,
    /// Whether texts contain only what every format accepts.
    pub tame: bool,
}

impl Values {
    pub fn new(seed: u64) -> Values {
        Values { state: seed, long: false, left: 0, tame: false }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Near a power of two on either side of zero, or any bits.
    fn bits(&mut self) -> u64 {
        let near = (1_u64 << self.below(64)).wrapping_add(self.below(5)).wrapping_sub(2);
        match self.below(5) {
            0 => self.next(),
            1 => self.below(40),
            2 => near.wrapping_neg(),
            _ => near,
        }
    }

    fn double(&mut self) -> f64 {
        let small = self.below(4_000) as f64;
        match self.below(10) {
            0 => f64::from_bits(self.next()),
            1 => f32::from_bits(self.next() as u32).into(),
            // Around what 16 and 32 bits can hold: some fraction bits, any exponent of theirs.
            2 => f64::from_bits(
                (self.next() >> 63 << 63) | (990 + self.below(60)) << 52 | self.below(1024) << 42,
            ),
            3 => f64::from_bits((870 + self.below(300)) << 52 | self.below(1 << 23) << 29),
            4 => [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -f64::NAN, f64::MIN_POSITIVE]
                [self.below(7) as usize],
            5 => small * 0.5_f64.powi(24),
            6 => f64::from_bits(0x7ff0_0000_0000_0000 | self.below(1024) << 42 | self.below(2)),
            7 => small / 10.0,
            _ => small,
        }
    }

    fn single(&mut self) -> f32 {
        match self.below(3) {
            0 => f32::from_bits(self.next() as u32),
            _ => self.double() as f32,
        }
    }

    fn length(&mut self) -> usize {
        let length = match self.below(12) {
            0..3 => 0,
            3..9 => self.below(20),
            9 => self.below(80),
            10 => 120 + self.below(20),
            _ => 250 + self.below(20),
        };
        (if self.long { length * 30 } else { length }) as usize
    }

    fn text(&mut self) -> String {
        const CHARACTERS: [char; 24] = [
            'a',
            'b',
            'z',
            ' ',
            '"',
            '\\',
            '/',
            '<',
            '>',
            '&',
            '\'',
            '\r',
            '\n',
            '\t',
            '\u{0}',
            '\u{1f}',
            '\u{7f}',
            'ä',
            '€',
            '\u{2028}',
            '\u{fffd}',
            '\u{ffff}',
            '\u{1f600}',
            '0',
        ];
        let most = if !self.tame && self.below(8) == 0 { CHARACTERS.len() } else { 14 };
        (0..self.length()).map(|_| CHARACTERS[self.below(most as u64) as usize]).collect()
    }

    fn data(&mut self) -> Vec<u8> {
        let zeros = self.below(3) == 0;
        (0..self.length()).map(|_| if zeros && self.below(5) > 0 { 0 } else { self.next() as u8 }).collect()
    }

    fn count(&mut self, depth: u32) -> u64 {
        match self.below(8) {
            _ if depth > 4 || self.left == 0 => 0,
            0..3 => 0,
            3..6 => self.below(4),
            6 => self.below(if depth > 1 { 4 } else { 20 }),
            _ => self.below(if depth > 1 { 4 } else { 40 }),
        }
    }

    pub fn message(&mut self, descriptor: &MessageDescriptor, depth: u32) -> DynamicMessage {
        /// For one value: enough for all shapes, and few enough for many values.
        const MAX_MESSAGES: u32 = 40;
        self.left = if depth == 0 { MAX_MESSAGES } else { self.left.saturating_sub(1) };
        let mut message = DynamicMessage::new(descriptor.clone());
        for field in descriptor.fields() {
            if field.is_map() {
                let Kind::Message(entry) = field.kind() else { continue };
                let (key, value) = (entry.map_entry_key_field(), entry.map_entry_value_field());
                let entries = (0..self.count(depth)).map(|_| {
                    let key = match self.value(&key, depth) {
                        Value::Bool(key) => MapKey::Bool(key),
                        Value::I32(key) => MapKey::I32(key),
                        Value::I64(key) => MapKey::I64(key),
                        Value::U32(key) => MapKey::U32(key),
                        Value::U64(key) => MapKey::U64(key),
                        Value::String(key) => MapKey::String(key),
                        _ => unreachable!("no key"),
                    };
                    (key, self.value(&value, depth))
                });
                let entries = entries.collect();
                message.set_field(&field, Value::Map(entries));
            } else if field.is_list() {
                let list = (0..self.count(depth)).map(|_| self.value(&field, depth)).collect();
                message.set_field(&field, Value::List(list));
            } else if field.supports_presence() {
                // Each alternative of a oneof replaces the one before.
                let deep = matches!(field.kind(), Kind::Message(_)) && (depth > 3 || self.left == 0);
                if field.name() == "must" || !deep && self.below(3) > 0 {
                    let value = self.value(&field, depth);
                    message.set_field(&field, value);
                }
            } else {
                let value = self.value(&field, depth);
                message.set_field(&field, value);
            }
        }
        message
    }

    fn value(&mut self, field: &FieldDescriptor, depth: u32) -> Value {
        match field.kind() {
            Kind::Bool => Value::Bool(self.below(2) == 1),
            Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Value::I32(self.bits() as i32),
            Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Value::I64(self.bits().cast_signed()),
            Kind::Uint32 | Kind::Fixed32 => Value::U32(self.bits() as u32),
            Kind::Uint64 | Kind::Fixed64 => Value::U64(self.bits()),
            Kind::Float => Value::F32(self.single()),
            Kind::Double => Value::F64(self.double()),
            Kind::String => Value::String(self.text()),
            Kind::Bytes => Value::Bytes(self.data().into()),
            Kind::Enum(declared) => {
                let values: Vec<i32> = declared.values().map(|value| value.number()).collect();
                Value::EnumNumber(values[self.below(values.len() as u64) as usize])
            }
            Kind::Message(inner) => Value::Message(self.message(&inner, depth + 1)),
        }
    }
}

/// A message in which one field has a given length.
pub fn of_length(descriptor: &MessageDescriptor, field: &str, length: usize) -> DynamicMessage {
    let mut message = DynamicMessage::new(descriptor.clone());
    let field = descriptor.get_field_by_name(field).unwrap();
    let value = match field.kind() {
        _ if field.is_map() => Value::Map(
            (0..length).map(|at| (MapKey::U32(at as u32), Value::String("x".to_owned()))).collect(),
        ),
        Kind::String => Value::String("é".repeat(length / 2) + &"x".repeat(length % 2)),
        Kind::Bytes => Value::Bytes(vec![0xa5; length].into()),
        Kind::Bool => Value::List((0..length).map(|at| Value::Bool(at % 3 == 0)).collect()),
        Kind::Message(inner) => {
            let one = Value::Message(of_length(&inner, "name", length % 5));
            Value::List(vec![one; length])
        }
        _ => Value::List((0..length).map(|at| Value::U32(at as u32)).collect()),
    };
    message.set_field(&field, value);
    message
}

/// A recursive message with `depth` levels.
pub fn nested(descriptor: &MessageDescriptor, depth: usize) -> DynamicMessage {
    let mut message = DynamicMessage::new(descriptor.clone());
    for _ in 1..depth {
        let mut outer = DynamicMessage::new(descriptor.clone());
        outer.set_field_by_name("inner", Value::Message(message));
        message = outer;
    }
    message
}
