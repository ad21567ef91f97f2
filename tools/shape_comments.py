"""What a source file says about shapes, in comments such as `# [B, S, H]` and in docstrings; `tools/shapes.py` holds it against real tensors.

    x = …                   # [B, S]                    the value after the line has run; so does `xs.append(…)`, and the head of a for loop
    a, b = …                # [B], [B, H]               one after the other; a single shape, or '[B] each', is the shape of every one
    xs = …                  # L + 1 times [B, S]        so many of them; also '3 · [B]'
    return …                # [B, S] or [B]             what is given back, one or the other
    "ids": …,               # [B, S]                    in a dict or a call over several lines: that entry
    x = …                   # the scores: [B, S]        after words and a colon, or a question
    field: Tensor           # [B, S]                    of a dataclass, whenever a function of its file gives one back

    def f(x, y):            \"\"\"x [B, S], y [B] -> [B, H]\"\"\"                    arguments and what is given back; `-> mixed [B], weights [B, S]` two
                            \"\"\"[B, S] and [B] -> [B, H]\"\"\"                    the arguments in their order
                            \"\"\"Returns ids [B, S]. The sum: [B]. Logits [B]\"\"\"     what is given back; its `.logits`

A size is a number, a letter, a name in words, sums and products of them (`2 · B`, `3H`, `H/2`, `L + 1`, `S - 2`), one or the other
(`S or 1`), or … for any number of sizes.
"""

import ast
import io
import re
import tokenize
from dataclasses import dataclass, field

NAME = r"\|?[A-Za-z][\w']*\|?(?: (?!or\b)[a-z][\w']*)*"
FACTOR = rf"(?:\d+ ?(?:{NAME})?|{NAME})(?:/\d+)?"
SIZE = re.compile(rf"(?:…|\.\.\.|{FACTOR}(?:(?: [·*+-] ){FACTOR})*)")
BRACKET = r"\[[^\[\]\n]*\]"
COUNT = r"(?:\d+|[A-Z](?: [+-] \d+)?)"
SHAPE = re.compile(
    rf"(?:(?P<times>{COUNT}) (?:·|times|of) )?(?P<bracket>{BRACKET})(?P<each> each)?"
)
LOOKS_LIKE_A_SHAPE = re.compile(rf"(?<![\w`\"'\])}}(\[]){BRACKET}(?!\()")
SPECIAL_TOKEN = re.compile(r"\[[A-Z]{2,}\]")


@dataclass(frozen=True)
class Shape:
    """One shape as it is written: the choices for each of its sizes, and how many tensors have it ("" = any number)."""

    sizes: tuple[tuple[str, ...], ...]
    times: str = "1"

    def __str__(self) -> str:
        return f"[{', '.join(' or '.join(choices) for choices in self.sizes)}]"


Shapes = tuple[tuple[Shape, ...], ...]  # for each tensor what it may be


@dataclass(frozen=True)
class Check:
    """Shapes written at a line, and where the value is that they are about."""

    line: int
    shapes: Shapes
    value: str | None = (
        None  # an expression with the names of the function; None: what it gives back
    )
    part: str | int | tuple | None = (
        None  # an attribute, a key or an index in that value, or several
    )


@dataclass
class Source:
    """Everything that one file says about shapes. A check is known by its number in `checks`."""

    checks: list[Check] = field(default_factory=list)
    after: dict[int, list[int]] = field(
        default_factory=dict
    )  # first line of a statement -> checks when it has run
    first_line: dict[int, int] = field(default_factory=dict)  # any line of a statement -> its first
    arguments: dict[tuple[str, int], list[int]] = field(
        default_factory=dict
    )  # function (name, line) -> checks when it begins
    returned: dict[tuple[str, int], list[int]] = field(default_factory=dict)  # … and when it ends
    fields: dict[str, list[int]] = field(default_factory=dict)  # dataclass -> checks
    loops: dict[int, tuple[int, int]] = field(
        default_factory=dict
    )  # line of a loop's head -> its lines
    plain: dict[int, str | None] = field(
        default_factory=dict
    )  # statement without a comment -> what it assigns; None: it returns
    unread: dict[int, str] = field(
        default_factory=dict
    )  # line -> text with a shape that belongs to nothing

    def add(self, where: list[int], *check) -> None:
        where.append(len(self.checks))
        self.checks.append(Check(*check))


