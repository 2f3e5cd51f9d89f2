// The phase `read` of codecs that decode into the application's own structs.
#pragma once

#include "shape.hpp"

namespace wd {

template <class M> void touch(const M &message, Digest &digest);

template <class T> inline void touch_value(const T &value, Digest &digest) {
  if constexpr (is_message_v<T>) {
    touch(value, digest);
  } else if constexpr (is_text_v<T>) {
    digest.bytes(value);
  } else if constexpr (is_bytes_v<T>) {
    digest.bytes(value.data);
  } else if constexpr (is_optional_v<T>) {
    digest.number(value.has_value() ? 1 : 0);
    if (value.has_value()) touch_value(*value, digest);
  } else if constexpr (is_list_v<T>) {
    digest.number(value.size());
    for (size_t at = 0; at < value.size(); at++) touch_value<typename T::value_type>(value[at], digest);
  } else if constexpr (is_map_v<T>) {
    digest.number(value.size());
    for (const auto &[key, one] : value) {
      touch_value(key, digest);
      touch_value(one, digest);
    }
  } else if constexpr (std::is_enum_v<T>) {
    digest.scalar(static_cast<int32_t>(value));
  } else {
    digest.scalar(value);
  }
}

template <class M> void touch(const M &message, Digest &digest) {
  each<M>([&](auto field) { touch_value(message.*decltype(field)::member, digest); });
}

}  // namespace wd
