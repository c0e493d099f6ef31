// SPDX-License-Identifier: MIT

// peer-threads: what one writes without a library. Each thread has a queue, a mutex and a condition
// variable; an actor belongs to a thread. A thread takes all that its queue holds at once.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "benchmarks/peers/cpp/ending.hpp"
#include "benchmarks/peers/cpp/program.hpp"

namespace
{

struct envelope {
    peer::handler *run;
    void *object;
    uint64_t word;
};

// Of a thread. Aligned, so that two threads do not write to one line.
struct alignas(128) queue {
    std::mutex mutex;
    std::condition_variable filled;
    std::vector<envelope> envelopes;
    bool over = false;
    std::thread thread;
};

thread_local queue *own = nullptr; // of the thread that asks; NULL: it is none of these

class threads
{
  public:
    static constexpr bool can_drop = true;

    // An actor's thread is the one that creates it; from outside, each in turn.
    struct mailbox {
        explicit mailbox(threads &system)
            : home(own != nullptr ? own
                                  : system.queues_[system.next_++ % system.queues_.size()].get())
        {
        }

        queue *home;
    };

    threads(uint64_t workers, uint64_t actors) : ending_(actors)
    {
        for (uint64_t i = 0; i < workers; i++)
            queues_.push_back(std::make_unique<queue>());
        for (auto &queue : queues_)
            queue->thread = std::thread(loop, queue.get());
    }

    ~threads()
    {
        for (auto &queue : queues_) {
            std::lock_guard<std::mutex> lock(queue->mutex);
            queue->over = true;
            queue->filled.notify_one();
        }
        for (auto &queue : queues_)
            queue->thread.join();
    }

    void post(mailbox &to, peer::handler *run, void *object, uint64_t word)
    {
        queue &queue = *to.home;
        bool first;
        {
            std::lock_guard<std::mutex> lock(queue.mutex);
            first = queue.envelopes.empty();
            queue.envelopes.push_back({run, object, word});
        }
        if (first && &queue != own)
            queue.filled.notify_one();
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
    static void loop(queue *mine)
    {
        own = mine;
        std::vector<envelope> taken;
        for (;;) {
            {
                std::unique_lock<std::mutex> lock(mine->mutex);
                mine->filled.wait(lock, [mine] { return !mine->envelopes.empty() || mine->over; });
                if (mine->envelopes.empty())
                    return;
                taken.swap(mine->envelopes);
            }
            for (auto &envelope : taken)
                envelope.run(envelope.object, envelope.word);
            taken.clear();
        }
    }

    peer::ending ending_;
    std::vector<std::unique_ptr<queue>> queues_;
    uint64_t next_ = 0;
};

} // namespace

int main(int argc, char **argv)
{
    return peer::run(argc, argv, {}, "threads of C++17", peer::iterate<threads>);
}
