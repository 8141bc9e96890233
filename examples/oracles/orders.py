"""A relation as an oracle: which columns of a list of orders determine which.

python orders.py
"""

from __future__ import annotations

from hornbook.formats.values import Relation
from hornbook.oracles.relation import Dependencies
from hornbook.universe import Universe

COLUMNS = Universe.of(["order", "customer", "city", "country", "currency", "coupon"])
ORDERS = [
    ("1", "Ada", "London", "UK", "GBP", None),
    ("2", "Ada", "London", "UK", "GBP", "SPRING"),
    ("3", "Blaise", "Paris", "FR", "EUR", None),
    ("4", "Carl", "Bonn", "DE", "EUR", None),
    ("5", "Bernard", "Paris", "FR", "EUR", "SPRING"),
]


def main() -> None:
    relation = Relation.of(COLUMNS, ORDERS)
    for distinct_nulls in (False, True):
        oracle = Dependencies(relation, distinct_nulls=distinct_nulls)
        print("each NULL another value" if distinct_nulls else "NULL equal to NULL")
        for asked in (["customer"], ["city"], ["currency"], ["currency", "coupon"], ["customer", "coupon"]):
            determined = oracle.closure(COLUMNS.attrs(asked)) & ~COLUMNS.attrs(asked)
            print("  ", *asked, "->", *COLUMNS.names_in(determined) or ["-"])


if __name__ == "__main__":
    main()
