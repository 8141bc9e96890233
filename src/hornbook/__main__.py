"""`python -m hornbook` is the command line, and so is `hornbook`."""

import sys


def main() -> None:
    """Run one verb and leave with its exit code."""
    try:
        from hornbook.cli import main as run
    except KeyboardInterrupt:  # Nothing has begun yet, so that there is nothing to say.
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
