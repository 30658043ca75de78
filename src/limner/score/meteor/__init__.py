"""METEOR 1.5 without Java.

from limner.score.meteor import Meteor
"""

from limner.score.meteor.explanation import Explanation, Matched
from limner.score.meteor.metric import Meteor
from limner.score.meteor.tables import Tables, load_tables

__all__ = ["Explanation", "Matched", "Meteor", "Tables", "load_tables"]
