"""PyTorch's own attention and encoder layer, and this room's, with the same weights."""

import torch
from torch import Tensor, nn

from elmo_mini.transformer.masked_lm import TorchBlock


def weights_of_heads(heads: nn.MultiheadAttention) -> dict[str, Tensor]:
    """The weights of PyTorch's heads under the names of `MultiHead`.

    PyTorch keeps the three layers of query, key and value in one matrix (3 D, D).
    """
    found: dict[str, Tensor] = {}
    names = ("query", "key", "value")
    for kind in ("weight", "bias"):
        parts = heads.get_parameter(f"in_proj_{kind}").chunk(3)
        found |= {f"{name}.{kind}": part for name, part in zip(names, parts, strict=True)}
        found[f"out.{kind}"] = heads.out_proj.get_parameter(kind)
    return found


def weights_of_layer(layer: nn.TransformerEncoderLayer) -> dict[str, Tensor]:
    """The weights of PyTorch's encoder layer under the names of `Block`."""
    heads = weights_of_heads(layer.self_attn)
    found = {f"attention.{name}": part for name, part in heads.items()}
    names = {"linear1": "wide", "linear2": "narrow", "norm1": "norm_1", "norm2": "norm_2"}
    for theirs, ours in names.items():
        part = layer.get_submodule(theirs)
        found |= {f"{ours}.{kind}": part.get_parameter(kind) for kind in ("weight", "bias")}
    return found


def exchange_blocks(model: nn.Module, blocks: nn.ModuleList) -> None:
    """Put other blocks, named as `Block` is, in the place of a model's `TorchBlock`s.

    Parameters
    ----------
    model : has ``blocks``, as `MaskedLM`
    blocks : as many; they get the weights of those that were there
    """
    with torch.no_grad():
        for new, old in zip(blocks, model.get_submodule("blocks").children(), strict=True):
            assert isinstance(old, TorchBlock)
            new.load_state_dict(weights_of_layer(old.layer))
    model.blocks = blocks
