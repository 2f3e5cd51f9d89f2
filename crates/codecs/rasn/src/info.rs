//! What rasn needs to know about types at compile time, derived from what the walk knows.

use std::marker::PhantomData;

use rasn::AsnType;
use rasn::types::constraints::{Bounded, Constraint, Extensible, Size, Value as Values};
use rasn::types::fields::{Field as Slot, Fields};
use rasn::types::{Choice as AsnChoice, Constraints, Constructed, Enumerated, Identifier, Tag, TagTree};

use super::bounds::MAX_VALUES;
use wiredyno_codec::asn1::{Bounds, bounds, size};
use wiredyno_codec::record::{
    Choice, Enumeration, Field, FieldInfo, FieldType, Length, MemberInfo, MessageInfo, Record, Value,
};

/// AUTOMATIC TAGS: members and alternatives are numbered from 0.
pub(super) const fn tag_of<F: Field>() -> Tag {
    Tag::new_context(F::INFO.position as u32)
}

/// The tag of a list's element.
const fn universal(ty: FieldType) -> Tag {
    match ty {
        FieldType::Bool => Tag::BOOL,
        FieldType::I32 | FieldType::I64 | FieldType::U32 | FieldType::U64 => Tag::INTEGER,
        FieldType::F32 | FieldType::F64 | FieldType::Bytes => Tag::OCTET_STRING,
        FieldType::Text => Tag::UTF8_STRING,
        FieldType::Enum(_) => Tag::ENUMERATED,
        FieldType::Message(_) => Tag::SEQUENCE,
    }
}

const fn value_constraint(min: i64, max: i64) -> Constraint {
    let bounds = match min == max {
        true => Bounded::Single(min as i128),
        false => Bounded::Range { start: Some(min as i128), end: Some(max as i128) },
    };
    Constraint::Value(Extensible::new(Values::new(bounds)))
}

/// The constraint of an integer's values.
pub(super) const fn value_constraints(field: &FieldInfo) -> Constraints {
    match bounds(field) {
        Bounds::Within(min, max) => Constraints::new(&[value_constraint(min, max)]),
        Bounds::Natural => {
            Constraints::new(&[Constraint::Value(Extensible::new(Values::new(Bounded::start_from(0))))])
        }
        Bounds::Any => Constraints::NONE,
    }
}

/// The constraint of a number of elements or octets.
pub(super) const fn size_constraints(length: Length) -> Constraints {
    let bounds = match (length.fixed, length.max) {
        (Some(fixed), _) => Bounded::Single(fixed as usize),
        (None, Some(max)) => Bounded::Range { start: Some(0), end: Some(max as usize) },
        (None, None) => return Constraints::NONE,
    };
    Constraints::new(&[Constraint::Size(Extensible::new(Size::new(bounds)))])
}

/// The constraints of one value.
pub(super) const fn constraints_of(field: &FieldInfo) -> Constraints {
    match field.ty {
        FieldType::I32 | FieldType::I64 | FieldType::U32 | FieldType::U64 => value_constraints(field),
        FieldType::F32 | FieldType::F64 | FieldType::Bytes => size_constraints(size(field)),
        _ => Constraints::NONE,
    }
}

const fn extensible(extensible: bool) -> Constraints {
    if extensible { Constraints::new(&[Constraint::Extensible]) } else { Constraints::NONE }
}

/// A message in the form that rasn uses.
#[repr(transparent)]
pub(super) struct Members<M>(pub(super) M);

impl<M> Members<M> {
    pub(super) fn of(message: &M) -> &Members<M> {
        // SAFETY: `Members` is transparent: it has the layout of the one value in it.
        unsafe { &*std::ptr::from_ref(message).cast() }
    }

    pub(super) fn into_message(self) -> M {
        self.0
    }
}

impl<M: Record> AsnType for Members<M> {
    const TAG: Tag = Tag::SEQUENCE;
    const CONSTRAINTS: Constraints = extensible(M::INFO.extensible);
}

