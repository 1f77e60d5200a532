#include "worker/ending.h"

#include <cstddef>
#include <utility>

#include "base/utf8.h"

namespace baton::worker {
namespace {

// The limits of the store: a longer text would be refused.
constexpr std::size_t kMaxText = 8192;
constexpr std::size_t kMaxCode = 128;

// At most `bytes` of a UTF-8 text, without a torn character at the end.
std::string cut(std::string text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && base::continues_character(text[bytes]))
    --bytes;
  text.resize(bytes);
  return text;
}

Ending failure(FailureCategory category, std::string code, std::string message) {
  return {.kind = Ending::Kind::kFailure,
          .failure = {.category = category,
                      .code = cut(std::move(code), kMaxCode),
                      .message = cut(std::move(message), kMaxText)}};
}

Ending temporary(std::string message) {
  return failure(FailureCategory::kTemporary, "", std::move(message));
}

Ending released(std::string reason, Duration delay) {
  Ending ending = temporary(std::move(reason));
  ending.kind = Ending::Kind::kReleased;
  ending.retry_after = delay;
  return ending;
}

// A handler that says it was cancelled: what that is depends on why it was.
Ending cancelled(StopReason reason) {
  switch (reason) {
    case StopReason::kCancelRequested:
      return {.kind = Ending::Kind::kCancelled};
    case StopReason::kDeadline:
      return failure(FailureCategory::kTimeout, "deadline", "the execution timeout was over");
    case StopReason::kWorkerStops:
      return released("the worker was stopped", {});
    case StopReason::kNone:
    case StopReason::kLeaseLost:
      break;
  }
  return temporary("the handler stopped though nobody asked it to");
}

WorkCall nack_of(Failure failure, const WorkCall& like) {
  return {.execution = like.execution,
          .token = like.token,
          .call = NackCall{.failure = std::move(failure)}};
}

// A result that the store will not take is a failure of the handler that made it. Some of the
// refusals may pass: a quota, a full queue.
WorkCall failure_of_result(const WorkCall& refused, const Error& error) {
  const bool passes = error.code == Code::kQuotaExceeded || error.code == Code::kQueueFull ||
                      error.code == Code::kInsufficientCredits || error.code == Code::kConflict;
  const auto category = passes ? FailureCategory::kTemporary : FailureCategory::kPermanent;
  const std::string message = "the result was refused: " + error.message;
  return nack_of(failure(category, std::string(name(error.code)), message).failure, refused);
}

}  // namespace

Ending run(const Handler& handler, Context& context) {
  try {
    return {.result = handler(context)};
  } catch (const TemporaryError& error) {
    Ending ending = temporary(error.what());
    ending.retry_after = error.retry_after();
    return ending;
  } catch (const PermanentError& error) {
    const std::string code = error.code().empty() ? "permanent" : error.code();
    return failure(FailureCategory::kPermanent, code, error.what());
  } catch (const RejectedError& error) {
    Ending ending = temporary(error.what());
    ending.kind = Ending::Kind::kRejected;
    return ending;
  } catch (const Released& release) {
    return released(release.what(), release.delay());
  } catch (const Cancelled&) {
    return {.kind = Ending::Kind::kCancelled};
  } catch (const std::exception& error) {
    return temporary(error.what());
  } catch (...) {
    return temporary("the handler threw something that is not an exception");
  }
}

Ending no_handler(const std::string& type) {
  return temporary("this worker has no handler for jobs of type " + type);
}

std::optional<WorkCall> report_of(Ending ending, const Claimed& claimed, StopReason reason,
                                  std::vector<std::shared_ptr<const Submission>> children) {
  if (reason == StopReason::kLeaseLost) return std::nullopt;
  if (ending.kind == Ending::Kind::kCancelled) ending = cancelled(reason);
  WorkCall call{.execution = claimed.execution, .token = claimed.token};
  const auto wait =
      ending.retry_after > Duration(0) ? std::optional(ending.retry_after) : std::nullopt;
  switch (ending.kind) {
    case Ending::Kind::kResult:
      call.call = AckCall{std::move(ending.result), std::move(children)};
      break;
    case Ending::Kind::kFailure:
      call.call = NackCall{std::move(ending.failure), wait};
      break;
    case Ending::Kind::kRejected:
      call.call = RejectCall{std::move(ending.failure.message)};
      break;
    case Ending::Kind::kReleased:
      call.call = ReleaseCall{wait, std::move(ending.failure.message)};
      break;
    case Ending::Kind::kCancelled:
      call.call = CancelledCall{};
      break;
  }
  return call;
}

Meaning meaning_of(Code code) {
  switch (code) {
    case Code::kStoreUnavailable:
    case Code::kShuttingDown:
    case Code::kSubmissionTimeout:
    case Code::kRateLimited:
      return Meaning::kAgain;
    case Code::kStaleLease:
    case Code::kAlreadyCommitted:
    case Code::kNotFound:
      return Meaning::kGone;
    default:
      return Meaning::kRefused;
  }
}

std::optional<WorkCall> instead_of(const WorkCall& refused, const Error& error) {
  if (refused.kind() == CallKind::kAck) return failure_of_result(refused, error);
  if (const auto* reject = std::get_if<RejectCall>(&refused.call)) {
    return nack_of(failure(FailureCategory::kPermanent, "rejected", reject->reason).failure,
                   refused);
  }
  if (refused.kind() == CallKind::kCancelled) {
    return nack_of(cancelled(StopReason::kNone).failure, refused);
  }
  // Its delay was too long, or is none of its profile's.
  const auto* release = std::get_if<ReleaseCall>(&refused.call);
  if (release != nullptr && release->delay) {
    return WorkCall{.execution = refused.execution,
                    .token = refused.token,
                    .call = ReleaseCall{.reason = release->reason}};
  }
  const auto* nack = std::get_if<NackCall>(&refused.call);
  if (nack == nullptr || !nack->retry_after) return std::nullopt;
  return nack_of(nack->failure, refused);
}

}  // namespace baton::worker
