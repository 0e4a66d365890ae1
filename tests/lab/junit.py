#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""junit.py WORK FILE: writes the lab's results as a JUnit file, a test case for each scenario.

WORK holds cases (first word of each line a name), results (RESULT NAME SECONDS) and log.NAME.
"""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def printable(text):
    """XML 1.0 has no place for most control characters."""
    return "".join(c if c in "\t\n" or c >= " " else "?" for c in text)


def main():
    work = pathlib.Path(sys.argv[1])
    results = {}
    for line in (work / "results").read_text().splitlines():
        result, name, seconds = line.split()
        results[name] = (result, seconds)
    names = [line.split()[0] for line in (work / "cases").read_text().splitlines()]
    suite = ElementTree.Element("testsuite", name="lab", tests=str(len(names)))
    for name in names:
        result, seconds = results.get(name, ("SKIP", "0"))
        status = {"PASS": "run", "FAIL": "fail", "SKIP": "notrun"}[result]
        case = ElementTree.SubElement(
            suite, "testcase", name=name, classname="lab", time=seconds, status=status)
        if result == "SKIP":
            ElementTree.SubElement(case, "skipped", message="an earlier scenario failed")
        if result == "FAIL":
            ElementTree.SubElement(case, "failure", message="failed")
        log = work / f"log.{name}"
        if log.exists():
            ElementTree.SubElement(case, "system-out").text = printable(
                log.read_text(errors="replace"))
    ElementTree.ElementTree(suite).write(sys.argv[2], encoding="utf-8", xml_declaration=True)


if __name__ == "__main__":
    main()
