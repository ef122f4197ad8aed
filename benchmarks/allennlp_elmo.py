"""AllenNLP's own ELMo, as a way to run the weights of an `elmo_mini` model.

AllenNLP 2.10.1 can no longer be installed beside a current PyTorch. The modules of its ELMo need
little of the rest, so they are loaded from the wheel as they stand; what they import and never
use in a forward pass is an empty name. The weights reach them through our export to the official
file format.

    pip download allennlp==2.10.1 --no-deps
"""

import importlib
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any
from zipfile import ZipFile

from torch import Tensor

from elmo_mini.checkpoints.official import save_bilm
from elmo_mini.fast.bilm import FastBiLM

_TAKEN = {
    f"allennlp.{name}"
    for name in (
        "modules.elmo",
        "modules.elmo_lstm",
        "modules.encoder_base",
        "modules.highway",
        "modules.lstm_cell_with_projection",
        "modules.scalar_mix",
        "nn.util",
        "data.token_indexers.elmo_indexer",
    )
}


class _Empty:
    """Stands for a class that is named and not used, or a call that would only set weights."""

    def __init__(self, *arguments: Any) -> None:
        pass

    @classmethod
    def register(cls, name: str) -> Callable[[type], type]:
        return lambda registered: registered


class _EmptyModule(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return (lambda path: path) if name == "cached_path" else _Empty


class _Modules(MetaPathFinder, Loader):
    """The modules of ELMo from `folder`, and an empty one for every other of AllenNLP."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] != "allennlp":
            return None
        if name in _TAKEN:
            return PathFinder.find_spec(name, [str(self.folder.joinpath(*name.split(".")[:-1]))])
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _EmptyModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


class AllenNLP:
    """The class `_ElmoBiLm` of the wheel, with the weights of any `FastBiLM`."""

    def __init__(self, wheel: Path) -> None:
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        with ZipFile(wheel) as archive:
            archive.extractall(folder)
        sys.meta_path.insert(0, _Modules(folder))
        self._bilm_class = importlib.import_module("allennlp.modules.elmo")._ElmoBiLm

    def bilm(
        self, bilm: FastBiLM, *, requires_grad: bool = False, stateful: bool = False
    ) -> "TheirBiLM":
        """A `_ElmoBiLm` with the weights of `bilm`, in its precision."""
        files = Path(self._folder.name, "options.json"), Path(self._folder.name, "weights.hdf5")
        save_bilm(bilm, *files)
        module = self._bilm_class(*map(str, files), requires_grad=requires_grad)
        return TheirBiLM(module.to(bilm.layers[0].weight.dtype), stateful)


class TheirBiLM:
    """Layers (B, T + 2, 2H) from ids (B, T, 50).

    AllenNLP carries LSTM states from call to call; unless `stateful`, each call starts fresh.
    """

    def __init__(self, module: Any, stateful: bool) -> None:
        self.module, self.stateful = module, stateful

    def __call__(self, ids: Tensor) -> list[Tensor]:
        if not self.stateful:
            self.module._elmo_lstm.reset_states()
        return self.module(ids)["activations"]
