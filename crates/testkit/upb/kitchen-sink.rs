const _: () = ::protobuf::__internal::assert_compatible_gencode_version("0.36.2-release");
// This variable must not be referenced except by protobuf generated
// code.
pub(crate) static mut M0_msg_init: ::protobuf::__internal::runtime::MiniTableInitPtr =
    ::protobuf::__internal::runtime::MiniTableInitPtr(::protobuf::__internal::runtime::MiniTablePtr::dangling());
#[allow(non_camel_case_types)]
pub struct M0 {
  inner: ::protobuf::__internal::runtime::OwnedMessageInner<M0>
}

impl ::protobuf::Message for M0 {
  type MessageView<'msg> = M0View<'msg>;
  type MessageMut<'msg> = M0Mut<'msg>;
}

impl ::std::default::Default for M0 {
  fn default() -> Self {
    Self::new()
  }
}

impl ::std::fmt::Debug for M0 {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

// SAFETY:
// - `M0` is `Sync` because it does not implement interior mutability.
//    Neither does `M0Mut`.
unsafe impl ::std::marker::Sync for M0 {}

// SAFETY:
// - `M0` is `Send` because it uniquely owns its arena and does
//   not use thread-local data.
unsafe impl ::std::marker::Send for M0 {}

impl ::protobuf::Proxied for M0 {
  type View<'msg> = M0View<'msg>;
}

impl ::protobuf::__internal::SealedInternal for M0 {}

impl ::protobuf::MutProxied for M0 {
  type Mut<'msg> = M0Mut<'msg>;
}

#[derive(Copy, Clone)]
#[allow(dead_code)]
pub struct M0View<'msg> {
  inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M0>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M0View<'msg> {}

impl<'msg> ::protobuf::MessageView<'msg> for M0View<'msg> {
  type Message = M0;
}

impl ::std::fmt::Debug for M0View<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl ::std::default::Default for M0View<'_> {
  fn default() -> M0View<'static> {
    ::protobuf::__internal::runtime::MessageViewInner::default().into()
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageViewInner<'msg, M0>> for M0View<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M0>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M0View<'msg> {

  pub fn to_owned(&self) -> M0 {
    ::protobuf::IntoProxied::into_proxied(*self, ::protobuf::__internal::Private)
  }

  // f1: optional uint64
  pub fn f1(self) -> u64 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u64_at_index(
        0, (0u64).into()
      ).try_into().unwrap()
    }
  }

  // f2: optional bool
  pub fn f2(self) -> bool {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_bool_at_index(
        1, (false).into()
      ).try_into().unwrap()
    }
  }

  // f3: optional int32
  pub fn f3(self) -> i32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        2, (0i32).into()
      ).try_into().unwrap()
    }
  }

  // f4: optional sint32
  pub fn f4(self) -> i32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        3, (0i32).into()
      ).try_into().unwrap()
    }
  }

  // f5: optional sfixed32
  pub fn f5(self) -> i32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        4, (0i32).into()
      ).try_into().unwrap()
    }
  }

  // f6: optional int64
  pub fn f6(self) -> i64 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i64_at_index(
        5, (0i64).into()
      ).try_into().unwrap()
    }
  }

  // f7: optional fixed64
  pub fn f7(self) -> u64 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u64_at_index(
        6, (0u64).into()
      ).try_into().unwrap()
    }
  }

  // f8: optional uint32
  pub fn f8(self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        7, (0u32).into()
      ).try_into().unwrap()
    }
  }

  // f9: optional float
  pub fn f9(self) -> f32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_f32_at_index(
        8, (0f32).into()
      ).try_into().unwrap()
    }
  }

  // f10: optional double
  pub fn f10(self) -> f64 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_f64_at_index(
        9, (0f64).into()
      ).try_into().unwrap()
    }
  }

  // f11: optional string
  pub fn f11(self) -> ::protobuf::View<'msg, ::protobuf::ProtoString> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        10, (b"").into()
      )
    };
    ::protobuf::ProtoStr::from_utf8_unchecked(unsafe { str_view.as_ref() })
  }

  // f12: optional bytes
  pub fn f12(self) -> ::protobuf::View<'msg, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        11, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }

  // f13: optional enum E0
  pub fn f13(self) -> super::message_proto::E0 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        12, (super::message_proto::E0::V0).into()
      ).try_into().unwrap()
    }
  }

  // f20: optional bool
  pub fn has_f20(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(13)
    }
  }
  pub fn f20_opt(self) -> ::std::option::Option<bool> {
    self.has_f20().then(|| self.f20())
  }
  pub fn f20(self) -> bool {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_bool_at_index(
        13, (false).into()
      ).try_into().unwrap()
    }
  }

  // f21: optional sint64
  pub fn has_f21(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(14)
    }
  }
  pub fn f21_opt(self) -> ::std::option::Option<i64> {
    self.has_f21().then(|| self.f21())
  }
  pub fn f21(self) -> i64 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i64_at_index(
        14, (0i64).into()
      ).try_into().unwrap()
    }
  }

  // f22: optional float
  pub fn has_f22(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(15)
    }
  }
  pub fn f22_opt(self) -> ::std::option::Option<f32> {
    self.has_f22().then(|| self.f22())
  }
  pub fn f22(self) -> f32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_f32_at_index(
        15, (0f32).into()
      ).try_into().unwrap()
    }
  }

  // f23: optional string
  pub fn has_f23(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(16)
    }
  }
  pub fn f23_opt(self) -> ::std::option::Option<&'msg ::protobuf::ProtoStr> {
    self.has_f23().then(|| self.f23())
  }
  pub fn f23(self) -> ::protobuf::View<'msg, ::protobuf::ProtoString> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        16, (b"").into()
      )
    };
    ::protobuf::ProtoStr::from_utf8_unchecked(unsafe { str_view.as_ref() })
  }

  // f24: optional bytes
  pub fn has_f24(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(17)
    }
  }
  pub fn f24_opt(self) -> ::std::option::Option<&'msg [u8]> {
    self.has_f24().then(|| self.f24())
  }
  pub fn f24(self) -> ::protobuf::View<'msg, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        17, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }

  // f25: optional enum E0
  pub fn has_f25(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(18)
    }
  }
  pub fn f25_opt(self) -> ::std::option::Option<super::message_proto::E0> {
    self.has_f25().then(|| self.f25())
  }
  pub fn f25(self) -> super::message_proto::E0 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        18, (super::message_proto::E0::V0).into()
      ).try_into().unwrap()
    }
  }

  // f26: optional message M1
  pub fn has_f26(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(19)
    }
  }
  pub fn f26_opt(self) -> ::std::option::Option<super::message_proto::M1View<'msg>> {
    self.has_f26().then(|| self.f26())
  }
  pub fn f26(self) -> super::message_proto::M1View<'msg> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(19)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M1View::default())
  }

  // f27: optional uint64
  pub fn has_f27(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(20)
    }
  }
  pub fn f27_opt(self) -> ::std::option::Option<u64> {
    self.has_f27().then(|| self.f27())
  }
  pub fn f27(self) -> u64 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u64_at_index(
        20, (0u64).into()
      ).try_into().unwrap()
    }
  }

  // f30: repeated int32
  pub fn f30(self) -> ::protobuf::RepeatedView<'msg, i32> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        21
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<i32>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }

  // f31: repeated double
  pub fn f31(self) -> ::protobuf::RepeatedView<'msg, f64> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        22
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<f64>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }

  // f32: repeated bool
  pub fn f32(self) -> ::protobuf::RepeatedView<'msg, bool> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        23
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<bool>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }

  // f33: repeated string
  pub fn f33(self) -> ::protobuf::RepeatedView<'msg, ::protobuf::ProtoString> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        24
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<::protobuf::ProtoString>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }

  // f34: repeated bytes
  pub fn f34(self) -> ::protobuf::RepeatedView<'msg, ::protobuf::ProtoBytes> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        25
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<::protobuf::ProtoBytes>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }

  // f35: repeated enum E0
  pub fn f35(self) -> ::protobuf::RepeatedView<'msg, super::message_proto::E0> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        26
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::E0>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }

  // f36: repeated message M1
  pub fn f36(self) -> ::protobuf::RepeatedView<'msg, super::message_proto::M1> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        27
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M1>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }

  // f37: repeated uint64
  pub fn f37(self) -> ::protobuf::RepeatedView<'msg, u64> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        28
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<u64>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }

  // f40: repeated message M0.F40Entry
  pub fn f40(self)
    -> ::protobuf::MapView<'msg, ::protobuf::ProtoString, i32> {
    unsafe {
      <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(&self, ::protobuf::__internal::Private)
        .get_map_at_index(29)
        .map_or_else(
          ::protobuf::__internal::runtime::empty_map::<::protobuf::ProtoString, i32>,
          |raw| ::protobuf::MapView::from_raw(::protobuf::__internal::Private, raw)
        )
    }
  }

  // f41: repeated message M0.F41Entry
  pub fn f41(self)
    -> ::protobuf::MapView<'msg, i64, ::protobuf::ProtoString> {
    unsafe {
      <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(&self, ::protobuf::__internal::Private)
        .get_map_at_index(30)
        .map_or_else(
          ::protobuf::__internal::runtime::empty_map::<i64, ::protobuf::ProtoString>,
          |raw| ::protobuf::MapView::from_raw(::protobuf::__internal::Private, raw)
        )
    }
  }

  // f42: repeated message M0.F42Entry
  pub fn f42(self)
    -> ::protobuf::MapView<'msg, bool, super::message_proto::M1> {
    unsafe {
      <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(&self, ::protobuf::__internal::Private)
        .get_map_at_index(31)
        .map_or_else(
          ::protobuf::__internal::runtime::empty_map::<bool, super::message_proto::M1>,
          |raw| ::protobuf::MapView::from_raw(::protobuf::__internal::Private, raw)
        )
    }
  }

  // f43: repeated message M0.F43Entry
  pub fn f43(self)
    -> ::protobuf::MapView<'msg, u32, super::message_proto::E0> {
    unsafe {
      <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(&self, ::protobuf::__internal::Private)
        .get_map_at_index(32)
        .map_or_else(
          ::protobuf::__internal::runtime::empty_map::<u32, super::message_proto::E0>,
          |raw| ::protobuf::MapView::from_raw(::protobuf::__internal::Private, raw)
        )
    }
  }

  // f44: repeated message M0.F44Entry
  pub fn f44(self)
    -> ::protobuf::MapView<'msg, ::protobuf::ProtoString, ::protobuf::ProtoBytes> {
    unsafe {
      <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(&self, ::protobuf::__internal::Private)
        .get_map_at_index(33)
        .map_or_else(
          ::protobuf::__internal::runtime::empty_map::<::protobuf::ProtoString, ::protobuf::ProtoBytes>,
          |raw| ::protobuf::MapView::from_raw(::protobuf::__internal::Private, raw)
        )
    }
  }

  // f50: optional int32
  pub fn has_f50(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(34)
    }
  }
  pub fn f50_opt(self) -> ::std::option::Option<i32> {
    self.has_f50().then(|| self.f50())
  }
  pub fn f50(self) -> i32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        34, (0i32).into()
      ).try_into().unwrap()
    }
  }

  // f51: optional string
  pub fn has_f51(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(35)
    }
  }
  pub fn f51_opt(self) -> ::std::option::Option<&'msg ::protobuf::ProtoStr> {
    self.has_f51().then(|| self.f51())
  }
  pub fn f51(self) -> ::protobuf::View<'msg, ::protobuf::ProtoString> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        35, (b"").into()
      )
    };
    ::protobuf::ProtoStr::from_utf8_unchecked(unsafe { str_view.as_ref() })
  }

  // f52: optional message M1
  pub fn has_f52(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(36)
    }
  }
  pub fn f52_opt(self) -> ::std::option::Option<super::message_proto::M1View<'msg>> {
    self.has_f52().then(|| self.f52())
  }
  pub fn f52(self) -> super::message_proto::M1View<'msg> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(36)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M1View::default())
  }

  // f53: optional message M0
  pub fn has_f53(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(37)
    }
  }
  pub fn f53_opt(self) -> ::std::option::Option<super::message_proto::M0View<'msg>> {
    self.has_f53().then(|| self.f53())
  }
  pub fn f53(self) -> super::message_proto::M0View<'msg> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(37)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M0View::default())
  }

  // f54: optional bytes
  pub fn has_f54(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(38)
    }
  }
  pub fn f54_opt(self) -> ::std::option::Option<&'msg [u8]> {
    self.has_f54().then(|| self.f54())
  }
  pub fn f54(self) -> ::protobuf::View<'msg, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        38, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }

  // f55: optional enum E0
  pub fn has_f55(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(39)
    }
  }
  pub fn f55_opt(self) -> ::std::option::Option<super::message_proto::E0> {
    self.has_f55().then(|| self.f55())
  }
  pub fn f55(self) -> super::message_proto::E0 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        39, (super::message_proto::E0::V0).into()
      ).try_into().unwrap()
    }
  }

  // f60: optional string
  pub fn f60(self) -> ::protobuf::View<'msg, ::protobuf::ProtoString> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        40, (b"").into()
      )
    };
    ::protobuf::ProtoStr::from_utf8_unchecked(unsafe { str_view.as_ref() })
  }

  // f61: optional int32
  pub fn has_f61(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(41)
    }
  }
  pub fn f61_opt(self) -> ::std::option::Option<i32> {
    self.has_f61().then(|| self.f61())
  }
  pub fn f61(self) -> i32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        41, (0i32).into()
      ).try_into().unwrap()
    }
  }

  // f62: optional message M3
  pub fn has_f62(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(42)
    }
  }
  pub fn f62_opt(self) -> ::std::option::Option<super::message_proto::M3View<'msg>> {
    self.has_f62().then(|| self.f62())
  }
  pub fn f62(self) -> super::message_proto::M3View<'msg> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(42)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M3View::default())
  }

  // f63: optional message M4
  pub fn has_f63(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(43)
    }
  }
  pub fn f63_opt(self) -> ::std::option::Option<super::message_proto::M4View<'msg>> {
    self.has_f63().then(|| self.f63())
  }
  pub fn f63(self) -> super::message_proto::M4View<'msg> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(43)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M4View::default())
  }

  // f70: optional message M1
  pub fn has_f70(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(45)
    }
  }
  pub fn f70_opt(self) -> ::std::option::Option<super::message_proto::M1View<'msg>> {
    self.has_f70().then(|| self.f70())
  }
  pub fn f70(self) -> super::message_proto::M1View<'msg> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(45)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M1View::default())
  }

  // f71: optional uint32
  pub fn has_f71(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(46)
    }
  }
  pub fn f71_opt(self) -> ::std::option::Option<u32> {
    self.has_f71().then(|| self.f71())
  }
  pub fn f71(self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        46, (0u32).into()
      ).try_into().unwrap()
    }
  }

  // f72: optional message M1
  pub fn has_f72(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(47)
    }
  }
  pub fn f72_opt(self) -> ::std::option::Option<super::message_proto::M1View<'msg>> {
    self.has_f72().then(|| self.f72())
  }
  pub fn f72(self) -> super::message_proto::M1View<'msg> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(47)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M1View::default())
  }

  // f73: repeated float
  pub fn f73(self) -> ::protobuf::RepeatedView<'msg, f32> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        48
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<f32>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }

  // f74: optional bytes
  pub fn f74(self) -> ::protobuf::View<'msg, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        49, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }

  // f75: repeated uint32
  pub fn f75(self) -> ::protobuf::RepeatedView<'msg, u32> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        50
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<u32>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }

  // f76: optional uint32
  pub fn f76(self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        51, (0u32).into()
      ).try_into().unwrap()
    }
  }

  // f64: repeated message M4
  pub fn f64(self) -> ::protobuf::RepeatedView<'msg, super::message_proto::M4> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        44
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M4>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }

  pub fn o0(self) -> super::message_proto::m0::O0Oneof<'msg> {
    match self.o0_case() {
      super::message_proto::m0::O0Case::F50 =>
          super::message_proto::m0::O0Oneof::F50(self.f50()),
      super::message_proto::m0::O0Case::F51 =>
          super::message_proto::m0::O0Oneof::F51(self.f51()),
      super::message_proto::m0::O0Case::F52 =>
          super::message_proto::m0::O0Oneof::F52(self.f52()),
      super::message_proto::m0::O0Case::F53 =>
          super::message_proto::m0::O0Oneof::F53(self.f53()),
      super::message_proto::m0::O0Case::F54 =>
          super::message_proto::m0::O0Oneof::F54(self.f54()),
      super::message_proto::m0::O0Case::F55 =>
          super::message_proto::m0::O0Oneof::F55(self.f55()),
      _ => super::message_proto::m0::O0Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o0_case(self) -> super::message_proto::m0::O0Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(34);
      super::message_proto::m0::O0Case::try_from(field_num).unwrap_unchecked()
    }
  }
  pub fn o1(self) -> super::message_proto::m0::O1Oneof<'msg> {
    match self.o1_case() {
      super::message_proto::m0::O1Case::F71 =>
          super::message_proto::m0::O1Oneof::F71(self.f71()),
      super::message_proto::m0::O1Case::F72 =>
          super::message_proto::m0::O1Oneof::F72(self.f72()),
      _ => super::message_proto::m0::O1Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o1_case(self) -> super::message_proto::m0::O1Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(46);
      super::message_proto::m0::O1Case::try_from(field_num).unwrap_unchecked()
    }
  }
}

