// What the catalog's tests lean on: a directory of their own, a catalog in it, and turns made by
// hand. For tests only.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "store/local/catalog/catalog.h"

namespace baton::store::local::testbed {

// Gone with everything in it when the test ends.
class TestDirectory {
 public:
  TestDirectory() {
    std::string pattern = testing::TempDir() + "baton-catalog-XXXXXX";
    path_ = mkdtemp(pattern.data()) == nullptr ? std::string() : pattern;
    EXPECT_FALSE(path_.empty());
  }
  ~TestDirectory() { std::filesystem::remove_all(path_); }
  TestDirectory(const TestDirectory&) = delete;
  TestDirectory& operator=(const TestDirectory&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

using SharedTurns = std::vector<std::shared_ptr<const TurnChanges>>;

inline CatalogOptions options_for(const std::string& path) {
  CatalogOptions options;
  options.path = path;
  return options;
}

// The catalog, or a failed test.
inline std::unique_ptr<Catalog> open_catalog(const CatalogOptions& options, TermsTable& terms) {
  auto opened = Catalog::open(options, terms);
  EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().message);
  return opened.ok() ? std::move(*opened) : nullptr;
}

inline std::unique_ptr<CatalogReader> open_reader(const CatalogOptions& options,
                                                  TermsTable& terms) {
  auto opened = CatalogReader::open(options, terms);
  EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().message);
  return opened.ok() ? std::move(*opened) : nullptr;
}

// Nothing is wrong with it.
inline void expect_sound(Catalog& catalog) {
  const auto faults = catalog.check();
  ASSERT_TRUE(faults.ok()) << faults.error().message;
  for (const std::string& fault : *faults)
    ADD_FAILURE() << fault;
}

}  // namespace baton::store::local::testbed
