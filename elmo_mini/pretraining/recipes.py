"""Published sizes, and what the command's options stand for where none is given."""

from pathlib import Path

from elmo_mini.fast.bilm_options import BiLMOptions

_FEW = ((1, 32), (2, 32), (3, 64), (4, 128))
_MANY = (*_FEW, (5, 256), (6, 512), (7, 1024))
SIZES = {
    "tiny": BiLMOptions(projection_dim=64, dim=256, filters=_FEW),
    "course": BiLMOptions(projection_dim=256, dim=448, filters=(*_FEW, (5, 256))),
    "small": BiLMOptions(projection_dim=128, dim=1024, filters=_MANY),
    "medium": BiLMOptions(projection_dim=256, dim=2048, filters=_MANY),
    "original": BiLMOptions(projection_dim=512, dim=4096, filters=_MANY, n_highway=2),
}
# What `--course` stands for; any option given beside it wins.
COURSE = {
    "size": "course",
    "output": Path("build/course_bilm"),
    "epochs": 12.0,
    "batch_size": 128,
    "vocabulary": 16_000,
    "learning_rate": 3e-3,
    "weight_decay": 0.05,
    "warm_up": 400,
    "dropout": 0.25,
    "half": True,
}
DEFAULTS = {
    "size": "tiny",
    "output": Path("build/bilm"),
    "epochs": 10.0,
    "batch_size": 64,
    "vocabulary": 16_000,
    "learning_rate": 2e-3,
    "weight_decay": 0.01,
    "warm_up": 200,
    "dropout": 0.1,
    "half": False,
}
