"""One sentence for each way in which a server cannot be reached, whichever SDK met it."""

from __future__ import annotations

from fanlight.errors import ConfigError, UpstreamError

from .base import HttpTarget, ObjectTarget, StdioTarget, Target

__all__ = ["TooLarge", "describe", "explain", "first_sentence", "with_last_words"]

_SENTENCE_LIMIT = 300


class TooLarge(Exception):
    """A server sends a message that is larger than any that is read."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"sent a message of more than {limit >> 20} MiB, which is not read")


def describe(target: Target) -> str:
    """The target as a person would name it."""
    match target:
        case HttpTarget(url=url):
            return url
        case StdioTarget():
            return f"command `{target}`"
        case ObjectTarget(server):
            return f"the {type(server).__name__} object"


def first_sentence(error: BaseException) -> str:
    """The first line of the innermost cause."""
    leaf = _leaf(error)
    text = str(leaf).strip().splitlines()
    return text[0][:_SENTENCE_LIMIT] if text else type(leaf).__name__


def with_last_words(sentence: str, stderr: list[str]) -> str:
    """The sentence, and what a child process said last."""
    return f"{sentence}; it said: {' | '.join(stderr[-3:])}" if stderr else sentence


def explain(target: Target, error: BaseException, stderr: list[str]) -> str:
    """Why connecting to the target failed, or why its session ended."""
    leaf = _leaf(error)
    where = describe(target)
    if isinstance(leaf, ConfigError):
        return str(leaf)
    if isinstance(leaf, UpstreamError):
        return leaf.message
    if isinstance(leaf, TooLarge):
        return f"{where} {leaf}"
    if isinstance(leaf, FileNotFoundError) and isinstance(target, StdioTarget):
        return f"there is no command {target.command!r}; is it installed and on PATH?"
    if isinstance(leaf, PermissionError) and isinstance(target, StdioTarget):
        return f"{target.command!r} may not be executed: {leaf.strerror}"
    # By name: httpx and httpx2 have one each, and neither is needed to read a sentence.
    if type(leaf).__name__ in ("ConnectError", "ConnectTimeout"):
        return f"{where} refused the connection; is the server running there?"
    if isinstance(target, StdioTarget):
        said = f"; it said: {' | '.join(stderr[-3:])}" if stderr else " and wrote nothing to standard error"
        return f"{where} ended or did not speak MCP ({first_sentence(error)}){said}"
    return f"{where} did not answer as an MCP server: {first_sentence(error)}"


def _leaf(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
