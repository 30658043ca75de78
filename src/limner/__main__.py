"""`python -m limner`."""

from limner.cli import main

main()
