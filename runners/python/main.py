"""The runner's program: requests on standard input, replies on standard output (docs/RUNNER.md)."""

import os
import sys

if __name__ == "__main__":
    # Digests of text must be the same in every process.
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
    from wiredyno_runner.session import main

    main()
