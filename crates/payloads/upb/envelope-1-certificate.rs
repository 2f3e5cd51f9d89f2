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

  // f2: optional uint32
  pub fn f2(self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        1, (0u32).into()
      ).try_into().unwrap()
    }
  }

  // f3: repeated message M1
  pub fn f3(self) -> ::protobuf::RepeatedView<'msg, super::message_proto::M1> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        2
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M1>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }

  // f4: repeated message M13
  pub fn f4(self) -> ::protobuf::RepeatedView<'msg, super::message_proto::M13> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        3
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M13>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }

  // f5: repeated message M14
  pub fn f5(self) -> ::protobuf::RepeatedView<'msg, super::message_proto::M14> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        4
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M14>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
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

  // f2: optional uint32
  pub fn f2(&self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        1, (0u32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f2(&mut self, val: u32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u32_at_index(
        1, val.into()
      )
    }
  }

  // f3: repeated message M1
  pub fn f3(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::M1> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        2
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M1>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f3_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::M1> {
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
  pub fn set_f3(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::M1>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        2,
        src);
    }
  }

  // f4: repeated message M13
  pub fn f4(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::M13> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        3
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M13>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f4_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::M13> {
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
  pub fn set_f4(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::M13>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        3,
        src);
    }
  }

  // f5: repeated message M14
  pub fn f5(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::M14> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        4
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M14>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f5_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::M14> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        4,
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
  pub fn set_f5(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::M14>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        4,
        src);
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

  // f2: optional uint32
  pub fn f2(&self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        1, (0u32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f2(&mut self, val: u32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u32_at_index(
        1, val.into()
      )
    }
  }

  // f3: repeated message M1
  pub fn f3(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::M1> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        2
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M1>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f3_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::M1> {
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
  pub fn set_f3(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::M1>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        2,
        src);
    }
  }

  // f4: repeated message M13
  pub fn f4(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::M13> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        3
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M13>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f4_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::M13> {
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
  pub fn set_f4(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::M13>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        3,
        src);
    }
  }

  // f5: repeated message M14
  pub fn f5(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::M14> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        4
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M14>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f5_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::M14> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        4,
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
  pub fn set_f5(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::M14>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        4,
        src);
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
            ::protobuf::__internal::runtime::build_mini_table("$)P)PGGG");
        ::protobuf::__internal::runtime::link_mini_table(
            super::message_proto::M0_msg_init.0, &[<super::message_proto::M1 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            <super::message_proto::M13 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            <super::message_proto::M14 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
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

  // f1: optional uint64
  pub fn has_f1(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(0)
    }
  }
  pub fn f1_opt(self) -> ::std::option::Option<u64> {
    self.has_f1().then(|| self.f1())
  }
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

  // f2: optional message M2
  pub fn has_f2(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(1)
    }
  }
  pub fn f2_opt(self) -> ::std::option::Option<super::message_proto::M2View<'msg>> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(self) -> super::message_proto::M2View<'msg> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(1)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M2View::default())
  }

  // f3: optional uint32
  pub fn has_f3(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(2)
    }
  }
  pub fn f3_opt(self) -> ::std::option::Option<u32> {
    self.has_f3().then(|| self.f3())
  }
  pub fn f3(self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        2, (0u32).into()
      ).try_into().unwrap()
    }
  }

  // f4: optional message M3
  pub fn has_f4(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(3)
    }
  }
  pub fn f4_opt(self) -> ::std::option::Option<super::message_proto::M3View<'msg>> {
    self.has_f4().then(|| self.f4())
  }
  pub fn f4(self) -> super::message_proto::M3View<'msg> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(3)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M3View::default())
  }

  pub fn o0(self) -> super::message_proto::m1::O0Oneof<'msg> {
    match self.o0_case() {
      super::message_proto::m1::O0Case::F1 =>
          super::message_proto::m1::O0Oneof::F1(self.f1()),
      super::message_proto::m1::O0Case::F2 =>
          super::message_proto::m1::O0Oneof::F2(self.f2()),
      super::message_proto::m1::O0Case::F3 =>
          super::message_proto::m1::O0Oneof::F3(self.f3()),
      super::message_proto::m1::O0Case::F4 =>
          super::message_proto::m1::O0Oneof::F4(self.f4()),
      _ => super::message_proto::m1::O0Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o0_case(self) -> super::message_proto::m1::O0Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(0);
      super::message_proto::m1::O0Case::try_from(field_num).unwrap_unchecked()
    }
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

  // f1: optional uint64
  pub fn has_f1(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(0)
    }
  }
  pub fn clear_f1(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        0
      );
    }
  }
  pub fn f1_opt(&self) -> ::std::option::Option<u64> {
    self.has_f1().then(|| self.f1())
  }
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

  // f2: optional message M2
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
  pub fn f2_opt(&self) -> ::std::option::Option<super::message_proto::M2View<'_>> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(&self) -> super::message_proto::M2View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(1)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M2View::default())
  }
  pub fn f2_mut(&mut self) -> super::message_proto::M2Mut<'_> {
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
    val: impl ::protobuf::IntoProxied<super::message_proto::M2>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        1,
        val
      );
    }
  }

  // f3: optional uint32
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
  pub fn f3_opt(&self) -> ::std::option::Option<u32> {
    self.has_f3().then(|| self.f3())
  }
  pub fn f3(&self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        2, (0u32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f3(&mut self, val: u32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u32_at_index(
        2, val.into()
      )
    }
  }

  // f4: optional message M3
  pub fn has_f4(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(3)
    }
  }
  pub fn clear_f4(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        3
      );
    }
  }
  pub fn f4_opt(&self) -> ::std::option::Option<super::message_proto::M3View<'_>> {
    self.has_f4().then(|| self.f4())
  }
  pub fn f4(&self) -> super::message_proto::M3View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(3)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M3View::default())
  }
  pub fn f4_mut(&mut self) -> super::message_proto::M3Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         3, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f4(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M3>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        3,
        val
      );
    }
  }

  pub fn o0(&self) -> super::message_proto::m1::O0Oneof<'_> {
    match &self.o0_case() {
      super::message_proto::m1::O0Case::F1 =>
          super::message_proto::m1::O0Oneof::F1(self.f1()),
      super::message_proto::m1::O0Case::F2 =>
          super::message_proto::m1::O0Oneof::F2(self.f2()),
      super::message_proto::m1::O0Case::F3 =>
          super::message_proto::m1::O0Oneof::F3(self.f3()),
      super::message_proto::m1::O0Case::F4 =>
          super::message_proto::m1::O0Oneof::F4(self.f4()),
      _ => super::message_proto::m1::O0Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o0_case(&self) -> super::message_proto::m1::O0Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(0);
      super::message_proto::m1::O0Case::try_from(field_num).unwrap_unchecked()
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

  // f1: optional uint64
  pub fn has_f1(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(0)
    }
  }
  pub fn clear_f1(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        0
      );
    }
  }
  pub fn f1_opt(&self) -> ::std::option::Option<u64> {
    self.has_f1().then(|| self.f1())
  }
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

  // f2: optional message M2
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
  pub fn f2_opt(&self) -> ::std::option::Option<super::message_proto::M2View<'_>> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(&self) -> super::message_proto::M2View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(1)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M2View::default())
  }
  pub fn f2_mut(&mut self) -> super::message_proto::M2Mut<'_> {
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
    val: impl ::protobuf::IntoProxied<super::message_proto::M2>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        1,
        val
      );
    }
  }

  // f3: optional uint32
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
  pub fn f3_opt(&self) -> ::std::option::Option<u32> {
    self.has_f3().then(|| self.f3())
  }
  pub fn f3(&self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        2, (0u32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f3(&mut self, val: u32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u32_at_index(
        2, val.into()
      )
    }
  }

  // f4: optional message M3
  pub fn has_f4(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(3)
    }
  }
  pub fn clear_f4(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        3
      );
    }
  }
  pub fn f4_opt(&self) -> ::std::option::Option<super::message_proto::M3View<'_>> {
    self.has_f4().then(|| self.f4())
  }
  pub fn f4(&self) -> super::message_proto::M3View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(3)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M3View::default())
  }
  pub fn f4_mut(&mut self) -> super::message_proto::M3Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         3, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f4(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M3>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        3,
        val
      );
    }
  }

  pub fn o0(&self) -> super::message_proto::m1::O0Oneof<'_> {
    match &self.o0_case() {
      super::message_proto::m1::O0Case::F1 =>
          super::message_proto::m1::O0Oneof::F1(self.f1()),
      super::message_proto::m1::O0Case::F2 =>
          super::message_proto::m1::O0Oneof::F2(self.f2()),
      super::message_proto::m1::O0Case::F3 =>
          super::message_proto::m1::O0Oneof::F3(self.f3()),
      super::message_proto::m1::O0Case::F4 =>
          super::message_proto::m1::O0Oneof::F4(self.f4()),
      _ => super::message_proto::m1::O0Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o0_case(&self) -> super::message_proto::m1::O0Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(0);
      super::message_proto::m1::O0Case::try_from(field_num).unwrap_unchecked()
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
            ::protobuf::__internal::runtime::build_mini_table("$,3)3^!|#|$|%");
        ::protobuf::__internal::runtime::link_mini_table(
            super::message_proto::M1_msg_init.0, &[<super::message_proto::M2 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            <super::message_proto::M3 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
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

pub mod m1 {

#[non_exhaustive]
#[derive(Debug, Clone, Copy)]
#[allow(dead_code)]
#[repr(u32)]
pub enum O0Oneof<'msg> {
  F1(u64) = 1,
  F2(::protobuf::View<'msg, super::super::message_proto::M2>) = 2,
  F3(u32) = 3,
  F4(::protobuf::View<'msg, super::super::message_proto::M3>) = 4,

  not_set(std::marker::PhantomData<&'msg ()>) = 0
}
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[allow(dead_code)]
pub enum O0Case {
  F1 = 1,
  F2 = 2,
  F3 = 3,
  F4 = 4,

  not_set = 0
}

impl O0Case {
  #[allow(dead_code)]
  pub(crate) fn try_from(v: u32) -> ::std::option::Option<O0Case> {
    match v {
      0 => Some(O0Case::not_set),
      1 => Some(O0Case::F1),
      2 => Some(O0Case::F2),
      3 => Some(O0Case::F3),
      4 => Some(O0Case::F4),
      _ => None
    }
  }
}
}  // pub mod m1


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

  // f2: optional int32
  pub fn f2(self) -> i32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        1, (0i32).into()
      ).try_into().unwrap()
    }
  }

  // f3: optional bytes
  pub fn f3(self) -> ::protobuf::View<'msg, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        2, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
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

  // f2: optional int32
  pub fn f2(&self) -> i32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        1, (0i32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f2(&mut self, val: i32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i32_at_index(
        1, val.into()
      )
    }
  }

  // f3: optional bytes
  pub fn f3(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        2, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f3(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        2,
        val);
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

  // f2: optional int32
  pub fn f2(&self) -> i32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        1, (0i32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f2(&mut self, val: i32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_i32_at_index(
        1, val.into()
      )
    }
  }

  // f3: optional bytes
  pub fn f3(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        2, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f3(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        2,
        val);
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
            ::protobuf::__internal::runtime::build_mini_table("$(P(P0P");
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

  // f1: optional bytes
  pub fn has_f1(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(0)
    }
  }
  pub fn f1_opt(self) -> ::std::option::Option<&'msg [u8]> {
    self.has_f1().then(|| self.f1())
  }
  pub fn f1(self) -> ::protobuf::View<'msg, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        0, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }

  // f2: optional message M4
  pub fn has_f2(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(1)
    }
  }
  pub fn f2_opt(self) -> ::std::option::Option<super::message_proto::M4View<'msg>> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(self) -> super::message_proto::M4View<'msg> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(1)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M4View::default())
  }

  pub fn o0(self) -> super::message_proto::m3::O0Oneof<'msg> {
    match self.o0_case() {
      super::message_proto::m3::O0Case::F1 =>
          super::message_proto::m3::O0Oneof::F1(self.f1()),
      super::message_proto::m3::O0Case::F2 =>
          super::message_proto::m3::O0Oneof::F2(self.f2()),
      _ => super::message_proto::m3::O0Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o0_case(self) -> super::message_proto::m3::O0Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(0);
      super::message_proto::m3::O0Case::try_from(field_num).unwrap_unchecked()
    }
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

  // f1: optional bytes
  pub fn has_f1(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(0)
    }
  }
  pub fn clear_f1(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        0
      );
    }
  }
  pub fn f1_opt(&self) -> ::std::option::Option<&'_ [u8]> {
    self.has_f1().then(|| self.f1())
  }
  pub fn f1(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        0, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f1(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        0,
        val);
    }
  }

  // f2: optional message M4
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
  pub fn f2_opt(&self) -> ::std::option::Option<super::message_proto::M4View<'_>> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(&self) -> super::message_proto::M4View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(1)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M4View::default())
  }
  pub fn f2_mut(&mut self) -> super::message_proto::M4Mut<'_> {
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
    val: impl ::protobuf::IntoProxied<super::message_proto::M4>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        1,
        val
      );
    }
  }

  pub fn o0(&self) -> super::message_proto::m3::O0Oneof<'_> {
    match &self.o0_case() {
      super::message_proto::m3::O0Case::F1 =>
          super::message_proto::m3::O0Oneof::F1(self.f1()),
      super::message_proto::m3::O0Case::F2 =>
          super::message_proto::m3::O0Oneof::F2(self.f2()),
      _ => super::message_proto::m3::O0Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o0_case(&self) -> super::message_proto::m3::O0Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(0);
      super::message_proto::m3::O0Case::try_from(field_num).unwrap_unchecked()
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

  // f1: optional bytes
  pub fn has_f1(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(0)
    }
  }
  pub fn clear_f1(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        0
      );
    }
  }
  pub fn f1_opt(&self) -> ::std::option::Option<&'_ [u8]> {
    self.has_f1().then(|| self.f1())
  }
  pub fn f1(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        0, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f1(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        0,
        val);
    }
  }

  // f2: optional message M4
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
  pub fn f2_opt(&self) -> ::std::option::Option<super::message_proto::M4View<'_>> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(&self) -> super::message_proto::M4View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(1)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M4View::default())
  }
  pub fn f2_mut(&mut self) -> super::message_proto::M4Mut<'_> {
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
    val: impl ::protobuf::IntoProxied<super::message_proto::M4>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        1,
        val
      );
    }
  }

  pub fn o0(&self) -> super::message_proto::m3::O0Oneof<'_> {
    match &self.o0_case() {
      super::message_proto::m3::O0Case::F1 =>
          super::message_proto::m3::O0Oneof::F1(self.f1()),
      super::message_proto::m3::O0Case::F2 =>
          super::message_proto::m3::O0Oneof::F2(self.f2()),
      _ => super::message_proto::m3::O0Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o0_case(&self) -> super::message_proto::m3::O0Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(0);
      super::message_proto::m3::O0Case::try_from(field_num).unwrap_unchecked()
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
            ::protobuf::__internal::runtime::build_mini_table("$03^!|#");
        super::message_proto::M4_msg_init.0 =
            ::protobuf::__internal::runtime::build_mini_table("$)PG)P1XGG3");
        ::protobuf::__internal::runtime::link_mini_table(
            super::message_proto::M3_msg_init.0, &[super::message_proto::M4_msg_init.0,
            ], &[]);
        ::protobuf::__internal::runtime::link_mini_table(
            super::message_proto::M4_msg_init.0, &[super::message_proto::M3_msg_init.0,
            <super::message_proto::M5 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            <super::message_proto::M10 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            <super::message_proto::M12 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
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

pub mod m3 {

#[non_exhaustive]
#[derive(Debug, Clone, Copy)]
#[allow(dead_code)]
#[repr(u32)]
pub enum O0Oneof<'msg> {
  F1(&'msg [u8]) = 1,
  F2(::protobuf::View<'msg, super::super::message_proto::M4>) = 2,

  not_set(std::marker::PhantomData<&'msg ()>) = 0
}
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[allow(dead_code)]
pub enum O0Case {
  F1 = 1,
  F2 = 2,

  not_set = 0
}

impl O0Case {
  #[allow(dead_code)]
  pub(crate) fn try_from(v: u32) -> ::std::option::Option<O0Case> {
    match v {
      0 => Some(O0Case::not_set),
      1 => Some(O0Case::F1),
      2 => Some(O0Case::F2),
      _ => None
    }
  }
}
}  // pub mod m3


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

  // f2: repeated message M3
  pub fn f2(self) -> ::protobuf::RepeatedView<'msg, super::message_proto::M3> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        1
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M3>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }

  // f3: optional uint32
  pub fn f3(self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        2, (0u32).into()
      ).try_into().unwrap()
    }
  }

  // f4: optional string
  pub fn f4(self) -> ::protobuf::View<'msg, ::protobuf::ProtoString> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        3, (b"").into()
      )
    };
    ::protobuf::ProtoStr::from_utf8_unchecked(unsafe { str_view.as_ref() })
  }

  // f5: repeated message M5
  pub fn f5(self) -> ::protobuf::RepeatedView<'msg, super::message_proto::M5> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        4
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M5>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }

  // f6: repeated message M10
  pub fn f6(self) -> ::protobuf::RepeatedView<'msg, super::message_proto::M10> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        5
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M10>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }

  // f7: optional message M12
  pub fn has_f7(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(6)
    }
  }
  pub fn f7_opt(self) -> ::std::option::Option<super::message_proto::M12View<'msg>> {
    self.has_f7().then(|| self.f7())
  }
  pub fn f7(self) -> super::message_proto::M12View<'msg> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(6)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M12View::default())
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

  // f2: repeated message M3
  pub fn f2(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::M3> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        1
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M3>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f2_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::M3> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        1,
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
  pub fn set_f2(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::M3>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        1,
        src);
    }
  }

  // f3: optional uint32
  pub fn f3(&self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        2, (0u32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f3(&mut self, val: u32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u32_at_index(
        2, val.into()
      )
    }
  }

  // f4: optional string
  pub fn f4(&self) -> ::protobuf::View<'_, ::protobuf::ProtoString> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        3, (b"").into()
      )
    };
    ::protobuf::ProtoStr::from_utf8_unchecked(unsafe { str_view.as_ref() })
  }
  pub fn set_f4(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoString>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_string_field(
        ::protobuf::AsMut::as_mut(self).inner,
        3,
        val);
    }
  }

  // f5: repeated message M5
  pub fn f5(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::M5> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        4
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M5>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f5_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::M5> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        4,
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
  pub fn set_f5(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::M5>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        4,
        src);
    }
  }

  // f6: repeated message M10
  pub fn f6(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::M10> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        5
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M10>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f6_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::M10> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        5,
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
  pub fn set_f6(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::M10>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        5,
        src);
    }
  }

  // f7: optional message M12
  pub fn has_f7(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(6)
    }
  }
  pub fn clear_f7(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        6
      );
    }
  }
  pub fn f7_opt(&self) -> ::std::option::Option<super::message_proto::M12View<'_>> {
    self.has_f7().then(|| self.f7())
  }
  pub fn f7(&self) -> super::message_proto::M12View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(6)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M12View::default())
  }
  pub fn f7_mut(&mut self) -> super::message_proto::M12Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         6, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f7(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M12>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        6,
        val
      );
    }
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

  // f2: repeated message M3
  pub fn f2(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::M3> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        1
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M3>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f2_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::M3> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        1,
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
  pub fn set_f2(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::M3>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        1,
        src);
    }
  }

  // f3: optional uint32
  pub fn f3(&self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        2, (0u32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f3(&mut self, val: u32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u32_at_index(
        2, val.into()
      )
    }
  }

  // f4: optional string
  pub fn f4(&self) -> ::protobuf::View<'_, ::protobuf::ProtoString> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        3, (b"").into()
      )
    };
    ::protobuf::ProtoStr::from_utf8_unchecked(unsafe { str_view.as_ref() })
  }
  pub fn set_f4(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoString>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_string_field(
        ::protobuf::AsMut::as_mut(self).inner,
        3,
        val);
    }
  }

  // f5: repeated message M5
  pub fn f5(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::M5> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        4
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M5>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f5_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::M5> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        4,
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
  pub fn set_f5(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::M5>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        4,
        src);
    }
  }

  // f6: repeated message M10
  pub fn f6(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::M10> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        5
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M10>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f6_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::M10> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        5,
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
  pub fn set_f6(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::M10>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        5,
        src);
    }
  }

  // f7: optional message M12
  pub fn has_f7(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(6)
    }
  }
  pub fn clear_f7(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        6
      );
    }
  }
  pub fn f7_opt(&self) -> ::std::option::Option<super::message_proto::M12View<'_>> {
    self.has_f7().then(|| self.f7())
  }
  pub fn f7(&self) -> super::message_proto::M12View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(6)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M12View::default())
  }
  pub fn f7_mut(&mut self) -> super::message_proto::M12Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         6, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f7(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M12>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        6,
        val
      );
    }
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
        <super::message_proto::M3 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table();
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



