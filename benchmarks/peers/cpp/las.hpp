// SPDX-License-Identifier: MIT
#ifndef AL_PEER_LAS_HPP
#define AL_PEER_LAS_HPP

// Workloads of the LAS paper: see actor.hpp.

#include <algorithm>
#include <memory>
#include <vector>

#include "benchmarks/peers/cpp/actor.hpp"
#include "benchmarks/peers/support/mirrors.hpp"

namespace peer
{

template <class System> class big final : public iteration<System>
{
  public:
    big(parameters &given, uint64_t seed) : partners_(given, seed)
    {
    }

    uint64_t actors() const override
    {
        return partners_.actors() + 1;
    }

    // Pings and pongs; to each actor the first message and the pill; to the sink a report from
    // each.
    uint64_t messages() const override
    {
        return partners_.actors() * (2 * partners_.pings() + 3);
    }

    void start(System &system) override
    {
        sink_ = std::make_unique<sink>(system, *this);
        for (uint32_t i = 0; i < partners_.actors(); i++)
            all_.push_back(std::make_unique<pinger>(system, *this, i));
        for (auto &pinger : all_)
            send<&pinger::go>(system, *pinger);
    }

    std::string check() const override
    {
        for (auto &one : all_) {
            if (one->pongs != partners_.pings())
                return expect("pongs received by an actor", one->pongs, partners_.pings());
            if (one->strays != 0)
                return expect("rounds with pongs of others than were pinged", one->strays, 0);
            if (one->pings != partners_.due(one->number))
                return expect("pings received by an actor", one->pings, partners_.due(one->number));
        }
        return "";
    }

  private:
    struct sink {
        sink(System &system, big &all) : system(system), mailbox(system), all(all)
        {
        }

        void report(uint64_t)
        {
            if (++reports < all.partners_.actors())
                return;
            for (auto &pinger : all.all_)
                send<&pinger::pill>(system, *pinger);
            system.ended();
        }

        System &system;
        typename System::mailbox mailbox;
        big &all;
        uint32_t reports = 0;
    };

    // Pings and pongs carry the number of their sender.
    struct pinger {
        pinger(System &system, big &all, uint32_t number)
            : system(system), mailbox(system), all(all), number(number),
              random(all.partners_.random_of(number))
        {
        }

        void go(uint64_t)
        {
            auto n = std::min(all.partners_.round(), all.partners_.pings() - sent);
            for (; n != 0; n--) {
                auto other = all.partners_.draw(random, number, sent++);
                owed += other + 1;
                send<&pinger::ping>(system, *all.all_[other], number);
            }
        }

        void ping(uint64_t from)
        {
            pings++;
            send<&pinger::pong>(system, *all.all_[from], number);
        }

        void pong(uint64_t from)
        {
            owed -= from + 1;
            if (++pongs < sent)
                return;
            strays += owed != 0;
            if (sent == all.partners_.pings())
                send<&sink::report>(system, *all.sink_);
            else
                go(0);
        }

        void pill(uint64_t)
        {
            system.ended();
        }

        System &system;
        typename System::mailbox mailbox;
        big &all;
        uint32_t number;
        al_random random;
        uint64_t sent = 0, pings = 0, pongs = 0;
        uint64_t strays = 0; // rounds whose pongs came from others than were pinged
        uint64_t owed = 0;   // sum of the numbers of the actors that owe it a pong, from 1
    };

    partners partners_;
    std::unique_ptr<sink> sink_;
    std::vector<std::unique_ptr<pinger>> all_;
};

template <class System> class bang final : public iteration<System>
{
  public:
    bang(parameters &given, uint64_t)
        : n_senders_(static_cast<uint32_t>(given.uint("senders"))),
          n_(static_cast<uint32_t>(given.uint("messages")))
    {
        given.memory("this system");
    }

    uint64_t actors() const override
    {
        return uint64_t{n_senders_} + 1;
    }

    // The messages to the receiver, and the first message of each sender.
    uint64_t messages() const override
    {
        return total() + n_senders_;
    }

    void start(System &system) override
    {
        receiver_ = std::make_unique<receiver>(system, *this);
        for (uint32_t i = 0; i < n_senders_; i++)
            senders_.push_back(std::make_unique<sender>(system, *this, i));
        for (auto &sender : senders_)
            send<&sender::go>(system, *sender);
    }

    std::string check() const override
    {
        if (receiver_->misplaced != 0)
            return expect("messages out of their sender's order", receiver_->misplaced, 0);
        return expect("messages received", receiver_->received, total());
    }

  private:
    uint64_t total() const
    {
        return uint64_t{n_senders_} * n_;
    }

    struct message {
        uint32_t sender, sequence;
    };

    struct receiver {
        receiver(System &system, bang &all)
            : system(system), mailbox(system), all(all), next(all.n_senders_)
        {
        }

        void receive(uint64_t word)
        {
            std::unique_ptr<message> got(reinterpret_cast<message *>(word));
            misplaced += got->sequence != next[got->sender]++;
            if (++received == all.total())
                system.ended();
        }

        System &system;
        typename System::mailbox mailbox;
        bang &all;
        std::vector<uint32_t> next; // the next sequence number of each sender
        uint64_t received = 0, misplaced = 0;
    };

    struct sender {
        sender(System &system, bang &all, uint32_t number)
            : system(system), mailbox(system), all(all), number(number)
        {
        }

        void go(uint64_t)
        {
            for (uint32_t i = 0; i < all.n_; i++)
                send<&receiver::receive>(system, *all.receiver_,
                                         reinterpret_cast<uint64_t>(new message{number, i}));
            system.ended();
        }

        System &system;
        typename System::mailbox mailbox;
        bang &all;
        uint32_t number;
    };

    uint32_t n_senders_, n_;
    std::unique_ptr<receiver> receiver_;
    std::vector<std::unique_ptr<sender>> senders_;
};

} // namespace peer

#endif
