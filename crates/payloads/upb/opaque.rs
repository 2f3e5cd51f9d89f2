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

  // f1: optional bytes
  pub fn f1(self) -> ::protobuf::View<'msg, ::protobuf::ProtoBytes> {
    let str_view = unsafe {
      self.inner.ptr().get_string_at_index(
        0, (b"").into()
      )
    };
    unsafe { str_view.as_ref() }
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

  // f1: optional bytes
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

  // f1: optional bytes
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
            ::protobuf::__internal::runtime::build_mini_table("$0P");
        ::protobuf::__internal::runtime::link_mini_table(
            super::message_proto::M0_msg_init.0, &[], &[]);
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



