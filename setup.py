"""Builds the compiled kernels where there is a compiler; without one, Limner does the same in Python, slower."""

from pathlib import Path

from setuptools import Extension, setup

SOURCES = sorted(Path("src").glob("limner/**/_*.c"))

setup(
    # The kernels keep to the stable interface of 3.11, so one wheel serves every later Python.
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
    ext_modules=[
        Extension(
            ".".join(source.relative_to("src").with_suffix("").parts),
            [source.as_posix()],
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            py_limited_api=True,
            optional=True,
        )
        for source in SOURCES
    ],
)
