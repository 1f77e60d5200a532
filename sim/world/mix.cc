#include "sim/world/mix.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace baton::sim {
namespace {

struct Setting {
  std::string_view name;
  int Mix::*member;
};

const Setting kSettings[] = {
    {"producers", &Mix::producers},
    {"workers", &Mix::workers},
    {"operators", &Mix::operators},
    {"readers", &Mix::readers},
    {"more_commands", &Mix::more_commands},
    {"time_stands", &Mix::time_stands},
    {"time_short", &Mix::time_short},
    {"time_medium", &Mix::time_medium},
    {"time_to_due", &Mix::time_to_due},
    {"time_near_due", &Mix::time_near_due},
    {"time_long", &Mix::time_long},
    {"answer_lost", &Mix::answer_lost},
    {"command_twice", &Mix::command_twice},
    {"worker_stalls", &Mix::worker_stalls},
    {"worker_dies", &Mix::worker_dies},
    {"late_return", &Mix::late_return},
    {"wrong_token", &Mix::wrong_token},
    {"odd_submission", &Mix::odd_submission},
    {"call_waits", &Mix::call_waits},
    {"leases_held", &Mix::leases_held},
    {"small_turns", &Mix::small_turns},
    {"gives_way", &Mix::gives_way},
    {"work_claim", &Mix::work_claim},
    {"work_start", &Mix::work_start},
    {"work_heartbeat", &Mix::work_heartbeat},
    {"work_commit", &Mix::work_commit},
    {"work_done", &Mix::work_done},
    {"work_ack", &Mix::work_ack},
    {"work_nack", &Mix::work_nack},
    {"work_reject", &Mix::work_reject},
    {"work_release", &Mix::work_release},
    {"work_cancelled", &Mix::work_cancelled},
    {"work_spawn", &Mix::work_spawn},
    {"work_batch", &Mix::work_batch},
    {"work_unread", &Mix::work_unread},
    {"submit_batch", &Mix::submit_batch},
    {"submit_chain", &Mix::submit_chain},
    {"submit_long_chain", &Mix::submit_long_chain},
    {"submit_again", &Mix::submit_again},
    {"job_key", &Mix::job_key},
    {"job_unique", &Mix::job_unique},
    {"job_delay", &Mix::job_delay},
    {"job_depends", &Mix::job_depends},
    {"job_draft", &Mix::job_draft},
    {"job_account", &Mix::job_account},
    {"job_own_settings", &Mix::job_own_settings},
    {"operate_cancel", &Mix::operate_cancel},
    {"operate_force", &Mix::operate_force},
    {"operate_reject", &Mix::operate_reject},
    {"operate_draft", &Mix::operate_draft},
    {"operate_patch", &Mix::operate_patch},
    {"operate_retry", &Mix::operate_retry},
    {"operate_delete", &Mix::operate_delete},
    {"operate_pause", &Mix::operate_pause},
    {"operate_settings", &Mix::operate_settings},
    {"operate_remove_queue", &Mix::operate_remove_queue},
    {"operate_grant", &Mix::operate_grant},
    {"operate_prune", &Mix::operate_prune},
    {"disk", &Mix::disk},
    {"disk_projects", &Mix::disk_projects},
    {"disk_lists", &Mix::disk_lists},
    {"disk_backups", &Mix::disk_backups},
    {"disk_closes", &Mix::disk_closes},
    {"disk_stops_turn", &Mix::disk_stops_turn},
    {"disk_stops_projection", &Mix::disk_stops_projection},
    {"disk_stops_closing", &Mix::disk_stops_closing},
    {"disk_stops_opening", &Mix::disk_stops_opening},
    {"disk_power", &Mix::disk_power},
    {"disk_write_fails", &Mix::disk_write_fails},
    {"disk_sync_fails", &Mix::disk_sync_fails},
    {"disk_read_fails", &Mix::disk_read_fails},
    {"disk_full", &Mix::disk_full},
    {"disk_bits_turn", &Mix::disk_bits_turn},
};

Error wrong(int line, const std::string& what) {
  return {Code::kBadRequest, "line " + std::to_string(line) + ": " + what, {}, {}};
}

const Setting* find_setting(std::string_view name) {
  for (const Setting& setting : kSettings) {
    if (setting.name == name) return &setting;
  }
  return nullptr;
}

}  // namespace

Result<Mix> parse_mix(std::string_view text) {
  Mix mix;
  std::set<std::string> seen;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string name;
    std::string value;
    std::string more;
    if (!(words >> name)) continue;
    const Setting* setting = find_setting(name);
    if (setting == nullptr) return wrong(number, "there is no setting called " + name);
    if (!(words >> value) || (words >> more))
      return wrong(number, "expected one value after " + name);
    if (!seen.insert(name).second) return wrong(number, name + " stands there twice");
    int parsed = 0;
    const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), parsed);
    const bool whole = failed == std::errc() && end == value.data() + value.size();
    if (!whole || parsed < 0 || parsed > 1000) {
      return wrong(number, name + " must be a number from 0 to 1000");
    }
    mix.*(setting->member) = parsed;
  }
  return mix;
}

Result<Mix> read_mix(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Error{Code::kBadRequest, path + ": cannot be read", {}, {}};
  std::ostringstream text;
  text << file.rdbuf();
  Result<Mix> mix = parse_mix(text.str());
  if (!mix) return Error{Code::kBadRequest, path + ", " + mix.error().message, {}, {}};
  mix->path = path;
  return mix;
}

std::vector<std::string> mix_files(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".mix") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace baton::sim
