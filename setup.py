"""Where the folders of the project lie once they are installed; all else about the package is in pyproject.toml.

The library is the package `attention_atlas`; the app, with its weights, is below it in `attention_atlas/app/`: other
packages have a folder `pages` or `dashboard` too.
"""

from setuptools import find_namespace_packages, find_packages, setup

# A clone's own folder stands for the app's: what is named here is found in it, and nothing else is taken.
FOLDERS = {"attention_atlas": "core", "attention_atlas.app": "."}
LIBRARY = [f"attention_atlas.{name}" for name in find_packages("core")]
ROOMS = find_namespace_packages(include=["dashboard", "dashboard.*", "pages", "pages.*"], exclude=["*.__pycache__"])
PACKAGES = ["attention_atlas", *LIBRARY, *(f"attention_atlas.app.{name}" for name in ROOMS)]

setup(
    script_name=__file__,  # so that this file is not taken for one of the app
    package_dir=FOLDERS,
    packages=[*PACKAGES, "attention_atlas.app"],
    package_data={
        **{name: ["*"] for name in PACKAGES},  # prose, tables, JavaScript and styles beside the Python that reads them
        "attention_atlas.view": ["browser/**/*"],
        "attention_atlas.app": [".streamlit/config.toml", "lessons/*.md", "weights/**/*"],
    },
    include_package_data=False,  # no list of files beside this one
)
