"""The page: what people see and touch. `create_app` needs only the ports."""

from companion.web.factory import PageOptions, create_app
from companion.web.ports import Services

__all__ = ["PageOptions", "Services", "create_app"]