// SAFETY:
// - `M0View` is `Sync` because it does not support mutation.
unsafe impl ::std::marker::Sync for M0View<'_> {}

// SAFETY:
// - `M0View` is `Send` because while its alive a `M0Mut` cannot.
// - `M0View` does not use thread-local data.
unsafe impl ::std::marker::Send for M0View<'_> {}

impl<'msg> ::protobuf::AsView for M0View<'msg> {
  type Proxied = M0;
  fn as_view(&self) -> ::protobuf::View<'msg, M0> {
    *self
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M0View<'msg> {
  fn into_view<'shorter>(self) -> M0View<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

impl<'msg> ::protobuf::IntoProxied<M0> for M0View<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M0 {
    let mut dst = M0::new();
    assert!(unsafe {
      dst.inner.ptr_mut().deep_copy(self.inner.ptr(), dst.inner.arena())
    });
    dst
  }
}

impl<'msg> ::protobuf::IntoProxied<M0> for M0Mut<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M0 {
    ::protobuf::IntoProxied::into_proxied(::protobuf::IntoView::into_view(self), _private)
  }
}

impl ::protobuf::__internal::EntityType for M0 {
    type Tag = ::protobuf::__internal::entity_tag::MessageTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M0View<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::ViewProxyTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M0Mut<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::MutProxyTag;
}

#[allow(dead_code)]
#[allow(non_camel_case_types)]
pub struct M0Mut<'msg> {
  inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M0>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M0Mut<'msg> {}

impl<'msg> ::protobuf::MessageMut<'msg> for M0Mut<'msg> {
  type Message = M0;
}

