# SPDX-License-Identifier: Apache-2.0
"""Lets programs written for pyACL say `import acl`; the code is in aclhost.acl."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path


def _load_package() -> None:
    """Loads the package that this tree lies in, which no other environment's Python would find.

    Its directory does not join sys.path: it holds packages of an environment that is not ours.
    """
    directory = Path(__file__).resolve().parents[4]
    file = directory / "__init__.py"
    if "aclhost" in sys.modules or directory.name != "aclhost" or not file.is_file():
        return
    places = [str(directory)]
    spec = spec_from_file_location("aclhost", file, submodule_search_locations=places)
    package = sys.modules["aclhost"] = module_from_spec(spec)
    spec.loader.exec_module(package)


_load_package()

from aclhost import acl  # noqa: E402
from aclhost.acl import blas, fv, himpi, mdl, media, op, prof, rt, util  # noqa: E402

sys.modules[__name__] = acl
for _module in (blas, fv, himpi, mdl, media, op, prof, rt, util):
    sys.modules[f"{__name__}.{_module.__name__.rpartition('.')[2]}"] = _module
