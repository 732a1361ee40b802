"""Hit odds: the chance that the side bearing off has a man hit, both sides playing best for this one goal.

One and two men of the other side come from tables, everything else is solved when asked for; what would take too
long is estimated by playing it out, and says so. RULES.md C, D, E hold; see docs/hit-odds.md.
"""

from companion.rules.hitodds.odds import Answer, PlayOdds, answer
from companion.rules.hitodds.question import parse_men

__all__ = ["Answer", "PlayOdds", "answer", "parse_men"]