impl ::std::fmt::Debug for M0Mut<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageMutInner<'msg, M0>> for M0Mut<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M0>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M0Mut<'msg> {

  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private)
    -> ::protobuf::__internal::runtime::MessageMutInner<'msg, M0> {
    self.inner.reborrow()
  }

  pub fn to_owned(&self) -> M0 {
    ::protobuf::AsView::as_view(self).to_owned()
  }

  // f1: optional uint64
  pub fn f1(&self) -> u64 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u64_at_index(
        0, (0u64).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f1(&mut self, val: u64) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u64_at_index(
        0, val.into()
      )
    }
  }

  // f2: optional bool
  pub fn f2(&self) -> bool {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_bool_at_index(
        1, (false).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f2(&mut self, val: bool) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_bool_at_index(
        1, val.into()
      )
    }
  }

  // f3: optional int32
  pub fn f3(&self) -> i32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        2, (0i32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f3(&mut self, val: i32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i32_at_index(
        2, val.into()
      )
    }
  }

  // f4: optional sint32
  pub fn f4(&self) -> i32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        3, (0i32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f4(&mut self, val: i32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i32_at_index(
        3, val.into()
      )
    }
  }

  // f5: optional sfixed32
  pub fn f5(&self) -> i32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        4, (0i32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f5(&mut self, val: i32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i32_at_index(
        4, val.into()
      )
    }
  }

  // f6: optional int64
  pub fn f6(&self) -> i64 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i64_at_index(
        5, (0i64).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f6(&mut self, val: i64) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i64_at_index(
        5, val.into()
      )
    }
  }

  // f7: optional fixed64
  pub fn f7(&self) -> u64 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u64_at_index(
        6, (0u64).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f7(&mut self, val: u64) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u64_at_index(
        6, val.into()
      )
    }
  }

  // f8: optional uint32
  pub fn f8(&self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        7, (0u32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f8(&mut self, val: u32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u32_at_index(
        7, val.into()
      )
    }
  }

  // f9: optional float
  pub fn f9(&self) -> f32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_f32_at_index(
        8, (0f32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f9(&mut self, val: f32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_f32_at_index(
        8, val.into()
      )
    }
  }

  // f10: optional double
  pub fn f10(&self) -> f64 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_f64_at_index(
        9, (0f64).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f10(&mut self, val: f64) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_f64_at_index(
        9, val.into()
      )
    }
  }

  // f11: optional string
  pub fn f11(&self) -> ::protobuf::View<'_, ::protobuf::ProtoString> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        10, (b"").into()
      )
    };
    ::protobuf::ProtoStr::from_utf8_unchecked(unsafe { str_view.as_ref() })
  }
  pub fn set_f11(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoString>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_string_field(
        ::protobuf::AsMut::as_mut(self).inner,
        10,
        val);
    }
  }

  // f12: optional bytes
  pub fn f12(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        11, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f12(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        11,
        val);
    }
  }

  // f13: optional enum E0
  pub fn f13(&self) -> super::message_proto::E0 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        12, (super::message_proto::E0::V0).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f13(&mut self, val: super::message_proto::E0) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i32_at_index(
        12, val.into()
      )
    }
  }

  // f20: optional bool
  pub fn has_f20(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(13)
    }
  }
  pub fn clear_f20(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        13
      );
    }
  }
  pub fn f20_opt(&self) -> ::std::option::Option<bool> {
    self.has_f20().then(|| self.f20())
  }
  pub fn f20(&self) -> bool {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_bool_at_index(
        13, (false).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f20(&mut self, val: bool) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_bool_at_index(
        13, val.into()
      )
    }
  }

  // f21: optional sint64
  pub fn has_f21(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(14)
    }
  }
  pub fn clear_f21(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        14
      );
    }
  }
  pub fn f21_opt(&self) -> ::std::option::Option<i64> {
    self.has_f21().then(|| self.f21())
  }
  pub fn f21(&self) -> i64 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i64_at_index(
        14, (0i64).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f21(&mut self, val: i64) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i64_at_index(
        14, val.into()
      )
    }
  }

  // f22: optional float
  pub fn has_f22(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(15)
    }
  }
  pub fn clear_f22(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        15
      );
    }
  }
  pub fn f22_opt(&self) -> ::std::option::Option<f32> {
    self.has_f22().then(|| self.f22())
  }
  pub fn f22(&self) -> f32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_f32_at_index(
        15, (0f32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f22(&mut self, val: f32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_f32_at_index(
        15, val.into()
      )
    }
  }

  // f23: optional string
  pub fn has_f23(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(16)
    }
  }
  pub fn clear_f23(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        16
      );
    }
  }
  pub fn f23_opt(&self) -> ::std::option::Option<&'_ ::protobuf::ProtoStr> {
    self.has_f23().then(|| self.f23())
  }
  pub fn f23(&self) -> ::protobuf::View<'_, ::protobuf::ProtoString> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        16, (b"").into()
      )
    };
    ::protobuf::ProtoStr::from_utf8_unchecked(unsafe { str_view.as_ref() })
  }
  pub fn set_f23(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoString>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_string_field(
        ::protobuf::AsMut::as_mut(self).inner,
        16,
        val);
    }
  }

  // f24: optional bytes
  pub fn has_f24(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(17)
    }
  }
  pub fn clear_f24(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        17
      );
    }
  }
  pub fn f24_opt(&self) -> ::std::option::Option<&'_ [u8]> {
    self.has_f24().then(|| self.f24())
  }
  pub fn f24(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        17, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f24(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        17,
        val);
    }
  }

  // f25: optional enum E0
  pub fn has_f25(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(18)
    }
  }
  pub fn clear_f25(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        18
      );
    }
  }
  pub fn f25_opt(&self) -> ::std::option::Option<super::message_proto::E0> {
    self.has_f25().then(|| self.f25())
  }
  pub fn f25(&self) -> super::message_proto::E0 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        18, (super::message_proto::E0::V0).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f25(&mut self, val: super::message_proto::E0) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i32_at_index(
        18, val.into()
      )
    }
  }

  // f26: optional message M1
  pub fn has_f26(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(19)
    }
  }
  pub fn clear_f26(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        19
      );
    }
  }
  pub fn f26_opt(&self) -> ::std::option::Option<super::message_proto::M1View<'_>> {
    self.has_f26().then(|| self.f26())
  }
  pub fn f26(&self) -> super::message_proto::M1View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(19)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M1View::default())
  }
  pub fn f26_mut(&mut self) -> super::message_proto::M1Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         19, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f26(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M1>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        19,
        val
      );
    }
  }

  // f27: optional uint64
  pub fn has_f27(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(20)
    }
  }
  pub fn clear_f27(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        20
      );
    }
  }
  pub fn f27_opt(&self) -> ::std::option::Option<u64> {
    self.has_f27().then(|| self.f27())
  }
  pub fn f27(&self) -> u64 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u64_at_index(
        20, (0u64).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f27(&mut self, val: u64) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u64_at_index(
        20, val.into()
      )
    }
  }

  // f30: repeated int32
  pub fn f30(&self) -> ::protobuf::RepeatedView<'_, i32> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        21
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<i32>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f30_mut(&mut self) -> ::protobuf::RepeatedMut<'_, i32> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        21,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f30(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<i32>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        21,
        src);
    }
  }

  // f31: repeated double
  pub fn f31(&self) -> ::protobuf::RepeatedView<'_, f64> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        22
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<f64>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f31_mut(&mut self) -> ::protobuf::RepeatedMut<'_, f64> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        22,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f31(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<f64>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        22,
        src);
    }
  }

  // f32: repeated bool
  pub fn f32(&self) -> ::protobuf::RepeatedView<'_, bool> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        23
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<bool>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f32_mut(&mut self) -> ::protobuf::RepeatedMut<'_, bool> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        23,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f32(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<bool>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        23,
        src);
    }
  }

  // f33: repeated string
  pub fn f33(&self) -> ::protobuf::RepeatedView<'_, ::protobuf::ProtoString> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        24
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<::protobuf::ProtoString>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f33_mut(&mut self) -> ::protobuf::RepeatedMut<'_, ::protobuf::ProtoString> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        24,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f33(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<::protobuf::ProtoString>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        24,
        src);
    }
  }

  // f34: repeated bytes
  pub fn f34(&self) -> ::protobuf::RepeatedView<'_, ::protobuf::ProtoBytes> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        25
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<::protobuf::ProtoBytes>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f34_mut(&mut self) -> ::protobuf::RepeatedMut<'_, ::protobuf::ProtoBytes> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        25,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f34(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<::protobuf::ProtoBytes>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        25,
        src);
    }
  }

  // f35: repeated enum E0
  pub fn f35(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::E0> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        26
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::E0>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f35_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::E0> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        26,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f35(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::E0>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        26,
        src);
    }
  }

  // f36: repeated message M1
  pub fn f36(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::M1> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        27
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M1>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f36_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::M1> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        27,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f36(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::M1>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        27,
        src);
    }
  }

  // f37: repeated uint64
  pub fn f37(&self) -> ::protobuf::RepeatedView<'_, u64> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        28
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<u64>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f37_mut(&mut self) -> ::protobuf::RepeatedMut<'_, u64> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        28,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f37(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<u64>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        28,
        src);
    }
  }

  // f40: repeated message M0.F40Entry
  pub fn f40(&self)
    -> ::protobuf::MapView<'_, ::protobuf::ProtoString, i32> {
    unsafe {
      <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(&self, ::protobuf::__internal::Private)
        .get_map_at_index(29)
        .map_or_else(
          ::protobuf::__internal::runtime::empty_map::<::protobuf::ProtoString, i32>,
          |raw| ::protobuf::MapView::from_raw(::protobuf::__internal::Private, raw)
        )
    }
  }
  pub fn f40_mut(&mut self)
    -> ::protobuf::MapMut<'_, ::protobuf::ProtoString, i32> {
    unsafe {
      let raw_map = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtrMut>::get_ptr_mut(self, ::protobuf::__internal::Private)
        .get_or_create_mutable_map_at_index(
          29, self.inner.arena()).unwrap();
      let inner = ::protobuf::__internal::runtime::InnerMapMut::new(
        raw_map, self.inner.arena());
      ::protobuf::MapMut::from_inner(::protobuf::__internal::Private, inner)
    }
  }
  pub fn set_f40(
      &mut self,
      src: impl ::protobuf::IntoProxied<::protobuf::Map<::protobuf::ProtoString, i32>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_map_field(
        ::protobuf::AsMut::as_mut(self).inner,
        29,
        src);
    }
  }

  // f41: repeated message M0.F41Entry
  pub fn f41(&self)
    -> ::protobuf::MapView<'_, i64, ::protobuf::ProtoString> {
    unsafe {
      <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(&self, ::protobuf::__internal::Private)
        .get_map_at_index(30)
        .map_or_else(
          ::protobuf::__internal::runtime::empty_map::<i64, ::protobuf::ProtoString>,
          |raw| ::protobuf::MapView::from_raw(::protobuf::__internal::Private, raw)
        )
    }
  }
  pub fn f41_mut(&mut self)
    -> ::protobuf::MapMut<'_, i64, ::protobuf::ProtoString> {
    unsafe {
      let raw_map = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtrMut>::get_ptr_mut(self, ::protobuf::__internal::Private)
        .get_or_create_mutable_map_at_index(
          30, self.inner.arena()).unwrap();
      let inner = ::protobuf::__internal::runtime::InnerMapMut::new(
        raw_map, self.inner.arena());
      ::protobuf::MapMut::from_inner(::protobuf::__internal::Private, inner)
    }
  }
  pub fn set_f41(
      &mut self,
      src: impl ::protobuf::IntoProxied<::protobuf::Map<i64, ::protobuf::ProtoString>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_map_field(
        ::protobuf::AsMut::as_mut(self).inner,
        30,
        src);
    }
  }

  // f42: repeated message M0.F42Entry
  pub fn f42(&self)
    -> ::protobuf::MapView<'_, bool, super::message_proto::M1> {
    unsafe {
      <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(&self, ::protobuf::__internal::Private)
        .get_map_at_index(31)
        .map_or_else(
          ::protobuf::__internal::runtime::empty_map::<bool, super::message_proto::M1>,
          |raw| ::protobuf::MapView::from_raw(::protobuf::__internal::Private, raw)
        )
    }
  }
  pub fn f42_mut(&mut self)
    -> ::protobuf::MapMut<'_, bool, super::message_proto::M1> {
    unsafe {
      let raw_map = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtrMut>::get_ptr_mut(self, ::protobuf::__internal::Private)
        .get_or_create_mutable_map_at_index(
          31, self.inner.arena()).unwrap();
      let inner = ::protobuf::__internal::runtime::InnerMapMut::new(
        raw_map, self.inner.arena());
      ::protobuf::MapMut::from_inner(::protobuf::__internal::Private, inner)
    }
  }
  pub fn set_f42(
      &mut self,
      src: impl ::protobuf::IntoProxied<::protobuf::Map<bool, super::message_proto::M1>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_map_field(
        ::protobuf::AsMut::as_mut(self).inner,
        31,
        src);
    }
  }

  // f43: repeated message M0.F43Entry
  pub fn f43(&self)
    -> ::protobuf::MapView<'_, u32, super::message_proto::E0> {
    unsafe {
      <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(&self, ::protobuf::__internal::Private)
        .get_map_at_index(32)
        .map_or_else(
          ::protobuf::__internal::runtime::empty_map::<u32, super::message_proto::E0>,
          |raw| ::protobuf::MapView::from_raw(::protobuf::__internal::Private, raw)
        )
    }
  }
  pub fn f43_mut(&mut self)
    -> ::protobuf::MapMut<'_, u32, super::message_proto::E0> {
    unsafe {
      let raw_map = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtrMut>::get_ptr_mut(self, ::protobuf::__internal::Private)
        .get_or_create_mutable_map_at_index(
          32, self.inner.arena()).unwrap();
      let inner = ::protobuf::__internal::runtime::InnerMapMut::new(
        raw_map, self.inner.arena());
      ::protobuf::MapMut::from_inner(::protobuf::__internal::Private, inner)
    }
  }
  pub fn set_f43(
      &mut self,
      src: impl ::protobuf::IntoProxied<::protobuf::Map<u32, super::message_proto::E0>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_map_field(
        ::protobuf::AsMut::as_mut(self).inner,
        32,
        src);
    }
  }

  // f44: repeated message M0.F44Entry
  pub fn f44(&self)
    -> ::protobuf::MapView<'_, ::protobuf::ProtoString, ::protobuf::ProtoBytes> {
    unsafe {
      <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(&self, ::protobuf::__internal::Private)
        .get_map_at_index(33)
        .map_or_else(
          ::protobuf::__internal::runtime::empty_map::<::protobuf::ProtoString, ::protobuf::ProtoBytes>,
          |raw| ::protobuf::MapView::from_raw(::protobuf::__internal::Private, raw)
        )
    }
  }
  pub fn f44_mut(&mut self)
    -> ::protobuf::MapMut<'_, ::protobuf::ProtoString, ::protobuf::ProtoBytes> {
    unsafe {
      let raw_map = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtrMut>::get_ptr_mut(self, ::protobuf::__internal::Private)
        .get_or_create_mutable_map_at_index(
          33, self.inner.arena()).unwrap();
      let inner = ::protobuf::__internal::runtime::InnerMapMut::new(
        raw_map, self.inner.arena());
      ::protobuf::MapMut::from_inner(::protobuf::__internal::Private, inner)
    }
  }
  pub fn set_f44(
      &mut self,
      src: impl ::protobuf::IntoProxied<::protobuf::Map<::protobuf::ProtoString, ::protobuf::ProtoBytes>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_map_field(
        ::protobuf::AsMut::as_mut(self).inner,
        33,
        src);
    }
  }

  // f50: optional int32
  pub fn has_f50(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(34)
    }
  }
  pub fn clear_f50(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        34
      );
    }
  }
  pub fn f50_opt(&self) -> ::std::option::Option<i32> {
    self.has_f50().then(|| self.f50())
  }
  pub fn f50(&self) -> i32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        34, (0i32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f50(&mut self, val: i32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i32_at_index(
        34, val.into()
      )
    }
  }

  // f51: optional string
  pub fn has_f51(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(35)
    }
  }
  pub fn clear_f51(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        35
      );
    }
  }
  pub fn f51_opt(&self) -> ::std::option::Option<&'_ ::protobuf::ProtoStr> {
    self.has_f51().then(|| self.f51())
  }
  pub fn f51(&self) -> ::protobuf::View<'_, ::protobuf::ProtoString> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        35, (b"").into()
      )
    };
    ::protobuf::ProtoStr::from_utf8_unchecked(unsafe { str_view.as_ref() })
  }
  pub fn set_f51(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoString>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_string_field(
        ::protobuf::AsMut::as_mut(self).inner,
        35,
        val);
    }
  }

  // f52: optional message M1
  pub fn has_f52(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(36)
    }
  }
  pub fn clear_f52(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        36
      );
    }
  }
  pub fn f52_opt(&self) -> ::std::option::Option<super::message_proto::M1View<'_>> {
    self.has_f52().then(|| self.f52())
  }
  pub fn f52(&self) -> super::message_proto::M1View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(36)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M1View::default())
  }
  pub fn f52_mut(&mut self) -> super::message_proto::M1Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         36, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f52(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M1>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        36,
        val
      );
    }
  }

  // f53: optional message M0
  pub fn has_f53(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(37)
    }
  }
  pub fn clear_f53(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        37
      );
    }
  }
  pub fn f53_opt(&self) -> ::std::option::Option<super::message_proto::M0View<'_>> {
    self.has_f53().then(|| self.f53())
  }
  pub fn f53(&self) -> super::message_proto::M0View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(37)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M0View::default())
  }
  pub fn f53_mut(&mut self) -> super::message_proto::M0Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         37, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f53(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M0>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        37,
        val
      );
    }
  }

  // f54: optional bytes
  pub fn has_f54(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(38)
    }
  }
  pub fn clear_f54(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        38
      );
    }
  }
  pub fn f54_opt(&self) -> ::std::option::Option<&'_ [u8]> {
    self.has_f54().then(|| self.f54())
  }
  pub fn f54(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        38, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f54(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        38,
        val);
    }
  }

  // f55: optional enum E0
  pub fn has_f55(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(39)
    }
  }
  pub fn clear_f55(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        39
      );
    }
  }
  pub fn f55_opt(&self) -> ::std::option::Option<super::message_proto::E0> {
    self.has_f55().then(|| self.f55())
  }
  pub fn f55(&self) -> super::message_proto::E0 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        39, (super::message_proto::E0::V0).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f55(&mut self, val: super::message_proto::E0) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i32_at_index(
        39, val.into()
      )
    }
  }

  // f60: optional string
  pub fn f60(&self) -> ::protobuf::View<'_, ::protobuf::ProtoString> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        40, (b"").into()
      )
    };
    ::protobuf::ProtoStr::from_utf8_unchecked(unsafe { str_view.as_ref() })
  }
  pub fn set_f60(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoString>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_string_field(
        ::protobuf::AsMut::as_mut(self).inner,
        40,
        val);
    }
  }

  // f61: optional int32
  pub fn has_f61(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(41)
    }
  }
  pub fn clear_f61(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        41
      );
    }
  }
  pub fn f61_opt(&self) -> ::std::option::Option<i32> {
    self.has_f61().then(|| self.f61())
  }
  pub fn f61(&self) -> i32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        41, (0i32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f61(&mut self, val: i32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i32_at_index(
        41, val.into()
      )
    }
  }

  // f62: optional message M3
  pub fn has_f62(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(42)
    }
  }
  pub fn clear_f62(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        42
      );
    }
  }
  pub fn f62_opt(&self) -> ::std::option::Option<super::message_proto::M3View<'_>> {
    self.has_f62().then(|| self.f62())
  }
  pub fn f62(&self) -> super::message_proto::M3View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(42)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M3View::default())
  }
  pub fn f62_mut(&mut self) -> super::message_proto::M3Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         42, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f62(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M3>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        42,
        val
      );
    }
  }

  // f63: optional message M4
  pub fn has_f63(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(43)
    }
  }
  pub fn clear_f63(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        43
      );
    }
  }
  pub fn f63_opt(&self) -> ::std::option::Option<super::message_proto::M4View<'_>> {
    self.has_f63().then(|| self.f63())
  }
  pub fn f63(&self) -> super::message_proto::M4View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(43)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M4View::default())
  }
  pub fn f63_mut(&mut self) -> super::message_proto::M4Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         43, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f63(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M4>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        43,
        val
      );
    }
  }

  // f70: optional message M1
  pub fn has_f70(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(45)
    }
  }
  pub fn clear_f70(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        45
      );
    }
  }
  pub fn f70_opt(&self) -> ::std::option::Option<super::message_proto::M1View<'_>> {
    self.has_f70().then(|| self.f70())
  }
  pub fn f70(&self) -> super::message_proto::M1View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(45)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M1View::default())
  }
  pub fn f70_mut(&mut self) -> super::message_proto::M1Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         45, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f70(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M1>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        45,
        val
      );
    }
  }

  // f71: optional uint32
  pub fn has_f71(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(46)
    }
  }
  pub fn clear_f71(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        46
      );
    }
  }
  pub fn f71_opt(&self) -> ::std::option::Option<u32> {
    self.has_f71().then(|| self.f71())
  }
  pub fn f71(&self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        46, (0u32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f71(&mut self, val: u32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u32_at_index(
        46, val.into()
      )
    }
  }

  // f72: optional message M1
  pub fn has_f72(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(47)
    }
  }
  pub fn clear_f72(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        47
      );
    }
  }
  pub fn f72_opt(&self) -> ::std::option::Option<super::message_proto::M1View<'_>> {
    self.has_f72().then(|| self.f72())
  }
  pub fn f72(&self) -> super::message_proto::M1View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(47)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M1View::default())
  }
  pub fn f72_mut(&mut self) -> super::message_proto::M1Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         47, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f72(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M1>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        47,
        val
      );
    }
  }

  // f73: repeated float
  pub fn f73(&self) -> ::protobuf::RepeatedView<'_, f32> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        48
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<f32>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f73_mut(&mut self) -> ::protobuf::RepeatedMut<'_, f32> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        48,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f73(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<f32>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        48,
        src);
    }
  }

  // f74: optional bytes
  pub fn f74(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        49, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f74(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        49,
        val);
    }
  }

  // f75: repeated uint32
  pub fn f75(&self) -> ::protobuf::RepeatedView<'_, u32> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        50
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<u32>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f75_mut(&mut self) -> ::protobuf::RepeatedMut<'_, u32> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        50,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f75(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<u32>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        50,
        src);
    }
  }

  // f76: optional uint32
  pub fn f76(&self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        51, (0u32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f76(&mut self, val: u32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u32_at_index(
        51, val.into()
      )
    }
  }

  // f64: repeated message M4
  pub fn f64(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::M4> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        44
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M4>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f64_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::M4> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        44,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f64(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::M4>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        44,
        src);
    }
  }

  pub fn o0(&self) -> super::message_proto::m0::O0Oneof<'_> {
    match &self.o0_case() {
      super::message_proto::m0::O0Case::F50 =>
          super::message_proto::m0::O0Oneof::F50(self.f50()),
      super::message_proto::m0::O0Case::F51 =>
          super::message_proto::m0::O0Oneof::F51(self.f51()),
      super::message_proto::m0::O0Case::F52 =>
          super::message_proto::m0::O0Oneof::F52(self.f52()),
      super::message_proto::m0::O0Case::F53 =>
          super::message_proto::m0::O0Oneof::F53(self.f53()),
      super::message_proto::m0::O0Case::F54 =>
          super::message_proto::m0::O0Oneof::F54(self.f54()),
      super::message_proto::m0::O0Case::F55 =>
          super::message_proto::m0::O0Oneof::F55(self.f55()),
      _ => super::message_proto::m0::O0Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o0_case(&self) -> super::message_proto::m0::O0Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(34);
      super::message_proto::m0::O0Case::try_from(field_num).unwrap_unchecked()
    }
  }
  pub fn o1(&self) -> super::message_proto::m0::O1Oneof<'_> {
    match &self.o1_case() {
      super::message_proto::m0::O1Case::F71 =>
          super::message_proto::m0::O1Oneof::F71(self.f71()),
      super::message_proto::m0::O1Case::F72 =>
          super::message_proto::m0::O1Oneof::F72(self.f72()),
      _ => super::message_proto::m0::O1Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o1_case(&self) -> super::message_proto::m0::O1Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(46);
      super::message_proto::m0::O1Case::try_from(field_num).unwrap_unchecked()
    }
  }
}

// SAFETY:
// - `M0Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Send for M0Mut<'_> {}

// SAFETY:
// - `M0Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Sync for M0Mut<'_> {}

