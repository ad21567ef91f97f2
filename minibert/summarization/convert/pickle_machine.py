"""A machine that runs pickles, and can build only lists, dictionaries, tuples, numbers and texts.

A pickle is a program for a small machine with a stack, a memo and some sixty instructions
(documented in the standard library, pickletools.py). Python's own machine looks up and calls what
the program names, and a few bytes can keep it busy for years or fill the memory: with a high number
for a place in the memo, or with a tuple of two tuples of two tuples … as the key of a dictionary.
This one hashes only short numbers and texts, and each instruction needs no more memory than its
bytes. A call copies what it is given, and the same long list can be given to many of them: so all
calls together copy no more items than the program had bytes until then.
"""

import os
import pickletools
from collections.abc import Callable, Iterable
from typing import IO, Any, cast

from minibert.config import InputError


class Inert:
    """A stand-in for any class, function or object: it can be called, filled and given a state, and
    does nothing."""

    state: Any = None


# instructions that push a value of their own, or a new empty one
VALUES = """INT BININT BININT1 BININT2 LONG LONG1 LONG4 FLOAT BINFLOAT STRING BINSTRING
    SHORT_BINSTRING BINBYTES SHORT_BINBYTES BINBYTES8 BYTEARRAY8 UNICODE BINUNICODE SHORT_BINUNICODE
    BINUNICODE8"""
ARGUMENTS = frozenset(VALUES.split())
FRESH: dict[str, Callable[[], object]] = {
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
    "EMPTY_TUPLE": tuple,
    "EMPTY_LIST": list,
    "EMPTY_DICT": dict,
    "EMPTY_SET": Inert,
    "EXT1": Inert,
    "EXT2": Inert,
    "EXT4": Inert,
}
COPIED = (list, tuple, dict)
KEYS = (str, bytes, int, float, bool, type(None), Inert)


def make_dict(pairs: Iterable[tuple[object, object]]) -> dict[Any, Any]:
    """A dictionary; a key that is neither a text nor a number of 60 bits becomes an `Inert`.

    Many longer numbers have the same hash, and each has to be computed anew.
    """
    return {key if _is_key(key) else Inert(): value for key, value in pairs}


def _is_key(key: object) -> bool:
    return type(key) in KEYS and not (type(key) is int and key.bit_length() > 60)


