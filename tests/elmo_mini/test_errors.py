"""What a command says of an error."""

from pathlib import Path

from elmo_mini.errors import ConfigurationError, in_a_sentence


def test_our_own_errors_are_said_as_they_are_on_one_line() -> None:
    assert in_a_sentence(ConfigurationError("it is\n so")) == "it is so"
    assert in_a_sentence(FileNotFoundError("there is no file x")) == "there is no file x"


def test_errors_of_the_system_name_their_file(tmp_path: Path) -> None:
    try:
        (tmp_path / "a.txt").read_text()
    except OSError as error:
        said = in_a_sentence(error)
    assert said == f"{tmp_path / 'a.txt'} cannot be used: no such file or directory"
