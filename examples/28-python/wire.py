"""A client of `turnwright --input-format stream-json --output-format stream-json`: one JSON object a line, both ways.

One thread is enough. Whoever waits for a line answers what Turnwright asks meanwhile.
"""

import itertools
import json
import subprocess
from collections import deque

FLAGS = [
    "--input-format", "stream-json",
    "--output-format", "stream-json",
    "--permission-prompt-tool", "stdio",
    "--await-initialize",
]


class WireError(Exception):
    """Turnwright refused a request, or left while something was expected of it."""


class Session:
    """
    command      how Turnwright is started, a list of words; paths in it are absolute, or below `folder`
    folder       where it works
    can_use_tool a function (tool name, input) that returns {"behavior": "allow"} or {"behavior": "deny", "message": ...}
    hooks        {event: [(matcher, function of the hook's input)]}; what a function returns is the hook's output
    tools        {name: (description, JSON Schema of the arguments, function of the arguments that returns text)}
    """

    SERVER = "program"

    def __init__(self, command, folder, can_use_tool, hooks=None, tools=None):
        self._can_use_tool = can_use_tool
        self._tools = tools or {}
        self._callbacks = {}
        self._ids = itertools.count(1)
        self._messages = deque()
        self._answers = {}
        # stderr is for people: it goes where that of this program goes.
        self._process = subprocess.Popen(
            [*command, *FLAGS], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )
        self.info = self.request(
            "initialize", hooks=self._declare(hooks or {}), sdkMcpServers=[self.SERVER] if self._tools else []
        )

    def request(self, subtype, **fields):
        """Asks Turnwright for something and waits for the answer: interrupt, set_model, mcp_status, ..."""
        request_id = f"python-{next(self._ids)}"
        self._send({"type": "control_request", "request_id": request_id, "request": {"subtype": subtype, **fields}})
        while request_id not in self._answers:
            self._take(self._read())
        answer = self._answers.pop(request_id)
        if answer["subtype"] == "error":
            raise WireError(f"{subtype}: {answer['error']}")
        return answer.get("response") or {}

    def prompt(self, text):
        """Sends a prompt and yields its messages; the last one is the result."""
        self._send({"type": "user", "message": {"role": "user", "content": text}})
        while True:
            while not self._messages:
                self._take(self._read())
            message = self._messages.popleft()
            yield message
            if message["type"] == "result":
                return

    def close(self):
        """Says that nothing more comes, lets Turnwright finish, and returns its exit code."""
        self._process.stdin.close()
        for line in self._process.stdout:
            self._messages.append(json.loads(line))
        self._process.stdout.close()
        return self._process.wait()

    def _declare(self, hooks):
        """Functions stay here: Turnwright is told an id for each."""
        declared = {}
        for event, matchers in hooks.items():
            for matcher, function in matchers:
                callback_id = f"hook-{len(self._callbacks)}"
                self._callbacks[callback_id] = function
                declared.setdefault(event, []).append({"matcher": matcher, "hookCallbackIds": [callback_id]})
        return declared

    def _send(self, message):
        try:
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise WireError(f"Turnwright left with exit code {self._process.wait()}.") from None

    def _read(self):
        line = self._process.stdout.readline()
        if line == "":
            raise WireError(f"Turnwright left with exit code {self._process.wait()}.")
        return json.loads(line)

    def _take(self, message):
        kind = message["type"]
        if kind == "control_response":
            self._answers[message["response"]["request_id"]] = message["response"]
        elif kind == "control_request":
            self._send({"type": "control_response", "response": self._answer(message)})
        # A request that is taken back was answered as it came; an answer too many is passed over.
        elif kind not in ("control_cancel_request", "keep_alive", "transcript_mirror"):
            self._messages.append(message)

    def _answer(self, message):
        try:
            response = self._serve(message["request"])
            return {"subtype": "success", "request_id": message["request_id"], "response": response}
        except Exception as error:  # Whatever went wrong here, Turnwright waits for an answer.
            return {"subtype": "error", "request_id": message["request_id"], "error": f"{type(error).__name__}: {error}"}

    def _serve(self, request):
        subtype = request["subtype"]
        if subtype == "can_use_tool":
            return self._can_use_tool(request["tool_name"], request["input"])
        if subtype == "hook_callback":
            return self._callbacks[request["callback_id"]](request["input"]) or {}
        if subtype == "mcp_message" and request["server_name"] == self.SERVER:
            message = request["message"]
            return {"mcp_response": {"jsonrpc": "2.0", "id": message.get("id", 0), **self._serve_mcp(message)}}
        raise WireError(f"this program has no {subtype}")

    def _serve_mcp(self, message):
        """The Model Context Protocol, as much as a server of tools needs."""
        method, params = message["method"], message.get("params", {})
        if method == "initialize":
            about = {"serverInfo": {"name": self.SERVER, "version": "1"}, "capabilities": {"tools": {}}}
            return {"result": {"protocolVersion": params["protocolVersion"], **about}}
        if method == "tools/list":
            listed = [
                {"name": name, "description": description, "inputSchema": schema}
                for name, (description, schema, _) in self._tools.items()
            ]
            return {"result": {"tools": listed}}
        if method == "tools/call":
            _, _, function = self._tools[params["name"]]
            return {"result": {"content": [{"type": "text", "text": function(params.get("arguments", {}))}]}}
        if "id" not in message:
            return {"result": {}}  # News, which want no answer.
        return {"error": {"code": -32601, "message": f"no method {method}"}}
