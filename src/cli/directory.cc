// The commands on a data directory: `baton backup`, `baton restore`, `baton doctor`. They need no
// server.
#include <cstdio>
#include <string_view>

#include "base/json_writer.h"
#include "cli/commands.h"
#include "store/local/durable/maintenance.h"

namespace baton::cli {
namespace {

struct DirectoryRequest {
  std::string store = "file:./baton-data";  // its URL
  std::string copy;                         // backup and restore: the other directory
  bool json = false;
  bool damaged = false;  // backup: copy what can be read
};

using base::JsonWriter;
using store::local::BackupReport;
using store::local::Examination;

constexpr std::string_view kFile = "file:";

// The directory of a store's URL, after a complaint when it has none.
std::optional<std::string> directory_of(const std::string& store) {
  if (store.starts_with(kFile) && store.size() > kFile.size()) return store.substr(kFile.size());
  complain("--store must be file:DIR; got '" + store + "'");
  return std::nullopt;
}

std::string size_text(std::uint64_t bytes) {
  static constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < std::size(kUnits); ++unit)
    size /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", size, kUnits[unit]);
  return text;
}

void write_time(JsonWriter& json, std::string_view key, Time time) {
  json.key(key);
  time.is_set() ? json.string(base::format_time(time)) : json.null();
}

void write_texts(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts) {
  json.key(key);
  json.begin_array();
  for (const std::string& text : texts)
    json.string(text);
  json.end_array();
}

// null: it could not be counted.
void write_count(JsonWriter& json, std::string_view key, bool counted, std::int64_t count) {
  json.key(key);
  counted ? json.number(count) : json.null();
}

std::string time_text(Time time) { return time.is_set() ? base::format_time(time) : "never"; }

// What backup and restore say when they are done.
int print_copy(const DirectoryRequest& request, const std::string& from, const std::string& to,
               const BackupReport& report) {
  std::string text;
  if (request.json) {
    JsonWriter json(text);
    json.begin_object();
    json.member("from", from);
    json.member("to", to);
    write_time(json, "as_of", report.as_of);
    json.member("bytes", report.bytes);
    write_texts(json, "findings", report.findings);
    json.end_object();
    return print(text + "\n");
  }
  text = "copied      " + from + "\n";
  text += "to          " + to + "\n";
  text += "as of       " + time_text(report.as_of) + "\n";
  text += "size        " + size_text(report.bytes) + "\n";
  for (const std::string& finding : report.findings)
    text += "WRONG       " + finding + "\n";
  return print(text);
}

std::int64_t records_in(const Examination& found) {
  std::int64_t records = 0;
  for (const Queue& queue : found.queues) {
    for (const std::int64_t count : queue.counts)
      records += count;
  }
  return records;
}

std::string examination_json(const Examination& found) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.member("healthy", found.findings.empty());
  write_texts(json, "findings", found.findings);
  write_texts(json, "notes", found.notes);
  json.member("affected_jobs", found.affected_jobs);
  write_count(json, "turns", found.counted, static_cast<std::int64_t>(found.turns));
  write_time(json, "last_change", found.last_change);
  write_count(json, "jobs", found.counted, records_in(found));
  write_count(json, "live_jobs", found.counted, found.live_jobs);
  write_count(json, "queues", found.counted, static_cast<std::int64_t>(found.queues.size()));
  json.member("bytes", found.bytes);
  json.end_object();
  return text + "\n";
}

std::string examination_text(const std::string& directory, const Examination& found) {
  std::string text = "directory   " + directory + "\n";
  text += "size        " + size_text(found.bytes) + "\n";
  for (const std::string& note : found.notes)
    text += "note        " + note + "\n";
  if (found.counted) {
    text += "last change " + time_text(found.last_change) + ", turn " +
            std::to_string(found.turns) + "\n";
    text += "jobs        " + std::to_string(records_in(found)) + " in " +
            std::to_string(found.queues.size()) + " queues, " + std::to_string(found.live_jobs) +
            " of them not ended\n";
  } else {
    text += "jobs        not known: the store cannot be opened as it is\n";
  }
  for (const std::string& finding : found.findings)
    text += "WRONG       " + finding + "\n";
  if (found.affected_jobs > 0)
    text += "affected    " + std::to_string(found.affected_jobs) + " jobs" +
            (found.findings.size() >= 100 ? " or more" : "") + "\n";
  text += found.findings.empty() ? "verdict     healthy\n" : "verdict     damaged\n";
  return text;
}

int run_backup(const DirectoryRequest& request) {
  const auto directory = directory_of(request.store);
  if (!directory) return kWrongUsage;
  const auto report = store::local::back_up(*directory, request.copy, request.damaged);
  if (!report) return fail(report.error().message);
  return print_copy(request, *directory, request.copy, *report);
}

int run_restore(const DirectoryRequest& request) {
  const auto directory = directory_of(request.store);
  if (!directory) return kWrongUsage;
  const auto report = store::local::restore(request.copy, *directory);
  if (!report) return fail(report.error().message);
  return print_copy(request, request.copy, *directory, *report);
}

int run_doctor(const DirectoryRequest& request) {
  const auto directory = directory_of(request.store);
  if (!directory) return kWrongUsage;
  const auto found = store::local::examine(*directory);
  if (!found) return fail(found.error().message);
  const int printed =
      print(request.json ? examination_json(*found) : examination_text(*directory, *found));
  return found->findings.empty() ? printed : kFailure;
}

Subcommand<DirectoryRequest> add_directory(Program& program, const char* name, const char* what,
                                           int (*run)(const DirectoryRequest&)) {
  const auto command =
      add_command(program, {name, what, std::string("Examples:\n") + kLocalExamples}, run);
  command.option("--store", &DirectoryRequest::store, "The store: file:DIR")->capture_default_str();
  command.flag("--json", &DirectoryRequest::json, "As JSON");
  return command;
}

}  // namespace

void add_directory_commands(Program& program) {
  add_directory(program, "doctor", "Examine the data of a store; changes nothing in it",
                run_doctor);
  const auto backup =
      add_directory(program, "backup", "Copy the data of a store, in use or not", run_backup);
  backup.option("TARGET", &DirectoryRequest::copy, "The directory to make")->required();
  backup.flag("--damaged", &DirectoryRequest::damaged,
              "Copy what can be read of damaged data, instead of refusing it");
  const auto restore =
      add_directory(program, "restore", "Make the data of a store from a backup", run_restore);
  restore.option("BACKUP", &DirectoryRequest::copy, "The directory that 'baton backup' made")
      ->required();
}

}  // namespace baton::cli
