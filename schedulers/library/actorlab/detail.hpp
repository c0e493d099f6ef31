/* SPDX-License-Identifier: MIT */
#ifndef ACTORLAB_DETAIL_HPP
#define ACTORLAB_DETAIL_HPP

/* What actor.hpp is made of, and programs need not know. */

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

namespace actorlab
{
namespace detail
{

/* The name of a type, which the checks build prints: what stands behind "T = ". */
template <class T> const char *name()
{
    static const std::string text = [](const std::string &whole) {
        std::size_t begin = whole.find("T = ") + 4;
        return whole.substr(begin, whole.find_last_of(']') - begin);
    }(__PRETTY_FUNCTION__);
    return text.c_str();
}

/* Storage from `new` of what the runtime may free, by free(). */
struct allocated {
    static void *operator new(std::size_t bytes)
    {
        return checked(std::malloc(bytes));
    }
    static void *operator new(std::size_t bytes, std::align_val_t alignment)
    {
        std::size_t step = static_cast<std::size_t>(alignment);
        return checked(std::aligned_alloc(step, (bytes + step - 1) / step * step));
    }
    static void *operator new(std::size_t, void *place) noexcept
    {
        return place;
    }
    static void operator delete(void *memory) noexcept
    {
        std::free(memory);
    }
    static void operator delete(void *memory, std::align_val_t) noexcept
    {
        std::free(memory);
    }

  private:
    static void *checked(void *memory)
    {
        return memory != nullptr ? memory : throw std::bad_alloc();
    }
};

/* For C; what has passed already is 0. */
inline std::uint64_t nanoseconds(std::chrono::nanoseconds time)
{
    return time.count() > 0 ? static_cast<std::uint64_t>(time.count()) : 0;
}

/* How far a base is from the beginning of what is derived from it, bytes. */
template <class Derived, class Base> std::size_t offset()
{
    Derived *derived = reinterpret_cast<Derived *>(alignof(Derived) * 16); /* no object */
    return static_cast<std::size_t>(reinterpret_cast<char *>(static_cast<Base *>(derived)) -
                                    reinterpret_cast<char *>(derived));
}

/* What the behaviour of an actor for a message returns; `none` if it has none. */
struct none {
};
template <class Self, class Message, class = void> struct returned {
    using type = none;
};
template <class Self, class Message>
struct returned<Self, Message,
                std::void_t<decltype(std::declval<Self &>().receive(std::declval<Message &>()))>> {
    using type = decltype(std::declval<Self &>().receive(std::declval<Message &>()));
};
template <class Self, class Message> using returned_t = typename returned<Self, Message>::type;

} // namespace detail

} // namespace actorlab

#endif
