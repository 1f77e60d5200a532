#!/usr/bin/python3
"""Prints spec/openapi.yaml as compact JSON, which the server compiles in.

Usage: openapi.py <file.yaml>
"""

import json
import pathlib
import sys

import yaml


def main():
    document = yaml.safe_load(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    print(json.dumps(document, ensure_ascii=False, separators=(",", ":")))


if __name__ == "__main__":
    main()
