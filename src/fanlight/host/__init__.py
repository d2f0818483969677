"""The host: shows views and decides what they may do. Importing this loads no web framework."""

from .host import Host
from .policy import Action, Policy, default_policy, deny_all
from .server import Call, Server
from .tap import Tap, TapRecord
from .verdicts import Outcome, Stage, Verdict
from .view import View

__all__ = [
    "Action",
    "Call",
    "Host",
    "Outcome",
    "Policy",
    "Server",
    "Stage",
    "Tap",
    "TapRecord",
    "Verdict",
    "View",
    "default_policy",
    "deny_all",
]
