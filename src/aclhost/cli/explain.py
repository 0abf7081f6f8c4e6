# SPDX-License-Identifier: Apache-2.0
"""`aclhost explain`: what a status means, and what the library would say about a call."""

from __future__ import annotations

import click

from aclhost.cli.completion import call_arguments, codes_and_operators, socs


@click.command(short_help="Explain a status code, or check a described call.")
@click.argument("what", metavar="CODE|NAME", shell_complete=codes_and_operators)
@click.argument("arguments", nargs=-1, metavar="[ARG=VALUE]...", shell_complete=call_arguments)
@click.option(
    "--soc", help="A product (A2) or SoC (Ascend910B1); all if not given.", shell_complete=socs
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def explain(what: str, arguments: tuple[str, ...], soc: str | None, as_json: bool) -> None:
    """Explain a status CODE, or check a call of NAME without running it.

    \b
    aclhost explain 161002
    aclhost explain EZ1001
    aclhost explain aclnnEluBackward 'gradOutput=bf16[2,3]' 'selfOrResult=bf16[2,3]'
    aclhost explain elu 'self=float[2,3]:strides=1,2' alpha=1:INT64 --soc A2

    A tensor is DTYPE[SIZES], then any of :FORMAT :strides=1,2 :offset=N :storage=N; a scalar is
    VALUE or VALUE:DTYPE; lists have commas between their members; null is a null pointer. What has
    a default may be left out, and so may results: they are worked out. Quote brackets in a shell.

    The exit status is 1 if some product that has the operator refuses the call.
    """  # noqa: D301 - click reads the \b character
    # Here, because it imports the declarations.
    from aclhost.cli.explain_answer import answer

    answer(what, arguments, soc, as_json)