impl<'msg> ::protobuf::AsView for M0Mut<'msg> {
  type Proxied = M0;
  fn as_view(&self) -> ::protobuf::View<'_, M0> {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M0Mut<'msg> {
  fn into_view<'shorter>(self) -> ::protobuf::View<'shorter, M0>
  where
      'msg: 'shorter {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::AsMut for M0Mut<'msg> {
  type MutProxied = M0;
  fn as_mut(&mut self) -> M0Mut<'msg> {
    self.inner.reborrow().into()
  }
}

impl<'msg> ::protobuf::IntoMut<'msg> for M0Mut<'msg> {
  fn into_mut<'shorter>(self) -> M0Mut<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

#[allow(dead_code)]
impl M0 {
  pub fn new() -> Self {
    Self { inner: ::protobuf::__internal::runtime::OwnedMessageInner::<Self>::new() }
  }


  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessageMutInner<'_, M0> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner)
  }

  pub fn as_view(&self) -> M0View<'_> {
    ::protobuf::__internal::runtime::MessageViewInner::view_of_owned(&self.inner).into()
  }

  pub fn as_mut(&mut self) -> M0Mut<'_> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner).into()
  }

  // f1: optional uint64
  pub fn f1(&self) -> u64 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u64_at_index(
        0, (0u64).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f1(&mut self, val: u64) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u64_at_index(
        0, val.into()
      )
    }
  }

  // f2: optional bool
  pub fn f2(&self) -> bool {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_bool_at_index(
        1, (false).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f2(&mut self, val: bool) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_bool_at_index(
        1, val.into()
      )
    }
  }

  // f3: optional int32
  pub fn f3(&self) -> i32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        2, (0i32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f3(&mut self, val: i32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i32_at_index(
        2, val.into()
      )
    }
  }

  // f4: optional sint32
  pub fn f4(&self) -> i32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        3, (0i32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f4(&mut self, val: i32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i32_at_index(
        3, val.into()
      )
    }
  }

  // f5: optional sfixed32
  pub fn f5(&self) -> i32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        4, (0i32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f5(&mut self, val: i32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i32_at_index(
        4, val.into()
      )
    }
  }

  // f6: optional int64
  pub fn f6(&self) -> i64 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i64_at_index(
        5, (0i64).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f6(&mut self, val: i64) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i64_at_index(
        5, val.into()
      )
    }
  }

  // f7: optional fixed64
  pub fn f7(&self) -> u64 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u64_at_index(
        6, (0u64).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f7(&mut self, val: u64) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u64_at_index(
        6, val.into()
      )
    }
  }

  // f8: optional uint32
  pub fn f8(&self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        7, (0u32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f8(&mut self, val: u32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u32_at_index(
        7, val.into()
      )
    }
  }

  // f9: optional float
  pub fn f9(&self) -> f32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_f32_at_index(
        8, (0f32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f9(&mut self, val: f32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_f32_at_index(
        8, val.into()
      )
    }
  }

  // f10: optional double
  pub fn f10(&self) -> f64 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_f64_at_index(
        9, (0f64).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f10(&mut self, val: f64) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_f64_at_index(
        9, val.into()
      )
    }
  }

  // f11: optional string
  pub fn f11(&self) -> ::protobuf::View<'_, ::protobuf::ProtoString> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        10, (b"").into()
      )
    };
    ::protobuf::ProtoStr::from_utf8_unchecked(unsafe { str_view.as_ref() })
  }
  pub fn set_f11(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoString>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_string_field(
        ::protobuf::AsMut::as_mut(self).inner,
        10,
        val);
    }
  }

  // f12: optional bytes
  pub fn f12(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        11, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f12(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        11,
        val);
    }
  }

  // f13: optional enum E0
  pub fn f13(&self) -> super::message_proto::E0 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        12, (super::message_proto::E0::V0).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f13(&mut self, val: super::message_proto::E0) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i32_at_index(
        12, val.into()
      )
    }
  }

  // f20: optional bool
  pub fn has_f20(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(13)
    }
  }
  pub fn clear_f20(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        13
      );
    }
  }
  pub fn f20_opt(&self) -> ::std::option::Option<bool> {
    self.has_f20().then(|| self.f20())
  }
  pub fn f20(&self) -> bool {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_bool_at_index(
        13, (false).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f20(&mut self, val: bool) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_bool_at_index(
        13, val.into()
      )
    }
  }

  // f21: optional sint64
  pub fn has_f21(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(14)
    }
  }
  pub fn clear_f21(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        14
      );
    }
  }
  pub fn f21_opt(&self) -> ::std::option::Option<i64> {
    self.has_f21().then(|| self.f21())
  }
  pub fn f21(&self) -> i64 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i64_at_index(
        14, (0i64).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f21(&mut self, val: i64) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i64_at_index(
        14, val.into()
      )
    }
  }

  // f22: optional float
  pub fn has_f22(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(15)
    }
  }
  pub fn clear_f22(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        15
      );
    }
  }
  pub fn f22_opt(&self) -> ::std::option::Option<f32> {
    self.has_f22().then(|| self.f22())
  }
  pub fn f22(&self) -> f32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_f32_at_index(
        15, (0f32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f22(&mut self, val: f32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_f32_at_index(
        15, val.into()
      )
    }
  }

  // f23: optional string
  pub fn has_f23(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(16)
    }
  }
  pub fn clear_f23(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        16
      );
    }
  }
  pub fn f23_opt(&self) -> ::std::option::Option<&'_ ::protobuf::ProtoStr> {
    self.has_f23().then(|| self.f23())
  }
  pub fn f23(&self) -> ::protobuf::View<'_, ::protobuf::ProtoString> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        16, (b"").into()
      )
    };
    ::protobuf::ProtoStr::from_utf8_unchecked(unsafe { str_view.as_ref() })
  }
  pub fn set_f23(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoString>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_string_field(
        ::protobuf::AsMut::as_mut(self).inner,
        16,
        val);
    }
  }

  // f24: optional bytes
  pub fn has_f24(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(17)
    }
  }
  pub fn clear_f24(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        17
      );
    }
  }
  pub fn f24_opt(&self) -> ::std::option::Option<&'_ [u8]> {
    self.has_f24().then(|| self.f24())
  }
  pub fn f24(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        17, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f24(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        17,
        val);
    }
  }

  // f25: optional enum E0
  pub fn has_f25(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(18)
    }
  }
  pub fn clear_f25(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        18
      );
    }
  }
  pub fn f25_opt(&self) -> ::std::option::Option<super::message_proto::E0> {
    self.has_f25().then(|| self.f25())
  }
  pub fn f25(&self) -> super::message_proto::E0 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        18, (super::message_proto::E0::V0).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f25(&mut self, val: super::message_proto::E0) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i32_at_index(
        18, val.into()
      )
    }
  }

  // f26: optional message M1
  pub fn has_f26(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(19)
    }
  }
  pub fn clear_f26(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        19
      );
    }
  }
  pub fn f26_opt(&self) -> ::std::option::Option<super::message_proto::M1View<'_>> {
    self.has_f26().then(|| self.f26())
  }
  pub fn f26(&self) -> super::message_proto::M1View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(19)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M1View::default())
  }
  pub fn f26_mut(&mut self) -> super::message_proto::M1Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         19, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f26(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M1>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        19,
        val
      );
    }
  }

  // f27: optional uint64
  pub fn has_f27(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(20)
    }
  }
  pub fn clear_f27(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        20
      );
    }
  }
  pub fn f27_opt(&self) -> ::std::option::Option<u64> {
    self.has_f27().then(|| self.f27())
  }
  pub fn f27(&self) -> u64 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u64_at_index(
        20, (0u64).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f27(&mut self, val: u64) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u64_at_index(
        20, val.into()
      )
    }
  }

  // f30: repeated int32
  pub fn f30(&self) -> ::protobuf::RepeatedView<'_, i32> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        21
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<i32>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f30_mut(&mut self) -> ::protobuf::RepeatedMut<'_, i32> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        21,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f30(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<i32>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        21,
        src);
    }
  }

  // f31: repeated double
  pub fn f31(&self) -> ::protobuf::RepeatedView<'_, f64> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        22
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<f64>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f31_mut(&mut self) -> ::protobuf::RepeatedMut<'_, f64> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        22,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f31(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<f64>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        22,
        src);
    }
  }

  // f32: repeated bool
  pub fn f32(&self) -> ::protobuf::RepeatedView<'_, bool> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        23
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<bool>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f32_mut(&mut self) -> ::protobuf::RepeatedMut<'_, bool> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        23,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f32(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<bool>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        23,
        src);
    }
  }

  // f33: repeated string
  pub fn f33(&self) -> ::protobuf::RepeatedView<'_, ::protobuf::ProtoString> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        24
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<::protobuf::ProtoString>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f33_mut(&mut self) -> ::protobuf::RepeatedMut<'_, ::protobuf::ProtoString> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        24,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f33(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<::protobuf::ProtoString>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        24,
        src);
    }
  }

  // f34: repeated bytes
  pub fn f34(&self) -> ::protobuf::RepeatedView<'_, ::protobuf::ProtoBytes> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        25
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<::protobuf::ProtoBytes>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f34_mut(&mut self) -> ::protobuf::RepeatedMut<'_, ::protobuf::ProtoBytes> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        25,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f34(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<::protobuf::ProtoBytes>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        25,
        src);
    }
  }

  // f35: repeated enum E0
  pub fn f35(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::E0> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        26
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::E0>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f35_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::E0> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        26,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f35(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::E0>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        26,
        src);
    }
  }

  // f36: repeated message M1
  pub fn f36(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::M1> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        27
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M1>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f36_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::M1> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        27,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f36(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::M1>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        27,
        src);
    }
  }

  // f37: repeated uint64
  pub fn f37(&self) -> ::protobuf::RepeatedView<'_, u64> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        28
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<u64>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f37_mut(&mut self) -> ::protobuf::RepeatedMut<'_, u64> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        28,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f37(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<u64>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        28,
        src);
    }
  }

  // f40: repeated message M0.F40Entry
  pub fn f40(&self)
    -> ::protobuf::MapView<'_, ::protobuf::ProtoString, i32> {
    unsafe {
      <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(&self, ::protobuf::__internal::Private)
        .get_map_at_index(29)
        .map_or_else(
          ::protobuf::__internal::runtime::empty_map::<::protobuf::ProtoString, i32>,
          |raw| ::protobuf::MapView::from_raw(::protobuf::__internal::Private, raw)
        )
    }
  }
  pub fn f40_mut(&mut self)
    -> ::protobuf::MapMut<'_, ::protobuf::ProtoString, i32> {
    unsafe {
      let raw_map = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtrMut>::get_ptr_mut(self, ::protobuf::__internal::Private)
        .get_or_create_mutable_map_at_index(
          29, self.inner.arena()).unwrap();
      let inner = ::protobuf::__internal::runtime::InnerMapMut::new(
        raw_map, self.inner.arena());
      ::protobuf::MapMut::from_inner(::protobuf::__internal::Private, inner)
    }
  }
  pub fn set_f40(
      &mut self,
      src: impl ::protobuf::IntoProxied<::protobuf::Map<::protobuf::ProtoString, i32>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_map_field(
        ::protobuf::AsMut::as_mut(self).inner,
        29,
        src);
    }
  }

  // f41: repeated message M0.F41Entry
  pub fn f41(&self)
    -> ::protobuf::MapView<'_, i64, ::protobuf::ProtoString> {
    unsafe {
      <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(&self, ::protobuf::__internal::Private)
        .get_map_at_index(30)
        .map_or_else(
          ::protobuf::__internal::runtime::empty_map::<i64, ::protobuf::ProtoString>,
          |raw| ::protobuf::MapView::from_raw(::protobuf::__internal::Private, raw)
        )
    }
  }
  pub fn f41_mut(&mut self)
    -> ::protobuf::MapMut<'_, i64, ::protobuf::ProtoString> {
    unsafe {
      let raw_map = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtrMut>::get_ptr_mut(self, ::protobuf::__internal::Private)
        .get_or_create_mutable_map_at_index(
          30, self.inner.arena()).unwrap();
      let inner = ::protobuf::__internal::runtime::InnerMapMut::new(
        raw_map, self.inner.arena());
      ::protobuf::MapMut::from_inner(::protobuf::__internal::Private, inner)
    }
  }
  pub fn set_f41(
      &mut self,
      src: impl ::protobuf::IntoProxied<::protobuf::Map<i64, ::protobuf::ProtoString>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_map_field(
        ::protobuf::AsMut::as_mut(self).inner,
        30,
        src);
    }
  }

  // f42: repeated message M0.F42Entry
  pub fn f42(&self)
    -> ::protobuf::MapView<'_, bool, super::message_proto::M1> {
    unsafe {
      <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(&self, ::protobuf::__internal::Private)
        .get_map_at_index(31)
        .map_or_else(
          ::protobuf::__internal::runtime::empty_map::<bool, super::message_proto::M1>,
          |raw| ::protobuf::MapView::from_raw(::protobuf::__internal::Private, raw)
        )
    }
  }
  pub fn f42_mut(&mut self)
    -> ::protobuf::MapMut<'_, bool, super::message_proto::M1> {
    unsafe {
      let raw_map = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtrMut>::get_ptr_mut(self, ::protobuf::__internal::Private)
        .get_or_create_mutable_map_at_index(
          31, self.inner.arena()).unwrap();
      let inner = ::protobuf::__internal::runtime::InnerMapMut::new(
        raw_map, self.inner.arena());
      ::protobuf::MapMut::from_inner(::protobuf::__internal::Private, inner)
    }
  }
  pub fn set_f42(
      &mut self,
      src: impl ::protobuf::IntoProxied<::protobuf::Map<bool, super::message_proto::M1>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_map_field(
        ::protobuf::AsMut::as_mut(self).inner,
        31,
        src);
    }
  }

  // f43: repeated message M0.F43Entry
  pub fn f43(&self)
    -> ::protobuf::MapView<'_, u32, super::message_proto::E0> {
    unsafe {
      <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(&self, ::protobuf::__internal::Private)
        .get_map_at_index(32)
        .map_or_else(
          ::protobuf::__internal::runtime::empty_map::<u32, super::message_proto::E0>,
          |raw| ::protobuf::MapView::from_raw(::protobuf::__internal::Private, raw)
        )
    }
  }
  pub fn f43_mut(&mut self)
    -> ::protobuf::MapMut<'_, u32, super::message_proto::E0> {
    unsafe {
      let raw_map = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtrMut>::get_ptr_mut(self, ::protobuf::__internal::Private)
        .get_or_create_mutable_map_at_index(
          32, self.inner.arena()).unwrap();
      let inner = ::protobuf::__internal::runtime::InnerMapMut::new(
        raw_map, self.inner.arena());
      ::protobuf::MapMut::from_inner(::protobuf::__internal::Private, inner)
    }
  }
  pub fn set_f43(
      &mut self,
      src: impl ::protobuf::IntoProxied<::protobuf::Map<u32, super::message_proto::E0>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_map_field(
        ::protobuf::AsMut::as_mut(self).inner,
        32,
        src);
    }
  }

  // f44: repeated message M0.F44Entry
  pub fn f44(&self)
    -> ::protobuf::MapView<'_, ::protobuf::ProtoString, ::protobuf::ProtoBytes> {
    unsafe {
      <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(&self, ::protobuf::__internal::Private)
        .get_map_at_index(33)
        .map_or_else(
          ::protobuf::__internal::runtime::empty_map::<::protobuf::ProtoString, ::protobuf::ProtoBytes>,
          |raw| ::protobuf::MapView::from_raw(::protobuf::__internal::Private, raw)
        )
    }
  }
  pub fn f44_mut(&mut self)
    -> ::protobuf::MapMut<'_, ::protobuf::ProtoString, ::protobuf::ProtoBytes> {
    unsafe {
      let raw_map = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtrMut>::get_ptr_mut(self, ::protobuf::__internal::Private)
        .get_or_create_mutable_map_at_index(
          33, self.inner.arena()).unwrap();
      let inner = ::protobuf::__internal::runtime::InnerMapMut::new(
        raw_map, self.inner.arena());
      ::protobuf::MapMut::from_inner(::protobuf::__internal::Private, inner)
    }
  }
  pub fn set_f44(
      &mut self,
      src: impl ::protobuf::IntoProxied<::protobuf::Map<::protobuf::ProtoString, ::protobuf::ProtoBytes>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_map_field(
        ::protobuf::AsMut::as_mut(self).inner,
        33,
        src);
    }
  }

  // f50: optional int32
  pub fn has_f50(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(34)
    }
  }
  pub fn clear_f50(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        34
      );
    }
  }
  pub fn f50_opt(&self) -> ::std::option::Option<i32> {
    self.has_f50().then(|| self.f50())
  }
  pub fn f50(&self) -> i32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        34, (0i32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f50(&mut self, val: i32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i32_at_index(
        34, val.into()
      )
    }
  }

  // f51: optional string
  pub fn has_f51(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(35)
    }
  }
  pub fn clear_f51(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        35
      );
    }
  }
  pub fn f51_opt(&self) -> ::std::option::Option<&'_ ::protobuf::ProtoStr> {
    self.has_f51().then(|| self.f51())
  }
  pub fn f51(&self) -> ::protobuf::View<'_, ::protobuf::ProtoString> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        35, (b"").into()
      )
    };
    ::protobuf::ProtoStr::from_utf8_unchecked(unsafe { str_view.as_ref() })
  }
  pub fn set_f51(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoString>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_string_field(
        ::protobuf::AsMut::as_mut(self).inner,
        35,
        val);
    }
  }

  // f52: optional message M1
  pub fn has_f52(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(36)
    }
  }
  pub fn clear_f52(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        36
      );
    }
  }
  pub fn f52_opt(&self) -> ::std::option::Option<super::message_proto::M1View<'_>> {
    self.has_f52().then(|| self.f52())
  }
  pub fn f52(&self) -> super::message_proto::M1View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(36)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M1View::default())
  }
  pub fn f52_mut(&mut self) -> super::message_proto::M1Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         36, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f52(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M1>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        36,
        val
      );
    }
  }

  // f53: optional message M0
  pub fn has_f53(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(37)
    }
  }
  pub fn clear_f53(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        37
      );
    }
  }
  pub fn f53_opt(&self) -> ::std::option::Option<super::message_proto::M0View<'_>> {
    self.has_f53().then(|| self.f53())
  }
  pub fn f53(&self) -> super::message_proto::M0View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(37)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M0View::default())
  }
  pub fn f53_mut(&mut self) -> super::message_proto::M0Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         37, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f53(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M0>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        37,
        val
      );
    }
  }

  // f54: optional bytes
  pub fn has_f54(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(38)
    }
  }
  pub fn clear_f54(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        38
      );
    }
  }
  pub fn f54_opt(&self) -> ::std::option::Option<&'_ [u8]> {
    self.has_f54().then(|| self.f54())
  }
  pub fn f54(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        38, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f54(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        38,
        val);
    }
  }

  // f55: optional enum E0
  pub fn has_f55(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(39)
    }
  }
  pub fn clear_f55(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        39
      );
    }
  }
  pub fn f55_opt(&self) -> ::std::option::Option<super::message_proto::E0> {
    self.has_f55().then(|| self.f55())
  }
  pub fn f55(&self) -> super::message_proto::E0 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        39, (super::message_proto::E0::V0).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f55(&mut self, val: super::message_proto::E0) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i32_at_index(
        39, val.into()
      )
    }
  }

  // f60: optional string
  pub fn f60(&self) -> ::protobuf::View<'_, ::protobuf::ProtoString> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        40, (b"").into()
      )
    };
    ::protobuf::ProtoStr::from_utf8_unchecked(unsafe { str_view.as_ref() })
  }
  pub fn set_f60(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoString>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_string_field(
        ::protobuf::AsMut::as_mut(self).inner,
        40,
        val);
    }
  }

  // f61: optional int32
  pub fn has_f61(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(41)
    }
  }
  pub fn clear_f61(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        41
      );
    }
  }
  pub fn f61_opt(&self) -> ::std::option::Option<i32> {
    self.has_f61().then(|| self.f61())
  }
  pub fn f61(&self) -> i32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        41, (0i32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f61(&mut self, val: i32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i32_at_index(
        41, val.into()
      )
    }
  }

  // f62: optional message M3
  pub fn has_f62(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(42)
    }
  }
  pub fn clear_f62(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        42
      );
    }
  }
  pub fn f62_opt(&self) -> ::std::option::Option<super::message_proto::M3View<'_>> {
    self.has_f62().then(|| self.f62())
  }
  pub fn f62(&self) -> super::message_proto::M3View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(42)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M3View::default())
  }
  pub fn f62_mut(&mut self) -> super::message_proto::M3Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         42, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f62(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M3>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        42,
        val
      );
    }
  }

  // f63: optional message M4
  pub fn has_f63(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(43)
    }
  }
  pub fn clear_f63(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        43
      );
    }
  }
  pub fn f63_opt(&self) -> ::std::option::Option<super::message_proto::M4View<'_>> {
    self.has_f63().then(|| self.f63())
  }
  pub fn f63(&self) -> super::message_proto::M4View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(43)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M4View::default())
  }
  pub fn f63_mut(&mut self) -> super::message_proto::M4Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         43, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f63(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M4>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        43,
        val
      );
    }
  }

  // f70: optional message M1
  pub fn has_f70(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(45)
    }
  }
  pub fn clear_f70(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        45
      );
    }
  }
  pub fn f70_opt(&self) -> ::std::option::Option<super::message_proto::M1View<'_>> {
    self.has_f70().then(|| self.f70())
  }
  pub fn f70(&self) -> super::message_proto::M1View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(45)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M1View::default())
  }
  pub fn f70_mut(&mut self) -> super::message_proto::M1Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         45, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f70(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M1>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        45,
        val
      );
    }
  }

  // f71: optional uint32
  pub fn has_f71(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(46)
    }
  }
  pub fn clear_f71(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        46
      );
    }
  }
  pub fn f71_opt(&self) -> ::std::option::Option<u32> {
    self.has_f71().then(|| self.f71())
  }
  pub fn f71(&self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        46, (0u32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f71(&mut self, val: u32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u32_at_index(
        46, val.into()
      )
    }
  }

  // f72: optional message M1
  pub fn has_f72(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(47)
    }
  }
  pub fn clear_f72(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        47
      );
    }
  }
  pub fn f72_opt(&self) -> ::std::option::Option<super::message_proto::M1View<'_>> {
    self.has_f72().then(|| self.f72())
  }
  pub fn f72(&self) -> super::message_proto::M1View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(47)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M1View::default())
  }
  pub fn f72_mut(&mut self) -> super::message_proto::M1Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         47, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f72(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M1>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        47,
        val
      );
    }
  }

  // f73: repeated float
  pub fn f73(&self) -> ::protobuf::RepeatedView<'_, f32> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        48
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<f32>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f73_mut(&mut self) -> ::protobuf::RepeatedMut<'_, f32> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        48,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f73(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<f32>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        48,
        src);
    }
  }

  // f74: optional bytes
  pub fn f74(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        49, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f74(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        49,
        val);
    }
  }

  // f75: repeated uint32
  pub fn f75(&self) -> ::protobuf::RepeatedView<'_, u32> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        50
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<u32>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f75_mut(&mut self) -> ::protobuf::RepeatedMut<'_, u32> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        50,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f75(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<u32>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        50,
        src);
    }
  }

  // f76: optional uint32
  pub fn f76(&self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        51, (0u32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f76(&mut self, val: u32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u32_at_index(
        51, val.into()
      )
    }
  }

  // f64: repeated message M4
  pub fn f64(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::M4> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        44
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M4>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f64_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::M4> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        44,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f64(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::M4>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        44,
        src);
    }
  }

  pub fn o0(&self) -> super::message_proto::m0::O0Oneof<'_> {
    match &self.o0_case() {
      super::message_proto::m0::O0Case::F50 =>
          super::message_proto::m0::O0Oneof::F50(self.f50()),
      super::message_proto::m0::O0Case::F51 =>
          super::message_proto::m0::O0Oneof::F51(self.f51()),
      super::message_proto::m0::O0Case::F52 =>
          super::message_proto::m0::O0Oneof::F52(self.f52()),
      super::message_proto::m0::O0Case::F53 =>
          super::message_proto::m0::O0Oneof::F53(self.f53()),
      super::message_proto::m0::O0Case::F54 =>
          super::message_proto::m0::O0Oneof::F54(self.f54()),
      super::message_proto::m0::O0Case::F55 =>
          super::message_proto::m0::O0Oneof::F55(self.f55()),
      _ => super::message_proto::m0::O0Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o0_case(&self) -> super::message_proto::m0::O0Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(34);
      super::message_proto::m0::O0Case::try_from(field_num).unwrap_unchecked()
    }
  }
  pub fn o1(&self) -> super::message_proto::m0::O1Oneof<'_> {
    match &self.o1_case() {
      super::message_proto::m0::O1Case::F71 =>
          super::message_proto::m0::O1Oneof::F71(self.f71()),
      super::message_proto::m0::O1Case::F72 =>
          super::message_proto::m0::O1Oneof::F72(self.f72()),
      _ => super::message_proto::m0::O1Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o1_case(&self) -> super::message_proto::m0::O1Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(46);
      super::message_proto::m0::O1Case::try_from(field_num).unwrap_unchecked()
    }
  }
}  // impl M0

