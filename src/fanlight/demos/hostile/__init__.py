"""A hostile app: an MCP server whose view attacks the host that shows it and tells what it managed.

It harms nobody: what it tries to carry out is its own name, and the only place it carries it to is its own
listener on this machine.
"""
