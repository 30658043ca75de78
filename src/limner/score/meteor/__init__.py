"""METEOR 1.5 without Java.

from limner.score.meteor import Meteor
"""

from limner.score.meteor.meteor_metric import Explanation, Matched, Meteor
from limner.score.meteor.meteor_tables import Tables, load_tables

__all__ = ["Explanation", "Matched", "Meteor", "Tables", "load_tables"]
