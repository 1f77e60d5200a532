#include "json/reader.h"

#include <charconv>
#include <limits>
#include <vector>

#include <simdjson.h>
#include "base/assert.h"
#include "json/flaw.h"

namespace baton::json {

namespace ondemand = simdjson::ondemand;

namespace {

// A larger document's memory is given back after it; that of smaller ones is used again.
constexpr std::size_t kKeptBytes = std::size_t{256} << 10;

std::string plain(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

}  // namespace

struct Reader::Workspace {
  // A member's name, or the index of an element.
  struct PathPart {
    std::string_view name;
    std::size_t index = 0;
    bool is_index = false;
  };

  ondemand::parser parser;
  std::string text;  // with the parser's padding behind it
  ondemand::document document;
  ondemand::value value;  // the one at hand
  std::vector<PathPart> path;
  bool used = false;

  static Workspace& of_this_thread() {
    static thread_local Workspace space;
    return space;
  }

  std::string path_text() const {
    std::string all;
    for (const PathPart& part : path) {
      if (part.is_index) {
        all += '[' + std::to_string(part.index) + ']';
      } else {
        if (!all.empty()) all += '.';
        all += part.name;
      }
    }
    return all;
  }

  void give_back() {
    used = false;
    path.clear();
    if (text.capacity() <= 2 * kKeptBytes) return;
    text = {};
    parser = ondemand::parser();
  }
};

Reader::Reader(std::string_view text) : space_(Workspace::of_this_thread()) {
  BATON_ASSERT(!space_.used);
  space_.used = true;
  space_.text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  space_.text.assign(text);
  begin();
}

void Reader::begin() {
  const std::string& text = space_.text;
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return malformed("it is empty");
  const auto problem =
      space_.parser.iterate(text.data(), text.size(), text.capacity()).get(space_.document);
  if (problem == simdjson::UTF8_ERROR) return malformed("it is not UTF-8");
  if (problem != simdjson::SUCCESS) return malformed("it does not end as it should");
  if (space_.document.get_value().get(space_.value) != simdjson::SUCCESS) {
    refuse("must be an object");
  }
}

Reader::~Reader() { space_.give_back(); }

void Reader::refuse(std::string_view message) {
  if (error_) return;
  const std::string field = space_.path_text();
  error_ = Error{Code::kBadRequest,
                 (field.empty() ? "the document" : field) + " " + std::string(message),
                 field,
                 {}};
}

void Reader::refuse_member(std::string_view name, std::string_view message) {
  if (error_) return;
  space_.path.push_back({name});
  refuse(message);
}

// Only the text as a whole is to blame.
void Reader::malformed(std::string_view what) {
  if (error_) return;
  error_ = Error{Code::kBadRequest, "the document is not JSON: " + std::string(what), {}, {}};
}

Kind Reader::kind() {
  if (error_) return Kind::kNull;
  ondemand::json_type type{};
  if (space_.value.type().get(type) != simdjson::SUCCESS) {
    malformed("expected a value");
    return Kind::kNull;
  }
  switch (type) {
    case ondemand::json_type::object:
      return Kind::kObject;
    case ondemand::json_type::array:
      return Kind::kArray;
    case ondemand::json_type::string:
      return Kind::kString;
    case ondemand::json_type::number:
      return Kind::kNumber;
    case ondemand::json_type::boolean:
      return Kind::kBoolean;
    case ondemand::json_type::null:
      break;
  }
  bool null = false;
  if (space_.value.is_null().get(null) != simdjson::SUCCESS || !null) malformed("expected a value");
  return Kind::kNull;
}

void Reader::each_member(void* read, MemberCall call) {
  if (error_) return;
  if (kind() != Kind::kObject) return refuse("must be an object");
  ondemand::object object;
  if (space_.value.get_object().get(object) != simdjson::SUCCESS) {
    return malformed("an object is broken");
  }
  for (auto field : object) {
    std::string_view name;
    if (field.unescaped_key().get(name) != simdjson::SUCCESS) return malformed("a name is broken");
    space_.path.push_back({name});
    ondemand::value value;
    if (field.value().get(value) != simdjson::SUCCESS) return malformed("an object is broken");
    space_.value = value;
    call(read, name);
    if (error_) return;
    space_.path.pop_back();
  }
}

void Reader::each_element(void* read, ElementCall call) {
  if (error_) return;
  if (kind() != Kind::kArray) return refuse("must be an array");
  ondemand::array array;
  if (space_.value.get_array().get(array) != simdjson::SUCCESS) {
    return malformed("an array is broken");
  }
  std::size_t index = 0;
  for (auto element : array) {
    space_.path.push_back({{}, index++, true});
    ondemand::value value;
    if (element.get(value) != simdjson::SUCCESS) return malformed("an array is broken");
    space_.value = value;
    call(read);
    if (error_) return;
    space_.path.pop_back();
  }
}

std::string Reader::string() {
  if (error_) return {};
  if (kind() != Kind::kString) {
    refuse("must be a string");
    return {};
  }
  std::string_view text;
  if (space_.value.get_string().get(text) != simdjson::SUCCESS) {
    malformed("a string is broken");
    return {};
  }
  return std::string(text);
}

std::optional<std::int64_t> Reader::whole_number() {
  std::int64_t value = 0;
  if (kind() != Kind::kNumber) return std::nullopt;
  if (space_.value.get_int64().get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::int64_t Reader::integer() {
  const auto value = whole_number();
  if (!value) refuse("must be a whole number");
  return value.value_or(0);
}

std::int64_t Reader::integer(IntegerRange range) {
  const auto value = whole_number();
  if (value && *value >= range.min && *value <= range.max) return *value;
  refuse("must be a whole number from " + std::to_string(range.min) + " to " +
         std::to_string(range.max));
  return 0;
}

std::optional<double> Reader::any_number() {
  double value = 0;
  if (kind() != Kind::kNumber) return std::nullopt;
  if (space_.value.get_double().get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

double Reader::real() {
  const auto value = any_number();
  if (!value) refuse("must be a number");
  return value.value_or(0);
}

double Reader::real(RealRange range) {
  const auto value = any_number();
  if (value && *value >= range.min && *value <= range.max) return *value;
  refuse("must be a number from " + plain(range.min) + " to " + plain(range.max));
  return 0;
}

bool Reader::boolean() {
  if (error_) return false;
  bool value = false;
  if (kind() != Kind::kBoolean || space_.value.get_bool().get(value) != simdjson::SUCCESS) {
    refuse("must be true or false");
    return false;
  }
  return value;
}

std::string Reader::raw() {
  if (error_) return {};
  const Kind what = kind();
  std::string_view text;
  simdjson::error_code problem{};
  if (what == Kind::kObject) {
    ondemand::object object;
    problem = space_.value.get_object().get(object);
    if (problem == simdjson::SUCCESS) problem = object.raw_json().get(text);
  } else if (what == Kind::kArray) {
    ondemand::array array;
    problem = space_.value.get_array().get(array);
    if (problem == simdjson::SUCCESS) problem = array.raw_json().get(text);
  } else {
    text = space_.value.raw_json_token();
  }
  if (error_) return {};
  if (problem != simdjson::SUCCESS) {
    malformed("a value does not end");
    return {};
  }
  // A scalar's text reaches up to the next one.
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  text = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  if (const auto flaw = find_flaw(text)) {
    refuse("is not JSON: " + std::string(flaw->what) + " at byte " + std::to_string(flaw->at));
    return {};
  }
  return std::string(text);
}

Status Reader::finish() {
  if (!error_ && space_.document.current_location().error() != simdjson::OUT_OF_BOUNDS)
    malformed("there is something after the object");
  if (error_) return *error_;
  return Ok{};
}

}  // namespace baton::json
