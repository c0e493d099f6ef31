// SPDX-License-Identifier: MIT

// Mirrors the workload nqn (benchmarks/workloads/las/nqn.c): queens on a board. Workers divide
// boards, and a master hands them out in turn.

#include "benchmarks/peers/caf/peer.hpp"

namespace
{

using go = caf::atom_constant<caf::atom("go")>;
using solved = caf::atom_constant<caf::atom("solved")>;
using pill = caf::atom_constant<caf::atom("pill")>;

constexpr uint64_t known_solutions[] = {0,   1,   0,    0,     2,     10,     4,       40,      92,
                                        352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};

// A board with a queen in each of its first rows, and the columns of the next row that are
// attacked.
struct board {
    uint32_t rows, columns, falling, rising;
};

struct state {
    uint32_t queens, threshold, actors;
    uint64_t boards; // to be handed out
    caf::actor master = {};
    uint64_t handed_out = 0, solutions = 0;
};

uint32_t free_columns(const board &board, uint32_t queens)
{
    return ((1u << queens) - 1) & ~(board.columns | board.falling | board.rising);
}

// The board with one more queen; column is a mask of one bit.
board put(const board &board, uint32_t column)
{
    return {board.rows + 1, board.columns | column, (board.falling | column) >> 1,
            (board.rising | column) << 1};
}

template <class Function>
void for_each_child(const board &board, uint32_t queens, Function &&function)
{
    for (uint32_t columns = free_columns(board, queens); columns != 0; columns &= columns - 1)
        function(put(board, columns & -columns));
}

uint64_t count_solutions(const board &board, uint32_t queens)
{
    if (board.rows == queens)
        return 1;
    uint64_t solutions = 0;
    for_each_child(board, queens,
                   [&](const auto &child) { solutions += count_solutions(child, queens); });
    return solutions;
}

bool is_divided(const board &board, const state &state)
{
    return board.rows < state.threshold && board.rows < state.queens;
}

// The number of boards handed out: this board and its descendants.
uint64_t count_boards(const board &board, const state &state)
{
    uint64_t boards = 1;
    if (is_divided(board, state))
        for_each_child(board, state.queens,
                       [&](const auto &child) { boards += count_boards(child, state); });
    return boards;
}

class worker : public caf::event_based_actor
{
  public:
    worker(caf::actor_config &config, state *state) : event_based_actor(config), state_(state)
    {
    }

    caf::behavior make_behavior() override
    {
        return {[this](uint32_t rows, uint32_t columns, uint32_t falling, uint32_t rising) {
                    work({rows, columns, falling, rising});
                },
                [this](pill) { quit(); }};
    }

  private:
    void work(const board &board)
    {
        uint64_t solutions = 0;
        if (is_divided(board, *state_))
            for_each_child(board, state_->queens, [this](const auto &child) {
                send(state_->master, child.rows, child.columns, child.falling, child.rising);
            });
        else
            solutions = count_solutions(board, state_->queens);
        send(state_->master, solved::value, solutions);
    }

    state *state_;
};

class master : public caf::event_based_actor
{
  public:
    master(caf::actor_config &config, state *state) : event_based_actor(config), state_(state)
    {
    }

    caf::behavior make_behavior() override
    {
        return {[this](uint32_t rows, uint32_t columns, uint32_t falling, uint32_t rising) {
                    hand_out({rows, columns, falling, rising});
                },
                [this](solved, uint64_t solutions) {
                    state_->solutions += solutions;
                    if (++solved_ == state_->handed_out)
                        end();
                },
                [this](go) {
                    for (uint32_t i = 0; i < state_->actors; i++)
                        workers_.push_back(spawn<worker, caf::lazy_init>(state_));
                    hand_out({0, 0, 0, 0});
                }};
    }

  private:
    void hand_out(const board &board)
    {
        send(workers_[next_], board.rows, board.columns, board.falling, board.rising);
        state_->handed_out++;
        if (++next_ == state_->actors)
            next_ = 0;
    }

    void end()
    {
        for (auto &worker : workers_)
            send(worker, pill::value);
        quit();
    }

    state *state_;
    std::vector<caf::actor> workers_;
    uint32_t next_ = 0; // the worker whose turn it is
    uint64_t solved_ = 0;
};

class iteration final : public peer::iteration
{
  public:
    iteration(uint32_t queens, uint32_t threshold, uint32_t actors)
        : state_{queens, threshold, actors, 0}
    {
        if (queens == 0 || queens >= std::size(known_solutions) || actors == 0)
            throw peer::usage_error("valid: 1 to 16 queens, and an actor at least");
        state_.boards = count_boards({0, 0, 0, 0}, state_);
    }

    // Each board except the first came to the master; each went to a worker and was answered.
    // Besides there are the first message and a pill for each worker.
    uint64_t messages() const override
    {
        return 3 * state_.boards + state_.actors;
    }

    void start(caf::actor_system &system) override
    {
        state_.master = system.spawn<master, caf::lazy_init>(&state_);
        caf::anon_send(state_.master, go::value);
    }

    std::string check() const override
    {
        if (state_.handed_out != state_.boards)
            return peer::expect("boards handed out", state_.handed_out, state_.boards);
        return peer::expect("solutions", state_.solutions, known_solutions[state_.queens]);
    }

  private:
    state state_;
};

} // namespace

std::unique_ptr<peer::iteration> peer::nqn(parameters &given, uint64_t)
{
    given.memory("CAF");
    return std::make_unique<::iteration>(given.uint("queens"), given.uint("threshold"),
                                         given.uint("actors"));
}
