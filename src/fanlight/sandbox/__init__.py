"""The walls: policy in, strings out. Pure; nothing here serves, fetches or decides for a user."""

from .connections import connection_allowlist
from .csp import CspLevel, CspReport, DroppedSource, relay_policy, view_policy
from .domains import DomainRules, own_sources
from .origins import DEVELOPMENT_PAGE_HOSTS, Origins, app_label, authority, development_origins
from .permissions import allow_attribute, granted_permissions, permissions_policy, refused_permissions
from .violations import Fix, Violation, fix_for, metadata_with, read_report

__all__ = [
    "DEVELOPMENT_PAGE_HOSTS",
    "CspLevel",
    "CspReport",
    "DomainRules",
    "DroppedSource",
    "Fix",
    "Origins",
    "Violation",
    "allow_attribute",
    "app_label",
    "authority",
    "connection_allowlist",
    "development_origins",
    "fix_for",
    "granted_permissions",
    "metadata_with",
    "own_sources",
    "permissions_policy",
    "read_report",
    "refused_permissions",
    "relay_policy",
    "view_policy",
]
