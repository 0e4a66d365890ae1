// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace roce::bootstrap {

/// What one launcher's variables say. Each from_... function is empty when that launcher did not
/// start this process, and throws Error (InvalidArgument) that names the variable when its
/// variables are incomplete or wrong.
struct LauncherView {
  std::string source;
  int rank = 0;
  int size = 1;
  int local_rank = 0;
  /// The same text on all ranks of the job and on no other job's, as far as the launcher can tell.
  std::string identity;
  std::string host;        ///< where rank 0 is; empty when the launcher does not say
  std::uint16_t port = 0;  ///< meaningless when host is empty
  std::string advice;      ///< when host is empty: why, for a person
};

[[nodiscard]] std::optional<LauncherView> from_roce_variables();
[[nodiscard]] std::optional<LauncherView> from_torchrun();
[[nodiscard]] std::optional<LauncherView> from_open_mpi();
[[nodiscard]] std::optional<LauncherView> from_pmi();
[[nodiscard]] std::optional<LauncherView> from_slurm();

/// A variable's value; empty variables are unset.
[[nodiscard]] std::optional<std::string> variable(const char* name);
/// The value or an empty text.
[[nodiscard]] std::string text_of(const char* name);
/// A whole number that is not negative. Throws Error that names the variable and its value.
[[nodiscard]] std::optional<int> number(const char* name);
/// Like number(), but throws Error when it is unset: `because` says which variable asks for it.
[[nodiscard]] int needed_number(const char* name, std::string_view because);

/// A port below the range from which the kernel takes ports for outgoing connections, the same for
/// the same identity.
[[nodiscard]] std::uint16_t port_for(std::string_view identity);

/// The first host of a Slurm node list: "node[007-009,12],login" is node007. Throws Error
/// (InvalidArgument) when brackets do not match.
[[nodiscard]] std::string first_host(std::string_view node_list);

}  // namespace roce::bootstrap
