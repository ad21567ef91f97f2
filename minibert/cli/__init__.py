"""The command line: `main` parses and dispatches, and every command has a module of its own.

A command's module exposes `add(commands)`, which adds its parser. Modules here import torch, and
what needs it, inside the functions that compute, so that `minibert --help` and a wrong option
answer at once.
"""
