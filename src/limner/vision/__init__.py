"""From pictures to numbers: pixels, proposals of regions, detections, features of regions.

Models are files that you have, given by path; nothing is downloaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.vision.class_labels import known_labels, read_labels
    from limner.vision.detecting import DetectionTally, detect_corpus, simulate_corpus
    from limner.vision.detections import DetectionSettings
    from limner.vision.detectors import open_detector
    from limner.vision.error_fitting import fit_profile
    from limner.vision.error_profile import ErrorProfile, built_in_profile, read_profile
    from limner.vision.image_pixels import ImagePixels, read_image
    from limner.vision.picture_stream import PictureSource, find_pictures, read_ahead
    from limner.vision.pictures import ListedPicture, list_pictures, read_pixels
    from limner.vision.proposals import DetectorProposer, GoldProposer, GridProposer, ProposalLimits, find_proposer
    from limner.vision.protocols import Detector, Pixels, Proposer, RegionFeatures
    from limner.vision.simulated_detector import SimulatedDetector

__getattr__, __dir__, __all__ = lazy_exports(__name__)
