"""The client of examples/28-python over what the example itself does not do: resume, fork, an end of input that comes before
the reply, and SIGTERM. Prints what it saw as JSON. Arguments: the folder of the example, the command line.
"""

import json
import os
import sys
import time

sys.path.insert(0, sys.argv[1])
from wire import Session, WireError  # noqa: E402

CLI = [sys.argv[2], "--model", "claude-sonnet-4-5"]
FOLDER = os.environ["WORK"]


def allow(name, tool_input):
    return {"behavior": "allow", "updatedInput": tool_input}


def say(*flags):
    """One prompt, one result, and the end."""
    session = Session([*CLI, *flags], FOLDER, allow)
    *_, result = session.prompt("go")
    return result, session.close()


first, _ = say()
resumed, _ = say("--resume", first["session_id"])
forked, _ = say("--resume", first["session_id"], "--fork-session")

early = Session(CLI, FOLDER, allow)
early._send({"type": "user", "message": {"role": "user", "content": "go"}})
early_code = early.close()

stopped = Session([*CLI, "--include-partial-messages"], FOLDER, allow)
began = None
try:
    for message in stopped.prompt("go"):
        if message["type"] == "stream_event" and began is None:
            began = time.monotonic()
            stopped._process.terminate()
except WireError:
    pass
stopped_code = stopped._process.wait()

print(json.dumps({
    "results": [each["result"] for each in (first, resumed, forked)],
    "same": [each["session_id"] == first["session_id"] for each in (resumed, forked)],
    "early": [early_code, [message["result"] for message in early._messages if message["type"] == "result"]],
    "stopped": [stopped_code, time.monotonic() - began < 5],
}))