impl ::std::ops::Drop for M0 {
  #[inline]
  fn drop(&mut self) {
  }
}

impl ::std::clone::Clone for M0 {
  fn clone(&self) -> Self {
    self.as_view().to_owned()
  }
}

impl ::protobuf::AsView for M0 {
  type Proxied = Self;
  fn as_view(&self) -> M0View<'_> {
    self.as_view()
  }
}

impl ::protobuf::AsMut for M0 {
  type MutProxied = Self;
  fn as_mut(&mut self) -> M0Mut<'_> {
    self.as_mut()
  }
}

unsafe impl ::protobuf::__internal::runtime::AssociatedMiniTable for M0 {
  fn mini_table() -> ::protobuf::__internal::runtime::MiniTablePtr {
    static ONCE_LOCK: ::std::sync::OnceLock<::protobuf::__internal::runtime::MiniTableInitPtr> =
        ::std::sync::OnceLock::new();
    unsafe {
      ONCE_LOCK.get_or_init(|| {
        super::message_proto::M0_msg_init.0 =
            ::protobuf::__internal::runtime::build_mini_table("$N,P/P(P*P%P+P$P)P!P P1X0P.Pf/-!1T0.3,b<6CETDBG@bGGGGGe(1T330.d1X(33Ge3)370P=)P^T|U|V|W|X|Y~)!|*!");
        ::protobuf::__internal::runtime::link_mini_table(
            super::message_proto::M0_msg_init.0, &[<super::message_proto::M1 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            <super::message_proto::M1 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            <super::message_proto::m0::F40Entry as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            <super::message_proto::m0::F41Entry as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            <super::message_proto::m0::F42Entry as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            <super::message_proto::m0::F43Entry as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            <super::message_proto::m0::F44Entry as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            <super::message_proto::M1 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            super::message_proto::M0_msg_init.0,
            <super::message_proto::M3 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            <super::message_proto::M4 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            <super::message_proto::M4 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            <super::message_proto::M1 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            <super::message_proto::M1 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            ], &[]);
        ::protobuf::__internal::runtime::MiniTableInitPtr(super::message_proto::M0_msg_init.0)
      }).0
    }
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M0 {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M0 {
  type Msg = M0;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M0> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M0 {
  type Msg = M0;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M0> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M0Mut<'_> {
  type Msg = M0;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M0> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M0Mut<'_> {
  type Msg = M0;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M0> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M0View<'_> {
  type Msg = M0;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M0> {
    self.inner.ptr()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M0Mut<'_> {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}

pub mod m0 {// This variable must not be referenced except by protobuf generated
// code.
pub(crate) static mut M0__F40Entry_msg_init: ::protobuf::__internal::runtime::MiniTableInitPtr =
    ::protobuf::__internal::runtime::MiniTableInitPtr(::protobuf::__internal::runtime::MiniTablePtr::dangling());
#[allow(dead_code)]
pub(super) struct F40Entry;

unsafe impl ::protobuf::__internal::runtime::AssociatedMiniTable for F40Entry {
  fn mini_table() -> ::protobuf::__internal::runtime::MiniTablePtr {
    static ONCE_LOCK: ::std::sync::OnceLock<::protobuf::__internal::runtime::MiniTableInitPtr> =
        ::std::sync::OnceLock::new();
    unsafe {
      ONCE_LOCK.get_or_init(|| {
        super::super::message_proto::m0::M0__F40Entry_msg_init.0 =
            ::protobuf::__internal::runtime::build_mini_table("%1X(P");
        ::protobuf::__internal::runtime::link_mini_table(
            super::super::message_proto::m0::M0__F40Entry_msg_init.0, &[], &[]);
        ::protobuf::__internal::runtime::MiniTableInitPtr(super::super::message_proto::m0::M0__F40Entry_msg_init.0)
      }).0
    }
  }
}
// This variable must not be referenced except by protobuf generated
// code.
pub(crate) static mut M0__F41Entry_msg_init: ::protobuf::__internal::runtime::MiniTableInitPtr =
    ::protobuf::__internal::runtime::MiniTableInitPtr(::protobuf::__internal::runtime::MiniTablePtr::dangling());
#[allow(dead_code)]
pub(super) struct F41Entry;

unsafe impl ::protobuf::__internal::runtime::AssociatedMiniTable for F41Entry {
  fn mini_table() -> ::protobuf::__internal::runtime::MiniTablePtr {
    static ONCE_LOCK: ::std::sync::OnceLock<::protobuf::__internal::runtime::MiniTableInitPtr> =
        ::std::sync::OnceLock::new();
    unsafe {
      ONCE_LOCK.get_or_init(|| {
        super::super::message_proto::m0::M0__F41Entry_msg_init.0 =
            ::protobuf::__internal::runtime::build_mini_table("%+P1X");
        ::protobuf::__internal::runtime::link_mini_table(
            super::super::message_proto::m0::M0__F41Entry_msg_init.0, &[], &[]);
        ::protobuf::__internal::runtime::MiniTableInitPtr(super::super::message_proto::m0::M0__F41Entry_msg_init.0)
      }).0
    }
  }
}
// This variable must not be referenced except by protobuf generated
// code.
pub(crate) static mut M0__F42Entry_msg_init: ::protobuf::__internal::runtime::MiniTableInitPtr =
    ::protobuf::__internal::runtime::MiniTableInitPtr(::protobuf::__internal::runtime::MiniTablePtr::dangling());
#[allow(dead_code)]
pub(super) struct F42Entry;

unsafe impl ::protobuf::__internal::runtime::AssociatedMiniTable for F42Entry {
  fn mini_table() -> ::protobuf::__internal::runtime::MiniTablePtr {
    static ONCE_LOCK: ::std::sync::OnceLock<::protobuf::__internal::runtime::MiniTableInitPtr> =
        ::std::sync::OnceLock::new();
    unsafe {
      ONCE_LOCK.get_or_init(|| {
        super::super::message_proto::m0::M0__F42Entry_msg_init.0 =
            ::protobuf::__internal::runtime::build_mini_table("%/P3");
        ::protobuf::__internal::runtime::link_mini_table(
            super::super::message_proto::m0::M0__F42Entry_msg_init.0, &[<super::super::message_proto::M1 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            ], &[]);
        ::protobuf::__internal::runtime::MiniTableInitPtr(super::super::message_proto::m0::M0__F42Entry_msg_init.0)
      }).0
    }
  }
}
// This variable must not be referenced except by protobuf generated
// code.
pub(crate) static mut M0__F43Entry_msg_init: ::protobuf::__internal::runtime::MiniTableInitPtr =
    ::protobuf::__internal::runtime::MiniTableInitPtr(::protobuf::__internal::runtime::MiniTablePtr::dangling());
#[allow(dead_code)]
pub(super) struct F43Entry;

unsafe impl ::protobuf::__internal::runtime::AssociatedMiniTable for F43Entry {
  fn mini_table() -> ::protobuf::__internal::runtime::MiniTablePtr {
    static ONCE_LOCK: ::std::sync::OnceLock<::protobuf::__internal::runtime::MiniTableInitPtr> =
        ::std::sync::OnceLock::new();
    unsafe {
      ONCE_LOCK.get_or_init(|| {
        super::super::message_proto::m0::M0__F43Entry_msg_init.0 =
            ::protobuf::__internal::runtime::build_mini_table("%)P.P");
        ::protobuf::__internal::runtime::link_mini_table(
            super::super::message_proto::m0::M0__F43Entry_msg_init.0, &[], &[]);
        ::protobuf::__internal::runtime::MiniTableInitPtr(super::super::message_proto::m0::M0__F43Entry_msg_init.0)
      }).0
    }
  }
}
// This variable must not be referenced except by protobuf generated
// code.
pub(crate) static mut M0__F44Entry_msg_init: ::protobuf::__internal::runtime::MiniTableInitPtr =
    ::protobuf::__internal::runtime::MiniTableInitPtr(::protobuf::__internal::runtime::MiniTablePtr::dangling());
#[allow(dead_code)]
pub(super) struct F44Entry;

unsafe impl ::protobuf::__internal::runtime::AssociatedMiniTable for F44Entry {
  fn mini_table() -> ::protobuf::__internal::runtime::MiniTablePtr {
    static ONCE_LOCK: ::std::sync::OnceLock<::protobuf::__internal::runtime::MiniTableInitPtr> =
        ::std::sync::OnceLock::new();
    unsafe {
      ONCE_LOCK.get_or_init(|| {
        super::super::message_proto::m0::M0__F44Entry_msg_init.0 =
            ::protobuf::__internal::runtime::build_mini_table("%1X0P");
        ::protobuf::__internal::runtime::link_mini_table(
            super::super::message_proto::m0::M0__F44Entry_msg_init.0, &[], &[]);
        ::protobuf::__internal::runtime::MiniTableInitPtr(super::super::message_proto::m0::M0__F44Entry_msg_init.0)
      }).0
    }
  }
}

#[non_exhaustive]
#[derive(Debug, Clone, Copy)]
#[allow(dead_code)]
#[repr(u32)]
pub enum O0Oneof<'msg> {
  F50(i32) = 50,
  F51(&'msg ::protobuf::ProtoStr) = 51,
  F52(::protobuf::View<'msg, super::super::message_proto::M1>) = 52,
  F53(::protobuf::View<'msg, super::super::message_proto::M0>) = 53,
  F54(&'msg [u8]) = 54,
  F55(::protobuf::View<'msg, super::super::message_proto::E0>) = 55,

  not_set(std::marker::PhantomData<&'msg ()>) = 0
}
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[allow(dead_code)]
pub enum O0Case {
  F50 = 50,
  F51 = 51,
  F52 = 52,
  F53 = 53,
  F54 = 54,
  F55 = 55,

  not_set = 0
}

impl O0Case {
  #[allow(dead_code)]
  pub(crate) fn try_from(v: u32) -> ::std::option::Option<O0Case> {
    match v {
      0 => Some(O0Case::not_set),
      50 => Some(O0Case::F50),
      51 => Some(O0Case::F51),
      52 => Some(O0Case::F52),
      53 => Some(O0Case::F53),
      54 => Some(O0Case::F54),
      55 => Some(O0Case::F55),
      _ => None
    }
  }
}
#[non_exhaustive]
#[derive(Debug, Clone, Copy)]
#[allow(dead_code)]
#[repr(u32)]
pub enum O1Oneof<'msg> {
  F71(u32) = 71,
  F72(::protobuf::View<'msg, super::super::message_proto::M1>) = 72,

  not_set(std::marker::PhantomData<&'msg ()>) = 0
}
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[allow(dead_code)]
pub enum O1Case {
  F71 = 71,
  F72 = 72,

  not_set = 0
}

impl O1Case {
  #[allow(dead_code)]
  pub(crate) fn try_from(v: u32) -> ::std::option::Option<O1Case> {
    match v {
      0 => Some(O1Case::not_set),
      71 => Some(O1Case::F71),
      72 => Some(O1Case::F72),
      _ => None
    }
  }
}
}  // pub mod m0


// This variable must not be referenced except by protobuf generated
// code.
pub(crate) static mut M1_msg_init: ::protobuf::__internal::runtime::MiniTableInitPtr =
    ::protobuf::__internal::runtime::MiniTableInitPtr(::protobuf::__internal::runtime::MiniTablePtr::dangling());
#[allow(non_camel_case_types)]
pub struct M1 {
  inner: ::protobuf::__internal::runtime::OwnedMessageInner<M1>
}

impl ::protobuf::Message for M1 {
  type MessageView<'msg> = M1View<'msg>;
  type MessageMut<'msg> = M1Mut<'msg>;
}

impl ::std::default::Default for M1 {
  fn default() -> Self {
    Self::new()
  }
}

impl ::std::fmt::Debug for M1 {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

// SAFETY:
// - `M1` is `Sync` because it does not implement interior mutability.
//    Neither does `M1Mut`.
unsafe impl ::std::marker::Sync for M1 {}

// SAFETY:
// - `M1` is `Send` because it uniquely owns its arena and does
//   not use thread-local data.
unsafe impl ::std::marker::Send for M1 {}

impl ::protobuf::Proxied for M1 {
  type View<'msg> = M1View<'msg>;
}

impl ::protobuf::__internal::SealedInternal for M1 {}

impl ::protobuf::MutProxied for M1 {
  type Mut<'msg> = M1Mut<'msg>;
}

#[derive(Copy, Clone)]
#[allow(dead_code)]
pub struct M1View<'msg> {
  inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M1>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M1View<'msg> {}

impl<'msg> ::protobuf::MessageView<'msg> for M1View<'msg> {
  type Message = M1;
}

impl ::std::fmt::Debug for M1View<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl ::std::default::Default for M1View<'_> {
  fn default() -> M1View<'static> {
    ::protobuf::__internal::runtime::MessageViewInner::default().into()
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageViewInner<'msg, M1>> for M1View<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M1>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M1View<'msg> {

  pub fn to_owned(&self) -> M1 {
    ::protobuf::IntoProxied::into_proxied(*self, ::protobuf::__internal::Private)
  }

  // f1: optional string
  pub fn f1(self) -> ::protobuf::View<'msg, ::protobuf::ProtoString> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        0, (b"").into()
      )
    };
    ::protobuf::ProtoStr::from_utf8_unchecked(unsafe { str_view.as_ref() })
  }

  // f2: optional double
  pub fn has_f2(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(1)
    }
  }
  pub fn f2_opt(self) -> ::std::option::Option<f64> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(self) -> f64 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_f64_at_index(
        1, (0f64).into()
      ).try_into().unwrap()
    }
  }

  // f3: repeated message M2
  pub fn f3(self) -> ::protobuf::RepeatedView<'msg, super::message_proto::M2> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        2
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M2>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }

}

// SAFETY:
// - `M1View` is `Sync` because it does not support mutation.
unsafe impl ::std::marker::Sync for M1View<'_> {}

// SAFETY:
// - `M1View` is `Send` because while its alive a `M1Mut` cannot.
// - `M1View` does not use thread-local data.
unsafe impl ::std::marker::Send for M1View<'_> {}

impl<'msg> ::protobuf::AsView for M1View<'msg> {
  type Proxied = M1;
  fn as_view(&self) -> ::protobuf::View<'msg, M1> {
    *self
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M1View<'msg> {
  fn into_view<'shorter>(self) -> M1View<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

impl<'msg> ::protobuf::IntoProxied<M1> for M1View<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M1 {
    let mut dst = M1::new();
    assert!(unsafe {
      dst.inner.ptr_mut().deep_copy(self.inner.ptr(), dst.inner.arena())
    });
    dst
  }
}

impl<'msg> ::protobuf::IntoProxied<M1> for M1Mut<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M1 {
    ::protobuf::IntoProxied::into_proxied(::protobuf::IntoView::into_view(self), _private)
  }
}

impl ::protobuf::__internal::EntityType for M1 {
    type Tag = ::protobuf::__internal::entity_tag::MessageTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M1View<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::ViewProxyTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M1Mut<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::MutProxyTag;
}

#[allow(dead_code)]
#[allow(non_camel_case_types)]
pub struct M1Mut<'msg> {
  inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M1>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M1Mut<'msg> {}

impl<'msg> ::protobuf::MessageMut<'msg> for M1Mut<'msg> {
  type Message = M1;
}

impl ::std::fmt::Debug for M1Mut<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageMutInner<'msg, M1>> for M1Mut<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M1>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M1Mut<'msg> {

  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private)
    -> ::protobuf::__internal::runtime::MessageMutInner<'msg, M1> {
    self.inner.reborrow()
  }

  pub fn to_owned(&self) -> M1 {
    ::protobuf::AsView::as_view(self).to_owned()
  }

  // f1: optional string
  pub fn f1(&self) -> ::protobuf::View<'_, ::protobuf::ProtoString> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        0, (b"").into()
      )
    };
    ::protobuf::ProtoStr::from_utf8_unchecked(unsafe { str_view.as_ref() })
  }
  pub fn set_f1(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoString>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_string_field(
        ::protobuf::AsMut::as_mut(self).inner,
        0,
        val);
    }
  }

  // f2: optional double
  pub fn has_f2(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(1)
    }
  }
  pub fn clear_f2(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        1
      );
    }
  }
  pub fn f2_opt(&self) -> ::std::option::Option<f64> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(&self) -> f64 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_f64_at_index(
        1, (0f64).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f2(&mut self, val: f64) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_f64_at_index(
        1, val.into()
      )
    }
  }

  // f3: repeated message M2
  pub fn f3(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::M2> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        2
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M2>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f3_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::M2> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        2,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f3(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::M2>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        2,
        src);
    }
  }

}

