"""Run every benchmark: `python -m benchmarks [--json]`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

for script in sorted(Path(__file__).parent.glob("[a-z]*.py")):
    print(f"== {script.stem}", flush=True)
    subprocess.run([sys.executable, str(script), *sys.argv[1:]], check=True)
