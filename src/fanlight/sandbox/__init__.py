"""The walls: policy in, strings out. Pure; nothing here serves, fetches or decides for a user."""

from .csp import CspLevel, CspReport, DroppedSource, relay_policy, view_policy
from .origins import Origins, app_label, authority, development_origins
from .permissions import allow_attribute, granted_permissions, permissions_policy

__all__ = [
    "CspLevel",
    "CspReport",
    "DroppedSource",
    "Origins",
    "allow_attribute",
    "app_label",
    "authority",
    "development_origins",
    "granted_permissions",
    "permissions_policy",
    "relay_policy",
    "view_policy",
]
