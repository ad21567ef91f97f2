"""One module for each kind of task; `base` says what a task is and how to add one."""