// This variable must not be referenced except by protobuf generated
// code.
pub(crate) static mut M5_msg_init: ::protobuf::__internal::runtime::MiniTableInitPtr =
    ::protobuf::__internal::runtime::MiniTableInitPtr(::protobuf::__internal::runtime::MiniTablePtr::dangling());
#[allow(non_camel_case_types)]
pub struct M5 {
  inner: ::protobuf::__internal::runtime::OwnedMessageInner<M5>
}

impl ::protobuf::Message for M5 {
  type MessageView<'msg> = M5View<'msg>;
  type MessageMut<'msg> = M5Mut<'msg>;
}

impl ::std::default::Default for M5 {
  fn default() -> Self {
    Self::new()
  }
}

impl ::std::fmt::Debug for M5 {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

// SAFETY:
// - `M5` is `Sync` because it does not implement interior mutability.
//    Neither does `M5Mut`.
unsafe impl ::std::marker::Sync for M5 {}

// SAFETY:
// - `M5` is `Send` because it uniquely owns its arena and does
//   not use thread-local data.
unsafe impl ::std::marker::Send for M5 {}

impl ::protobuf::Proxied for M5 {
  type View<'msg> = M5View<'msg>;
}

impl ::protobuf::__internal::SealedInternal for M5 {}

impl ::protobuf::MutProxied for M5 {
  type Mut<'msg> = M5Mut<'msg>;
}

#[derive(Copy, Clone)]
#[allow(dead_code)]
pub struct M5View<'msg> {
  inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M5>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M5View<'msg> {}

impl<'msg> ::protobuf::MessageView<'msg> for M5View<'msg> {
  type Message = M5;
}

impl ::std::fmt::Debug for M5View<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl ::std::default::Default for M5View<'_> {
  fn default() -> M5View<'static> {
    ::protobuf::__internal::runtime::MessageViewInner::default().into()
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageViewInner<'msg, M5>> for M5View<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M5>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M5View<'msg> {

  pub fn to_owned(&self) -> M5 {
    ::protobuf::IntoProxied::into_proxied(*self, ::protobuf::__internal::Private)
  }

  // f1: optional message M6
  pub fn has_f1(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(0)
    }
  }
  pub fn f1_opt(self) -> ::std::option::Option<super::message_proto::M6View<'msg>> {
    self.has_f1().then(|| self.f1())
  }
  pub fn f1(self) -> super::message_proto::M6View<'msg> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(0)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M6View::default())
  }

  // f2: optional uint32
  pub fn has_f2(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(1)
    }
  }
  pub fn f2_opt(self) -> ::std::option::Option<u32> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        1, (0u32).into()
      ).try_into().unwrap()
    }
  }

  // f3: optional message M8
  pub fn has_f3(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(2)
    }
  }
  pub fn f3_opt(self) -> ::std::option::Option<super::message_proto::M8View<'msg>> {
    self.has_f3().then(|| self.f3())
  }
  pub fn f3(self) -> super::message_proto::M8View<'msg> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(2)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M8View::default())
  }

  pub fn o0(self) -> super::message_proto::m5::O0Oneof<'msg> {
    match self.o0_case() {
      super::message_proto::m5::O0Case::F1 =>
          super::message_proto::m5::O0Oneof::F1(self.f1()),
      super::message_proto::m5::O0Case::F2 =>
          super::message_proto::m5::O0Oneof::F2(self.f2()),
      super::message_proto::m5::O0Case::F3 =>
          super::message_proto::m5::O0Oneof::F3(self.f3()),
      _ => super::message_proto::m5::O0Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o0_case(self) -> super::message_proto::m5::O0Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(0);
      super::message_proto::m5::O0Case::try_from(field_num).unwrap_unchecked()
    }
  }
}

// SAFETY:
// - `M5View` is `Sync` because it does not support mutation.
unsafe impl ::std::marker::Sync for M5View<'_> {}

// SAFETY:
// - `M5View` is `Send` because while its alive a `M5Mut` cannot.
// - `M5View` does not use thread-local data.
unsafe impl ::std::marker::Send for M5View<'_> {}

impl<'msg> ::protobuf::AsView for M5View<'msg> {
  type Proxied = M5;
  fn as_view(&self) -> ::protobuf::View<'msg, M5> {
    *self
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M5View<'msg> {
  fn into_view<'shorter>(self) -> M5View<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

impl<'msg> ::protobuf::IntoProxied<M5> for M5View<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M5 {
    let mut dst = M5::new();
    assert!(unsafe {
      dst.inner.ptr_mut().deep_copy(self.inner.ptr(), dst.inner.arena())
    });
    dst
  }
}

impl<'msg> ::protobuf::IntoProxied<M5> for M5Mut<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M5 {
    ::protobuf::IntoProxied::into_proxied(::protobuf::IntoView::into_view(self), _private)
  }
}

impl ::protobuf::__internal::EntityType for M5 {
    type Tag = ::protobuf::__internal::entity_tag::MessageTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M5View<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::ViewProxyTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M5Mut<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::MutProxyTag;
}

#[allow(dead_code)]
#[allow(non_camel_case_types)]
pub struct M5Mut<'msg> {
  inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M5>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M5Mut<'msg> {}

impl<'msg> ::protobuf::MessageMut<'msg> for M5Mut<'msg> {
  type Message = M5;
}

impl ::std::fmt::Debug for M5Mut<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageMutInner<'msg, M5>> for M5Mut<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M5>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M5Mut<'msg> {

  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private)
    -> ::protobuf::__internal::runtime::MessageMutInner<'msg, M5> {
    self.inner.reborrow()
  }

  pub fn to_owned(&self) -> M5 {
    ::protobuf::AsView::as_view(self).to_owned()
  }

  // f1: optional message M6
  pub fn has_f1(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(0)
    }
  }
  pub fn clear_f1(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        0
      );
    }
  }
  pub fn f1_opt(&self) -> ::std::option::Option<super::message_proto::M6View<'_>> {
    self.has_f1().then(|| self.f1())
  }
  pub fn f1(&self) -> super::message_proto::M6View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(0)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M6View::default())
  }
  pub fn f1_mut(&mut self) -> super::message_proto::M6Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         0, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f1(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M6>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        0,
        val
      );
    }
  }

  // f2: optional uint32
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
  pub fn f2_opt(&self) -> ::std::option::Option<u32> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(&self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        1, (0u32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f2(&mut self, val: u32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u32_at_index(
        1, val.into()
      )
    }
  }

  // f3: optional message M8
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
  pub fn f3_opt(&self) -> ::std::option::Option<super::message_proto::M8View<'_>> {
    self.has_f3().then(|| self.f3())
  }
  pub fn f3(&self) -> super::message_proto::M8View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(2)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M8View::default())
  }
  pub fn f3_mut(&mut self) -> super::message_proto::M8Mut<'_> {
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
    val: impl ::protobuf::IntoProxied<super::message_proto::M8>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        2,
        val
      );
    }
  }

  pub fn o0(&self) -> super::message_proto::m5::O0Oneof<'_> {
    match &self.o0_case() {
      super::message_proto::m5::O0Case::F1 =>
          super::message_proto::m5::O0Oneof::F1(self.f1()),
      super::message_proto::m5::O0Case::F2 =>
          super::message_proto::m5::O0Oneof::F2(self.f2()),
      super::message_proto::m5::O0Case::F3 =>
          super::message_proto::m5::O0Oneof::F3(self.f3()),
      _ => super::message_proto::m5::O0Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o0_case(&self) -> super::message_proto::m5::O0Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(0);
      super::message_proto::m5::O0Case::try_from(field_num).unwrap_unchecked()
    }
  }
}

// SAFETY:
// - `M5Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Send for M5Mut<'_> {}

// SAFETY:
// - `M5Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Sync for M5Mut<'_> {}

impl<'msg> ::protobuf::AsView for M5Mut<'msg> {
  type Proxied = M5;
  fn as_view(&self) -> ::protobuf::View<'_, M5> {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M5Mut<'msg> {
  fn into_view<'shorter>(self) -> ::protobuf::View<'shorter, M5>
  where
      'msg: 'shorter {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::AsMut for M5Mut<'msg> {
  type MutProxied = M5;
  fn as_mut(&mut self) -> M5Mut<'msg> {
    self.inner.reborrow().into()
  }
}

impl<'msg> ::protobuf::IntoMut<'msg> for M5Mut<'msg> {
  fn into_mut<'shorter>(self) -> M5Mut<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

#[allow(dead_code)]
impl M5 {
  pub fn new() -> Self {
    Self { inner: ::protobuf::__internal::runtime::OwnedMessageInner::<Self>::new() }
  }


  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessageMutInner<'_, M5> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner)
  }

