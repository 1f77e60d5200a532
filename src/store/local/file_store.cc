#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>

#include "base/assert.h"
#include "base/directory_lock.h"
#include "base/posix_disk.h"
#include "base/private_files.h"
#include "store/local/command_verbs.h"
#include "store/local/durable/data_directory.h"
#include "store/local/durable/projector.h"
#include "store/local/durable/reader_pool.h"
#include "store/local/local_store.h"
#include "store/local/log/format.h"
#include "store/local/machine/out_of_memory.h"

namespace baton::store::local {
namespace {

// Lists have readers of their own: claims and single jobs never wait behind them.
constexpr std::size_t kLookUps = 2;
constexpr std::size_t kLists = 2;

using Readers = std::vector<std::unique_ptr<CatalogReader>>;

class FileStore final : public CommandVerbs {
 public:
  // What must be there before the threads are: opened, and loaded.
  struct Parts {
    base::DirectoryLock lock;
    std::unique_ptr<base::Disk> disk;
    std::unique_ptr<DataDirectory> data;
    std::unique_ptr<Machine> machine;
    Readers look_ups;
    Readers lists;
    LocalTime time;
    base::Random random;
    Tuning tuning;
  };

  explicit FileStore(Parts parts)
      : lock_(std::move(parts.lock)),
        disk_(std::move(parts.disk)),
        data_(std::move(parts.data)),
        machine_(std::move(parts.machine)),
        look_ups_(std::move(parts.look_ups)),
        lists_(std::move(parts.lists)),
        projector_(*data_),
        thread_(std::make_unique<MachineThread>(
            *machine_, parts.time, std::move(parts.random),
            [this](Time at, std::vector<RowChange> changes) {
              return keep(at, std::move(changes));
            },
            parts.tuning, [this] { return data_->is_behind(); })) {
    projector_.when_nearer([this] { thread_->came_nearer(); });
    thread_->came_nearer();  // what it missed until now
  }

  ~FileStore() override {
    {
      const std::lock_guard lock(closing_mutex_);
      closing_ = true;
    }
    // Nobody waits for the projector any more, then nothing more comes, then the rest is written.
    projector_.stop();
    thread_.reset();
    // What cannot be written now is in the log, and recovery finds it there.
    static_cast<void>(data_->finish());
  }

  void claim(ClaimRequest request, Done<ClaimAnswer> done) override {
    post<ClaimAnswer>(std::move(request),
                      [this, done = std::move(done)](Result<ClaimAnswer> answer) {
                        if (!answer) return done(std::move(answer));
                        bring_records(std::move(*answer), done);
                      });
  }

  void prune(Prune command, Done<Pruned> done) override {
    projector_.when_caught_up([this, command, done = std::move(done)](const Status& status) {
      if (!status) return done(status.error());
      post(command, done);
    });
  }

  void entries(EntriesPage page, Done<std::vector<LedgerEntry>> done) override {
    if (const Status checked = check_limit(page.limit); !checked) {
      return done(checked.error());
    }
    read<std::vector<LedgerEntry>>(
        [page = std::move(page)](CatalogReader& reader) { return reader.entries(page); },
        std::move(done));
  }

  void list(ListJobs filter, Done<JobList> done) override {
    if (const Status checked = check_list(filter); !checked) {
      return done(checked.error());
    }
    read<JobList>(
        [filter = std::move(filter)](CatalogReader& reader) { return reader.list(filter); },
        std::move(done));
  }

  void get(JobId id, Done<std::shared_ptr<const JobRecord>> done) override {
    const std::vector<RecentChange> changes = data_->recent().changes_of(id);
    if (tells_all(changes, id)) {
      return answer_get(brought_up_to_date(std::nullopt, changes, id), done);
    }
    look_ups_.post([this, id, done = std::move(done)](CatalogReader& reader) {
      using Record = std::shared_ptr<const JobRecord>;
      answer_get(unless_out_of_memory<Record>([&] { return data_->record(reader, id); }), done);
    });
  }

 private:
  MachineThread& thread() override { return *thread_; }

  Status keep(Time at, std::vector<RowChange> changes) {
    Status kept = data_->keep(at, std::move(changes));
    if (kept) projector_.kept();
    return kept;
  }

