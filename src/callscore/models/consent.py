"""Consent for servers that files name: without it, no file chooses where keys and cases are sent.

A project file or a suite names a server and the environment variable with its key. Both may come
from somebody else, as in a cloned repository, so the user allows each pair of them once. Python
code and the command line belong to the user and need no consent.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from ipaddress import ip_address
from pathlib import Path

from msgspec import Struct

from callscore.core.suggestions import did_you_mean
from callscore.errors import InvalidSettings, MissingConsent
from callscore.models.secrets import KEY_VARIABLE, hide_secrets, require_variable_name

SERVERS_VARIABLE = "CALLSCORE_ALLOW_SERVERS"
FOLDERS_VARIABLE = "CALLSCORE_ALLOW_FOLDERS"
_SERVERS_KEY = "allow_servers"
_FOLDERS_KEY = "allow_folders"
_BASE_SUFFIX, _KEY_SUFFIX = "_BASE_URL", "_API_KEY"
_EXAMPLE = f"http://localhost:8080/v1={KEY_VARIABLE}"
_PORTS = {"http": 80, "https": 443}
_MAX_PORT = 65535
# One spelling for each address: no password, no Unicode, nothing that two programs may read
# differently, such as a backslash or a percent sign in a host.
_ADDRESS = re.compile(
    r"(?P<scheme>https?)://(?P<host>[a-z0-9._\-]+|\[[0-9a-f:.]+\])(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<path>(?:/[A-Za-z0-9._~!$&'()*+,;:@%\-]*)*)",
    re.ASCII | re.IGNORECASE,
)


class Address(Struct, frozen=True):
    """The address of a server in one spelling; addresses that are not equal may still be the same."""

    scheme: str
    host: str
    port: int
    path: str = ""

    def __str__(self) -> str:
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}{self.path}"

    @property
    def is_loopback(self) -> bool:
        """Whether the server is on this machine, whatever a name server answers."""
        try:
            return ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return self.host == "localhost"

    def covers(self, other: Address) -> bool:
        """Whether the other address is this one, or a path below it."""
        if (self.scheme, self.host, self.port) != (other.scheme, other.host, other.port):
            return False
        if self.path == other.path:
            return True
        has_steps = "%" in other.path or any(part in ("", ".", "..") for part in _parts(other.path))
        return not has_steps and other.path.startswith(f"{self.path}/")


def _parts(path: str) -> list[str]:
    return path.split("/")[1:]


_OPENAI = Address("https", "api.openai.com", 443)


class Server(Struct, frozen=True):
    """A server, and the environment variable whose value is sent to it."""

    address: Address
    key_variable: str

    def __str__(self) -> str:
        return f"{self.address}={self.key_variable}"

    def covers(self, other: Server) -> bool:
        """Whether consent for this server is consent for the other one."""
        return self.key_variable == other.key_variable and self.address.covers(other.address)


class Origin(Struct, frozen=True):
    """The file that names a server, and the servers that the user allows with an option."""

    file: str
    allowed: tuple[Server, ...] = ()


def named_by(origin: Origin | None) -> str:
    """The file that names a server or a variable; empty for code."""
    return "" if origin is None else origin.file


def parse_server(text: str) -> Server:
    """A server with its variable, as in `http://localhost:8080/v1=OPENAI_API_KEY`.

    Raises:
        InvalidSettings: it has another form.
    """
    address, separator, variable = text.strip().rpartition("=")
    found = _address(address)
    if not separator or found is None:
        shown = hide_secrets(repr(text))
        form = f"expected ADDRESS=VARIABLE, such as '{_EXAMPLE}', got {shown}"
        if separator and not address.lower().startswith(("http://", "https://")):
            form = f"the address needs http:// or https://, as in '{_EXAMPLE}', got {shown}"
        raise InvalidSettings(form)
    require_variable_name(variable)
    return Server(found, variable)


def require_consent(base_url: str | None, key_variable: str, origin: Origin | None) -> None:
    """Refuse a server that a file names, unless the user allows it.

    Raises:
        MissingConsent: the user did not.
        InvalidSettings: the address, or what the user allows, cannot be read.
    """
    if origin is None:
        return
    found = missing_consent(base_url, key_variable, origin)
    if found is not None:
        raise MissingConsent(((origin.file, str(found.address), found.key_variable),))


def missing_consent(base_url: str | None, key_variable: str, origin: Origin) -> Server | None:
    """The server of a file to which nothing may be sent; None if the user allows it.

    Raises:
        InvalidSettings: the address, or what the user allows, cannot be read.
    """
    if base_url is None and key_variable == KEY_VARIABLE:
        return None  # everything is as the user's environment says
    address = _address_of(base_url, origin.file)
    server = Server(address, key_variable)
    if _is_usual(server) or any(each.covers(server) for each in origin.allowed):
        return None
    return None if any(each.covers(server) for each in _user_servers()) else server


def _address_of(base_url: str | None, file: str) -> Address:
    if base_url is None:
        set_to = os.environ.get(_BASE_VARIABLE, "").strip()
        if not set_to:
            return Address("https", "api.openai.com", 443, "/v1")
        base_url, file = set_to, _BASE_VARIABLE
    found = _address(base_url)
    if found is None:
        shown = hide_secrets(repr(base_url))
        raise InvalidSettings(
            f"{file}: base_url: the address {shown} is ambiguous. Write the host in ASCII letters,"
            " without a password, as in 'http://localhost:8080/v1'"
        )
    return found


_BASE_VARIABLE = f"OPENAI{_BASE_SUFFIX}"


def _is_usual(server: Server) -> bool:
    """Whether a key is sent where it belongs, or none at all and only to this machine."""
    variable, address = server.key_variable, server.address
    if variable == KEY_VARIABLE and _OPENAI.covers(address):
        return True
    if address.is_loopback and not os.environ.get(variable, "").strip():
        return True
    name, suffix = variable[: -len(_KEY_SUFFIX)], variable[-len(_KEY_SUFFIX) :]
    if suffix != _KEY_SUFFIX:
        return False
    own = os.environ.get(f"{name}{_BASE_SUFFIX}", "")
    return bool(own.strip()) and _address(own) == address


def _address(text: str) -> Address | None:
    """The address in one spelling; None if it is not an address, or an ambiguous one."""
    found = _ADDRESS.fullmatch(text.strip().rstrip("/"))
    if found is None:
        return None
    scheme, host = found["scheme"].lower(), found["host"].lower()
    port = int(found["port"] or _PORTS[scheme])
    if not 0 < port <= _MAX_PORT:
        return None
    if host.startswith("["):
        try:
            host = f"[{ip_address(host[1:-1]).compressed}]"
        except ValueError:
            return None
    return Address(scheme, host, port, found["path"])


# --- what the user allows ---------------------------------------------------------------------


def user_config_path() -> Path:
    """The configuration of the user: `~/.config/callscore/config.toml`, or in XDG_CONFIG_HOME."""
    given = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    # A relative folder could be one of the project.
    home = given if given.is_absolute() else Path("~/.config").expanduser()
    return home / "callscore" / "config.toml"


def allowed_folders() -> list[Path]:
    """The folders outside of a project whose files its suites may name."""
    found = os.environ.get(FOLDERS_VARIABLE, "").split(os.pathsep)
    listed = _user_config().get(_FOLDERS_KEY, [])
    folders = [Path(each).expanduser() for each in (*found, *listed) if each.strip()]
    return [each.resolve() for each in folders if each.is_absolute()]


def _user_servers() -> list[Server]:
    path = user_config_path()
    return [
        *_parsed(os.environ.get(SERVERS_VARIABLE, "").split(), SERVERS_VARIABLE),
        *_parsed(_user_config().get(_SERVERS_KEY, []), f"{path}: {_SERVERS_KEY}"),
    ]


def _parsed(texts: Iterable[str], place: str) -> list[Server]:
    try:
        return [parse_server(text) for text in texts]
    except InvalidSettings as error:
        raise InvalidSettings(f"{place}: {error}") from error


def _user_config() -> dict[str, list[str]]:
    path = user_config_path()
    if not path.is_file():
        return {}
    from callscore.sources.toml_document import load_toml  # most users have no such file

    try:
        found = load_toml(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise InvalidSettings(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise InvalidSettings(f"{path}: not valid TOML: {error}") from error
    known = (_SERVERS_KEY, _FOLDERS_KEY)
    for key, value in found.items():
        if key not in known:
            raise InvalidSettings(f"{path}: unknown setting {key!r}{did_you_mean(key, known)}")
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise InvalidSettings(f"{path}: {key}: expected a list of strings")
    return found
