"""ELMo written the plain way, as a measure for the fast one.

It does what AllenNLP's modules are described to do: every token is encoded, over all 50
characters; each direction of each layer is its own loop; each step makes its own input product,
on the rows that still read. The weights come from an `elmo_mini` model, and the vectors agree.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.char_cnn import CharacterCNN
from elmo_mini.fast.projected_lstm import ProjectedLSTM
from elmo_mini.text.character_ids import add_boundaries, boundary_ids


class PlainTokenLayer:
    """(B, T, 50) ids to (B, T, H), with weights laid out as `nn.Linear` keeps them."""

    def __init__(self, encoder: CharacterCNN) -> None:
        self.encoder = encoder
        self.highways = [
            (
                torch.cat([h.transform.weight, -h.carry.weight]).contiguous(),
                torch.cat([h.transform.bias, -h.carry.bias]),
            )
            for h in encoder.highways
        ]

    def __call__(self, ids: Tensor) -> Tensor:
        batch, tokens, characters = ids.shape
        letters = self.encoder.embedding(ids.view(-1, characters)).transpose(1, 2)
        pooled = []
        for convolution in self.encoder.convolutions:
            best, _ = torch.max(convolution(letters), -1)
            pooled.append(torch.relu(best))
        x = torch.cat(pooled, -1)
        for weight, bias in self.highways:
            new, gate = functional.linear(x, weight, bias).chunk(2, -1)
            gate = torch.sigmoid(gate)
            x = gate * x + (1 - gate) * torch.relu(new)
        assert self.encoder.projection is not None
        return self.encoder.projection(x).view(batch, tokens, -1)


class PlainLSTM:
    """One direction of one layer."""

    def __init__(self, layer: ProjectedLSTM, direction: int) -> None:
        self.backward = direction == 1
        self.cells, self.hidden = layer.cell_size, layer.hidden_size
        self.cell_clip, self.proj_clip = layer.cell_clip or 0.0, layer.proj_clip or 0.0
        weight = layer.weight[direction].T.contiguous()
        self.w_x = weight[:, : layer.input_size].contiguous()
        self.w_h = weight[:, layer.input_size :].contiguous()
        self.bias = layer.gate_bias()[direction, 0].clone()
        assert layer.projection is not None
        self.w_p = layer.projection[direction].T.contiguous()

    def __call__(self, inputs: Tensor, lengths: list[int]) -> Tensor:
        """(B, T, H) to (B, T, H), rows sorted by falling length."""
        batch, steps, _ = inputs.shape
        outputs = [inputs.new_zeros(batch, self.hidden)] * steps
        h = inputs.new_zeros(batch, self.hidden)
        c = inputs.new_zeros(batch, self.cells)
        for step in range(steps):
            t = steps - 1 - step if self.backward else step
            n = sum(length > t for length in lengths)
            if n == 0:
                continue
            projected_input = functional.linear(inputs[:n, t], self.w_x)
            projected_state = functional.linear(h[:n], self.w_h, self.bias)
            parts = []
            for k, squash in enumerate((torch.sigmoid, torch.tanh, torch.sigmoid, torch.sigmoid)):
                gate = slice(k * self.cells, (k + 1) * self.cells)
                parts.append(squash(projected_input[:, gate] + projected_state[:, gate]))
            i, g, f, o = parts
            memory = i * g + f * c[:n]
            if self.cell_clip:
                memory = torch.clamp(memory, -self.cell_clip, self.cell_clip)
            output = functional.linear(o * torch.tanh(memory), self.w_p)
            if self.proj_clip:
                output = torch.clamp(output, -self.proj_clip, self.proj_clip)
            c = memory if n == batch else torch.cat([memory, c[n:]])
            h = output if n == batch else torch.cat([output, h[n:]])
            outputs[t] = functional.pad(output, (0, 0, 0, batch - n))
        return torch.stack(outputs, 1)


class NativeLSTM:
    """One direction of one layer as `nn.LSTM(proj_size=...)`, which cannot clip."""

    def __init__(self, layer: ProjectedLSTM, direction: int) -> None:
        self.backward = direction == 1
        self.lstm = nn.LSTM(
            layer.input_size, layer.cell_size, proj_size=layer.hidden_size, batch_first=True
        )
        i, g, f, o = layer.weight[direction].T.chunk(4)
        weight = torch.cat([i, f, g, o])  # PyTorch's gate order
        b_i, b_g, b_f, b_o = layer.gate_bias()[direction, 0].chunk(4)
        assert layer.projection is not None
        with torch.no_grad():
            self.lstm.weight_ih_l0.copy_(weight[:, : layer.input_size])
            self.lstm.weight_hh_l0.copy_(weight[:, layer.input_size :])
            self.lstm.bias_ih_l0.copy_(torch.cat([b_i, b_f, b_g, b_o]))
            self.lstm.bias_hh_l0.zero_()
            self.lstm.weight_hr_l0.copy_(layer.projection[direction].T)

    def __call__(self, inputs: Tensor, lengths: list[int]) -> Tensor:
        """(B, T, H) to (B, T, H), rows sorted by falling length."""
        if self.backward:
            inputs = _reversed_rows(inputs, lengths)
        packed = nn.utils.rnn.pack_padded_sequence(inputs, lengths, batch_first=True)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(
            self.lstm(packed)[0], batch_first=True, total_length=inputs.shape[1]
        )
        return _reversed_rows(outputs, lengths) if self.backward else outputs


def _reversed_rows(x: Tensor, lengths: list[int]) -> Tensor:
    place = torch.tensor(lengths).unsqueeze(1) - 1 - torch.arange(x.shape[1])
    rows = torch.arange(len(x)).unsqueeze(1)
    return x[rows, place.clamp(min=0)] * (place >= 0).unsqueeze(-1)


class PlainElmo:
    """All layers of a batch; `lstm` is `PlainLSTM` or `NativeLSTM`."""

    def __init__(
        self, bilm: FastBiLM, lstm: type[PlainLSTM] | type[NativeLSTM] = PlainLSTM
    ) -> None:
        self.token_layer = PlainTokenLayer(bilm.token_encoder)
        self.stacks = [[lstm(layer, d) for layer in bilm.layers] for d in (0, 1)]

    def lstms(self, tokens: Tensor, mask: Tensor) -> list[Tensor]:
        """LSTM layers (B, T, 2H) over a token layer (B, T, H)."""
        lengths, order = mask.sum(1).sort(descending=True)
        back = order.argsort()
        halves = []
        for stack in self.stacks:
            x = tokens[order]
            layers = []
            for number, lstm in enumerate(stack):
                out = lstm(x, lengths.tolist())
                x = out + x if number else out
                layers.append(x[back])
            halves.append(layers)
        return [torch.cat(pair, -1) for pair in zip(*halves, strict=True)]

    def __call__(self, ids: Tensor) -> list[Tensor]:
        """Layers (B, T + 2, 2H) from ids (B, T, 50), token layer first."""
        ids, mask = add_boundaries(ids, (ids > 0).any(-1), *boundary_ids())
        tokens = self.token_layer(ids)
        doubled = torch.cat([tokens, tokens], -1) * mask.unsqueeze(-1)
        return [doubled, *self.lstms(tokens, mask)]
