#include "sim/driver/isolate.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "base/assert.h"

namespace baton::sim {
namespace {

// A child process and the pipe on which it reports, one line for each event.
struct Child {
  pid_t pid = -1;
  int pipe = -1;
  std::string unread;
  std::size_t plan = 0;  // the one that it is at
  bool busy = false;
};

void write_all(int fd, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = ::write(fd, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) std::_Exit(3);
    done += static_cast<std::size_t>(written);
  }
}

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

// What a child says: "b plan", "c count name", "v step invariant", "d detail", "e plan step digest
// jobs".
void report_to(int fd, std::size_t index, const RunPlan& plan) {
  write_all(fd, "b " + std::to_string(index) + "\n");
  const RunReport report = run(plan);
  std::ostringstream lines;
  for (const auto& [name, count] : report.counts)
    lines << "c " << count << " " << name << "\n";
  if (report.violation) {
    lines << "v " << one_line(report.violation->invariant) << "\n";
    lines << "d " << one_line(report.violation->detail) << "\n";
  }
  lines << "e " << report.step << " " << report.digest << " " << report.jobs << "\n";
  write_all(fd, lines.str());
}

Child start(const Campaign& campaign, std::size_t first, std::size_t stride) {
  int ends[2];
  BATON_ASSERT(::pipe(ends) == 0);
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  BATON_ASSERT(pid >= 0);
  if (pid > 0) {
    ::close(ends[1]);
    return {pid, ends[0], {}, 0, false};
  }
  ::close(ends[0]);
  if (campaign.quiet_errors) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
  }
  for (std::size_t i = first; i < campaign.plans.size(); i += stride)
    report_to(ends[1], i, campaign.plans[i]);
  std::_Exit(0);
}

class Collector {
 public:
  explicit Collector(const Campaign& campaign) : campaign_(campaign) {
    const auto stride = static_cast<std::size_t>(campaign.processes);
    for (std::size_t i = 0; i < stride && i < campaign.plans.size(); ++i)
      children_.push_back(start(campaign, i, stride));
    open_.resize(campaign.plans.size());
  }

  std::vector<SeedReport> collect() {
    while (!violated_ && listen()) {
    }
    for (Child& child : children_)
      stop(child);
    return std::move(reports_);
  }

 private:
  // Waits for news of some child. False when all have ended.
  bool listen() {
    std::vector<pollfd> fds;
    std::vector<Child*> listened;
    for (Child& child : children_) {
      if (child.pipe < 0) continue;
      fds.push_back({child.pipe, POLLIN, 0});
      listened.push_back(&child);
    }
    if (fds.empty()) return false;
    if (::poll(fds.data(), fds.size(), -1) < 0) return errno == EINTR;
    for (std::size_t i = 0; i < fds.size() && !violated_; ++i) {
      if (fds[i].revents != 0) read_from(*listened[i]);
    }
    return true;
  }

  void read_from(Child& child) {
    char buffer[4096];
    const ssize_t size = ::read(child.pipe, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) return;
    if (size <= 0) {
      ended(child);
      return;
    }
    child.unread.append(buffer, static_cast<std::size_t>(size));
    std::size_t end = 0;
    while (!violated_ && (end = child.unread.find('\n')) != std::string::npos) {
      take(child, child.unread.substr(0, end));
      child.unread.erase(0, end + 1);
    }
  }

  void take(Child& child, const std::string& line) {
    std::istringstream words(line.substr(2));
    if (line[0] == 'b') {
      words >> child.plan;
      child.busy = true;
      open_[child.plan] = {campaign_.plans[child.plan], {}};
      return;
    }
    RunReport& report = open_[child.plan].report;
    if (line[0] == 'v') {
      report.violation = Violation{line.substr(2), {}};
    } else if (line[0] == 'd') {
      report.violation->detail = line.substr(2);
    } else if (line[0] == 'c') {
      std::int64_t count = 0;
      words >> count;
      std::string name;
      std::getline(words, name);
      report.counts[name.substr(1)] = count;
    } else {
      words >> report.step >> report.digest >> report.jobs;
      finish(child);
    }
  }

  void finish(Child& child) {
    child.busy = false;
    reports_.push_back(std::move(open_[child.plan]));
    const std::string& sought = reports_.back().plan.sought;
    const auto& violation = reports_.back().report.violation;
    violated_ = violation && (sought.empty() || is_sought(*violation, sought));
    if (campaign_.finished) campaign_.finished(reports_.size());
  }

  // The child closed its end: it is done, or it died in the middle of a run.
  void ended(Child& child) {
    int status = 0;
    ::close(child.pipe);
    child.pipe = -1;
    ::waitpid(child.pid, &status, 0);
    child.pid = -1;
    if (!child.busy) return;
    const std::string how = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                                : "status " + std::to_string(WEXITSTATUS(status));
    open_[child.plan].report.violation =
        Violation{"the machine keeps running", "it stopped by itself with " + how};
    finish(child);
    const auto stride = static_cast<std::size_t>(campaign_.processes);
    const std::size_t next = child.plan + stride;
    if (!violated_ && next < campaign_.plans.size()) child = start(campaign_, next, stride);
  }

  static void stop(Child& child) {
    if (child.pipe >= 0) ::close(child.pipe);
    if (child.pid <= 0) return;
    ::kill(child.pid, SIGKILL);
    ::waitpid(child.pid, nullptr, 0);
  }

  const Campaign& campaign_;
  std::vector<Child> children_;
  std::vector<SeedReport> open_;
  std::vector<SeedReport> reports_;
  bool violated_ = false;
};

}  // namespace

std::vector<SeedReport> run_apart(const Campaign& campaign) {
  return Collector(campaign).collect();
}

RunReport run_apart(const RunPlan& plan) {
  Campaign campaign;
  campaign.plans.push_back(plan);
  campaign.quiet_errors = true;
  const std::vector<SeedReport> reports = run_apart(campaign);
  BATON_ASSERT(!reports.empty());
  return reports.back().report;
}

}  // namespace baton::sim
