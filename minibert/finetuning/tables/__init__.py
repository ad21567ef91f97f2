"""Labelled data in files or on the hub, read as rows and made into examples of a task.

`files` reads rows, `columns` finds what each column holds, `readers` make examples of the rows.
"""
