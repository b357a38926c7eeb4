"""`python -m callscore` is `callscore`."""

from callscore.cli.main import main

if __name__ == "__main__":
    main()
