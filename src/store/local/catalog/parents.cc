#include "store/local/catalog/parents.h"

#include <vector>

namespace baton::store::local {
namespace {

// One transaction: so many jobs that may have children, or about so many children.
constexpr std::int64_t kJobsAtOnce = 256;
constexpr std::size_t kChildrenAtOnce = 4096;

class ParentFiller {
 public:
  ParentFiller(Database& database, JobRows& rows)
      : database_(database),
        rows_(rows),
        next_(database, "SELECT number FROM extras WHERE number > ? ORDER BY number LIMIT ?"),
        id_(database, "SELECT id FROM jobs WHERE number = ?"),
        put_(database, "UPDATE jobs SET parent = ?2 WHERE number = ?1 AND parent IS NULL"),
        done_(database, "UPDATE meta SET value = 1 WHERE name = 'parents_known'") {}

  void run() {
    while (fill_some()) {
    }
    done_.run();
  }

 private:
  struct Child {
    std::int64_t number = 0;
    JobId parent;
  };

  // False when there are no more.
  bool fill_some() {
    const std::vector<std::int64_t> numbers = next_numbers();
    std::vector<Child> children;
    for (const std::int64_t number : numbers) {
      if (children.size() >= kChildrenAtOnce) break;
      add_children(number, children);
      last_ = number;
    }
    Transaction transaction(database_, Transaction::Kind::kWrite);
    for (const Child& child : children)
      put_.run(child.number, Blob{bytes_of(child.parent)});
    transaction.commit();
    return !numbers.empty();
  }

  std::vector<std::int64_t> next_numbers() {
    std::vector<std::int64_t> numbers;
    for (Cursor row = next_.query(last_, kJobsAtOnce); row.next();)
      numbers.push_back(row.integer(0));
    return numbers;
  }

  void add_children(std::int64_t number, std::vector<Child>& children) {
    try {
      Transaction transaction(database_, Transaction::Kind::kRead);
      StoredJob job;
      rows_.read_extras(number, job);
      for (const JobId& id : job.record.children) {
        const auto child = rows_.ids().find(id);
        if (child) children.push_back({*child, parent_of(number)});
      }
      transaction.commit();
    } catch (const SqlFailure& failure) {
      if (failure.error.code != Code::kDamaged) throw;
    }
  }

  JobId parent_of(std::int64_t number) {
    Cursor row = id_.query(number);
    if (!row.next()) rows_.fail("job " + std::to_string(number) + " is in extras only");
    JobId id;
    id.uuid.bytes = rows_.sixteen(row.text(0));
    return id;
  }

  Database& database_;
  JobRows& rows_;
  Statement next_;
  Statement id_;
  Statement put_;
  Statement done_;
  std::int64_t last_ = 0;
};

}  // namespace

void fill_parents(Database& database, JobRows& rows) { ParentFiller(database, rows).run(); }

}  // namespace baton::store::local
