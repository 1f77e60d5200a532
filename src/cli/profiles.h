// The command `baton profiles`: the lifecycle tables, for people, for programs or for the
// documentation. It needs no server and no store.
#pragma once

namespace baton::cli {

enum class ProfilesForm { kText, kJson, kMermaid };

// Prints the tables; the result is the program's exit code.
[[nodiscard]] int run_profiles(ProfilesForm form);

}  // namespace baton::cli
