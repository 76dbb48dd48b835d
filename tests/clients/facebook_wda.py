"""Drives the simulated phone with facebook-wda 1.5.4, a client that this project did not write.

    pip install facebook-wda==1.5.4
    python facebook_wda.py http://127.0.0.1:8100

The phone must be fresh: unlocked, without a passcode, on its home screen. Prints "N passed, N failed"; exits 1 on a failure.
"""

import sys
import xml.etree.ElementTree as ElementTree

import wda
from checks import check, finish

HOME = "com.apple.springboard"
SETTINGS = "com.apple.Preferences"
SIGN_IN = "com.fingertip.signin"
NOTES = "com.apple.mobilenotes"


def same(found, wanted):
    assert found == wanted, f"found {found!r}, wanted {wanted!r}"


def labels(client):
    root = ElementTree.fromstring(client.source().encode())
    return [element.get("label") for element in root.iter() if element.get("label")]


def main(url):
    client = wda.Client(url)
    client.implicitly_wait(2)

    @check("status")
    def _():
        status = client.status()
        same(status["ready"], True)
        same(status["os"]["name"], "iOS")
        same(client.is_ready(), True)

    @check("screenshot before a session")
    def _():
        same(client.screenshot().size, (1170, 2532))

    @check("source before a session, XML and JSON, name the same elements")
    def _():
        root = ElementTree.fromstring(client.source().encode())
        same(root.tag, "XCUIElementTypeApplication")
        # Releases before 10.1 do not say which app it is.
        assert root.get("bundleId") in (HOME, None), root.get("bundleId")

        def count(node):
            return 1 + sum(count(child) for child in node.get("children", []))

        same(sum(1 for _ in root.iter()), count(client.source(format="json")))

    @check("accessible source")
    def _():
        same(client.source(accessible=True)["type"], "Application")

    @check("health check")
    def _():
        same(client.healthcheck().value, None)

    @check("window size and scale")
    def _():
        same(tuple(client.window_size()), (390, 844))
        same(client.scale, 3)

    @check("session with an app")
    def _():
        session = client.session(SETTINGS)
        assert len(session.session_id) == 36
        same(client.app_current()["bundleId"], SETTINGS)
        same(client.app_state(SETTINGS).value, 4)
        # The session that stood before was replaced; the client notices by itself.
        same(client.window_size().width, 390)

    @check("an element is found, asked and clicked")
    def _():
        general = client(label="General")
        same(general.exists, True)
        same(client(label="No such thing").exists, False)
        element = general.get()
        assert element.className.startswith("XCUIElementType"), element.className
        same(element.label, "General")
        same(element.displayed, True)
        same(element.enabled, True)
        assert element.bounds.width > 0
        general.click()
        same(client(label="About").exists, True)

    @check("other ways to find")
    def _():
        client.session(SETTINGS)
        same(client(className="Cell", label="General").exists, True)
        same(client(labelContains="Gener").exists, True)
        same(client(nameMatches="Gen.ral").exists, True)
        same(client(predicate="label == 'General' AND visible == 1").exists, True)
        same(client(classChain="**/Cell[`label == 'General'`]").exists, True)
        same(client.xpath("//Cell[@label='General']").exists, True)
        same(client(className="Table").child(className="Cell", label="General").exists, True)
        assert client(className="Cell").count() > 3
        info = client(label="General").info
        same(info["label"], "General")

    @check("swipe scrolls")
    def _():
        client.session(SETTINGS)
        before = client(label="General").get().bounds.y
        client.swipe(195, 600, 195, 300)
        after = client(label="General").get().bounds.y
        assert after < before, f"{before} to {after}"
        client.swipe_down()
        client(label="General").scroll("visible")

    @check("tap on the home screen opens an app")
    def _():
        client.home()
        same(client.app_current()["bundleId"], HOME)
        bounds = client(className="Icon", label="Settings").get().bounds
        client.tap(*bounds.center)
        same(client.app_state(SETTINGS).value, 4)

    @check("set_text and send_keys")
    def _():
        client.session(SIGN_IN)
        client(className="TextField").set_text("ada@")
        client.send_keys("example.com")
        same(client(className="TextField").value, "ada@example.com")
        same(client(className="Keyboard").exists, True)

    @check("a tap focuses and keys arrive whole")
    def _():
        client.session(SIGN_IN)
        bounds = client(className="TextField").get().bounds
        client.click(*bounds.center)
        client.send_keys("hé 😀 日本")
        same(client(className="TextField").value, "hé 😀 日本")
        client(className="TextField").clear_text()
        same(client(className="TextField").value, "name@example.com")

    @check("a secure field tells only its length")
    def _():
        client(className="SecureTextField").set_text("secret")
        same(client(className="SecureTextField").value, "•" * 6)

    @check("double tap and tap and hold")
    def _():
        client.home()
        client.double_tap(195, 120)
        client.tap_hold(195, 120, 0.6)
        client.click(0.5, 0.15)
        same(client.app_current()["bundleId"], HOME)

    @check("alerts")
    def _():
        client.session(SETTINGS)
        same(client.alert.exists, False)
        client(label="Privacy").click()
        client(className="Cell", label="Location").click()
        same(client.alert.exists, True)
        assert "location" in client.alert.text.lower(), client.alert.text
        buttons = client.alert.buttons()
        assert len(buttons) >= 2, buttons
        same(client.alert.click_exists(["No such button"]), None)
        same(client(className="Alert").exists, True)
        same(client.alert.click(["No such button", buttons[0]]), buttons[0])
        same(client.alert.exists, False)
        for answer in (client.alert.dismiss, client.alert.accept):
            client(className="Cell", label="Camera").click()
            if client.alert.exists:
                answer()
            same(client.alert.exists, False)

    @check("apps: launch, state, list, terminate")
    def _():
        client.app_launch(NOTES)
        same(client.app_state(NOTES).value, 4)
        same(client.app_current()["bundleId"], NOTES)
        same([app["bundleId"] for app in client.app_list()], [NOTES])
        client.app_activate(SETTINGS)
        same(client.app_state(NOTES).value, 3)
        same(client.app_terminate(NOTES).value, True)
        same(client.app_terminate(NOTES).value, False)
        same(client.app_state(NOTES).value, 1)

    @check("an app that is not there")
    def _():
        try:
            client.app_launch("com.example.nowhere")
        except wda.WDARequestError as error:
            assert "invalid argument" in str(error), error
        else:
            raise AssertionError("it was launched")

    @check("an app that the client ended is not taken for a crash")
    def _():
        client.session(SETTINGS)
        client.app_terminate(SETTINGS)
        same(client.window_size().width, 390)

    @check("orientation")
    def _():
        client.session(SETTINGS)
        client.orientation = wda.LANDSCAPE
        same(client.orientation, "LANDSCAPE")
        same(tuple(client.window_size()), (844, 390))
        same(client.screenshot().size, (2532, 1170))
        client.orientation = wda.PORTRAIT
        same(client.orientation, "PORTRAIT")

    @check("lock and unlock")
    def _():
        same(client.locked(), False)
        client.lock()
        same(client.locked(), True)
        same(client.app_current()["bundleId"], HOME)
        client.unlock()
        same(client.locked(), False)

    @check("buttons, device, battery, settings")
    def _():
        client.press("volumeUp")
        client.press_duration("volumeDown", 0.1)
        client.press("home")
        same(client.app_current()["bundleId"], HOME)
        same(client.device_info()["model"], "iPhone")
        assert 0 <= client.battery_info()["level"] <= 1
        same(client.appium_settings({"snapshotMaxDepth": 30})["snapshotMaxDepth"], 30)
        same(client.appium_settings()["snapshotMaxDepth"], 30)

    @check("an open session is used and closed")
    def _():
        session = client.session(SETTINGS)
        assert "General" in labels(session)
        # It sends DELETE /session/ID/ with a slash at the end, which servers from 16.7 on do not know.
        version = tuple(int(part) for part in client.status()["build"].get("version", "0").split("."))
        try:
            session.close()
        except wda.WDARequestError as error:
            assert "unknown command" in str(error), error
            assert version >= (16, 7), version
        else:
            assert version < (16, 7), version
            same(client.status()["sessionId"], None)
            same(client.app_state(SETTINGS).value, 1)

    return finish()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
