// What a program sees of the runtime: Worker and Context.
#include "baton/worker.h"

#include <unistd.h>

#include <array>
#include <utility>

#include "base/clock.h"
#include "base/random.h"
#include "base/uuid.h"
#include "worker/runtime.h"

namespace baton {
namespace {

const base::Clock& system_clock() {
  static const base::SystemClock kClock;
  return kClock;
}

std::uint64_t system_seed() {
  std::uint64_t seed = 0;
  base::system_random(&seed, sizeof seed);
  return seed;
}

// A name that no other worker has, and that says where to look for this one.
std::string made_name() {
  std::array<char, 65> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host.front() = '\0';
  return std::string(host.data()) + "-" + std::to_string(getpid()) + "-" +
         to_string(base::make_system_uuid()).substr(0, 8);
}

WorkerOptions named(WorkerOptions options) {
  if (options.name.empty()) options.name = made_name();
  return options;
}

}  // namespace

Worker::Worker(WorkSource& source, WorkerOptions options)
    : runtime_(std::make_shared<worker::Runtime>(source, named(std::move(options)), system_clock(),
                                                 system_seed())) {}

Worker::~Worker() { runtime_->stop({}); }

Worker& Worker::add(const std::string& type, Handler handler) {
  runtime_->add(type, std::move(handler));
  return *this;
}

Worker& Worker::add_any(Handler handler) {
  runtime_->add_any(std::move(handler));
  return *this;
}

Status Worker::start() { return runtime_->start(); }
void Worker::drain() { runtime_->drain(); }
bool Worker::stop(Duration grace) { return runtime_->stop(grace); }
WorkerStats Worker::stats() const { return runtime_->stats(); }

Context::Context(worker::Runtime& runtime, worker::Held& held) : runtime_(runtime), held_(held) {}

const Job& Context::job() const { return held_.claimed.job; }
const std::string& Context::payload() const { return job().spec->payload; }
const ExecutionId& Context::execution_id() const { return held_.claimed.execution; }
int Context::attempt() const { return job().attempt; }
const std::vector<DependencyResult>& Context::dependency_results() const {
  return held_.claimed.dependency_results;
}

bool Context::cancelled() const { return stop_reason() != StopReason::kNone; }
StopReason Context::stop_reason() const { return held_.reason(); }
std::stop_token Context::stop_token() const { return held_.stop_token(); }
void Context::throw_if_cancelled() const {
  if (cancelled()) throw Cancelled();
}
Duration Context::time_left() const { return runtime_.time_left(held_); }

void Context::progress(int percent, std::string message) {
  runtime_.progress(held_, percent, std::move(message));
}
Status Context::save_checkpoint(std::string bytes) {
  return runtime_.save_checkpoint(held_, std::move(bytes));
}
std::string Context::checkpoint() const { return runtime_.checkpoint(held_); }
void Context::spawn(Submission child) { runtime_.spawn(held_, std::move(child)); }

}  // namespace baton
