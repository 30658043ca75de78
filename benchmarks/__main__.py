"""Run the benchmarks that need no data of yours: `python -m benchmarks [--json]`.

The others in this folder are named corpora to work on; `--help` of each tells.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

for name in (
    "geometry",
    "detection",
    "playground",
    "reading",
    "metrics",
    "constraint_automata",
    "constrained_search",
    "bench_build",
):
    print(f"== {name}", flush=True)
    subprocess.run([sys.executable, str(Path(__file__).with_name(f"{name}.py")), *sys.argv[1:]], check=True)
