"""The mistakes that tools/mutation.py makes: every small change that its operators know, in one Python source.

Not changed: annotations, docstrings, imports, f-strings, what a `raise` says (that it raises is), and lists of many words (they are data).
"""

import ast
import copy
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}
COMPARISONS = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
CALLED = """
min max, any all, sum mean, sin cos, zeros ones, argmin argmax, floor ceil,
startswith endswith, eval train, exp log, softmax log_softmax, append extend, minimum maximum,
flatten squeeze, zeros_ ones_, new_zeros new_ones, lstrip rstrip, find rfind, match search
"""
CALLED = [pair.split() for pair in CALLED.split(",")]
CALLED = {one: other for pair in CALLED for one, other in (pair, pair[::-1])}
# Functions of two arguments in any order.
SYMMETRIC = tuple(
    "transpose min max minimum maximum gcd isclose allclose equal mse_loss cosine_similarity".split()
)
KEPT_DECORATORS = (
    "property classmethod staticmethod dataclass contextmanager abstractmethod".split()
)
# A change of less text than SHORT is shown with what stands around it, up to LONG.
SHORT, LONG = 40, 160
MANY = 12  # constants in one literal, words in one string

Path = tuple[
    tuple[str, int | None], ...
]  # the way from the module to a node: fields and places in lists


@dataclass(frozen=True)
class Mutant:
    """One change: what is to stand at `path` instead."""

    function: str  # the outermost function or the class around it, "" at the level of the module
    in_body: bool  # whether it runs when that function is called, not when the module is imported
    lines: tuple[
        int, int
    ]  # the first and the last line of its statement (of a compound statement: of its head)
    operator: str
    change: str  # before → after
    path: Path
    replacement: ast.AST

    def tree(self, tree: ast.Module) -> ast.Module:
        """A copy of the module's tree with the change made."""
        return _replaced(tree, self.path, self.replacement)


def mutants(tree: ast.Module) -> list[Mutant]:
    """All of them, in the order of the source; two that read alike in one function are numbered."""
    found, seen = [], Counter()
    for path, function, in_body, lines in _places(tree, (), "", False, (0, 0)):
        for operator, replacement in _replacements(_at(tree, path)):
            change = _shown(tree, path, replacement)
            seen[function, change] += 1
            number = seen[function, change]
            # a decorator works when the function is made
            at_import = operator == "decorator removed"
            found.append(
                Mutant(
                    function,
                    in_body and not at_import,
                    lines,
                    operator,
                    change + (f" (no. {number})" if number > 1 else ""),
                    path,
                    replacement,
                )
            )
    return found


def _places(
    node: ast.AST, path: Path, function: str, in_body: bool, lines: tuple[int, int]
) -> Iterator[tuple[Path, str, bool, tuple[int, int]]]:
    """(path, function, in_body, lines) of every node that may change."""
    if isinstance(node, (ast.JoinedStr, ast.Import, ast.ImportFrom)) or _is_docstring(node):
        return
    if (
        isinstance(node, (ast.Tuple, ast.List, ast.Set))
        and len(node.elts) > MANY
        and all(isinstance(item, ast.Constant) for item in node.elts)
    ):
        return
    if isinstance(node, ast.stmt):
        body = getattr(node, "body", None)
        last = (
            max(node.lineno, body[0].lineno - 1)
            if isinstance(body, list) and body
            else node.end_lineno
        )
        lines = node.lineno, last
    if isinstance(node, ast.excepthandler):
        lines = node.lineno, node.lineno
    yield path, function, in_body, lines
    if isinstance(node, ast.Raise):
        return
    is_scope = (
        isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and not in_body
    )
    inside = f"{function}.{node.name}".lstrip(".") if is_scope else function
    for name, value in ast.iter_fields(node):
        if name in (
            "annotation",
            "returns",
            "decorator_list",
            "type_params",
            "bases",
            "keywords",
        ) and not isinstance(node, ast.Call):
            continue
        enters = in_body or (name == "body" and is_scope and not isinstance(node, ast.ClassDef))
        for place, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST):
                yield from _places(child, (*path, (name, place)), inside, enters, lines)


