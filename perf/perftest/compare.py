#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs perftest and roce_all_reduce_perf in turn over Soft-RoCE and prints medians and ratios.

p50 is of each iteration's slowest rank. one_way is ib_write_lat's typical time: half a round trip of
a ping-pong. two_way is what ib_write_bw needs for a write each way at once (-b -t 1), which is what
an all-reduce of two ranks must do.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = 1.15  # of the design: 8 bytes in trailer mode against one_way


def in_lab(fabric, command, timeout):
    """The blocks that a command prints on a fabric: (words after the @, text)."""
    script = f". {ROOT}/perf/perftest/measure.sh && {command}"
    run = subprocess.run(
        [ROOT / "tests/lab/run.sh", "--fabric", fabric, "--timeout", str(timeout), "--exec", script],
        stdout=subprocess.PIPE, text=True, check=False, cwd=ROOT)
    if run.returncode != 0:
        sys.exit(f"compare_perftest: the lab ended with status {run.returncode}")
    lines = run.stdout.splitlines()
    return [(lines[i][1:].split(), lines[i + 1]) for i in range(len(lines) - 1)
            if lines[i].startswith("@")]


def typical(line):
    """t_typical of: bytes iterations t_min t_max t_typical t_avg ..."""
    return float(line.split()[4])


def exchange(line):
    """Microseconds for a message each way of: bytes iterations peak average million_messages/s."""
    return 2 / float(line.split()[4])


def p50(report):
    result = json.loads(report)["results"][0]
    if result["out_of_place"]["nwrong"] != 0:
        sys.exit(f"compare_perftest: {result['out_of_place']['nwrong']} wrong elements")
    return result["out_of_place_per_iter"]["p50_us"]


def collect(blocks):
    """{(name, bytes): [microseconds of each round]}, with one_way and two_way as names."""
    readers = {"one_way": typical, "two_way": exchange}
    samples = {}
    for words, text in blocks:
        if words[0] in readers:
            samples.setdefault((words[0], int(words[1])), []).append(readers[words[0]](text))
        else:
            samples.setdefault((words[1], int(words[2])), []).append(p50(text))
    return samples


def print_pair(samples, sizes):
    rows = []
    print("# 2 ranks, all-reduce p50 beside perftest; medians of the rounds, us")
    print(f"{'mode':<8} {'bytes':>6} {'ours':>8} {'one_way':>8} {'ratio':>6} {'two_way':>8} "
          f"{'ratio':>6}")
    for mode in ("trailer", "flag", "imm"):
        for size in sizes:
            ours, one_way, two_way = (statistics.median(samples[(name, size)])
                                      for name in (mode, "one_way", "two_way"))
            row = {"ranks": 2, "mode": mode, "bytes": size, "ours_us": ours, "one_way_us": one_way,
                   "two_way_us": two_way, "ratio": ours / one_way, "two_way_ratio": ours / two_way}
            aim = mode == "trailer" and size == 8
            note = f"  aim {TARGET}: {'ok' if row['ratio'] <= TARGET else 'MISSED'}" if aim else ""
            print(f"{mode:<8} {size:>6} {ours:>8.1f} {one_way:>8.1f} {row['ratio']:>6.2f} "
                  f"{two_way:>8.1f} {row['two_way_ratio']:>6.2f}{note}")
            rows.append(row)
    return rows


def print_schedules(ranks, samples, sizes):
    rows = []
    names = ("one_shot", "two_shot", "bidirectional_relay")
    print(f"# {ranks} ranks behind a switch, all-reduce p50 in us; medians of the rounds")
    print(f"{'bytes':>6} " + " ".join(f"{name:>20}" for name in names))
    for size in sizes:
        times = [statistics.median(samples[(name, size)]) for name in names]
        print(f"{size:>6} " + " ".join(f"{time:>20.1f}" for time in times))
        rows += [{"ranks": ranks, "schedule": name, "bytes": size, "ours_us": time}
                 for name, time in zip(names, times)]
    return rows


def parse():
    parser = argparse.ArgumentParser(prog="compare_perftest.sh", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="runs of each (3)")
    parser.add_argument("--iterations", type=int, default=1000, help="of each run (1000)")
    parser.add_argument("--pair-only", action="store_true", help="leave out 4 and 8 ranks")
    parser.add_argument("--json", metavar="FILE", help="write the rows as a list")
    parser.add_argument("--require", action="store_true", help="status 1 when the aim is missed")
    return parser.parse_args()


def main():
    options = parse()
    sizes = (8, 1024, 8192)
    words = " ".join(map(str, sizes))
    samples = collect(in_lab("pair", f"pair {options.rounds} {options.iterations} {words}", 1200))
    rows = print_pair(samples, sizes)
    if not options.pair_only:
        for ranks in (4, 8):
            command = f"schedules {options.rounds} {max(options.iterations // 10, 20)} {words}"
            samples = collect(in_lab(f"switch {ranks}", command, 1200))
            rows += print_schedules(ranks, samples, sizes)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    missed = any(row.get("mode") == "trailer" and row["bytes"] == 8 and row["ratio"] > TARGET
                 for row in rows)
    return 1 if missed and options.require else 0


if __name__ == "__main__":
    sys.exit(main())
