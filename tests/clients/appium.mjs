// Drives the simulated phone with Appium 3.8.0 and its XCUITest driver 12.13.1, which this project did not write. No client
// library is needed: it speaks WebDriver with fetch.
//
//   npm i --ignore-scripts appium@3.8.0 appium-xcuitest-driver@12.13.1     (in a folder of its own)
//   node …/appium.mjs FOLDER http://127.0.0.1:8100 http://127.0.0.1:9100
//
// FOLDER is where Appium is installed, then come the phone and its stream of pictures. The phone must be fresh, on its home
// screen. What a command did is read from the phone itself, not through Appium. Prints "N passed, N failed"; exits 1 on a
// failure.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { check, failed, finish } from "./checks.cjs";

const [folder, phone, stream] = process.argv.slice(2);
if (!stream) {
	console.error("usage: node appium.mjs FOLDER PHONE STREAM");
	process.exit(2);
}

const HOME = "com.apple.springboard";
const SETTINGS = "com.apple.Preferences";
const NOTES = "com.apple.mobilenotes";
const BROWSER = "com.fingertip.browser";
const SIGN_IN = "com.fingertip.signin";
const RUNNER = "com.facebook.WebDriverAgentRunner.xctrunner";

const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

const pause = ms => new Promise(done => setTimeout(done, ms));

/** Waits for something that takes its time. */
const until = async (what, run) => {
	const end = Date.now() + 15_000;
	for (;;) {
		if (await run()) return;
		assert.ok(Date.now() < end, `${what} did not happen`);
		await pause(100);
	}
};

// The phone, asked without Appium and outside of its session.
const ask = async (path, body) => {
	const method = body === undefined ? "GET" : "POST";
	const answer = await fetch(phone + path, { method, body: body && JSON.stringify(body) });
	return (await answer.json()).value;
};
const front = async () => (await ask("/wda/activeAppInfo")).bundleId;
const nodes = async () => {
	const all = [];
	const walk = node => {
		all.push(node);
		(node.children ?? []).forEach(walk);
	};
	walk(await ask("/source?format=json"));
	return all;
};
/** The first element on the phone whose label, or else name, is this. */
const seen = async text => {
	const all = await nodes();
	return all.find(node => node.label === text) ?? all.find(node => node.name === text);
};
const middle = async text => {
	const node = await seen(text);
	assert.ok(node, `nothing is called ${text}`);
	const { x, y, width, height } = node.rect;
	return { x: x + Math.floor(width / 2), y: y + Math.floor(height / 2) };
};
const top = async text => (await seen(text)).rect.y;

const freePort = () =>
	new Promise(done => {
		const server = createServer().listen(0, "127.0.0.1", () => {
			const { port } = server.address();
			server.close(() => done(port));
		});
	});

const port = await freePort();
const appium = `http://127.0.0.1:${port}`;
const server = spawn(
	process.execPath,
	[join(folder, "node_modules/appium/index.js"), "server", "--address", "127.0.0.1", "--port", String(port), "--log-no-colors"],
	{ env: { ...process.env, APPIUM_HOME: folder }, stdio: ["ignore", "pipe", "pipe"] },
);
let log = "";
for (const output of [server.stdout, server.stderr]) output.on("data", data => (log += data));
process.on("exit", () => server.kill());
// Ended from outside, it must not leave the server behind.
process.on("SIGTERM", () => process.exit(1));

/** One WebDriver command; an error carries WebDriver's code as `code`. */
const send = async (method, path, body) => {
	const answer = await fetch(appium + path, {
		method,
		headers: { "content-type": "application/json" },
		body: method === "POST" ? JSON.stringify(body ?? {}) : undefined,
	});
	const { value } = await answer.json();
	if (answer.ok) return value;
	throw Object.assign(new Error(`${method} ${path}: ${value.error}: ${value.message}`), { code: value.error });
};

