"""What every test relies on."""

from __future__ import annotations

import signal

# A shell that starts the tests in the background has them ignore Ctrl-C; some tests press it.
signal.signal(signal.SIGINT, signal.default_int_handler)