  pub fn as_view(&self) -> M5View<'_> {
    ::protobuf::__internal::runtime::MessageViewInner::view_of_owned(&self.inner).into()
  }

  pub fn as_mut(&mut self) -> M5Mut<'_> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner).into()
  }

  // f1: optional message M6
  pub fn has_f1(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(0)
    }
  }
  pub fn clear_f1(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        0
      );
    }
  }
  pub fn f1_opt(&self) -> ::std::option::Option<super::message_proto::M6View<'_>> {
    self.has_f1().then(|| self.f1())
  }
  pub fn f1(&self) -> super::message_proto::M6View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(0)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M6View::default())
  }
  pub fn f1_mut(&mut self) -> super::message_proto::M6Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         0, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f1(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M6>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        0,
        val
      );
    }
  }

  // f2: optional uint32
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
  pub fn f2_opt(&self) -> ::std::option::Option<u32> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(&self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        1, (0u32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f2(&mut self, val: u32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u32_at_index(
        1, val.into()
      )
    }
  }

  // f3: optional message M8
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
  pub fn f3_opt(&self) -> ::std::option::Option<super::message_proto::M8View<'_>> {
    self.has_f3().then(|| self.f3())
  }
  pub fn f3(&self) -> super::message_proto::M8View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(2)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M8View::default())
  }
  pub fn f3_mut(&mut self) -> super::message_proto::M8Mut<'_> {
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
    val: impl ::protobuf::IntoProxied<super::message_proto::M8>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        2,
        val
      );
    }
  }

  pub fn o0(&self) -> super::message_proto::m5::O0Oneof<'_> {
    match &self.o0_case() {
      super::message_proto::m5::O0Case::F1 =>
          super::message_proto::m5::O0Oneof::F1(self.f1()),
      super::message_proto::m5::O0Case::F2 =>
          super::message_proto::m5::O0Oneof::F2(self.f2()),
      super::message_proto::m5::O0Case::F3 =>
          super::message_proto::m5::O0Oneof::F3(self.f3()),
      _ => super::message_proto::m5::O0Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o0_case(&self) -> super::message_proto::m5::O0Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(0);
      super::message_proto::m5::O0Case::try_from(field_num).unwrap_unchecked()
    }
  }
}  // impl M5

impl ::std::ops::Drop for M5 {
  #[inline]
  fn drop(&mut self) {
  }
}

impl ::std::clone::Clone for M5 {
  fn clone(&self) -> Self {
    self.as_view().to_owned()
  }
}

impl ::protobuf::AsView for M5 {
  type Proxied = Self;
  fn as_view(&self) -> M5View<'_> {
    self.as_view()
  }
}

impl ::protobuf::AsMut for M5 {
  type MutProxied = Self;
  fn as_mut(&mut self) -> M5Mut<'_> {
    self.as_mut()
  }
}

unsafe impl ::protobuf::__internal::runtime::AssociatedMiniTable for M5 {
  fn mini_table() -> ::protobuf::__internal::runtime::MiniTablePtr {
    static ONCE_LOCK: ::std::sync::OnceLock<::protobuf::__internal::runtime::MiniTableInitPtr> =
        ::std::sync::OnceLock::new();
    unsafe {
      ONCE_LOCK.get_or_init(|| {
        super::message_proto::M5_msg_init.0 =
            ::protobuf::__internal::runtime::build_mini_table("$3)3^!|#|$");
        ::protobuf::__internal::runtime::link_mini_table(
            super::message_proto::M5_msg_init.0, &[<super::message_proto::M6 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            <super::message_proto::M8 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            ], &[]);
        ::protobuf::__internal::runtime::MiniTableInitPtr(super::message_proto::M5_msg_init.0)
      }).0
    }
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M5 {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M5 {
  type Msg = M5;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M5> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M5 {
  type Msg = M5;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M5> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M5Mut<'_> {
  type Msg = M5;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M5> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M5Mut<'_> {
  type Msg = M5;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M5> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M5View<'_> {
  type Msg = M5;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M5> {
    self.inner.ptr()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M5Mut<'_> {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}

pub mod m5 {

#[non_exhaustive]
#[derive(Debug, Clone, Copy)]
#[allow(dead_code)]
#[repr(u32)]
pub enum O0Oneof<'msg> {
  F1(::protobuf::View<'msg, super::super::message_proto::M6>) = 1,
  F2(u32) = 2,
  F3(::protobuf::View<'msg, super::super::message_proto::M8>) = 3,

  not_set(std::marker::PhantomData<&'msg ()>) = 0
}
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[allow(dead_code)]
pub enum O0Case {
  F1 = 1,
  F2 = 2,
  F3 = 3,

  not_set = 0
}

impl O0Case {
  #[allow(dead_code)]
  pub(crate) fn try_from(v: u32) -> ::std::option::Option<O0Case> {
    match v {
      0 => Some(O0Case::not_set),
      1 => Some(O0Case::F1),
      2 => Some(O0Case::F2),
      3 => Some(O0Case::F3),
      _ => None
    }
  }
}
}  // pub mod m5


// This variable must not be referenced except by protobuf generated
// code.
pub(crate) static mut M6_msg_init: ::protobuf::__internal::runtime::MiniTableInitPtr =
    ::protobuf::__internal::runtime::MiniTableInitPtr(::protobuf::__internal::runtime::MiniTablePtr::dangling());
#[allow(non_camel_case_types)]
pub struct M6 {
  inner: ::protobuf::__internal::runtime::OwnedMessageInner<M6>
}

impl ::protobuf::Message for M6 {
  type MessageView<'msg> = M6View<'msg>;
  type MessageMut<'msg> = M6Mut<'msg>;
}

impl ::std::default::Default for M6 {
  fn default() -> Self {
    Self::new()
  }
}

impl ::std::fmt::Debug for M6 {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

// SAFETY:
// - `M6` is `Sync` because it does not implement interior mutability.
//    Neither does `M6Mut`.
unsafe impl ::std::marker::Sync for M6 {}

// SAFETY:
// - `M6` is `Send` because it uniquely owns its arena and does
//   not use thread-local data.
unsafe impl ::std::marker::Send for M6 {}

impl ::protobuf::Proxied for M6 {
  type View<'msg> = M6View<'msg>;
}

impl ::protobuf::__internal::SealedInternal for M6 {}

impl ::protobuf::MutProxied for M6 {
  type Mut<'msg> = M6Mut<'msg>;
}

#[derive(Copy, Clone)]
#[allow(dead_code)]
pub struct M6View<'msg> {
  inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M6>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M6View<'msg> {}

impl<'msg> ::protobuf::MessageView<'msg> for M6View<'msg> {
  type Message = M6;
}

impl ::std::fmt::Debug for M6View<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl ::std::default::Default for M6View<'_> {
  fn default() -> M6View<'static> {
    ::protobuf::__internal::runtime::MessageViewInner::default().into()
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageViewInner<'msg, M6>> for M6View<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M6>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M6View<'msg> {

  pub fn to_owned(&self) -> M6 {
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

  // f2: optional message M7
  pub fn has_f2(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(1)
    }
  }
  pub fn f2_opt(self) -> ::std::option::Option<super::message_proto::M7View<'msg>> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(self) -> super::message_proto::M7View<'msg> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(1)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M7View::default())
  }

}

// SAFETY:
// - `M6View` is `Sync` because it does not support mutation.
unsafe impl ::std::marker::Sync for M6View<'_> {}

// SAFETY:
// - `M6View` is `Send` because while its alive a `M6Mut` cannot.
// - `M6View` does not use thread-local data.
unsafe impl ::std::marker::Send for M6View<'_> {}

impl<'msg> ::protobuf::AsView for M6View<'msg> {
  type Proxied = M6;
  fn as_view(&self) -> ::protobuf::View<'msg, M6> {
    *self
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M6View<'msg> {
  fn into_view<'shorter>(self) -> M6View<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

impl<'msg> ::protobuf::IntoProxied<M6> for M6View<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M6 {
    let mut dst = M6::new();
    assert!(unsafe {
      dst.inner.ptr_mut().deep_copy(self.inner.ptr(), dst.inner.arena())
    });
    dst
  }
}

impl<'msg> ::protobuf::IntoProxied<M6> for M6Mut<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M6 {
    ::protobuf::IntoProxied::into_proxied(::protobuf::IntoView::into_view(self), _private)
  }
}

impl ::protobuf::__internal::EntityType for M6 {
    type Tag = ::protobuf::__internal::entity_tag::MessageTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M6View<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::ViewProxyTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M6Mut<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::MutProxyTag;
}

#[allow(dead_code)]
#[allow(non_camel_case_types)]
pub struct M6Mut<'msg> {
  inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M6>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M6Mut<'msg> {}

impl<'msg> ::protobuf::MessageMut<'msg> for M6Mut<'msg> {
  type Message = M6;
}

impl ::std::fmt::Debug for M6Mut<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageMutInner<'msg, M6>> for M6Mut<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M6>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M6Mut<'msg> {

  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private)
    -> ::protobuf::__internal::runtime::MessageMutInner<'msg, M6> {
    self.inner.reborrow()
  }

  pub fn to_owned(&self) -> M6 {
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

  // f2: optional message M7
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
  pub fn f2_opt(&self) -> ::std::option::Option<super::message_proto::M7View<'_>> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(&self) -> super::message_proto::M7View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(1)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M7View::default())
  }
  pub fn f2_mut(&mut self) -> super::message_proto::M7Mut<'_> {
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
    val: impl ::protobuf::IntoProxied<super::message_proto::M7>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        1,
        val
      );
    }
  }

}

// SAFETY:
// - `M6Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Send for M6Mut<'_> {}

// SAFETY:
// - `M6Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Sync for M6Mut<'_> {}

impl<'msg> ::protobuf::AsView for M6Mut<'msg> {
  type Proxied = M6;
  fn as_view(&self) -> ::protobuf::View<'_, M6> {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M6Mut<'msg> {
  fn into_view<'shorter>(self) -> ::protobuf::View<'shorter, M6>
  where
      'msg: 'shorter {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::AsMut for M6Mut<'msg> {
  type MutProxied = M6;
  fn as_mut(&mut self) -> M6Mut<'msg> {
    self.inner.reborrow().into()
  }
}

impl<'msg> ::protobuf::IntoMut<'msg> for M6Mut<'msg> {
  fn into_mut<'shorter>(self) -> M6Mut<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

#[allow(dead_code)]
impl M6 {
  pub fn new() -> Self {
    Self { inner: ::protobuf::__internal::runtime::OwnedMessageInner::<Self>::new() }
  }


  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessageMutInner<'_, M6> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner)
  }

  pub fn as_view(&self) -> M6View<'_> {
    ::protobuf::__internal::runtime::MessageViewInner::view_of_owned(&self.inner).into()
  }

  pub fn as_mut(&mut self) -> M6Mut<'_> {
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

  // f2: optional message M7
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
  pub fn f2_opt(&self) -> ::std::option::Option<super::message_proto::M7View<'_>> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(&self) -> super::message_proto::M7View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(1)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M7View::default())
  }
  pub fn f2_mut(&mut self) -> super::message_proto::M7Mut<'_> {
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
    val: impl ::protobuf::IntoProxied<super::message_proto::M7>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        1,
        val
      );
    }
  }

}  // impl M6

impl ::std::ops::Drop for M6 {
  #[inline]
  fn drop(&mut self) {
  }
}

impl ::std::clone::Clone for M6 {
  fn clone(&self) -> Self {
    self.as_view().to_owned()
  }
}

impl ::protobuf::AsView for M6 {
  type Proxied = Self;
  fn as_view(&self) -> M6View<'_> {
    self.as_view()
  }
}

impl ::protobuf::AsMut for M6 {
  type MutProxied = Self;
  fn as_mut(&mut self) -> M6Mut<'_> {
    self.as_mut()
  }
}

unsafe impl ::protobuf::__internal::runtime::AssociatedMiniTable for M6 {
  fn mini_table() -> ::protobuf::__internal::runtime::MiniTablePtr {
    static ONCE_LOCK: ::std::sync::OnceLock<::protobuf::__internal::runtime::MiniTableInitPtr> =
        ::std::sync::OnceLock::new();
    unsafe {
      ONCE_LOCK.get_or_init(|| {
        super::message_proto::M6_msg_init.0 =
            ::protobuf::__internal::runtime::build_mini_table("$)P3");
        ::protobuf::__internal::runtime::link_mini_table(
            super::message_proto::M6_msg_init.0, &[<super::message_proto::M7 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            ], &[]);
        ::protobuf::__internal::runtime::MiniTableInitPtr(super::message_proto::M6_msg_init.0)
      }).0
    }
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M6 {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M6 {
  type Msg = M6;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M6> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M6 {
  type Msg = M6;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M6> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M6Mut<'_> {
  type Msg = M6;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M6> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M6Mut<'_> {
  type Msg = M6;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M6> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M6View<'_> {
  type Msg = M6;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M6> {
    self.inner.ptr()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M6Mut<'_> {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}



// This variable must not be referenced except by protobuf generated
// code.
pub(crate) static mut M7_msg_init: ::protobuf::__internal::runtime::MiniTableInitPtr =
    ::protobuf::__internal::runtime::MiniTableInitPtr(::protobuf::__internal::runtime::MiniTablePtr::dangling());
#[allow(non_camel_case_types)]
pub struct M7 {
  inner: ::protobuf::__internal::runtime::OwnedMessageInner<M7>
}

impl ::protobuf::Message for M7 {
  type MessageView<'msg> = M7View<'msg>;
  type MessageMut<'msg> = M7Mut<'msg>;
}

impl ::std::default::Default for M7 {
  fn default() -> Self {
    Self::new()
  }
}

impl ::std::fmt::Debug for M7 {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

// SAFETY:
// - `M7` is `Sync` because it does not implement interior mutability.
//    Neither does `M7Mut`.
unsafe impl ::std::marker::Sync for M7 {}

// SAFETY:
// - `M7` is `Send` because it uniquely owns its arena and does
//   not use thread-local data.
unsafe impl ::std::marker::Send for M7 {}

impl ::protobuf::Proxied for M7 {
  type View<'msg> = M7View<'msg>;
}

impl ::protobuf::__internal::SealedInternal for M7 {}

impl ::protobuf::MutProxied for M7 {
  type Mut<'msg> = M7Mut<'msg>;
}

#[derive(Copy, Clone)]
#[allow(dead_code)]
pub struct M7View<'msg> {
  inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M7>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M7View<'msg> {}

impl<'msg> ::protobuf::MessageView<'msg> for M7View<'msg> {
  type Message = M7;
}

impl ::std::fmt::Debug for M7View<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl ::std::default::Default for M7View<'_> {
  fn default() -> M7View<'static> {
    ::protobuf::__internal::runtime::MessageViewInner::default().into()
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageViewInner<'msg, M7>> for M7View<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M7>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M7View<'msg> {

  pub fn to_owned(&self) -> M7 {
    ::protobuf::IntoProxied::into_proxied(*self, ::protobuf::__internal::Private)
  }

  // f1: optional bytes
  pub fn has_f1(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(0)
    }
  }
  pub fn f1_opt(self) -> ::std::option::Option<&'msg [u8]> {
    self.has_f1().then(|| self.f1())
  }
  pub fn f1(self) -> ::protobuf::View<'msg, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        0, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }

  // f2: optional bytes
  pub fn has_f2(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(1)
    }
  }
  pub fn f2_opt(self) -> ::std::option::Option<&'msg [u8]> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(self) -> ::protobuf::View<'msg, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        1, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }

  // f3: optional bytes
  pub fn has_f3(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(2)
    }
  }
  pub fn f3_opt(self) -> ::std::option::Option<&'msg [u8]> {
    self.has_f3().then(|| self.f3())
  }
  pub fn f3(self) -> ::protobuf::View<'msg, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        2, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }

