#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs roce_all_reduce_perf and all_reduce_openmpi alternately and prints medians and their ratio.

Both time a warm, page-aligned float sum out of place with the same loops. p50 is taken the same way
on both sides: of each iteration the slowest rank, of those the median.
"""

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass

RUN_SECONDS = 300


@dataclass(frozen=True)
class Case:
    """Ranks on cores, the sizes of interest, and what is compared."""

    ranks: int
    cores: int
    sizes: tuple
    stat: str
    iterations: int


def design_cases(iterations):
    pair = Case(2, 2, (8, 128, 2048, 8192, 16384, 32768, 65536), "p50", iterations or 4000)
    crowd = Case(8, 2, tuple(8 << i for i in range(11)), "mean", iterations or 400)
    return [pair, crowd]


def target(case, size):
    """The ratio that the design asks for, or None for a case that it does not name."""
    if case.stat == "mean":
        return 3.0 if (case.ranks, case.cores) == (8, 2) and 8 <= size <= 8192 else None
    if (case.ranks, case.cores) != (2, 2):
        return None
    if size in (8, 128):
        return 1.5
    if size == 2048:
        return 1.0
    return 1.25 if 8192 <= size <= 65536 else None


def physical_cores():
    """One allowed CPU of each core, then their siblings."""
    first, siblings, seen = [], [], set()
    for cpu in sorted(os.sched_getaffinity(0)):
        try:
            path = f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"
            with open(path, encoding="ascii") as file:
                core = file.read().strip()
        except OSError:
            core = str(cpu)
        (siblings if core in seen else first).append(cpu)
        seen.add(core)
    return first + siblings


def pinned(case, cpus, command):
    """`command` on the CPU that is its rank's, counted round, for either launcher."""
    by_rank = " ".join(f"{rank}) cpu={cpus[rank % len(cpus)]};;" for rank in range(case.ranks))
    choice = f'case "${{OMPI_COMM_WORLD_LOCAL_RANK:-$ROCE_RANK}}" in {by_rank} esac'
    return ["sh", "-c", f'{choice}; exec taskset -c "$cpu" "$@"', "sh", *command]


