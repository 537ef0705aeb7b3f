"""What `make audit` makes of the answers of pip-audit, recorded from version 2.10.1."""

import json
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
COMPLAINT = "WARNING:pip_audit._cli:--no-deps is supported, but users are encouraged to fully hash their dependencies"
FOUND = {
    "dependencies": [
        {
            "name": "jinja2",
            "version": "2.10",
            "vulns": [
                {
                    "id": "PYSEC-2019-217",
                    "fix_versions": ["2.10.1"],
                    "aliases": ["CVE-2019-10906", "GHSA-462w-v97r-4m45"],
                },
                {"id": "GHSA-cpwx-vrp4-4pq7", "fix_versions": [], "aliases": []},
            ],
        },
        {"name": "numpy", "version": "2.4.6", "vulns": []},
    ],
    "fixes": [],
}
NONE = {"dependencies": [{"name": "numpy", "version": "2.4.6", "vulns": []}], "fixes": []}
UNKNOWN = {
    "dependencies": [
        {"name": "torch", "skip_reason": "Dependency not found on PyPI and could not be audited: torch (2.15.0)"},
        {"name": "numpy", "version": "2.4.6", "vulns": []},
    ],
    "fixes": [],
}
NO_NETWORK = (
    "Traceback (most recent call last):\n"
    "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='pypi.org', port=443): Max retries exceeded "
    "with url: /pypi/requests/2.19.0/json (Caused by NameResolutionError: Temporary failure in name resolution)"
)
BLOCKED = (
    "ERROR:pip_audit._cli:Could not connect to PyPI's vulnerability feed\n"
    "ERROR:pip_audit._cli:Tip: your network may be blocking this service. Try another service with `-s SERVICE`"
)


@pytest.fixture(scope="module")
def audit():
    loader = SourceFileLoader("audit", str(ROOT / "bin" / "audit"))
    module = module_from_spec(spec_from_loader("audit", loader))
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    loader.exec_module(module)
    sys.dont_write_bytecode = before
    return module


def test_a_known_hole_fails_and_is_named_with_the_version_that_repairs_it(audit):
    report, code = audit.verdict(json.dumps(FOUND), COMPLAINT, {})
    assert code == 1
    assert "jinja2 2.10: CVE-2019-10906 GHSA-462w-v97r-4m45 PYSEC-2019-217, repaired in 2.10.1" in report
    assert "GHSA-cpwx-vrp4-4pq7, repaired in no version yet" in report
    assert "2 known holes in 2 packages." in report


def test_a_hole_that_is_listed_under_any_of_its_names_passes_with_its_reason(audit):
    listed = {"CVE-2019-10906": "no templates of visitors", "GHSA-cpwx-vrp4-4pq7": "no sandbox here"}
    report, code = audit.verdict(json.dumps(FOUND), COMPLAINT, listed)
    assert code == 0
    assert "listed: no templates of visitors" in report
    assert audit.verdict(json.dumps(FOUND), "", dict([listed.popitem()]))[1] == 1


def test_a_listed_hole_that_is_none_any_more_is_mentioned(audit):
    report, code = audit.verdict(json.dumps(NONE), COMPLAINT, {"GHSA-old": "reason"})
    assert (report, code) == (
        "GHSA-old is listed in pyproject.toml, but is no hole here any more.\n0 known holes in 1 packages.",
        0,
    )


def test_what_could_not_be_looked_up_is_told(audit):
    report, code = audit.verdict(json.dumps(UNKNOWN), "", {"GHSA-old": "perhaps of torch"})
    assert (report, code) == (
        "1 of 2 packages are not known there: not audited.\n0 known holes in 1 packages.",
        0,
    )


@pytest.mark.parametrize("packages", [[], [package for package in UNKNOWN["dependencies"] if "skip_reason" in package]])
def test_an_audit_that_could_check_nothing_claims_nothing(audit, packages):
    report, code = audit.verdict(
        json.dumps({"dependencies": packages, "fixes": []}), "", {"GHSA-old": "perhaps of torch"}
    )
    assert code == 0
    assert report.startswith("Not audited")
    assert "known hole" not in report


@pytest.mark.parametrize("complaint", [NO_NETWORK, BLOCKED])
def test_without_a_network_it_says_so_and_passes(audit, complaint):
    report, code = audit.verdict("", complaint, {})
    assert code == 0
    assert report.startswith("Not audited: the list of known holes cannot be reached")


@pytest.mark.parametrize("answered", ["", "[]", "{", '{"dependencies": null}'])
def test_an_answer_that_is_none_fails(audit, answered):
    assert audit.verdict(answered, "ModuleNotFoundError: No module named 'pip_audit'", {})[1] == 2


def test_every_pin_and_what_it_brings_is_asked_for(audit):
    pins = set(audit.pinned(ROOT / "requirements-dev.txt"))
    assert {"torch", "streamlit", "pytest", "pip-audit"} <= pins
    requirements = audit.installed(pins)
    names = {line.partition("==")[0] for line in requirements}
    assert {"torch", "huggingface-hub", "streamlit", "starlette", "uvicorn", "jinja2"} <= names
    assert not [line for line in requirements if "+" in line]
