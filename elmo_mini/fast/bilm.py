"""The bidirectional language model: characters in, one vector per layer and token out.

NAACL ELMo paper, section 3.1. A forward LSTM stack reads each sentence from its start, a
backward stack from its end. Both read the same token layer. The vector of token k at layer j is
[forward h_kj ; backward h_kj] (section 3.2), where the forward half has seen tokens up to and
including k, and the backward half tokens from k on.
"""

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import cast

import torch
from torch import Tensor, nn

from elmo_mini.errors import ConfigurationError
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.fast.carried_state import CarriedState
from elmo_mini.fast.char_cnn import CharacterCNN
from elmo_mini.fast.char_cnn_types import encode_types
from elmo_mini.fast.choice import asks_for_gradient
from elmo_mini.fast.derived_weights import made_to_keep
from elmo_mini.fast.packed_order import PackedOrder
from elmo_mini.fast.projected_lstm import ProjectedLSTM, State
from elmo_mini.fast.read_layer import read_layer
from elmo_mini.fast.refused_transforms import refuse, refuse_recording
from elmo_mini.fast.token_cache import TokenCache, Vocabulary
from elmo_mini.fast.word_table import WordTable
from elmo_mini.settings import truth, whole_number
from elmo_mini.text.character_ids import (
    PADDING,
    add_boundaries,
    as_ids,
    batch_to_ids,
    boundary_ids,
    check_ids,
    check_word_ids,
    unique_rows,
)
from elmo_mini.text.sentences import check_sentence, check_words, checked


def as_bilm(module: object) -> "FastBiLM":
    """The module, where it is a biLM.

    Raises
    ------
    TypeError
        If it is something else; the message says what to pass.
    """
    if not hasattr(module, "sharing_weights"):
        inside = hasattr(getattr(module, "bilm", None), "sharing_weights")
        way_out = "pass its .bilm" if inside else "load_bilm and load_pretrained give one"
        raise TypeError(f"a biLM is needed here, and this is {type(module).__name__}; {way_out}")
    return cast(FastBiLM, module)


def stateless_bilm(module: object, otherwise: str = "") -> "FastBiLM":
    """As `as_bilm`; the vectors of a sentence do not depend on what was read before.

    Parameters
    ----------
    otherwise : a further way out, for the message

    Raises
    ------
    ConfigurationError
        If the model is stateful.
    """
    bilm = as_bilm(module)
    if bilm.stateful:
        raise ConfigurationError(
            "the model is stateful: its vectors depend on what it read before, so they cannot be "
            "kept for a sentence. Set bilm.stateful = False; bilm.warm_up(...) fixes a start state"
            + otherwise
        )
    return bilm


