"""Reads the simulated phone's stream of pictures with OpenCV 5.0.0, whose reader (FFmpeg) this project did not write.

    pip install opencv-python-headless==5.0.0.93
    python mjpeg.py http://127.0.0.1:8100 http://127.0.0.1:9100

The first address is the phone, the second its stream. The phone must be fresh, on its home screen. Prints "N passed, N
failed"; exits 1 on a failure.
"""

import json
import sys
import time
import urllib.request

import cv2
import numpy
from checks import check, finish

FRAMES = 10
LONG = 15.0


def launch(phone, bundle):
    """Brings an app to the front, without a session."""
    body = json.dumps({"bundleId": bundle}).encode()
    request = urllib.request.Request(f"{phone}/wda/apps/launchUnattached", data=body, method="POST")
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=LONG) as answer:
        assert answer.status == 200, answer.status


def main(phone, stream):
    capture = cv2.VideoCapture(stream, cv2.CAP_FFMPEG)
    frames = []

    def read(reader=capture):
        whole, frame = reader.read()
        assert whole, "the stream ended"
        return frame

    @check("the stream opens")
    def _():
        assert capture.isOpened()
        width, height = capture.get(cv2.CAP_PROP_FRAME_WIDTH), capture.get(cv2.CAP_PROP_FRAME_HEIGHT)
        assert (width, height) == (1170, 2532), (width, height)

    @check(f"{FRAMES} frames of the screen's size")
    def _():
        frames.extend(read() for _ in range(FRAMES))
        for frame in frames:
            assert frame.shape == (2532, 1170, 3), frame.shape
            assert frame.std() > 10, "a picture of nothing"

    @check("while nothing changes, the frames are the same")
    def _():
        assert all(numpy.array_equal(frame, frames[0]) for frame in frames[1:])

    @check("a change on the screen is in a later frame")
    def _():
        launch(phone, "com.apple.Preferences")
        end = time.monotonic() + LONG
        while numpy.abs(read().astype(int) - frames[0]).mean() < 10:
            assert time.monotonic() < end, "no frame differs"

    @check("a second reader sees the same screen")
    def _():
        other = cv2.VideoCapture(stream, cv2.CAP_FFMPEG)
        # Each has older frames to read yet, and not the same ones.
        end = time.monotonic() + LONG
        while not numpy.array_equal(read(other), read()):
            assert time.monotonic() < end, "the readers see different screens"
        other.release()

    capture.release()
    return finish()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2]))
