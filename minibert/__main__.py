"""`python -m minibert …` is the command `minibert …`."""

from minibert.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
