#include "runtime/devices/cpu/ThreadPool.h"
#include <algorithm>
#include <cassert>

namespace zyxc::rt {

/// Turns of the wait loop before a thread sleeps: some ten microseconds, the gap between two
/// kernels of a plan.
static constexpr int spinTurns = 2000;

static void pauseTurn() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Returns when `value` differs from `old`: spins first, then sleeps.
static void waitWhileEqual(const std::atomic<uint32_t> &value, uint32_t old) {
  for (int turn = 0; turn < spinTurns; ++turn) {
    if (value.load(std::memory_order_acquire) != old) {
      return;
    }
    pauseTurn();
  }
  value.wait(old, std::memory_order_acquire);
}

ThreadPool::ThreadPool(int threads) {
  try {
    for (int thread = 1; thread < threads; ++thread) {
      workers.emplace_back([this, thread] { workerLoop(thread); });
    }
  } catch (...) { // the destructor will not run
    stop();
    throw;
  }
}

ThreadPool::~ThreadPool() {
  stop();
}

void ThreadPool::stop() {
  stopping.store(true, std::memory_order_relaxed);
  epoch.fetch_add(1, std::memory_order_release);
  epoch.notify_all();
  for (std::thread &worker : workers) {
    worker.join();
  }
}

std::pair<int64_t, int64_t> ThreadPool::piece(int64_t tasks, int thread, int threads) {
  int64_t base = tasks / threads;
  int64_t extra = tasks % threads;
  int64_t lo = thread * base + std::min<int64_t>(thread, extra);
  return {lo, lo + base + (thread < extra ? 1 : 0)};
}

void ThreadPool::runPiece(int thread) const {
  auto [lo, hi] = piece(jobTasks, thread, numThreads());
  if (lo < hi) {
    jobCall(jobContext, lo, hi, thread);
  }
}

void ThreadPool::dispatch(int64_t tasks, Call call, const void *context) {
  assert(tasks >= 0);
  if (tasks == 0) {
    return;
  }
  std::lock_guard lock(callers);
  if (workers.empty() || tasks == 1) {
    call(context, 0, tasks, 0);
    return;
  }
  jobCall = call;
  jobContext = context;
  jobTasks = tasks;
  pending.store(static_cast<uint32_t>(workers.size()), std::memory_order_relaxed);
  epoch.fetch_add(1, std::memory_order_release);
  epoch.notify_all();
  runPiece(0);
  while (uint32_t left = pending.load(std::memory_order_acquire)) {
    waitWhileEqual(pending, left);
  }
}

void ThreadPool::workerLoop(int thread) {
  for (uint32_t seen = 0;; ++seen) {
    waitWhileEqual(epoch, seen);
    if (stopping.load(std::memory_order_relaxed)) {
      return;
    }
    runPiece(thread);
    if (pending.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      pending.notify_one();
    }
  }
}

} // namespace zyxc::rt
