// A member of an object, or of a member of it, named by a path of member pointers: what the tables
// of fields are made of. A path also leads through a shared_ptr<const …>. Pure.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace baton::base {

// The type whose member the first pointer of a path is.
template <auto... Path>
struct PathStart;
template <class Object, class Value, Value Object::*First, auto... Rest>
struct PathStart<First, Rest...> {
  using Type = Object;
};
template <auto... Path>
using ObjectOf = typename PathStart<Path...>::Type;

// What a reader fills in behind a shared pointer. It made the object itself, not const, and shares
// it only when it is done.
template <class T>
T& own(std::shared_ptr<const T>& shared) {
  if (!shared) shared = std::make_shared<T>();
  return const_cast<T&>(*shared);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}
template <class T>
T& own(T& value) {
  return value;
}

template <class T>
const T& seen(const std::shared_ptr<const T>& shared) {
  return *shared;
}
template <class T>
const T& seen(const T& value) {
  return value;
}

// The member at the end of a path.
template <auto First, auto... Rest, class T>
auto& member_to_fill(T& object) {
  if constexpr (sizeof...(Rest) == 0) {
    return object.*First;
  } else {
    return member_to_fill<Rest...>(own(object.*First));
  }
}
template <auto First, auto... Rest, class T>
const auto& member_of(const T& object) {
  if constexpr (sizeof...(Rest) == 0) {
    return object.*First;
  } else {
    return member_of<Rest...>(seen(object.*First));
  }
}

// Its type.
template <auto... Path>
using MemberAt =
    std::remove_cvref_t<decltype(member_of<Path...>(std::declval<const ObjectOf<Path...>&>()))>;

}  // namespace baton::base
