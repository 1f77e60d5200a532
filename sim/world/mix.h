// What the actors of a run do, and what goes wrong how often: numbers from a text file, one
// `name value` a line, # begins a comment. Chances are per mille; weights only count against each
// other. What a file leaves out keeps its default.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "baton/result.h"

namespace baton::sim {

struct Mix {
  std::string path;  // where it was read from

  // Who acts next (weights), and how many commands share a turn.
  int producers = 300;
  int workers = 560;
  int operators = 90;
  int readers = 50;
  int more_commands = 250;

  // How time passes between steps (weights).
  int time_stands = 250;
  int time_short = 330;     // 1–50 ms
  int time_medium = 180;    // up to 2 s
  int time_to_due = 120;    // exactly to the next timer
  int time_near_due = 100;  // 1 ms before or after it
  int time_long = 5;        // up to 3 minutes

  // Faults.
  int answer_lost = 40;    // the change was made and nobody hears of it
  int command_twice = 40;  // the same command again in the same turn
  int worker_stalls = 30;  // for longer than its lease
  int worker_dies = 15;    // forgets all it holds
  int late_return = 60;    // a dead worker's lease is used after all
  int wrong_token = 15;
  int odd_submission = 40;  // one that must be refused
  int call_waits = 80;      // a call arrived before it is applied
  int leases_held = 60;     // no lease ends for a while, because calls may still come
  int small_turns = 200;    // runs in which a turn does little of what is due
  int gives_way = 20;       // what happens by itself waits for another turn

  // What workers do with what they hold (weights).
  int work_claim = 200;
  int work_start = 300;
  int work_heartbeat = 100;
  int work_commit = 250;
  int work_done = 100;
  int work_ack = 150;
  int work_nack = 120;
  int work_reject = 20;
  int work_release = 40;
  int work_cancelled = 30;
  int work_spawn = 40;
  int work_batch = 100;  // per mille: the call comes in a batch of calls
  int work_unread = 0;   // the store cannot read what it has leased out

  // What producers send.
  int submit_batch = 250;
  int submit_chain = 150;
  int submit_long_chain = 4;
  int submit_again = 120;  // an earlier batch once more
  int job_key = 300;
  int job_unique = 150;
  int job_delay = 200;
  int job_depends = 250;
  int job_draft = 300;  // where there are drafts
  int job_account = 300;
  int job_own_settings = 200;

  // What operators do (weights).
  int operate_cancel = 200;
  int operate_force = 60;
  int operate_reject = 50;
  int operate_draft = 120;
  int operate_patch = 120;
  int operate_retry = 120;
  int operate_delete = 80;
  int operate_pause = 60;
  int operate_settings = 80;
  int operate_remove_queue = 40;
  int operate_grant = 80;
  int operate_prune = 30;

  // The disk. What fails fails in one place of what is under way.
  int disk = 0;                   // 0: the node is in memory; otherwise on a disk
  int disk_projects = 300;        // after a turn, the catalog follows
  int disk_lists = 5;             // somebody lists jobs, once the catalog has all of them
  int disk_backups = 10;          // somebody takes a backup, while turns go on
  int disk_closes = 3;            // the store is closed and opened
  int disk_stops_turn = 0;        // the process dies in a turn
  int disk_stops_projection = 0;  // or while turns go to the catalog
  int disk_stops_closing = 0;
  int disk_stops_opening = 0;
  int disk_power = 0;  // with the process the power goes, and what was not synced
  int disk_write_fails = 0;
  int disk_sync_fails = 0;
  int disk_read_fails = 0;
  int disk_full = 0;
  int disk_bits_turn = 0;  // of the catalog, when it was closed in order
};

// Reads a mix. Refused with bad_request and the number of the line: an unknown name, a value that
// is no number from 0 to 1000, a name that stands there twice.
Result<Mix> parse_mix(std::string_view text);
Result<Mix> read_mix(const std::string& path);

// The files *.mix of a folder, by name.
std::vector<std::string> mix_files(const std::string& folder);

}  // namespace baton::sim
