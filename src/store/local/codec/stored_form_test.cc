// The stored forms do not change by accident: checksums over what a fixed set of values becomes,
// and over what reading says when any byte of it is missing or wrong.
//
// The values come from Draw, and a new member there moves everything that is drawn after it. So
// extend Draw first and take the checksums anew; then add the row to the table of fields, and only
// the forms that have the member may change once more. A new word may give a meaning to a byte that
// had none, and so change what reading says of damaged ones.
#include "store/local/codec/arbitrary_rows.h"
#include "store/local/codec/codec.h"
#include "store/local/codec/job_codec.h"
#include "store/local/log/crc32c.h"

namespace baton::store::local {
namespace {

using testbed::Draw;
using testbed::encoded;
using testbed::known_functions;

constexpr int kSamples = 300;
constexpr int kDamagedSamples = 60;
constexpr int kSize = 30;  // RapidCheck's measure for how large values get

struct Sample {
  TermsTable known{known_functions()};
  StoredJob job;
  Time at;
  std::vector<RowChange> changes;
  QueueSettings settings;
  std::vector<Time> times;
};

std::shared_ptr<Sample> sample(int seed) {
  const auto drawn = rc::gen::exec([] {
    auto made = std::make_shared<Sample>();
    const Draw draw(made->known);
    made->job = draw.stored_job();
    made->at = draw.time();
    made->changes = draw.changes();
    made->settings = draw.queue_settings();
    made->times = {draw.time(), draw.time(), draw.time()};
    return made;
  });
  return drawn(rc::Random(static_cast<std::uint64_t>(seed)), kSize).value();
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// What one form of a sample looks like, and what becomes of such bytes: the bytes that the value
// has when it is written again, or the error.
struct Form {
  const char* name;
  std::string (*write)(const Sample& sample);
  std::string (*read)(const std::string& bytes, const Sample& sample);
  std::uint32_t written;
  std::uint32_t damaged;
};

std::string write_turn(const Sample& sample) { return encoded(sample.at, sample.changes); }

std::string read_turn(const std::string& bytes, const Sample&) {
  TermsTable known(known_functions());
  const auto turn = decode_turn(1, bytes_of(bytes), known);
  if (!turn) return std::string(name(turn.error().code)) + turn.error().message;
  return encoded(turn->at, turn->changes);
}

// `read` takes a reader and gives what it has read, written again.
template <class Read>
std::string read_column(const std::string& bytes, Read read) {
  ByteReader in(bytes_of(bytes));
  auto write_again = read(in);
  if (in.ok()) return write_again();
  return std::string(name(in.error("").code)) + in.error("it").message;
}

std::string read_facts(const std::string& bytes, const Sample& sample) {
  return read_column(bytes, [&](ByteReader& in) {
    FactsColumn column;
    read_facts_column(in, sample.job.record.facts.created_at, sample.known, column);
    return [column = std::move(column), &sample]() mutable {
      column.facts.terms = sample.job.record.facts.terms;
      return facts_column(column) + (column.own_terms ? terms_column(*column.own_terms) : "");
    };
  });
}

std::string read_spec(const std::string& bytes, const Sample& sample) {
  PayloadIs payload{};
  return read_column(bytes, [&](ByteReader& in) {
    return [spec = read_spec_column(in, sample.known, &payload), &payload] {
      return spec_column(spec, payload);
    };
  });
}

std::string read_body(const std::string& bytes, const Sample& sample) {
  return read_column(bytes, [&](ByteReader& in) {
    JobRecord record;
    record.spec = sample.job.record.spec;
    record.facts = sample.job.record.facts;
    read_body_column(in, record);
    return [record = std::move(record)] { return body_column(record); };
  });
}

std::string read_extras(const std::string& bytes, const Sample& sample) {
  return read_column(bytes, [&](ByteReader& in) {
    StoredJob job;
    read_extras_column(in, sample.known, job);
    return [job = std::move(job)] { return extras_column(job); };
  });
}

std::string read_terms(const std::string& bytes, const Sample& sample) {
  return read_column(bytes, [&](ByteReader& in) {
    return [terms = read_terms_column(in, sample.known)] { return terms_column(terms); };
  });
}

std::string read_settings(const std::string& bytes, const Sample& sample) {
  return read_column(bytes, [&](ByteReader& in) {
    return
        [settings = read_settings_column(in, sample.known)] { return settings_column(settings); };
  });
}

std::string read_times(const std::string& bytes, const Sample&) {
  return read_column(bytes, [&](ByteReader& in) {
    return [times = read_times_column(in)] { return times_column(times); };
  });
}

constexpr Form kForms[] = {
    {"turn", write_turn, read_turn, 0xb3419d26, 0x6b464153},
    {"facts",
     [](const Sample& sample) {
       return facts_column({sample.job.record.facts, 12, true});
     },
     read_facts, 0xdc3b7999, 0x59268261},
    {"facts with terms",
     [](const Sample& sample) {
       return facts_column({sample.job.record.facts, 0, false});
     },
     read_facts, 0x0a516318, 0x2e9d469e},
    {"submission",
     [](const Sample& sample) { return spec_column(*sample.job.record.spec, PayloadIs::kInside); },
     read_spec, 0xa20fe4b0, 0x3ebf3d3c},
    {"submission without payload",
     [](const Sample& sample) {
       return spec_column(*sample.job.record.spec, PayloadIs::kElsewhere);
     },
     read_spec, 0x062a359d, 0x2cc39ffc},
    {"body", [](const Sample& sample) { return body_column(sample.job.record); }, read_body,
     0x1c4de27f, 0xac373c11},
    {"extras", [](const Sample& sample) { return extras_column(sample.job); }, read_extras,
     0x35030069, 0x8d8b5109},
    {"terms", [](const Sample& sample) { return terms_column(*sample.job.record.facts.terms); },
     read_terms, 0xfdff1956, 0xd31ee62d},
    {"settings", [](const Sample& sample) { return settings_column(sample.settings); },
     read_settings, 0x64fc0275, 0x760b51d9},
    {"times", [](const Sample& sample) { return times_column(sample.times); }, read_times,
     0x828d9d9f, 0x4a2d5b15},
};

TEST(StoredForm, IsWrittenAsEver) {
  for (const Form& form : kForms) {
    std::string all;
    for (int seed = 0; seed < kSamples; ++seed)
      all += form.write(*sample(seed));
    EXPECT_EQ(crc32c(bytes_of(all)), form.written) << form.name;
  }
}

TEST(StoredForm, IsReadAsEverWhenItIsDamaged) {
  for (const Form& form : kForms) {
    std::string all;
    for (int seed = 0; seed < kDamagedSamples; ++seed) {
      const auto made = sample(seed);
      const std::string valid = form.write(*made);
      for (std::size_t place = 0; place < valid.size(); ++place) {
        all += form.read(valid.substr(0, place), *made);
        std::string broken = valid;
        broken[place] = static_cast<char>(broken[place] ^ 1 << place % 8);
        all += form.read(broken, *made);
      }
    }
    EXPECT_EQ(crc32c(bytes_of(all)), form.damaged) << form.name;
  }
}

}  // namespace
}  // namespace baton::store::local
