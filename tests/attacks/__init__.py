"""Attacks on the command line: broken and hostile files, odd arguments, and signals at any moment.

`make attack` runs them all; `test_attacks` runs a few of each.
"""
