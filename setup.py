"""What pyproject.toml cannot say: the logs of the benchmarks, which chapters draw, are installed
inside the package, as minibert/course/logs.
"""

from setuptools import find_packages, setup

setup(
    include_package_data=False,  # MANIFEST.in is the sdist's; the wheel holds what stands here
    packages=[*find_packages(include=["minibert", "minibert.*"]), "minibert.course.logs"],
    package_dir={"minibert.course.logs": "benchmarks/logs"},
    package_data={
        "minibert": ["py.typed", "**/*.json", "**/*.css", "**/*.js", "**/*.txt"],
        "minibert.hub": ["pretrained/**/*"],
        "minibert.course.logs": ["*.json"],
    },
)
