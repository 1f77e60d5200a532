#include "lifecycle/text.h"

#include <algorithm>

namespace baton::lifecycle {
namespace {

bool is_plain(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  const bool digit = c >= '0' && c <= '9';
  return letter || digit || std::string_view("._:/-").find(c) != std::string_view::npos;
}

bool is_printable_ascii(char c) { return c > ' ' && c <= '~'; }

}  // namespace

bool is_plain_name(std::string_view text) {
  return std::all_of(text.begin(), text.end(), is_plain);
}

bool is_http_url(std::string_view text) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (text.starts_with(scheme) && text.size() > scheme.size()) {
      return std::all_of(text.begin(), text.end(), is_printable_ascii);
    }
  }
  return false;
}

}  // namespace baton::lifecycle
