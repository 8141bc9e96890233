"""A formula as an oracle: what selecting features of a product line forces, beyond what every product has anyway.

python product_line.py                          a phone, small enough to check by hand
python product_line.py router [FEATURE ...]     a router of some hundred features, made by rules
python product_line.py MODEL [FEATURE ...]      a model of your own, in named DIMACS or UVL
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from hornbook.formats.values import NamedFormula
from hornbook.oracles.formula import Formula
from hornbook.universe import Universe

PHONE = [
    "phone",
    "screen | !phone", "phone | !screen",
    "basic | colour | touch | !screen", "!basic | !colour", "!basic | !touch", "!colour | !touch",
    "screen | !basic", "screen | !colour", "screen | !touch",
    "!camera | touch | colour", "!camera | media", "!media | battery", "!gps | battery", "!gps | !basic",
    "!touch | battery", "!colour | battery",
]  # fmt: skip

MEMORY = ["ram_16", "ram_32", "ram_64", "ram_128", "ram_256"]
DEVICES = {"ethernet": ["link_layer"], "wifi": ["link_layer", "radio"], "modem": ["ppp"], "storage": ["block_layer"]}
BUSES = ["pci", "usb", "sdio", "spi"]
NEEDS = {  # a service and what it needs: all that is named, and one of each choice
    "tcp": ["ip"], "udp": ["ip"], "dhcp": ["udp"], "dns": ["udp"], "ntp": ["udp"], "tls": ["tcp", "random"],
    "http": ["tcp"], "web_ui": ["http"], "ssh": ["tcp", "random"], "firewall": ["ip", "filter"], "nat": ["firewall"],
    "vpn": ["ip", "openvpn | wireguard | ipsec"], "openvpn": ["tls"], "wireguard": ["udp", "random"],
    "ipsec": ["udp", "random", "filter"], "radius": ["udp"], "ldap": ["tcp"], "login": ["radius | ldap | passwords"],
    "hotspot": ["wifi", "dhcp", "nat", "login"], "mesh": ["wifi", "ip", "ntp"], "fallback": ["modem", "ethernet"],
    "files": ["storage", "samba | nfs"], "samba": ["tcp", "login"], "nfs": ["tcp | udp"], "media": ["files", "http"],
    "updates": ["tls", "http", "storage"], "statistics": ["storage", "ntp"], "qos": ["filter"], "voip": ["qos", "udp"],
    "random": [], "filter": [], "passwords": [], "ip": ["link_layer | ppp"],
}  # fmt: skip
HUNGRY = {"samba": 3, "media": 4, "openvpn": 2, "statistics": 2, "voip": 1}  # the first of the memories that will do
OPTIONS = {"log": ["storage | remote_log"], "auth": ["login"], "page": ["web_ui"], "limits": ["qos"], "watch": ["ntp"]}


def rules_of_the_router() -> Iterator[str]:
    """The rules: `a | b | !c` says that c needs a or b."""
    yield "router"
    for group in (["arm", "mips", "x86"], MEMORY):
        yield " | ".join(group)
        yield from (f"!{a} | !{b}" for i, a in enumerate(group) for b in group[:i])
    yield from ("pci | !x86", "!sdio | !mips", "!x86 | !ram_16", "updates | !x86")
    for device, layers in DEVICES.items():
        drivers = [f"{bus}_{device}" for bus in BUSES]
        yield " | ".join([*drivers, f"!{device}"])
        for bus, driver in zip(BUSES, drivers, strict=True):
            # That wifi needs a radio follows from all of its drivers together, and from none of them alone.
            yield from (f"{needed} | !{driver}" for needed in [bus, device, *layers])
            yield from (f"{driver} | !{driver}_{option}" for option in ("debug", "firmware", "leds", "sleep"))
            yield f"storage | !{driver}_firmware"
    for service, needs in NEEDS.items():
        yield from (f"{needed} | !{service}" for needed in needs)
        for option, wanted in OPTIONS.items():
            yield from (f"{needed} | !{service}_{option}" for needed in [service, *wanted])
    yield "udp | !remote_log"
    yield from ("wifi | ethernet", "web_ui | ssh")
    yield from (" | ".join([*MEMORY[least:], f"!{service}"]) for service, least in HUNGRY.items())


def model_of(rules: Iterable[str]) -> NamedFormula:
    """The rules as a formula, features in order of appearance."""
    clauses = [rule.split(" | ") for rule in rules]
    names = Universe.of(dict.fromkeys(word.removeprefix("!") for clause in clauses for word in clause))

    def literal(word: str) -> int:
        variable = names.position(word.removeprefix("!")) + 1
        return -variable if word.startswith("!") else variable

    return NamedFormula(names, tuple(tuple(map(literal, clause)) for clause in clauses))


def model_called(name: str) -> NamedFormula:
    """The router, or the feature model in a file."""
    from hornbook import formats

    if name == "router":
        return model_of(rules_of_the_router())
    value = formats.read(name, as_="formula").value
    assert isinstance(value, NamedFormula)
    return value


def choose(oracle: Formula, chosen: Iterable[str], core: int) -> None:
    """Prints what the chosen features force beside what is in every product."""
    names, selected = oracle.universe, list(chosen)
    closed = oracle.closure(names.attrs(selected))
    forced = ["!"] if closed is None else names.names_in(closed & ~core & ~names.attrs(selected)) or ["-"]
    print(*selected, "->", *forced)


def survey(oracle: Formula, core: int) -> None:
    """Prints what each single feature forces, where the features in every product alone would tell nothing."""
    free = [position for position in range(oracle.size) if not (core | oracle.dead()) >> position & 1]
    forced = {position: (oracle.closure(1 << position) or 0) & ~core & ~(1 << position) for position in free}
    counts = sorted((attrs.bit_count() for attrs in forced.values()), reverse=True) or [0]
    print(
        f"{len(free)} others; selecting one forces {sum(counts) / len(counts):.1f} more on average, {counts[0]} at most"
    )
    for position in sorted(forced, key=lambda position: (-forced[position].bit_count(), position))[:3]:
        choose(oracle, [oracle.universe.names[position]], core)


def main(which: str | None = None, *selected: str) -> None:
    oracle = Formula(model_of(PHONE) if which is None else model_called(which))
    core, names = oracle.core(), oracle.universe
    if core is None:
        print("no product at all")
        return
    print("in every product:", *names.names_in(core) or ["-"])
    print("in no product:", *names.names_in(oracle.dead()) or ["-"])
    if selected:
        choose(oracle, selected, core)
    elif which is None:
        for chosen in (["camera"], ["gps"], ["basic"], ["basic", "gps"]):
            choose(oracle, chosen, core)
    else:
        survey(oracle, core)
    gap = oracle.horn_gap()
    if gap is None:
        print("implications say all of it")
    else:
        print("implications do not say all of it: what two products share may be none")
    if gap is not None and which is None:
        for product in (*gap, gap[0] & gap[1]):
            print("  ", *names.names_in(product))


if __name__ == "__main__":
    main(*sys.argv[1:])
