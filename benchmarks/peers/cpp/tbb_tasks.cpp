// SPDX-License-Identifier: MIT

// peer-tbb-tasks: oneTBB's task group. Each actor has a concurrent queue; whoever adds the first
// message to an empty one starts a task that empties it.

#include <oneapi/tbb.h>

#include <atomic>

#include "benchmarks/peers/cpp/program.hpp"

namespace
{

class tasks
{
  public:
    static constexpr bool can_drop = true;

    struct envelope {
        peer::handler *run;
        void *object;
        uint64_t word;
    };

    struct mailbox {
        explicit mailbox(tasks &)
        {
        }

        tbb::concurrent_queue<envelope> queue;
        std::atomic<uint64_t> n{0}; // messages that have not been handled; the task that is 0's
        bool dropped = false;       // set by the last handler
    };

    tasks(uint64_t workers, uint64_t)
        : limit_(tbb::global_control::max_allowed_parallelism, workers),
          arena_(static_cast<int>(workers))
    {
    }

    void post(mailbox &to, peer::handler *run, void *object, uint64_t word)
    {
        to.queue.push({run, object, word});
        if (to.n.fetch_add(1, std::memory_order_acq_rel) == 0)
            group_.run([&to] { empty(to); });
    }

    // Deleted behind the handler: the task still looks at the mailbox.
    template <class Actor> void drop(Actor *actor)
    {
        actor->mailbox.dropped = true;
        dropped = actor;
        destroy = [](void *object) { delete static_cast<Actor *>(object); };
    }

    template <class Function> void begin(Function function)
    {
        arena_.execute(function);
    }

    void ended()
    {
    }

    // Whoever waits works, as in any program with a task group.
    void wait()
    {
        arena_.execute([this] { group_.wait(); });
    }

  private:
    static void empty(mailbox &mailbox)
    {
        for (;;) {
            uint64_t n = mailbox.n.load(std::memory_order_acquire);
            for (uint64_t i = 0; i < n; i++) {
                envelope envelope;
                while (!mailbox.queue.try_pop(envelope))
                    ; /* it has been counted, so it comes */
                envelope.run(envelope.object, envelope.word);
                if (mailbox.dropped) {
                    destroy(dropped);
                    return;
                }
            }
            if (mailbox.n.fetch_sub(n, std::memory_order_acq_rel) == n)
                return;
        }
    }

    static thread_local void *dropped;
    static thread_local void (*destroy)(void *);

    tbb::global_control limit_;
    tbb::task_arena arena_;
    tbb::task_group group_;
};

thread_local void *tasks::dropped;
thread_local void (*tasks::destroy)(void *);

} // namespace

int main(int argc, char **argv)
{
    auto version = "oneTBB " + std::to_string(TBB_VERSION_MAJOR) + '.' +
                   std::to_string(TBB_VERSION_MINOR) + ", task_group";
    return peer::run(argc, argv, {}, version, peer::iterate<tasks>);
}
