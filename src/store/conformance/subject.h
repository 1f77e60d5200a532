// What the conformance suite is run against: a store, the clock it reads, and a way to close it and
// open it again. Every store that wants to be one brings a Subject and a SubjectFactory; each test
// gets a subject of its own with nothing in it.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "base/clock.h"
#include "store/store.h"

namespace baton::store::conformance {

class Subject {
 public:
  virtual ~Subject() = default;
  virtual Store& store() = 0;
  // The time that the store goes by. Only the test moves it.
  virtual base::ManualClock& clock() = 0;
  // Closes the store and opens it again on the same medium. Records that were read before are not
  // to be used any more.
  // The clock goes on by `closed_for` while the store is closed.
  virtual void restart(Duration closed_for) = 0;
  // Whether the store still has everything after a restart.
  virtual bool survives_restart() const = 0;
};

struct SubjectFactory {
  std::string name;  // letters and digits: a part of the names of tests
  std::function<std::unique_ptr<Subject>()> make;
};

inline void PrintTo(const SubjectFactory& factory, std::ostream* out) { *out << factory.name; }

}  // namespace baton::store::conformance
