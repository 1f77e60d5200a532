#include "store/local/codec/settings_codec.h"

#include "base/assert.h"

namespace baton::store::local {
namespace {

// What is there, a bit each. The numbers are written to disk (docs/catalog-format.md): do not
// renumber.
enum RetryBit : std::uint32_t {
  kMaxAttempts = 1 << 0,
  kStrategy = 1 << 1,
  kInitial = 1 << 2,
  kMultiplier = 1 << 3,
  kMax = 1 << 4,
  kJitter = 1 << 5,
  kTable = 1 << 6,
  kFunctionName = 1 << 7,
  kFunction = 1 << 8,  // the name stands for a function
  kAllRetryBits = (1 << 9) - 1,
};

enum TimeoutBit : std::uint32_t {
  kExecution = 1 << 0,
  kLease = 1 << 1,
  kLifetime = 1 << 2,
  kAllTimeoutBits = (1 << 3) - 1,
};

enum QueueBit : std::uint32_t {
  kTimeoutIs = 1 << 0,
  kSystemIs = 1 << 1,
  kMaxPending = 1 << 2,
  kMaxRunning = 1 << 3,
  kRate = 1 << 4,
  kPaused = 1 << 5,
  kDraining = 1 << 6,
  kAllQueueBits = (1 << 7) - 1,
};

std::uint32_t bit_if(bool condition, std::uint32_t bit) { return condition ? bit : 0; }

std::vector<Duration> read_table(ByteReader& in) {
  std::vector<Duration> table(in.count());
  for (Duration& entry : table)
    entry = in.duration();
  return table;
}

void write_table(ByteWriter& out, const std::vector<Duration>& table) {
  out.varint(table.size());
  for (const Duration& entry : table)
    out.duration(entry);
}

BackoffFunction find_function(ByteReader& in, const TermsTable& known, const std::string& name) {
  const BackoffFunction function = lifecycle::find_function(known.functions(), name);
  if (function == nullptr && in.ok()) {
    in.fail_unknown("the backoff function \"" + name + "\" is not registered");
  }
  return function;
}

const lifecycle::Profile* read_profile(ByteReader& in) {
  const std::string_view name = in.text();
  const lifecycle::Profile* profile = lifecycle::find_profile(name);
  if (profile == nullptr && in.ok()) {
    in.fail_unknown("there is no profile \"" + std::string(name) + "\"");
  }
  return profile;
}

}  // namespace

void write(ByteWriter& out, const Retry& retry) {
  out.varint(
      bit_if(retry.max_attempts.has_value(), kMaxAttempts) |
      bit_if(retry.strategy.has_value(), kStrategy) | bit_if(retry.initial.has_value(), kInitial) |
      bit_if(retry.multiplier.has_value(), kMultiplier) | bit_if(retry.max.has_value(), kMax) |
      bit_if(retry.jitter.has_value(), kJitter) | bit_if(!retry.table.empty(), kTable) |
      bit_if(!retry.function.empty(), kFunctionName) | bit_if(!retry.function.empty(), kFunction));
  if (retry.max_attempts) out.signed_number(*retry.max_attempts);
  if (retry.strategy) out.enumerator(*retry.strategy);
  if (retry.initial) out.duration(*retry.initial);
  if (retry.multiplier) out.real(*retry.multiplier);
  if (retry.max) out.duration(*retry.max);
  if (retry.jitter) out.enumerator(*retry.jitter);
  if (!retry.table.empty()) write_table(out, retry.table);
  if (!retry.function.empty()) out.text(retry.function);
}

Retry read_retry_settings(ByteReader& in, const TermsTable& known) {
  Retry retry;
  const std::uint64_t has = in.mask(kAllRetryBits);
  if (has & kMaxAttempts) retry.max_attempts = in.small_number();
  if (has & kStrategy) retry.strategy = in.enumerator<Strategy>();
  if (has & kInitial) retry.initial = in.duration();
  if (has & kMultiplier) retry.multiplier = in.real();
  if (has & kMax) retry.max = in.duration();
  if (has & kJitter) retry.jitter = in.enumerator<Jitter>();
  if (has & kTable) retry.table = read_table(in);
  if (has & kFunctionName) retry.function = in.text();
  if (has & kFunction) {
    find_function(in, known, retry.function);
  } else {
    retry.function.clear();  // it was never registered, and so never used
  }
  return retry;
}

void write(ByteWriter& out, const Timeouts& timeouts) {
  out.varint(bit_if(timeouts.execution.has_value(), kExecution) |
             bit_if(timeouts.lease.has_value(), kLease) |
             bit_if(timeouts.lifetime.has_value(), kLifetime));
  if (timeouts.execution) out.duration(*timeouts.execution);
  if (timeouts.lease) out.duration(*timeouts.lease);
  if (timeouts.lifetime) out.duration(*timeouts.lifetime);
}

Timeouts read_timeout_settings(ByteReader& in) {
  Timeouts timeouts;
  const std::uint64_t has = in.mask(kAllTimeoutBits);
  if (has & kExecution) timeouts.execution = in.duration();
  if (has & kLease) timeouts.lease = in.duration();
  if (has & kLifetime) timeouts.lifetime = in.duration();
  return timeouts;
}

void write(ByteWriter& out, const lifecycle::Terms& terms) {
  const lifecycle::RetryPolicy& retry = terms.retry;
  BATON_ASSERT(retry.function == nullptr || !retry.function_name.empty());
  out.text(terms.profile->name);
  out.signed_number(retry.max_attempts);
  out.enumerator(retry.strategy);
  out.duration(retry.initial);
  out.real(retry.multiplier);
  out.duration(retry.max);
  out.enumerator(retry.jitter);
  write_table(out, retry.table);
  out.text(retry.function_name);
  out.byte(retry.function != nullptr);
  out.duration(terms.lease);
  out.duration(terms.execution);
  out.duration(terms.lifetime);
  out.enumerator(terms.timeout_is);
  out.enumerator(terms.system_is);
}

lifecycle::Terms read_terms(ByteReader& in, const TermsTable& known) {
  lifecycle::Terms terms;
  lifecycle::RetryPolicy& retry = terms.retry;
  terms.profile = read_profile(in);
  retry.max_attempts = in.small_number();
  retry.strategy = in.enumerator<Strategy>();
  retry.initial = in.duration();
  retry.multiplier = in.real();
  retry.max = in.duration();
  retry.jitter = in.enumerator<Jitter>();
  retry.table = read_table(in);
  retry.function_name = in.text();
  if (in.byte_below(2) == 1) retry.function = find_function(in, known, retry.function_name);
  terms.lease = in.duration();
  terms.execution = in.duration();
  terms.lifetime = in.duration();
  terms.timeout_is = in.enumerator<FailureIs>();
  terms.system_is = in.enumerator<FailureIs>();
  return terms;
}

void write(ByteWriter& out, const QueueSettings& settings) {
  out.varint(bit_if(settings.timeout_is.has_value(), kTimeoutIs) |
             bit_if(settings.system_is.has_value(), kSystemIs) |
             bit_if(settings.max_pending.has_value(), kMaxPending) |
             bit_if(settings.max_running.has_value(), kMaxRunning) |
             bit_if(settings.rate.has_value(), kRate) | bit_if(settings.paused, kPaused) |
             bit_if(settings.draining, kDraining));
  out.text(settings.profile);
  write(out, settings.retry);
  write(out, settings.timeouts);
  if (settings.timeout_is) out.enumerator(*settings.timeout_is);
  if (settings.system_is) out.enumerator(*settings.system_is);
  out.duration(settings.idempotency_window);
  out.varint(settings.max_payload_bytes);
  if (settings.max_pending) out.number(*settings.max_pending);
  if (settings.max_running) out.number(*settings.max_running);
  if (settings.rate) {
    out.real(settings.rate->per_second);
    out.signed_number(settings.rate->burst);
  }
  out.duration(settings.keep_completed);
  out.duration(settings.keep_failed);
}

QueueSettings read_queue_settings(ByteReader& in, const TermsTable& known) {
  QueueSettings settings;
  const std::uint64_t has = in.mask(kAllQueueBits);
  if (const lifecycle::Profile* profile = read_profile(in)) settings.profile = profile->name;
  settings.retry = read_retry_settings(in, known);
  settings.timeouts = read_timeout_settings(in);
  if (has & kTimeoutIs) settings.timeout_is = in.enumerator<FailureIs>();
  if (has & kSystemIs) settings.system_is = in.enumerator<FailureIs>();
  settings.idempotency_window = in.duration();
  settings.max_payload_bytes = in.varint();
  if (has & kMaxPending) settings.max_pending = in.number();
  if (has & kMaxRunning) settings.max_running = in.number();
  if (has & kRate) {
    const double per_second = in.real();
    settings.rate = RateLimit{per_second, in.small_number()};
  }
  settings.keep_completed = in.duration();
  settings.keep_failed = in.duration();
  settings.paused = (has & kPaused) != 0;
  settings.draining = (has & kDraining) != 0;
  return settings;
}

}  // namespace baton::store::local
