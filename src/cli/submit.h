// `baton submit`: makes one job, or one for each line of a file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/server_call.h"

namespace baton::cli {

struct SubmitRequest {
  ServerRequest server;
  std::string type;
  std::string queue = "default";
  std::optional<std::string> payload;  // JSON, or "-": standard input
  std::string payload_file;            // "-": standard input
  std::string content_type = "application/json";
  std::string priority;
  std::string delay;
  std::string run_at;
  std::string key;
  std::vector<std::string> tags;   // k=v
  std::vector<std::string> after;  // ids
  std::optional<int> max_attempts;
  std::string account;
  std::string correlation_id;
  bool draft = false;
  bool wait = false;
  std::string batch;  // a file with a submission on each line, "-": standard input
};

// kSuccess when all jobs are made; with `wait`, when the job has ended well, too.
[[nodiscard]] int run_submit(const SubmitRequest& request);

// The part of it that reads a file; in submit_batch.cc.
[[nodiscard]] int run_submit_batch(const SubmitRequest& request);

}  // namespace baton::cli
