//! Generates one message's values, and keeps state from one message to the next.
//!
//! A [`Node`] stands for a message at one place in the payload (each list element has its own), so that the random
//! walks of the left and the right wheel are independent. Nodes are created when they are first visited.

mod value;

use std::collections::HashMap;

use prost_reflect::prost::bytes::Bytes;
use prost_reflect::{
    DynamicMessage, EnumValueDescriptor, FieldDescriptor, Kind, MapKey, MessageDescriptor, Value,
};

use crate::definition::{flag, has_added_zero, read_options, value};
use crate::model::{FieldOptions, Invented, WellKnown};

use super::draw::Draw;
use super::heights::Heights;
use super::known;
use super::path::{fields_by_number, shapes_of};
use super::rule::{Number, Recipe, Rule, Shape};

use self::value::{as_defined, bytes, character, fitted, float, integer, of_schema, text};

/// Deeper nodes are not kept from one invented message to the next.
const DEPTH_KEPT: usize = 4;
/// How many times a string is drawn from a pattern before its length is allowed to be wrong.
const DRAWS: usize = 20;

/// State shared by all fields of the message being generated.
pub(super) struct Scene<'a> {
    pub(super) recipe: &'a Recipe,
    pub(super) draw: &'a mut Draw,
    /// The message's position in the sequence, from 0.
    pub(super) index: u64,
    /// The minimum nesting depth of each message.
    pub(super) heights: &'a Heights,
    /// How many more optional messages may be generated.
    pub(super) left: usize,
    /// The index of the recipe's profile that it follows.
    pub(super) profile: usize,
    /// Whether values are needed; if not, only draws are performed and walks advanced, and values are arbitrary ones of their type.
    pub(super) wanted: bool,
}

impl Scene<'_> {
    /// Whether only required messages may still be generated.
    fn is_full(&self, depth: usize) -> bool {
        depth >= self.recipe.max_depth || self.left == 0
    }
}

/// A message at one place in the payload.
#[derive(Clone)]
pub(super) struct Node {
    descriptor: MessageDescriptor,
    known: Option<WellKnown>,
    fields: Vec<FieldNode>,
    oneofs: Vec<OneofNode>,
}

#[derive(Clone)]
struct FieldNode {
    descriptor: FieldDescriptor,
    /// The field's kind, cached because the descriptor searches for it each time.
    kind: Kind,
    is_list: bool,
    is_map: bool,
    in_oneof: bool,
    supports_presence: bool,
    /// Whether it is an enum whose value 0 exists only because proto3 requires it.
    has_no_zero: bool,
    /// For an enum: the numbers of its values, and for each profile their weights.
    numbers: Vec<i32>,
    weights: Vec<Vec<u64>>,
    path: Vec<String>,
    /// One rule for each profile.
    rules: Vec<Rule>,
    /// What the definition allows, which takes precedence over rules.
    options: FieldOptions,
    /// Whether it is a message that is always present.
    required: bool,
    /// For a map: the node of its keys, which have rules of their own but are never absent.
    key: Option<Box<FieldNode>>,
    /// For a map: the node of its values.
    value: Option<Box<FieldNode>>,
    /// By list index; a field that is not a list has one.
    slots: Vec<Slot>,
}

#[derive(Clone)]
struct OneofNode {
    members: Vec<FieldDescriptor>,
    /// One rule for each profile.
    rules: Vec<Rule>,
    /// Whether one of the members is always present.
    required: bool,
}

/// State of one value from message to message.
#[derive(Clone, Default)]
struct Slot {
    walk: Option<Number>,
    child: Option<Box<Node>>,
}

impl Node {
    pub(super) fn new(descriptor: &MessageDescriptor, path: &[String], recipe: &Recipe) -> Self {
        let fields = fields_by_number(descriptor);
        let fields = fields.into_iter().map(|field| FieldNode::new(field, path, recipe)).collect();
        let oneofs = descriptor.oneofs().filter(|oneof| !oneof.is_synthetic()).map(|oneof| {
            let path: Vec<&str> = path.iter().map(String::as_str).chain([oneof.name()]).collect();
            let rules = recipe.resolve(&path, &[Shape::Oneof, Shape::Optional]);
            let required = flag(&oneof.options(), "wiredyno.required_choice");
            OneofNode { members: oneof.fields().collect(), rules, required }
        });
        let known = value(&descriptor.options(), "wiredyno.well_known");
        let known = known.as_ref().and_then(|known| WellKnown::of(known.as_str()?));
        Self { descriptor: descriptor.clone(), known, fields, oneofs: oneofs.collect() }
    }

    pub(super) fn message(&mut self, scene: &mut Scene<'_>, depth: usize) -> DynamicMessage {
        let mut message = DynamicMessage::new(self.descriptor.clone());
        self.visit(scene, depth, |field, value| {
            // A field without presence that was set to its default would differ from its decoded form.
            if field.supports_presence || !value.is_default_for_field(&field.descriptor) {
                message.set_field(&field.descriptor, value);
            }
        });
        if let Some(known) = self.known {
            known::settle(&mut message, known);
        }
        message
    }