def parse_shape(bracket: str) -> tuple[tuple[str, ...], ...] | None:
    """The sizes in brackets, each with its choices; None where it is no shape."""
    sizes = tuple(tuple(size.strip().split(" or ")) for size in bracket[1:-1].split(","))
    if (
        SPECIAL_TOKEN.fullmatch(bracket)
        or ("0",) in sizes
        or not all(SIZE.fullmatch(choice) for size in sizes for choice in size)
    ):
        return None
    return tuple(tuple("…" if choice == "..." else choice for choice in size) for size in sizes)


def parse_shapes(text: str, between: str = r", (?:and )?| and ") -> tuple[Shapes, int]:
    """The shapes at the beginning of a text, and where they end."""
    found, at, join = [], 0, False
    while (match := SHAPE.match(text, at)) and (sizes := parse_shape(match["bracket"])):
        shape = Shape(sizes, "" if match["each"] else match["times"] or "1")
        found[-1:] = [(*found[-1], shape)] if join else [*found[-1:], (shape,)]
        at = match.end()
        separator = re.compile(rf"(?P<or>[;,]? or (?:boolean )?)|{between}").match(text, at)
        if not separator or not SHAPE.match(text, separator.end()):
            break
        at, join = separator.end(), bool(separator["or"])
    return tuple(found), at


def shapes_in(text: str) -> bool:
    return any(
        parse_shape(match[0]) for match in LOOKS_LIKE_A_SHAPE.finditer(re.sub(r"\{.*\}", "", text))
    )


def read_comment(text: str) -> Shapes:
    """The shapes of a comment: at its beginning, or after a colon or a question; nothing where it has none."""
    text = re.sub(r"^#\s*(?:blank: )?(?:[a-z]+ [a-z]* ?(?=\[))?", "", text)
    shapes, end = parse_shapes(text)
    if shapes and shapes_in(text[end:]):
        return ()
    if not shapes and (colon := re.search(rf"[:?] (?={COUNT} |\[)", text)):
        shapes, end = parse_shapes(text[colon.end() :])
        if shapes_in(text[: colon.end()] + text[colon.end() + end :]):
            return ()
    return shapes


# ---------------------------------------------------------------- a whole file


def read_source(text: str) -> Source:
    """Everything that a source says about shapes."""
    source, comments, commented = Source(), {}, {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and shapes_in(token.string):
            commented[token.start[0]] = token.string
            if token.line[: token.start[1]].strip() and (shapes := read_comment(token.string)):
                comments[token.start[0]] = shapes
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.While)):
            source.loops[node.lineno] = (node.lineno, node.end_lineno)
        if isinstance(node, ast.ClassDef):
            _read_class(node, comments, source)
        elif isinstance(node, ast.FunctionDef):
            for function in _overriding(node, tree) or [node]:
                _read_docstring(node, function, source)
        elif isinstance(node, ast.Module):
            _unread_docstring(node, source)
    in_class = {
        item for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for item in node.body
    }
    for node in ast.walk(tree):
        if (
            isinstance(
                node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr, ast.For)
            )
            and node not in in_class
        ):
            _read_statement(node, comments, source)
    checked = {check.line for check in source.checks}
    source.unread |= {line: text for line, text in commented.items() if line not in checked}
    return source


def _overriding(node: ast.FunctionDef, tree: ast.Module) -> list[ast.FunctionDef]:
    """The methods that do what an abstract one only describes."""

    def abstract(function):
        return ast.unparse(function.body[-1]) == "raise NotImplementedError"

    if not abstract(node):
        return []
    return [
        other
        for other in ast.walk(tree)
        if isinstance(other, ast.FunctionDef) and other.name == node.name and not abstract(other)
    ]


