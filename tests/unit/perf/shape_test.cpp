// SPDX-License-Identifier: Apache-2.0
#include "perf/common/shape.hpp"

#include "tests/catch.hpp"

namespace {

using namespace roce::perf;
using roce::Collective;
using roce::DataType;

TEST_CASE("the size of all-gather and reduce-scatter is the total, rounded down") {
  const Shape gather = shape_of(Collective::AllGather, DataType::Float32, 100, 3);
  CHECK(gather.count == 8);
  CHECK(gather.send_bytes == 32);
  CHECK(gather.size() == 96);
  const Shape scatter = shape_of(Collective::ReduceScatter, DataType::Float64, 100, 3);
  CHECK(scatter.count == 4);
  CHECK(scatter.receive_bytes == 32);
  CHECK(scatter.size() == 96);
}

TEST_CASE("a size below one element is empty") {
  CHECK(shape_of(Collective::AllReduce, DataType::Float64, 7, 2).count == 0);
  CHECK(shape_of(Collective::AllGather, DataType::Float32, 8, 4).size() == 0);
}

TEST_CASE("in place as the communicator defines it") {
  std::byte send[64];
  std::byte receive[64];
  const Shape gather = shape_of(Collective::AllGather, DataType::Int8, 64, 4);
  const Placement g = place(Collective::AllGather, gather, 2, true, send, receive);
  CHECK(g.out == receive);
  CHECK(g.in == receive + 32);
  const Shape scatter = shape_of(Collective::ReduceScatter, DataType::Int8, 64, 4);
  const Placement s = place(Collective::ReduceScatter, scatter, 2, true, send, receive);
  CHECK(s.in == send);
  CHECK(s.out == send + 32);
  const Placement r = place(Collective::AllReduce, gather, 2, true, send, receive);
  CHECK(r.in == r.out);
  const Placement apart = place(Collective::AllReduce, gather, 2, false, send, receive);
  CHECK(apart.in == send);
  CHECK(apart.out == receive);
}

}  // namespace