impl<M: Record, const N: usize> Constructed<N, 0> for Members<M> {
    const FIELDS: Fields<N> = fields(M::INFO);
    const IS_EXTENSIBLE: bool = M::INFO.extensible;
    const EXTENDED_FIELDS: Option<Fields<0>> =
        if M::INFO.extensible { Some(Fields::from_static([])) } else { None };
}

const fn fields<const N: usize>(message: &MessageInfo) -> Fields<N> {
    let mut fields = [Slot::new_required(0, Tag::EOC, TagTree::Leaf(Tag::EOC), ""); N];
    let mut at = 0;
    while at < N {
        let member = &message.members[at];
        let name = match member {
            MemberInfo::Field(field) => field.name,
            MemberInfo::Choice(choice) => choice.name,
        };
        let tag = Tag::new_context(at as u32);
        fields[at] = match member.is_optional() {
            true => Slot::new_optional(at, tag, TagTree::Leaf(tag), name),
            false => Slot::new_required(at, tag, TagTree::Leaf(tag), name),
        };
        at += 1;
    }
    Fields::from_static(fields)
}

/// The value of an optional field in the form that rasn uses. One type for all fields of the same type, as in the code
/// of rasn's derive: tag and constraints are passed with each call.
#[repr(transparent)]
pub(super) struct Given<V>(pub(super) V);

impl<V> Given<V> {
    pub(super) fn of(value: &V) -> &Given<V> {
        // SAFETY: `Given` is transparent: it has the layout of the one value in it.
        unsafe { &*std::ptr::from_ref(value).cast() }
    }
}

impl<V: Value> AsnType for Given<V> {
    // Never used.
    const TAG: Tag = Tag::EOC;
}

/// The field of values whose tag and constraints come from rasn.
pub(super) struct Unnamed;

impl Field for Unnamed {
    const INFO: &'static FieldInfo = &FieldInfo::plain("a value", FieldType::Bool);
    const IN_CHOICE: bool = false;
}

/// An element of a list in the form that rasn uses: its constraints are those of its type.
#[repr(transparent)]
pub(super) struct Leaf<F, V>(pub(super) V, PhantomData<F>);

impl<F, V> Leaf<F, V> {
    pub(super) fn new(value: V) -> Leaf<F, V> {
        Leaf(value, PhantomData)
    }

    pub(super) fn all(values: &[V]) -> &[Leaf<F, V>] {
        // SAFETY: `Leaf` is transparent: it has the layout of the one value in it, and so has a list of them.
        unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
    }
}

impl<F: Field, V: Value> AsnType for Leaf<F, V> {
    const TAG: Tag = universal(F::INFO.ty);
    const CONSTRAINTS: Constraints = constraints_of(F::INFO);
}

/// An entry of a map: SEQUENCE {key, value}.
pub(super) struct Entry<F, K, V>(pub(super) K, pub(super) V, pub(super) PhantomData<F>);

impl<F, K, V> AsnType for Entry<F, K, V> {
    const TAG: Tag = Tag::SEQUENCE;
}

/// The tags of the two members of an entry.
pub(super) const KEY: Tag = Tag::new_context(0);
pub(super) const VALUE: Tag = Tag::new_context(1);

impl<F, K, V> Constructed<2, 0> for Entry<F, K, V> {
    const FIELDS: Fields<2> = Fields::from_static([
        Slot::new_required(0, KEY, TagTree::Leaf(KEY), "key"),
        Slot::new_required(1, VALUE, TagTree::Leaf(VALUE), "value"),
    ]);
}

/// A oneof in the form that rasn uses.
#[repr(transparent)]
pub(super) struct Picked<M, C>(pub(super) C, PhantomData<M>);

impl<M, C> Picked<M, C> {
    pub(super) fn new(choice: C) -> Picked<M, C> {
        Picked(choice, PhantomData)
    }

    pub(super) fn of(choice: &C) -> &Picked<M, C> {
        // SAFETY: `Picked` is transparent: it has the layout of the one value in it.
        unsafe { &*std::ptr::from_ref(choice).cast() }
    }
}

