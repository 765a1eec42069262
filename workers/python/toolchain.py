"""Whether this Python can build and run the worker: prints its version, or prints what is missing and exits with 1.

It is written so that old Pythons can read it, too.
"""

import platform
import sys

OLDEST = (3, 9)


def check():
    # type: () -> None
    version = platform.python_implementation() + " " + platform.python_version()
    if sys.version_info < OLDEST or platform.python_implementation() != "CPython":
        sys.exit("this is {}; the Python worker needs CPython {}.{} or later".format(version, *OLDEST))
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        wanted = "python{}.{}-venv".format(*sys.version_info[:2])
        remedy = "install it (on Debian and Ubuntu: sudo apt-get install {})".format(wanted)
        sys.exit("this {} has no venv; {}".format(version, remedy))
    print(version)


if __name__ == "__main__":
    check()
