// The jobs of an answer that shows many of them, without payload, result and checkpoint: read one
// after the other, so that only one is in memory whole at a time, each once however often it is
// shown, and turned into JSON at once. Any thread; one answer of the store at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "store/store.h"

namespace baton::api {

// An answer has at most 32 MiB. Past so many bytes, jobs that are one of many are shown in brief,
// which a thousand of them fit into what is left; a claim has its own share beside the payloads.
inline constexpr std::size_t kWholeJobsBytes = std::size_t{24} << 20;
inline constexpr std::size_t kWholeClaimsBytes = std::size_t{4} << 20;

class ShownJobs : public std::enable_shared_from_this<ShownJobs> {
 public:
  // Jobs are shown whole as long as all of them have at most so many bytes.
  ShownJobs(store::Store& store, std::size_t whole_bytes)
      : store_(store), whole_bytes_(whole_bytes) {}

  // Shows the job at a place of the answer, under the name that a batch gave it.
  void want(std::size_t place, const JobId& id, std::string ref = {});
  // Reads all that was wanted; calls back when the last of it is there, perhaps at once. Once.
  void read(std::function<void()> done);

  // Its JSON; empty when the job was not wanted, or could not be read.
  const std::string& at(std::size_t place) const;
  // Of all that were read.
  std::size_t bytes() const { return bytes_; }

 private:
  struct Wanted {
    std::size_t place;
    JobId id;
    std::string ref;
  };

  void go_on();
  void show(const Job& job, std::size_t end);

  store::Store& store_;
  const std::size_t whole_bytes_;
  std::vector<Wanted> wanted_;
  std::vector<std::string> shown_;
  std::size_t next_ = 0;  // of wanted_
  std::size_t bytes_ = 0;
  std::function<void()> done_;
};

}  // namespace baton::api
