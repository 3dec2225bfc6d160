"""Imports of kernels."""

import subprocess
import sys


def test_what_checks_a_study_loads_no_torch():
    code = (
        "import sys; from isobath import binding, plugins; [binding.load('kernel', k) for k in plugins.kinds('kernel')]"
    )
    subprocess.run([sys.executable, "-c", f"{code}; assert 'torch' not in sys.modules"], check=True)
