//! A definition with its values' descriptors, so that encoders need no lookups by name.

use std::sync::OnceLock;

use crate::of_codecs::capnproto::{self as layout, Slot};
use prost_reflect::FieldDescriptor;
use wiredyno_codec::record::MessageInfo;
use wiredyno_codec_lcm::fingerprint;
use wiredyno_schema::{Definition, WellKnown};

use crate::info;

/// How self-describing formats represent a message, by its definition.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Standing {
    pub is_value: bool,
    pub has_wide_alternative: bool,
    pub well_known: Option<WellKnown>,
}

/// A definition with everything that encoders need of it.
#[derive(Debug)]
pub struct Described {
    /// The definition that values must follow.
    pub definition: Definition,
    /// The codecs' view of each message, by index.
    pub(crate) infos: Vec<&'static MessageInfo>,
    /// How each message appears in self-describing formats, by index.
    pub(crate) standing: Vec<Standing>,
    /// The field descriptors of each message, by index, in the definition's order.
    pub(crate) descriptors: Vec<Vec<FieldDescriptor>>,
    fingerprint: OnceLock<u64>,
    slots: OnceLock<Vec<Vec<Slot>>>,
    /// The sizes of archived messages; computed by the encoder that needs them.
    pub(crate) archived_bytes: OnceLock<Vec<usize>>,
}

impl Described {
    /// Prepares a definition. Leaks some kilobytes, because the codecs require `'static` references.
    pub fn new(definition: Definition) -> Described {
        let pool = definition.descriptor.parent_pool();
        let of_message = |message: &wiredyno_schema::Message| -> Vec<FieldDescriptor> {
            let descriptor = pool.get_message_by_name(&message.full_name);
            let number = |field: &wiredyno_schema::Field| descriptor.as_ref()?.get_field(field.number);
            message.fields.iter().filter_map(number).collect()
        };
        let descriptors = definition.messages.iter().map(of_message).collect();
        let infos = info::messages(&definition);
        let standing = |(index, message): (usize, &wiredyno_schema::Message)| Standing {
            is_value: message.stands_for_value,
            has_wide_alternative: definition.has_wide_alternative(index),
            well_known: message.well_known,
        };
        let standing = definition.messages.iter().enumerate().map(standing).collect();
        let (fingerprint, slots, archived_bytes) = Default::default();
        Described { definition, infos, standing, descriptors, fingerprint, slots, archived_bytes }
    }

    /// The root in the form that compiled codecs use.
    pub fn root(&self) -> &'static MessageInfo {
        self.infos[0]
    }

    pub(crate) fn index_of(&self, info: &'static MessageInfo) -> Option<usize> {
        self.infos.iter().position(|known| std::ptr::eq(*known, info))
    }

    /// LCM's fingerprint of the root, computed once.
    pub(crate) fn fingerprint(&self) -> u64 {
        *self.fingerprint.get_or_init(|| fingerprint(self.root()))
    }

    /// Cap'n Proto's positions of a message's fields, in the definition's order; computed once.
    pub(crate) fn slots(&self, index: usize) -> &[Slot] {
        let of_message = |(message, info): (&wiredyno_schema::Message, &&'static MessageInfo)| {
            message.fields.iter().map(|field| layout::slot(info, field.number)).collect()
        };
        let all = self
            .slots
            .get_or_init(|| self.definition.messages.iter().zip(&self.infos).map(of_message).collect());
        &all[index]
    }
}