def _read_class(node: ast.ClassDef, comments: dict[int, Shapes], source: Source) -> None:
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and item.end_lineno in comments:
            source.add(
                source.fields.setdefault(node.name, []),
                item.end_lineno,
                comments[item.end_lineno],
                None,
                item.target.id,
            )
    forward = next(
        (
            item
            for item in node.body
            if isinstance(item, ast.FunctionDef) and item.name == "forward"
        ),
        None,
    )
    if forward is not None:
        _read_docstring(node, forward, source)
    else:
        _unread_docstring(node, source)


def _read_statement(node: ast.stmt, comments: dict[int, Shapes], source: Source) -> None:
    last = node.body[0].lineno - 1 if isinstance(node, ast.For) else node.end_lineno
    lines = range(node.lineno, max(last, node.lineno) + 1)
    for line in lines:
        source.first_line[line] = node.lineno
    value = None if isinstance(node, ast.Return) else _value(node)
    if value == "" or (isinstance(node, ast.Return) and node.value is None):
        return
    parts = _parts(node)
    found = source.after.setdefault(node.lineno, [])
    for line in lines:
        if line in comments:
            targets = (
                node.targets[-1].elts
                if isinstance(node, ast.Assign) and isinstance(node.targets[-1], ast.Tuple)
                else []
            )
            named = [ast.unparse(target) for target in targets if getattr(target, "id", "") != "_"]
            wanted = value
            if len(named) == len(comments[line]) < len(targets):
                wanted = named[0] if len(named) == 1 else f"({', '.join(named)})"
            source.add(found, line, comments[line], wanted, parts.get(line))
    if not found and not isinstance(node, ast.For) and not (value or "").endswith("]"):
        source.plain[node.lineno] = value


def _value(node: ast.stmt) -> str:
    """An expression for what a statement has made; empty where it makes nothing that can be looked up."""
    if isinstance(node, ast.Expr):
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            if call.func.attr == "append":
                return f"{ast.unparse(call.func.value)}[-1]"
            if call.func.attr == "register_buffer":
                return f"{ast.unparse(call.func.value)}.{call.args[0].value}"
        return ""
    target = node.targets[-1] if isinstance(node, ast.Assign) else node.target
    if isinstance(target, ast.Tuple) and len(target.elts) == 1:
        target = target.elts[0]
    text = ast.unparse(target).replace("*", "")
    return (
        f"{text}[-1:]"
        if isinstance(node, ast.AugAssign)
        and isinstance(node.value, (ast.ListComp, ast.List, ast.Call))
        and "list" in ast.unparse(node.value)[:5]
        else text
    )


def _parts(node: ast.stmt) -> dict[int, str | int | tuple]:
    """Line -> entry of the dict, keyword of the call or index of the list that ends there, where a statement goes over several lines."""
    made, found = getattr(node, "value", None), {}
    if made is None or made.lineno == made.end_lineno:
        return found
    if isinstance(made, ast.Dict):
        entries = [
            (item, key.value)
            for key, item in zip(made.keys, made.values)
            if isinstance(key, ast.Constant)
        ]
    elif (
        isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id[0].isupper()
    ):
        entries = [(item.value, item.arg) for item in made.keywords if item.arg]
    elif isinstance(made, (ast.List, ast.Tuple)) and len(
        {item.end_lineno for item in made.elts}
    ) == len(made.elts):
        entries = [(item, index) for index, item in enumerate(made.elts)]
    else:
        entries = []
    for item, key in entries:
        found.setdefault(item.end_lineno, []).append(key)
    return {line: keys[0] if len(keys) == 1 else tuple(keys) for line, keys in found.items()}


# ---------------------------------------------------------------- docstrings


def _unread_docstring(node, source: Source) -> None:
    for line, text in _docstring_lines(node):
        if shapes_in(text):
            source.unread[line] = text.strip()


