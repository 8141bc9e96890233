"""The learners, one algorithm a module: generators that ask queries and return a theory."""

from hornbook.learners.afp import afp, horn, horn1
from hornbook.learners.clh import clh
from hornbook.learners.closures_only import closures_only
from hornbook.learners.exploration import explore
from hornbook.learners.frugal import frugal
from hornbook.learners.lrn import lrn

__all__ = ["afp", "clh", "closures_only", "explore", "frugal", "horn", "horn1", "lrn"]