// SAFETY:
// - `M1Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Send for M1Mut<'_> {}

// SAFETY:
// - `M1Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Sync for M1Mut<'_> {}

impl<'msg> ::protobuf::AsView for M1Mut<'msg> {
  type Proxied = M1;
  fn as_view(&self) -> ::protobuf::View<'_, M1> {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M1Mut<'msg> {
  fn into_view<'shorter>(self) -> ::protobuf::View<'shorter, M1>
  where
      'msg: 'shorter {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::AsMut for M1Mut<'msg> {
  type MutProxied = M1;
  fn as_mut(&mut self) -> M1Mut<'msg> {
    self.inner.reborrow().into()
  }
}

impl<'msg> ::protobuf::IntoMut<'msg> for M1Mut<'msg> {
  fn into_mut<'shorter>(self) -> M1Mut<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

#[allow(dead_code)]
impl M1 {
  pub fn new() -> Self {
    Self { inner: ::protobuf::__internal::runtime::OwnedMessageInner::<Self>::new() }
  }


  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessageMutInner<'_, M1> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner)
  }

  pub fn as_view(&self) -> M1View<'_> {
    ::protobuf::__internal::runtime::MessageViewInner::view_of_owned(&self.inner).into()
  }

  pub fn as_mut(&mut self) -> M1Mut<'_> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner).into()
  }

  // f1: optional string
  pub fn f1(&self) -> ::protobuf::View<'_, ::protobuf::ProtoString> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        0, (b"").into()
      )
    };
    ::protobuf::ProtoStr::from_utf8_unchecked(unsafe { str_view.as_ref() })
  }
  pub fn set_f1(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoString>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_string_field(
        ::protobuf::AsMut::as_mut(self).inner,
        0,
        val);
    }
  }

  // f2: optional double
  pub fn has_f2(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(1)
    }
  }
  pub fn clear_f2(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        1
      );
    }
  }
  pub fn f2_opt(&self) -> ::std::option::Option<f64> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(&self) -> f64 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_f64_at_index(
        1, (0f64).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f2(&mut self, val: f64) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_f64_at_index(
        1, val.into()
      )
    }
  }

  // f3: repeated message M2
  pub fn f3(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::M2> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        2
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M2>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f3_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::M2> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        2,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f3(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::M2>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        2,
        src);
    }
  }

}  // impl M1

