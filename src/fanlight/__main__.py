"""`python -m fanlight` is `fanlight`."""

from fanlight.cli import main

main()
