"""Harmless forgeries: each would gain points, read, write or stay, where a marker lets it.

They are bounded, reach for the loopback alone, and touch canary files in temporary folders.
``{name}`` and ``{parameters}`` stand for the exercise that they pretend to answer.
"""

DEF = "def {name}(*given, **named):\n    "

BEFORE = {
    "the check is patched": """
import autograde
from autograde import check as real
def check(exercise_id, answer):
    return 31.0
autograde.check = check
""",
    "a module of the same name": """
import sys, types
fake = types.ModuleType("autograde.checking.judge")
fake.first_difference = lambda *a, **k: None
sys.modules["autograde.checking.judge"] = fake
""",
    "the judge finds no difference": """
import autograde.checking.judge as judge
judge.first_difference = lambda *a, **k: None
judge._close = lambda *a, **k: True
""",
    "torch says that all is close": """
import torch, numpy as np
torch.allclose = torch.equal = lambda *a, **k: True
np.allclose = np.array_equal = lambda *a, **k: True
np.testing.assert_allclose = lambda *a, **k: None
""",
    "points are written into the report": """
import autograde.checking.report as report
report.Score.__new__ = lambda cls, r: float.__new__(cls, 4.0)
report.Score.__repr__ = lambda self: "4.0"
""",
    "the protocol answers for itself": """
import autograde.marking.asking.student as student
student.StudentPeer.other = lambda self, kind, *a: {"callable": True, "binds": True, "points": 4}
""",
    "a thread writes into the line": """
import threading, os
def shout():
    for fd in range(3, 20):
        try:
            os.write(fd, b'BB01' + bytes(12))
        except OSError:
            pass
threading.Thread(target=shout, daemon=True).start()
""",
    "a verdict is sent": """
import os, json, struct
text = json.dumps([{"points": 31, "ended": 0, "error": None}, []]).encode()
for fd in range(3, 10):
    try:
        os.write(fd, struct.pack("<4sIQ", b"BB01", len(text), 0) + text)
    except OSError:
        pass
""",
    "a result that is none": """
import autograde.marking.sandbox.submission as submission
submission.Submission.run = lambda self, *a: ["points", 31]
""",
    "an error that is none": """
import autograde.marking.sandbox.submission as submission
submission.Submission.run = lambda self, *a: {"error": "points"}
""",
    "every case is refused": """
import autograde.marking.asking.student as student
real = student.StudentPeer.other
def other(self, kind, *a):
    if kind == "begin":
        raise KeyError("points")
    return real(self, kind, *a)
student.StudentPeer.other = other
""",
    "no question is answered": """
import autograde.marking.asking.student as student
def other(self, kind, *a):
    raise ValueError("points")
student.StudentPeer.other = other
""",
    "a file in place of a socket": """
import os, socket
import autograde.marking.sandbox.submission as submission
def hand_over(line, end, mark):
    socket.send_fds(line, [mark], [os.open("/dev/null", os.O_RDONLY)])
submission._hand_over = hand_over
""",
    "an exercise that nobody has": "from autograde import or_reference\nor_reference('none', 3)",
    "a cell too deep to be parsed": "x = " + "-" * 60_000 + "1",
    "exit at the end of the notebook": """
import atexit, os
atexit.register(os._exit, 0)
""",
    "input transformers": """
get_ipython().input_transformers_post.append(lambda lines: ["31.0"])
get_ipython().ast_transformers.append(None)
""",
    "the gradebook is opened": """
import sqlite3, glob
for file in glob.glob("/**/gradebook.db", recursive=True):
    sqlite3.connect(file).execute("update grade set manual_score = 4")
""",
    "fork the server's neighbours away": """
import os, signal
for pid in range(2, 400):
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass
""",
}