def _docstring_lines(node) -> list[tuple[int, str]]:
    text = ast.get_docstring(node, clean=False)
    text = re.sub(
        r"`[^`\n]*\W[^`\n]*`|\{.*\}", lambda code: "-" * len(code[0]), text or ""
    )  # code is no shape
    return list(enumerate(text.split("\n"), node.body[0].lineno)) if text else []


def _read_docstring(node, function: ast.FunctionDef, source: Source) -> None:
    """The shapes in the docstring of a function, or of a class whose `forward` is `function`."""
    key = (function.name, (function.decorator_list or [function])[0].lineno)
    arguments, returned = source.arguments.setdefault(key, []), source.returned.setdefault(key, [])
    names = [
        argument.arg
        for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
        if argument.arg != "self"
    ]
    gives, sentence_ended, latest, tail = False, False, None, ""
    for line, text in _docstring_lines(node):
        at, gives, previous = 0, gives and not sentence_ended, tail
        tail, sentence_ended = text, text.rstrip().endswith((".", ";")) or not text.strip()
        while match := LOOKS_LIKE_A_SHAPE.search(text, at):
            count = re.search(rf"{COUNT} (?:·|times) $", text[: match.start()])
            begin = count.start() if count else match.start()
            reference = re.fullmatch(r"\[\d+\]", match[0]) and not text[:begin].endswith(
                (": ", "-> ")
            )
            shapes, end = ((), 0) if reference else parse_shapes(text[begin:])
            before, at = text[at:begin], max(begin + end, match.end())
            if not shapes:
                continue
            gives = (gives and "; " not in before and ". " not in before) or bool(
                re.search(r"-> |\bReturns? |: $", before)
            )
            named = re.search(r"(?:`?\w+`?(?:, | and ))*`?\w+`?(?: [A-Za-z])?\s+$", before)
            of = [name for name in re.findall(r"\w+", named[0]) if name in names] if named else []
            gives = gives or (not of and bool(re.search(r": \w+ $", before)))
            if latest and re.search(
                r"\bor (?:boolean )?$", before if before.strip() else f"{previous} "
            ):
                for number in latest:
                    check = source.checks[number]
                    source.checks[number] = Check(
                        check.line,
                        (*check.shapes[:-1], (*check.shapes[-1], *shapes[0])),
                        check.value,
                        check.part,
                    )
                continue
            if before.endswith("broadcasting to "):
                of = [name for name in names if name in before.split()[-3]]
                shapes = ((Shape(tuple((*choices, "1") for choices in shapes[0][0].sizes)),),)
            known = len(source.checks)
            if (
                not of
                and line == node.body[0].lineno
                and re.fullmatch(r"\s*\"*[A-Z][\w()]*(?: (?!of\b)\w+){0,2},? ", before)
            ):
                gives = True
            if re.search(r"(?:[.:]|^) *Logits $", before):
                source.add(returned, line, shapes, None, "logits")
            elif (
                gives
                and named
                and function.returns is not None
                and ast.unparse(function.returns).startswith("dict")
            ):
                for name in re.findall(r"\w+", named[0].replace(" and ", ", ")):
                    source.add(returned, line, shapes, None, name)
            elif (
                re.match(r"(?:(?!\. )[^\[])*->", text[at:]) and len(shapes) <= len(names) and not of
            ):
                gives = False
                taken = {source.checks[number].value for number in arguments}
                for name, shape in zip([name for name in names if name not in taken], shapes):
                    source.add(arguments, line, (shape,), name)
            elif of and not gives and len(shapes) in (1, len(of)):
                for name, shape in zip(of, shapes * len(of) if len(shapes) == 1 else shapes):
                    source.add(arguments, line, (shape,), name)
            elif (
                gives
                and len(returned)
                and source.checks[returned[-1]].line in (line, line - 1)
                and re.search(r"\band\b|, ", before)
            ):
                source.checks[returned[-1]] = Check(
                    line, source.checks[returned[-1]].shapes + shapes
                )
            elif gives:
                source.add(returned, line, shapes)
            else:
                source.unread[line] = text.strip()
            latest = range(known, len(source.checks)) or latest
