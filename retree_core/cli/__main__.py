"""`python -m retree_core.cli`."""

import sys

from retree_core.cli import main

sys.exit(main())
