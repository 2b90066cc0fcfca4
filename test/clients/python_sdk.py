"""Scenarios for the published Python SDK. Runs the one that is named, and prints what it saw as JSON.

python_sdk.py SCENARIO: the environment says where the command line is (CLI), and where it works (WORK).
"""

import json
import os
import signal
import subprocess
import sys
import time

import anyio
from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    InMemorySessionStore,
    PermissionResultAllow,
    PermissionResultDeny,
    ResultMessage,
    StreamEvent,
    create_sdk_mcp_server,
    fork_session,
    get_session_info,
    get_session_messages,
    list_sessions,
    query,
    rename_session,
    tool,
)

WORK = os.environ["WORK"]
notes = []
kinds = []
results = []


def options(**more):
    return ClaudeAgentOptions(cli_path=os.environ["CLI"], cwd=WORK, model="claude-sonnet-4-5", **more)


def saw(message):
    if getattr(message, "subtype", None) == "notice":
        return message
    kinds.append(type(message).__name__)
    if isinstance(message, ResultMessage):
        results.append([message.subtype, message.is_error, message.result, message.session_id])
    return message


async def ask(prompt, **more):
    async for message in query(prompt=prompt, options=options(**more)):
        saw(message)


async def prompts(*texts):
    for text in texts:
        yield {"type": "user", "message": {"role": "user", "content": text}, "parent_tool_use_id": None}


async def answers(client):
    async for message in client.receive_response():
        saw(message)


async def one_prompt():
    # Python closes stdin before the first reply.
    await ask("ping")


async def tools():
    @tool("add", "adds", {"a": int, "b": int})
    async def add(arguments):
        return {"content": [{"type": "text", "text": str(arguments["a"] + arguments["b"])}]}

    async def can_use_tool(name, tool_input, context):
        notes.append(["asked", name, type(context.suggestions).__name__])
        if tool_input.get("command") == "touch refused":
            return PermissionResultDeny(message="not this")
        if name == "Bash":
            return PermissionResultAllow(updated_input={"command": "touch other"})
        return PermissionResultAllow()

    async def hook(hook_input, tool_use_id, context):
        notes.append([hook_input["hook_event_name"], hook_input.get("tool_name"), tool_use_id])
        return {}

    on = [HookMatcher(hooks=[hook])]
    more = {
        "can_use_tool": can_use_tool,
        "hooks": {"PreToolUse": on, "PostToolUse": on, "UserPromptSubmit": on, "Stop": on},
        "mcp_servers": {"calc": create_sdk_mcp_server("calc", tools=[add])},
    }
    async for message in query(prompt=prompts("go"), options=options(**more)):
        saw(message)
    notes.append(sorted(os.listdir(WORK)))


async def controls():
    async with ClaudeSDKClient(options(enable_file_checkpointing=True, extra_args={"replay-user-messages": None})) as client:
        info = await client.get_server_info()
        notes.append(["commands", any(command["name"] == "compact" for command in info["commands"])])
        await client.query("a")
        await answers(client)
        await client.set_permission_mode("acceptEdits")
        await client.set_model("claude-haiku-4-5")
        notes.append(["servers", (await client.get_mcp_status())["mcpServers"]])
        usage = await client.get_context_usage()
        notes.append(["usage", usage["totalTokens"] > 0, usage["categories"][0]["name"] != "", usage["model"]])
        for refused in (client.stop_task("no-task"), client.reconnect_mcp_server("none"), client.toggle_mcp_server("none", False), client.rewind_files("no-message")):
            try:
                await refused
                notes.append("done")
            except Exception as error:
                notes.append(["refused", str(error)])
        await client.query("b")
        async for message in client.receive_response():
            saw(message)
            if getattr(message, "subtype", None) == "init":
                await client.interrupt()
                notes.append("interrupted")
        await client.query("c")
        await answers(client)


async def sessions():
    await ask("first")
    session_id = results[0][3]
    await ask("second", resume=session_id)
    await ask("third", resume=session_id, fork_session=True)
    await ask("fourth", continue_conversation=True)
    notes.append([result[3] == session_id for result in results])
    notes.append(len(list_sessions(directory=WORK)))
    notes.append([message.type for message in get_session_messages(session_id, directory=WORK)])
    rename_session(session_id, "A name", directory=WORK)
    notes.append(get_session_info(session_id, directory=WORK).custom_title)
    forked = fork_session(session_id, directory=WORK)
    await ask("fifth", resume=forked.session_id)
    notes.append(results[-1][3] == forked.session_id)


async def terminated():
    started = None
    try:
        async for message in query(prompt=prompts("go"), options=options(include_partial_messages=True)):
            saw(message)
            if isinstance(message, StreamEvent) and started is None:
                started = time.monotonic()
                children = subprocess.run(["pgrep", "-P", str(os.getpid())], capture_output=True, text=True).stdout.split()
                for child in children:
                    try:
                        os.kill(int(child), signal.SIGTERM)
                    except ProcessLookupError:
                        pass
    except Exception as error:
        notes.append([type(error).__name__, getattr(error, "exit_code", None)])
    notes.append(["in time", time.monotonic() - started < 5])
    ours = list_sessions(directory=WORK)
    notes.append([len(ours), [message.type for message in get_session_messages(ours[0].session_id, directory=WORK)][:1]])
    await ask("again", resume=ours[0].session_id)


async def long_lines():
    await ask("go", include_partial_messages=True)
    notes.append(len(results[0][2] or "") < 1_048_576)


async def failed():
    try:
        await ask("go", max_turns=1)
    except Exception as error:
        notes.append(type(error).__name__)
    try:
        await ask("x", resume="00000000-0000-4000-8000-000000000000")
    except Exception as error:
        notes.append(["no session" in str(error).lower(), type(error).__name__])


async def mirrored():
    store = InMemorySessionStore()
    await ask("go", session_store=store)
    stored = list(store._store.values())
    notes.append([entry["type"] for entry in stored[0] if entry["type"] in ("user", "assistant")])
    await ask("on", session_store=store, resume=results[0][3])


async def structured():
    schema = {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}
    async for message in query(prompt="n", options=options(output_format={"type": "json_schema", "schema": schema})):
        saw(message)
        if isinstance(message, ResultMessage):
            notes.append(message.structured_output)


async def main():
    thrown = None
    try:
        await globals()[sys.argv[1]]()
    except BaseException as error:
        thrown = f"{type(error).__name__}: {error}"
    print(json.dumps({"kinds": kinds, "results": results, "notes": notes, "thrown": thrown}, default=str))


anyio.run(main)