impl ::std::ops::Drop for M1 {
  #[inline]
  fn drop(&mut self) {
  }
}

impl ::std::clone::Clone for M1 {
  fn clone(&self) -> Self {
    self.as_view().to_owned()
  }
}

impl ::protobuf::AsView for M1 {
  type Proxied = Self;
  fn as_view(&self) -> M1View<'_> {
    self.as_view()
  }
}

impl ::protobuf::AsMut for M1 {
  type MutProxied = Self;
  fn as_mut(&mut self) -> M1Mut<'_> {
    self.as_mut()
  }
}

unsafe impl ::protobuf::__internal::runtime::AssociatedMiniTable for M1 {
  fn mini_table() -> ::protobuf::__internal::runtime::MiniTablePtr {
    static ONCE_LOCK: ::std::sync::OnceLock<::protobuf::__internal::runtime::MiniTableInitPtr> =
        ::std::sync::OnceLock::new();
    unsafe {
      ONCE_LOCK.get_or_init(|| {
        super::message_proto::M1_msg_init.0 =
            ::protobuf::__internal::runtime::build_mini_table("$1X G");
        ::protobuf::__internal::runtime::link_mini_table(
            super::message_proto::M1_msg_init.0, &[<super::message_proto::M2 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            ], &[]);
        ::protobuf::__internal::runtime::MiniTableInitPtr(super::message_proto::M1_msg_init.0)
      }).0
    }
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M1 {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M1 {
  type Msg = M1;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M1> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M1 {
  type Msg = M1;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M1> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M1Mut<'_> {
  type Msg = M1;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M1> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M1Mut<'_> {
  type Msg = M1;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M1> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M1View<'_> {
  type Msg = M1;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M1> {
    self.inner.ptr()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M1Mut<'_> {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}



// This variable must not be referenced except by protobuf generated
// code.
pub(crate) static mut M2_msg_init: ::protobuf::__internal::runtime::MiniTableInitPtr =
    ::protobuf::__internal::runtime::MiniTableInitPtr(::protobuf::__internal::runtime::MiniTablePtr::dangling());
#[allow(non_camel_case_types)]
pub struct M2 {
  inner: ::protobuf::__internal::runtime::OwnedMessageInner<M2>
}

impl ::protobuf::Message for M2 {
  type MessageView<'msg> = M2View<'msg>;
  type MessageMut<'msg> = M2Mut<'msg>;
}

impl ::std::default::Default for M2 {
  fn default() -> Self {
    Self::new()
  }
}

impl ::std::fmt::Debug for M2 {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

// SAFETY:
// - `M2` is `Sync` because it does not implement interior mutability.
//    Neither does `M2Mut`.
unsafe impl ::std::marker::Sync for M2 {}

// SAFETY:
// - `M2` is `Send` because it uniquely owns its arena and does
//   not use thread-local data.
unsafe impl ::std::marker::Send for M2 {}

impl ::protobuf::Proxied for M2 {
  type View<'msg> = M2View<'msg>;
}

impl ::protobuf::__internal::SealedInternal for M2 {}

impl ::protobuf::MutProxied for M2 {
  type Mut<'msg> = M2Mut<'msg>;
}

#[derive(Copy, Clone)]
#[allow(dead_code)]
pub struct M2View<'msg> {
  inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M2>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M2View<'msg> {}

impl<'msg> ::protobuf::MessageView<'msg> for M2View<'msg> {
  type Message = M2;
}

impl ::std::fmt::Debug for M2View<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl ::std::default::Default for M2View<'_> {
  fn default() -> M2View<'static> {
    ::protobuf::__internal::runtime::MessageViewInner::default().into()
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageViewInner<'msg, M2>> for M2View<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M2>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M2View<'msg> {

  pub fn to_owned(&self) -> M2 {
    ::protobuf::IntoProxied::into_proxied(*self, ::protobuf::__internal::Private)
  }

  // f1: optional uint32
  pub fn f1(self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        0, (0u32).into()
      ).try_into().unwrap()
    }
  }

}

// SAFETY:
// - `M2View` is `Sync` because it does not support mutation.
unsafe impl ::std::marker::Sync for M2View<'_> {}

// SAFETY:
// - `M2View` is `Send` because while its alive a `M2Mut` cannot.
// - `M2View` does not use thread-local data.
unsafe impl ::std::marker::Send for M2View<'_> {}

impl<'msg> ::protobuf::AsView for M2View<'msg> {
  type Proxied = M2;
  fn as_view(&self) -> ::protobuf::View<'msg, M2> {
    *self
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M2View<'msg> {
  fn into_view<'shorter>(self) -> M2View<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

impl<'msg> ::protobuf::IntoProxied<M2> for M2View<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M2 {
    let mut dst = M2::new();
    assert!(unsafe {
      dst.inner.ptr_mut().deep_copy(self.inner.ptr(), dst.inner.arena())
    });
    dst
  }
}

impl<'msg> ::protobuf::IntoProxied<M2> for M2Mut<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M2 {
    ::protobuf::IntoProxied::into_proxied(::protobuf::IntoView::into_view(self), _private)
  }
}

impl ::protobuf::__internal::EntityType for M2 {
    type Tag = ::protobuf::__internal::entity_tag::MessageTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M2View<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::ViewProxyTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M2Mut<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::MutProxyTag;
}

#[allow(dead_code)]
#[allow(non_camel_case_types)]
pub struct M2Mut<'msg> {
  inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M2>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M2Mut<'msg> {}

impl<'msg> ::protobuf::MessageMut<'msg> for M2Mut<'msg> {
  type Message = M2;
}

impl ::std::fmt::Debug for M2Mut<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageMutInner<'msg, M2>> for M2Mut<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M2>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M2Mut<'msg> {

  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private)
    -> ::protobuf::__internal::runtime::MessageMutInner<'msg, M2> {
    self.inner.reborrow()
  }

  pub fn to_owned(&self) -> M2 {
    ::protobuf::AsView::as_view(self).to_owned()
  }

  // f1: optional uint32
  pub fn f1(&self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        0, (0u32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f1(&mut self, val: u32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u32_at_index(
        0, val.into()
      )
    }
  }

}

// SAFETY:
// - `M2Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Send for M2Mut<'_> {}

// SAFETY:
// - `M2Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Sync for M2Mut<'_> {}

impl<'msg> ::protobuf::AsView for M2Mut<'msg> {
  type Proxied = M2;
  fn as_view(&self) -> ::protobuf::View<'_, M2> {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M2Mut<'msg> {
  fn into_view<'shorter>(self) -> ::protobuf::View<'shorter, M2>
  where
      'msg: 'shorter {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::AsMut for M2Mut<'msg> {
  type MutProxied = M2;
  fn as_mut(&mut self) -> M2Mut<'msg> {
    self.inner.reborrow().into()
  }
}

impl<'msg> ::protobuf::IntoMut<'msg> for M2Mut<'msg> {
  fn into_mut<'shorter>(self) -> M2Mut<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

#[allow(dead_code)]
impl M2 {
  pub fn new() -> Self {
    Self { inner: ::protobuf::__internal::runtime::OwnedMessageInner::<Self>::new() }
  }


  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessageMutInner<'_, M2> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner)
  }

  pub fn as_view(&self) -> M2View<'_> {
    ::protobuf::__internal::runtime::MessageViewInner::view_of_owned(&self.inner).into()
  }

  pub fn as_mut(&mut self) -> M2Mut<'_> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner).into()
  }

  // f1: optional uint32
  pub fn f1(&self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        0, (0u32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f1(&mut self, val: u32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u32_at_index(
        0, val.into()
      )
    }
  }

}  // impl M2

impl ::std::ops::Drop for M2 {
  #[inline]
  fn drop(&mut self) {
  }
}

impl ::std::clone::Clone for M2 {
  fn clone(&self) -> Self {
    self.as_view().to_owned()
  }
}

impl ::protobuf::AsView for M2 {
  type Proxied = Self;
  fn as_view(&self) -> M2View<'_> {
    self.as_view()
  }
}

impl ::protobuf::AsMut for M2 {
  type MutProxied = Self;
  fn as_mut(&mut self) -> M2Mut<'_> {
    self.as_mut()
  }
}

unsafe impl ::protobuf::__internal::runtime::AssociatedMiniTable for M2 {
  fn mini_table() -> ::protobuf::__internal::runtime::MiniTablePtr {
    static ONCE_LOCK: ::std::sync::OnceLock<::protobuf::__internal::runtime::MiniTableInitPtr> =
        ::std::sync::OnceLock::new();
    unsafe {
      ONCE_LOCK.get_or_init(|| {
        super::message_proto::M2_msg_init.0 =
            ::protobuf::__internal::runtime::build_mini_table("$)P");
        ::protobuf::__internal::runtime::link_mini_table(
            super::message_proto::M2_msg_init.0, &[], &[]);
        ::protobuf::__internal::runtime::MiniTableInitPtr(super::message_proto::M2_msg_init.0)
      }).0
    }
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M2 {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M2 {
  type Msg = M2;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M2> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M2 {
  type Msg = M2;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M2> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M2Mut<'_> {
  type Msg = M2;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M2> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M2Mut<'_> {
  type Msg = M2;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M2> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M2View<'_> {
  type Msg = M2;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M2> {
    self.inner.ptr()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M2Mut<'_> {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}



// This variable must not be referenced except by protobuf generated
// code.
pub(crate) static mut M3_msg_init: ::protobuf::__internal::runtime::MiniTableInitPtr =
    ::protobuf::__internal::runtime::MiniTableInitPtr(::protobuf::__internal::runtime::MiniTablePtr::dangling());
#[allow(non_camel_case_types)]
pub struct M3 {
  inner: ::protobuf::__internal::runtime::OwnedMessageInner<M3>
}

impl ::protobuf::Message for M3 {
  type MessageView<'msg> = M3View<'msg>;
  type MessageMut<'msg> = M3Mut<'msg>;
}

impl ::std::default::Default for M3 {
  fn default() -> Self {
    Self::new()
  }
}

impl ::std::fmt::Debug for M3 {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

// SAFETY:
// - `M3` is `Sync` because it does not implement interior mutability.
//    Neither does `M3Mut`.
unsafe impl ::std::marker::Sync for M3 {}

// SAFETY:
// - `M3` is `Send` because it uniquely owns its arena and does
//   not use thread-local data.
unsafe impl ::std::marker::Send for M3 {}

impl ::protobuf::Proxied for M3 {
  type View<'msg> = M3View<'msg>;
}

impl ::protobuf::__internal::SealedInternal for M3 {}

impl ::protobuf::MutProxied for M3 {
  type Mut<'msg> = M3Mut<'msg>;
}

#[derive(Copy, Clone)]
#[allow(dead_code)]
pub struct M3View<'msg> {
  inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M3>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M3View<'msg> {}

impl<'msg> ::protobuf::MessageView<'msg> for M3View<'msg> {
  type Message = M3;
}

impl ::std::fmt::Debug for M3View<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl ::std::default::Default for M3View<'_> {
  fn default() -> M3View<'static> {
    ::protobuf::__internal::runtime::MessageViewInner::default().into()
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageViewInner<'msg, M3>> for M3View<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M3>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M3View<'msg> {

  pub fn to_owned(&self) -> M3 {
    ::protobuf::IntoProxied::into_proxied(*self, ::protobuf::__internal::Private)
  }

  // f1: optional int32
  pub fn f1(self) -> i32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        0, (0i32).into()
      ).try_into().unwrap()
    }
  }

  // f2: optional message M3
  pub fn has_f2(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(1)
    }
  }
  pub fn f2_opt(self) -> ::std::option::Option<super::message_proto::M3View<'msg>> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(self) -> super::message_proto::M3View<'msg> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(1)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M3View::default())
  }

  // f3: optional message M3
  pub fn has_f3(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(2)
    }
  }
  pub fn f3_opt(self) -> ::std::option::Option<super::message_proto::M3View<'msg>> {
    self.has_f3().then(|| self.f3())
  }
  pub fn f3(self) -> super::message_proto::M3View<'msg> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(2)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M3View::default())
  }

  // f4: repeated message M3
  pub fn f4(self) -> ::protobuf::RepeatedView<'msg, super::message_proto::M3> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        3
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M3>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }

}

// SAFETY:
// - `M3View` is `Sync` because it does not support mutation.
unsafe impl ::std::marker::Sync for M3View<'_> {}

// SAFETY:
// - `M3View` is `Send` because while its alive a `M3Mut` cannot.
// - `M3View` does not use thread-local data.
unsafe impl ::std::marker::Send for M3View<'_> {}

impl<'msg> ::protobuf::AsView for M3View<'msg> {
  type Proxied = M3;
  fn as_view(&self) -> ::protobuf::View<'msg, M3> {
    *self
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M3View<'msg> {
  fn into_view<'shorter>(self) -> M3View<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

impl<'msg> ::protobuf::IntoProxied<M3> for M3View<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M3 {
    let mut dst = M3::new();
    assert!(unsafe {
      dst.inner.ptr_mut().deep_copy(self.inner.ptr(), dst.inner.arena())
    });
    dst
  }
}

impl<'msg> ::protobuf::IntoProxied<M3> for M3Mut<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M3 {
    ::protobuf::IntoProxied::into_proxied(::protobuf::IntoView::into_view(self), _private)
  }
}

impl ::protobuf::__internal::EntityType for M3 {
    type Tag = ::protobuf::__internal::entity_tag::MessageTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M3View<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::ViewProxyTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M3Mut<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::MutProxyTag;
}

#[allow(dead_code)]
#[allow(non_camel_case_types)]
pub struct M3Mut<'msg> {
  inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M3>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M3Mut<'msg> {}

impl<'msg> ::protobuf::MessageMut<'msg> for M3Mut<'msg> {
  type Message = M3;
}