    /// Performs the draws of a message without creating it.
    pub(super) fn skip(&mut self, scene: &mut Scene<'_>, depth: usize) {
        self.visit(scene, depth, |_, _| {});
    }

    /// Passes every present field and its value to `take`.
    fn visit(&mut self, scene: &mut Scene<'_>, depth: usize, mut take: impl FnMut(&FieldNode, Value)) {
        let chosen: Vec<u32> = self.oneofs.iter().filter_map(|oneof| oneof.choose(scene, depth)).collect();
        for field in &mut self.fields {
            let is_there = if field.in_oneof {
                chosen.contains(&field.descriptor.number())
            } else {
                field.is_there(scene, depth)
            };
            if is_there {
                let value = field.make(scene, depth);
                take(field, value);
            }
        }
    }
}

impl OneofNode {
    /// The number of the oneof's chosen member, if any.
    fn choose(&self, scene: &mut Scene<'_>, depth: usize) -> Option<u32> {
        let rule = &self.rules[scene.profile];
        if !self.required && !scene.draw.chance(rule.presence.unwrap_or(1.0)) {
            return None;
        }
        let weigh = |member: &FieldDescriptor| match &rule.weights {
            _ if scene.is_full(depth) && member.kind().as_message().is_some() => 0,
            Some(weights) => weight_of(weights, member.name()),
            None => 1,
        };
        let weights: Vec<u64> = self.members.iter().map(weigh).collect();
        let lowest = || {
            let height = |at: &usize| {
                let of = self.members[*at].kind();
                of.as_message().map_or(Some(0), |of| scene.heights.get(of.full_name()).copied())
            };
            (0..self.members.len()).min_by_key(|at| height(at).unwrap_or(usize::MAX)).unwrap_or(0)
        };
        let lowest = self.required.then(lowest);
        let chosen = scene.draw.weighted(&weights).or(lowest);
        chosen.map(|at| self.members[at].number())
    }
}

impl FieldNode {
    fn new(descriptor: FieldDescriptor, parent: &[String], recipe: &Recipe) -> Self {
        let path: Vec<String> = parent.iter().cloned().chain([descriptor.name().to_owned()]).collect();
        let names: Vec<&str> = path.iter().map(String::as_str).collect();
        let rules = recipe.resolve(&names, &shapes_of(&descriptor));
        let entry = if descriptor.is_map() { descriptor.kind().as_message().cloned() } else { None };
        let inner = |field: FieldDescriptor| Box::new(Self::new(field, &path, recipe));
        let key = entry.as_ref().map(|entry| inner(entry.map_entry_key_field()));
        let mut value = entry.as_ref().map(|entry| inner(entry.map_entry_value_field()));
        let options = read_options(&descriptor);
        if let Some(value) = &mut value {
            // Constraints on a map apply to each value, except its number of entries.
            value.options.invented = Invented { count: (None, None), ..options.invented.clone() };
        }
        let required = flag(&descriptor.options(), "wiredyno.required");
        let kind = descriptor.kind();
        let has_no_zero = kind.as_enum().is_some_and(has_added_zero);
        let mut values: Vec<EnumValueDescriptor> =
            kind.as_enum().map(|declared| declared.values().collect()).unwrap_or_default();
        values.retain(|value| !has_no_zero || value.number() != 0);
        let weigh = |rule: &Rule, name: &str| rule.weights.as_ref().map_or(1, |all| weight_of(all, name));
        let weigh_all = |rule: &Rule| values.iter().map(|value| weigh(rule, value.name())).collect();
        Self {
            kind,
            is_list: descriptor.is_list(),
            is_map: descriptor.is_map(),
            in_oneof: descriptor.containing_oneof().is_some_and(|oneof| !oneof.is_synthetic()),
            supports_presence: descriptor.supports_presence(),
            has_no_zero,
            numbers: values.iter().map(EnumValueDescriptor::number).collect(),
            weights: rules.iter().map(weigh_all).collect(),
            descriptor,
            path,
            rules,
            options,
            required,
            key,
            value,
            slots: Vec::new(),
        }
    }

    fn is_there(&self, scene: &mut Scene<'_>, depth: usize) -> bool {
        if self.required {
            return true;
        }
        // Required elements are generated unless they nest without end.
        let must_be = self.options.invented.count.0.is_some_and(|least| least > 0)
            && depth < 2 * scene.recipe.max_depth;
        if self.kind.as_message().is_some() && scene.is_full(depth) && !must_be {
            return false;
        }
        let optional = self.supports_presence && !self.is_list && !self.is_map;
        !optional || scene.draw.chance(self.rules[scene.profile].presence.unwrap_or(1.0))
    }