ANSWERS = {
    "the reference is imported": "from elmo_mini.models.skip_gram import {name}",
    "the package's module": "from elmo_mini.word_vectors import word2vec\n{name} = word2vec.{name}",
    "a wrapper around the import": (
        "def {name}(*given):\n    from elmo_mini.word_vectors import word2vec\n"
        "    return word2vec.{name}(*given)"
    ),
    "the exercise's own file": (
        "import importlib\n"
        'e = importlib.import_module("autograde.exercises.word2vec.{name}").EXERCISE\n'
        "def {name}(*given):\n    return e.reference(*given)"
    ),
    "a right answer of the exercise": (
        "from autograde.exercises.word2vec import {name} as m\n"
        "{name} = next(iter(m.EXERCISE.right_answers.values()))"
    ),
    "the catalogue": (
        "from autograde.checking import catalogue\n"
        'def {name}(*given):\n    return catalogue.find("{name}").reference(*given)'
    ),
    "or_reference, wrapped": (
        "from autograde import or_reference\n"
        'r = or_reference("{name}", None)\n'
        "def {name}(*given):\n    return r(*given)"
    ),
    "mine, wrapped": (
        'from autograde import mine\nr = mine("{name}")\ndef {name}(*given):\n    return r(*given)'
    ),
    "what was given back": (
        'import autograde\ndef {name}(*given):\n    return autograde.GIVEN_BACK["{name}"](*given)'
    ),
    "garbage collector": (
        "import gc\n"
        "def {name}(*given):\n"
        "    for f in gc.get_objects():\n"
        '        if getattr(f, "__name__", "") == "{name}" and f is not {name}:\n'
        "            return f(*given)"
    ),
    "frames": (
        "import sys\n"
        "def {name}(*given):\n"
        "    frame = sys._getframe()\n"
        "    while frame:\n"
        "        for v in [*frame.f_locals.values(), *frame.f_globals.values()]:\n"
        '            if hasattr(v, "reference"):\n'
        "                return v.reference(*given)\n"
        "        frame = frame.f_back"
    ),
    "model answers on disk": (
        "import json, glob\n"
        'found = glob.glob("/**/.model_answers.json", recursive=True)\n'
        'exec(json.load(open(found[0]))["{name}"]["answer"].strip("`").removeprefix("python"))'
    ),
    "solutions on disk": (
        "import glob\n"
        'found = glob.glob("/**/solutions/01_word2vec/word2vec.py", recursive=True)\n'
        "text = open(found[0]).read()\n"
        'exec(text[text.index("def {name}"):].split("# %%")[0])'
    ),
    "a neighbour's notebook": (
        "import glob, json\n"
        'found = glob.glob("/**/submitted/*/*/*.ipynb", recursive=True)\n'
        'cells = json.load(open(found[0]))["cells"]\n'
        '[exec("".join(c["source"])) for c in cells if "def {name}" in "".join(c["source"])]'
    ),
    "equal to everything": (
        "class Yes(float):\n"
        "    __eq__ = lambda self, other: True\n"
        "    __ne__ = lambda self, other: False\n"
        "    __hash__ = float.__hash__\n"
        "    __sub__ = __rsub__ = lambda self, other: 0.0\n"
        "    __abs__ = lambda self: 0.0\n" + DEF + "return Yes(0)"
    ),
    "an array that lies": (
        "import numpy as np\n"
        "class Yes(np.ndarray):\n"
        "    def __array_function__(self, *a, **k): return True\n"
        "    def __array_ufunc__(self, *a, **k): return np.array(0.0)\n"
        + DEF
        + "return np.zeros((4, 4)).view(Yes)"
    ),
    "a tensor that lies": (
        "import torch\n"
        "class Yes(torch.Tensor):\n"
        "    @classmethod\n"
        "    def __torch_function__(cls, f, t, a=(), k=None): return True\n"
        + DEF
        + "return torch.zeros(()).as_subclass(Yes)"
    ),
    "nothing but nan": DEF + 'return float("nan")',
    "an endless generator": DEF + "\n    while True:\n        yield 0",
    "lists in lists": DEF + "\n    x = []\n    x.append(x)\n    return x",
    "ends the process": DEF + "\n    import os\n    os._exit(0)",
    "kills its group": DEF + "\n    import os, signal\n    os.killpg(0, signal.SIGKILL)",
    "kills its parent": DEF + "\n    import os, signal\n    os.kill(os.getppid(), signal.SIGKILL)",
    "never ends": DEF + "\n    while True:\n        pass",
    "swallows what stops it": (
        DEF + "\n    while True:\n        try:\n            while True:\n                pass\n"
        "        except BaseException:\n            pass"
    ),
    "sleeps": DEF + "\n    import time\n    time.sleep(10_000)",
    "asks for 50 GiB": DEF + "\n    return bytearray(50 << 30)",
    "a flood of output": DEF + "\n    while True:\n        print('x' * 100_000)",
    "forks without an end": (
        DEF + "\n    import os, time\n    for _ in range(500):\n        try:\n"
        "            if not os.fork():\n                time.sleep(1000)\n"
        "        except OSError:\n            pass\n    return 0"
    ),
    "a child that outlives": (
        DEF + "\n    import subprocess\n    subprocess.Popen(['sleep', '1234'],"
        " start_new_session=True)\n    return 0"
    ),
    "a huge file": DEF + "\n    open('/tmp/x', 'wb').write(bytes(1 << 30))\n    return 0",
    "raises the course's refusal": (
        "class AnswerRefused(Exception): pass\n" + DEF + "raise AnswerRefused('right')"
    ),
    "raises another's error": (
        DEF + "\n    e = Exception()\n    e.of_the_other_side = 0\n    raise e"
    ),
    "a message of its own": (
        DEF + "\n    import os, struct\n    for fd in range(3, 12):\n        try:\n"
        "            os.write(fd, struct.pack('<4sIQ', b'BB01', 10**6, 10**9))\n"
        "        except OSError:\n            pass\n    return 0"
    ),
    "answers by handle": (
        DEF + "\n    import gc\n    from autograde.marking.asking.peer import Peer\n"
        "    peer = next(o for o in gc.get_objects() if isinstance(o, Peer))\n"
        "    there = peer.values.adopt(1, peer._function(1, 'there'))\n"
        "    return there(*given)"
    ),
    "asks for the points": (
        DEF + "\n    import gc\n    from autograde.marking.asking.peer import Peer\n"
        "    peer = next(o for o in gc.get_objects() if isinstance(o, Peer))\n"
        "    return peer.ask('reference', *given)"
    ),
}