  // Reads once the catalog has everything that was acknowledged.
  template <class Answer, class Ask>
  void read(Ask ask, Done<Answer> done) {
    projector_.when_caught_up(
        [this, ask = std::move(ask), done = std::move(done)](const Status& status) {
          if (!status) return done(status.error());
          post_or_refuse(done, [&] {
            lists_.post([ask, done](CatalogReader& reader) {
              done(unless_out_of_memory<Answer>([&] { return ask(reader); }));
            });
          });
        });
  }

  // Whoever would have been posted answers no more when that fails.
  template <class Answer, class Post>
  static void post_or_refuse(const Done<Answer>& done, Post post) {
    const Status posted = unless_out_of_memory<Ok>([&] {
      post();
      return Ok{};
    });
    if (!posted) done(posted.error());
  }

  static void answer_get(Result<std::shared_ptr<const JobRecord>> record,
                         const Done<std::shared_ptr<const JobRecord>>& done) {
    if (record && !*record) return done(no_such_record());
    done(std::move(record));
  }

  // Jobs of the last moments are still in memory; only the others must be read.
  void bring_records(ClaimAnswer answer, const Done<ClaimAnswer>& done) {
    const auto complete = unless_out_of_memory<bool>([&] { return bring_recent(answer); });
    if (!complete) return done(complete.error());
    if (*complete && !depends(answer)) return done(std::move(answer));
    post_or_refuse(done, [&] {
      look_ups_.post_urgent(
          [this, answer = std::move(answer), done](CatalogReader& reader) mutable {
            auto read = unless_out_of_memory<ReadClaim>(
                [&] { return read_records(reader, std::move(answer)); });
            if (!read) return done(read.error());
            give_back(read->unread, std::move(read->answer), done);
          });
    });
  }

  static bool depends(const ClaimAnswer& answer) {
    return std::any_of(answer.executions.begin(), answer.executions.end(), has_dependencies);
  }

  // Whether these are all.
  bool bring_recent(ClaimAnswer& answer) {
    bool complete = true;
    for (ClaimedJob& one : answer.executions) {
      const std::vector<RecentChange> changes = data_->recent().changes_of(one.job);
      if (tells_all(changes, one.job)) {
        one.record = brought_up_to_date(std::nullopt, changes, one.job);
      } else {
        complete = false;
      }
    }
    return complete;
  }

  // Jobs that cannot be read, or whose dependencies cannot, are left out, and their executions end.
  struct ReadClaim {
    ClaimAnswer answer;
    std::vector<GiveBackUnread> unread;
  };
  Result<ReadClaim> read_records(CatalogReader& reader, ClaimAnswer answer) {
    std::vector<JobId> ids;
    for (const ClaimedJob& one : answer.executions) {
      if (!one.record) ids.push_back(one.job);
    }
    auto records = data_->records(reader, ids);
    auto next = records.begin();
    std::vector<Status> found(answer.executions.size(), Status(Ok{}));
    for (std::size_t i = 0; i < found.size(); ++i) {
      ClaimedJob& one = answer.executions[i];
      if (one.record) continue;
      auto& record = *next++;
      if (record) {
        one.record = std::move(*record);
      } else {
        found[i] = record.error();
      }
    }
    bring_results(reader, answer, found);
    return readable(std::move(answer), found);
  }

