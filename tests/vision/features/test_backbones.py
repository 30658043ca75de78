"""Models behind features, against the libraries that run them and against arithmetic."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Picture

from conftest import REPOSITORY
from limner.corpus import Image
from limner.errors import BadInput, LimnerError
from limner.vision.features import FeatureRecipe, make_features, open_features
from limner.vision.features.pixel_regions import crops
from limner.vision.features.region_source import RegionSource
from refusals import refusal

PIXELS = np.random.default_rng(7).integers(0, 256, (90, 120, 3), dtype=np.uint8)
REGIONS = np.array([[0, 0, 120, 90], [10, 20, 60, 80], [100, 70, 120, 90]], dtype=np.float32)

MEAN, STD = (123.675, 116.28, 103.53), (58.395, 57.12, 57.375)


# --- TensorFlow Lite


@pytest.fixture(scope="module")
def efficientnet() -> Path:
    pytest.importorskip("ai_edge_litert", reason="LiteRT is not installed")
    path = REPOSITORY.parent / "shared" / "models" / "efficientnet_lite0.tflite"
    if not path.is_file():
        pytest.skip("the model is not at hand (shared/models beside the repository)")
    return path


def test_crops_of_a_litert_model_are_what_its_own_pooling_gives(efficientnet: Path) -> None:
    """The model's tensor AvgPool, which is the mean of the map, up to the steps of its 8 bits."""
    extractor = FeatureRecipe(str(efficientnet), "crop").open()[0]
    by_map = extractor.extract(PIXELS, REGIONS)
    pooled = FeatureRecipe(str(efficientnet), "crop", layer="efficientnet-lite0/model/head/Squeeze1").open()[0]
    by_model = pooled.extract(PIXELS, REGIONS)
    assert by_map.shape == by_model.shape == (3, 1280)
    assert by_map.std() > 0.1
    assert np.abs(by_map - by_model).max() < 0.03


def test_pooling_over_a_litert_model_sees_where_a_region_is(efficientnet: Path) -> None:
    extractor = FeatureRecipe(str(efficientnet)).open()[0]
    halves = np.full((90, 120, 3), 255, dtype=np.uint8)
    halves[:, :60] = PIXELS[:, :60]
    corners = [(0, 0, 40, 90), (80, 0, 120, 90), (0, 0, 120, 90)]
    left, right, whole = extractor.extract(halves, corners)
    assert extractor.n_dims == 1280
    assert np.linalg.norm(left - right) > 5
    # Halves and what is between them make up the whole.
    assert np.linalg.norm((left + right) / 2 - whole) < np.linalg.norm(left - right) / 2


def test_interpreters_of_several_threads_agree(efficientnet: Path) -> None:
    first, second = FeatureRecipe(str(efficientnet)).open(2)
    assert first is not second
    assert first.signature == second.signature
    assert "litert:" in first.signature
    assert "sha256:" in first.signature
    assert (first.extract(PIXELS, REGIONS) == second.extract(PIXELS, REGIONS)).all()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"layer": "nothing"}, "unknown tensor of"),
        ({"size": 300}, "takes pictures of 224 by 224"),
        ({"layer": "efficientnet-lite0/model/head/Squeeze1"}, "the model returns no feature map"),
    ],
)
def test_what_a_litert_model_cannot_do_is_said(efficientnet: Path, options: dict[str, object], said: str) -> None:
    with pytest.raises(LimnerError, match=said):
        FeatureRecipe(str(efficientnet), **options).open()  # type: ignore[arg-type]


# --- ONNX


def onnx_model(path: Path, outputs: tuple[str, ...] = ("map", "vector"), batch: int | str = "n") -> np.ndarray:
    """A model of one convolution without overlap; its kernel."""
    onnx = pytest.importorskip("onnx", reason="onnx is not installed")
    pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed")
    kernel = np.random.default_rng(1).normal(size=(5, 3, 8, 8)).astype(np.float32)
    info = onnx.helper.make_tensor_value_info
    shapes = {"map": [batch, 5, 4, 4], "vector": [batch, 5], "many": [batch, 5, 4, 4, 1]}
    nodes = [
        onnx.helper.make_node("Conv", ["x", "kernel"], ["map"], strides=[8, 8]),
        onnx.helper.make_node("ReduceMax", ["map", "axes"], ["vector"], keepdims=0),
        onnx.helper.make_node("Unsqueeze", ["map", "last"], ["many"]),
    ]
    graph = onnx.helper.make_graph(
        nodes,
        "features",
        [info("x", onnx.TensorProto.FLOAT, [batch, 3, 32, 32])],
        [info(name, onnx.TensorProto.FLOAT, shapes[name]) for name in outputs],
        [
            onnx.numpy_helper.from_array(kernel, "kernel"),
            onnx.numpy_helper.from_array(np.array([2, 3]), "axes"),
            onnx.numpy_helper.from_array(np.array([4]), "last"),
        ],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=9)
    path.write_bytes(model.SerializeToString())
    return kernel


