"""Checks of a client script, counted as they run, and the line that ends it."""

import traceback

passed = 0
failed = 0


def check(name):
    """Runs the function at once and counts it."""

    def run(function):
        global passed, failed
        try:
            function()
            passed += 1
            print("ok     ", name)
        except Exception:
            failed += 1
            print("FAILED ", name)
            traceback.print_exc()

    return run


def finish():
    """Prints the counts; the exit code."""
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
