"""Flickr30k Entities: sentences with bracketed mentions, and an XML file of boxes for each image."""

from limner.corpus.formats.flickr30k_entities.files import recognise
from limner.corpus.formats.flickr30k_entities.reader import read
from limner.corpus.formats.flickr30k_entities.writer import write
from limner.corpus.formats.format import Format

FORMAT = Format(
    name="flickr30k-entities",
    title="Flickr30k Entities: the zip, or the folder with Annotations and Sentences",
    recognise=recognise,
    read=read,
    write=write,
)
