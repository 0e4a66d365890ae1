#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the first C++ block of a README is a source file, apart from its licence line.

usage: check_readme.py README.md SOURCE.cpp
"""
import pathlib
import re
import sys


def main() -> int:
    readme, source = (pathlib.Path(name).read_text() for name in sys.argv[1:3])
    block = re.search(r"^```cpp\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    code = source.split("\n", 1)[1]
    if block is None or block.group(1).strip() != code.strip():
        print(f"{sys.argv[1]}: its C++ example is not {sys.argv[2]}; copy the file into the block")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
