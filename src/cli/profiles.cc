// `baton profiles`: the lifecycle tables, for people, for programs or for the documentation.
#include "cli/commands.h"
#include "lifecycle/describe.h"

namespace baton::cli {
namespace {

struct ProfilesRequest {
  bool json = false;
  bool mermaid = false;
};

int run_profiles(const ProfilesRequest& request) {
  std::string text;
  if (request.json) {
    lifecycle::describe_json(text);
  } else if (request.mermaid) {
    lifecycle::describe_diagrams(text);
  } else {
    lifecycle::describe_text(text);
  }
  return print(text);
}

}  // namespace

const char kLocalExamples[] =
    "  baton profiles             the tables of the job model, to read\n"
    "  baton profiles --json      the same for a program\n"
    "  baton profiles --mermaid   state diagrams, as a Markdown page\n"
    "  baton doctor               is the data in ./baton-data in order?\n"
    "  baton backup copies/mon    copy ./baton-data, also while it is in use\n"
    "  baton restore copies/mon --store file:./new-data";

void add_profiles(Program& program) {
  const auto profiles = add_command(program,
                                    {"profiles", "Print the five profiles and their tables",
                                     std::string("Examples:\n") + kLocalExamples},
                                    run_profiles);
  CLI::Option* json = profiles.flag("--json", &ProfilesRequest::json, "As JSON");
  profiles.flag("--mermaid", &ProfilesRequest::mermaid, "As state diagrams in Markdown")
      ->excludes(json);
}

}  // namespace baton::cli
