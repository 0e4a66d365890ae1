// SPDX-License-Identifier: Apache-2.0
#include "roce/launch.hpp"

#include "roce/status.hpp"
#include "src/bootstrap/launcher.hpp"
#include "tests/catch.hpp"
#include "tests/unit/environment.hpp"

using Catch::Contains;
using roce::launch_from_environment;
using roce::LaunchInfo;
using roce::UniqueId;
using roce::test::Environment;
using Variables = Environment::Variables;

namespace {

LaunchInfo launch_with(const Variables& variables) {
  const Environment environment(variables);
  return launch_from_environment();
}

Variables with(Variables variables, const std::string& name, const std::string& value) {
  for (auto& [key, old] : variables) {
    if (key == name) {
      old = value;
      return variables;
    }
  }
  variables.emplace_back(name, value);
  return variables;
}

const std::string digits = "00112233445566778899aabbccddeeff";
const Variables roce_job{{"ROCE_RANK", "2"},
                         {"ROCE_SIZE", "4"},
                         {"ROCE_LOCAL_RANK", "1"},
                         {"ROCE_RENDEZVOUS", "spark1:29400/" + digits}};
const Variables torchrun_job{{"RANK", "3"},
                             {"WORLD_SIZE", "4"},
                             {"LOCAL_RANK", "1"},
                             {"MASTER_ADDR", "spark1"},
                             {"MASTER_PORT", "29500"},
                             {"TORCHELASTIC_RUN_ID", "run1"}};
const Variables open_mpi_job{
    {"OMPI_COMM_WORLD_RANK", "1"},       {"OMPI_COMM_WORLD_SIZE", "4"},
    {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
    {"PMIX_NAMESPACE", "1562378241"},    {"PMIX_RANK", "1"}};
const Variables pmi_job{{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "1"}};
const Variables slurm_job{{"SLURM_PROCID", "5"},
                          {"SLURM_NTASKS", "8"},
                          {"SLURM_STEP_NUM_TASKS", "6"},
                          {"SLURM_LOCALID", "1"},
                          {"SLURM_JOB_ID", "77"},
                          {"SLURM_STEP_ID", "0"},
                          {"SLURM_JOB_NODELIST", "spark[01-04]"},
                          {"SLURM_STEP_NODELIST", "spark[03-04]"}};

}  // namespace

TEST_CASE("without a launcher a process is a job of one rank") {
  const LaunchInfo info = launch_with({});
  CHECK(info.rank == 0);
  CHECK(info.size == 1);
  CHECK(info.source == "none");
}

TEST_CASE("ROCE variables give everything") {
  const LaunchInfo info = launch_with(roce_job);
  CHECK(info.rank == 2);
  CHECK(info.size == 4);
  CHECK(info.local_rank == 1);
  CHECK(info.rendezvous == UniqueId::parse("spark1:29400/" + digits));
  CHECK(info.source == "ROCE_RANK");
}

TEST_CASE("a job of one rank needs no meeting point") {
  CHECK(launch_with({{"ROCE_RANK", "0"}, {"ROCE_SIZE", "1"}}).size == 1);
  CHECK(launch_with({{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}).source == "PMI");
  CHECK(launch_with({{"RANK", "0"}, {"WORLD_SIZE", "1"}}).source == "torchrun");
}

TEST_CASE("torchrun's meeting point is beside its store") {
  const LaunchInfo info = launch_with(torchrun_job);
  CHECK(info.rank == 3);
  CHECK(info.size == 4);
  CHECK(info.local_rank == 1);
  CHECK(info.rendezvous.host == "spark1");
  CHECK(info.rendezvous.port == 30500);
  CHECK(info.source == "torchrun");
  CHECK(launch_with(with(torchrun_job, "MASTER_PORT", "65000")).rendezvous.port == 64000);
}

TEST_CASE("Open MPI on one host meets on the loopback address") {
  const LaunchInfo info = launch_with(open_mpi_job);
  CHECK(info.rank == 1);
  CHECK(info.size == 4);
  CHECK(info.rendezvous.host == "127.0.0.1");
  CHECK(info.rendezvous.port >= 20'000);
  CHECK(info.rendezvous.port < 32'768);
  CHECK(info.source == "Open MPI");
}

TEST_CASE("Open MPI on several hosts asks for a meeting point and takes it") {
  const auto job = with(open_mpi_job, "OMPI_COMM_WORLD_LOCAL_SIZE", "2");
  CHECK_THROWS_WITH(launch_with(job), Contains("mpirun -x ROCE_RENDEZVOUS=host:port"));
  const LaunchInfo info = launch_with(with(job, "ROCE_RENDEZVOUS", "10.0.0.1:4000"));
  CHECK(info.source == "Open MPI");
  CHECK(info.rank == 1);
  CHECK(info.rendezvous.host == "10.0.0.1");
  CHECK(info.rendezvous.port == 4000);
}

TEST_CASE("PMI and PMIx give rank and size") {
  CHECK_THROWS_WITH(launch_with(pmi_job), Contains("PMI") && Contains("ROCE_RENDEZVOUS"));
  const LaunchInfo pmi = launch_with(with(pmi_job, "ROCE_RENDEZVOUS", "[fd00::1]:4000"));
  CHECK(pmi.rank == 1);
  CHECK(pmi.size == 2);
  CHECK(pmi.local_rank == 1);
  CHECK(pmi.rendezvous.host == "fd00::1");
  CHECK_THROWS_WITH(launch_with({{"PMIX_RANK", "1"}}), Contains("ROCE_SIZE"));
  const LaunchInfo pmix =
      launch_with({{"PMIX_RANK", "1"}, {"ROCE_SIZE", "3"}, {"ROCE_RENDEZVOUS", "10.0.0.1:4000"}});
  CHECK(pmix.source == "PMIx");
  CHECK(pmix.size == 3);
}

TEST_CASE("Slurm's step gives the size and the first host") {
  const LaunchInfo info = launch_with(slurm_job);
  CHECK(info.rank == 5);
  CHECK(info.size == 6);
  CHECK(info.local_rank == 1);
  CHECK(info.rendezvous.host == "spark03");
  CHECK(info.source == "Slurm");
  const LaunchInfo next_step = launch_with(with(slurm_job, "SLURM_STEP_ID", "1"));
  CHECK(next_step.rendezvous.secret != info.rendezvous.secret);
  CHECK(launch_with(with(slurm_job, "PMIX_RANK", "5")).source == "Slurm");
}

TEST_CASE("the shells of salloc and sbatch are jobs of one rank") {
  CHECK(launch_with({{"SLURM_PROCID", "0"}}).size == 1);
  CHECK(launch_with({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"SLURM_JOB_ID", "9"}}).size ==
        1);
  CHECK(launch_with({{"SLURM_PROCID", "0"},
                     {"SLURM_NTASKS", "4"},
                     {"SLURM_STEP_ID", "4294967290"},
                     {"SLURM_JOB_NODELIST", "a[1-4]"}})
            .size == 1);
}

TEST_CASE("the first host of a Slurm node list") {
  const auto [list, host] = GENERATE(table<const char*, const char*>({
      {"spark1", "spark1"},
      {"spark1,spark2", "spark1"},
      {"spark[1-4]", "spark1"},
      {"node[007-009,12],login", "node007"},
      {"node[12,007-009]", "node12"},
      {"rack[2-3]-node[05,07]-ib", "rack2-node05-ib"},
      {"a-b[1],c[2-3]", "a-b1"},
  }));
  CHECK(roce::bootstrap::first_host(list) == host);
  for (const char* broken : {"", ",a", "a[1-2", "a[]", "a1]"}) {
    CHECK_THROWS_WITH(roce::bootstrap::first_host(broken), Contains("ROCE_RENDEZVOUS"));
  }
}

TEST_CASE("the earlier launcher of the list wins") {
  Variables all = roce_job;
  for (const auto& job : {torchrun_job, open_mpi_job, pmi_job, slurm_job}) {
    all.insert(all.end(), job.begin(), job.end());
  }
  CHECK(launch_with(all).source == "ROCE_RANK");
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(roce_job.size()));
  CHECK(launch_with(all).source == "torchrun");
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(torchrun_job.size()));
  CHECK(launch_with(all).source == "Open MPI");
}

TEST_CASE("the secret is the rendezvous' own, else ROCE_SECRET, else the job's") {
  const auto job = with(torchrun_job, "ROCE_RENDEZVOUS", "10.0.0.1:4000/" + digits);
  CHECK(launch_with(job).rendezvous == UniqueId::parse("10.0.0.1:4000/" + digits));
  const auto given = with(torchrun_job, "ROCE_SECRET", "ffeeddccbbaa99887766554433221100");
  CHECK(launch_with(given).rendezvous.secret ==
        UniqueId::parse("a:1/ffeeddccbbaa99887766554433221100").secret);
  const auto derived = launch_with(torchrun_job).rendezvous.secret;
  CHECK(derived != decltype(derived){});
  CHECK(launch_with(with(torchrun_job, "RANK", "0")).rendezvous.secret == derived);
  CHECK(launch_with(with(torchrun_job, "TORCHELASTIC_RUN_ID", "run2")).rendezvous.secret !=
        derived);
}

TEST_CASE("what is wrong or missing is named") {
  const auto [variables, expected] = GENERATE(table<Variables, const char*>({
      {{{"ROCE_RANK", "0"}}, "ROCE_SIZE is not"},
      {{{"ROCE_SIZE", "2"}}, "ROCE_RANK is not"},
      {{{"ROCE_RANK", "0"}, {"ROCE_SIZE", "2"}}, "ROCE_RENDEZVOUS"},
      {{{"ROCE_RANK", "2"}, {"ROCE_SIZE", "2"}}, "rank 2 of 2"},
      {{{"ROCE_RANK", "0"}, {"ROCE_SIZE", "0"}}, "rank 0 of 0"},
      {{{"ROCE_RANK", "-1"}, {"ROCE_SIZE", "2"}}, "ROCE_RANK=-1"},
      {{{"ROCE_RANK", "one"}, {"ROCE_SIZE", "2"}}, "ROCE_RANK=one"},
      {{{"RANK", "0"}, {"MASTER_ADDR", "a"}}, "WORLD_SIZE is not"},
      {{{"RANK", "0"}, {"WORLD_SIZE", "2"}}, "MASTER_ADDR is not"},
      {{{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}}, "MASTER_PORT is not"},
      {{{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "70000"}},
       "MASTER_PORT=70000"},
      {{{"OMPI_COMM_WORLD_RANK", "0"}}, "OMPI_COMM_WORLD_SIZE is not"},
      {{{"PMI_RANK", "0"}}, "PMI_SIZE is not"},
      {{{"SLURM_PROCID", "1"}, {"SLURM_STEP_ID", "0"}}, "SLURM_NTASKS is not"},
      {{{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}}, "SLURM_STEP_NODELIST"},
  }));
  CHECK_THROWS_WITH(launch_with(variables), Contains(expected));
}

TEST_CASE("a bad meeting point or secret is named and the secret not repeated") {
  CHECK_THROWS_WITH(launch_with(with(roce_job, "ROCE_RENDEZVOUS", "spark1")),
                    Contains("ROCE_RENDEZVOUS: ") && Contains("port is missing"));
  CHECK_THROWS_WITH(launch_with(with(roce_job, "ROCE_RENDEZVOUS", "spark1:1/abcd")),
                    Contains("ROCE_RENDEZVOUS: ") && !Contains("abcd"));
  CHECK_THROWS_WITH(launch_with(with(torchrun_job, "ROCE_SECRET", "topsecret")),
                    Contains("ROCE_SECRET: ") && !Contains("topsecret"));
}

TEST_CASE("common words alone do not make a job") {
  CHECK(launch_with({{"RANK", "3"}}).source == "none");
  CHECK(launch_with({{"WORLD_SIZE", "3"}}).source == "none");
}
