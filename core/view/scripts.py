"""Bundle the scripts of a view: files that import one another, joined without a build step."""

import re
from pathlib import Path

BROWSER = Path(__file__).parent / "browser"  # scripts and styles of the view; kit/ is shared with other views

_IMPORT = re.compile(r'^import \{[^}]*\} from "((?:\./|(?:\.\./)+)[a-z_/]+\.js)";\n', re.MULTILINE)
_COMMENT = re.compile(r"^ */\*\*.*?\*/\n", re.MULTILINE | re.DOTALL)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)
_NAME = re.compile(r"^(?:export )?(?:async )?(?:function|const|let|class) (\w+)", re.MULTILINE)


def bundle(folder: Path, entry: str = "view.js") -> str:
    """One module with all files that `entry` imports, each once and before the files that import it.

    Files may come from other folders ("../kit/dom.js"). Joined files share one scope: raises ValueError if two of them
    declare the same name, or if one imports anything but a local file.
    """
    sources: dict[Path, str] = {}
    _join((folder / entry).resolve(), sources)
    names = [name for source in sources.values() for name in _NAME.findall(source)]
    duplicates = sorted({name for name in names if names.count(name) > 1})
    if duplicates:
        raise ValueError(f"Joined files share one scope, but these names are declared twice: {', '.join(duplicates)}.")
    return "\n".join(_EXPORT.sub("", _COMMENT.sub("", source)) for source in sources.values())


def _resolve_import(file: Path, imported: str) -> Path:
    """The path of an imported file; one below core/view/browser/ is in BROWSER, also if the package is renamed."""
    _, _, own_path = imported.partition("core/view/browser/")
    return BROWSER.resolve() / own_path if own_path else (file.parent / imported).resolve()


def _join(file: Path, sources: dict[Path, str]) -> None:
    text = file.read_text(encoding="utf-8")
    for imported in _IMPORT.findall(text):
        if (path := _resolve_import(file, imported)) not in sources:
            _join(path, sources)
    sources[file] = _IMPORT.sub("", text)
    if re.search(r"^import\s", sources[file], re.MULTILINE):
        raise ValueError(f"{file.name} imports something that is not a file here; nothing is fetched at run time.")
