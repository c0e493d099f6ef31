// SPDX-License-Identifier: MIT

// peer-tbb-flow: oneTBB's flow graph. Each actor is a node that handles one message at a time. A
// node cannot end in its own handler, so there is no send-dynamic.

#include <optional>

#include <oneapi/tbb.h>

#include "benchmarks/peers/cpp/program.hpp"

namespace
{

class nodes
{
  public:
    static constexpr bool can_drop = false;

    struct envelope {
        peer::handler *run;
        void *object;
        uint64_t word;
    };

    struct mailbox {
        explicit mailbox(nodes &system)
            : node(*system.graph_, tbb::flow::serial, [](const envelope &envelope) {
                  envelope.run(envelope.object, envelope.word);
                  return tbb::flow::continue_msg();
              })
        {
        }

        tbb::flow::function_node<envelope> node;
    };

    nodes(uint64_t workers, uint64_t)
        : limit_(tbb::global_control::max_allowed_parallelism, workers),
          arena_(static_cast<int>(workers))
    {
        // A graph's tasks run in the arena in which it was made.
        arena_.execute([this] { graph_.emplace(); });
    }

    void post(mailbox &to, peer::handler *run, void *object, uint64_t word)
    {
        to.node.try_put({run, object, word});
    }

    template <class Function> void begin(Function function)
    {
        arena_.execute(function);
    }

    void ended()
    {
    }

    void wait()
    {
        arena_.execute([this] { graph_->wait_for_all(); });
    }

  private:
    tbb::global_control limit_;
    tbb::task_arena arena_;
    std::optional<tbb::flow::graph> graph_;
};

} // namespace

int main(int argc, char **argv)
{
    auto version = "oneTBB " + std::to_string(TBB_VERSION_MAJOR) + '.' +
                   std::to_string(TBB_VERSION_MINOR) + ", flow graph";
    return peer::run(argc, argv, {}, version, peer::iterate<nodes>);
}
