"""Captions scored in shares, on many machines or in many processes: the same scores as in one."""