/// The tags of every CHOICE: its alternatives are numbered from 0.
static ALTERNATIVES: [TagTree; MAX_VALUES] = {
    let mut tags = [TagTree::Leaf(Tag::EOC); MAX_VALUES];
    let mut at = 0;
    while at < MAX_VALUES {
        tags[at] = TagTree::Leaf(Tag::new_context(at as u32));
        at += 1;
    }
    tags
};

const fn up_to_limit(count: usize) -> usize {
    if count < MAX_VALUES { count } else { MAX_VALUES }
}

impl<M, C: Choice> AsnType for Picked<M, C> {
    const TAG: Tag = Tag::EOC;
    const TAG_TREE: TagTree = TagTree::Choice(<Self as AsnChoice>::VARIANTS);
    const CONSTRAINTS: Constraints = extensible(C::INFO.extensible);
    const IS_CHOICE: bool = true;
}

impl<M, C: Choice> AsnChoice for Picked<M, C> {
    const VARIANTS: &'static [TagTree] = ALTERNATIVES.split_at(up_to_limit(C::INFO.alternatives.len())).0;
    const VARIANCE_CONSTRAINT: Constraints =
        Constraints::new(&[value_constraint(0, C::INFO.alternatives.len() as i64 - 1)]);
    const EXTENDED_VARIANTS: Option<&'static [TagTree]> = if C::INFO.extensible { Some(&[]) } else { None };
    // Only the text encodings use names.
    const IDENTIFIERS: &'static [&'static str] = &[];
}

/// An enum's value in the form that rasn uses: its index among the values.
pub(super) struct Item<E> {
    pub(super) ordinal: u16,
    marker: PhantomData<fn() -> E>,
}

impl<E: 'static> Item<E> {
    pub(super) const fn new(ordinal: u16) -> Item<E> {
        Item { ordinal, marker: PhantomData }
    }

    const ALL: &'static [Item<E>; MAX_VALUES] = &{
        let mut all = [const { Item::new(0) }; MAX_VALUES];
        let mut at = 0;
        while at < MAX_VALUES {
            all[at].ordinal = at as u16;
            at += 1;
        }
        all
    };
}

impl<E> Clone for Item<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Item<E> {}

impl<E> PartialEq for Item<E> {
    fn eq(&self, other: &Self) -> bool {
        self.ordinal == other.ordinal
    }
}

impl<E> std::fmt::Debug for Item<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "value {}", self.ordinal)
    }
}

impl<E: Enumeration> AsnType for Item<E> {
    const TAG: Tag = Tag::ENUMERATED;
    const CONSTRAINTS: Constraints = extensible(E::INFO.extensible);
    const IDENTIFIER: Identifier = Identifier::ENUMERATED;
}

impl<E: Enumeration> Enumerated for Item<E> {
    const VARIANTS: &'static [Self] = Self::ALL.split_at(up_to_limit(E::INFO.values.len())).0;
    const EXTENDED_VARIANTS: Option<&'static [Self]> = if E::INFO.extensible { Some(&[]) } else { None };
    // The methods below replace searches in these.
    const DISCRIMINANTS: &'static [(Self, isize)] = &[];
    const EXTENDED_DISCRIMINANTS: Option<&'static [(Self, isize)]> = None;
    const IDENTIFIERS: &'static [&'static str] = &[];

    fn is_extended_variant(&self) -> bool {
        false
    }

    fn enumeration_index(&self) -> usize {
        self.ordinal.into()
    }

    fn discriminant(&self) -> isize {
        E::INFO.values.get(usize::from(self.ordinal)).map_or(0, |(_, number)| *number as isize)
    }

    fn from_discriminant(value: isize) -> Option<Self> {
        let number = i32::try_from(value).ok()?;
        let ordinal = E::INFO.values.binary_search_by_key(&number, |(_, known)| *known).ok()?;
        u16::try_from(ordinal).ok().map(Item::new)
    }
}
