"""Consent for servers that files name."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.servers.openai_server import Reply, openai_server

from callscore import Case, InvalidSettings, MissingConsent, ModelFailed, models
from callscore.models.consent import (
    Origin,
    allowed_folders,
    missing_consent,
    parse_server,
    require_consent,
    user_config_path,
)

if TYPE_CHECKING:
    from pathlib import Path

FILE = Origin("suite.yaml")
OPENAI = "OPENAI_API_KEY"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty configuration of the user, and no server in the environment."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    "address",
    [
        None,
        "https://api.openai.com/v1",
        "HTTPS://API.openai.com:443/v1/",
    ],
)
def test_the_default_key_may_go_to_its_provider(
    address: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OPENAI, "the-key-of-the-user")

    assert missing_consent(address, OPENAI, FILE) is None


@pytest.mark.parametrize(
    "address",
    [
        "http://localhost:8080/v1",
        "http://127.0.0.1:8080/v1",
        "http://127.9.9.9/v1",
        "http://[::1]:8080/v1",
    ],
)
@pytest.mark.parametrize("variable", [OPENAI, "GITHUB_TOKEN"])
def test_a_server_on_this_machine_needs_consent_only_for_a_key(
    address: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(variable, raising=False)
    assert missing_consent(address, variable, FILE) is None

    monkeypatch.setenv(variable, "the-key-of-the-user")
    assert missing_consent(address, variable, FILE) is not None


@pytest.mark.parametrize(
    ("address", "variable"),
    [
        (None, "GITHUB_TOKEN"),
        ("https://api.openai.com/v1", "GITHUB_TOKEN"),
        ("http://localhost:8080/v1", "GITHUB_TOKEN"),
        ("http://elsewhere/v1", OPENAI),
        ("http://api.openai.com/v1", OPENAI),
        ("https://api.openai.com:8443/v1", OPENAI),
        ("https://api.openai.com.evil.com/v1", OPENAI),
        ("https://api.openai.com./v1", OPENAI),
        ("https://evil.com/api.openai.com/v1", OPENAI),
        ("http://evil.localhost/v1", OPENAI),
        ("http://localhost./v1", OPENAI),
        ("http://localhost.evil.com/v1", OPENAI),
        ("http://2130706433/v1", OPENAI),
        ("http://127.1/v1", OPENAI),
        ("http://0.0.0.0/v1", OPENAI),
        ("http://[::]/v1", OPENAI),
        ("http://169.254.169.254/v1", OPENAI),
    ],
)
def test_any_other_pair_needs_consent_and_the_refusal_has_the_pair(
    address: str | None, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "value-of-the-variable")
    with pytest.raises(MissingConsent) as caught:
        require_consent(address, variable, FILE)

    text, (pair,) = str(caught.value), caught.value.pairs
    assert text.startswith("suite.yaml: ")
    assert variable in text
    assert "value-of-the-variable" not in text
    assert f"CALLSCORE_ALLOW_SERVERS='{pair}'" in text
    allowed = Origin("suite.yaml", (parse_server(pair),))
    assert missing_consent(address, variable, allowed) is None


@pytest.mark.parametrize(
    "address",
    [
        "http://user@allowed/v1",
        "http://allowed@evil/v1",
        "http://allowed\\@evil/v1",
        "http://allowed%2eevil/v1",
        "http://аllowed/v1",
        "http://allowed/v1?x=1",
        "http://allowed:0/v1",
        "http://al\tlowed/v1",
        "http://[::1/v1",
        "file:///etc/passwd",
    ],
)
def test_an_address_that_programs_read_differently_is_refused(address: str) -> None:
    with pytest.raises(InvalidSettings, match="ambiguous"):
        missing_consent(address, OPENAI, FILE)


@pytest.mark.parametrize(
    ("allowed", "address", "is_allowed"),
    [
        ("http://a.com/v1", "http://a.com/v1", True),
        ("http://A.com:80/v1/", "http://a.com/v1", True),
        ("http://a.com", "http://a.com/v1", True),
        ("http://a.com/v1", "http://a.com/v1/b", True),
        ("http://a.com/v1", "http://a.com/v12", False),
        ("http://a.com/v1", "http://a.com", False),
        ("http://a.com/v1", "http://a.com/v1/../admin", False),
        ("http://a.com/v1", "http://a.com/v1/%2e%2e/admin", False),
        ("http://a.com/v1", "http://a.com/v1//b", False),
        ("http://a.com/v1", "https://a.com/v1", False),
        ("http://a.com/v1", "http://a.com:8080/v1", False),
        ("http://a.com/v1", "http://a.com.evil.com/v1", False),
        ("http://a.com/v1", "http://evil.com/http://a.com/v1", False),
        ("http://[::2]/v1", "http://[0:0::2]/v1", True),
    ],
)
def test_consent_covers_a_server_and_the_paths_below_it(
    allowed: str, address: str, *, is_allowed: bool
) -> None:
    origin = Origin("suite.yaml", (parse_server(f"{allowed}=MY_KEY"),))

    assert (missing_consent(address, "MY_KEY", origin) is None) is is_allowed
    assert missing_consent(address, "OTHER_KEY", origin) is not None


def test_a_key_may_go_to_the_base_url_of_its_own_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "https://gateway.example/v1/")
    monkeypatch.setenv("TEAM_BASE_URL", "https://team.example/v1")

    assert missing_consent("https://gateway.example/v1", OPENAI, FILE) is None
    assert missing_consent("https://team.example/v1", "TEAM_API_KEY", FILE) is None
    assert missing_consent("https://team.example/v1", OPENAI, FILE) is not None
    assert missing_consent("https://gateway.example/v1", "TEAM_API_KEY", FILE) is not None
    assert str(missing_consent(None, "MY_KEY", FILE)) == "https://gateway.example/v1=MY_KEY"


def test_the_environment_and_the_configuration_of_the_user_give_consent(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALLSCORE_ALLOW_SERVERS", "http://a.com=A_KEY  http://b.com/v1=B_KEY")
    (home / "callscore").mkdir()
    user_config_path().write_text(
        f'allow_servers = ["http://c.com/v1=C_KEY"]\nallow_folders = ["{home}"]'
    )
    monkeypatch.setenv("CALLSCORE_ALLOW_FOLDERS", "/data:relative")

    for host in "abc":
        variable = f"{host.upper()}_KEY"
        assert missing_consent(f"http://{host}.com/v1", variable, FILE) is None
        assert missing_consent(f"http://{host}.com/v1", OPENAI, FILE) is not None
    assert [str(each) for each in allowed_folders()] == ["/data", str(home.resolve())]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("allow_servers = [", "not valid TOML"),
        ("allow_server = []", "Did you mean 'allow_servers'?"),
        ("allow_servers = 'http://a.com'", "expected a list of strings"),
        ("allow_servers = ['http://a.com']", "expected ADDRESS=VARIABLE"),
        ("allow_servers = ['a.com=TEAM_KEY']", "the address needs http:// or https://"),
        ("allow_servers = ['ftp://a.com=TEAM_KEY']", "the address needs http:// or https://"),
        ("allow_servers = ['http://a b=TEAM_KEY']", "expected ADDRESS=VARIABLE"),
        ("allow_servers = ['http://a.com=sk-abc']", "the name of an environment variable"),
    ],
)
def test_an_invalid_configuration_of_the_user_is_refused(
    text: str, problem: str, home: Path
) -> None:
    (home / "callscore").mkdir()
    user_config_path().write_text(text)

    with pytest.raises(InvalidSettings, match=r"config\.toml") as caught:
        missing_consent("http://a.com", "A_KEY", FILE)

    assert problem in str(caught.value)


def test_a_relative_configuration_folder_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "inside/the/project")

    assert user_config_path().is_absolute()


def test_code_needs_no_consent() -> None:
    require_consent("http://elsewhere/v1", "GITHUB_TOKEN", None)


def test_a_model_and_a_judge_of_a_file_refuse_before_they_send(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "hush-hush-hush")
    with openai_server(lambda *_: Reply(text="x")) as server:
        chat = models.chat("m", base_url=server.base_url)
        chat = replace(chat, origin=FILE)
        judge = models.judge("m", base_url=server.base_url, key_variable="GITHUB_TOKEN")
        judge.origin = FILE
        with pytest.raises(MissingConsent):
            asyncio.run(chat(Case("x"), key_variable="GITHUB_TOKEN"))
        with pytest.raises(MissingConsent):
            judge("is it?", 1)
        with pytest.raises(MissingConsent):
            judge.require()

    assert server.requests == []


def test_a_redirect_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OPENAI, "hush-hush-hush")
    with openai_server(lambda *_: Reply(text="x")) as other:
        target = f"{other.base_url.replace('127.0.0.1', 'localhost')}/chat/completions"
        redirect = Reply(status=307, headers={"Location": target})
        with openai_server(lambda *_: redirect) as server:
            chat = models.chat("m", base_url=server.base_url)
            judge = models.judge("m", base_url=server.base_url)
            with pytest.raises(ModelFailed, match=r"307 Temporary Redirect to http.*not followed"):
                asyncio.run(chat(Case("x")))
            with pytest.raises(ModelFailed, match="not followed"):
                judge("is it?", 1)

    assert other.requests == []
    assert len(server.requests) == 2