  pub fn o0(self) -> super::message_proto::m7::O0Oneof<'msg> {
    match self.o0_case() {
      super::message_proto::m7::O0Case::F1 =>
          super::message_proto::m7::O0Oneof::F1(self.f1()),
      super::message_proto::m7::O0Case::F2 =>
          super::message_proto::m7::O0Oneof::F2(self.f2()),
      super::message_proto::m7::O0Case::F3 =>
          super::message_proto::m7::O0Oneof::F3(self.f3()),
      _ => super::message_proto::m7::O0Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o0_case(self) -> super::message_proto::m7::O0Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(0);
      super::message_proto::m7::O0Case::try_from(field_num).unwrap_unchecked()
    }
  }
}

// SAFETY:
// - `M7View` is `Sync` because it does not support mutation.
unsafe impl ::std::marker::Sync for M7View<'_> {}

// SAFETY:
// - `M7View` is `Send` because while its alive a `M7Mut` cannot.
// - `M7View` does not use thread-local data.
unsafe impl ::std::marker::Send for M7View<'_> {}

impl<'msg> ::protobuf::AsView for M7View<'msg> {
  type Proxied = M7;
  fn as_view(&self) -> ::protobuf::View<'msg, M7> {
    *self
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M7View<'msg> {
  fn into_view<'shorter>(self) -> M7View<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

impl<'msg> ::protobuf::IntoProxied<M7> for M7View<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M7 {
    let mut dst = M7::new();
    assert!(unsafe {
      dst.inner.ptr_mut().deep_copy(self.inner.ptr(), dst.inner.arena())
    });
    dst
  }
}

impl<'msg> ::protobuf::IntoProxied<M7> for M7Mut<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M7 {
    ::protobuf::IntoProxied::into_proxied(::protobuf::IntoView::into_view(self), _private)
  }
}

impl ::protobuf::__internal::EntityType for M7 {
    type Tag = ::protobuf::__internal::entity_tag::MessageTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M7View<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::ViewProxyTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M7Mut<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::MutProxyTag;
}

#[allow(dead_code)]
#[allow(non_camel_case_types)]
pub struct M7Mut<'msg> {
  inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M7>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M7Mut<'msg> {}

impl<'msg> ::protobuf::MessageMut<'msg> for M7Mut<'msg> {
  type Message = M7;
}

impl ::std::fmt::Debug for M7Mut<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageMutInner<'msg, M7>> for M7Mut<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M7>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M7Mut<'msg> {

  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private)
    -> ::protobuf::__internal::runtime::MessageMutInner<'msg, M7> {
    self.inner.reborrow()
  }

  pub fn to_owned(&self) -> M7 {
    ::protobuf::AsView::as_view(self).to_owned()
  }

  // f1: optional bytes
  pub fn has_f1(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(0)
    }
  }
  pub fn clear_f1(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        0
      );
    }
  }
  pub fn f1_opt(&self) -> ::std::option::Option<&'_ [u8]> {
    self.has_f1().then(|| self.f1())
  }
  pub fn f1(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        0, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f1(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        0,
        val);
    }
  }

  // f2: optional bytes
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
  pub fn f2_opt(&self) -> ::std::option::Option<&'_ [u8]> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        1, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f2(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        1,
        val);
    }
  }

  // f3: optional bytes
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
  pub fn f3_opt(&self) -> ::std::option::Option<&'_ [u8]> {
    self.has_f3().then(|| self.f3())
  }
  pub fn f3(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        2, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f3(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        2,
        val);
    }
  }

  pub fn o0(&self) -> super::message_proto::m7::O0Oneof<'_> {
    match &self.o0_case() {
      super::message_proto::m7::O0Case::F1 =>
          super::message_proto::m7::O0Oneof::F1(self.f1()),
      super::message_proto::m7::O0Case::F2 =>
          super::message_proto::m7::O0Oneof::F2(self.f2()),
      super::message_proto::m7::O0Case::F3 =>
          super::message_proto::m7::O0Oneof::F3(self.f3()),
      _ => super::message_proto::m7::O0Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o0_case(&self) -> super::message_proto::m7::O0Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(0);
      super::message_proto::m7::O0Case::try_from(field_num).unwrap_unchecked()
    }
  }
}

// SAFETY:
// - `M7Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Send for M7Mut<'_> {}

// SAFETY:
// - `M7Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Sync for M7Mut<'_> {}

impl<'msg> ::protobuf::AsView for M7Mut<'msg> {
  type Proxied = M7;
  fn as_view(&self) -> ::protobuf::View<'_, M7> {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M7Mut<'msg> {
  fn into_view<'shorter>(self) -> ::protobuf::View<'shorter, M7>
  where
      'msg: 'shorter {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::AsMut for M7Mut<'msg> {
  type MutProxied = M7;
  fn as_mut(&mut self) -> M7Mut<'msg> {
    self.inner.reborrow().into()
  }
}

impl<'msg> ::protobuf::IntoMut<'msg> for M7Mut<'msg> {
  fn into_mut<'shorter>(self) -> M7Mut<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

#[allow(dead_code)]
impl M7 {
  pub fn new() -> Self {
    Self { inner: ::protobuf::__internal::runtime::OwnedMessageInner::<Self>::new() }
  }


  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessageMutInner<'_, M7> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner)
  }

  pub fn as_view(&self) -> M7View<'_> {
    ::protobuf::__internal::runtime::MessageViewInner::view_of_owned(&self.inner).into()
  }

  pub fn as_mut(&mut self) -> M7Mut<'_> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner).into()
  }

  // f1: optional bytes
  pub fn has_f1(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(0)
    }
  }
  pub fn clear_f1(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        0
      );
    }
  }
  pub fn f1_opt(&self) -> ::std::option::Option<&'_ [u8]> {
    self.has_f1().then(|| self.f1())
  }
  pub fn f1(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        0, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f1(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        0,
        val);
    }
  }

  // f2: optional bytes
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
  pub fn f2_opt(&self) -> ::std::option::Option<&'_ [u8]> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        1, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f2(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        1,
        val);
    }
  }

  // f3: optional bytes
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
  pub fn f3_opt(&self) -> ::std::option::Option<&'_ [u8]> {
    self.has_f3().then(|| self.f3())
  }
  pub fn f3(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        2, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f3(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        2,
        val);
    }
  }

  pub fn o0(&self) -> super::message_proto::m7::O0Oneof<'_> {
    match &self.o0_case() {
      super::message_proto::m7::O0Case::F1 =>
          super::message_proto::m7::O0Oneof::F1(self.f1()),
      super::message_proto::m7::O0Case::F2 =>
          super::message_proto::m7::O0Oneof::F2(self.f2()),
      super::message_proto::m7::O0Case::F3 =>
          super::message_proto::m7::O0Oneof::F3(self.f3()),
      _ => super::message_proto::m7::O0Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o0_case(&self) -> super::message_proto::m7::O0Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(0);
      super::message_proto::m7::O0Case::try_from(field_num).unwrap_unchecked()
    }
  }
}  // impl M7

impl ::std::ops::Drop for M7 {
  #[inline]
  fn drop(&mut self) {
  }
}

impl ::std::clone::Clone for M7 {
  fn clone(&self) -> Self {
    self.as_view().to_owned()
  }
}

impl ::protobuf::AsView for M7 {
  type Proxied = Self;
  fn as_view(&self) -> M7View<'_> {
    self.as_view()
  }
}

impl ::protobuf::AsMut for M7 {
  type MutProxied = Self;
  fn as_mut(&mut self) -> M7Mut<'_> {
    self.as_mut()
  }
}

unsafe impl ::protobuf::__internal::runtime::AssociatedMiniTable for M7 {
  fn mini_table() -> ::protobuf::__internal::runtime::MiniTablePtr {
    static ONCE_LOCK: ::std::sync::OnceLock<::protobuf::__internal::runtime::MiniTableInitPtr> =
        ::std::sync::OnceLock::new();
    unsafe {
      ONCE_LOCK.get_or_init(|| {
        super::message_proto::M7_msg_init.0 =
            ::protobuf::__internal::runtime::build_mini_table("$000^!|#|$");
        ::protobuf::__internal::runtime::link_mini_table(
            super::message_proto::M7_msg_init.0, &[], &[]);
        ::protobuf::__internal::runtime::MiniTableInitPtr(super::message_proto::M7_msg_init.0)
      }).0
    }
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M7 {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M7 {
  type Msg = M7;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M7> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M7 {
  type Msg = M7;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M7> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M7Mut<'_> {
  type Msg = M7;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M7> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M7Mut<'_> {
  type Msg = M7;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M7> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M7View<'_> {
  type Msg = M7;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M7> {
    self.inner.ptr()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M7Mut<'_> {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}

pub mod m7 {

#[non_exhaustive]
#[derive(Debug, Clone, Copy)]
#[allow(dead_code)]
#[repr(u32)]
pub enum O0Oneof<'msg> {
  F1(&'msg [u8]) = 1,
  F2(&'msg [u8]) = 2,
  F3(&'msg [u8]) = 3,

  not_set(std::marker::PhantomData<&'msg ()>) = 0
}
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[allow(dead_code)]
pub enum O0Case {
  F1 = 1,
  F2 = 2,
  F3 = 3,

  not_set = 0
}

impl O0Case {
  #[allow(dead_code)]
  pub(crate) fn try_from(v: u32) -> ::std::option::Option<O0Case> {
    match v {
      0 => Some(O0Case::not_set),
      1 => Some(O0Case::F1),
      2 => Some(O0Case::F2),
      3 => Some(O0Case::F3),
      _ => None
    }
  }
}
}  // pub mod m7


// This variable must not be referenced except by protobuf generated
// code.
pub(crate) static mut M8_msg_init: ::protobuf::__internal::runtime::MiniTableInitPtr =
    ::protobuf::__internal::runtime::MiniTableInitPtr(::protobuf::__internal::runtime::MiniTablePtr::dangling());
#[allow(non_camel_case_types)]
pub struct M8 {
  inner: ::protobuf::__internal::runtime::OwnedMessageInner<M8>
}

impl ::protobuf::Message for M8 {
  type MessageView<'msg> = M8View<'msg>;
  type MessageMut<'msg> = M8Mut<'msg>;
}

impl ::std::default::Default for M8 {
  fn default() -> Self {
    Self::new()
  }
}

impl ::std::fmt::Debug for M8 {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

// SAFETY:
// - `M8` is `Sync` because it does not implement interior mutability.
//    Neither does `M8Mut`.
unsafe impl ::std::marker::Sync for M8 {}

// SAFETY:
// - `M8` is `Send` because it uniquely owns its arena and does
//   not use thread-local data.
unsafe impl ::std::marker::Send for M8 {}

impl ::protobuf::Proxied for M8 {
  type View<'msg> = M8View<'msg>;
}

impl ::protobuf::__internal::SealedInternal for M8 {}

impl ::protobuf::MutProxied for M8 {
  type Mut<'msg> = M8Mut<'msg>;
}

#[derive(Copy, Clone)]
#[allow(dead_code)]
pub struct M8View<'msg> {
  inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M8>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M8View<'msg> {}

impl<'msg> ::protobuf::MessageView<'msg> for M8View<'msg> {
  type Message = M8;
}

impl ::std::fmt::Debug for M8View<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl ::std::default::Default for M8View<'_> {
  fn default() -> M8View<'static> {
    ::protobuf::__internal::runtime::MessageViewInner::default().into()
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageViewInner<'msg, M8>> for M8View<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M8>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M8View<'msg> {

  pub fn to_owned(&self) -> M8 {
    ::protobuf::IntoProxied::into_proxied(*self, ::protobuf::__internal::Private)
  }

  // f1: repeated message M9
  pub fn f1(self) -> ::protobuf::RepeatedView<'msg, super::message_proto::M9> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        0
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M9>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }

}

// SAFETY:
// - `M8View` is `Sync` because it does not support mutation.
unsafe impl ::std::marker::Sync for M8View<'_> {}

// SAFETY:
// - `M8View` is `Send` because while its alive a `M8Mut` cannot.
// - `M8View` does not use thread-local data.
unsafe impl ::std::marker::Send for M8View<'_> {}

impl<'msg> ::protobuf::AsView for M8View<'msg> {
  type Proxied = M8;
  fn as_view(&self) -> ::protobuf::View<'msg, M8> {
    *self
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M8View<'msg> {
  fn into_view<'shorter>(self) -> M8View<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

impl<'msg> ::protobuf::IntoProxied<M8> for M8View<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M8 {
    let mut dst = M8::new();
    assert!(unsafe {
      dst.inner.ptr_mut().deep_copy(self.inner.ptr(), dst.inner.arena())
    });
    dst
  }
}

impl<'msg> ::protobuf::IntoProxied<M8> for M8Mut<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M8 {
    ::protobuf::IntoProxied::into_proxied(::protobuf::IntoView::into_view(self), _private)
  }
}

impl ::protobuf::__internal::EntityType for M8 {
    type Tag = ::protobuf::__internal::entity_tag::MessageTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M8View<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::ViewProxyTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M8Mut<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::MutProxyTag;
}

#[allow(dead_code)]
#[allow(non_camel_case_types)]
pub struct M8Mut<'msg> {
  inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M8>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M8Mut<'msg> {}

impl<'msg> ::protobuf::MessageMut<'msg> for M8Mut<'msg> {
  type Message = M8;
}

impl ::std::fmt::Debug for M8Mut<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageMutInner<'msg, M8>> for M8Mut<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M8>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M8Mut<'msg> {

  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private)
    -> ::protobuf::__internal::runtime::MessageMutInner<'msg, M8> {
    self.inner.reborrow()
  }

  pub fn to_owned(&self) -> M8 {
    ::protobuf::AsView::as_view(self).to_owned()
  }

  // f1: repeated message M9
  pub fn f1(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::M9> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        0
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M9>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f1_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::M9> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        0,
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
  pub fn set_f1(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::M9>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        0,
        src);
    }
  }

}

// SAFETY:
// - `M8Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Send for M8Mut<'_> {}

// SAFETY:
// - `M8Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Sync for M8Mut<'_> {}

impl<'msg> ::protobuf::AsView for M8Mut<'msg> {
  type Proxied = M8;
  fn as_view(&self) -> ::protobuf::View<'_, M8> {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M8Mut<'msg> {
  fn into_view<'shorter>(self) -> ::protobuf::View<'shorter, M8>
  where
      'msg: 'shorter {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::AsMut for M8Mut<'msg> {
  type MutProxied = M8;
  fn as_mut(&mut self) -> M8Mut<'msg> {
    self.inner.reborrow().into()
  }
}

impl<'msg> ::protobuf::IntoMut<'msg> for M8Mut<'msg> {
  fn into_mut<'shorter>(self) -> M8Mut<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

#[allow(dead_code)]
impl M8 {
  pub fn new() -> Self {
    Self { inner: ::protobuf::__internal::runtime::OwnedMessageInner::<Self>::new() }
  }


  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessageMutInner<'_, M8> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner)
  }

