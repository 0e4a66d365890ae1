// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/explain.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "src/base/names.hpp"

namespace roce::transport::verbs {
namespace {

std::string to_string(const EndText& end) {
  return fmt::format("{} ({}, GID index {}, {})", end.port, end.gid, end.gid_index,
                     end.netdev.empty() ? "netdev unknown" : end.netdev);
}

/// What to check after an errno of ibv_modify_qp; `link` fills in the names.
std::string modify_advice(const LinkText& link, int error) {
  const EndText& local = link.local;
  const EndText& remote = link.remote;
  switch (error) {
    case EINVAL:
      return fmt::format(
          "the device refuses the connection's values: check that GID index {} of {} "
          "still is {} (`show_gids` or sysfs gids/), that the MTU is no larger than "
          "{}'s, and ROCE_TRAFFIC_CLASS",
          local.gid_index, local.port, local.gid, local.port);
    case ENODATA:
      return fmt::format(
          "GID index {} of {} is empty: the address {} has gone from {}; add it "
          "again, and set no ROCE_GID_INDEX unless you must",
          local.gid_index, local.port, local.gid, local.netdev);
    case ENETUNREACH:
      return fmt::format(
          "there is no route from {} to {}: check that {} is up and has an address "
          "in {}'s subnet",
          local.netdev, remote.gid, local.netdev, remote.gid);
    case ETIMEDOUT:
      return fmt::format(
          "nobody answers for {} on {}'s cable: check the cable, that {} is up on "
          "rank {}'s host, and `ping -I {} {}`",
          remote.gid, local.netdev, remote.netdev, link.peer, local.netdev, remote.gid);
    case ECONNREFUSED:
      return fmt::format(
          "the neighbour entry of {} on {} is refused: check `ip neighbour show dev "
          "{}` and any firewall",
          remote.gid, local.netdev, local.netdev);
    case EHOSTUNREACH:
      return fmt::format(
          "{} cannot be reached from {}: check the cable, the netmasks of both ends "
          "and `ip route get {}`",
          remote.gid, local.netdev, remote.gid);
    case ENOMEM:
      return fmt::format(
          "no memory for the queue pair: check the limit of locked memory (`ulimit "
          "-l`, in containers --ulimit memlock=-1) and how many queue pairs {} has "
          "in use (`rdma resource show`)",
          local.port);
    default:
      return fmt::format("check `dmesg` and the state of {} (`ibv_devinfo -d {}`)", local.netdev,
                         local.port.substr(0, local.port.find(':')));
  }
}

/// What a status means and what to check.
std::string completion_advice(const LinkText& link, ibv_wc_status status) {
  const EndText& local = link.local;
  const EndText& remote = link.remote;
  switch (status) {
    case IBV_WC_RETRY_EXC_ERR:
      return fmt::format(
          "the peer's device does not answer: rank {} may have ended, the cable {} "
          "to {} may be cut or a port down, packets of this size may not pass (equal "
          "MTU on {} and {}?), or ROCE_ACK_TIMEOUT be too short",
          link.peer, local.netdev, remote.netdev, local.netdev, remote.netdev);
    case IBV_WC_RNR_RETRY_EXC_ERR:
      return "the peer had no receive posted, which it promises to have: a defect of this library, "
             "please report it; ROCE_FLAG_MODE=flag needs no receives";
    case IBV_WC_WR_FLUSH_ERR:
      return "the queue pair was already broken: an earlier error of this connection is the cause";
    case IBV_WC_REM_ACCESS_ERR:
      return fmt::format(
          "rank {} does not allow the write: it has released its memory, or runs "
          "with another ROCE_SLOT_MEMORY",
          link.peer);
    case IBV_WC_REM_INV_REQ_ERR:
      return fmt::format(
          "{} calls the request invalid: check that both ends' devices and firmware "
          "support what ROCE_FLAG_MODE asks for",
          remote.port);
    case IBV_WC_REM_OP_ERR:
      return fmt::format("{} could not carry the write out: check rank {}'s `dmesg`", remote.port,
                         link.peer);
    case IBV_WC_REM_ABORT_ERR:
      return fmt::format("{} aborted the operation: check whether rank {} has ended", remote.port,
                         link.peer);
    case IBV_WC_LOC_QP_OP_ERR:
      return fmt::format(
          "{} cannot send: check that {} is up, still has {} and a route to {} (`ip "
          "route get {}`)",
          local.port, local.netdev, local.gid, remote.gid, remote.gid);
    case IBV_WC_LOC_LEN_ERR:
    case IBV_WC_LOC_EEC_OP_ERR:
    case IBV_WC_LOC_PROT_ERR:
    case IBV_WC_LOC_ACCESS_ERR:
    case IBV_WC_LOC_RDD_VIOL_ERR:
    case IBV_WC_BAD_RESP_ERR:
    case IBV_WC_MW_BIND_ERR:
    case IBV_WC_REM_INV_RD_REQ_ERR:
    case IBV_WC_INV_EECN_ERR:
    case IBV_WC_INV_EEC_STATE_ERR:
    case IBV_WC_TM_ERR:
    case IBV_WC_TM_RNDV_INCOMPLETE:
      return fmt::format(
          "{} refuses what this library posted: a defect of the library or of the "
          "driver, please report it with `ibv_devinfo -v -d {}`",
          local.port, local.port.substr(0, local.port.find(':')));
    case IBV_WC_FATAL_ERR:
      return fmt::format("{} or its driver failed: check `dmesg`", local.port);
    case IBV_WC_RESP_TIMEOUT_ERR:
      return fmt::format("{} took too long to answer: check rank {}'s host and the cable",
                         remote.port, link.peer);
    case IBV_WC_GENERAL_ERR:
      return fmt::format("check `dmesg` for {}'s driver", local.port);
    case IBV_WC_SUCCESS:
      return "nothing is wrong";
  }
  return fmt::format("status {} is not known: check `dmesg` for {}'s driver",
                     static_cast<int>(status), local.port);
}

constexpr std::array<base::Name<ibv_wc_status>, 24> status_names{{
    {"success", IBV_WC_SUCCESS},
    {"local length error", IBV_WC_LOC_LEN_ERR},
    {"local queue pair operation error", IBV_WC_LOC_QP_OP_ERR},
    {"local end-to-end context operation error", IBV_WC_LOC_EEC_OP_ERR},
    {"local protection error", IBV_WC_LOC_PROT_ERR},
    {"request flushed", IBV_WC_WR_FLUSH_ERR},
    {"memory window bind error", IBV_WC_MW_BIND_ERR},
    {"bad response", IBV_WC_BAD_RESP_ERR},
    {"local access error", IBV_WC_LOC_ACCESS_ERR},
    {"remote invalid request", IBV_WC_REM_INV_REQ_ERR},
    {"remote access error", IBV_WC_REM_ACCESS_ERR},
    {"remote operation error", IBV_WC_REM_OP_ERR},
    {"retries exceeded", IBV_WC_RETRY_EXC_ERR},
    {"receiver not ready", IBV_WC_RNR_RETRY_EXC_ERR},
    {"local reliable datagram domain violation", IBV_WC_LOC_RDD_VIOL_ERR},
    {"remote invalid read request", IBV_WC_REM_INV_RD_REQ_ERR},
    {"remote abort", IBV_WC_REM_ABORT_ERR},
    {"invalid end-to-end context number", IBV_WC_INV_EECN_ERR},
    {"invalid end-to-end context state", IBV_WC_INV_EEC_STATE_ERR},
    {"fatal error", IBV_WC_FATAL_ERR},
    {"response timeout", IBV_WC_RESP_TIMEOUT_ERR},
    {"general error", IBV_WC_GENERAL_ERR},
    {"tag matching error", IBV_WC_TM_ERR},
    {"tag matching rendezvous incomplete", IBV_WC_TM_RNDV_INCOMPLETE},
}};

}  // namespace

std::string to_string(const LinkText& link) {
  return fmt::format("rank {} over {} to {}", link.peer, to_string(link.local),
                     to_string(link.remote));
}

EndText end_text(const PortInfo& port, const GidInfo& gid) {
  return {port_name(port), address_text(gid.bytes), gid.index, gid.netdev};
}

std::string errno_text(int error) {
  return fmt::format("{} (errno {})", std::generic_category().message(error), error);
}

std::string explain_modify(const LinkText& link, const char* state, int error) {
  return fmt::format("cannot connect to {}: ibv_modify_qp to {}: {}; {}", to_string(link), state,
                     errno_text(error), modify_advice(link, error));
}

std::string explain_post(const LinkText& link, int error) {
  return fmt::format(
      "the connection to {} failed: ibv_post_send: {}; a defect of this library or of "
      "the driver, please report it with `ibv_devinfo -v -d {}`",
      to_string(link), errno_text(error), link.local.port.substr(0, link.local.port.find(':')));
}

std::string explain_completion(const LinkText& link, ibv_wc_status status, unsigned vendor_error) {
  return fmt::format("the connection to {} failed: {} (status {}, vendor error {:#x}); {}",
                     to_string(link), base::name_of(status_names, status), static_cast<int>(status),
                     vendor_error, completion_advice(link, status));
}

}  // namespace roce::transport::verbs
