#!/bin/sh
# Fingertip over plain HTTP. Start `fingertip` first. Another address or device: BASE=… DEVICE=… sh rest.sh
set -eu
BASE="${BASE:-http://127.0.0.1:7311}"
DEVICE="${DEVICE:-virtual-1}"

# $1 the method, $2 the path, then whatever curl takes. The token is sent where there is one.
call() {
    method="$1" path="$2"
    shift 2
    if [ -n "${FINGERTIP_TOKEN:-}" ]; then set -- -H "Authorization: Bearer $FINGERTIP_TOKEN" "$@"; fi
    curl --silent --show-error --fail-with-body -X "$method" "$BASE$path" -H "X-Client-Id: rest.sh" "$@"
}
json="Content-Type: application/json"

echo "The devices:"
call GET /devices
echo

echo "A picture, as a file:"
call POST "/devices/$DEVICE/screenshot" -H "$json" -H "Accept: image/png" -d '{"format": "png"}' -o screen.png
ls -l screen.png

echo "What is on the screen:"
call GET "/devices/$DEVICE/tree"
echo

echo "A tap, in points from the top left corner:"
call POST "/devices/$DEVICE/tap" -H "$json" -d '{"x": 195, "y": 400}'
echo

echo "Back to the home screen:"
call POST "/devices/$DEVICE/press" -H "$json" -d '{"button": "home"}'
echo
