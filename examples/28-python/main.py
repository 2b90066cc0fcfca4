"""A session of four prompts with Turnwright, driven from Python. Exits with 1 if something came out wrong."""

import os
import sys
import tempfile
from pathlib import Path

from wire import Session

asked = []
hooked = []


def can_use_tool(name, tool_input):
    """Whoever sits at this program would be asked here. It lets files be written, and one command run."""
    asked.append(name)
    if name == "Bash" and tool_input["command"] != "sleep 60":
        return {"behavior": "deny", "message": "This program runs no commands."}
    return {"behavior": "allow", "updatedInput": tool_input}


def before_tool(hook_input):
    """A PreToolUse hook: it only looks on. {"decision": "block", "reason": ...} would stop the call."""
    hooked.append(hook_input["tool_name"])
    return {}


def count_letters(arguments):
    return str(len(arguments["word"]))


def show(message):
    if message["type"] == "assistant":
        for block in message["message"]["content"]:
            if block["type"] == "text":
                print(block["text"])
            elif block["type"] == "tool_use":
                print(f"[{block['name']}]")
    elif message["type"] == "result":
        print(f"({message['subtype']})\n")


def calls_tool(message):
    return any(block["type"] == "tool_use" for block in message["message"]["content"])


def ask(session, text):
    print(f"> {text}")
    for message in session.prompt(text):
        show(message)
    return message


def ask_and_interrupt(session, text):
    """Interrupts as soon as the model calls a tool. The session goes on."""
    print(f"> {text}")
    interrupted = False
    for message in session.prompt(text):
        show(message)
        if not interrupted and message["type"] == "assistant" and calls_tool(message):
            interrupted = True
            session.request("interrupt")
    return message


def main():
    command = sys.argv[1:] or ["turnwright"]
    model = [] if os.environ.get("ANTHROPIC_API_KEY") else ["--model", "offline"]
    with tempfile.TemporaryDirectory() as folder:
        word = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
        session = Session(
            [*command, *model],
            folder,
            can_use_tool,
            hooks={"PreToolUse": [("Write|Bash", before_tool)]},
            tools={"count_letters": ("How many letters a word has.", word, count_letters)},
        )
        written = ask(session, 'write "Hello from Python" to hello.txt')
        denied = ask(session, "run `touch unwanted.txt`")
        stopped = ask_and_interrupt(session, "run `sleep 60`")
        shown = ask(session, "show hello.txt")
        servers = session.request("mcp_status")["mcpServers"]
        code = session.close()

        checks = {
            "the file was written": (Path(folder) / "hello.txt").read_text().startswith("Hello from Python"),
            "the command was refused": not (Path(folder) / "unwanted.txt").exists()
            and any(call["tool_name"] == "Bash" for call in denied["permission_denials"]),
            "the program was asked": asked[:2] == ["Write", "Bash"],
            "the hook was called": hooked[:2] == ["Write", "Bash"],
            "the interrupt ended the prompt": stopped["is_error"],
            "the session went on": written["session_id"] == shown["session_id"] and "Hello" in shown["result"],
            "the tool of this program is there": [server["status"] for server in servers] == ["connected"],
            "Turnwright left with 0": code == 0,
        }
    wrong = [what for what, is_so in checks.items() if not is_so]
    for what in wrong:
        print(f"Not so: {what}.", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