def convolved(picture: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    """What the model's map is, by arithmetic: `[4, 4, 5]`."""
    scaled = (picture - np.array(MEAN)) / np.array(STD)
    patches = scaled.reshape(4, 8, 4, 8, 3)
    return np.einsum("aibjc,kcij->abk", patches, kernel)


@pytest.mark.parametrize("batch", ["n", 1, 2])
def test_an_onnx_model_returns_vectors_of_crops(tmp_path: Path, batch: int | str) -> None:
    kernel = onnx_model(tmp_path / "m.onnx", batch=batch)
    extractor = FeatureRecipe(str(tmp_path / "m.onnx"), "crop", pixels="imagenet").open()[0]
    expected = [convolved(crop, kernel).max(axis=(0, 1)) for crop in crops(PIXELS, REGIONS, (32, 32))]
    assert np.allclose(extractor.extract(PIXELS, REGIONS), expected, atol=1e-3)


def test_an_onnx_model_without_a_vector_gives_the_mean_of_its_map(tmp_path: Path) -> None:
    kernel = onnx_model(tmp_path / "m.onnx", ("map",))
    extractor = FeatureRecipe(str(tmp_path / "m.onnx"), "crop", pixels="imagenet").open()[0]
    expected = [convolved(crop, kernel).mean(axis=(0, 1)) for crop in crops(PIXELS, REGIONS, (32, 32))]
    assert np.allclose(extractor.extract(PIXELS, REGIONS), expected, atol=1e-3)


def test_regions_are_pooled_from_the_map_of_an_onnx_model(tmp_path: Path) -> None:
    kernel = onnx_model(tmp_path / "m.onnx")
    extractor = FeatureRecipe(str(tmp_path / "m.onnx"), pixels="imagenet").open()[0]
    whole = convolved(crops(PIXELS, REGIONS[:1], (32, 32))[0], kernel)
    # A pixel about the centre of one cell, where the map is what it is there.
    pooled = extractor.extract(PIXELS, [(44.5, 33.25, 45.5, 34.25)])
    assert np.allclose(pooled[0], whole[1, 1], atol=0.2)
    assert np.linalg.norm(pooled[0] - whole[1, 1]) < 0.05 * np.linalg.norm(whole[1, 1] - whole[2, 2])


@pytest.mark.parametrize(
    ("outputs", "options"),
    [
        (("map",), {}),
        (("vector",), {"pixels": "imagenet"}),
        (("map",), {"pixels": "imagenet", "layer": "maps"}),
        (("many",), {"pixels": "imagenet"}),
        (("map",), {"pixels": "colourful"}),
    ],
)
def test_what_an_onnx_model_cannot_do_is_said(
    tmp_path: Path, outputs: tuple[str, ...], options: dict[str, object]
) -> None:
    onnx_model(tmp_path / "m.onnx", outputs)
    with refusal(LimnerError):
        FeatureRecipe(str(tmp_path / "m.onnx"), **options).open()  # type: ignore[arg-type]


def test_a_layer_is_chosen_by_name(tmp_path: Path) -> None:
    onnx_model(tmp_path / "m.onnx")
    by_name = FeatureRecipe(str(tmp_path / "m.onnx"), "crop", layer="map", pixels="imagenet").open()[0]
    usual = FeatureRecipe(str(tmp_path / "m.onnx"), "crop", pixels="imagenet").open()[0]
    assert by_name.signature != usual.signature
    assert not np.allclose(by_name.extract(PIXELS, REGIONS), usual.extract(PIXELS, REGIONS))


def test_a_store_is_made_with_a_model(tmp_path: Path) -> None:
    Picture.fromarray(PIXELS).save(tmp_path / "a.png")
    onnx_model(tmp_path / "m.onnx")
    recipe = FeatureRecipe(str(tmp_path / "m.onnx"), pixels="imagenet")
    make_features([Image("a", file="a.png")], tmp_path, tmp_path / "s", recipe, regions=RegionSource("grid", 2, 2))
    store = open_features(tmp_path / "s")
    assert store.features("a").shape == (4, 5)
    assert "onnx:" in store.signature


# --- Hugging Face


def hugging_face(folder: Path, kind: str) -> object:
    """A model with random weights, as transformers saves it; the model."""
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    torch.manual_seed(0)
    small = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    sees = {**small, "image_size": 32, "patch_size": 8}
    if kind == "vit":
        model = transformers.ViTModel(transformers.ViTConfig(**sees))
    elif kind == "clip":
        text = {**small, "vocab_size": 20, "max_position_embeddings": 8}
        model = transformers.CLIPModel(transformers.CLIPConfig(text_config=text, vision_config=sees, projection_dim=8))
    elif kind == "wide":
        model = transformers.ViTModel(transformers.ViTConfig(**{**sees, "image_size": [32, 48]}))
    elif kind == "registers":
        # Nine tokens, of which four are patches.
        config = transformers.Dinov2WithRegistersConfig(**{**sees, "patch_size": 16}, num_register_tokens=4)
        model = transformers.Dinov2WithRegistersModel(config)
    elif kind == "swin":
        config = transformers.SwinConfig(
            image_size=32, patch_size=4, embed_dim=8, depths=[1, 1], num_heads=[1, 2], window_size=2
        )
        model = transformers.SwinModel(config)
    else:
        config = transformers.ResNetConfig(embedding_size=8, hidden_sizes=[8, 12], depths=[1, 1], layer_type="basic")
        model = transformers.ResNetModel(config)
    model.eval().save_pretrained(folder)
    transformers.ViTImageProcessor(size={"height": 32, "width": 32}).save_pretrained(folder)
    return model


@pytest.mark.parametrize(("kind", "side"), [("vit", None), ("clip", None), ("resnet", 32)])
def test_vectors_and_maps_are_those_of_the_model(tmp_path: Path, kind: str, side: int | None) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    model = hugging_face(tmp_path / "m", kind)
    extractor = FeatureRecipe(str(tmp_path / "m"), "crop", size=side).open()[0]
    pictures = crops(PIXELS, REGIONS, (32, 32))
    given = torch.from_numpy(((pictures / 255.0 - 0.5) / 0.5).astype(np.float32).transpose(0, 3, 1, 2).copy())
    sees = getattr(model, "vision_model", model)
    with torch.inference_mode():
        output = sees(pixel_values=given)
    expected = output.pooler_output.numpy().reshape(3, -1)
    assert np.allclose(extractor.extract(PIXELS, REGIONS), expected, atol=1e-4)
    hidden = output.last_hidden_state.numpy()
    maps = hidden.transpose(0, 2, 3, 1) if hidden.ndim == 4 else hidden[:, 1:].reshape(3, 4, 4, 16)
    pooled = FeatureRecipe(str(tmp_path / "m"), size=side).open()[0]
    assert np.allclose(pooled.backbone.maps(pictures), maps, atol=1e-4)
    rows = pooled.extract(PIXELS, REGIONS)
    assert rows.shape == (3, maps.shape[3])
    assert (rows == pooled.extract(PIXELS, REGIONS)).all()


@pytest.mark.parametrize(
    ("kind", "size", "n_before", "grid"),
    [("wide", (48, 32), 1, (4, 6)), ("registers", (32, 32), 5, (2, 2)), ("swin", (32, 32), 0, (4, 4))],
)
def test_maps_are_of_patches_alone(
    tmp_path: Path, kind: str, size: tuple[int, int], n_before: int, grid: tuple[int, int]
) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    model = hugging_face(tmp_path / "m", kind)
    pooled = FeatureRecipe(str(tmp_path / "m")).open()[0]
    assert pooled.backbone.size == size
    pictures = crops(PIXELS, REGIONS, size)
    given = torch.from_numpy(((pictures / 255.0 - 0.5) / 0.5).astype(np.float32).transpose(0, 3, 1, 2).copy())
    with torch.inference_mode():
        hidden = model(pixel_values=given).last_hidden_state.numpy()
    assert np.allclose(pooled.backbone.maps(pictures), hidden[:, n_before:].reshape(3, *grid, -1), atol=1e-4)


def test_a_folder_without_normalisation_needs_to_be_told(tmp_path: Path) -> None:
    hugging_face(tmp_path / "m", "vit")
    (tmp_path / "m" / "preprocessor_config.json").unlink()
    with refusal(BadInput):
        FeatureRecipe(str(tmp_path / "m")).open()
    extractor = FeatureRecipe(str(tmp_path / "m"), pixels="-1-1").open()[0]
    assert extractor.n_dims == 16
    assert "mean:127.5|std:127.5" in extractor.signature
    with refusal(BadInput):
        FeatureRecipe(str(tmp_path / "m"), size=48, pixels="-1-1").open()


def test_a_folder_that_is_no_model_is_named(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="transformers is not installed")
    with refusal(BadInput):
        FeatureRecipe(str(tmp_path)).open()
