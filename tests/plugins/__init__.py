"""What every test room may use: fixtures for Chromium and the npm peers, and the guard against silent skips.

One place instead of a conftest per folder: a test of the CLI needs the browser as much as one of the host.
"""
