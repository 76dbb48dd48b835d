// Drives Fingertip with the official TypeScript MCP SDK 1.x, which holds every structured answer, errors included,
// against the tool's output schema.
//
// Usage: node mcp_typescript.mjs BINARY CONFIG URL   (devices as in mcp_python.py)

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import assert from "node:assert/strict";

const [binary, config, url] = process.argv.slice(2);

async function scenario(transport) {
  const client = new Client({ name: "typescript", version: "1" });
  await client.connect(transport);
  try {
    // The SDK compiles the output schemas when it lists the tools.
    const { tools } = await client.listTools();
    assert(tools.length >= 11, `${tools.length} tools`);
    const call = (name, args) => client.callTool({ name, arguments: args });

    const offline = await call("tap", { device_id: "gone", x: 1, y: 1 });
    assert.equal(offline.isError, true);
    assert.equal(offline.structuredContent.code, "device_offline");
    for (const tool of ["take_screenshot", "get_ui_tree", "describe_screen", "device_status"]) {
      const answer = await call(tool, { device_id: "no-such-device" });
      assert.equal(answer.structuredContent.code, "device_not_found", tool);
    }
    for (const [tool, args] of [
      ["list_devices", {}],
      ["device_status", {}],
      ["take_screenshot", {}],
      ["get_ui_tree", {}],
      ["get_ui_tree", { format: "json" }],
      ["describe_screen", {}],
      ["find_text", { text: "Settings" }],
      ["find_icon", { name: "settings" }],
      ["tap", { x: 5, y: 400 }],
      ["swipe", { direction: "up" }],
      ["press_button", { button: "home" }],
      ["launch_app", { app: "Notes" }],
      ["terminate_app", { app: "Notes" }],
      ["list_apps", {}],
      ["wait_for", { idle: true }],
      ["disconnect_device", {}],
    ]) {
      const device = tool === "list_devices" ? {} : { device_id: "phone" };
      const answer = await call(tool, { ...device, ...args });
      assert.notEqual(answer.isError, true, `${tool}: ${JSON.stringify(answer.structuredContent)}`);
      assert(answer.structuredContent, `${tool} has no structured answer`);
    }
  } finally {
    await client.close();
  }
}

let passed = 0;
let failed = 0;
for (const [name, transport] of [
  ["http", () => new StreamableHTTPClientTransport(new URL(`${url}/mcp`))],
  ["stdio", () => new StdioClientTransport({ command: binary, args: ["--config", config, "mcp"], stderr: "ignore" })],
]) {
  try {
    await scenario(transport());
    passed += 1;
    console.log(`ok      typescript mcp, ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  typescript mcp, ${name}`);
    console.error(error);
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
