"""ELMo: mixed biLM layers as word vectors, with AllenNLP's constructor and outputs.

NAACL ELMo paper, section 3.3: freeze the biLM, mix its layers with task weights (equation 1),
and feed the result to the task model, with dropout.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from torch import Tensor, nn

from elmo_mini.checkpoints.model_folder import CONFIG, save_folder, with_config
from elmo_mini.checkpoints.official import load_bilm
from elmo_mini.checkpoints.pretrained import weight_dtype
from elmo_mini.embedding.scalar_mix import AllenNLPScalarMix
from elmo_mini.embedding.stored_mixes import ENTRY, stored_mixes, to_store
from elmo_mini.errors import ConfigurationError, PathLike
from elmo_mini.fast.bilm import FastBiLM, as_bilm
from elmo_mini.fast.refused_transforms import refuse_recording
from elmo_mini.files import as_path
from elmo_mini.settings import share, truth, whole_number
from elmo_mini.text.character_ids import PADDING, as_ids, batch_to_ids, remove_boundaries
from elmo_mini.training.steps import evaluating

__all__ = ["Elmo", "as_black_box", "batch_to_ids"]


class Elmo(nn.Module):
    """Contextual vectors of a batch of sentences.

    Parameters
    ----------
    options_file, weight_file : official files; or None for both, with `module`
    num_output_representations : how many differently mixed vectors to give per token
    requires_grad : train the biLM too; otherwise it is frozen, and only the mixes are trained.
        Weights that are unfrozen later, ``elmo.bilm.requires_grad_(True)``, are trained from then
    do_layer_norm : normalise each layer before mixing (sentence boundaries take part)
    dropout : rate of plain dropout on each output, in training mode only
    vocab_to_cache : words whose token layer is computed once, for `word_inputs`, and again where
        its weights change; the first entry must be the padding token
    keep_sentence_boundaries : leave the two boundary vectors of each sentence in the output
    scalar_mix_parameters : weights before the softmax; given, weights and gamma are frozen
    module : a `FastBiLM` to use in place of files; its weights are shared and left as they are,
        frozen or not, and `requires_grad` says nothing about them
    stateful : carry LSTM states from call to call, as AllenNLP does; off by default, so that a
        sentence has the same vectors in every batch
    cache_tokens : how many words' token-layer vectors to keep from call to call while the biLM
        is frozen; 0 for none
    vocabulary_file : of a model over whole words; see `load_bilm`
    """

    def __init__(
        self,
        options_file: PathLike | None,
        weight_file: PathLike | None,
        num_output_representations: int,
        requires_grad: bool = False,
        do_layer_norm: bool = False,
        dropout: float = 0.5,
        vocab_to_cache: Sequence[str] | None = None,
        keep_sentence_boundaries: bool = False,
        scalar_mix_parameters: Sequence[float] | None = None,
        module: FastBiLM | None = None,
        *,
        stateful: bool = False,
        cache_tokens: int = 0,
        vocabulary_file: PathLike | None = None,
    ) -> None:
        super().__init__()
        requires_grad = truth("requires_grad", requires_grad)
        if module is not None:
            if (options_file, weight_file, vocabulary_file) != (None, None, None):
                raise ConfigurationError("pass either the files or a module, not both")
            self.bilm = as_bilm(module).sharing_weights()
        elif options_file is None or weight_file is None:
            raise ConfigurationError("pass an options file and a weight file, or a module")
        else:
            bilm = load_bilm(options_file, weight_file, vocabulary_file=vocabulary_file)
            self.bilm = bilm.requires_grad_(requires_grad)
        if truth("stateful", stateful):
            self.bilm.stateful = True
        number = whole_number("num_output_representations", num_output_representations)
        dropout = share("dropout", dropout)
        self.keep_sentence_boundaries = truth("keep_sentence_boundaries", keep_sentence_boundaries)
        self.dropout = nn.Dropout(dropout)
        with self.bilm.device:  # which need not be where new tensors are made
            self.scalar_mixes = nn.ModuleList(
                AllenNLPScalarMix(
                    self.bilm.num_layers,
                    do_layer_norm=do_layer_norm,
                    initial_scalar_parameters=scalar_mix_parameters,
                    trainable=scalar_mix_parameters is None,
                )
                for _ in range(number)
            )
        self.bilm.cache_tokens(cache_tokens)
        if vocab_to_cache is not None:
            self.bilm.cache_vocabulary(vocab_to_cache)

    @classmethod
    def from_pretrained(
        cls, folder: PathLike, num_output_representations: int | None = None, **settings: Any
    ) -> "Elmo":
        """The model of a folder of `save_pretrained`, its mixes and settings among it.

        A folder of a biLM alone gets one fresh mix, or as many as are asked for.

        Parameters
        ----------
        folder : with ``config.json`` and ``model.safetensors``
        num_output_representations : of fresh mixes, or as many as the folder has
        settings : as above, in place of those that were stored; with ``scalar_mix_parameters`` or
            ``do_layer_norm`` among them the mixes are fresh ones

        Raises
        ------
        FileNotFoundError, ElmoFileError, CheckpointDamaged
            As `load_folder`.
        ConfigurationError
            If the folder holds another number of mixes, or a setting names another model.
        """
        for name in {"options_file", "weight_file", "module"} & settings.keys():
            raise ConfigurationError(
                f"{name} names another model than that of {folder}; pass it to Elmo itself"
            )
        bilm, config = with_config(folder)
        bilm.requires_grad_(truth("requires_grad", settings.pop("requires_grad", False)))
        stored = stored_mixes(config, bilm.num_layers, as_path(folder) / CONFIG)
        number = num_output_representations
        if stored is None:
            return cls(None, None, 1 if number is None else number, module=bilm, **settings)
        own = len(stored.mixes)
        if number not in (None, own):
            raise ConfigurationError(
                f"num_output_representations is {number!r:.40}, but {folder} holds mixes for {own};"
                " leave it out, or take fresh mixes: Elmo(None, None, ..., "
                "module=load_folder(folder)) with load_folder of elmo_mini.checkpoints.model_folder"
            )
        elmo = cls(None, None, own, module=bilm, **{**stored.settings, **settings})
        elmo.scalar_mixes.to(weight_dtype(bilm))  # as the weights are read back
        if not {"scalar_mix_parameters", "do_layer_norm"} & settings.keys():
            stored.fill(elmo.scalar_mixes)
        return elmo

    def save_pretrained(self, folder: PathLike, record: Mapping[str, Any] | None = None) -> None:
        """Write the biLM, the mixes and the settings to a folder; see `save_folder`.

        The mixes stand in ``config.json``, under ``elmo``.

        Raises
        ------
        OSError, ConfigurationError
            As `save_folder`; also if a mix is not finite.
        """
        mixes, rate = list(self.scalar_mixes), getattr(self.dropout, "p", 0.0)
        own = to_store(mixes, rate, self.keep_sentence_boundaries, self.bilm.stateful)
        save_folder(self.bilm, folder, record, own={ENTRY: own})

    def get_output_dim(self) -> int:
        """Length of an output vector, 2 * projection_dim."""
        return self.bilm.get_output_dim()

    def reset_states(self, mask: Tensor | None = None) -> None:
        """Forget carried states; see `BiLM.reset_states`."""
        self.bilm.reset_states(mask)

    def forward(self, inputs: Tensor, word_inputs: Tensor | None = None) -> dict[str, Any]:
        """Embed a batch.

        Parameters
        ----------
        inputs : (B, T, 50) character ids from `batch_to_ids`, as a tensor, a NumPy array or
            nested lists; further leading dimensions are kept, as in (B, S, T, 50)
        word_inputs : (B, T) rows of `vocab_to_cache`, with the same leading dimensions

        Returns
        -------
        "elmo_representations": list of (B, T, 2 * projection_dim); "mask": (B, T) bool. T grows
        by 2 when sentence boundaries are kept.
        """
        refuse_recording(inputs)
        self.bilm.check_numbers()
        inputs = as_ids(inputs, self.bilm.device, largest=PADDING)
        if word_inputs is not None:
            word_inputs = as_ids(word_inputs, self.bilm.device)
        leading = inputs.shape[:-2]
        if inputs.dim() > 3:
            inputs = inputs.flatten(0, -3)
        if word_inputs is not None:
            word_inputs = word_inputs.reshape(-1, word_inputs.shape[-1])
        output: dict[str, Any] = self.bilm(inputs, word_inputs)
        layers, mask = output["activations"], output["mask"]
        representations = []
        for mix in self.scalar_mixes:
            # Mixed before the boundaries go: with layer norm they count, as in AllenNLP.
            vectors = mix(layers, mask)
            if not self.keep_sentence_boundaries:
                vectors, kept = remove_boundaries(vectors, mask)
            else:
                kept = mask
            representations.append(self.dropout(vectors).view(*leading, *vectors.shape[1:]))
        return {
            "elmo_representations": representations,
            "mask": kept.view(*leading, kept.shape[-1]),
        }


def as_black_box(elmo: Elmo) -> Callable[[Sequence[Sequence[str]]], list[np.ndarray]]:
    """The first output of an `Elmo` as a function: sentences in, arrays (words, 2H) out.

    It reads without dropout, also while the model is trained.
    """

    def read(sentences: Sequence[Sequence[str]]) -> list[np.ndarray]:
        with evaluating(elmo):
            given = elmo(batch_to_ids(sentences))
        pairs = zip(given["elmo_representations"][0], given["mask"], strict=True)
        return [vectors[there].numpy(force=True) for vectors, there in pairs]

    return read
