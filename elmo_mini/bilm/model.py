"""The bidirectional language model: characters in, one vector per layer and token out.

NAACL ELMo paper, section 3.1. A forward LSTM stack reads each sentence from its start, a
backward stack from its end. Both read the same token layer. The vector of token k at layer j is
[forward h_kj ; backward h_kj] (section 3.2), where the forward half has seen tokens up to and
with k, and the backward half tokens from k on.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from elmo_mini.bilm.carried_state import CarriedState
from elmo_mini.bilm.fast import direction_sweep, wavefront
from elmo_mini.bilm.fast.layer_sweep import sweep_layer
from elmo_mini.bilm.options import BiLMOptions
from elmo_mini.bilm.projected_lstm import ProjectedLSTM
from elmo_mini.bilm.reading_order import ReadingOrder
from elmo_mini.characters.cnn import CharacterCNN
from elmo_mini.characters.ids import (
    add_boundaries,
    batch_to_ids,
    boundary_ids,
    check_ids,
    check_word_ids,
    unique_rows,
)
from elmo_mini.characters.token_cache import TokenCache

State = tuple[Tensor, Tensor]


class BiLM(nn.Module):
    """Token layer and `n_layers` LSTM layers in two directions.

    By default every sentence starts from the same state, so its vectors do not depend on what
    was embedded before or beside it. With ``stateful=True`` the final state of each row is the
    start of the same row in the next call, as in AllenNLP and bilm-tf. `warm_up` fixes a start
    state other than zeros.
    """

    _boundaries: Tensor
    _vocabulary: Tensor | None

    def __init__(self, options: BiLMOptions, stateful: bool = False) -> None:
        super().__init__()
        self.options = options
        self.stateful = stateful
        self.token_encoder = CharacterCNN(options)
        sizes = (options.projection_dim, options.dim, options.projection_dim)
        clips = (options.cell_clip, options.proj_clip)
        layers = [ProjectedLSTM(*sizes, *clips) for _ in range(options.n_layers)]
        self.layers = cast(Sequence[ProjectedLSTM], nn.ModuleList(layers))
        self.carried = CarriedState(options.n_layers, options.projection_dim, options.dim)
        self.token_cache: TokenCache | None = None
        self.register_buffer("_boundaries", boundary_ids(options.max_characters), persistent=False)
        self.register_buffer("_vocabulary", None, persistent=False)

    @property
    def num_layers(self) -> int:
        """Layers in the output, the token layer among them."""
        return self.options.n_layers + 1

    def get_output_dim(self) -> int:
        """Length of a token's vector in each layer, 2 * projection_dim."""
        return self.options.output_dim

    def forward(
        self,
        inputs: Tensor,
        word_inputs: Tensor | None = None,
        *,
        stateful: bool | None = None,
        token_cache: TokenCache | None = None,
    ) -> dict[str, object]:
        """Run the model over a padded batch.

        Parameters
        ----------
        inputs : (B, T, characters) character ids from `batch_to_ids`
        word_inputs : (B, T) rows of the vocabulary given to `cache_vocabulary`, 0 for padding;
            used instead of `inputs` if every id is a row of it
        stateful : for this call, in place of the model's own setting
        token_cache : for this call, in place of the model's own

        Returns
        -------
        "activations": list of (B, T + 2, 2 * projection_dim), token layer first, zero at
        padding; "mask": (B, T + 2) bool. Both count the added sentence boundaries.
        """
        if word_inputs is not None and self._knows(word_inputs):
            types, places, mask = self._look_up(word_inputs)
        else:
            types, places, mask = self._encode(inputs, token_cache)
        reading = ReadingOrder(mask.sum(1))
        stateful = self.stateful if stateful is None else stateful
        if stateful:
            start = reading.sort(self.carried.read(len(mask)))
        else:
            start = self.carried.start(len(mask))  # every row the same, in any order
        activations, end = self._run(types, places, mask, reading, start)
        if stateful:
            self.carried.update(*reading.unsort(end))
        return {"activations": activations, "mask": mask}

    def reset_states(self, mask: Tensor | None = None) -> None:
        """Forget the carried state of every row, or of the rows in `mask` (rows,) bool."""
        self.carried.reset(mask)

    @torch.no_grad()
    def warm_up(self, sentences: Iterable[Sequence[str]]) -> None:
        """Read `sentences` one after another and make the state reached the start of every row.

        The official models met a fresh state almost never in training. A warm start gives
        vectors closer to those they were trained to make, and keeps them deterministic.
        """
        self.carried.reset()
        h, c = (torch.zeros_like(x) for x in self.carried.start(1))
        for sentence in sentences:
            if sentence:
                ids = batch_to_ids([sentence], max_characters=self.options.max_characters)
                types, places, mask = self._encode(ids.to(self._boundaries.device))
                reading = ReadingOrder(mask.sum(1))
                h, c = self._run(types, places, mask, reading, (h, c))[1]
        self.carried.set_start(h, c)

    @torch.no_grad()
    def cache_vocabulary(self, tokens: Sequence[str], chunk: int = 1024) -> None:
        """Keep the token layer of a fixed vocabulary, for `word_inputs`.

        Row 0 is padding, so the first entry must be the padding token; its vector is zero.
        """
        if len(tokens) == 0:
            raise ValueError("the vocabulary is empty; its first entry must be the padding token")
        rows = []
        for first in range(0, len(tokens), chunk):
            ids = batch_to_ids(
                [[token] for token in tokens[first : first + chunk]],
                allow_boundary_tokens=True,
                max_characters=self.options.max_characters,
            )
            rows.append(self.token_encoder.encode_types(ids[:, 0].to(self._boundaries.device)))
        self._vocabulary = torch.cat(rows)
        self._vocabulary[0] = 0

    @property
    def has_vocabulary(self) -> bool:
        """Whether `cache_vocabulary` holds vectors, which later weights would not change."""
        return self._vocabulary is not None

    def cache_tokens(self, capacity: int = 100_000) -> None:
        """Keep token-layer vectors from call to call, at most `capacity` words; 0 stops it.

        Used only where no gradient is asked for. The cache empties when the weights change.
        """
        self.token_cache = TokenCache(self.token_encoder, capacity) if capacity else None

    def _encode(
        self, ids: Tensor, token_cache: TokenCache | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Vectors of the distinct words (U, H), each token's word (B, T + 2) and the mask."""
        bos, eos = self._boundaries
        ids, mask = add_boundaries(ids, check_ids(ids, self.options.max_characters), bos, eos)
        tokens = ids[mask]
        places = torch.zeros(mask.shape, dtype=torch.long, device=ids.device)
        training = torch.is_grad_enabled() and any(p.requires_grad for p in self.parameters())
        cache = self.token_cache if token_cache is None else token_cache
        if cache is not None and not training:
            types, places[mask] = cache.encode(tokens, self.token_encoder.encode_types)
        else:
            rows, places[mask] = unique_rows(tokens)
            types = self.token_encoder.encode_types(rows)
        return types, places, mask

    def _knows(self, word_inputs: Tensor) -> bool:
        if self._vocabulary is None:
            raise ValueError("word ids were passed, but no vocabulary; see cache_vocabulary")
        check_word_ids(word_inputs)
        return int(word_inputs.max()) < len(self._vocabulary)

    def _look_up(self, word_inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """As `_encode`, from the rows of the cached vocabulary."""
        assert self._vocabulary is not None
        boundaries = self.token_encoder.encode_types(self._boundaries)
        bos = torch.tensor(len(self._vocabulary), device=word_inputs.device)
        places, mask = add_boundaries(word_inputs, word_inputs > 0, bos, bos + 1)
        return torch.cat([self._vocabulary, boundaries]), places, mask

    def _run(
        self, types: Tensor, places: Tensor, mask: Tensor, reading: ReadingOrder, start: State
    ) -> tuple[list[Tensor], State]:
        """All layers (B, T + 2, 2H); the state before and after, its rows in reading order."""
        tokens = reading.read(places)  # (steps, 2, B)
        outputs: Iterable[Tensor | tuple[Tensor, Tensor]]
        if torch.is_grad_enabled():
            outputs, end = self._layer_by_layer(types, tokens, reading.alive, start)
        else:
            types = types.to(start[0].dtype)
            # Without gradients, products are written in place, where autocast cannot follow.
            with torch.autocast(types.device.type, enabled=False):
                given = self.layers, types, tokens, reading.alive, start
                if wavefront.fits(self.layers):
                    outputs, end = wavefront.sweep(*given)
                elif direction_sweep.fits(self.layers):
                    skip = self.options.use_skip_connections
                    outputs, end = direction_sweep.sweep(*given, skip)
                else:
                    outputs, end = self._layer_by_layer(*given[1:])
        token_layer = types[places] * mask.unsqueeze(-1)
        activations = [torch.cat([token_layer, token_layer], -1)]
        activations += [reading.restore(layer, mask.shape[1]) for layer in outputs]
        if self.options.use_skip_connections:
            # Residual connection (section 3.4): from layer 1 on, the layer's input is added to
            # its output. The recurrent state does not contain it.
            for below, above in pairwise(activations[1:]):
                above += below
        return activations, end

    def _layer_by_layer(
        self, types: Tensor, tokens: Tensor, alive: list[int], start: State
    ) -> tuple[list[Tensor], State]:
        """Any number of layers, with gradients where they are asked for."""
        training = torch.is_grad_enabled()
        inputs = functional.embedding(tokens, types).transpose(0, 1) if training else types
        outputs: list[Tensor] = []
        ends: list[State] = []
        for number, layer in enumerate(self.layers):
            state = start[0][number], start[1][number]
            if training:
                out, end = layer(inputs, alive, state)
            else:
                out, end = sweep_layer(layer, inputs, alive, state, None if number else tokens)
            outputs.append(out)
            ends.append(end)
            inputs = out + inputs if number and self.options.use_skip_connections else out
        h, c = zip(*ends, strict=True)
        return outputs, (torch.stack(h), torch.stack(c))
