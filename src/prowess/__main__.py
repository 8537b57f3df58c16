"""`python -m prowess` is `prowess`."""

from prowess.cli import main

if __name__ == "__main__":
    main()