def _replacements(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """(operator, what stands there instead)."""
    match node:
        case ast.BinOp(left, ast.MatMult(), right):
            yield "operands swapped", ast.BinOp(right, ast.MatMult(), left)
        case ast.BinOp(left, op, right) if type(op) in ARITHMETIC:
            yield "arithmetic", ast.BinOp(left, ARITHMETIC[type(op)](), right)
        case ast.AugAssign(target, op, value):
            yield "statement removed", ast.Pass()
            if type(op) in ARITHMETIC:
                yield "arithmetic", ast.AugAssign(target, ARITHMETIC[type(op)](), value)
        case ast.UnaryOp(ast.USub() | ast.Invert() | ast.Not(), operand):
            yield "sign or not removed", operand
        case ast.Compare(left, ops, comparators):
            for place, op in enumerate(ops):
                for other in COMPARISONS[type(op)]:
                    yield (
                        "comparison",
                        ast.Compare(left, [*ops[:place], other(), *ops[place + 1 :]], comparators),
                    )
        case ast.BoolOp(op, values):
            yield "boolean", ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.Constant(value):
            yield from (("constant", ast.Constant(other)) for other in _other_values(value))
        case ast.IfExp(test, body, orelse):
            yield "branches swapped", ast.IfExp(test, orelse, body)
        case ast.If(test, body, orelse) | ast.While(test, body, orelse) if not isinstance(
            test, (ast.Compare, ast.BoolOp, ast.UnaryOp)
        ):
            yield "condition", type(node)(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.comprehension(target, iterated, ifs, is_async) if ifs:
            yield "filter removed", ast.comprehension(target, iterated, [], is_async)
        case ast.For(target, iterated, body, orelse):
            yield "loop skipped", ast.For(target, ast.Tuple([], ast.Load()), body, orelse)
        case ast.Return(value) if value is not None and not (
            isinstance(value, ast.Constant) and not value.value
        ):
            yield "return value", ast.Return(ast.Constant(None))
        case ast.Expr(ast.Call()) | ast.Raise() | ast.Delete():
            yield "statement removed", ast.Pass()
        case ast.Assign(targets) if all(
            isinstance(target, (ast.Subscript, ast.Attribute)) for target in targets
        ):
            yield "statement removed", ast.Pass()
        case ast.Break():
            yield "loop", ast.Continue()
        case ast.Continue():
            yield "loop", ast.Break()
        case ast.Slice(lower, upper, step):
            if lower is not None:
                yield "slice", ast.Slice(None, upper, step)
            if upper is not None:
                yield "slice", ast.Slice(lower, None, step)
        case ast.Call():
            yield from _other_calls(node)
        case ast.FunctionDef(decorator_list=decorators):
            for place, decorator in enumerate(decorators):
                if not any(name in ast.unparse(decorator) for name in KEPT_DECORATORS):
                    changed = copy.copy(node)
                    changed.decorator_list = decorators[:place] + decorators[place + 1 :]
                    yield "decorator removed", changed


def _other_values(value) -> list:
    match value:
        case bool():
            return [not value]
        case int():
            return [value + 1, value - 1]
        case float():
            return [value * 2 if value else 1.0]
        case str() if len(value.split()) <= MANY:
            return [value + "XX"]
        case bytes():
            return [value + b"XX"]
    return []


def _other_calls(call: ast.Call) -> Iterator[tuple[str, ast.Call]]:
    args, keywords = call.args, call.keywords
    if len(args) > 1 and not any(isinstance(arg, ast.Starred) for arg in args):
        if ast.unparse(args[0]) != ast.unparse(args[1]) and not ast.unparse(call.func).endswith(
            SYMMETRIC
        ):
            yield "arguments swapped", ast.Call(call.func, [args[1], args[0], *args[2:]], keywords)
        yield "argument dropped", ast.Call(call.func, args[:-1], keywords)
    for place, keyword in enumerate(keywords):
        if keyword.arg is not None:
            yield (
                "argument dropped",
                ast.Call(call.func, args, keywords[:place] + keywords[place + 1 :]),
            )
    match call.func:
        case ast.Name(name) if name in CALLED:
            yield "another function", ast.Call(ast.Name(CALLED[name], ast.Load()), args, keywords)
        case ast.Attribute(value, name) if name in CALLED:
            yield (
                "another function",
                ast.Call(ast.Attribute(value, CALLED[name], ast.Load()), args, keywords),
            )


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _at(tree: ast.AST, path: Path) -> ast.AST:
    for field, place in path:
        tree = getattr(tree, field) if place is None else getattr(tree, field)[place]
    return tree


def _replaced(tree: ast.AST, path: Path, replacement: ast.AST) -> ast.AST:
    if not path:
        return ast.fix_missing_locations(ast.copy_location(replacement, tree))
    (field, place), tree = path[0], copy.copy(tree)
    value = getattr(tree, field)
    if place is None:
        setattr(tree, field, _replaced(value, path[1:], replacement))
    else:
        setattr(
            tree,
            field,
            [*value[:place], _replaced(value[place], path[1:], replacement), *value[place + 1 :]],
        )
    return tree


def _shown(tree: ast.Module, path: Path, replacement: ast.AST) -> str:
    """'before → after', with enough around it to be recognised."""
    keep = len(path)
    while (
        keep
        and not isinstance(_at(tree, path[:keep]), ast.stmt)
        and len(_head(_at(tree, path[:keep]))) < SHORT
    ):
        if len(_head(_at(tree, path[: keep - 1]))) > LONG:
            break
        keep -= 1
    around = _at(tree, path[:keep])
    return f"{_head(around)} → {_head(_replaced(around, path[keep:], replacement))}"


def _head(node: ast.AST) -> str:
    """A node as one line of text; of a compound statement its head."""
    if isinstance(node, ast.stmt) and getattr(node, "body", None):
        node = copy.copy(node)
        node.body = [ast.Pass()]
        for rest in ("orelse", "handlers", "finalbody"):
            if getattr(node, rest, None) and not isinstance(node, ast.Try):
                setattr(node, rest, [])
        return " ".join(ast.unparse(node).removesuffix("pass").split())
    return " ".join(ast.unparse(node).split())
