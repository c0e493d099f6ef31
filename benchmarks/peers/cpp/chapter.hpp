// SPDX-License-Identifier: MIT
#ifndef AL_PEER_CHAPTER_HPP
#define AL_PEER_CHAPTER_HPP

// The chapter's workloads: see actor.hpp.

#include <memory>
#include <vector>

#include "benchmarks/peers/cpp/actor.hpp"
#include "benchmarks/peers/support/mirrors.hpp"

namespace peer
{

template <class System> class send_static final : public iteration<System>
{
  public:
    send_static(parameters &given, uint64_t) : sends_(given.uint("sends"))
    {
    }

    uint64_t actors() const override
    {
        return 1;
    }

    uint64_t messages() const override
    {
        return sends_;
    }

    void start(System &system) override
    {
        actor_ = std::make_unique<actor>(system, sends_);
        send<&actor::receive>(system, *actor_);
    }

    std::string check() const override
    {
        return expect("messages received", actor_->received, sends_);
    }

  private:
    struct actor {
        actor(System &system, uint64_t sends) : system(system), mailbox(system), sends(sends)
        {
        }

        void receive(uint64_t)
        {
            if (++received == sends)
                system.ended();
            else
                send<&actor::receive>(system, *this);
        }

        System &system;
        typename System::mailbox mailbox;
        uint64_t sends, received = 0;
    };

    uint64_t sends_;
    std::unique_ptr<actor> actor_;
};

template <class System> class send_dynamic final : public iteration<System>
{
  public:
    send_dynamic(parameters &given, uint64_t) : sends_(given.uint("sends"))
    {
        given.memory("this system");
    }

    uint64_t actors() const override
    {
        return 1;
    }

    uint64_t messages() const override
    {
        return sends_;
    }

    void start(System &system) override
    {
        create(system);
    }

    std::string check() const override
    {
        return expect("actors received a message", received_, sends_);
    }

  private:
    struct message {
        send_dynamic *all;
    };

    struct actor {
        explicit actor(System &system) : system(system), mailbox(system)
        {
        }

        void receive(uint64_t word)
        {
            std::unique_ptr<message> received(reinterpret_cast<message *>(word));
            auto *all = received->all;
            bool last = ++all->received_ == all->sends_;
            if (!last)
                all->create(system);
            auto &its = system;
            its.drop(this);
            if (last)
                its.ended();
        }

        System &system;
        typename System::mailbox mailbox;
    };

    void create(System &system)
    {
        auto *fresh = new actor(system);
        send<&actor::receive>(system, *fresh, reinterpret_cast<uint64_t>(new message{this}));
    }

    uint64_t sends_, received_ = 0;
};

template <class System> class executor final : public iteration<System>
{
  public:
    executor(parameters &given, uint64_t)
        : actors_(given.uint("actors")), group_(given.uint("group")),
          total_(group_ * given.uint("rounds")), batch_(given.uint("batch")),
          by_groups_(given.choice("start", {"all", "groups"}) == 1)
    {
        if (group_ == 0 || actors_ % group_ != 0 || batch_ == 0 || total_ % batch_ != 0)
            throw usage_error("group must divide actors, and batch group x rounds");
    }

    uint64_t actors() const override
    {
        return actors_;
    }

    uint64_t messages() const override
    {
        return actors_ * (total_ + 1) + (by_groups_ ? actors_ / group_ : 0);
    }

    void start(System &system) override
    {
        for (uint64_t i = 0; i < actors_; i++)
            members_.push_back(std::make_unique<member>(system, *this, i / group_ * group_));
        for (uint64_t i = 0; by_groups_ && i < actors_ / group_; i++)
            send<&member::wake>(system, *members_[i * group_ + i % group_]);
        for (uint64_t i = 0; !by_groups_ && i < actors_; i++)
            send<&member::receive>(system, *members_[i]);
    }

    std::string check() const override
    {
        for (auto &member : members_)
            if (member->received != total_ + 1)
                return expect("messages received by an actor", member->received, total_ + 1);
        return "";
    }

  private:
    struct member {
        member(System &system, executor &all, uint64_t first)
            : system(system), mailbox(system), all(all), first(first)
        {
        }

        // Send the first message to each of the group.
        void wake(uint64_t)
        {
            for (uint64_t i = 0; i < all.group_; i++)
                send<&member::receive>(system, *all.members_[first + i]);
        }

        void receive(uint64_t)
        {
            if (received++ == all.total_) {
                system.ended();
                return;
            }
            if (countdown-- != 0)
                return;
            countdown = all.batch_ - 1;
            for (uint64_t i = 0; i < all.batch_; i++) {
                send<&member::receive>(system, *all.members_[first + next]);
                if (++next == all.group_)
                    next = 0;
            }
        }

        System &system;
        typename System::mailbox mailbox;
        executor &all;
        uint64_t first;         // of its group
        uint64_t next = 0;      // the member of its group to send to next
        uint64_t countdown = 0; // messages to receive before the next batch is sent
        uint64_t received = 0;
    };

    uint64_t actors_, group_, total_, batch_;
    bool by_groups_;
    std::vector<std::unique_ptr<member>> members_;
};

template <class System> class repeat final : public iteration<System>
{
  public:
    repeat(parameters &given, uint64_t)
        : n_servers_(given.uint("servers")), rounds_(given.uint("rounds"))
    {
    }

    uint64_t actors() const override
    {
        return n_servers_ + 1;
    }

    // Questions and answers, the first message to the client, and a pill for each server.
    uint64_t messages() const override
    {
        return 2 * n_servers_ * rounds_ + 1 + n_servers_;
    }

    void start(System &system) override
    {
        client_ = std::make_unique<client>(system, *this);
        for (uint64_t i = 0; i < n_servers_; i++)
            servers_.push_back(std::make_unique<server>(system, *client_));
        send<&client::ask_all>(system, *client_);
    }

    std::string check() const override
    {
        for (auto &server : servers_)
            if (server->answers != rounds_)
                return expect("answers of a server", server->answers, rounds_);
        return expect("is the sum that the client got", client_->sum,
                      n_servers_ * (rounds_ * (rounds_ + 1) / 2));
    }

  private:
    struct client;

    // A question carries the number of its trips.
    struct server {
        server(System &system, client &client) : system(system), mailbox(system), asks(client)
        {
        }

        void question(uint64_t trips)
        {
            answers++;
            send<&client::answer>(system, asks, trips + 1);
        }

        void pill(uint64_t)
        {
            system.ended();
        }

        System &system;
        typename System::mailbox mailbox;
        client &asks;
        uint64_t answers = 0;
    };

    struct client {
        client(System &system, repeat &all) : system(system), mailbox(system), all(all)
        {
        }

        void ask_all(uint64_t)
        {
            for (auto &server : all.servers_)
                send<&server::question>(system, *server, rounds);
        }

        void answer(uint64_t trips)
        {
            sum += trips;
            if (++answers < all.n_servers_)
                return;
            answers = 0;
            if (++rounds < all.rounds_) {
                ask_all(0);
                return;
            }
            for (auto &server : all.servers_)
                send<&server::pill>(system, *server);
            system.ended();
        }

        System &system;
        typename System::mailbox mailbox;
        repeat &all;
        uint64_t answers = 0, rounds = 0, sum = 0;
    };

    uint64_t n_servers_, rounds_;
    std::unique_ptr<client> client_;
    std::vector<std::unique_ptr<server>> servers_;
};

template <class System> class matrix final : public iteration<System>
{
  public:
    matrix(parameters &given, uint64_t seed) : product_(given, seed)
    {
    }

    uint64_t actors() const override
    {
        return product_.rows();
    }

    uint64_t messages() const override
    {
        return product_.rows();
    }

    void start(System &system) override
    {
        for (uint64_t i = 0; i < product_.rows(); i++)
            rows_.push_back(std::make_unique<row>(system, product_));
        for (uint64_t i = 0; i < product_.rows(); i++)
            send<&row::compute>(system, *rows_[i], i);
    }

    std::string check() const override
    {
        return product_.check();
    }

  private:
    struct row {
        row(System &system, matrix_product &product)
            : system(system), mailbox(system), product(product)
        {
        }

        void compute(uint64_t number)
        {
            product.compute_row(number);
            system.ended();
        }

        System &system;
        typename System::mailbox mailbox;
        matrix_product &product;
    };

    matrix_product product_;
    std::vector<std::unique_ptr<row>> rows_;
};

} // namespace peer

#endif
