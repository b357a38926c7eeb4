"""Files that a suite names: inside its project, regular files, and never shown in messages.

A suite may come from somebody else, and must not read other files of the user: their first lines
would be in an error, and so in the log of a build.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from shlex import quote

from callscore.errors import InvalidSettings
from callscore.models.consent import FOLDERS_VARIABLE, allowed_folders

_GIT = ".git"


def named_file(name: str, folder: Path) -> Path:
    """The file that a suite in a folder names, relative to the folder.

    Raises:
        InvalidSettings: it is outside of the project, is not a file, or does not exist.
    """
    folder = folder.resolve()
    try:
        path = folder / name
        target = path.resolve()
        is_file, exists = target.is_file(), target.exists()
    except (OSError, RuntimeError, ValueError) as error:  # links in a circle, a null character
        raise InvalidSettings(f"the path {name!r} cannot be used") from error
    project = project_folder(folder)
    if not _is_inside(target, [project]) and not _is_inside(target, allowed_folders()):
        allowed = quote(str(target.parent))
        raise InvalidSettings(
            f"the file {name!r} is outside of the project {project}. Move it into the project, or"
            f" allow its folder with the environment variable {FOLDERS_VARIABLE}={allowed}"
        )
    if not exists:
        raise InvalidSettings(f"file {name!r} not found")
    if not is_file:
        raise InvalidSettings(f"{name!r} is not a regular file")
    return path


def project_folder(folder: Path) -> Path:
    """The folder whose files a suite may name: its repository, or the working directory above it.

    A home directory is not a project, although it may be a repository: then it is the folder itself.
    """
    for candidate in (folder, *folder.parents):
        if _exists(candidate / _GIT):
            return folder if _is_too_wide(candidate) else candidate
    try:
        here = Path.cwd().resolve()
    except OSError:  # it was deleted
        return folder
    return here if folder.is_relative_to(here) and not _is_too_wide(here) else folder


def _is_inside(path: Path, folders: Iterable[Path]) -> bool:
    for folder in folders:
        if path.is_relative_to(folder):
            # The configuration of a repository may contain a token.
            return _GIT not in path.relative_to(folder).parts
    return False


def _is_too_wide(folder: Path) -> bool:
    try:
        home = Path.home().resolve()
    except RuntimeError:  # it is unknown
        return folder == folder.parent
    return folder in (home, folder.parent)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # no permission
        return False