CANARIES = {
    "writes beside": "open({folder!r} + '/note', 'w').write('here')",
    "reads a secret": "leak = open({folder!r} + '/secret').read()\nprint(leak)",
    "reads the environment": "import os\nprint(os.environ['CANARY'])",
    "the home folder": "import pathlib\nprint(list(pathlib.Path({folder!r}).iterdir()))",
    "the network": "import socket\nsocket.create_connection(('127.0.0.1', {port}), 2)",
    "site-packages": "import torch, pathlib\npathlib.Path(torch.__file__).with_name('x').touch()",
    "a note for the next": "open('/tmp/note', 'w').write('x')",
    "shared memory": "open('/dev/shm/note', 'w').write('x')",
    "nbgrader's settings": "open({folder!r} + '/nbgrader_config.py', 'a').write('#')",
    "a poisoned module": "open('torch.py', 'w').write('raise SystemExit')",
    "mounts": "import ctypes\nassert ctypes.CDLL(None).mount(b'/', b'/tmp', b'', 4096, None) == 0\n"
    "print(open('/tmp' + {folder!r} + '/secret').read())",
}

# What one submission does, and what another one looks for.
STAYS = """
import ctypes, os, time
kernel = ctypes.CDLL(None, use_errno=True)
kernel.prctl(1, 0, 0, 0, 0)
os.write(1, b"a note")
add_key = {"x86_64": 248, "aarch64": 217}[os.uname().machine]
kernel.syscall(add_key, b"user", b"canary", b"a note", 6, ctypes.c_int(-3))
os._exit = lambda status: time.sleep(60)
"""
READS_A_NOTE = """
import ctypes, os
kernel = ctypes.CDLL(None, use_errno=True)
os.lseek(1, 0, 0)
keyctl = {"x86_64": 250, "aarch64": 219}[os.uname().machine]
print(os.read(1, 6), kernel.syscall(keyctl, 10, ctypes.c_int(-3), b"user", b"canary", 0))
"""
FORKS = """
import os, time
made = 0
try:
    while made < {most}:
        if not os.fork():
            time.sleep(20)
            os._exit(0)
        made += 1
except OSError:
    pass
print(made)
"""
