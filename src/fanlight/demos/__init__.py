"""The built-in servers behind `fanlight demo`: real MCP servers, nothing to configure, no network."""
