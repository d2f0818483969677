"""The workbench: the developer's page. Servers, tools, the view, what passes between them."""
