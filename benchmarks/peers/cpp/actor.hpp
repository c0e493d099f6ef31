// SPDX-License-Identifier: MIT
#ifndef AL_PEER_ACTOR_HPP
#define AL_PEER_ACTOR_HPP

/*
 * The workloads for systems whose actors are objects with a mailbox each. A System has
 *
 *   System(uint64_t workers, uint64_t actors)
 *                                starts its threads, for so many actors; the destructor ends them
 *   System::mailbox(System &)    runs one handler after another
 *   void post(mailbox &to, handler *run, void *object, uint64_t word)
 *                                runs run(object, word) later, in the order of the sender
 *   void drop(mailbox *)         in the last handler of a mailbox made by new: it is deleted
 *                                afterwards. Absent where that cannot be done (can_drop is false)
 *   void begin(function), void wait()
 *                                begin calls a function where it may post; wait returns when all
 *                                actors have called system.ended()
 */

#include <cstdint>
#include <string>

#include "benchmarks/peers/support/peer.hpp"

namespace peer
{

using handler = void(void *object, uint64_t word);

template <auto Method, class Object> void call(void *object, uint64_t word)
{
    (static_cast<Object *>(object)->*Method)(word);
}

// Send to an object that has a `mailbox`.
template <auto Method, class System, class Object>
void send(System &system, Object &to, uint64_t word = 0)
{
    system.post(to.mailbox, call<Method, Object>, &to, word);
}

template <class System> class iteration
{
  public:
    virtual ~iteration() = default;
    virtual uint64_t actors() const = 0;   // that call ended()
    virtual uint64_t messages() const = 0; // as actorlab counts them
    virtual void start(System &system) = 0;
    virtual std::string check() const = 0; // "" if the answer is right
};

} // namespace peer

#endif
