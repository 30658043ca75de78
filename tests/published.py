"""A tiny corpus in each published format, in the very shape its makers publish, for tests of readers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

COCO_CAPTIONS: dict[str, Any] = {
    "info": {"description": "made for tests", "year": 2017},
    "licenses": [{"url": "http://creativecommons.org/licenses/by/2.0/", "id": 4, "name": "Attribution License"}],
    "images": [
        {"license": 4, "file_name": "000000000139.jpg", "height": 426, "width": 640, "id": 139},
        {"license": 4, "file_name": "000000000285.jpg", "height": 640, "width": 586, "id": 285},
    ],
    "annotations": [
        {"image_id": 285, "id": 38, "caption": "A bear in the grass."},
        {"image_id": 139, "id": 67, "caption": "A woman stands in a room. "},
        {"image_id": 285, "id": 70, "caption": "Big brown bear"},
    ],
}
COCO_INSTANCES: dict[str, Any] = {
    "info": COCO_CAPTIONS["info"],
    "images": COCO_CAPTIONS["images"],
    "annotations": [
        {
            "segmentation": [[240.86, 211.31, 240.16, 197.19, 236.98, 192.26]],
            "area": 1481.4,
            "iscrowd": 0,
            "image_id": 139,
            "bbox": [236.98, 142.51, 24.7, 69.5],
            "category_id": 64,
            "id": 26547,
        },
        {
            "segmentation": {"counts": [272, 2, 4, 4], "size": [640, 586]},
            "area": 10,
            "iscrowd": 1,
            "image_id": 285,
            "bbox": [1, 69, 585, 562],
            "category_id": 23,
            "id": 587562,
        },
    ],
    "categories": [
        {"supercategory": "animal", "id": 23, "name": "bear"},
        {"supercategory": "furniture", "id": 64, "name": "potted plant"},
    ],
}
COCO_RESULTS = [{"image_id": 139, "caption": "a living room"}, {"image_id": 285, "caption": "a bear"}]
COCO_DETECTIONS = [
    {"image_id": 285, "category_id": 23, "bbox": [2.0, 70.0, 580.5, 560.0], "score": 0.97},
    {"image_id": 285, "category_id": 64, "bbox": [0.0, 0.0, 10.0, 10.0], "score": 0.236},
]
NOCAPS: dict[str, Any] = {
    "licenses": [{"url": "http://creativecommons.org/licenses/by/2.0/", "id": 0, "name": "Attribution 2.0"}],
    "info": {"description": "made for tests"},
    "images": [
        {
            "coco_url": "https://s3.amazonaws.com/nocaps/val/0013ea2087020901.jpg",
            "date_captured": "2018-11-06 11:04:33",
            "file_name": "0013ea2087020901.jpg",
            "height": 1024,
            "id": 0,
            "license": 0,
            "open_images_id": "0013ea2087020901",
            "width": 732,
            "domain": "in-domain",
        },
        {
            "file_name": "0032257bf3cd56d0.jpg",
            "height": 768,
            "id": 1,
            "open_images_id": "0032257bf3cd56d0",
            "width": 1024,
            "domain": "out-domain",
        },
    ],
    "annotations": [
        {"image_id": 0, "id": 0, "caption": "A baby is standing in front of a house."},
        {"image_id": 1, "id": 1, "caption": "A dolphin leaps."},
    ],
}
KARPATHY: dict[str, Any] = {
    "images": [
        {
            "filepath": "val2014",
            "sentids": [770337, 771687],
            "filename": "COCO_val2014_000000391895.jpg",
            "imgid": 0,
            "split": "test",
            "sentences": [
                {"tokens": ["a", "man"], "raw": "A man. ", "imgid": 0, "sentid": 770337},
                {"tokens": ["a", "moped"], "raw": "A moped", "imgid": 0, "sentid": 771687},
            ],
            "cocoid": 391895,
        },
        {
            "sentids": [0],
            "imgid": 1,
            "sentences": [{"tokens": ["two", "men"], "raw": "Two men.", "imgid": 1, "sentid": 0}],
            "split": "train",
            "filename": "1000092795.jpg",
        },
    ],
    "dataset": "coco",
}
OPEN_IMAGES_BOXES = """\
ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,IsOccluded,IsTruncated,IsGroupOf,IsDepiction,IsInside
0001eeaf4aed83f9,xclick,/m/0cmf2,1,0.022673,0.964201,0.071038,0.800546,0,0,0,0,0
000595fe6fee6369,xclick,/m/02wbm,1,0.000000,1.000000,0.000000,1.000000,0,1,1,0,1
000595fe6fee6369,activemil,/m/02xwb,0.5,0.141384,0.250000,0.676056,0.730000,1,-1,0,1,-1
"""
OPEN_IMAGES_CLASSES = "/m/0cmf2,Airplane\n/m/02wbm,Food\n/m/02xwb,Fruit\n/m/07yv9,Vehicle\n"
OPEN_IMAGES_HIERARCHY: dict[str, Any] = {
    "LabelName": "/m/0bl9f",
    "Subcategory": [
        {"LabelName": "/m/07yv9", "Subcategory": [{"LabelName": "/m/0cmf2"}], "Part": [{"LabelName": "/m/0wheel"}]},
        {"LabelName": "/m/02wbm", "Subcategory": [{"LabelName": "/m/02xwb"}]},
    ],
}
OPEN_IMAGES_LIST = """\
ImageID,Subset,OriginalURL,OriginalLandingURL,License,AuthorProfileURL,Author,Title,OriginalSize,OriginalMD5,\
Thumbnail300KURL,Rotation
000595fe6fee6369,validation,https://f.com/o.jpg,https://f.com/1,https://cc/2.0/,https://f.com/a,A,"Food, ""big""\",1,x,,
0001eeaf4aed83f9,validation,https://f.com/p.jpg,https://f.com/2,https://cc/2.0/,https://f.com/p,Ann,Plane,2,y,,90.0
000fe11025f2e246,validation,https://f.com/q.jpg,https://f.com/3,https://cc/2.0/,https://f.com/p,Bo,Empty,3,z,,0.0
"""
OPEN_IMAGES_SIZES = "ImageID,Width,Height\n0001eeaf4aed83f9,1024,683\n000595fe6fee6369,768,1024\n"
VISUAL_GENOME_IMAGES = [
    {
        "width": 800,
        "url": "https://cs.stanford.edu/people/rak248/VG_100K_2/1.jpg",
        "height": 600,
        "image_id": 1,
        "coco_id": None,
        "flickr_id": None,
    },
    {
        "width": 500,
        "url": "https://cs.stanford.edu/people/rak248/VG_100K/2370463.jpg",
        "height": 281,
        "image_id": 2,
        "coco_id": 547168,
        "flickr_id": 8505158818,
    },
]
VISUAL_GENOME_OBJECTS = [
    {
        "image_id": 1,
        "objects": [
            {
                "synsets": ["clock.n.01"],
                "h": 339,
                "object_id": 1058498,
                "merged_object_ids": [],
                "names": ["clock"],
                "w": 79,
                "y": 91,
                "x": 421,
            },
            {
                "synsets": [],
                "h": 100,
                "object_id": 5046,
                "merged_object_ids": [5047],
                "names": ["monitor", "computer"],
                "w": 714,
                "y": 328,
                "x": 77,
            },
        ],
        "image_url": "https://cs.stanford.edu/people/rak248/VG_100K_2/1.jpg",
    },
    {"image_id": 2, "objects": []},
]
VISUAL_GENOME_ATTRIBUTES = [
    {
        "image_id": 1,
        "attributes": [
            {
                "synsets": ["clock.n.01"],
                "h": 339,
                "object_id": 1058498,
                "names": ["clock"],
                "w": 79,
                "attributes": ["green", "tall"],
                "y": 91,
                "x": 421,
            },
            {"object_id": 5047, "names": ["computer"], "x": 77, "y": 328, "w": 714, "h": 100, "attributes": ["grey"]},
            {"object_id": 9, "names": ["street"], "x": 0, "y": 300, "w": 800, "h": 300, "synsets": ["street.n.01"]},
        ],
    },
    {"image_id": 2, "attributes": []},
]
VISUAL_GENOME_REGIONS = [
    {
        "regions": [
            {
                "region_id": 1382,
                "width": 82,
                "height": 139,
                "image_id": 1,
                "phrase": "the clock is green in colour",
                "y": 57,
                "x": 421,
            }
        ],
        "id": 1,
    },
    {
        "regions": [
            {"region_id": 7, "width": 20, "height": 10, "image_id": 2, "phrase": "a dog", "y": 0, "x": 0},
            {"region_id": 8, "width": 30, "height": 10, "image_id": 2, "phrase": "grass ", "y": 5, "x": 0},
        ],
        "id": 2,
    },
]
VISUAL_GENOME_RELATIONSHIPS = [
    {
        "relationships": [
            {
                "predicate": "ON",
                "object": {"h": 1, "object_id": 2, "w": 1, "y": 1, "x": 1, "name": "street", "synsets": []},
                "relationship_id": 15927,
                "synsets": ["along.r.01"],
                "subject": {"name": "shade", "h": 1, "synsets": [], "object_id": 1, "w": 1, "y": 1, "x": 1},
            }
        ],
        "image_id": 1,
    }
]

# Each format's files by name: JSON is given as what it says, other files as their text.
PUBLISHED: dict[str, dict[str, Any]] = {
    "coco": {
        "captions_val2017.json": COCO_CAPTIONS,
        "instances_val2017.json": COCO_INSTANCES,
        "nbt.json": COCO_RESULTS,
        "detector.json": COCO_DETECTIONS,
    },
    "nocaps": {"nocaps_val_captions.json": NOCAPS},
    "karpathy": {"dataset_coco.json": KARPATHY},
    "open-images": {
        "validation-annotations-bbox.csv": OPEN_IMAGES_BOXES,
        "class-descriptions-boxable.csv": OPEN_IMAGES_CLASSES,
        "bbox_labels_600_hierarchy.json": OPEN_IMAGES_HIERARCHY,
        "validation-images-with-rotation.csv": OPEN_IMAGES_LIST,
        "sizes.csv": OPEN_IMAGES_SIZES,
    },
    "visual-genome": {
        "image_data.json": VISUAL_GENOME_IMAGES,
        "objects.json": VISUAL_GENOME_OBJECTS,
        "attributes.json": VISUAL_GENOME_ATTRIBUTES,
        "region_descriptions.json": VISUAL_GENOME_REGIONS,
    },
}


def publish(folder: Path, format: str, **changed: Any) -> list[Path]:
    """Write a format's files, some changed (`objects=…` for objects.json), and return their paths."""
    files = PUBLISHED[format].items()
    return write_files(folder, {name: changed.get(name.split(".")[0], said) for name, said in files})


def write_files(folder: Path, files: Mapping[str, Any]) -> list[Path]:
    """Write files that are given as bytes, as text or as what their JSON says."""
    paths = []
    for name, said in files.items():
        path = folder / name
        if isinstance(said, bytes):
            path.write_bytes(said)
        else:
            path.write_text(said if isinstance(said, str) else json.dumps(said), encoding="utf-8")
        paths.append(path)
    return paths
