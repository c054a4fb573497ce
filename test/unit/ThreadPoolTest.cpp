// The thread pool runs every task once, in pieces that follow from the counts.
#include "runtime/devices/cpu/ThreadPool.h"
#include <catch2/catch.hpp>

using zyxc::rt::ThreadPool;

TEST_CASE("each task runs exactly once, for any number of threads", "[thread-pool]") {
  for (int threads : {1, 2, 3, 7}) {
    ThreadPool pool(threads);
    REQUIRE(pool.numThreads() == threads);
    for (int64_t tasks : {0, 1, 2, 3, 6, 7, 8, 1000}) {
      std::vector<int> count(tasks, 0);
      std::atomic<bool> threadsInRange = true;
      pool.run(tasks, [&](int64_t lo, int64_t hi, int thread) {
        if (thread < 0 || thread >= threads) {
          threadsInRange = false;
        }
        for (int64_t i = lo; i < hi; ++i) {
          ++count[i];
        }
      });
      REQUIRE(threadsInRange);
      REQUIRE(count == std::vector<int>(tasks, 1));
    }
  }
}

TEST_CASE("pieces cover the range in order and differ by at most one task", "[thread-pool]") {
  for (int threads : {1, 2, 5}) {
    for (int64_t tasks = 0; tasks < 23; ++tasks) {
      int64_t next = 0;
      for (int thread = 0; thread < threads; ++thread) {
        auto [lo, hi] = ThreadPool::piece(tasks, thread, threads);
        REQUIRE(lo == next);
        REQUIRE(hi - lo >= tasks / threads);
        REQUIRE(hi - lo <= tasks / threads + 1);
        next = hi;
      }
      REQUIRE(next == tasks);
    }
  }
}

TEST_CASE("a pool serves many jobs and sees the writes of each", "[thread-pool]") {
  ThreadPool pool(3);
  std::vector<int64_t> values(64, 0);
  for (int round = 0; round < 5000; ++round) {
    pool.run(values.size(), [&](int64_t lo, int64_t hi, int) {
      for (int64_t i = lo; i < hi; ++i) {
        values[i] += i;
      }
    });
  }
  for (int64_t i = 0; i < 64; ++i) {
    REQUIRE(values[i] == 5000 * i);
  }
}

TEST_CASE("callers on several threads are served one after the other", "[thread-pool]") {
  ThreadPool pool(2);
  std::vector<int64_t> values(8, 0);
  auto caller = [&] {
    for (int round = 0; round < 300; ++round) {
      pool.run(values.size(), [&](int64_t lo, int64_t hi, int) {
        for (int64_t i = lo; i < hi; ++i) {
          ++values[i];
        }
      });
    }
  };
  std::thread other(caller);
  caller();
  other.join();
  REQUIRE(values == std::vector<int64_t>(8, 600));
}
