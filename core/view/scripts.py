"""How the scripts of a view become one: files that import one another, joined without a build step."""

import re
from pathlib import Path

BROWSER = Path(__file__).parent / "browser"  # scripts and styles of the view; kit/ is what other views share

_IMPORT = re.compile(r'^import \{[^}]*\} from "((?:\./|(?:\.\./)+)[a-z_/]+\.js)";\n', re.MULTILINE)
_COMMENT = re.compile(r"^ */\*\*.*?\*/\n", re.MULTILINE | re.DOTALL)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)
_NAME = re.compile(r"^(?:export )?(?:async )?(?:function|const|let|class) (\w+)", re.MULTILINE)


def bundle(folder: Path, entry: str = "view.js") -> str:
    """One module with everything that `entry` imports, each file once and before the files that need it.

    Files may come from other folders ("../kit/dom.js"): no build step, no dependency. Joined files share one
    scope: ValueError if two of them declare the same name, or if one imports anything that is not a file here.
    """
    joined: dict[Path, str] = {}
    _join((folder / entry).resolve(), joined)
    names = [name for source in joined.values() for name in _NAME.findall(source)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"Joined files share one scope, but these names are declared twice: {', '.join(twice)}.")
    return "\n".join(_EXPORT.sub("", _COMMENT.sub("", source)) for source in joined.values())


def _place(file: Path, needed: str) -> Path:
    """Where an imported file lies: what is imported from here is here, also where this package has another name."""
    _, _, here = needed.partition("core/view/browser/")
    return BROWSER.resolve() / here if here else (file.parent / needed).resolve()


def _join(file: Path, joined: dict[Path, str]) -> None:
    source = file.read_text(encoding="utf-8")
    for needed in _IMPORT.findall(source):
        if (path := _place(file, needed)) not in joined:
            _join(path, joined)
    joined[file] = _IMPORT.sub("", source)
    if re.search(r"^import\s", joined[file], re.MULTILINE):
        raise ValueError(f"{file.name} imports something that is not a file here; nothing is fetched at run time.")
