from __future__ import annotations

from pathlib import Path

import pytest

from limner.cache import cache_folder


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"LIMNER_CACHE": "/x"}, "/x"),
        ({"XDG_CACHE_HOME": "/y"}, "/y/limner"),
        ({"LIMNER_CACHE": "/x", "XDG_CACHE_HOME": "/y"}, "/x"),
    ],
)
def test_where_the_cache_is(environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LIMNER_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert cache_folder() == Path(expected)


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {"HOME": "/home/me"}, "/home/me/.cache/limner"),
        ("darwin", {"HOME": "/home/me"}, "/home/me/Library/Caches/limner"),
        ("win32", {"HOME": "/home/me", "LOCALAPPDATA": "/local"}, "/local/limner/cache"),
    ],
)
def test_where_the_cache_is_by_platform(
    platform: str, environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LIMNER_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("limner.cache.sys.platform", platform)
    assert cache_folder() == Path(expected)
