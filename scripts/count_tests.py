#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints "passed failed skipped" of a JUnit file that ctest wrote.

ctest's own summary calls a skipped test passed; this does not. Status 1 when there is no such file
or no test in it.
"""

import sys
import xml.etree.ElementTree as ElementTree


def main():
    try:
        suite = ElementTree.parse(sys.argv[1]).getroot()
    except (OSError, ElementTree.ParseError) as error:
        print(f"count_tests: {error}", file=sys.stderr)
        return 1
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for case in suite.iter("testcase"):
        if case.find("failure") is not None or case.get("status") == "fail":
            counts["failed"] += 1
        elif case.find("skipped") is not None or case.get("status") != "run":
            counts["skipped"] += 1
        else:
            counts["passed"] += 1
    if not any(counts.values()):
        print(f"count_tests: no test in {sys.argv[1]}", file=sys.stderr)
        return 1
    print(*counts.values())
    return 0


if __name__ == "__main__":
    sys.exit(main())