  pub fn as_view(&self) -> M8View<'_> {
    ::protobuf::__internal::runtime::MessageViewInner::view_of_owned(&self.inner).into()
  }

  pub fn as_mut(&mut self) -> M8Mut<'_> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner).into()
  }

  // f1: repeated message M9
  pub fn f1(&self) -> ::protobuf::RepeatedView<'_, super::message_proto::M9> {
    unsafe {
      self.inner.ptr().get_array_at_index(
        0
      )
    }.map_or_else(
        ::protobuf::__internal::runtime::empty_array::<super::message_proto::M9>,
        |raw| unsafe {
          ::protobuf::RepeatedView::from_raw(::protobuf::__internal::Private, raw)
        }
      )
  }
  pub fn f1_mut(&mut self) -> ::protobuf::RepeatedMut<'_, super::message_proto::M9> {
    unsafe {
      let raw_array = self.inner.ptr_mut().get_or_create_mutable_array_at_index(
        0,
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
  pub fn set_f1(&mut self, src: impl ::protobuf::IntoProxied<::protobuf::Repeated<super::message_proto::M9>>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_repeated_field(
        ::protobuf::AsMut::as_mut(self).inner,
        0,
        src);
    }
  }

}  // impl M8

impl ::std::ops::Drop for M8 {
  #[inline]
  fn drop(&mut self) {
  }
}

impl ::std::clone::Clone for M8 {
  fn clone(&self) -> Self {
    self.as_view().to_owned()
  }
}

impl ::protobuf::AsView for M8 {
  type Proxied = Self;
  fn as_view(&self) -> M8View<'_> {
    self.as_view()
  }
}

impl ::protobuf::AsMut for M8 {
  type MutProxied = Self;
  fn as_mut(&mut self) -> M8Mut<'_> {
    self.as_mut()
  }
}

unsafe impl ::protobuf::__internal::runtime::AssociatedMiniTable for M8 {
  fn mini_table() -> ::protobuf::__internal::runtime::MiniTablePtr {
    static ONCE_LOCK: ::std::sync::OnceLock<::protobuf::__internal::runtime::MiniTableInitPtr> =
        ::std::sync::OnceLock::new();
    unsafe {
      ONCE_LOCK.get_or_init(|| {
        super::message_proto::M8_msg_init.0 =
            ::protobuf::__internal::runtime::build_mini_table("$G");
        ::protobuf::__internal::runtime::link_mini_table(
            super::message_proto::M8_msg_init.0, &[<super::message_proto::M9 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            ], &[]);
        ::protobuf::__internal::runtime::MiniTableInitPtr(super::message_proto::M8_msg_init.0)
      }).0
    }
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M8 {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M8 {
  type Msg = M8;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M8> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M8 {
  type Msg = M8;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M8> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M8Mut<'_> {
  type Msg = M8;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M8> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M8Mut<'_> {
  type Msg = M8;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M8> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M8View<'_> {
  type Msg = M8;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M8> {
    self.inner.ptr()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M8Mut<'_> {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}



// This variable must not be referenced except by protobuf generated
// code.
pub(crate) static mut M9_msg_init: ::protobuf::__internal::runtime::MiniTableInitPtr =
    ::protobuf::__internal::runtime::MiniTableInitPtr(::protobuf::__internal::runtime::MiniTablePtr::dangling());
#[allow(non_camel_case_types)]
pub struct M9 {
  inner: ::protobuf::__internal::runtime::OwnedMessageInner<M9>
}

impl ::protobuf::Message for M9 {
  type MessageView<'msg> = M9View<'msg>;
  type MessageMut<'msg> = M9Mut<'msg>;
}

impl ::std::default::Default for M9 {
  fn default() -> Self {
    Self::new()
  }
}

impl ::std::fmt::Debug for M9 {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

// SAFETY:
// - `M9` is `Sync` because it does not implement interior mutability.
//    Neither does `M9Mut`.
unsafe impl ::std::marker::Sync for M9 {}

// SAFETY:
// - `M9` is `Send` because it uniquely owns its arena and does
//   not use thread-local data.
unsafe impl ::std::marker::Send for M9 {}

impl ::protobuf::Proxied for M9 {
  type View<'msg> = M9View<'msg>;
}

impl ::protobuf::__internal::SealedInternal for M9 {}

impl ::protobuf::MutProxied for M9 {
  type Mut<'msg> = M9Mut<'msg>;
}

#[derive(Copy, Clone)]
#[allow(dead_code)]
pub struct M9View<'msg> {
  inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M9>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M9View<'msg> {}

impl<'msg> ::protobuf::MessageView<'msg> for M9View<'msg> {
  type Message = M9;
}

impl ::std::fmt::Debug for M9View<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl ::std::default::Default for M9View<'_> {
  fn default() -> M9View<'static> {
    ::protobuf::__internal::runtime::MessageViewInner::default().into()
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageViewInner<'msg, M9>> for M9View<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M9>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M9View<'msg> {

  pub fn to_owned(&self) -> M9 {
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

  // f2: optional bytes
  pub fn f2(self) -> ::protobuf::View<'msg, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        1, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }

}

// SAFETY:
// - `M9View` is `Sync` because it does not support mutation.
unsafe impl ::std::marker::Sync for M9View<'_> {}

// SAFETY:
// - `M9View` is `Send` because while its alive a `M9Mut` cannot.
// - `M9View` does not use thread-local data.
unsafe impl ::std::marker::Send for M9View<'_> {}

impl<'msg> ::protobuf::AsView for M9View<'msg> {
  type Proxied = M9;
  fn as_view(&self) -> ::protobuf::View<'msg, M9> {
    *self
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M9View<'msg> {
  fn into_view<'shorter>(self) -> M9View<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

impl<'msg> ::protobuf::IntoProxied<M9> for M9View<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M9 {
    let mut dst = M9::new();
    assert!(unsafe {
      dst.inner.ptr_mut().deep_copy(self.inner.ptr(), dst.inner.arena())
    });
    dst
  }
}

impl<'msg> ::protobuf::IntoProxied<M9> for M9Mut<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M9 {
    ::protobuf::IntoProxied::into_proxied(::protobuf::IntoView::into_view(self), _private)
  }
}

impl ::protobuf::__internal::EntityType for M9 {
    type Tag = ::protobuf::__internal::entity_tag::MessageTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M9View<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::ViewProxyTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M9Mut<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::MutProxyTag;
}

#[allow(dead_code)]
#[allow(non_camel_case_types)]
pub struct M9Mut<'msg> {
  inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M9>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M9Mut<'msg> {}

impl<'msg> ::protobuf::MessageMut<'msg> for M9Mut<'msg> {
  type Message = M9;
}

impl ::std::fmt::Debug for M9Mut<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageMutInner<'msg, M9>> for M9Mut<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M9>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M9Mut<'msg> {

  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private)
    -> ::protobuf::__internal::runtime::MessageMutInner<'msg, M9> {
    self.inner.reborrow()
  }

  pub fn to_owned(&self) -> M9 {
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

  // f2: optional bytes
  pub fn f2(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        1, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f2(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        1,
        val);
    }
  }

}

// SAFETY:
// - `M9Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Send for M9Mut<'_> {}

// SAFETY:
// - `M9Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Sync for M9Mut<'_> {}

impl<'msg> ::protobuf::AsView for M9Mut<'msg> {
  type Proxied = M9;
  fn as_view(&self) -> ::protobuf::View<'_, M9> {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M9Mut<'msg> {
  fn into_view<'shorter>(self) -> ::protobuf::View<'shorter, M9>
  where
      'msg: 'shorter {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::AsMut for M9Mut<'msg> {
  type MutProxied = M9;
  fn as_mut(&mut self) -> M9Mut<'msg> {
    self.inner.reborrow().into()
  }
}

impl<'msg> ::protobuf::IntoMut<'msg> for M9Mut<'msg> {
  fn into_mut<'shorter>(self) -> M9Mut<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

#[allow(dead_code)]
impl M9 {
  pub fn new() -> Self {
    Self { inner: ::protobuf::__internal::runtime::OwnedMessageInner::<Self>::new() }
  }


  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessageMutInner<'_, M9> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner)
  }

  pub fn as_view(&self) -> M9View<'_> {
    ::protobuf::__internal::runtime::MessageViewInner::view_of_owned(&self.inner).into()
  }

  pub fn as_mut(&mut self) -> M9Mut<'_> {
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

  // f2: optional bytes
  pub fn f2(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        1, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f2(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        1,
        val);
    }
  }

}  // impl M9

impl ::std::ops::Drop for M9 {
  #[inline]
  fn drop(&mut self) {
  }
}

impl ::std::clone::Clone for M9 {
  fn clone(&self) -> Self {
    self.as_view().to_owned()
  }
}

impl ::protobuf::AsView for M9 {
  type Proxied = Self;
  fn as_view(&self) -> M9View<'_> {
    self.as_view()
  }
}

impl ::protobuf::AsMut for M9 {
  type MutProxied = Self;
  fn as_mut(&mut self) -> M9Mut<'_> {
    self.as_mut()
  }
}

unsafe impl ::protobuf::__internal::runtime::AssociatedMiniTable for M9 {
  fn mini_table() -> ::protobuf::__internal::runtime::MiniTablePtr {
    static ONCE_LOCK: ::std::sync::OnceLock<::protobuf::__internal::runtime::MiniTableInitPtr> =
        ::std::sync::OnceLock::new();
    unsafe {
      ONCE_LOCK.get_or_init(|| {
        super::message_proto::M9_msg_init.0 =
            ::protobuf::__internal::runtime::build_mini_table("$)P0P");
        ::protobuf::__internal::runtime::link_mini_table(
            super::message_proto::M9_msg_init.0, &[], &[]);
        ::protobuf::__internal::runtime::MiniTableInitPtr(super::message_proto::M9_msg_init.0)
      }).0
    }
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M9 {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M9 {
  type Msg = M9;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M9> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M9 {
  type Msg = M9;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M9> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M9Mut<'_> {
  type Msg = M9;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M9> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M9Mut<'_> {
  type Msg = M9;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M9> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M9View<'_> {
  type Msg = M9;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M9> {
    self.inner.ptr()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M9Mut<'_> {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}



// This variable must not be referenced except by protobuf generated
// code.
pub(crate) static mut M10_msg_init: ::protobuf::__internal::runtime::MiniTableInitPtr =
    ::protobuf::__internal::runtime::MiniTableInitPtr(::protobuf::__internal::runtime::MiniTablePtr::dangling());
#[allow(non_camel_case_types)]
pub struct M10 {
  inner: ::protobuf::__internal::runtime::OwnedMessageInner<M10>
}

impl ::protobuf::Message for M10 {
  type MessageView<'msg> = M10View<'msg>;
  type MessageMut<'msg> = M10Mut<'msg>;
}

impl ::std::default::Default for M10 {
  fn default() -> Self {
    Self::new()
  }
}

impl ::std::fmt::Debug for M10 {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

// SAFETY:
// - `M10` is `Sync` because it does not implement interior mutability.
//    Neither does `M10Mut`.
unsafe impl ::std::marker::Sync for M10 {}

// SAFETY:
// - `M10` is `Send` because it uniquely owns its arena and does
//   not use thread-local data.
unsafe impl ::std::marker::Send for M10 {}

impl ::protobuf::Proxied for M10 {
  type View<'msg> = M10View<'msg>;
}

impl ::protobuf::__internal::SealedInternal for M10 {}

impl ::protobuf::MutProxied for M10 {
  type Mut<'msg> = M10Mut<'msg>;
}

#[derive(Copy, Clone)]
#[allow(dead_code)]
pub struct M10View<'msg> {
  inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M10>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M10View<'msg> {}

impl<'msg> ::protobuf::MessageView<'msg> for M10View<'msg> {
  type Message = M10;
}

impl ::std::fmt::Debug for M10View<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl ::std::default::Default for M10View<'_> {
  fn default() -> M10View<'static> {
    ::protobuf::__internal::runtime::MessageViewInner::default().into()
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageViewInner<'msg, M10>> for M10View<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M10>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M10View<'msg> {

  pub fn to_owned(&self) -> M10 {
    ::protobuf::IntoProxied::into_proxied(*self, ::protobuf::__internal::Private)
  }

  // f1: optional message M11
  pub fn has_f1(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(0)
    }
  }
  pub fn f1_opt(self) -> ::std::option::Option<super::message_proto::M11View<'msg>> {
    self.has_f1().then(|| self.f1())
  }
  pub fn f1(self) -> super::message_proto::M11View<'msg> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(0)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M11View::default())
  }

  pub fn o0(self) -> super::message_proto::m10::O0Oneof<'msg> {
    match self.o0_case() {
      super::message_proto::m10::O0Case::F1 =>
          super::message_proto::m10::O0Oneof::F1(self.f1()),
      _ => super::message_proto::m10::O0Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o0_case(self) -> super::message_proto::m10::O0Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(0);
      super::message_proto::m10::O0Case::try_from(field_num).unwrap_unchecked()
    }
  }
}

// SAFETY:
// - `M10View` is `Sync` because it does not support mutation.
unsafe impl ::std::marker::Sync for M10View<'_> {}

// SAFETY:
// - `M10View` is `Send` because while its alive a `M10Mut` cannot.
// - `M10View` does not use thread-local data.
unsafe impl ::std::marker::Send for M10View<'_> {}

impl<'msg> ::protobuf::AsView for M10View<'msg> {
  type Proxied = M10;
  fn as_view(&self) -> ::protobuf::View<'msg, M10> {
    *self
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M10View<'msg> {
  fn into_view<'shorter>(self) -> M10View<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

impl<'msg> ::protobuf::IntoProxied<M10> for M10View<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M10 {
    let mut dst = M10::new();
    assert!(unsafe {
      dst.inner.ptr_mut().deep_copy(self.inner.ptr(), dst.inner.arena())
    });
    dst
  }
}

impl<'msg> ::protobuf::IntoProxied<M10> for M10Mut<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M10 {
    ::protobuf::IntoProxied::into_proxied(::protobuf::IntoView::into_view(self), _private)
  }
}

impl ::protobuf::__internal::EntityType for M10 {
    type Tag = ::protobuf::__internal::entity_tag::MessageTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M10View<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::ViewProxyTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M10Mut<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::MutProxyTag;
}

#[allow(dead_code)]
#[allow(non_camel_case_types)]
pub struct M10Mut<'msg> {
  inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M10>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M10Mut<'msg> {}

impl<'msg> ::protobuf::MessageMut<'msg> for M10Mut<'msg> {
  type Message = M10;
}

