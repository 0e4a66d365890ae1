#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks as a user does and reads what they print and write.

usage: perf_tools_test.py DIRECTORY_OF_PROGRAMS [unittest arguments]
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree

BIN = ""
RUN_SECONDS = 100
COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "broadcast")
PER_ITERATION_KEYS = {"min_us", "max_us", "avg_us", "p50_us", "p95_us", "p99_us"}


def environment():
    """This process's, without what a surrounding job may have set."""
    return {name: value for name, value in os.environ.items() if not name.startswith("ROCE_")}


def run(*command, **more):
    program, *arguments = command
    return subprocess.run([os.path.join(BIN, program), *arguments], capture_output=True, text=True,
                          timeout=RUN_SECONDS, env=dict(environment(), **more), check=False)


def run_processes(ranks, program, *arguments):
    return run("rocectl", "run", "-n", str(ranks), "--", os.path.join(BIN, program), *arguments)


def rows_of(output):
    return [line.split() for line in output.splitlines() if line and not line.startswith("#")]


class TableTest(unittest.TestCase):
    def check_table(self, result, columns=13):
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = rows_of(result.stdout)
        self.assertTrue(rows)
        for row in rows:
            self.assertEqual(len(row), columns, row)
            size, count = int(row[0]), int(row[1])
            self.assertLessEqual(count, size)
            for time_column in (5, 9):
                self.assertGreater(float(row[time_column]), 0)
            self.assertEqual((row[8], row[12]), ("0", "0"))
        self.assertIn("# Out of bounds values : 0 OK", result.stdout)
        self.assertRegex(result.stdout, r"# Avg bus bandwidth    : [0-9.e+-]+\n")
        return rows

    def test_each_collective_in_threads_and_processes(self):
        sizes = ("-b", "8", "-e", "32K", "-f", "16", "-n", "3")
        for collective in COLLECTIVES:
            program = f"roce_{collective}_perf"
            with self.subTest(collective, ranks="threads"):
                self.check_table(run(program, "-t", "3", *sizes))
            with self.subTest(collective, ranks="processes"):
                result = run_processes(2, program, *sizes)
                self.check_table(result)
                self.assertEqual(result.stdout.count("Collective test starting"), 1)

    def test_all_types_and_operators(self):
        rows = self.check_table(run("roce_all_reduce_perf", "-t", "3", "-d", "all", "-o", "all",
                                    "-b", "500", "-e", "500", "-n", "2"))
        self.assertEqual(len({(row[2], row[3]) for row in rows}), 12 * 6)

    def test_all_roots(self):
        rows = self.check_table(run("roce_broadcast_perf", "-t", "3", "-r", "all", "-b", "64", "-e",
                                    "64", "-n", "2"))
        self.assertEqual([row[4] for row in rows], ["0", "1", "2"])

    def test_threads_multiply_with_processes(self):
        result = run_processes(2, "roce_all_reduce_perf", "-t", "2", "-b", "8", "-e", "8", "-n", "2")
        self.check_table(result)
        self.assertEqual(len(re.findall(r"#  Rank +[0-3] .*Pid", result.stdout)), 4)

    def test_sizes_round_down_to_nothing(self):
        result = run("roce_all_gather_perf", "-t", "4", "-b", "0", "-e", "40", "-i", "20", "-n", "2")
        self.assertEqual([row[:2] for row in rows_of(result.stdout)],
                         [["0", "0"], ["16", "1"], ["32", "2"]])
        self.assertEqual(result.returncode, 0)

    def test_barrier(self):
        result = run("roce_barrier_perf", "-t", "3", "-n", "5", "-c", "3")
        self.assertEqual(result.returncode, 0, result.stderr)
        (row,) = rows_of(result.stdout)
        self.assertGreater(float(row[5]), 0)
        self.assertEqual(row[8:], ["0", "N/A", "N/A", "N/A", "N/A"])

    def test_without_checks_and_with_every_mode(self):
        for blocking in "0123":
            result = run("roce_all_reduce_perf", "-t", "2", "-b", "64", "-e", "64", "-n", "3", "-m",
                         "3", "-z", blocking, "-a", "3", "-c", "0", "-C", "1", "-u", "1", "-R", "1")
            self.assertEqual(result.returncode, 0, result.stderr)
            (row,) = rows_of(result.stdout)
            self.assertEqual((row[8], row[12]), ("N/A", "N/A"))
            self.assertIn("cputime", result.stdout)

    def test_cycles(self):
        result = run("roce_all_reduce_perf", "-t", "2", "-b", "8", "-e", "16", "-f", "2", "-n", "2",
                     "-N", "3")
        self.assertEqual([row[0] for row in self.check_table(result)], ["8", "16"] * 3)

    def test_percentiles_and_schedule(self):
        result = run("roce_all_reduce_perf", "-t", "2", "-b", "8", "-e", "1K", "-f", "4", "-n", "50",
                     "--percentiles")
        for row in self.check_rows_with_percentiles(result):
            for first in (9, 16):
                p50, p99, largest = map(float, row[first:first + 3])
                self.assertLessEqual(p50, p99)
                self.assertLessEqual(p99, largest)
            self.assertTrue(row[19].startswith("all_reduce/"))

    def check_rows_with_percentiles(self, result):
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = rows_of(result.stdout)
        for row in rows:
            self.assertEqual(len(row), 20, row)
        return rows

    def test_a_chosen_schedule_is_used(self):
        result = run("roce_all_reduce_perf", "-t", "2", "-b", "8", "-e", "8", "-n", "2",
                     "--schedule", "all_reduce/two_shot", "--show-schedule")
        self.assertEqual(self.check_table(result, 14)[0][13], "all_reduce/two_shot")

    def test_settings_reach_the_communicator(self):
        result = run("roce_all_reduce_perf", "-t", "3", "-b", "4K", "-e", "4K", "-n", "2",
                     "--transport", "shm_chaos", "--numerics", "rank_ordered",
                     ROCE_CHAOS_SEED="7")
        self.check_table(result)
        self.assertIn("Transport            : shm", result.stdout)


class FileTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def report(self, name="r.json", *more):
        result = run("roce_all_reduce_perf", "-t", "2", "-b", "8", "-e", "16K", "-f", "4", "-n",
                     "10", "--percentiles", "-J", self.path(name), *more)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def test_json_has_the_keys_of_nccl_tests(self):
        report = self.report()
        for key in ("version", "start_time", "end_time", "args", "env", "config", "results",
                    "out_of_bounds", "average_bus_bandwidth", "machine"):
            self.assertIn(key, report)
        self.assertEqual(len(report["config"]["devices"]), 2)
        self.assertEqual([row["size"] for row in report["results"]],
                         [8, 32, 128, 512, 2048, 8192])
        for row in report["results"]:
            self.assertLessEqual({"size", "count", "type", "redop", "root", "actual_iterations"},
                                 set(row))
            for place in ("out_of_place", "in_place"):
                self.assertEqual(set(row[place]), {"time", "alg_bw", "bus_bw", "nwrong"})
                self.assertEqual(row[place]["nwrong"], 0)
                per_iteration = row[place + "_per_iter"]
                self.assertEqual(set(per_iteration), PER_ITERATION_KEYS)
                self.assertLessEqual(per_iteration["min_us"], per_iteration["p50_us"])
                self.assertLessEqual(per_iteration["p50_us"], per_iteration["p95_us"])
                self.assertLessEqual(per_iteration["p99_us"], per_iteration["max_us"])
        self.assertTrue(all(entry.startswith("ROCE_") for entry in report["env"]))

    def test_processes_write_one_report_without_the_secret(self):
        result = run_processes(2, "roce_broadcast_perf", "-b", "8", "-e", "8", "-n", "2", "-J",
                               self.path("p.json"))
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.path("p.json"), encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(len({device["pid"] for device in json.loads(text)["config"]["devices"]}), 2)
        self.assertIsNone(re.search(r"\b[0-9a-f]{32}\b", text))
        self.assertEqual(os.listdir(self.folder), ["p.json"])

    def check_svg(self, name, lines):
        root = ElementTree.parse(self.path(name)).getroot()
        tag = "{http://www.w3.org/2000/svg}"
        self.assertEqual(root.tag, tag + "svg")
        self.assertEqual(len(root.findall(tag + "polyline")), lines)
        texts = root.findall(tag + "text")
        content = [text.text for text in texts]
        self.assertIn("size (bytes)", content)
        self.assertIn("time (µs)", content)
        self.check_no_overlap(texts)
        return content

    def check_no_overlap(self, texts):
        boxes = []
        for text in texts:
            if text.get("transform") or not text.text:
                continue
            height = float(text.get("font-size", "13"))
            width = 0.56 * height * len(text.text)
            x, y = float(text.get("x")), float(text.get("y"))
            x -= {"middle": width / 2, "end": width}.get(text.get("text-anchor"), 0)
            boxes.append((x, y - height, x + width, y, text.text))
        for i, a in enumerate(boxes):
            self.assertGreaterEqual(a[0], 0, a)
            for b in boxes[i + 1:]:
                apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
                self.assertTrue(apart, f"'{a[4]}' and '{b[4]}' overlap")

    def test_plot_and_compare(self):
        self.report("first.json")
        self.report("second.json", "--plot", self.path("own.svg"))
        self.assertIn("in-place", self.check_svg("own.svg", 2))
        self.report("third.json", "--plot", self.path("both.svg"), "--compare",
                    self.path("first.json"), "--compare", self.path("second.json"))
        self.assertIn("first, out-of-place", self.check_svg("both.svg", 6))
        result = run("roce_perf_plot", "-o", self.path("tool.svg"), self.path("first.json"),
                     self.path("third.json"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.check_svg("tool.svg", 4)

    def test_plot_refuses_what_is_no_report(self):
        with open(self.path("bad.json"), "w", encoding="utf-8") as file:
            file.write("{}")
        result = run("roce_perf_plot", "-o", self.path("x.svg"), self.path("bad.json"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("bad", result.stderr)
        self.assertFalse(os.path.exists(self.path("x.svg")))


class RefusalTest(unittest.TestCase):
    def test_help(self):
        for collective in (*COLLECTIVES, "barrier"):
            result = run(f"roce_{collective}_perf", "--help")
            self.assertEqual(result.returncode, 0)
            self.assertIn("--percentiles", result.stdout)

    def test_bad_options_end_with_status_2(self):
        for words in (["--nope"], ["-g", "2"], ["-G", "1"], ["-b", "2", "-e", "1"], ["-d", "x"],
                      ["-o", "x"], ["-b", "1Q"], ["-t", "0"], ["--transport", "pigeon"],
                      ["--numerics", "x"], ["extra"]):
            result = run("roce_all_reduce_perf", *words)
            self.assertEqual(result.returncode, 2, words)
            self.assertEqual(result.stdout, "")
            self.assertIn("roce_all_reduce_perf:", result.stderr)

    def test_an_error_of_all_processes_is_printed_once(self):
        for words, status, text in ((["--nope"], 2, "not expected: --nope"),
                                    (["-e", "1024T"], 1, "does not fit")):
            for _ in range(5):
                result = run_processes(3, "roce_all_reduce_perf", *words)
                self.assertEqual(result.returncode, status, result.stderr)
                self.assertEqual(result.stderr.count(text), 1, result.stderr)

    def test_an_error_of_one_process_is_not_lost(self):
        program = os.path.join(BIN, "roce_all_reduce_perf")
        result = run("rocectl", "run", "-n", "2", "--", "sh", "-c",
                     '[ $ROCE_RANK = 0 ] || export ROCE_TIMEOUT=soon; exec "$@"', "sh", program,
                     "-b", "8", "-e", "8")
        self.assertEqual(result.returncode, 2)
        self.assertIn("ROCE_TIMEOUT", result.stderr)

    def test_a_size_beyond_memory_is_refused_with_the_numbers(self):
        result = run("roce_all_reduce_perf", "-t", "2", "-b", "8", "-e", "1024T", "-f", "2")
        self.assertEqual(result.returncode, 1)
        numbers = re.search(r"needed (\d+) B .* available (\d+) B", result.stderr)
        self.assertIsNotNone(numbers, result.stderr)
        self.assertEqual(int(numbers.group(1)), 2 * 2 << 50)
        self.assertGreater(int(numbers.group(2)), 0)
        self.assertEqual(result.stderr.count("needed"), 1)
        self.assertEqual(rows_of(result.stdout), [])

    def test_a_root_beyond_the_ranks(self):
        result = run("roce_broadcast_perf", "-t", "2", "-r", "2", "-b", "8", "-e", "8")
        self.assertEqual(result.returncode, 1)
        self.assertIn("-r 2", result.stderr)

    def test_an_unknown_schedule(self):
        result = run("roce_all_reduce_perf", "-t", "2", "-b", "8", "-e", "8", "--schedule", "nope")
        self.assertEqual(result.returncode, 1)
        self.assertIn("nope", result.stderr)

    def test_an_unwritable_report_is_refused_before_the_run(self):
        result = run("roce_all_reduce_perf", "-t", "2", "-J", "/nonexistent/r.json")
        self.assertEqual(result.returncode, 1)
        self.assertIn("/nonexistent/r.json", result.stderr)
        self.assertEqual(rows_of(result.stdout), [])

    def test_a_test_beyond_its_timeout_fails(self):
        begin = time.monotonic()
        result = run("roce_all_reduce_perf", "-t", "2", "-b", "8", "-e", "8", "-n", "1000000000",
                     "-T", "1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("-T 1 s", result.stderr)
        self.assertLess(time.monotonic() - begin, 30)

    def test_an_endless_run_ends_when_interrupted(self):
        process = subprocess.Popen([os.path.join(BIN, "roce_all_reduce_perf"), "-t", "2", "-b", "8",
                                    "-e", "16", "-f", "2", "-n", "5", "-N", "0"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=environment())
        try:
            for line in process.stdout:
                if not line.startswith("#"):
                    break
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=RUN_SECONDS)
        finally:
            process.kill()
        self.assertEqual(process.returncode, 0, errors)
        self.assertIn("# Out of bounds values : 0 OK", output)


if __name__ == "__main__":
    BIN = sys.argv.pop(1)
    unittest.main()
