"""An MCP server in plain Python, as people write them without a library: it reads a line, does the work, prints a line.
While a tool of it works it reads nothing, so it hears of no ping and of no cancellation."""
import json
import sys
import time

TOOLS = {
    "add": ("Adds two numbers.", {"a": {"type": "number"}, "b": {"type": "number"}}),
    "shout": ("Says it louder.", {"text": {"type": "string"}}),
    "mean": ("The mean of no numbers.", {}),
    "fail": ("Raises an error.", {}),
    "count": ("Counts, and says how far it is.", {"to": {"type": "integer"}}),
    "sleep": ("Sleeps, deaf to everything.", {"seconds": {"type": "number"}}),
}


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(value):
    return {"content": [{"type": "text", "text": value}]}


def call(name, arguments, token):
    if name == "add":
        total = arguments["a"] + arguments["b"]
        return {**text(str(total)), "structuredContent": {"sum": total}}
    if name == "shout":
        return text(arguments["text"].upper() + " \U0001f40d")
    if name == "mean":
        return {**text("nan"), "structuredContent": {"mean": float("nan")}}
    if name == "fail":
        raise ValueError("no such luck")
    if name == "count":
        for done in range(arguments["to"]):
            if token is not None:
                params = {"progressToken": token, "progress": done + 1, "total": arguments["to"]}
                send({"method": "notifications/progress", "params": params})
        return text("counted to %d" % arguments["to"])
    if name == "sleep":
        time.sleep(arguments["seconds"])
        return text("slept")
    raise KeyError(name)


def answer(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "python", "version": "%d.%d" % sys.version_info[:2]},
        }
    if method == "tools/list":
        return {
            "tools": [
                {
                    "name": name,
                    "description": description,
                    "inputSchema": {"type": "object", "properties": properties, "required": list(properties)},
                }
                for name, (description, properties) in TOOLS.items()
            ]
        }
    if method == "tools/call":
        token = params.get("_meta", {}).get("progressToken")
        try:
            return call(params["name"], params.get("arguments", {}), token)
        except Exception as error:
            print("call failed: %r" % error, file=sys.stderr)
            return {**text("%s: %s" % (type(error).__name__, error)), "isError": True}
    if method == "ping":
        return {}
    raise LookupError(method)


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request or "method" not in request:
        continue
    try:
        send({"id": request["id"], "result": answer(request["method"], request.get("params", {}))})
    except LookupError as error:
        send({"id": request["id"], "error": {"code": -32601, "message": "no method %s" % error}})