impl ::std::fmt::Debug for M10Mut<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageMutInner<'msg, M10>> for M10Mut<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M10>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M10Mut<'msg> {

  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private)
    -> ::protobuf::__internal::runtime::MessageMutInner<'msg, M10> {
    self.inner.reborrow()
  }

  pub fn to_owned(&self) -> M10 {
    ::protobuf::AsView::as_view(self).to_owned()
  }

  // f1: optional message M11
  pub fn has_f1(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(0)
    }
  }
  pub fn clear_f1(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        0
      );
    }
  }
  pub fn f1_opt(&self) -> ::std::option::Option<super::message_proto::M11View<'_>> {
    self.has_f1().then(|| self.f1())
  }
  pub fn f1(&self) -> super::message_proto::M11View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(0)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M11View::default())
  }
  pub fn f1_mut(&mut self) -> super::message_proto::M11Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         0, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f1(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M11>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        0,
        val
      );
    }
  }

  pub fn o0(&self) -> super::message_proto::m10::O0Oneof<'_> {
    match &self.o0_case() {
      super::message_proto::m10::O0Case::F1 =>
          super::message_proto::m10::O0Oneof::F1(self.f1()),
      _ => super::message_proto::m10::O0Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o0_case(&self) -> super::message_proto::m10::O0Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(0);
      super::message_proto::m10::O0Case::try_from(field_num).unwrap_unchecked()
    }
  }
}

// SAFETY:
// - `M10Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Send for M10Mut<'_> {}

// SAFETY:
// - `M10Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Sync for M10Mut<'_> {}

impl<'msg> ::protobuf::AsView for M10Mut<'msg> {
  type Proxied = M10;
  fn as_view(&self) -> ::protobuf::View<'_, M10> {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M10Mut<'msg> {
  fn into_view<'shorter>(self) -> ::protobuf::View<'shorter, M10>
  where
      'msg: 'shorter {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::AsMut for M10Mut<'msg> {
  type MutProxied = M10;
  fn as_mut(&mut self) -> M10Mut<'msg> {
    self.inner.reborrow().into()
  }
}

impl<'msg> ::protobuf::IntoMut<'msg> for M10Mut<'msg> {
  fn into_mut<'shorter>(self) -> M10Mut<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

#[allow(dead_code)]
impl M10 {
  pub fn new() -> Self {
    Self { inner: ::protobuf::__internal::runtime::OwnedMessageInner::<Self>::new() }
  }


  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessageMutInner<'_, M10> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner)
  }

  pub fn as_view(&self) -> M10View<'_> {
    ::protobuf::__internal::runtime::MessageViewInner::view_of_owned(&self.inner).into()
  }

  pub fn as_mut(&mut self) -> M10Mut<'_> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner).into()
  }

  // f1: optional message M11
  pub fn has_f1(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(0)
    }
  }
  pub fn clear_f1(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        0
      );
    }
  }
  pub fn f1_opt(&self) -> ::std::option::Option<super::message_proto::M11View<'_>> {
    self.has_f1().then(|| self.f1())
  }
  pub fn f1(&self) -> super::message_proto::M11View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(0)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M11View::default())
  }
  pub fn f1_mut(&mut self) -> super::message_proto::M11Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         0, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f1(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M11>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        0,
        val
      );
    }
  }

  pub fn o0(&self) -> super::message_proto::m10::O0Oneof<'_> {
    match &self.o0_case() {
      super::message_proto::m10::O0Case::F1 =>
          super::message_proto::m10::O0Oneof::F1(self.f1()),
      _ => super::message_proto::m10::O0Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o0_case(&self) -> super::message_proto::m10::O0Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(0);
      super::message_proto::m10::O0Case::try_from(field_num).unwrap_unchecked()
    }
  }
}  // impl M10

impl ::std::ops::Drop for M10 {
  #[inline]
  fn drop(&mut self) {
  }
}

impl ::std::clone::Clone for M10 {
  fn clone(&self) -> Self {
    self.as_view().to_owned()
  }
}

impl ::protobuf::AsView for M10 {
  type Proxied = Self;
  fn as_view(&self) -> M10View<'_> {
    self.as_view()
  }
}

impl ::protobuf::AsMut for M10 {
  type MutProxied = Self;
  fn as_mut(&mut self) -> M10Mut<'_> {
    self.as_mut()
  }
}

unsafe impl ::protobuf::__internal::runtime::AssociatedMiniTable for M10 {
  fn mini_table() -> ::protobuf::__internal::runtime::MiniTablePtr {
    static ONCE_LOCK: ::std::sync::OnceLock<::protobuf::__internal::runtime::MiniTableInitPtr> =
        ::std::sync::OnceLock::new();
    unsafe {
      ONCE_LOCK.get_or_init(|| {
        super::message_proto::M10_msg_init.0 =
            ::protobuf::__internal::runtime::build_mini_table("$3^!");
        ::protobuf::__internal::runtime::link_mini_table(
            super::message_proto::M10_msg_init.0, &[<super::message_proto::M11 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            ], &[]);
        ::protobuf::__internal::runtime::MiniTableInitPtr(super::message_proto::M10_msg_init.0)
      }).0
    }
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M10 {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M10 {
  type Msg = M10;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M10> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M10 {
  type Msg = M10;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M10> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M10Mut<'_> {
  type Msg = M10;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M10> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M10Mut<'_> {
  type Msg = M10;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M10> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M10View<'_> {
  type Msg = M10;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M10> {
    self.inner.ptr()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M10Mut<'_> {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}

pub mod m10 {

#[non_exhaustive]
#[derive(Debug, Clone, Copy)]
#[allow(dead_code)]
#[repr(u32)]
pub enum O0Oneof<'msg> {
  F1(::protobuf::View<'msg, super::super::message_proto::M11>) = 1,

  not_set(std::marker::PhantomData<&'msg ()>) = 0
}
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[allow(dead_code)]
pub enum O0Case {
  F1 = 1,

  not_set = 0
}

impl O0Case {
  #[allow(dead_code)]
  pub(crate) fn try_from(v: u32) -> ::std::option::Option<O0Case> {
    match v {
      0 => Some(O0Case::not_set),
      1 => Some(O0Case::F1),
      _ => None
    }
  }
}
}  // pub mod m10


// This variable must not be referenced except by protobuf generated
// code.
pub(crate) static mut M11_msg_init: ::protobuf::__internal::runtime::MiniTableInitPtr =
    ::protobuf::__internal::runtime::MiniTableInitPtr(::protobuf::__internal::runtime::MiniTablePtr::dangling());
#[allow(non_camel_case_types)]
pub struct M11 {
  inner: ::protobuf::__internal::runtime::OwnedMessageInner<M11>
}

impl ::protobuf::Message for M11 {
  type MessageView<'msg> = M11View<'msg>;
  type MessageMut<'msg> = M11Mut<'msg>;
}

impl ::std::default::Default for M11 {
  fn default() -> Self {
    Self::new()
  }
}

impl ::std::fmt::Debug for M11 {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

// SAFETY:
// - `M11` is `Sync` because it does not implement interior mutability.
//    Neither does `M11Mut`.
unsafe impl ::std::marker::Sync for M11 {}

// SAFETY:
// - `M11` is `Send` because it uniquely owns its arena and does
//   not use thread-local data.
unsafe impl ::std::marker::Send for M11 {}

impl ::protobuf::Proxied for M11 {
  type View<'msg> = M11View<'msg>;
}

impl ::protobuf::__internal::SealedInternal for M11 {}

impl ::protobuf::MutProxied for M11 {
  type Mut<'msg> = M11Mut<'msg>;
}

#[derive(Copy, Clone)]
#[allow(dead_code)]
pub struct M11View<'msg> {
  inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M11>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M11View<'msg> {}

impl<'msg> ::protobuf::MessageView<'msg> for M11View<'msg> {
  type Message = M11;
}

impl ::std::fmt::Debug for M11View<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl ::std::default::Default for M11View<'_> {
  fn default() -> M11View<'static> {
    ::protobuf::__internal::runtime::MessageViewInner::default().into()
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageViewInner<'msg, M11>> for M11View<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M11>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M11View<'msg> {

  pub fn to_owned(&self) -> M11 {
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

  // f2: optional uint32
  pub fn f2(self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        1, (0u32).into()
      ).try_into().unwrap()
    }
  }

}

// SAFETY:
// - `M11View` is `Sync` because it does not support mutation.
unsafe impl ::std::marker::Sync for M11View<'_> {}

// SAFETY:
// - `M11View` is `Send` because while its alive a `M11Mut` cannot.
// - `M11View` does not use thread-local data.
unsafe impl ::std::marker::Send for M11View<'_> {}

impl<'msg> ::protobuf::AsView for M11View<'msg> {
  type Proxied = M11;
  fn as_view(&self) -> ::protobuf::View<'msg, M11> {
    *self
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M11View<'msg> {
  fn into_view<'shorter>(self) -> M11View<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

impl<'msg> ::protobuf::IntoProxied<M11> for M11View<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M11 {
    let mut dst = M11::new();
    assert!(unsafe {
      dst.inner.ptr_mut().deep_copy(self.inner.ptr(), dst.inner.arena())
    });
    dst
  }
}

impl<'msg> ::protobuf::IntoProxied<M11> for M11Mut<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M11 {
    ::protobuf::IntoProxied::into_proxied(::protobuf::IntoView::into_view(self), _private)
  }
}

impl ::protobuf::__internal::EntityType for M11 {
    type Tag = ::protobuf::__internal::entity_tag::MessageTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M11View<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::ViewProxyTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M11Mut<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::MutProxyTag;
}

#[allow(dead_code)]
#[allow(non_camel_case_types)]
pub struct M11Mut<'msg> {
  inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M11>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M11Mut<'msg> {}

impl<'msg> ::protobuf::MessageMut<'msg> for M11Mut<'msg> {
  type Message = M11;
}

impl ::std::fmt::Debug for M11Mut<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageMutInner<'msg, M11>> for M11Mut<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M11>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M11Mut<'msg> {

  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private)
    -> ::protobuf::__internal::runtime::MessageMutInner<'msg, M11> {
    self.inner.reborrow()
  }

  pub fn to_owned(&self) -> M11 {
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

  // f2: optional uint32
  pub fn f2(&self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        1, (0u32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f2(&mut self, val: u32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u32_at_index(
        1, val.into()
      )
    }
  }

}

// SAFETY:
// - `M11Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Send for M11Mut<'_> {}

// SAFETY:
// - `M11Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Sync for M11Mut<'_> {}

impl<'msg> ::protobuf::AsView for M11Mut<'msg> {
  type Proxied = M11;
  fn as_view(&self) -> ::protobuf::View<'_, M11> {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M11Mut<'msg> {
  fn into_view<'shorter>(self) -> ::protobuf::View<'shorter, M11>
  where
      'msg: 'shorter {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::AsMut for M11Mut<'msg> {
  type MutProxied = M11;
  fn as_mut(&mut self) -> M11Mut<'msg> {
    self.inner.reborrow().into()
  }
}

impl<'msg> ::protobuf::IntoMut<'msg> for M11Mut<'msg> {
  fn into_mut<'shorter>(self) -> M11Mut<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

#[allow(dead_code)]
impl M11 {
  pub fn new() -> Self {
    Self { inner: ::protobuf::__internal::runtime::OwnedMessageInner::<Self>::new() }
  }


  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessageMutInner<'_, M11> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner)
  }

  pub fn as_view(&self) -> M11View<'_> {
    ::protobuf::__internal::runtime::MessageViewInner::view_of_owned(&self.inner).into()
  }

  pub fn as_mut(&mut self) -> M11Mut<'_> {
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

  // f2: optional uint32
  pub fn f2(&self) -> u32 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_u32_at_index(
        1, (0u32).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f2(&mut self, val: u32) {
    unsafe {
      // TODO: b/361751487: This .into() is only here
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      //perfectly.
      self.inner.ptr_mut().set_base_field_u32_at_index(
        1, val.into()
      )
    }
  }

}  // impl M11

impl ::std::ops::Drop for M11 {
  #[inline]
  fn drop(&mut self) {
  }
}

impl ::std::clone::Clone for M11 {
  fn clone(&self) -> Self {
    self.as_view().to_owned()
  }
}

impl ::protobuf::AsView for M11 {
  type Proxied = Self;
  fn as_view(&self) -> M11View<'_> {
    self.as_view()
  }
}

impl ::protobuf::AsMut for M11 {
  type MutProxied = Self;
  fn as_mut(&mut self) -> M11Mut<'_> {
    self.as_mut()
  }
}

unsafe impl ::protobuf::__internal::runtime::AssociatedMiniTable for M11 {
  fn mini_table() -> ::protobuf::__internal::runtime::MiniTablePtr {
    static ONCE_LOCK: ::std::sync::OnceLock<::protobuf::__internal::runtime::MiniTableInitPtr> =
        ::std::sync::OnceLock::new();
    unsafe {
      ONCE_LOCK.get_or_init(|| {
        super::message_proto::M11_msg_init.0 =
            ::protobuf::__internal::runtime::build_mini_table("$)P)P");
        ::protobuf::__internal::runtime::link_mini_table(
            super::message_proto::M11_msg_init.0, &[], &[]);
        ::protobuf::__internal::runtime::MiniTableInitPtr(super::message_proto::M11_msg_init.0)
      }).0
    }
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M11 {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M11 {
  type Msg = M11;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M11> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M11 {
  type Msg = M11;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M11> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M11Mut<'_> {
  type Msg = M11;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M11> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M11Mut<'_> {
  type Msg = M11;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M11> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M11View<'_> {
  type Msg = M11;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M11> {
    self.inner.ptr()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M11Mut<'_> {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}



// This variable must not be referenced except by protobuf generated
// code.
pub(crate) static mut M12_msg_init: ::protobuf::__internal::runtime::MiniTableInitPtr =
    ::protobuf::__internal::runtime::MiniTableInitPtr(::protobuf::__internal::runtime::MiniTablePtr::dangling());
#[allow(non_camel_case_types)]
pub struct M12 {
  inner: ::protobuf::__internal::runtime::OwnedMessageInner<M12>
}

impl ::protobuf::Message for M12 {
  type MessageView<'msg> = M12View<'msg>;
  type MessageMut<'msg> = M12Mut<'msg>;
}

impl ::std::default::Default for M12 {
  fn default() -> Self {
    Self::new()
  }
}

impl ::std::fmt::Debug for M12 {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

// SAFETY:
// - `M12` is `Sync` because it does not implement interior mutability.
//    Neither does `M12Mut`.
unsafe impl ::std::marker::Sync for M12 {}

// SAFETY:
// - `M12` is `Send` because it uniquely owns its arena and does
//   not use thread-local data.
unsafe impl ::std::marker::Send for M12 {}

impl ::protobuf::Proxied for M12 {
  type View<'msg> = M12View<'msg>;
}

impl ::protobuf::__internal::SealedInternal for M12 {}

impl ::protobuf::MutProxied for M12 {
  type Mut<'msg> = M12Mut<'msg>;
}

#[derive(Copy, Clone)]
#[allow(dead_code)]
pub struct M12View<'msg> {
  inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M12>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M12View<'msg> {}

impl<'msg> ::protobuf::MessageView<'msg> for M12View<'msg> {
  type Message = M12;
}

impl ::std::fmt::Debug for M12View<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl ::std::default::Default for M12View<'_> {
  fn default() -> M12View<'static> {
    ::protobuf::__internal::runtime::MessageViewInner::default().into()
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageViewInner<'msg, M12>> for M12View<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M12>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M12View<'msg> {

  pub fn to_owned(&self) -> M12 {
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

  // f2: optional message M7
  pub fn has_f2(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(1)
    }
  }
  pub fn f2_opt(self) -> ::std::option::Option<super::message_proto::M7View<'msg>> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(self) -> super::message_proto::M7View<'msg> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(1)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M7View::default())
  }

  // f3: optional bytes
  pub fn f3(self) -> ::protobuf::View<'msg, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        2, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }

}

// SAFETY:
// - `M12View` is `Sync` because it does not support mutation.
unsafe impl ::std::marker::Sync for M12View<'_> {}

// SAFETY:
// - `M12View` is `Send` because while its alive a `M12Mut` cannot.
// - `M12View` does not use thread-local data.
unsafe impl ::std::marker::Send for M12View<'_> {}

impl<'msg> ::protobuf::AsView for M12View<'msg> {
  type Proxied = M12;
  fn as_view(&self) -> ::protobuf::View<'msg, M12> {
    *self
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M12View<'msg> {
  fn into_view<'shorter>(self) -> M12View<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

impl<'msg> ::protobuf::IntoProxied<M12> for M12View<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M12 {
    let mut dst = M12::new();
    assert!(unsafe {
      dst.inner.ptr_mut().deep_copy(self.inner.ptr(), dst.inner.arena())
    });
    dst
  }
}

impl<'msg> ::protobuf::IntoProxied<M12> for M12Mut<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M12 {
    ::protobuf::IntoProxied::into_proxied(::protobuf::IntoView::into_view(self), _private)
  }
}

impl ::protobuf::__internal::EntityType for M12 {
    type Tag = ::protobuf::__internal::entity_tag::MessageTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M12View<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::ViewProxyTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M12Mut<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::MutProxyTag;
}

#[allow(dead_code)]
#[allow(non_camel_case_types)]
pub struct M12Mut<'msg> {
  inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M12>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M12Mut<'msg> {}

impl<'msg> ::protobuf::MessageMut<'msg> for M12Mut<'msg> {
  type Message = M12;
}

