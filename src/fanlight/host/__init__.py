"""The host: shows views and decides what they may do. Importing this loads no web framework."""

from .call import Call
from .grants import Grant, Grants
from .host import Host
from .limits import UNLIMITED, Rate, ViewLimits
from .link import Bounds, LinkSettings
from .pins import Pin, Pins
from .policy import (
    ALLOW,
    ASK,
    Action,
    ActionKind,
    Decision,
    Policy,
    allow_all,
    default_policy,
    deny,
    deny_all,
)
from .server import Server
from .streaming import StreamedCall
from .sync import SyncHost, SyncServer
from .sync_calls import SyncCall, SyncStreamedCall, SyncView
from .tap import Tap, TapRecord
from .theme import Theme
from .verdicts import Outcome, Stage, Verdict
from .view import View
from .view_tools import ViewTool

__all__ = [
    "ALLOW",
    "ASK",
    "UNLIMITED",
    "Action",
    "ActionKind",
    "Bounds",
    "Call",
    "Decision",
    "Grant",
    "Grants",
    "Host",
    "LinkSettings",
    "Outcome",
    "Pin",
    "Pins",
    "Policy",
    "Rate",
    "Server",
    "Stage",
    "StreamedCall",
    "SyncCall",
    "SyncHost",
    "SyncServer",
    "SyncStreamedCall",
    "SyncView",
    "Tap",
    "TapRecord",
    "Theme",
    "Verdict",
    "View",
    "ViewLimits",
    "ViewTool",
    "allow_all",
    "default_policy",
    "deny",
    "deny_all",
]