let session;
const get = path => send("GET", `/session/${session}${path}`);
const post = (path, body) => send("POST", `/session/${session}${path}`, body);
const mobile = (name, parameters = {}) => post("/execute/sync", { script: `mobile: ${name}`, args: [parameters] });
const find = async (using, value) => (await post("/element", { using, value }))[ELEMENT];
/** Starts an app anew, on its first page. */
const fresh = async bundleId => {
	await mobile("terminateApp", { bundleId });
	await mobile("launchApp", { bundleId });
};
const begin = async (more = {}) => {
	// `appium:bundleId` would have it look for a cable.
	const capabilities = {
		platformName: "iOS",
		"appium:automationName": "XCUITest",
		"appium:udid": "00008110-000A1B2C3D4E5F60",
		"appium:platformVersion": "17.5",
		"appium:deviceName": "iPhone",
		"appium:webDriverAgentUrl": phone,
		...more,
	};
	session = (await send("POST", "/session", { capabilities: { alwaysMatch: capabilities } })).sessionId;
};
const pngSize = data => {
	const png = Buffer.from(data, "base64");
	assert.equal(png.toString("latin1", 1, 4), "PNG");
	return [png.readUInt32BE(16), png.readUInt32BE(20)];
};
const rejects = async (code, run) => {
	await assert.rejects(run, error => {
		assert.equal(error.code, code, error.message);
		return true;
	});
};

