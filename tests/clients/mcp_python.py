"""Drives Fingertip with the official Python MCP SDK, as an MCP client of its users does.

Usage: mcp_python.py BINARY CONFIG URL

CONFIG names two devices: `phone`, a virtual phone, and `gone`, which cannot be reached. The server of CONFIG runs at URL.
Prints one line for each check and "N passed, N failed"; exits with 1 if one failed.
"""

import asyncio
import base64
import sys
import traceback

from mcp import Client, StdioServerParameters

passed, failed = [], []


def structured(result):
    return result.structured_content


async def scenario(target, mode):
    """What a client does: look, act, look, and meet an error. A dot more than one call, on purpose."""
    async with Client(target, mode=mode) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        expected = {
            "take_screenshot", "tap", "swipe", "input_text", "launch_app", "find_text", "find_icon", "get_ui_tree",
            "describe_screen", "list_devices", "device_status",
        }
        assert expected <= set(tools), f"missing tools: {expected - set(tools)}"
        assert all(tool.output_schema and tool.input_schema and tool.annotations for tool in tools.values())

        devices = structured(await client.call_tool("list_devices"))["devices"]
        assert {device["id"] for device in devices} == {"phone", "gone"}, devices

        on = {"device_id": "phone"}
        launched = await client.call_tool("launch_app", {**on, "app": "Sign-in"})
        assert not launched.is_error, launched
        assert structured(launched)["app"]["name"] == "Sign-in"

        tree = structured(await client.call_tool("get_ui_tree", on))["text"]
        assert tree.startswith("<screen frame=") and "Sign in" in tree, tree

        typed = structured(await client.call_tool("input_text", {**on, "element": "text_field #email", "text": "ada@example.com", "clear": True}))
        assert typed["entered"] == {"text": "ada@example.com", "verified": True}, typed

        shot = await client.call_tool("take_screenshot", on)
        image = next(block for block in shot.content if block.type == "image")
        picture = base64.b64decode(image.data)
        assert image.mime_type == "image/jpeg" and picture[:2] == b"\xff\xd8", image.mime_type
        assert (structured(shot)["width"], structured(shot)["height"]) == (390, 844), structured(shot)

        home = await client.call_tool("press_button", {**on, "button": "home"})
        assert not home.is_error, home
        found = structured(await client.call_tool("find_text", {**on, "text": "Settings"}))["matches"][0]
        tapped = await client.call_tool("tap", {**on, "x": found["center"]["x"], "y": found["center"]["y"] - 30})
        assert not tapped.is_error, tapped
        waited = structured(await client.call_tool("wait_for", {**on, "text": "Airplane Mode"}))
        assert waited["met"], waited

        offline = await client.call_tool("tap", {"device_id": "gone", "x": 1, "y": 1})
        assert offline.is_error and structured(offline)["code"] == "device_offline", offline
        wrong = await client.call_tool("tap", {**on, "x": "left", "y": 1})
        assert wrong.is_error and structured(wrong)["code"] == "invalid_arguments", wrong
        released = await client.call_tool("disconnect_device", on)
        assert not released.is_error, released


async def main():
    binary, config, url = sys.argv[1:4]
    # The stdio process joins the server that runs on the same data folder.
    stdio = StdioServerParameters(command=binary, args=["--config", config, "mcp"])
    for name, target in (("http", f"{url}/mcp"), ("stdio", stdio)):
        for mode in ("auto", "legacy"):
            try:
                await asyncio.wait_for(scenario(target, mode), 60)
                passed.append(name)
                print(f"ok      python mcp, {name}, {mode}")
            except BaseException:
                failed.append(name)
                print(f"FAILED  python mcp, {name}, {mode}")
                traceback.print_exc()
    print(f"{len(passed)} passed, {len(failed)} failed")
    sys.exit(bool(failed))


asyncio.run(main())
