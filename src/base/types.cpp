// SPDX-License-Identifier: Apache-2.0
#include "roce/types.hpp"

#include <array>

#include "src/base/names.hpp"

namespace roce {
namespace {

using base::Name;
using base::name_of;
using base::value_of;

constexpr std::array data_type_names{
    Name<DataType>{"int8", DataType::Int8},
    Name<DataType>{"uint8", DataType::Uint8},
    Name<DataType>{"int32", DataType::Int32},
    Name<DataType>{"uint32", DataType::Uint32},
    Name<DataType>{"int64", DataType::Int64},
    Name<DataType>{"uint64", DataType::Uint64},
    Name<DataType>{"float16", DataType::Float16},
    Name<DataType>{"float32", DataType::Float32},
    Name<DataType>{"float64", DataType::Float64},
    Name<DataType>{"bfloat16", DataType::BFloat16},
    Name<DataType>{"fp8e4m3", DataType::Float8E4M3},
    Name<DataType>{"fp8e5m2", DataType::Float8E5M2},
    Name<DataType>{"half", DataType::Float16},
    Name<DataType>{"float", DataType::Float32},
    Name<DataType>{"double", DataType::Float64},
    Name<DataType>{"char", DataType::Int8},
    Name<DataType>{"int", DataType::Int32},
    Name<DataType>{"f8e4m3", DataType::Float8E4M3},
    Name<DataType>{"f8e5m2", DataType::Float8E5M2},
};

constexpr std::array reduce_op_names{
    Name<ReduceOp::Kind>{"sum", ReduceOp::Kind::Sum},
    Name<ReduceOp::Kind>{"prod", ReduceOp::Kind::Prod},
    Name<ReduceOp::Kind>{"max", ReduceOp::Kind::Max},
    Name<ReduceOp::Kind>{"min", ReduceOp::Kind::Min},
    Name<ReduceOp::Kind>{"avg", ReduceOp::Kind::Avg},
    Name<ReduceOp::Kind>{"mulsum", ReduceOp::Kind::PremulSum},
};

constexpr std::array collective_names{
    Name<Collective>{"all_reduce", Collective::AllReduce},
    Name<Collective>{"all_gather", Collective::AllGather},
    Name<Collective>{"reduce_scatter", Collective::ReduceScatter},
    Name<Collective>{"broadcast", Collective::Broadcast},
    Name<Collective>{"barrier", Collective::Barrier},
};

constexpr std::array numerics_names{
    Name<Numerics>{"rank_ordered", Numerics::RankOrdered},
    Name<Numerics>{"agreed", Numerics::Agreed},
};

}  // namespace

std::string_view to_string(DataType type) noexcept { return name_of(data_type_names, type); }
std::string_view to_string(ReduceOp::Kind kind) noexcept { return name_of(reduce_op_names, kind); }
std::string_view to_string(Collective collective) noexcept {
  return name_of(collective_names, collective);
}
std::string_view to_string(Numerics numerics) noexcept { return name_of(numerics_names, numerics); }

DataType parse_data_type(std::string_view text) {
  return value_of(data_type_names, text, "element type");
}
ReduceOp::Kind parse_reduce_op(std::string_view text) {
  return value_of(reduce_op_names, text, "reduction operator");
}
Collective parse_collective(std::string_view text) {
  return value_of(collective_names, text, "collective");
}
Numerics parse_numerics(std::string_view text) {
  return value_of(numerics_names, text, "numerics class");
}

}  // namespace roce
