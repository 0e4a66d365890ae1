// SPDX-License-Identifier: Apache-2.0
#include "src/transport/shm/memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sodium.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "roce/status.hpp"

namespace roce::transport::shm {
namespace {

std::string errno_text(int error) { return std::generic_category().message(error); }

/// Closes a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int value) noexcept : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const noexcept { return value_; }

 private:
  int value_;
};

/// The mappings that ranks of this process offer, by name.
class Registry {
 public:
  static Registry& instance() {
    static Registry registry;
    return registry;
  }
  void add(const std::string& name, const std::shared_ptr<Mapping>& mapping) {
    const std::scoped_lock lock(mutex_);
    mappings_[name] = mapping;
  }
  void remove(const std::string& name) noexcept {
    const std::scoped_lock lock(mutex_);
    mappings_.erase(name);
  }
  std::shared_ptr<Mapping> find(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    const auto found = mappings_.find(name);
    return found == mappings_.end() ? nullptr : found->second.lock();
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Mapping>> mappings_;
};

/// The process id is part of the name: a forked child has the parent's registry, but not its names.
std::string random_name() {
  if (sodium_init() < 0) throw Error(ErrorCode::Resource, "libsodium cannot initialise");
  std::array<std::uint64_t, 2> bits{};
  randombytes_buf(bits.data(), sizeof bits);
  return fmt::format("/roce-{}-{:016x}{:016x}", ::getpid(), bits[0], bits[1]);
}

[[noreturn]] void fail(std::string_view operation, const std::string& name, std::size_t bytes,
                       int error, std::string_view hint) {
  throw Error(ErrorCode::Resource, fmt::format("{} of shared memory {} ({} bytes): {}; {}",
                                               operation, name, bytes, errno_text(error), hint));
}

constexpr std::string_view space_hint =
    "check the size of /dev/shm (containers: --shm-size or --ipc=host) or lower ROCE_SLOT_MEMORY";

}  // namespace

Mapping::Mapping(int descriptor, std::size_t bytes, const std::string& name) : bytes_(bytes) {
  void* address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (address == MAP_FAILED) fail("mmap", name, bytes, errno, space_hint);
  data_ = static_cast<std::byte*>(address);
}

Mapping::~Mapping() { ::munmap(data_, bytes_); }

Memory::Memory(std::size_t bytes) : name_(random_name()) {
  const Descriptor file(::shm_open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.get() < 0) fail("shm_open", name_, bytes, errno, "check that /dev/shm is writable");
  // posix_fallocate reports a full /dev/shm here; after ftruncate it would be a SIGBUS on first
  // use.
  int error = 0;
  do {
    error = ::posix_fallocate(file.get(), 0, static_cast<off_t>(bytes));
  } while (error == EINTR);
  if (error != 0) {
    ::shm_unlink(name_.c_str());
    fail("posix_fallocate", name_, bytes, error, space_hint);
  }
  try {
    mapping_ = std::make_shared<Mapping>(file.get(), bytes, name_);
    Registry::instance().add(name_, mapping_);
  } catch (...) {
    ::shm_unlink(name_.c_str());
    throw;
  }
}

Memory::Memory(Memory&& other) noexcept
    : name_(std::exchange(other.name_, {})), mapping_(std::move(other.mapping_)) {}

Memory::~Memory() { unlink(); }

void Memory::unlink() noexcept {
  if (name_.empty()) return;
  ::shm_unlink(name_.c_str());
  Registry::instance().remove(name_);
  name_.clear();
}

std::shared_ptr<Mapping> map_peer(const std::string& name, std::size_t bytes, int peer) {
  if (auto mine = Registry::instance().find(name)) return mine;
  const auto hint = fmt::format(
      "rank {} made it on what says it is this host; do both see the same /dev/shm? "
      "(set ROCE_HOSTID differently where they do not)",
      peer);
  const Descriptor file(::shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0));
  if (file.get() < 0) fail("shm_open", name, bytes, errno, hint);
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) fail("fstat", name, bytes, errno, hint);
  if (static_cast<std::size_t>(info.st_size) != bytes) {
    throw Error(ErrorCode::Mismatch,
                fmt::format("shared memory {} of rank {} has {} bytes, expected {}", name, peer,
                            info.st_size, bytes));
  }
  return std::make_shared<Mapping>(file.get(), bytes, name);
}

}  // namespace roce::transport::shm
