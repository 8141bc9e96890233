"""`python -m hornbook` is the command line."""

from hornbook.cli import main

main()