impl ::std::fmt::Debug for M12Mut<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageMutInner<'msg, M12>> for M12Mut<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M12>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M12Mut<'msg> {

  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private)
    -> ::protobuf::__internal::runtime::MessageMutInner<'msg, M12> {
    self.inner.reborrow()
  }

  pub fn to_owned(&self) -> M12 {
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

  // f2: optional message M7
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
  pub fn f2_opt(&self) -> ::std::option::Option<super::message_proto::M7View<'_>> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(&self) -> super::message_proto::M7View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(1)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M7View::default())
  }
  pub fn f2_mut(&mut self) -> super::message_proto::M7Mut<'_> {
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
    val: impl ::protobuf::IntoProxied<super::message_proto::M7>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        1,
        val
      );
    }
  }

  // f3: optional bytes
  pub fn f3(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        2, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f3(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        2,
        val);
    }
  }

}

// SAFETY:
// - `M12Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Send for M12Mut<'_> {}

// SAFETY:
// - `M12Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Sync for M12Mut<'_> {}

impl<'msg> ::protobuf::AsView for M12Mut<'msg> {
  type Proxied = M12;
  fn as_view(&self) -> ::protobuf::View<'_, M12> {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M12Mut<'msg> {
  fn into_view<'shorter>(self) -> ::protobuf::View<'shorter, M12>
  where
      'msg: 'shorter {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::AsMut for M12Mut<'msg> {
  type MutProxied = M12;
  fn as_mut(&mut self) -> M12Mut<'msg> {
    self.inner.reborrow().into()
  }
}

impl<'msg> ::protobuf::IntoMut<'msg> for M12Mut<'msg> {
  fn into_mut<'shorter>(self) -> M12Mut<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

#[allow(dead_code)]
impl M12 {
  pub fn new() -> Self {
    Self { inner: ::protobuf::__internal::runtime::OwnedMessageInner::<Self>::new() }
  }


  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessageMutInner<'_, M12> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner)
  }

  pub fn as_view(&self) -> M12View<'_> {
    ::protobuf::__internal::runtime::MessageViewInner::view_of_owned(&self.inner).into()
  }

  pub fn as_mut(&mut self) -> M12Mut<'_> {
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

  // f2: optional message M7
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
  pub fn f2_opt(&self) -> ::std::option::Option<super::message_proto::M7View<'_>> {
    self.has_f2().then(|| self.f2())
  }
  pub fn f2(&self) -> super::message_proto::M7View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(1)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M7View::default())
  }
  pub fn f2_mut(&mut self) -> super::message_proto::M7Mut<'_> {
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
    val: impl ::protobuf::IntoProxied<super::message_proto::M7>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        1,
        val
      );
    }
  }

  // f3: optional bytes
  pub fn f3(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        2, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f3(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        2,
        val);
    }
  }

}  // impl M12

impl ::std::ops::Drop for M12 {
  #[inline]
  fn drop(&mut self) {
  }
}

impl ::std::clone::Clone for M12 {
  fn clone(&self) -> Self {
    self.as_view().to_owned()
  }
}

impl ::protobuf::AsView for M12 {
  type Proxied = Self;
  fn as_view(&self) -> M12View<'_> {
    self.as_view()
  }
}

impl ::protobuf::AsMut for M12 {
  type MutProxied = Self;
  fn as_mut(&mut self) -> M12Mut<'_> {
    self.as_mut()
  }
}

unsafe impl ::protobuf::__internal::runtime::AssociatedMiniTable for M12 {
  fn mini_table() -> ::protobuf::__internal::runtime::MiniTablePtr {
    static ONCE_LOCK: ::std::sync::OnceLock<::protobuf::__internal::runtime::MiniTableInitPtr> =
        ::std::sync::OnceLock::new();
    unsafe {
      ONCE_LOCK.get_or_init(|| {
        super::message_proto::M12_msg_init.0 =
            ::protobuf::__internal::runtime::build_mini_table("$)P30P");
        ::protobuf::__internal::runtime::link_mini_table(
            super::message_proto::M12_msg_init.0, &[<super::message_proto::M7 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            ], &[]);
        ::protobuf::__internal::runtime::MiniTableInitPtr(super::message_proto::M12_msg_init.0)
      }).0
    }
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M12 {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M12 {
  type Msg = M12;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M12> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M12 {
  type Msg = M12;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M12> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M12Mut<'_> {
  type Msg = M12;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M12> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M12Mut<'_> {
  type Msg = M12;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M12> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M12View<'_> {
  type Msg = M12;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M12> {
    self.inner.ptr()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M12Mut<'_> {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}



// This variable must not be referenced except by protobuf generated
// code.
pub(crate) static mut M13_msg_init: ::protobuf::__internal::runtime::MiniTableInitPtr =
    ::protobuf::__internal::runtime::MiniTableInitPtr(::protobuf::__internal::runtime::MiniTablePtr::dangling());
#[allow(non_camel_case_types)]
pub struct M13 {
  inner: ::protobuf::__internal::runtime::OwnedMessageInner<M13>
}

impl ::protobuf::Message for M13 {
  type MessageView<'msg> = M13View<'msg>;
  type MessageMut<'msg> = M13Mut<'msg>;
}

impl ::std::default::Default for M13 {
  fn default() -> Self {
    Self::new()
  }
}

impl ::std::fmt::Debug for M13 {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

// SAFETY:
// - `M13` is `Sync` because it does not implement interior mutability.
//    Neither does `M13Mut`.
unsafe impl ::std::marker::Sync for M13 {}

// SAFETY:
// - `M13` is `Send` because it uniquely owns its arena and does
//   not use thread-local data.
unsafe impl ::std::marker::Send for M13 {}

impl ::protobuf::Proxied for M13 {
  type View<'msg> = M13View<'msg>;
}

impl ::protobuf::__internal::SealedInternal for M13 {}

impl ::protobuf::MutProxied for M13 {
  type Mut<'msg> = M13Mut<'msg>;
}

#[derive(Copy, Clone)]
#[allow(dead_code)]
pub struct M13View<'msg> {
  inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M13>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M13View<'msg> {}

impl<'msg> ::protobuf::MessageView<'msg> for M13View<'msg> {
  type Message = M13;
}

impl ::std::fmt::Debug for M13View<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl ::std::default::Default for M13View<'_> {
  fn default() -> M13View<'static> {
    ::protobuf::__internal::runtime::MessageViewInner::default().into()
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageViewInner<'msg, M13>> for M13View<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M13>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M13View<'msg> {

  pub fn to_owned(&self) -> M13 {
    ::protobuf::IntoProxied::into_proxied(*self, ::protobuf::__internal::Private)
  }

  // f1: optional enum E0
  pub fn f1(self) -> super::message_proto::E0 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        0, (super::message_proto::E0::V0).into()
      ).try_into().unwrap()
    }
  }

  // f2: optional bytes
  pub fn f2(self) -> ::protobuf::View<'msg, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        1, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }

}

// SAFETY:
// - `M13View` is `Sync` because it does not support mutation.
unsafe impl ::std::marker::Sync for M13View<'_> {}

// SAFETY:
// - `M13View` is `Send` because while its alive a `M13Mut` cannot.
// - `M13View` does not use thread-local data.
unsafe impl ::std::marker::Send for M13View<'_> {}

impl<'msg> ::protobuf::AsView for M13View<'msg> {
  type Proxied = M13;
  fn as_view(&self) -> ::protobuf::View<'msg, M13> {
    *self
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M13View<'msg> {
  fn into_view<'shorter>(self) -> M13View<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

impl<'msg> ::protobuf::IntoProxied<M13> for M13View<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M13 {
    let mut dst = M13::new();
    assert!(unsafe {
      dst.inner.ptr_mut().deep_copy(self.inner.ptr(), dst.inner.arena())
    });
    dst
  }
}

impl<'msg> ::protobuf::IntoProxied<M13> for M13Mut<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M13 {
    ::protobuf::IntoProxied::into_proxied(::protobuf::IntoView::into_view(self), _private)
  }
}

impl ::protobuf::__internal::EntityType for M13 {
    type Tag = ::protobuf::__internal::entity_tag::MessageTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M13View<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::ViewProxyTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M13Mut<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::MutProxyTag;
}

#[allow(dead_code)]
#[allow(non_camel_case_types)]
pub struct M13Mut<'msg> {
  inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M13>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M13Mut<'msg> {}

impl<'msg> ::protobuf::MessageMut<'msg> for M13Mut<'msg> {
  type Message = M13;
}

impl ::std::fmt::Debug for M13Mut<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageMutInner<'msg, M13>> for M13Mut<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M13>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M13Mut<'msg> {

  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private)
    -> ::protobuf::__internal::runtime::MessageMutInner<'msg, M13> {
    self.inner.reborrow()
  }

  pub fn to_owned(&self) -> M13 {
    ::protobuf::AsView::as_view(self).to_owned()
  }

  // f1: optional enum E0
  pub fn f1(&self) -> super::message_proto::E0 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        0, (super::message_proto::E0::V0).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f1(&mut self, val: super::message_proto::E0) {
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

  // f2: optional bytes
  pub fn f2(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        1, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f2(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        1,
        val);
    }
  }

}

// SAFETY:
// - `M13Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Send for M13Mut<'_> {}

// SAFETY:
// - `M13Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Sync for M13Mut<'_> {}

impl<'msg> ::protobuf::AsView for M13Mut<'msg> {
  type Proxied = M13;
  fn as_view(&self) -> ::protobuf::View<'_, M13> {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M13Mut<'msg> {
  fn into_view<'shorter>(self) -> ::protobuf::View<'shorter, M13>
  where
      'msg: 'shorter {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::AsMut for M13Mut<'msg> {
  type MutProxied = M13;
  fn as_mut(&mut self) -> M13Mut<'msg> {
    self.inner.reborrow().into()
  }
}

impl<'msg> ::protobuf::IntoMut<'msg> for M13Mut<'msg> {
  fn into_mut<'shorter>(self) -> M13Mut<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

#[allow(dead_code)]
impl M13 {
  pub fn new() -> Self {
    Self { inner: ::protobuf::__internal::runtime::OwnedMessageInner::<Self>::new() }
  }


  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessageMutInner<'_, M13> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner)
  }

  pub fn as_view(&self) -> M13View<'_> {
    ::protobuf::__internal::runtime::MessageViewInner::view_of_owned(&self.inner).into()
  }

  pub fn as_mut(&mut self) -> M13Mut<'_> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner).into()
  }

  // f1: optional enum E0
  pub fn f1(&self) -> super::message_proto::E0 {
    unsafe {
      // TODO: b/361751487: This .into() and .try_into() is only
      // here for the enum<->i32 case, we should avoid it for
      // other primitives where the types naturally match
      // perfectly (and do an unchecked conversion for
      // i32->enum types, since even for closed enums we trust
      // upb to only return one of the named values).
      self.inner.ptr().get_i32_at_index(
        0, (super::message_proto::E0::V0).into()
      ).try_into().unwrap()
    }
  }
  pub fn set_f1(&mut self, val: super::message_proto::E0) {
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

  // f2: optional bytes
  pub fn f2(&self) -> ::protobuf::View<'_, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        1, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
  }
  pub fn set_f2(&mut self, val: impl ::protobuf::IntoProxied<::protobuf::ProtoBytes>) {
    unsafe {
      ::protobuf::__internal::runtime::message_set_bytes_field(
        ::protobuf::AsMut::as_mut(self).inner,
        1,
        val);
    }
  }

}  // impl M13

impl ::std::ops::Drop for M13 {
  #[inline]
  fn drop(&mut self) {
  }
}

impl ::std::clone::Clone for M13 {
  fn clone(&self) -> Self {
    self.as_view().to_owned()
  }
}

impl ::protobuf::AsView for M13 {
  type Proxied = Self;
  fn as_view(&self) -> M13View<'_> {
    self.as_view()
  }
}

impl ::protobuf::AsMut for M13 {
  type MutProxied = Self;
  fn as_mut(&mut self) -> M13Mut<'_> {
    self.as_mut()
  }
}