class FastBiLM(nn.Module):
    """Token layer and `n_layers` LSTM layers in two directions.

    By default every sentence starts from the same state, so its vectors do not depend on what
    was embedded before or beside it. With ``stateful=True`` the final state of each row is the
    start of the same row in the next call, as in AllenNLP and bilm-tf. `warm_up` fixes a start
    state other than zeros.
    """

    def __init__(self, options: BiLMOptions, stateful: bool = False) -> None:
        super().__init__()
        if not isinstance(options, BiLMOptions):
            raise TypeError(
                f"options is {type(options).__name__}, and not BiLMOptions; BiLMOptions.from_dict "
                "makes them of an options file's content"
            )
        self.options = options
        self.stateful = truth("stateful", stateful)
        self.token_encoder: CharacterCNN | WordTable = (
            CharacterCNN(options)
            if options.n_words is None
            else WordTable(options.n_words, options.projection_dim)
        )
        sizes = (options.projection_dim, options.dim, options.projection_dim)
        clips = (options.cell_clip, options.proj_clip)
        layers = [ProjectedLSTM(*sizes, *clips) for _ in range(options.n_layers)]
        self.layers = cast(Sequence[ProjectedLSTM], nn.ModuleList(layers))
        self.carried = CarriedState(options.n_layers, options.projection_dim, options.dim)
        self.token_cache: TokenCache | None = None
        self._vocabulary: Vocabulary | None = None

    @property
    def num_layers(self) -> int:
        """Layers in the output, the token layer among them."""
        return self.options.n_layers + 1

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return _first_weight(self).device

    def check_numbers(self) -> None:
        """Refuse a model without numbers.

        Raises
        ------
        ConfigurationError
            If its weights are on the meta device.
        """
        if self.device.type == "meta":
            raise ConfigurationError(
                "the model is on the meta device, which holds no numbers; load it outside of "
                "torch.device('meta'), or fill it by to_empty and load_state_dict"
            )

    def get_output_dim(self) -> int:
        """Length of a token's vector in each layer, 2 * projection_dim."""
        return self.options.output_dim

    def forward(
        self,
        inputs: Tensor,
        word_inputs: Tensor | None = None,
        *,
        token_cache: TokenCache | None = None,
    ) -> dict[str, object]:
        """Run the model over a padded batch.

        Parameters
        ----------
        inputs : (B, T, characters) character ids from `batch_to_ids`; a tensor, a NumPy array or
            nested lists
        word_inputs : (B, T) rows of the vocabulary given to `cache_vocabulary`, 0 for padding;
            used instead of `inputs` if every id is a row of it
        token_cache : for this call, in place of the model's own

        Returns
        -------
        "activations": list of (B, T + 2, 2 * projection_dim), token layer first, zero at
        padding; "mask": (B, T + 2) bool. Both count the added sentence boundaries.
        """
        refuse_recording(inputs)
        self.check_numbers()
        inputs = as_ids(inputs, self.device, largest=PADDING)
        if inputs.dim() > 3:
            raise ValueError(
                f"character ids have shape {tuple(inputs.shape)}; a biLM reads (sentences, tokens, "
                "characters), an Elmo further leading dimensions, too"
            )
        if word_inputs is not None:
            word_inputs = as_ids(word_inputs, self.device)
            if word_inputs.shape != inputs.shape[:2]:
                raise ValueError(
                    f"word ids have shape {tuple(word_inputs.shape)}, the character ids "
                    f"{tuple(inputs.shape)}; both must be of the same sentences and words"
                )
        if torch.compiler.is_compiling():
            # Words are looked up by their letters, which a compiler cannot follow.
            return torch.compiler.disable(self._embed)(inputs, word_inputs, token_cache)
        return self._embed(inputs, word_inputs, token_cache)

    def _embed(
        self, inputs: Tensor, word_inputs: Tensor | None, token_cache: TokenCache | None
    ) -> dict[str, object]:
        if word_inputs is not None and self._knows(word_inputs):
            token_vectors, inverse, mask = self._look_up(word_inputs)
        else:
            token_vectors, inverse, mask = self._encode(inputs, token_cache)
        self.carried.follow(_first_weight(self.layers[0]))  # shared weights may have moved
        order = PackedOrder(mask)
        if self.stateful:
            start = order.sort(self.carried.read(len(mask)))
        else:
            start = self.carried.start(len(mask))  # every row the same, in any order
        layers, end = self.read(token_vectors, order.batch_sizes, start, order.read(inverse))
        if self.stateful:
            self.carried.update(*order.unsort(end))
        token_layer = token_vectors[inverse] * mask.unsqueeze(-1)  # (B, T + 2, H)
        activations = [torch.cat([token_layer, token_layer], -1), *map(order.restore, layers)]
        return {"activations": activations, "mask": mask}

    def read(
        self,
        inputs: Tensor,
        batch_sizes: Sequence[int],
        state: State,
        words: Tensor | None = None,
        drop: Callable[[Tensor], Tensor] | None = None,
    ) -> tuple[list[Tensor], State]:
        """The LSTM layers over a packed batch, with residual connections (section 3.4).

        From layer 1 on, a layer's input is added to its output. The sum is the representation
        and the next layer's input; the recurrent state does not contain it.

        Parameters
        ----------
        inputs : (2, N, H) of the token layer as `PackedOrder` packs it; or, with `words`, (U, H)
            vectors of the distinct words
        batch_sizes : for each step, how many rows still read
        state : h (layers, 2, B, H) and c (layers, 2, B, C) to start from, rows sorted
        words : (2, N) which word each direction reads
        drop : dropout on the input of each layer, which the residual connection then adds

        Returns
        -------
        (2, N, H) of every layer, and the state after every row's last token
        """
        layers: list[Tensor] = []
        ends: list[State] = []
        for layer, h, c in zip(self.layers, *state, strict=True):
            if drop is not None:
                inputs = drop(inputs)
            outputs, end = read_layer(layer, inputs, batch_sizes, (h, c), words)
            if layers and self.options.use_skip_connections:
                outputs = outputs + inputs
            layers.append(outputs)
            ends.append(end)
            inputs, words = outputs, None
        h_end, c_end = map(torch.stack, zip(*ends, strict=True))
        return layers, (h_end, c_end)

    def __prepare_scriptable__(self) -> None:
        refuse("torch.jit.script")

    def sharing_weights(self) -> "FastBiLM":
        """A model of the same weights with a carried state, caches and settings of its own.

        It starts without caches and without carried states, from the same start state. Weights
        that are trained, frozen or loaded in one are so in the other.
        """
        other = copy.copy(self)
        other._modules, other._buffers = dict(self._modules), dict(self._buffers)
        other.carried = copy.deepcopy(self.carried)
        other.carried.reset()
        other.token_cache = None
        other._vocabulary = None
        return other

    def reset_states(self, mask: Tensor | None = None) -> None:
        """Forget the carried state of every row, or of the rows in `mask` (rows,) bool."""
        self.carried.reset(mask)

    @made_to_keep()
    def warm_up(self, sentences: Iterable[Sequence[str]]) -> None:
        """Read `sentences` one after another and make the state reached the start of every row.

        The official models met a fresh state almost never in training. A warm start gives
        vectors closer to those they were trained to make, and keeps them deterministic.
        """
        self.check_numbers()
        self.carried.reset()
        h, c = (torch.zeros_like(x) for x in self.carried.start(1))
        for sentence in checked(sentences):
            if len(sentence):
                ids = batch_to_ids([sentence], max_characters=self.options.max_characters)
                token_vectors, inverse, mask = self._encode(ids.to(self.device))
                order = PackedOrder(mask)
                h, c = self.read(token_vectors, order.batch_sizes, (h, c), order.read(inverse))[1]
        self.carried.set_start(h, c)

    @made_to_keep()
    def cache_vocabulary(self, tokens: Sequence[str], chunk: int = 1024) -> None:
        """Keep the token layer of a fixed vocabulary, for `word_inputs`.

        Row 0 is padding, so the first entry must be the padding token; its vector is zero. Where
        the weights change later, the vectors are made anew; where a gradient is asked for, the
        words of a batch are read by their letters.
        """
        check_words("the vocabulary (vocab_to_cache)", tokens, in_order=True)
        check_sentence(tokens, 0, allow_boundary_tokens=True)
        if len(tokens) == 0:
            raise ValueError("the vocabulary is empty; its first entry must be the padding token")
        ids = batch_to_ids(
            [[token] for token in tokens],
            allow_boundary_tokens=True,
            max_characters=self.options.max_characters,
        )
        self._vocabulary = Vocabulary(ids[:, 0], chunk)

    def cache_tokens(self, capacity: int = 100_000) -> None:
        """Keep token-layer vectors from call to call, at most `capacity` words; 0 stops it.

        Used only where no gradient is asked for. The cache empties when the weights change.
        """
        capacity = whole_number("cache_tokens", capacity, low=0)
        self.token_cache = TokenCache(self.token_encoder, capacity) if capacity else None

    def _encode(
        self, ids: Tensor, token_cache: TokenCache | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Vectors of the distinct words (U, H), each token's word (B, T + 2) and the mask."""
        mask = check_ids(ids, self.options.max_characters)
        ids, mask = add_boundaries(ids, mask, *self._boundaries(ids.device))
        tokens = ids[mask]
        inverse = torch.zeros(mask.shape, dtype=torch.long, device=ids.device)
        cache = self.token_cache if token_cache is None else token_cache
        if cache is not None and cache.serves(self.token_encoder):
            token_vectors, inverse[mask] = cache.encode(tokens)
        else:
            rows, inverse[mask] = unique_rows(tokens)
            token_vectors = encode_types(self.token_encoder, rows)
        return token_vectors, inverse, mask

    def _knows(self, word_inputs: Tensor) -> bool:
        if self._vocabulary is None:
            raise ValueError("word ids were passed, but no vocabulary; see cache_vocabulary")
        check_word_ids(word_inputs)
        return int(word_inputs.max()) < len(self._vocabulary)

    def _look_up(self, word_inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """As `_encode`, from the rows of the cached vocabulary."""
        assert self._vocabulary is not None
        mask = word_inputs > 0
        if asks_for_gradient(self.token_encoder.weights()):
            ids = self._vocabulary.ids.to(self.device)[word_inputs]
            return self._encode(ids.masked_fill(~mask.unsqueeze(-1), 0))
        vectors = self._vocabulary.vectors(self.token_encoder, self.device)
        boundaries = encode_types(self.token_encoder, self._boundaries(word_inputs.device))
        bos = torch.tensor(len(vectors), device=word_inputs.device)
        inverse, mask = add_boundaries(word_inputs, mask, bos, bos + 1)
        return torch.cat([vectors, boundaries]), inverse, mask

    def _boundaries(self, device: torch.device) -> Tensor:
        """The rows of the two sentence boundaries.

        Made when they are needed: a buffer that no checkpoint holds stays unset by `to_empty`.
        """
        return boundary_ids(self.options.max_characters, device)


def _first_weight(module: nn.Module) -> Tensor:
    """A weight of the module; it need not be a parameter: a replica of DataParallel has none."""
    return next(
        held
        for part in module.modules()
        for held in (*part._parameters.values(), *vars(part).values())
        if isinstance(held, Tensor) and held.is_floating_point()
    )