class PickleMachine:
    """Runs pickles.

    `find` gives what stands for a module and a name: a function, which is called where the program
    calls that name, or an `Inert`. `refer` gives what stands for a reference to something that is
    stored elsewhere.
    """

    def __init__(
        self, find: Callable[[str, str], object], refer: Callable[[object], object]
    ) -> None:
        self.find, self.refer = find, refer

    def run(self, file: IO[bytes]) -> object:
        """What the pickle at the present place of a file builds; that place is then behind it.

        A broken pickle can raise any exception.
        """
        self._stack, self._below = list[Any](), list[list[Any]]()
        self._memo: dict[int, Any] = {}
        start, self._ran, self._copied = file.tell(), 0, 0  # bytes; items that calls have copied
        for opcode, argument, place in pickletools.genops(cast(IO[bytes], _NoLonger(file))):
            self._ran = (place or start) - start
            if opcode.name in ARGUMENTS:
                self._stack.append(argument)
            elif opcode.name in FRESH:
                self._stack.append(FRESH[opcode.name]())
            elif opcode.name != "STOP":
                self._do(opcode.name, argument)
        return self._stack.pop()

    def _do(self, name: str, argument: Any) -> None:
        stack = self._stack
        match name:
            case "PROTO" | "FRAME":
                pass
            case "MARK":
                self._below.append(stack)
                self._stack = []
            case "POP" if stack:
                stack.pop()
            case "POP" | "POP_MARK":
                self._marked()
            case "DUP":
                stack.append(stack[-1])
            case "PUT" | "BINPUT" | "LONG_BINPUT":
                self._memo[argument] = stack[-1]
            case "MEMOIZE":
                self._memo[len(self._memo)] = stack[-1]
            case "GET" | "BINGET" | "LONG_BINGET":
                stack.append(self._memo[argument])
            case "TUPLE1" | "TUPLE2" | "TUPLE3":
                stack.append(tuple(self._taken(int(name[-1]))))
            case "TUPLE":
                self._push(tuple(self._marked()))
            case "LIST":
                self._push(self._marked())
            case "DICT":
                self._push(make_dict(_pairs(self._marked())))
            case "FROZENSET":
                self._marked()
                self._push(Inert())
            case "APPEND" | "SETITEM":
                items = self._taken(1 if name == "APPEND" else 2)
                _fill(stack[-1], name, items)
            case "APPENDS" | "ADDITEMS" | "SETITEMS":
                items = self._marked()
                _fill(self._stack[-1], name, items)
            case "GLOBAL":
                stack.append(self._found(*argument.split(" ", 1)))
            case "STACK_GLOBAL":
                stack.append(self._found(*self._taken(2)))
            case "INST":
                self._push(self._call(self._found(*argument.split(" ", 1)), self._marked()))
            case "OBJ":
                function, *arguments = self._marked()
                self._push(self._call(function, arguments))
            case "REDUCE" | "NEWOBJ" | "NEWOBJ_EX":
                function, arguments = self._taken(3 if name == "NEWOBJ_EX" else 2)[:2]
                stack.append(self._call(function, arguments))
            case "BUILD":
                (state,) = self._taken(1)
                if isinstance(stack[-1], Inert):
                    stack[-1].state = state
            case "PERSID":
                stack.append(self.refer(argument))
            case "BINPERSID":
                stack.append(self.refer(*self._taken(1)))
            case _:
                raise InputError(f"its pickle has the instruction {name}, which has no place here")

    def _push(self, value: object) -> None:
        self._stack.append(value)

    def _taken(self, count: int) -> list[Any]:
        """The last values of the stack, which are taken off."""
        taken = self._stack[-count:]
        if len(taken) < count:
            raise InputError("its pickle takes more from the stack than there is")
        del self._stack[-count:]
        return taken

    def _marked(self) -> list[Any]:
        """What is above the last mark, which is taken off with it."""
        marked = self._stack
        self._stack = self._below.pop()
        return marked

    def _found(self, module: object, name: object) -> object:
        if not isinstance(module, str) or not isinstance(name, str):
            raise InputError("its pickle names something by what is no text")
        return self.find(module, name)

    def _call(self, function: object, arguments: object) -> object:
        if isinstance(function, Inert):
            return Inert()
        if not callable(function) or not isinstance(arguments, tuple | list):
            raise InputError(f"its pickle calls a {type(function).__name__}")
        # A program that gives a list to one call only has at least a byte for each of its items.
        self._copied += sum(len(part) for part in (arguments, *arguments) if type(part) in COPIED)
        if self._copied > self._ran:
            raise InputError(
                "its pickle gives the same list to many calls: they would copy more items than it "
                "has bytes"
            )
        return function(*arguments)


class _NoLonger:
    """A file of which no more is asked than it has: Python makes room for all that is asked."""

    def __init__(self, file: IO[bytes]) -> None:
        self.readline, self.tell, self._read = file.readline, file.tell, file.read
        here = file.tell()
        self._length = file.seek(0, os.SEEK_END)
        file.seek(here)

    def read(self, count: int) -> bytes:
        return self._read(min(count, self._length))


def _pairs(items: list[Any]) -> Iterable[tuple[object, object]]:
    return zip(items[::2], items[1::2], strict=True)


def _fill(target: object, name: str, items: list[Any]) -> None:
    """What APPEND, APPENDS, ADDITEMS, SETITEM and SETITEMS do."""
    if isinstance(target, Inert):
        return
    if name.startswith("APPEND") and type(target) is list:
        target += items
    elif name.startswith("SETITEM") and type(target) is dict:
        target |= make_dict(_pairs(items))
    else:
        raise InputError(f"its pickle fills a {type(target).__name__} by {name}")
