// The program baton_sim: see `baton_sim --help`.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <string>
#include <thread>

#include "sim/driver/isolate.h"
#include "sim/driver/options.h"
#include "sim/driver/shrink.h"

namespace baton::sim {
namespace {

constexpr std::size_t kTraceSteps = 30;
constexpr int kShrinkAttempts = 1500;
constexpr std::size_t kRunsPerLine = 500;

std::string replay_command(const RunPlan& plan) {
  std::string command = "./dev sim --seed " + std::to_string(plan.seed) + " --steps " +
                        std::to_string(plan.steps) + " --mix " + plan.mix->path;
  if (!plan.skipped.empty()) command += " --skip " + format_skip(plan.skipped);
  return command;
}

// The last steps of a run in words. Static, because the handler of a signal prints them.
struct Steps {
  std::size_t most = 0;
  std::deque<std::vector<std::string>> lines;

  void print() const {
    for (const auto& step : lines) {
      for (const std::string& line : step)
        std::cout << line << "\n";
    }
    std::cout.flush();
  }
};
Steps kept_steps;

// An assertion of the machine failed: the steps up to it are what one wants to see.
void print_and_leave(int) {
  kept_steps.print();
  std::_Exit(1);
}

// Runs the plan once more, in a process of its own, and prints its last steps.
void print_steps(RunPlan plan, std::size_t most) {
  std::cout.flush();
  const pid_t pid = ::fork();
  if (pid > 0) {
    ::waitpid(pid, nullptr, 0);
    return;
  }
  kept_steps.most = most;
  plan.trace = [](const std::vector<std::string>& lines) {
    kept_steps.lines.push_back(lines);
    if (kept_steps.lines.size() > kept_steps.most) kept_steps.lines.pop_front();
  };
  std::signal(SIGABRT, print_and_leave);
  run(plan);
  kept_steps.print();
  std::_Exit(0);
}

class Program {
 public:
  explicit Program(Options options) : options_(std::move(options)) {}

  int run_all() {
    if (const auto fault = load_mixes()) {
      std::cerr << "baton_sim: " << *fault << "\n";
      return 2;
    }
    if (options_.trace) print_steps(plan_for(options_.seed), static_cast<std::size_t>(-1));
    Campaign campaign;
    for (int i = 0; i < options_.runs; ++i)
      campaign.plans.push_back(plan_for(options_.seed + static_cast<std::uint64_t>(i)));
    const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    campaign.processes = std::min(options_.runs, options_.jobs > 0 ? options_.jobs : cores);
    if (!options_.quiet) campaign.finished = [this](std::size_t done) { show_progress(done); };
    const std::vector<SeedReport> reports = run_apart(campaign);
    if (options_.stats) print_stats(reports);
    const SeedReport& last = reports.back();
    if (!options_.expected.empty()) return looked_for(reports);
    return last.report.violation ? violated(last) : all_well(reports);
  }

 private:
  std::optional<std::string> load_mixes() {
    const std::string folder = options_.disk ? "/disk" : "";
    std::vector<std::string> files = {options_.mix};
    if (options_.mix.empty()) files = mix_files(BATON_SIM_MIXES + folder);
    for (const std::string& file : files) {
      auto mix = read_mix(file);
      if (!mix) return mix.error().message;
      // ./dev runs in the root of the tree, from where the folder has a short name.
      const std::string name = file.substr(file.rfind('/') + 1);
      if (options_.mix.empty()) mix->path = "sim/mixes" + folder + "/" + name;
      mixes_.push_back(*mix);
    }
    if (mixes_.empty()) return std::string("there is no mix in ") + BATON_SIM_MIXES;
    return std::nullopt;
  }

  RunPlan plan_for(std::uint64_t seed) const {
    RunPlan plan;
    plan.seed = seed;
    plan.steps = options_.steps;
    plan.mix = &mixes_[seed % mixes_.size()];
    plan.skipped = options_.skip;
    plan.count = options_.stats;
    plan.sought = options_.expected;
    return plan;
  }

  // A counter that runs on a terminal; elsewhere a line now and then, if it takes long.
  void show_progress(std::size_t done) const {
    const bool last = done == static_cast<std::size_t>(options_.runs);
    if (::isatty(STDERR_FILENO) == 1) {
      std::fprintf(stderr, "\r%zu of %d runs%s", done, options_.runs, last ? "\n" : "");
    } else if (done % kRunsPerLine == 0) {
      std::fprintf(stderr, "%zu of %d runs\n", done, options_.runs);
    }
  }

  int all_well(const std::vector<SeedReport>& reports) const {
    std::int64_t jobs = 0;
    for (const SeedReport& one : reports)
      jobs += one.report.jobs;
    if (!options_.quiet) {
      std::cout << reports.size() << " runs of " << options_.steps << " steps, " << jobs
                << " jobs, no violation, digest of the last " << std::hex
                << reports.back().report.digest << std::dec << "\n";
    }
    return 0;
  }

  // Whether the invariant that must be violated is; in which seed, or what was found in its place.
  int looked_for(const std::vector<SeedReport>& reports) const {
    std::map<std::string, int> others;
    for (const SeedReport& one : reports) {
      if (!one.report.violation) continue;
      if (is_sought(*one.report.violation, options_.expected)) {
        print_violation(one);
        return 0;
      }
      ++others[one.report.violation->invariant];
    }
    std::cout << "no violation of \"" << options_.expected << "\" in " << reports.size()
              << " runs\n";
    for (const auto& [invariant, count] : others)
      std::cout << "  but " << count << " of \"" << invariant << "\"\n";
    return 1;
  }

  static void print_violation(const SeedReport& found) {
    const Violation& violation = *found.report.violation;
    std::cout << "seed " << found.plan.seed << ", step " << found.report.step
              << ": violated: " << violation.invariant << "\n  " << violation.detail << "\n"
              << "replay: " << replay_command(found.plan) << std::endl;
  }

  int violated(const SeedReport& found) const {
    const Violation& violation = *found.report.violation;
    print_violation(found);
    RunPlan plan = found.plan;
    if (options_.shrink) {
      std::cout << "looking for a shorter run …" << std::endl;
      plan = shrink(plan, violation, kShrinkAttempts);
      std::cout << "shortest: " << replay_command(plan) << std::endl;
    }
    print_steps(plan, kTraceSteps);
    const RunReport again = run_apart(plan);
    if (again.violation) std::cout << again.violation->detail << "\n";
    return 1;
  }

  static void print_stats(const std::vector<SeedReport>& reports) {
    std::map<std::string, std::int64_t> sums;
    for (const SeedReport& one : reports) {
      for (const auto& [name, count] : one.report.counts)
        sums[name] += count;
    }
    for (const auto& [name, count] : sums)
      std::printf("%12lld  %s\n", static_cast<long long>(count), name.c_str());
  }

  Options options_;
  std::vector<Mix> mixes_;
};

}  // namespace
}  // namespace baton::sim

int main(int count, char** values) {
  const std::vector<std::string> arguments(values + 1, values + count);
  const auto options = baton::sim::parse_options(arguments);
  if (!options) {
    std::cerr << "baton_sim: " << options.error().message << "\n" << baton::sim::kUsage;
    return 2;
  }
  if (options->help) {
    std::cout << baton::sim::kUsage;
    return 0;
  }
  return baton::sim::Program(*options).run_all();
}