  void bring_results(CatalogReader& reader, ClaimAnswer& answer, std::vector<Status>& found) {
    const DependencyLookUp look_up = data_->look_up(reader);
    ResultRoom left = room_for_results(answer.executions);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i]) found[i] = bring_dependency_results(answer.executions[i], look_up, left);
    }
  }

  static Result<ReadClaim> readable(ClaimAnswer answer, const std::vector<Status>& found) {
    ReadClaim read;
    read.answer.more = answer.more;
    for (std::size_t i = 0; i < found.size(); ++i) {
      ClaimedJob& one = answer.executions[i];
      if (found[i]) {
        read.answer.executions.push_back(std::move(one));
      } else if (found[i].error().code == Code::kDamaged) {
        read.unread.push_back({one.job, one.execution.attempt()});
      } else {
        return found[i].error();
      }
    }
    return read;
  }

  // Answers once the executions have ended, or cannot be ended any more.
  void give_back(const std::vector<GiveBackUnread>& unread, ClaimAnswer answer,
                 const Done<ClaimAnswer>& done) {
    if (unread.empty()) return done(std::move(answer));
    const std::lock_guard lock(closing_mutex_);
    if (closing_) return done(std::move(answer));
    struct Waiting {
      std::atomic<std::size_t> left = 0;
      ClaimAnswer answer;
      Done<ClaimAnswer> done;
    };
    auto waiting = std::make_shared<Waiting>();
    waiting->left = unread.size();
    waiting->answer = std::move(answer);
    waiting->done = done;
    for (const GiveBackUnread& one : unread) {
      thread_->post(one, [waiting](const Answer&) {
        if (--waiting->left == 0) waiting->done(std::move(waiting->answer));
      });
    }
  }

  base::DirectoryLock lock_;
  std::unique_ptr<base::Disk> disk_;
  std::unique_ptr<DataDirectory> data_;
  std::unique_ptr<Machine> machine_;
  ReaderPool look_ups_;
  ReaderPool lists_;
  Projector projector_;
  std::unique_ptr<MachineThread> thread_;
  std::mutex closing_mutex_;  // held while what was read posts commands
  bool closing_ = false;      // guarded by closing_mutex_; the thread is about to go
};

Result<Readers> open_readers(DataDirectory& data, std::size_t count) {
  Readers readers;
  while (readers.size() < count) {
    auto reader = data.open_reader();
    if (!reader) return reader.error();
    readers.push_back(std::move(*reader));
  }
  return readers;
}

// The first turns. Nobody waits for them, so that the catalog follows in between.
Status reopen_all(DataDirectory& data, Machine& machine, const LocalTime& time,
                  base::Random& random) {
  do {
    const Time now = time.now();
    if (auto kept = data.keep(now, machine.reopen(now, random).changes); !kept) return kept;
    while (data.is_behind()) {
      const auto projected = data.project(data.tuning().project_at_once);
      if (!projected) return projected.error();
    }
  } while (machine.is_reopening());
  return Ok{};
}

}  // namespace

std::string catalog_path(const std::string& directory) {
  return (std::filesystem::path(directory) / "catalog.db").string();
}

bool is_of_a_store(const std::string& name) {
  return name == "lock" || name.starts_with("manifest") || name.starts_with("catalog.db") ||
         parse_segment_name(name).has_value();
}

Result<std::unique_ptr<Store>> open_file_store(const FileOptions& options) {
  BATON_ASSERT(options.clock != nullptr);
  const std::filesystem::path directory(options.directory);
  auto lock = base::DirectoryLock::acquire(directory);
  if (!lock) return lock.error();
  base::tighten(options.directory, is_of_a_store);
  auto disk = base::PosixDisk::open(directory);
  if (!disk) return disk.error();
  DataOptions data_options;
  data_options.catalog.path = catalog_path(options.directory);
  data_options.catalog.tuning = options.tuning;
  data_options.log.segment_bytes = options.segment_bytes;
  data_options.functions = options.functions;
  auto data = DataDirectory::open(**disk, data_options);
  if (!data) return data.error();
  const LocalTime time(*options.clock, (*data)->last_time());
  auto machine = std::make_unique<Machine>(**data, options.tuning, &(*data)->terms());
  machine->watch_reads(options.reads);
  base::Random random = random_of(options, (*data)->last_turn());
  const Time now = time.now();
  if (const auto loaded = (*data)->load(*machine, now); !loaded) return loaded.error();
  const ClockCheck check{options.clock->wall(), (*data)->last_time(), machine->live_jobs(),
                         options.accept_clock};
  if (const auto checked = check_clock(check); !checked) return checked.error();
  const std::string behind = clock_notice(check.wall, check.last_stored);
  if (!behind.empty() && options.notice) options.notice(behind);
  if (const auto done = reopen_all(**data, *machine, time, random); !done) return done.error();
  auto look_ups = open_readers(**data, kLookUps);
  if (!look_ups) return look_ups.error();
  auto lists = open_readers(**data, kLists);
  if (!lists) return lists.error();
  return std::unique_ptr<Store>(std::make_unique<FileStore>(FileStore::Parts{
      std::move(*lock), std::move(*disk), std::move(*data), std::move(machine),
      std::move(*look_ups), std::move(*lists), time,
      options.seed == 0 ? std::move(random) : base::Random(random.next()), options.tuning}));
}

}  // namespace baton::store::local
