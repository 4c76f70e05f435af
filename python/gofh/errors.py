"""What the library refuses, as exceptions with its messages."""
import difflib
from collections.abc import Iterable


class Error(Exception):
    """Any failure of gofh."""


class ArgumentError(Error, ValueError):
    """An argument is wrong: the message says which, and what would be right."""


class ProblemError(Error, ValueError):
    """The problem, or its file, is not complete or contradicts itself."""


class TrialError(Error, LookupError):
    """There is no such open trial."""


class EmptyError(Error):
    """There is no evaluation to answer from yet."""


class EvaluationError(Error):
    """h returned what is no result, and ``on_failure`` is "raise"."""


class OuterError(Error):
    """g failed. Where g is a Python function, its own exception is raised instead."""


class MissingError(Error, ImportError):
    """A package that is needed for this is not installed."""


class SystemRefusedError(Error, OSError):
    """The operating system refused."""


class LockedError(Error):
    """The study is being written by another process, or by another Study of this one."""


class DamagedError(Error):
    """The study's file is damaged, or is none."""


class ChangedError(Error):
    """The study's file has other parameters or outputs than the problem."""

    def __str__(self) -> str:
        return (
            f"{super().__str__()}: open the file with the problem as it was (Study.load needs none), or make a new study at "
            "another path and add what load(...).trials has; for other outputs alone, gofh reread reads them from runs"
        )


class DiskError(Error, OSError):
    """The disk is full or can't be written."""


class ReadOnlyError(Error, OSError):
    """The study was opened for reading, or its file or folder can't be written."""

    def __str__(self) -> str:
        return f"{super().__str__()} (read_only=True looks at a study without writing; save(path) copies it elsewhere)"


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """The end of a message about a name that nobody knows."""
    close = difflib.get_close_matches(name, list(known), 1)
    return f"did you mean {close[0]!r}?" if close else otherwise


def no_such(what: str, name: str, known: Iterable[str]) -> str:
    """The end of a message about a name of an output, a parameter or data: what there is instead.

    >>> no_such("output", "T", ["c", "stress"])
    'which is no output: there are c, stress'
    """
    listed = list(known)
    several = what == "data" or len(listed) != 1
    there = f"there {'are' if several else 'is'} {', '.join(listed) or 'none'}"
    return f"which {'are' if what == 'data' else 'is'} no {what}: {did_you_mean(name, listed, there)}"


def shortened(text: str, most: int = 200) -> str:
    """A text of so many characters at most, without its middle.

    >>> shortened("0123456789" * 3, 20)
    '0123456789 ... 56789'
    """
    end = most // 4
    return text if len(text) <= most else f"{text[:most - end - 5]} ... {text[-end:]}"


def reason_of(error: BaseException) -> str:
    """An exception in a line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
