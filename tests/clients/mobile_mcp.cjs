// Drives the simulated phone with the WebDriverAgent class of @mobilenext/mobile-mcp 1.0.4, which this project did not write.
//
//   npm i --ignore-scripts @mobilenext/mobile-mcp@1.0.4     (in any folder)
//   node …/mobile_mcp.cjs FOLDER http://127.0.0.1:8100
//
// FOLDER is where it is installed. The phone must be fresh, on its home screen. The class asks for `/source/` with a slash at
// the end, which servers from 16.7 on do not know: there it must see nothing. Prints "N passed, N failed"; exits 1 on a
// failure.

const assert = require("node:assert/strict");
const { createRequire } = require("node:module");
const { join, resolve } = require("node:path");
const { check, finish } = require("./checks.cjs");

const [folder, phone] = process.argv.slice(2);
if (!phone) {
	console.error("usage: node mobile_mcp.cjs FOLDER PHONE");
	process.exit(2);
}
const installed = createRequire(join(resolve(folder), "package.json"));
const { WebDriverAgent } = installed("@mobilenext/mobile-mcp/lib/webdriver-agent.js");

async function main(url) {
	const { hostname, port } = new URL(url);
	const agent = new WebDriverAgent(hostname, Number(port));
	const value = async path => (await (await fetch(url + path)).json()).value;
	const front = async () => (await value("/wda/activeAppInfo")).bundleId;
	const xml = () => value("/source");
	const { build } = await value("/status");
	const [major, minor] = (build.version ?? "0.0").split(".").map(Number);
	const strict = major > 16 || (major === 16 && minor >= 7);

	/** The middle of the first element with this text in an attribute, read from the XML source. */
	const middle = async (attribute, text) => {
		const tag = (await xml()).match(new RegExp(`<[^>]* ${attribute}="${text}"[^>]*>`))?.[0];
		assert.ok(tag, `nothing has ${attribute} ${text}`);
		const number = name => Number(tag.match(new RegExp(` ${name}="(-?\\d+)"`))[1]);
		return [number("x") + Math.floor(number("width") / 2), number("y") + Math.floor(number("height") / 2)];
	};

	await check("status", async () => assert.equal(await agent.isRunning(), true));
	await check("screen size", async () =>
		assert.deepEqual(await agent.getScreenSize(), { width: 390, height: 844, scale: 3 }));
	await check("screenshot", async () => {
		const png = await agent.getScreenshot();
		assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1170, 2532]);
	});
	await check("elements", async () => {
		if (strict) {
			assert.equal((await agent.getPageSource()).value.error, "unknown command");
			return;
		}
		const elements = await agent.getElementsOnScreen();
		assert.ok(elements.some(element => element.type === "Icon" && element.label === "Settings"));
	});
	await check("tap", async () => {
		await agent.tap(...await middle("label", "Settings"));
		assert.match(await xml(), /label="General"/);
	});
	await check("swipe", async () => {
		const [, before] = await middle("name", "general");
		await agent.swipeFromCoordinate(195, 600, "up", 100);
		const [, after] = await middle("name", "general");
		assert.ok(after < before, `${before} to ${after}`);
		await agent.swipe("down");
		await agent.swipe("up");
	});
	await check("home button", async () => {
		await agent.pressButton("HOME");
		assert.equal(await front(), "com.apple.springboard");
		await agent.pressButton("VOLUME_UP");
		await assert.rejects(agent.pressButton("POWER"));
	});
	await check("double tap and long press", async () => {
		await agent.doubleTap(195, 120);
		await agent.longPress(195, 120, 700);
	});
	await check("text", async () => {
		await agent.tap(...await middle("label", "Sign-in"));
		await agent.tap(...await middle("type", "XCUIElementTypeTextField"));
		await agent.sendKeys("hé 😀");
		assert.match(await xml(), /value="hé 😀"/);
		await agent.pressButton("ENTER");
	});
	await check("address", async () => {
		await agent.openUrl("https://example.com");
		assert.equal(await front(), "com.fingertip.browser");
	});
	await check("orientation", async () => {
		await agent.setOrientation("landscape");
		assert.equal(await agent.getOrientation(), "landscape");
		await agent.setOrientation("portrait");
		assert.equal(await agent.getOrientation(), "portrait");
	});

	finish();
}

main(phone);
