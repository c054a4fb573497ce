// The host's threads. Work is a range of independent tasks, cut into one contiguous piece per
// thread: no stealing, so which thread runs a task follows from the counts alone. Dispatch costs
// about a microsecond while the workers are awake.
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace zyxc::rt {

class ThreadPool {
public:
  /// A pool of `threads` threads including the caller of run(), so 1 starts no thread.
  /// Values below 1 count as 1.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  int numThreads() const { return static_cast<int>(workers.size()) + 1; }

  /// Calls `fn(int64_t lo, int64_t hi, int thread)` on every thread whose piece of [0, tasks) is
  /// not empty, and returns when all are done. `thread` is in [0, numThreads()); the caller is
  /// thread 0. `fn` must not throw and must not call run() of the same pool. Calls from several
  /// threads are run one after the other.
  template <class F> void run(int64_t tasks, F &&fn) {
    using Function = std::remove_reference_t<F>;
    auto call = [](const void *context, int64_t lo, int64_t hi, int thread) {
      (*static_cast<Function *>(const_cast<void *>(context)))(lo, hi, thread);
    };
    dispatch(tasks, call, &fn);
  }

  /// The piece [lo, hi) of thread `thread` of `threads`: the pieces differ by at most one task.
  static std::pair<int64_t, int64_t> piece(int64_t tasks, int thread, int threads);

private:
  void stop();
  using Call = void (*)(const void *context, int64_t lo, int64_t hi, int thread);

  void dispatch(int64_t tasks, Call call, const void *context);
  void runPiece(int thread) const;
  void workerLoop(int thread);

  std::vector<std::thread> workers;
  std::mutex callers; ///< held by the thread inside run()

  // The current job. Written by the caller before `epoch` is raised, read by workers after it.
  Call jobCall = nullptr;
  const void *jobContext = nullptr;
  int64_t jobTasks = 0;

  alignas(64) std::atomic<uint32_t> epoch{0};   ///< number of jobs started
  alignas(64) std::atomic<uint32_t> pending{0}; ///< workers that have not finished the job
  std::atomic<bool> stopping{false};
};

} // namespace zyxc::rt
