/* SPDX-License-Identifier: MIT */
#ifndef ACTORLAB_BOUND_HPP
#define ACTORLAB_BOUND_HPP

/*
 * A bound on how many messages wait for an actor, of those that are sent by its `try_send` or the
 * system's `try_post`:
 *
 *     struct store : actorlab::actor<store> {
 *         actorlab::bound bound{1000};
 *         void receive(order &received);
 *     };
 *
 *     if (!s.try_send(o))
 *         ... a thousand wait already, and the order is still ours
 */

#include <actorlab/actor.h>

#include <cstdint>

namespace actorlab
{

template <class Self> class actor;
class system;

/* The actor has one as a member that is called `bound`. */
class bound
{
  public:
    explicit bound(std::uint32_t most)
    {
        ::al_bound_init(&bound_, most);
    }
    bound(const bound &) = delete;
    bound &operator=(const bound &) = delete;

  private:
    template <class> friend class actor;
    friend class system;

    ::al_bound bound_;
};

} // namespace actorlab

#endif
