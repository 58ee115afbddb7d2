"""The command itself: exit codes, one line for every error, and what it does not load."""

import io
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from retree_core import __version__
from retree_core.cli import COMMANDS, main
from retree_core.cli.ui import app_file, command
from retree_core.terminal import Lines, json_text, printable

ROOT = Path(__file__).parents[2]


def python(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT), **env}
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name, capsys):
    assert main([name, "--help"]) == 0
    assert f"usage: retree {name}" in capsys.readouterr().out


def test_version_and_help(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"retree {__version__}\n"
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert [name for name in COMMANDS if name not in out] == []


@pytest.mark.parametrize("words", [[], ["dance"], ["show"], ["show", "a", "b"], ["verify"], ["--nonsense"]])
def test_wrong_usage_is_one_line_and_2(words, capsys):
    assert main(words) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert said.err.startswith("retree: ")


def test_a_fault_of_the_program_is_one_line_too(monkeypatch, capsys, tmp_path):
    def broken(*_: object) -> None:
        raise ZeroDivisionError("two\nlines" if "RETREE_DEBUG" not in os.environ else f"Bearer {key}\x1b[2J")

    key = "sk-0123456789abcdefghij0123"

    monkeypatch.setattr("retree_core.cli.show.read_trace", broken)
    assert main(["show", "x"]) == 1
    line = capsys.readouterr().err
    assert line == "retree: ZeroDivisionError: two lines (a fault of this program; RETREE_DEBUG=1 shows where)\n"
    monkeypatch.setenv("RETREE_DEBUG", "1")
    assert main(["show", "x"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("Traceback (most recent call last):\n")
    assert "in broken\n" in said
    assert "ZeroDivisionError: Bearer [redacted]␛[2J\n" in said


UNUSED = {"streamlit", "aiohttp", "httpx", "openai", "pandas", "pyarrow", "numpy", "sqlite3", "requests", "tornado"}
"""Libraries that take long to load, and that no command on a trace has a use for."""
DRAWN_WITH = {"pyvis", "IPython", "jinja2"}
ASKED_WITH = {"asyncio", "ssl"}
LOOKING = (
    *(["--help"], ["schema", "trace"], ["schema", "confirm"], ["show", "TRACE"], ["show", "TRACE", "--at", "3"]),
    *(["why", "TRACE"], ["why", "TRACE", "--event", "9"], ["verify", "TRACE"], ["diff", "TRACE", "TRACE"]),
    ["notes", "TRACE"],
)
FORKING = [["fork", "TRACE", "--at", "19", "--set", "verdict=reject", "--dry-run"]]
WRITING = [["export", "TRACE", "--to", one, "--out", "-"] for one in ("json", "dot", "otel")]
"""Without GraphML, for which networkx loads numpy."""
DRAWING = [["export", "TRACE", "--to", one, "--out", "-"] for one in ("html", "svg")]


@pytest.mark.parametrize(
    ("commands", "heavy"),
    [
        (LOOKING, UNUSED | DRAWN_WITH | ASKED_WITH | {"networkx", "retree_viz"}),
        (FORKING, UNUSED | DRAWN_WITH | {"networkx", "retree_viz"}),
        (WRITING, UNUSED | DRAWN_WITH | ASKED_WITH),
        (DRAWING, UNUSED | ASKED_WITH),
    ],
)
def test_commands_on_a_trace_load_nothing_heavy_that_they_do_not_use(recorded, commands, heavy):
    words = f"""
import contextlib, io, sys
from retree_core.cli import main
for words in {commands!r}:
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
        code = main([{str(recorded)!r} if one == "TRACE" else one for one in words])
    loaded = sorted({heavy!r} & {{one.split(".")[0] for one in sys.modules}})
    if code or loaded:
        print(words, code, loaded)
"""
    done = python("-c", words)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("module", ["argparse", "orjson"])
def test_ctrl_c_while_the_command_loads_is_one_line(tmp_path, module):
    (tmp_path / f"{module}.py").write_text("import os, signal; os.kill(os.getpid(), signal.SIGINT)")
    words = "import sys; from retree_core.start import main; sys.exit(main())"
    done = python("-c", words, PYTHONPATH=os.pathsep.join([str(tmp_path), str(ROOT)]))
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "retree: stopped\n")


def test_a_reader_that_goes_away_is_no_fault(recorded):
    show = f"{sys.executable} -m retree_core.cli show {recorded} --json | head -1"
    done = subprocess.run(show, shell=True, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert (done.stdout, done.stderr) == ("{\n", "")


def test_a_terminal_without_the_letters_gets_their_escapes(recorded):
    done = python("-m", "retree_core.cli", "show", str(recorded), PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u25cf root" in done.stdout


class TestUi:
    def test_what_is_not_there_is_said(self, tmp_path, capsys):
        (tmp_path / "notes.txt").write_text("x")
        assert main(["ui", "nowhere"]) == 2
        assert main(["ui", "notes.txt"]) == 2
        assert main(["ui", "--port", "70000"]) == 2
        assert capsys.readouterr().err.count("\n") == 3

    def test_the_app_is_served_on_this_machine_only(self):
        words = command(8600, headless=False)
        assert words[1:4] == ["-m", "retree_core.cli.serving", "run"]
        assert words[4] == str(app_file())
        flags = dict(zip(words[5::2], words[6::2], strict=True))
        assert flags == {
            "--server.address": "localhost",
            "--server.port": "8600",
            "--server.showEmailPrompt": "false",
            "--browser.gatherUsageStats": "false",
        }

    def test_a_port_in_use_is_one_line(self, capsys):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            assert main(["ui", "--port", str(port)]) == 2
        assert capsys.readouterr().err == f"retree: port {port} is in use; choose another with --port\n"

    def test_without_streamlit(self, recorded, tmp_path):
        words = "import sys; sys.modules['streamlit'] = None; from retree_core.cli import main; sys.exit(main(['ui']))"
        done = python("-c", words)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == "retree: streamlit is not installed; install it with: pip install streamlit\n"


class TestTerminal:
    def test_a_waiting_line_is_for_terminals_and_gives_way(self):
        class Terminal(io.StringIO):
            def isatty(self):
                return True

        ticks = iter([0.0, 1.0, 2.5])
        lines = Lines(screen := Terminal(), lambda: next(ticks))
        lines.wait()
        lines.say("done")
        assert screen.getvalue() == "\r[   1.0s] ...\r\x1b[K[   2.5s] done\n"
        plain = Lines(file := io.StringIO())
        plain.wait()
        plain.clear()
        assert file.getvalue() == ""

    @pytest.mark.parametrize("point", [0x07, 0x1B, 0x7F, 0x9B, 0x200B, 0x202E, 0x2066, 0xFEFF, 0xE0041, 0xD800])
    def test_nothing_that_acts_gets_through(self, point):
        assert chr(point) not in printable(f"a{chr(point)}b")
        assert chr(point) not in json_text({"a": chr(point)})

    @pytest.mark.parametrize("text", ["Hämeenlinna", "東京の人口", "שלום", "مرحبا", "👨‍👩‍👧", "क्षि", "$5 and *x*"])
    def test_real_text_stays_as_it_is(self, text):
        assert printable(text) == text


class TestSystem:
    """What the system refuses, and streams that are not there, end in one line or none."""

    @pytest.mark.parametrize("command", ["verify", "show", "why", "ui", "judge"])
    def test_a_path_the_system_will_not_take_is_one_line_and_2(self, command, capsys):
        assert main([command, "a" * 5000]) == 2
        said = "".join(capsys.readouterr())
        assert said.count("\n") == 1
        assert "File name too long" in said
        assert "fault of this program" not in said

    @pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
    def test_a_device_is_no_trace(self, device, capsys):
        assert main(["show", device]) == 2
        assert capsys.readouterr().err == f"retree: {device}: a device, not a trace; name a file\n"

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
    @pytest.mark.parametrize("command", ["show", "verify"])
    def test_output_that_cannot_be_written_is_one_line_and_1(self, command, recorded):
        run = shell(f"{command} {recorded} > /dev/full")
        expected = (
            "retree: the output cannot be written (No space left on device); send it elsewhere, or free some space\n"
        )
        assert (run.returncode, run.stderr) == (1, expected)

    @pytest.mark.parametrize(("closed", "code", "said"), [(">&-", 0, ""), ("2>&-", 0, "event"), (">&- 2>&-", 0, "")])
    def test_streams_that_were_closed_before_the_start_are_no_fault(self, closed, code, said, recorded):
        run = shell(f"show {recorded} {closed}")
        assert (run.returncode, run.stderr) == (code, "")
        assert said in run.stdout

    def test_an_error_is_never_printed_into_the_results(self):
        run = shell("show no-such-file 2>&-")
        assert (run.returncode, run.stdout) == (2, "")

    def test_progress_that_nobody_reads_ends_no_run(self):
        class Gone(io.StringIO):
            def write(self, _: str) -> int:
                raise BrokenPipeError

            def isatty(self):
                return True

        lines = Lines(Gone())
        lines.wait()
        lines.say("search 1/8")
        lines.clear()


def shell(words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = f"{sys.executable} -m retree_core.cli {words}"
    return subprocess.run(["sh", "-c", command], capture_output=True, text=True, env=env, timeout=60)