def size_options(case):
    return ["-b", str(case.sizes[0]), "-e", str(case.sizes[-1]), "-f", "2",
            "-n", str(case.iterations), "-w", str(max(20, case.iterations // 10))]


def run(command):
    """The command's stdout. Raises SystemExit with its output when it fails or hangs."""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=environment, start_new_session=True)
    try:
        output, errors = process.communicate(timeout=RUN_SECONDS)
    except BaseException as error:
        os.killpg(process.pid, signal.SIGKILL)
        if isinstance(error, subprocess.TimeoutExpired):
            sys.exit(f"no end after {RUN_SECONDS} s: {' '.join(command)}")
        raise
    if process.returncode != 0:
        sys.exit(f"{output}{errors}status {process.returncode} of: {' '.join(command)}")
    return output


def run_ours(binaries, case, cpus):
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        program = [f"{binaries}/roce_all_reduce_perf", *size_options(case), "-J", report,
                   "--percentiles"]
        run([f"{binaries}/rocectl", "run", "-n", str(case.ranks), "--",
             *pinned(case, cpus, program)])
        with open(report, encoding="utf-8") as file:
            rows = json.load(file)["results"]
    if case.stat == "p50":
        return {row["size"]: row["out_of_place_per_iter"]["p50_us"] for row in rows}
    return {row["size"]: row["out_of_place"]["time"] for row in rows}


def run_theirs(binaries, case, cpus):
    launcher = ["mpirun", "-np", str(case.ranks), "--bind-to", "none"]
    if case.ranks > case.cores:
        # What Open MPI itself sets when it knows that cores are short; on a machine with more cores
        # than the case uses it cannot know.
        launcher += ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
    program = [f"{binaries}/all_reduce_openmpi", *size_options(case)]
    report = json.loads(run([*launcher, *pinned(case, cpus, program)]))
    key = "p50_us" if case.stat == "p50" else "time"
    return report["library"].split(",")[0], {row["size"]: row[key] for row in report["results"]}


def show_progress(text):
    """One line that replaces itself; nothing unless a person watches."""
    if sys.stderr.isatty():
        print(f"\r{text:60}\r{text}", end="", file=sys.stderr, flush=True)


def measure(binaries, case, rounds):
    """Medians over rounds: {size: (ours, theirs)}, and the other library's name."""
    cpus = physical_cores()[:case.cores]
    if len(cpus) < case.cores:
        sys.exit(f"{case.ranks} ranks are to run on {case.cores} cores, and this machine lets us "
                 f"use {len(cpus)}; use --cores")
    ours, theirs, library = [], [], ""
    for index in range(rounds):
        show_progress(f"{case.ranks} ranks on {case.cores} cores, round {index + 1} of {rounds}")
        # Whoever runs second finds another machine, so take turns.
        for side in (0, 1) if index % 2 == 0 else (1, 0):
            if side == 0:
                ours.append(run_ours(binaries, case, cpus))
            else:
                library, times = run_theirs(binaries, case, cpus)
                theirs.append(times)
    show_progress("")
    return {size: (statistics.median(times[size] for times in ours),
                   statistics.median(times[size] for times in theirs))
            for size in case.sizes}, library


def print_case(case, medians):
    """Prints the rows. Returns how many miss the design's ratio."""
    missed = 0
    for size, (ours, theirs) in medians.items():
        ratio, wanted = theirs / ours, target(case, size)
        verdict = ""
        if wanted is not None:
            verdict = f"{wanted:6.2f}  {'ok' if ratio >= wanted else 'MISSED'}"
            missed += ratio < wanted
        print(f"{case.ranks:5}  {case.cores:5}  {size:8}  {case.stat:>4}  {ours:9.2f}  "
              f"{theirs:9.2f}  {ratio:6.2f}  {verdict}".rstrip())
    return missed


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="compare_openmpi.sh", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Measures our all-reduce and Open MPI's alternately on this machine.",
        epilog="Without --ranks: the design's rows, 2 ranks on 2 cores (p50) and 8 on 2 (mean).\n\n"
               "Example:\n  perf/compare_openmpi.sh --ranks 4 --cores 2 --max-bytes 64K --stat mean")
    parser.add_argument("--bin", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--ranks", type=int, help="processes; compares these instead")
    parser.add_argument("--cores", type=int, help="cores to run on (default: as many as ranks)")
    parser.add_argument("--min-bytes", default="8", help="smallest size, K and M understood (8)")
    parser.add_argument("--max-bytes", default="64K", help="largest size, by doubling (64K)")
    parser.add_argument("--stat", choices=("p50", "mean"), default="p50", help="(p50)")
    parser.add_argument("--rounds", type=int, default=7, help="runs of each side (7)")
    parser.add_argument("--iterations", type=int, help="timed iterations of each size")
    parser.add_argument("--json", metavar="FILE", help="write the medians as a list")
    parser.add_argument("--require", action="store_true",
                        help="status 1 when a row misses the design's ratio")
    arguments = parser.parse_args()
    counts = (arguments.ranks, arguments.cores, arguments.rounds, arguments.iterations)
    if any(count is not None and count < 1 for count in counts):
        parser.error("--ranks, --cores, --rounds and --iterations must be at least 1")
    return arguments, parser


def parse_size(text, parser):
    units = {"K": 10, "M": 20, "G": 30}
    shift = units.get(text[-1:].upper(), 0)
    digits = text[:-1] if shift else text
    if not digits.isdigit() or int(digits) == 0:
        parser.error(f"'{text}' is no size; write bytes, or a number with K, M or G")
    return int(digits) << shift


def chosen_cases(arguments, parser):
    if arguments.ranks is None:
        return design_cases(arguments.iterations)
    size, last = (parse_size(t, parser) for t in (arguments.min_bytes, arguments.max_bytes))
    if size % 4 or size > last:
        parser.error("--min-bytes must be a multiple of a float's 4 bytes and at most --max-bytes")
    sizes = []
    while size <= last:
        sizes.append(size)
        size *= 2
    return [Case(arguments.ranks, arguments.cores or arguments.ranks, tuple(sizes), arguments.stat,
                 arguments.iterations or 1000)]


def main():
    arguments, parser = parse_arguments()
    records, missed, printed = [], 0, False
    for case in chosen_cases(arguments, parser):
        medians, library = measure(arguments.bin, case, arguments.rounds)
        if not printed:
            print(f"# ours against {library}; float sum, medians of {arguments.rounds} rounds\n"
                  "ranks  cores     bytes  stat    ours_us  theirs_us   ratio  target")
            printed = True
        missed += print_case(case, medians)
        records += [{"ranks": case.ranks, "bytes": size, "stat": case.stat, "ours_us": ours,
                     "theirs_us": theirs} for size, (ours, theirs) in medians.items()]
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(records, file, indent=1)
            file.write("\n")
    if missed:
        print(f"# {missed} rows miss the design's ratio")
    return 1 if missed and arguments.require else 0


if __name__ == "__main__":
    sys.exit(main())
