import sys
from pathlib import Path

import pytest

from retree_viz.palette import colours
from retree_viz.style import style_block

CONFIG = Path(__file__).parents[2] / ".streamlit" / "config.toml"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib came with Python 3.11")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_theme_of_streamlit_is_that_of_the_palette(theme: str) -> None:
    import tomllib

    config = tomllib.loads(CONFIG.read_text())["theme"][theme]
    colour = colours(theme)  # type: ignore[arg-type]
    names = {"primaryColor": "focus", "backgroundColor": "bg", "secondaryBackgroundColor": "panel", "textColor": "ink"}
    assert {key: config[key] for key in names} == {key: colour[name] for key, name in names.items()}


def test_every_colour_is_there_in_both_themes() -> None:
    assert "--repair:light-dark(#00735a,#43c7a5)" in style_block()


def test_nothing_is_loaded_from_elsewhere() -> None:
    for path in (Path(__file__).parents[2] / "retree_viz").rglob("*"):
        if path.suffix in (".css", ".js"):
            assert "http" not in path.read_text().replace("http://www.w3.org", "").replace("https?:", ""), path
            assert "@import" not in path.read_text(), path