    fn make(&mut self, scene: &mut Scene<'_>, depth: usize) -> Value {
        if self.is_map {
            return self.map(scene, depth);
        }
        if !self.is_list {
            return self.single(scene, depth, 0);
        }
        let count = self.count(scene, depth);
        Value::List((0..count).map(|at| self.single(scene, depth, at)).collect())
    }

    fn count(&self, scene: &mut Scene<'_>, depth: usize) -> usize {
        let (low, high) = self.rules[scene.profile].count.unwrap_or((0, 0));
        let high = if scene.recipe.lists_shrink { high >> (depth / 2) } else { high };
        let high = high.min(self.options.max_length.unwrap_or(high));
        if let Some(fixed) = self.options.fixed_length {
            return fixed as usize;
        }
        let (least, most) = match scene.recipe.by_format {
            true => self.options.invented.count,
            false => (None, None),
        };
        let low = low.min(high).max(least.unwrap_or(0));
        let high = high.max(low).min(most.unwrap_or(u32::MAX));
        scene.draw.length(low.min(high), high)
    }

    /// A repeated key keeps its last value, so a map may have fewer entries than its count.
    fn map(&mut self, scene: &mut Scene<'_>, depth: usize) -> Value {
        let count = self.count(scene, depth);
        let (Some(key), Some(value)) = (&mut self.key, &mut self.value) else {
            return Value::Map(HashMap::new());
        };
        let mut entries = HashMap::with_capacity(if scene.wanted { count } else { 0 });
        let may_be_few = self.options.invented.count.0.is_none();
        for at in 0..count {
            let key = match key.single(scene, depth, at) {
                Value::Bool(key) => MapKey::Bool(key),
                Value::I32(key) => MapKey::I32(key),
                Value::I64(key) => MapKey::I64(key),
                Value::U32(key) => MapKey::U32(key),
                Value::U64(key) => MapKey::U64(key),
                Value::String(key) => MapKey::String(key),
                // .proto has no other key types.
                _ => continue,
            };
            // With a required number of entries, keys may not repeat.
            let key = match key {
                MapKey::String(key) if !may_be_few && entries.contains_key(&MapKey::String(key.clone())) => {
                    MapKey::String(format!("{key}{at}"))
                }
                key => key,
            };
            let value = value.single(scene, depth, at);
            if scene.wanted {
                entries.insert(key, value);
            }
        }
        Value::Map(entries)
    }

    fn single(&mut self, scene: &mut Scene<'_>, depth: usize, at: usize) -> Value {
        if self.slots.len() <= at {
            self.slots.resize_with(at + 1, Slot::default);
        }
        let many = self.is_list || self.is_map;
        let (slot, rule, options) = (&mut self.slots[at], &self.rules[scene.profile], &self.options);
        let kind = &self.kind;
        if let Kind::Message(descriptor) = kind {
            scene.left = scene.left.saturating_sub(1);
            let child =
                slot.child.get_or_insert_with(|| Box::new(Node::new(descriptor, &self.path, scene.recipe)));
            let value = match scene.wanted {
                true => Value::Message(child.message(scene, depth + 1)),
                false => {
                    child.skip(scene, depth + 1);
                    Value::Bool(false)
                }
            };
            // Invented values have no state, and there are many deep places.
            if scene.recipe.by_format && depth >= DEPTH_KEPT {
                slot.child = None;
            }
            return value;
        }
        if scene.recipe.by_format
            && let Some(value) = as_defined(kind, options, many, scene.draw)
        {
            return value;
        }
        if scene.recipe.by_format
            && options.invented != Invented::default()
            && let Some(value) = of_schema(kind, options, rule, slot, scene)
        {
            return value;
        }
        let may_be_zero = !self.has_no_zero && options.range.is_none_or(|(min, max)| min <= 0 && 0 <= max);
        if may_be_zero && rule.sequence.is_none() && scene.draw.chance(rule.zero.unwrap_or(0.0)) {
            return if scene.wanted {
                fitted(kind.default_value(), options, many)
            } else {
                Value::Bool(false)
            };
        }
        match kind {
            Kind::Double => Value::F64(float(rule, slot, scene, 53)),
            Kind::Float => Value::F32(float(rule, slot, scene, 24) as f32),
            Kind::Bool => Value::Bool(scene.draw.chance(rule.truth.unwrap_or(0.5))),
            Kind::String => fitted(Value::String(text(rule, scene)), options, many),
            Kind::Bytes => fitted(Value::Bytes(Bytes::from(bytes(rule, scene))), options, many),
            Kind::Enum(_) => {
                let chosen = scene.draw.weighted(&self.weights[scene.profile]);
                Value::EnumNumber(self.numbers.get(chosen.unwrap_or(0)).copied().unwrap_or_default())
            }
            _ if options.character => Value::U32(character(rule, scene)),
            _ => integer(rule, slot, scene, kind, options.range),
        }
    }
}

fn weight_of(weights: &[(String, u64)], name: &str) -> u64 {
    weights.iter().find(|(known, _)| known == name).map_or(0, |(_, weight)| *weight)
}
