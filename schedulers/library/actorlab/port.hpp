/* SPDX-License-Identifier: MIT */
#ifndef ACTORLAB_PORT_HPP
#define ACTORLAB_PORT_HPP

/*
 * What actors say to threads that are no workers, in C++17 (core/outside.h):
 *
 *     struct question : actorlab::request<question> {
 *         int answer;
 *     };
 *
 *     actorlab::port<question> port;
 *     question asked;
 *     port.ask(system, oracle, asked);
 *     if (port.wait(std::chrono::seconds(1)))
 *         use(*port.take());
 */

#include <actorlab/actor.hpp>

#include <chrono>
#include <new>

namespace actorlab
{

/* A message that comes back to whoever asked (port::ask): when the behaviour that receives it has
 * returned or, if that has called `later`, when somebody calls `answer`. */
template <class Self> class request : public message<Self>
{
  public:
    /* In the behaviour that receives it: it is not answered yet. */
    void later() noexcept
    {
        ::al_message_set_verdict(&this->message_, AL_NODELETE);
    }
    /* Any thread; not in the behaviour that receives it. */
    void answer()
    {
        asker_->put(static_cast<Self &>(*this));
    }

  protected:
    ~request() = default;

  private:
    template <class> friend class port;

    port<Self> *asker_ = nullptr;
};

/* Where a thread that is no worker finds messages, in the order in which they were put. Any thread
 * may use it. */
template <class Message> class port
{
  public:
    port()
    {
        ::al_error line;
        if (::al_port_open(&port_, &line) != 0)
            throw std::bad_alloc();
    }
    port(const port &) = delete;
    port &operator=(const port &) = delete;
    ~port()
    {
        ::al_port_close(port_);
    }

    /* Send a request, which comes back here. It stays its owner's, who leaves it alone until
     * then. */
    template <class Receiver> void ask(system &within, actor<Receiver> &receiver, Message &request)
    {
        request.asker_ = this;
        request.message_.verdict = AL_DESTROY;
        within.post(receiver, request);
    }

    /* Put a message here. If a behaviour is receiving it, nobody may delete it until that has
     * returned. */
    void put(Message &message)
    {
        if (::al_port_put(port_, &message.message_) != 0)
            throw std::bad_alloc();
    }
    /* The oldest message, or nullptr. */
    Message *take()
    {
        ::al_message *message = ::al_port_take(port_);
        return message != nullptr ? &Message::from(message) : nullptr;
    }
    /* Whether there is a message, after at most that time. Not in a behaviour. */
    bool wait(std::chrono::nanoseconds time)
    {
        return ::al_port_wait(port_, static_cast<std::uint64_t>(time.count()));
    }
    /* Can be read while there are messages: for poll and its like, and for nothing else. Negative:
     * an errno. */
    int descriptor()
    {
        return ::al_port_descriptor(port_);
    }

  private:
    ::al_port *port_;
};

} // namespace actorlab

#endif