unsafe impl ::protobuf::__internal::runtime::AssociatedMiniTable for M13 {
  fn mini_table() -> ::protobuf::__internal::runtime::MiniTablePtr {
    static ONCE_LOCK: ::std::sync::OnceLock<::protobuf::__internal::runtime::MiniTableInitPtr> =
        ::std::sync::OnceLock::new();
    unsafe {
      ONCE_LOCK.get_or_init(|| {
        super::message_proto::M13_msg_init.0 =
            ::protobuf::__internal::runtime::build_mini_table("$.P0P");
        ::protobuf::__internal::runtime::link_mini_table(
            super::message_proto::M13_msg_init.0, &[], &[]);
        ::protobuf::__internal::runtime::MiniTableInitPtr(super::message_proto::M13_msg_init.0)
      }).0
    }
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M13 {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M13 {
  type Msg = M13;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M13> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M13 {
  type Msg = M13;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M13> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M13Mut<'_> {
  type Msg = M13;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M13> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M13Mut<'_> {
  type Msg = M13;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M13> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M13View<'_> {
  type Msg = M13;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M13> {
    self.inner.ptr()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M13Mut<'_> {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}



// This variable must not be referenced except by protobuf generated
// code.
pub(crate) static mut M14_msg_init: ::protobuf::__internal::runtime::MiniTableInitPtr =
    ::protobuf::__internal::runtime::MiniTableInitPtr(::protobuf::__internal::runtime::MiniTablePtr::dangling());
#[allow(non_camel_case_types)]
pub struct M14 {
  inner: ::protobuf::__internal::runtime::OwnedMessageInner<M14>
}

impl ::protobuf::Message for M14 {
  type MessageView<'msg> = M14View<'msg>;
  type MessageMut<'msg> = M14Mut<'msg>;
}

impl ::std::default::Default for M14 {
  fn default() -> Self {
    Self::new()
  }
}

impl ::std::fmt::Debug for M14 {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

// SAFETY:
// - `M14` is `Sync` because it does not implement interior mutability.
//    Neither does `M14Mut`.
unsafe impl ::std::marker::Sync for M14 {}

// SAFETY:
// - `M14` is `Send` because it uniquely owns its arena and does
//   not use thread-local data.
unsafe impl ::std::marker::Send for M14 {}

impl ::protobuf::Proxied for M14 {
  type View<'msg> = M14View<'msg>;
}

impl ::protobuf::__internal::SealedInternal for M14 {}

impl ::protobuf::MutProxied for M14 {
  type Mut<'msg> = M14Mut<'msg>;
}

#[derive(Copy, Clone)]
#[allow(dead_code)]
pub struct M14View<'msg> {
  inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M14>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M14View<'msg> {}

impl<'msg> ::protobuf::MessageView<'msg> for M14View<'msg> {
  type Message = M14;
}

impl ::std::fmt::Debug for M14View<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl ::std::default::Default for M14View<'_> {
  fn default() -> M14View<'static> {
    ::protobuf::__internal::runtime::MessageViewInner::default().into()
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageViewInner<'msg, M14>> for M14View<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageViewInner<'msg, M14>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M14View<'msg> {

  pub fn to_owned(&self) -> M14 {
    ::protobuf::IntoProxied::into_proxied(*self, ::protobuf::__internal::Private)
  }

  // f1: optional message M12
  pub fn has_f1(self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(0)
    }
  }
  pub fn f1_opt(self) -> ::std::option::Option<super::message_proto::M12View<'msg>> {
    self.has_f1().then(|| self.f1())
  }
  pub fn f1(self) -> super::message_proto::M12View<'msg> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(0)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M12View::default())
  }

  pub fn o0(self) -> super::message_proto::m14::O0Oneof<'msg> {
    match self.o0_case() {
      super::message_proto::m14::O0Case::F1 =>
          super::message_proto::m14::O0Oneof::F1(self.f1()),
      _ => super::message_proto::m14::O0Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o0_case(self) -> super::message_proto::m14::O0Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(0);
      super::message_proto::m14::O0Case::try_from(field_num).unwrap_unchecked()
    }
  }
}

// SAFETY:
// - `M14View` is `Sync` because it does not support mutation.
unsafe impl ::std::marker::Sync for M14View<'_> {}

// SAFETY:
// - `M14View` is `Send` because while its alive a `M14Mut` cannot.
// - `M14View` does not use thread-local data.
unsafe impl ::std::marker::Send for M14View<'_> {}

impl<'msg> ::protobuf::AsView for M14View<'msg> {
  type Proxied = M14;
  fn as_view(&self) -> ::protobuf::View<'msg, M14> {
    *self
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M14View<'msg> {
  fn into_view<'shorter>(self) -> M14View<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

impl<'msg> ::protobuf::IntoProxied<M14> for M14View<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M14 {
    let mut dst = M14::new();
    assert!(unsafe {
      dst.inner.ptr_mut().deep_copy(self.inner.ptr(), dst.inner.arena())
    });
    dst
  }
}

impl<'msg> ::protobuf::IntoProxied<M14> for M14Mut<'msg> {
  fn into_proxied(self, _private: ::protobuf::__internal::Private) -> M14 {
    ::protobuf::IntoProxied::into_proxied(::protobuf::IntoView::into_view(self), _private)
  }
}

impl ::protobuf::__internal::EntityType for M14 {
    type Tag = ::protobuf::__internal::entity_tag::MessageTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M14View<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::ViewProxyTag;
}

impl<'msg> ::protobuf::__internal::EntityType for M14Mut<'msg> {
    type Tag = ::protobuf::__internal::entity_tag::MutProxyTag;
}

#[allow(dead_code)]
#[allow(non_camel_case_types)]
pub struct M14Mut<'msg> {
  inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M14>,
}

impl<'msg> ::protobuf::__internal::SealedInternal for M14Mut<'msg> {}

impl<'msg> ::protobuf::MessageMut<'msg> for M14Mut<'msg> {
  type Message = M14;
}

impl ::std::fmt::Debug for M14Mut<'_> {
  fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
    write!(f, "{}", ::protobuf::__internal::runtime::debug_string(self))
  }
}

impl<'msg> From<::protobuf::__internal::runtime::MessageMutInner<'msg, M14>> for M14Mut<'msg> {
  fn from(inner: ::protobuf::__internal::runtime::MessageMutInner<'msg, M14>) -> Self {
    Self { inner }
  }
}

#[allow(dead_code)]
impl<'msg> M14Mut<'msg> {

  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private)
    -> ::protobuf::__internal::runtime::MessageMutInner<'msg, M14> {
    self.inner.reborrow()
  }

  pub fn to_owned(&self) -> M14 {
    ::protobuf::AsView::as_view(self).to_owned()
  }

  // f1: optional message M12
  pub fn has_f1(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(0)
    }
  }
  pub fn clear_f1(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        0
      );
    }
  }
  pub fn f1_opt(&self) -> ::std::option::Option<super::message_proto::M12View<'_>> {
    self.has_f1().then(|| self.f1())
  }
  pub fn f1(&self) -> super::message_proto::M12View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(0)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M12View::default())
  }
  pub fn f1_mut(&mut self) -> super::message_proto::M12Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         0, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f1(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M12>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        0,
        val
      );
    }
  }

  pub fn o0(&self) -> super::message_proto::m14::O0Oneof<'_> {
    match &self.o0_case() {
      super::message_proto::m14::O0Case::F1 =>
          super::message_proto::m14::O0Oneof::F1(self.f1()),
      _ => super::message_proto::m14::O0Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o0_case(&self) -> super::message_proto::m14::O0Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(0);
      super::message_proto::m14::O0Case::try_from(field_num).unwrap_unchecked()
    }
  }
}

// SAFETY:
// - `M14Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Send for M14Mut<'_> {}

// SAFETY:
// - `M14Mut` does not perform any shared mutation.
unsafe impl ::std::marker::Sync for M14Mut<'_> {}

impl<'msg> ::protobuf::AsView for M14Mut<'msg> {
  type Proxied = M14;
  fn as_view(&self) -> ::protobuf::View<'_, M14> {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::IntoView<'msg> for M14Mut<'msg> {
  fn into_view<'shorter>(self) -> ::protobuf::View<'shorter, M14>
  where
      'msg: 'shorter {
    self.inner.as_view().into()
  }
}

impl<'msg> ::protobuf::AsMut for M14Mut<'msg> {
  type MutProxied = M14;
  fn as_mut(&mut self) -> M14Mut<'msg> {
    self.inner.reborrow().into()
  }
}

impl<'msg> ::protobuf::IntoMut<'msg> for M14Mut<'msg> {
  fn into_mut<'shorter>(self) -> M14Mut<'shorter>
  where
      'msg: 'shorter {
    self
  }
}

#[allow(dead_code)]
impl M14 {
  pub fn new() -> Self {
    Self { inner: ::protobuf::__internal::runtime::OwnedMessageInner::<Self>::new() }
  }


  #[doc(hidden)]
  pub fn as_message_mut_inner(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessageMutInner<'_, M14> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner)
  }

  pub fn as_view(&self) -> M14View<'_> {
    ::protobuf::__internal::runtime::MessageViewInner::view_of_owned(&self.inner).into()
  }

  pub fn as_mut(&mut self) -> M14Mut<'_> {
    ::protobuf::__internal::runtime::MessageMutInner::mut_of_owned(&mut self.inner).into()
  }

  // f1: optional message M12
  pub fn has_f1(&self) -> bool {
    unsafe {
      self.inner.ptr().has_field_at_index(0)
    }
  }
  pub fn clear_f1(&mut self) {
    unsafe {
      self.inner.ptr().clear_field_at_index(
        0
      );
    }
  }
  pub fn f1_opt(&self) -> ::std::option::Option<super::message_proto::M12View<'_>> {
    self.has_f1().then(|| self.f1())
  }
  pub fn f1(&self) -> super::message_proto::M12View<'_> {
    let submsg = unsafe {
      self.inner.ptr().get_message_at_index(0)
    };
    submsg
        .map(|ptr| unsafe { ::protobuf::__internal::runtime::MessageViewInner::wrap(ptr).into() })
       .unwrap_or(super::message_proto::M12View::default())
  }
  pub fn f1_mut(&mut self) -> super::message_proto::M12Mut<'_> {
     let ptr = unsafe {
       self.inner.ptr_mut().get_or_create_mutable_message_at_index(
         0, self.inner.arena()
       ).unwrap()
     };
     ::protobuf::__internal::runtime::MessageMutInner::from_parent(
         self.as_message_mut_inner(::protobuf::__internal::Private),
         ptr
     ).into()
  }
  pub fn set_f1(&mut self,
    val: impl ::protobuf::IntoProxied<super::message_proto::M12>) {

    unsafe {
      ::protobuf::__internal::runtime::message_set_sub_message(
        ::protobuf::AsMut::as_mut(self).inner,
        0,
        val
      );
    }
  }

  pub fn o0(&self) -> super::message_proto::m14::O0Oneof<'_> {
    match &self.o0_case() {
      super::message_proto::m14::O0Case::F1 =>
          super::message_proto::m14::O0Oneof::F1(self.f1()),
      _ => super::message_proto::m14::O0Oneof::not_set(std::marker::PhantomData)
    }
  }

  pub fn o0_case(&self) -> super::message_proto::m14::O0Case {
    unsafe {
      let field_num = <Self as ::protobuf::__internal::runtime::UpbGetMessagePtr>::get_ptr(
          &self, ::protobuf::__internal::Private)
          .which_oneof_field_number_by_index(0);
      super::message_proto::m14::O0Case::try_from(field_num).unwrap_unchecked()
    }
  }
}  // impl M14

impl ::std::ops::Drop for M14 {
  #[inline]
  fn drop(&mut self) {
  }
}

impl ::std::clone::Clone for M14 {
  fn clone(&self) -> Self {
    self.as_view().to_owned()
  }
}

impl ::protobuf::AsView for M14 {
  type Proxied = Self;
  fn as_view(&self) -> M14View<'_> {
    self.as_view()
  }
}

impl ::protobuf::AsMut for M14 {
  type MutProxied = Self;
  fn as_mut(&mut self) -> M14Mut<'_> {
    self.as_mut()
  }
}

unsafe impl ::protobuf::__internal::runtime::AssociatedMiniTable for M14 {
  fn mini_table() -> ::protobuf::__internal::runtime::MiniTablePtr {
    static ONCE_LOCK: ::std::sync::OnceLock<::protobuf::__internal::runtime::MiniTableInitPtr> =
        ::std::sync::OnceLock::new();
    unsafe {
      ONCE_LOCK.get_or_init(|| {
        super::message_proto::M14_msg_init.0 =
            ::protobuf::__internal::runtime::build_mini_table("$3^!");
        ::protobuf::__internal::runtime::link_mini_table(
            super::message_proto::M14_msg_init.0, &[<super::message_proto::M12 as ::protobuf::__internal::runtime::AssociatedMiniTable>::mini_table(),
            ], &[]);
        ::protobuf::__internal::runtime::MiniTableInitPtr(super::message_proto::M14_msg_init.0)
      }).0
    }
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M14 {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M14 {
  type Msg = M14;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M14> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M14 {
  type Msg = M14;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M14> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtrMut for M14Mut<'_> {
  type Msg = M14;
  fn get_ptr_mut(&mut self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M14> {
    self.inner.ptr_mut()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M14Mut<'_> {
  type Msg = M14;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M14> {
    self.inner.ptr()
  }
}
unsafe impl ::protobuf::__internal::runtime::UpbGetMessagePtr for M14View<'_> {
  type Msg = M14;
  fn get_ptr(&self, _private: ::protobuf::__internal::Private) -> ::protobuf::__internal::runtime::MessagePtr<M14> {
    self.inner.ptr()
  }
}

unsafe impl ::protobuf::__internal::runtime::UpbGetArena for M14Mut<'_> {
  fn get_arena(&mut self, _private: ::protobuf::__internal::Private) -> &::protobuf::__internal::runtime::Arena {
    self.inner.arena()
  }
}

pub mod m14 {

#[non_exhaustive]
#[derive(Debug, Clone, Copy)]
#[allow(dead_code)]
#[repr(u32)]
pub enum O0Oneof<'msg> {
  F1(::protobuf::View<'msg, super::super::message_proto::M12>) = 1,

  not_set(std::marker::PhantomData<&'msg ()>) = 0
}
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[allow(dead_code)]
pub enum O0Case {
  F1 = 1,

  not_set = 0
}

impl O0Case {
  #[allow(dead_code)]
  pub(crate) fn try_from(v: u32) -> ::std::option::Option<O0Case> {
    match v {
      0 => Some(O0Case::not_set),
      1 => Some(O0Case::F1),
      _ => None
    }
  }
}
}  // pub mod m14


#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct E0(i32);

#[allow(non_upper_case_globals)]
impl E0 {
  pub const V0: E0 = E0(0);
  pub const V1: E0 = E0(1);
  pub const V2: E0 = E0(2);
  pub const V3: E0 = E0(3);
  pub const V4: E0 = E0(4);

  fn constant_name(&self) -> ::std::option::Option<&'static str> {
    #[allow(unreachable_patterns)] // In the case of aliases, just emit them all and let the first one match.
    Some(match self.0 {
      0 => "V0",
      1 => "V1",
      2 => "V2",
      3 => "V3",
      4 => "V4",
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
    matches!(value, 0|1|2|3|4)
  }
}

impl ::protobuf::__internal::EntityType for E0 {
    type Tag = ::protobuf::__internal::entity_tag::EnumTag;
}


