#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the comparison with Open MPI over a few small sizes and reads its JSON.

usage: compare_openmpi_test.py DIRECTORY_OF_PROGRAMS COMPARE_PY
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

BIN, COMPARE = "", ""


class CompareTest(unittest.TestCase):
    def compare(self, *arguments):
        return subprocess.run([sys.executable, COMPARE, "--bin", BIN, *arguments],
                              capture_output=True, text=True, timeout=100, check=False)

    def test_both_sides_are_measured(self):
        for ranks, stat in ((1, "p50"), (2, "mean")):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "c.json")
                result = self.compare("--ranks", str(ranks), "--cores", "1", "--max-bytes", "32",
                                      "--rounds", "2", "--iterations", "20", "--stat", stat,
                                      "--json", path)
                self.assertEqual(result.returncode, 0, result.stderr)
                with open(path, encoding="utf-8") as file:
                    records = json.load(file)
            self.assertEqual([record["bytes"] for record in records], [8, 16, 32])
            for record in records:
                self.assertEqual(set(record), {"ranks", "bytes", "stat", "ours_us", "theirs_us"})
                self.assertEqual((record["ranks"], record["stat"]), (ranks, stat))
                self.assertGreater(record["ours_us"], 0)
                self.assertGreater(record["theirs_us"], 0)

    def test_bad_options(self):
        for words in (["--ranks", "0"], ["--ranks", "2", "--min-bytes", "x"], ["--stat", "p98"],
                      ["--ranks", "2", "--min-bytes", "6"]):
            self.assertEqual(self.compare(*words).returncode, 2, words)


if __name__ == "__main__":
    BIN = sys.argv.pop(1)
    COMPARE = sys.argv.pop(1)
    unittest.main()
