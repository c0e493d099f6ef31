// SPDX-License-Identifier: MIT

// peer-asio: Asio's strands. Each actor has a strand of one I/O context, which the threads run.

#include <asio.hpp>
#include <thread>
#include <vector>

#include "benchmarks/peers/cpp/ending.hpp"
#include "benchmarks/peers/cpp/program.hpp"

namespace
{

class strands
{
    using executor = asio::io_context::executor_type;

  public:
    static constexpr bool can_drop = true;

    struct mailbox {
        explicit mailbox(strands &system) : strand(system.context_.get_executor())
        {
        }

        asio::strand<executor> strand;
    };

    strands(uint64_t workers, uint64_t actors)
        : ending_(actors), context_(static_cast<int>(workers)), guard_(context_.get_executor())
    {
        for (uint64_t i = 0; i < workers; i++)
            threads_.emplace_back([this] { context_.run(); });
    }

    ~strands()
    {
        guard_.reset();
        for (auto &thread : threads_)
            thread.join();
    }

    void post(mailbox &to, peer::handler *run, void *object, uint64_t word)
    {
        asio::post(to.strand, [=] { run(object, word); });
    }

    template <class Actor> void drop(Actor *actor)
    {
        delete actor;
    }

    template <class Function> void begin(Function function)
    {
        function();
    }

    void ended()
    {
        ending_.ended();
    }

    void wait()
    {
        ending_.wait();
    }

  private:
    peer::ending ending_;
    asio::io_context context_;
    asio::executor_work_guard<executor> guard_;
    std::vector<std::thread> threads_;
};

} // namespace

int main(int argc, char **argv)
{
    auto version = "Asio " + std::to_string(ASIO_VERSION / 100000) + '.' +
                   std::to_string(ASIO_VERSION / 100 % 1000) + '.' +
                   std::to_string(ASIO_VERSION % 100);
    return peer::run(argc, argv, {}, version, peer::iterate<strands>);
}
