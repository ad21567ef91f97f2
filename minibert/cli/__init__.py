"""The command line: `main` parses the arguments and runs a command; each command is a module.

A command's module has a function `add(commands)`, which adds its parser. The modules import torch,
and everything that needs it, inside the functions that compute, so that `minibert --help` and
errors in options appear at once.
"""