async function main() {
	await until("the start of Appium", async () => {
		assert.equal(server.exitCode, null, "Appium ended");
		return fetch(`${appium}/status`).then(answer => answer.ok, () => false);
	});

	await check("session", async () => {
		await begin();
		assert.match(session, /^[0-9a-f-]{36}$/);
		// Appium's session is the phone's only one.
		const { sessionId } = await (await fetch(`${phone}/status`)).json();
		assert.equal(sessionId.length, 36);
	});
	// Without one, all else would only repeat that.
	if (!session) return;
	await check("screenshot", async () => assert.deepEqual(pngSize(await get("/screenshot")), [1170, 2532]));
	await check("window rect", async () =>
		assert.deepEqual(await get("/window/rect"), { x: 0, y: 0, width: 390, height: 844 }));
	await check("launch and front app", async () => {
		await mobile("launchApp", { bundleId: SETTINGS });
		assert.equal(await front(), SETTINGS);
		assert.equal((await mobile("activeAppInfo")).bundleId, SETTINGS);
	});
	await check("source, XML and JSON, name the same elements", async () => {
		const xml = await get("/source");
		assert.match(xml, /<AppiumAUT>\s*<XCUIElementTypeApplication /);
		const json = await mobile("source", { format: "json" });
		const count = node => 1 + (node.children ?? []).map(count).reduce((sum, n) => sum + n, 0);
		assert.equal(xml.match(/<XCUIElementType/g).length, count(json));
		assert.equal(count(json), (await nodes()).length);
		assert.match(xml, /label="General"/);
	});

	await check("find by id, class chain and predicate", async () => {
		const general = await find("accessibility id", "general");
		assert.equal(await get(`/element/${general}/attribute/label`), "General");
		const chain = await find("-ios class chain", "**/XCUIElementTypeCell[`label == \"General\"`]");
		const predicate = await find("-ios predicate string", "type == 'XCUIElementTypeCell' AND label == 'General'");
		for (const element of [chain, predicate]) {
			assert.deepEqual(await get(`/element/${element}/rect`), await get(`/element/${general}/rect`));
		}
		assert.ok((await post("/elements", { using: "class name", value: "XCUIElementTypeCell" })).length > 3);
		await rejects("no such element", () => find("accessibility id", "no such thing"));
	});
	await check("an element's rect, text, name and state", async () => {
		const wifi = await find("accessibility id", "wifi");
		const { x, y, width, height } = (await seen("Wi-Fi")).rect;
		assert.deepEqual(await get(`/element/${wifi}/rect`), { x, y, width, height });
		assert.equal(await get(`/element/${wifi}/text`), "Garden House");
		assert.equal(await get(`/element/${wifi}/name`), "XCUIElementTypeCell");
		assert.equal(await get(`/element/${wifi}/displayed`), true);
		assert.equal(await get(`/element/${wifi}/enabled`), true);
		assert.equal(await get(`/element/${await find("accessibility id", "mobile-data")}/enabled`), false);
		assert.deepEqual(pngSize(await get(`/element/${wifi}/screenshot`)), [width * 3, height * 3]);
	});
	await check("click", async () => {
		await post(`/element/${await find("accessibility id", "general")}/click`);
		assert.ok(await seen("About"));
		await post(`/element/${await find("accessibility id", "About")}/click`);
	});
	await check("an element that is gone", async () => {
		await fresh(SETTINGS);
		const wifi = await find("accessibility id", "wifi");
		await mobile("launchApp", { bundleId: SIGN_IN });
		await rejects("stale element reference", () => post(`/element/${wifi}/click`));
	});

	await check("mobile: tap", async () => {
		await fresh(SETTINGS);
		await mobile("tap", await middle("Airplane Mode"));
		const switched = (await nodes()).find(node => node.type === "Switch" && node.label === "Airplane Mode");
		assert.equal(switched.value, "1");
	});
	await check("actions: a tap and a swipe", async () => {
		const finger = actions => ({
			actions: [{ type: "pointer", id: "finger", parameters: { pointerType: "touch" }, actions }],
		});
		const move = (x, y, duration = 0) => ({ type: "pointerMove", origin: "viewport", x, y, duration });
		const [down, up] = [{ type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }];
		const before = await top("General");
		await post("/actions", finger([move(195, 700), down, move(195, 400, 500), up]));
		assert.ok(await top("General") < before);
		const { x, y } = await middle("General");
		await post("/actions", finger([move(x, y), down, { type: "pause", duration: 80 }, up]));
		assert.ok(await seen("About"));
	});
	await check("mobile: swipe, scroll and drag", async () => {
		await fresh(SETTINGS);
		const start = await top("General");
		await mobile("swipe", { direction: "up" });
		assert.ok(await top("General") < start, "a swipe up moves the content up");
		await mobile("swipe", { direction: "down" });
		assert.equal(await top("General"), start);
		await mobile("scroll", { direction: "down" });
		assert.ok(await top("General") < start, "scrolling down shows what is below");
		await mobile("scroll", { direction: "up" });
		assert.equal(await top("General"), start);
		await mobile("dragFromToForDuration", { duration: 0.1, fromX: 195, fromY: 700, toX: 195, toY: 500 });
		assert.ok(await top("General") < start);
	});
	await check("mobile: touchAndHold", async () => {
		await mobile("launchApp", { bundleId: NOTES });
		await mobile("touchAndHold", { duration: 1.0, ...await middle("Shopping list") });
		assert.ok((await nodes()).some(node => node.type === "Sheet"));
		await mobile("terminateApp", { bundleId: NOTES });
	});
	await check("mobile: doubleTap and pinch", async () => {
		await post("/url", { url: "demo:photo" });
		await until("the page", () => seen("photo"));
		const zoom = async () => (await nodes()).find(node => node.name === "photo").value;
		assert.equal(await zoom(), "Zoom 100%");
		const { x, y } = await middle("photo");
		await mobile("doubleTap", { x, y });
		assert.equal(await zoom(), "Zoom 200%");
		await mobile("doubleTap", { elementId: await find("accessibility id", "photo") });
		assert.equal(await zoom(), "Zoom 100%");
		await mobile("pinch", { scale: 2, velocity: 1, elementId: await find("accessibility id", "photo") });
		assert.equal(await zoom(), "Zoom 200%");
	});

	await check("sendKeys, clear and single keys", async () => {
		await mobile("launchApp", { bundleId: SIGN_IN });
		const field = await find("class name", "XCUIElementTypeTextField");
		await post(`/element/${field}/value`, { text: "hé 😀 日本" });
		const value = async () => (await nodes()).find(node => node.type === "TextField").value;
		assert.equal(await value(), "hé 😀 日本");
		assert.equal(await get(`/element/${field}/text`), "hé 😀 日本");
		await post(`/element/${field}/clear`);
		assert.equal(await value(), "name@example.com", "the placeholder");
		await mobile("keys", { keys: ["a", "b"] });
		assert.equal(await value(), "ab");
	});
	await check("a secure field tells only its length", async () => {
		const field = await find("class name", "XCUIElementTypeSecureTextField");
		await post(`/element/${field}/value`, { text: "secret" });
		assert.equal(await get(`/element/${field}/text`), "•".repeat(6));
	});
	await check("keyboard shown and hidden", async () => {
		assert.equal(await mobile("isKeyboardShown"), true);
		await mobile("hideKeyboard", { keys: ["done"] });
		assert.equal(await mobile("isKeyboardShown"), false);
		assert.ok(!(await nodes()).some(node => node.type === "Keyboard"));
	});

	await check("orientation, both ways", async () => {
		await mobile("launchApp", { bundleId: SETTINGS });
		await post("/orientation", { orientation: "LANDSCAPE" });
		assert.equal(await ask("/orientation"), "LANDSCAPE");
		assert.equal(await get("/orientation"), "LANDSCAPE");
		assert.deepEqual(await get("/window/rect"), { x: 0, y: 0, width: 844, height: 390 });
		assert.deepEqual(pngSize(await get("/screenshot")), [2532, 1170]);
		await post("/orientation", { orientation: "PORTRAIT" });
		assert.equal(await get("/orientation"), "PORTRAIT");
		assert.deepEqual(await get("/window/rect"), { x: 0, y: 0, width: 390, height: 844 });
	});
	await check("buttons", async () => {
		await mobile("pressButton", { name: "volumeUp" });
		assert.equal(await front(), SETTINGS);
		await mobile("pressButton", { name: "home" });
		assert.equal(await front(), HOME);
		await rejects("unknown error", () => mobile("pressButton", { name: "power" }));
	});
	await check("lock and unlock", async () => {
		assert.equal(await mobile("isLocked"), false);
		await mobile("lock");
		assert.equal(await mobile("isLocked"), true);
		assert.equal(await ask("/wda/locked"), true);
		await mobile("unlock");
		assert.equal(await ask("/wda/locked"), false);
	});
	await check("apps: launch, activate, state, terminate", async () => {
		const state = bundleId => mobile("queryAppState", { bundleId });
		await mobile("launchApp", { bundleId: NOTES });
		assert.deepEqual([await state(NOTES), await front()], [4, NOTES]);
		await mobile("activateApp", { bundleId: SETTINGS });
		assert.deepEqual([await state(NOTES), await state(SETTINGS), await front()], [3, 4, SETTINGS]);
		assert.equal(await mobile("terminateApp", { bundleId: NOTES }), true);
		assert.equal(await mobile("terminateApp", { bundleId: NOTES }), false);
		assert.equal(await state(NOTES), 1);
		await rejects("invalid argument", () => mobile("launchApp", { bundleId: "com.example.nowhere" }));
	});
	await check("background", async () => {
		await mobile("activateApp", { bundleId: SETTINGS });
		await mobile("backgroundApp", { seconds: 0.1 });
		assert.equal(await front(), SETTINGS, "it comes back");
		await mobile("backgroundApp", { seconds: -1 });
		assert.equal(await front(), HOME, "it stays away");
	});
	await check("screen and battery", async () => {
		const screen = await mobile("deviceScreenInfo");
		assert.deepEqual([screen.scale, screen.screenSize], [3, { width: 390, height: 844 }]);
		const { level, state } = await mobile("batteryInfo");
		assert.ok(level >= 0 && level <= 1 && state >= 1, `${level} ${state}`);
	});
	await check("settings", async () => {
		await post("/appium/settings", { settings: { snapshotMaxDepth: 1 } });
		assert.equal((await nodes()).length, 2, "the app and its window");
		await post("/appium/settings", { settings: { snapshotMaxDepth: 50 } });
		assert.equal((await get("/appium/settings")).snapshotMaxDepth, 50);
	});

	await check("alerts", async () => {
		await fresh(SETTINGS);
		await rejects("no such alert", () => get("/alert/text"));
		await rejects("no such alert", () => post("/alert/accept"));
		await post(`/element/${await find("accessibility id", "privacy")}/click`);
		await post(`/element/${await find("accessibility id", "privacy-location")}/click`);
		assert.match(await get("/alert/text"), /location/i);
		const buttons = await mobile("alert", { action: "getButtons" });
		assert.ok(buttons.length >= 2, `${buttons}`);
		assert.ok((await nodes()).some(node => node.type === "Alert"));
		await mobile("alert", { action: "accept", buttonLabel: buttons[0] });
		await rejects("no such alert", () => get("/alert/text"));
		await post(`/element/${await find("accessibility id", "privacy-camera")}/click`);
		await post("/alert/dismiss");
		assert.ok(!(await nodes()).some(node => node.type === "Alert"));
	});
	await check("addresses", async () => {
		await post("/url", { url: "https://example.com" });
		assert.equal(await front(), BROWSER);
		await mobile("deepLink", { url: "demo:article", bundleId: BROWSER });
		await until("the page", () => seen("The Lake at Dawn"));
	});
	await check("clipboard", async () => {
		// Only the agent's own app may use the pasteboard.
		await mobile("activateApp", { bundleId: RUNNER });
		const content = Buffer.from("grüße 😀").toString("base64");
		await post("/appium/device/set_clipboard", { content, contentType: "plaintext" });
		assert.equal(await post("/appium/device/get_clipboard", { contentType: "plaintext" }), content);
		assert.equal(await ask("/wda/getPasteboard", {}), content);
	});

	await check("a second session replaces the first", async () => {
		const first = session;
		await begin();
		assert.notEqual(session, first);
		await rejects("invalid session id", () => send("GET", `/session/${first}/window/rect`));
		assert.equal((await get("/window/rect")).width, 390);
	});
	await check("quit", async () => {
		await send("DELETE", `/session/${session}`);
		assert.equal((await (await fetch(`${phone}/status`)).json()).sessionId, null);
		await rejects("invalid session id", () => get("/source"));
	});
	await check("screenshots from the stream", async () => {
		await begin({ "appium:mjpegScreenshotUrl": stream });
		assert.deepEqual(pngSize(await get("/screenshot")), [1170, 2532]);
		// Only the stream is made smaller by this setting.
		await post("/appium/settings", { settings: { mjpegScalingFactor: 50 } });
		await until("a smaller picture", async () => pngSize(await get("/screenshot")).join() === "585,1266");
		assert.deepEqual(pngSize(await ask("/screenshot")), [1170, 2532]);
		await mobile("launchApp", { bundleId: SETTINGS });
		// The stream comes late on a busy machine: its picture is at rest once it has stayed the same for a second.
		let before = null;
		let since = 0;
		await until("a picture that stays", async () => {
			const now = await get("/screenshot");
			if (now !== before) {
				before = now;
				since = Date.now();
			}
			return Date.now() - since > 1000;
		});
		await mobile("launchApp", { bundleId: NOTES });
		await until("another picture", async () => await get("/screenshot") !== before);
		await send("DELETE", `/session/${session}`);
	});
}

await check("everything was tried", main);
// What Appium itself says of a failure is in its log.
if (failed()) {
	const lines = log.split("\n").filter(line => /Proxying|Got response|error/i.test(line));
	console.log(lines.slice(-60).map(line => line.slice(0, 300)).join("\n"));
}
finish();
