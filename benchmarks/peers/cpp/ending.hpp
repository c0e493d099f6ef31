// SPDX-License-Identifier: MIT
#ifndef AL_PEER_ENDING_HPP
#define AL_PEER_ENDING_HPP

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace peer
{

// Tells one thread that so many actors have ended.
class ending
{
  public:
    explicit ending(uint64_t actors) : left_(actors)
    {
    }

    void ended()
    {
        if (left_.fetch_sub(1, std::memory_order_acq_rel) > 1)
            return;
        std::lock_guard<std::mutex> lock(mutex_);
        over_ = true;
        condition_.notify_one();
    }

    void wait()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        condition_.wait(lock, [this] { return over_; });
    }

  private:
    std::atomic<uint64_t> left_;
    std::mutex mutex_;
    std::condition_variable condition_;
    bool over_ = false;
};

} // namespace peer

#endif
