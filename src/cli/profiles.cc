#include "cli/profiles.h"

#include <string>

#include "cli/output.h"
#include "lifecycle/describe.h"

namespace baton::cli {

int run_profiles(ProfilesForm form) {
  std::string text;
  switch (form) {
    case ProfilesForm::kText:
      lifecycle::describe_text(text);
      break;
    case ProfilesForm::kJson:
      lifecycle::describe_json(text);
      break;
    case ProfilesForm::kMermaid:
      lifecycle::describe_diagrams(text);
      break;
  }
  return print(text);
}

}  // namespace baton::cli
