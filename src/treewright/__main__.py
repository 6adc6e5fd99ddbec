"""``python -m treewright`` is ``treewright``."""

import sys

from treewright.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
