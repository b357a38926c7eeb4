"""One script from the modules of the report, and one style sheet."""

from __future__ import annotations

import re

import pytest

from callscore.reports.html.linking import (
    compact_script,
    compact_style,
    link_modules,
    link_styles,
)


def test_every_module_is_linked_once_and_behind_those_it_imports() -> None:
    script = link_modules()

    assert "import {" not in script
    assert not re.search(r"^export ", script, re.MULTILINE)
    assert script.index("function t(key") < script.index("function Report(")
    assert len(re.findall(r"^function setWords\(", script, re.MULTILINE)) == 1


@pytest.mark.parametrize(
    ("written", "linked"),
    [
        ("/** What it does. */\nconst a = 1; // why\n", "const a = 1;"),
        ("const a = /** @type {A} */ (b);", "const a =  (b);"),
        ("const a = \"// no comment\" + '/* nor this */';", None),
        ("const a = `// text /* ${b} */`;", None),
        ("const a = `${f(`//${x}`, { b: `}` })} // text`;", None),
        ('const a = /\\/\\*[/*]"/g; const b = 1 / 2 / 3;', None),
        ("f(/[`'\"]/, a / b, c);", None),
        ("const a = html`\n    <p>\n      ${b}\n    </p>`;", "const a = html`\n<p>\n${b}\n</p>`;"),
        ("if (a) {\n\n    f({ b: { c } });\n}", "if (a) {\nf({ b: { c } });}"),
        ('const a = `\\`//` + "\\"//";', None),
    ],
)
def test_comments_and_indentation_are_left_out_and_nothing_else(
    written: str, linked: str | None
) -> None:
    assert compact_script(written) == (written if linked is None else linked)


def test_a_style_sheet_loses_its_comments_and_spaces_but_no_text() -> None:
    written = """/* why */
@media (min-width: 40rem) {
  a > b:hover,
  p :focus {
    margin: 0 auto;
    content: "; { , ";
    width: calc(100% - 2px);
  }
}
"""

    assert compact_style(written) == (
        "@media (min-width:40rem){a > b:hover,p :focus{margin:0 auto;"
        'content:"; { , ";width:calc(100% - 2px)}\n}'
    )


def test_no_comment_is_left_in_the_files_of_a_report() -> None:
    assert "/**" not in link_modules()
    assert "/*" not in link_styles()
