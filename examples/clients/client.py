"""Fingertip from Python, over MCP. Needs `pip install "mcp>=2"`.

    python client.py /path/to/fingertip                 starts it, or joins the server that runs
    python client.py http://127.0.0.1:7311/mcp          connects to a server that runs
"""

import asyncio
import base64
import os
import sys

from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


def server(target: str):
    if not target.startswith("http"):
        # The SDK passes on only a few variables; Fingertip's own are to be among them.
        env = {name: value for name, value in os.environ.items() if name.startswith("FINGERTIP_")}
        return StdioServerParameters(command=target, args=["mcp"], env=env)
    if token := os.environ.get("FINGERTIP_TOKEN"):
        http = create_mcp_http_client(headers={"Authorization": f"Bearer {token}"})
        return streamable_http_client(target, http_client=http)
    return target


async def main(target: str) -> None:
    async with Client(server(target)) as client:
        print("tools:", ", ".join(tool.name for tool in (await client.list_tools()).tools))

        devices = (await client.call_tool("list_devices")).structured_content["devices"]
        if not devices:
            sys.exit("there is no device")
        device = {"device_id": devices[0]["id"]}
        print("device:", device["device_id"])

        # What can be seen, as text: each element with a ref such as e12, which actions take.
        tree = await client.call_tool("get_ui_tree", device)
        print(tree.structured_content.get("text"))

        # A pixel of the picture is a point, and taps are given in points.
        picture = await client.call_tool("take_screenshot", device)
        for block in picture.content:
            if block.type == "image":
                name = "screen." + block.mime_type.removeprefix("image/")
                with open(name, "wb") as file:
                    file.write(base64.b64decode(block.data))
                print("picture:", name)

        # An error is a result too: its code, what to do next, and whether the phone was touched.
        tap = await client.call_tool("tap", device | {"x": 195, "y": 400})
        print("error:" if tap.is_error else "tapped:", tap.structured_content)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    asyncio.run(main(sys.argv[1]))