impl ::std::fmt::Debug for M3Mut<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageMutInner<'msg, M3>> for M3Mut<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M3>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M3Mut<'msg> {

  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private)
    -> ::protobuf::__internal::runtime::MessageMutInner<'msg, M3> {
    self.inner.reborrow()
  }

  pub fn to_owned(&self) -> M3 {
    ::protobuf::AsView::as_view(self).to_owned()
  }

  // f1: optional int32
  pub fn f1(&self) -> i32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        0, (0i32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f1(&mut self, val: i32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i32_at_index(
        0, val.into()
      )
    }
  }

  // f2: optional message M3
  pub fn has_f2(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(1)
    }
  }
  pub fn clear_f2(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        1
      );
    }
  }
  pub fn f2_opt(&self) -> ::std::option::Option<super::message_proto::M3View<'_>> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(&self) -> super::message_proto::M3View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(1)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M3View::default())
  }
  pub fn f2_mut(&mut self) -> super::message_proto::M3Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         1, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f2(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M3>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        1,
        val
      );
    }
  }

  // f3: optional message M3
  pub fn has_f3(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(2)
    }
  }
  pub fn clear_f3(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        2
      );
    }
  }
  pub fn f3_opt(&self) -> ::std::option::Option<super::message_proto::M3View<'_>> {
    self.has_f3().then(|| self.f3())
  }
  pub fn f3(&self) -> super::message_proto::M3View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(2)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M3View::default())
  }
  pub fn f3_mut(&mut self) -> super::message_proto::M3Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         2, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f3(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M3>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        2,
        val
      );
    }
  }

  // f4: repeated message M3
  pub fn f4(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::M3> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        3
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M3>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f4_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::M3> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        3,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f4(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::M3>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        3,
        src);
    }
  }

}

// SAFETY:
// - `M3Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Send for M3Mut<'_> {}

// SAFETY:
// - `M3Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Sync for M3Mut<'_> {}

impl<'msg> ::protobuf::AsView for M3Mut<'msg> {
  type Proxied = M3;
  fn as_view(&self) -> ::protobuf::View<'_, M3> {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M3Mut<'msg> {
  fn into_view<'shorter>(self) -> ::protobuf::View<'shorter, M3>
  where
      'msg: 'shorter {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::AsMut for M3Mut<'msg> {
  type MutProxied = M3;
  fn as_mut(&mut self) -> M3Mut<'msg> {
    self.inner.reborrow().into()
  }
}

impl<'msg> ::protobuf::IntoMut<'msg> for M3Mut<'msg> {
  fn into_mut<'shorter>(self) -> M3Mut<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

#[allow(dead_code)]
impl M3 {
  pub fn new() -> Self {
    Self { inner: ::protobuf::__internal::runtime::OwnedMessageInner::<Self>::new() }
  }


  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessageMutInner<'_, M3> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner)
  }

  pub fn as_view(&self) -> M3View<'_> {
    ::protobuf::__internal::runtime::MessageViewInner::view_of_owned(&self.inner).into()
  }

  pub fn as_mut(&mut self) -> M3Mut<'_> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner).into()
  }

  // f1: optional int32
  pub fn f1(&self) -> i32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        0, (0i32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f1(&mut self, val: i32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i32_at_index(
        0, val.into()
      )
    }
  }

  // f2: optional message M3
  pub fn has_f2(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(1)
    }
  }
  pub fn clear_f2(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        1
      );
    }
  }
  pub fn f2_opt(&self) -> ::std::option::Option<super::message_proto::M3View<'_>> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(&self) -> super::message_proto::M3View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(1)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M3View::default())
  }
  pub fn f2_mut(&mut self) -> super::message_proto::M3Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         1, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f2(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M3>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        1,
        val
      );
    }
  }

  // f3: optional message M3
  pub fn has_f3(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(2)
    }
  }
  pub fn clear_f3(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        2
      );
    }
  }
  pub fn f3_opt(&self) -> ::std::option::Option<super::message_proto::M3View<'_>> {
    self.has_f3().then(|| self.f3())
  }
  pub fn f3(&self) -> super::message_proto::M3View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(2)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M3View::default())
  }
  pub fn f3_mut(&mut self) -> super::message_proto::M3Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         2, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f3(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M3>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        2,
        val
      );
    }
  }

  // f4: repeated message M3
  pub fn f4(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::M3> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        3
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M3>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f4_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::M3> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        3,
        self.inner.arena()
      ).expect("alloc should not fail");
      ::protobuf::RepeatedMut::from_inner(
        ::protobuf::__internal::Private,
        ::protobuf::__internal::runtime::InnerRepeatedMut::new(
          raw_array, self.inner.arena(),
        ),
      )
    }
  }
  pub fn set_f4(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::M3>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        3,
        src);
    }
  }

}  // impl M3

impl ::std::ops::Drop for M3 {
  #[inline]
  fn drop(&mut self) {
  }
}

impl ::std::clone::Clone for M3 {
  fn clone(&self) -> Self {
    self.as_view().to_owned()
  }
}

impl ::protobuf::AsView for M3 {
  type Proxied = Self;
  fn as_view(&self) -> M3View<'_> {
    self.as_view()
  }
}

impl ::protobuf::AsMut for M3 {
  type MutProxied = Self;
  fn as_mut(&mut self) -> M3Mut<'_> {
    self.as_mut()
  }
}

unsafe impl ::protobuf::__internal::runtime::AssociatedMiniTable for M3 {
  fn mini_table() -> ::protobuf::__internal::runtime::MiniTablePtr {
    static ONCE_LOCK: ::std::sync::OnceLock<::protobuf::__internal::runtime::MiniTableInitPtr> =
        ::std::sync::OnceLock::new();
    unsafe {
      ONCE_LOCK.get_or_init(|| {
        super::message_proto::M3_msg_init.0 =
            ::protobuf::__internal::runtime::build_mini_table("$(P33G");
        ::protobuf::__internal::runtime::link_mini_table(
            super::message_proto::M3_msg_init.0, &[super::message_proto::M3_msg_init.0,
            super::message_proto::M3_msg_init.0,
            super::message_proto::M3_msg_init.0,
            ], &[]);
        ::protobuf::__internal::runtime::MiniTableInitPtr(super::message_proto::M3_msg_init.0)
      }).0
    }
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M3 {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M3 {
  type Msg = M3;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M3> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M3 {
  type Msg = M3;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M3> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M3Mut<'_> {
  type Msg = M3;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M3> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M3Mut<'_> {
  type Msg = M3;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M3> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M3View<'_> {
  type Msg = M3;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M3> {
    self.inner.ptr()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M3Mut<'_> {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}



// This variable must not be referenced except by protobuf generated
// code.
pub(crate) static mut M4_msg_init: ::protobuf::__internal::runtime::MiniTableInitPtr =
    ::protobuf::__internal::runtime::MiniTableInitPtr(::protobuf::__internal::runtime::MiniTablePtr::dangling());
#[allow(non_camel_case_types)]
pub struct M4 {
  inner: ::protobuf::__internal::runtime::OwnedMessageInner<M4>
}

impl ::protobuf::Message for M4 {
  type MessageView<'msg> = M4View<'msg>;
  type MessageMut<'msg> = M4Mut<'msg>;
}

impl ::std::default::Default for M4 {
  fn default() -> Self {
    Self::new()
  }
}

impl ::std::fmt::Debug for M4 {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

// SAFETY:
// - `M4` is `Sync` because it does not implement interior mutability.
//    Neither does `M4Mut`.
unsafe impl ::std::marker::Sync for M4 {}

// SAFETY:
// - `M4` is `Send` because it uniquely owns its arena and does
//   not use thread-local data.
unsafe impl ::std::marker::Send for M4 {}

impl ::protobuf::Proxied for M4 {
  type View<'msg> = M4View<'msg>;
}

impl ::protobuf::__internal::SealedInternal for M4 {}

impl ::protobuf::MutProxied for M4 {
  type Mut<'msg> = M4Mut<'msg>;
}

#[derive(Copy, Clone)]
#[allow(dead_code)]
pub struct M4View<'msg> {
  inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M4>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M4View<'msg> {}

impl<'msg> ::protobuf::MessageView<'msg> for M4View<'msg> {
  type Message = M4;
}

impl ::std::fmt::Debug for M4View<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl ::std::default::Default for M4View<'_> {
  fn default() -> M4View<'static> {
    ::protobuf::__internal::runtime::MessageViewInner::default().into()
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageViewInner<'msg, M4>> for M4View<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M4>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M4View<'msg> {

  pub fn to_owned(&self) -> M4 {
    ::protobuf::IntoProxied::into_proxied(*self, ::protobuf::__internal::Private)
  }

}

// SAFETY:
// - `M4View` is `Sync` because it does not support mutation.
unsafe impl ::std::marker::Sync for M4View<'_> {}

// SAFETY:
// - `M4View` is `Send` because while its alive a `M4Mut` cannot.
// - `M4View` does not use thread-local data.
unsafe impl ::std::marker::Send for M4View<'_> {}

impl<'msg> ::protobuf::AsView for M4View<'msg> {
  type Proxied = M4;
  fn as_view(&self) -> ::protobuf::View<'msg, M4> {
    *self
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M4View<'msg> {
  fn into_view<'shorter>(self) -> M4View<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

impl<'msg> ::protobuf::IntoProxied<M4> for M4View<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M4 {
    let mut dst = M4::new();
    assert!(unsafe {
      dst.inner.ptr_mut().deep_copy(self.inner.ptr(), dst.inner.arena())
    });
    dst
  }
}

impl<'msg> ::protobuf::IntoProxied<M4> for M4Mut<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M4 {
    ::protobuf::IntoProxied::into_proxied(::protobuf::IntoView::into_view(self), _private)
  }
}

impl ::protobuf::__internal::EntityType for M4 {
    type Tag = ::protobuf::__internal::entity_tag::MessageTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M4View<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::ViewProxyTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M4Mut<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::MutProxyTag;
}

#[allow(dead_code)]
#[allow(non_camel_case_types)]
pub struct M4Mut<'msg> {
  inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M4>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M4Mut<'msg> {}

impl<'msg> ::protobuf::MessageMut<'msg> for M4Mut<'msg> {
  type Message = M4;
}

impl ::std::fmt::Debug for M4Mut<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageMutInner<'msg, M4>> for M4Mut<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M4>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M4Mut<'msg> {

  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private)
    -> ::protobuf::__internal::runtime::MessageMutInner<'msg, M4> {
    self.inner.reborrow()
  }

  pub fn to_owned(&self) -> M4 {
    ::protobuf::AsView::as_view(self).to_owned()
  }

}

// SAFETY:
// - `M4Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Send for M4Mut<'_> {}

// SAFETY:
// - `M4Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Sync for M4Mut<'_> {}

impl<'msg> ::protobuf::AsView for M4Mut<'msg> {
  type Proxied = M4;
  fn as_view(&self) -> ::protobuf::View<'_, M4> {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M4Mut<'msg> {
  fn into_view<'shorter>(self) -> ::protobuf::View<'shorter, M4>
  where
      'msg: 'shorter {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::AsMut for M4Mut<'msg> {
  type MutProxied = M4;
  fn as_mut(&mut self) -> M4Mut<'msg> {
    self.inner.reborrow().into()
  }
}

impl<'msg> ::protobuf::IntoMut<'msg> for M4Mut<'msg> {
  fn into_mut<'shorter>(self) -> M4Mut<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

#[allow(dead_code)]
impl M4 {
  pub fn new() -> Self {
    Self { inner: ::protobuf::__internal::runtime::OwnedMessageInner::<Self>::new() }
  }


  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessageMutInner<'_, M4> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner)
  }

  pub fn as_view(&self) -> M4View<'_> {
    ::protobuf::__internal::runtime::MessageViewInner::view_of_owned(&self.inner).into()
  }

  pub fn as_mut(&mut self) -> M4Mut<'_> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner).into()
  }

}  // impl M4

impl ::std::ops::Drop for M4 {
  #[inline]
  fn drop(&mut self) {
  }
}

impl ::std::clone::Clone for M4 {
  fn clone(&self) -> Self {
    self.as_view().to_owned()
  }
}

impl ::protobuf::AsView for M4 {
  type Proxied = Self;
  fn as_view(&self) -> M4View<'_> {
    self.as_view()
  }
}

impl ::protobuf::AsMut for M4 {
  type MutProxied = Self;
  fn as_mut(&mut self) -> M4Mut<'_> {
    self.as_mut()
  }
}

unsafe impl ::protobuf::__internal::runtime::AssociatedMiniTable for M4 {
  fn mini_table() -> ::protobuf::__internal::runtime::MiniTablePtr {
    static ONCE_LOCK: ::std::sync::OnceLock<::protobuf::__internal::runtime::MiniTableInitPtr> =
        ::std::sync::OnceLock::new();
    unsafe {
      ONCE_LOCK.get_or_init(|| {
        super::message_proto::M4_msg_init.0 =
            ::protobuf::__internal::runtime::build_mini_table("$");
        ::protobuf::__internal::runtime::link_mini_table(
            super::message_proto::M4_msg_init.0, &[], &[]);
        ::protobuf::__internal::runtime::MiniTableInitPtr(super::message_proto::M4_msg_init.0)
      }).0
    }
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M4 {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M4 {
  type Msg = M4;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M4> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M4 {
  type Msg = M4;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M4> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M4Mut<'_> {
  type Msg = M4;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M4> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M4Mut<'_> {
  type Msg = M4;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M4> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M4View<'_> {
  type Msg = M4;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M4> {
    self.inner.ptr()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M4Mut<'_> {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}



#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct E0(i32);

#[allow(non_upper_case_globals)]
impl E0 {
  pub const V0: E0 = E0(0);
  pub const V1: E0 = E0(1);
  pub const V2: E0 = E0(7);

  fn constant_name(&self) -> ::std::option::Option<&'static str> {
    #[allow(unreachable_patterns)] // In the case of aliases, just emit them all and let the first one match.
    Some(match self.0 {
      0 => "V0",
      1 => "V1",
      7 => "V2",
      _ => return None
    })
  }
}

impl ::std::convert::From<E0> for i32 {
  fn from(val: E0) -> i32 {
    val.0
  }
}

impl ::std::convert::From<i32> for E0 {
  fn from(val: i32) -> E0 {
    Self(val)
  }
}

impl ::std::default::Default for E0 {
  fn default() -> Self {
    Self(0)
  }
}

impl ::std::fmt::Debug for E0 {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    if let Some(constant_name) = self.constant_name() {
      write!(f, "E0::{}", constant_name)
    } else {
      write!(f, "E0::from({})", self.0)
    }
  }
}

impl ::protobuf::IntoProxied<i32> for E0 {
  fn into_proxied(self, _: ::protobuf::__internal::Private) -> i32 {
    self.0
  }
}

impl ::protobuf::__internal::SealedInternal for E0 {}

impl ::protobuf::Proxied for E0 {
  type View<'a> = E0;
}

impl ::protobuf::AsView for E0 {
  type Proxied = E0;

  fn as_view(&self) -> E0 {
    *self
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for E0 {
  fn into_view<'shorter>(self) -> E0 where 'msg: 'shorter {
    self
  }
}

// SAFETY: this is an enum type
unsafe impl ::protobuf::__internal::Enum for E0 {
  const NAME: &'static str = "E0";

  fn is_known(value: i32) -> bool {
    matches!(value, 0|1|7)
  }
}

impl ::protobuf::__internal::EntityType for E0 {
    type Tag = ::protobuf::__internal::entity_tag::EnumTag;
}


