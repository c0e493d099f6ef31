/* SPDX-License-Identifier: MIT */
#ifndef ACTORLAB_ACTOR_HPP
#define ACTORLAB_ACTOR_HPP

/*
 * Actors in C++17: types in place of the macros of actor.h, and the same instructions.
 *
 *     struct add : actorlab::message<add> {
 *         int by;
 *         explicit add(int n) : by(n) {}
 *     };
 *
 *     struct counter : actorlab::actor<counter> {
 *         int sum = 0;
 *         void receive(add &message) { sum += message.by; }
 *     };
 *
 *     actorlab::system system;    // its workers run
 *     counter c;                  // an actor from here on
 *     c.send<add>(1);             // made here, and deleted when it has been received
 *     c.finish();                 // when it has received that
 *     system.stop();              // when all actors have ended
 *
 * A behaviour returns nothing, or a verdict on its actor, and throws nothing. An actor's behaviours
 * are its members `receive`, one for each type of message, or lambdas (actorlab::behaviours). A
 * send of a message that the actor has no behaviour for does not compile.
 */

#include <actorlab/actor.h>
#include <actorlab/bound.hpp>
#include <actorlab/detail.hpp>

#include <chrono>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace actorlab
{

/* What becomes of an actor when a behaviour has returned. */
enum class verdict {
    stay = AL_NODELETE,
    finish = AL_FINISHED, /* it has ended, and is whoever's it was */
    destroy = AL_DESTROY, /* it has ended; run its destructor, but keep its storage */
    remove = AL_DELETE    /* it has ended; delete it. It was made by `new` */
};

/* What an actor is asked for when it is to end. */
struct pill {
    actorlab::verdict verdict;
};

class error : public std::runtime_error
{
    using runtime_error::runtime_error;
};

template <class Self> class actor;
template <class Self> class message;
template <class Self> class request;
template <class Message> class port;
class system;

/* A message: the struct that derives from this, as in the example. It is its sender's until it is
 * sent, and then its receiver's. */
template <class Self> class message : public detail::allocated
{
  public:
    message() noexcept
    {
        begin(AL_NODELETE);
    }
    /* A copy is another message, which has not been sent. */
    message(const message &) noexcept
    {
        begin(AL_NODELETE);
    }
    message &operator=(const message &) noexcept
    {
        return *this;
    }

  protected:
    ~message() = default;

  private:
    template <class> friend class actor;
    template <class> friend class port;
    template <class> friend class request;
    friend class system;

    static void destroy(::al_message *of)
    {
        if constexpr (std::is_base_of_v<request<Self>, Self>)
            if (of->verdict == AL_DESTROY) /* only port::ask gives it this one */
                return from(of).answer();
        from(of).~Self();
    }

    static Self &from(::al_message *of)
    {
        return static_cast<Self &>(*reinterpret_cast<message *>(of));
    }

    void begin(::al_verdict verdict) noexcept
    {
        al_message_begin(&message_, &type, verdict);
    }

    static inline const ::al_message_type type = {
        detail::name<Self>(), detail::offset<Self, message>(), sizeof(Self), destroy, 0};

    ::al_message message_; /* first */
};

/* An actor: the struct that derives from this, as in the example. Made by the thread that opened
 * the system, or in a behaviour, while the system runs. */
template <class Self> class actor : public detail::allocated
{
  public:
    /* Where it runs is the strategy's choice; placement and `near` are advice. */
    actor()
    {
        ::al_actor_enter(&actor_, &type, AL_PLACE_ANYWHERE, AL_NO_WORKER);
    }
    explicit actor(::al_placement placement)
    {
        ::al_actor_enter(&actor_, &type, placement, AL_NO_WORKER);
    }
    /* It will mostly talk to that one. */
    template <class Other> explicit actor(actor<Other> &near)
    {
        ::al_actor_enter_near(&actor_, &type, &near.actor_);
    }
    actor(const actor &) = delete;
    actor &operator=(const actor &) = delete;

    /* Send a message that stays its owner's, who may have it again when it has been received. */
    template <class Message> Self &send(Message &message)
    {
        post(message);
        return static_cast<Self &>(*this);
    }

    /* Send a message that is deleted when it has been received. */
    template <class Message> Self &send(std::unique_ptr<Message> message)
    {
        message->message_.verdict = AL_DELETE;
        post(*message.release());
        return static_cast<Self &>(*this);
    }

    /* The same, made here. */
    template <class Message, class... Arguments> Self &send(Arguments &&...arguments)
    {
        return send(std::make_unique<Message>(std::forward<Arguments>(arguments)...));
    }

    /* Send, if its bound lets it in. If not, the message is still yours. */
    template <class Message> bool try_send(Message &message)
    {
        check<Message>();
        if (!::al_bound_enter(&self().bound.bound_))
            return false;
        ::al_post(&actor_, &message.message_, bounded<Message>);
        return true;
    }
    template <class Message> bool try_send(std::unique_ptr<Message> &message)
    {
        check<Message>();
        if (!::al_bound_enter(&self().bound.bound_))
            return false;
        message->message_.verdict = AL_DELETE;
        ::al_post(&actor_, &message.release()->message_, bounded<Message>);
        return true;
    }

    /* In a behaviour: send it that much later, or a little more (core/later.h). */
    template <class Message> void send_after(std::chrono::nanoseconds time, Message &message)
    {
        check<Message>();
        ::al_post_after(&actor_, &message.message_, thunk<Message>, detail::nanoseconds(time));
    }
    template <class Message>
    void send_after(std::chrono::nanoseconds time, std::unique_ptr<Message> message)
    {
        message->message_.verdict = AL_DELETE;
        send_after(time, *message.release());
    }

    /* Ask it to end when it has received what was sent before. It does, unless it has a member
     * `verdict receive(actorlab::pill)`, which decides. */
    void finish()
    {
        ::al_send_pill(&actor_, &::al_finished_msg);
    }
    void destroy()
    {
        ::al_send_pill(&actor_, &::al_destroy_msg);
    }
    void remove()
    {
        ::al_send_pill(&actor_, &::al_delete_msg);
    }

  protected:
    ~actor() = default;

  private:
    template <class> friend class actor;
    friend class system;

    static Self &from(::al_actor *of)
    {
        return static_cast<Self &>(*reinterpret_cast<actor *>(of));
    }

    static void end(::al_actor *of)
    {
        from(of).~Self();
    }

    template <class Message> static constexpr void check()
    {
        using result = detail::returned_t<Self, Message>;
        static_assert(!std::is_same_v<result, detail::none>,
                      "the actor has no behaviour for this message");
        static_assert(std::is_void_v<result> || std::is_same_v<result, verdict>,
                      "a behaviour returns nothing or a verdict");
    }

    template <class Message> static ::al_verdict thunk(::al_actor *of, ::al_message *sent) noexcept
    {
        if constexpr (std::is_void_v<detail::returned_t<Self, Message>>) {
            from(of).receive(Message::from(sent));
            return AL_NODELETE;
        } else {
            return static_cast<::al_verdict>(from(of).receive(Message::from(sent)));
        }
    }

    template <class Message>
    static ::al_verdict bounded(::al_actor *of, ::al_message *sent) noexcept
    {
        ::al_bound_leave(&from(of).bound.bound_);
        return thunk<Message>(of, sent);
    }

    Self &self()
    {
        return static_cast<Self &>(*this);
    }

    static ::al_verdict take_pill(::al_actor *of, ::al_message *sent) noexcept
    {
        ::al_verdict asked = reinterpret_cast<::al_pill *>(sent)->verdict;
        if constexpr (std::is_same_v<detail::returned_t<Self, pill>, verdict>) {
            pill received{static_cast<verdict>(asked)};
            return static_cast<::al_verdict>(from(of).receive(received));
        } else {
            return asked;
        }
    }

    template <class Message> void post(Message &message)
    {
        check<Message>();
        ::al_post(&actor_, &message.message_, thunk<Message>);
    }

    static inline const ::al_actor_type type = {
        detail::name<Self>(), detail::offset<Self, actor>(), end, nullptr, take_pill, 0};

    ::al_actor actor_; /* first */
};

/* An actor whose behaviours are lambdas, what they capture is its state:
 *
 *     actorlab::behaviours adder([sum = 0](add &message) mutable { sum += message.by; },
 *                                [](stop &) { return actorlab::verdict::finish; });
 */
template <class... Behaviours>
class behaviours : public actor<behaviours<Behaviours...>>, private Behaviours...
{
  public:
    explicit behaviours(Behaviours... of) : Behaviours(std::move(of))...
    {
    }

    template <class Message>
    auto receive(Message &received) -> decltype(std::declval<behaviours &>()(received))
    {
        return (*this)(received);
    }

  private:
    using Behaviours::operator()...;
};

/* A running system. One for each thread at a time. */
class system
{
  public:
    struct options {
        std::string strategy, victim, idle; /* empty: the default, and the strategy's own */
        unsigned workers = 0;               /* 0: one for each processor that it may use */
    };

    system() : system(options())
    {
    }
    /* Throws an error with the line that says what is wrong and what would be right. */
    explicit system(const options &wanted)
    {
        ::al_choice choice{};
        ::al_config config{};
        ::al_error line;
        choice.scheduler = wanted.strategy.empty() ? nullptr : wanted.strategy.c_str();
        choice.victim = wanted.victim.empty() ? nullptr : wanted.victim.c_str();
        choice.idle = wanted.idle.empty() ? nullptr : wanted.idle.c_str();
        config.workers = wanted.workers;
        if (::al_system_open(&choice, &config, &system_, &line) != 0)
            throw error(line.text);
    }
    system(const system &) = delete;
    system &operator=(const system &) = delete;
    ~system()
    {
        stop();
    }

    /* Wait until all actors have ended, and end the workers. By the thread that opened it. */
    void stop()
    {
        if (system_ != nullptr)
            ::al_system_stop(system_, nullptr);
        system_ = nullptr; /* now: others may cancel it before */
    }

    /* Wait for that, but for at most that time. Whether all have ended; if not, it goes on. */
    bool wait(std::chrono::nanoseconds time)
    {
        return ::al_system_wait(system_, detail::nanoseconds(time));
    }

    /* End it although actors live (core/system.h); then stop it, when nobody posts any more. */
    void cancel()
    {
        ::al_system_cancel(system_);
    }

    /* Send from any thread, to an actor that lives. */
    template <class Receiver, class Message> void post(actor<Receiver> &receiver, Message &message)
    {
        actor<Receiver>::template check<Message>();
        ::al_system_post(system_, &receiver.actor_, &message.message_,
                         actor<Receiver>::template thunk<Message>);
    }
    template <class Receiver, class Message>
    void post(actor<Receiver> &receiver, std::unique_ptr<Message> message)
    {
        message->message_.verdict = AL_DELETE;
        post(receiver, *message.release());
    }
    /* The same, if its bound lets it in within that time. If not, the message is still yours. By
     * threads that run no behaviours. */
    template <class Receiver, class Message>
    bool try_post(actor<Receiver> &receiver, Message &message, std::chrono::nanoseconds time)
    {
        actor<Receiver>::template check<Message>();
        if (!::al_bound_wait(&receiver.self().bound.bound_, detail::nanoseconds(time)))
            return false;
        ::al_system_post(system_, &receiver.actor_, &message.message_,
                         actor<Receiver>::template bounded<Message>);
        return true;
    }
    template <class Receiver, class Message>
    bool try_post(actor<Receiver> &receiver, std::unique_ptr<Message> &message,
                  std::chrono::nanoseconds time)
    {
        actor<Receiver>::template check<Message>();
        if (!::al_bound_wait(&receiver.self().bound.bound_, detail::nanoseconds(time)))
            return false;
        message->message_.verdict = AL_DELETE;
        ::al_system_post(system_, &receiver.actor_, &message.release()->message_,
                         actor<Receiver>::template bounded<Message>);
        return true;
    }

  private:
    ::al_system *system_ = nullptr;
};

} // namespace actorlab

#endif
