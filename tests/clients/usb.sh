#!/usr/bin/env bash
# Drives the simulated usbmuxd with clients that this project did not write: go-ios, libimobiledevice, pymobiledevice3 and the
# USB side of facebook-wda. There is no phone and no USB.
#
#   target/debug/examples/wda-simulator --port 0 --usb 127.0.0.1:0     prints the address and the phone's UDID
#   tests/clients/usb.sh 127.0.0.1:PORT UDID
#
# The address must have this form, which is the only one that all clients take. What is missing is installed: go-ios and the
# Python clients into the target folder, libimobiledevice by apt-get. Prints "N passed, N failed"; exits 1 on a failure.
set -uo pipefail
if [ $# -ne 2 ]; then
  sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
udid=$2
cd "$(dirname "$0")/../.." || exit 1
work=${CARGO_TARGET_DIR:-target}/clients
mkdir -p "$work"
work=$(cd "$work" && pwd)
run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT

export USBMUXD_SOCKET_ADDRESS=$1
# pymobiledevice3 prints JSON with colours otherwise.
export NO_COLOR=1

passed=0
failed=0
# check NAME COMMAND…: runs it and counts it; what it printed is shown when it failed.
check() {
  local name=$1
  shift
  if "$@" > "$run/check.log" 2>&1; then
    passed=$((passed + 1))
    echo "ok      $name"
  else
    failed=$((failed + 1))
    echo "FAILED  $name"
    tail -n 30 "$run/check.log"
  fi
}

# says PATTERN COMMAND…: the command ends well, in time, and prints it.
says() {
  local pattern=$1
  shift
  timeout 60 "$@" > "$run/says.log" 2>&1
  local code=$?
  cat "$run/says.log"
  [ "$code" -eq 0 ] && grep -qE -- "$pattern" "$run/says.log"
}

# fails COMMAND…: it ends in time, and not well.
fails() {
  timeout 60 "$@"
  local code=$?
  [ "$code" -ne 0 ] && [ "$code" -ne 124 ]
}

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# forwards PORT COMMAND…: while it runs, the agent's status comes from that local port, twice.
forwards() {
  local port=$1
  shift
  timeout 60 "$@" &
  local job=$! code=1
  for _ in $(seq 100); do
    if curl -sf -m 5 "http://127.0.0.1:$port/status" > "$run/status.json"; then
      curl -sf -m 5 "http://127.0.0.1:$port/status" | grep -q '"ready" *: *true'
      code=$?
      break
    fi
    sleep 0.1
  done
  kill "$job" 2> /dev/null
  wait "$job" 2> /dev/null
  return "$code"
}

root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

install_apt() {
  local command=$1
  shift
  command -v "$command" > /dev/null && return 0
  export DEBIAN_FRONTEND=noninteractive
  root apt-get install -y --no-install-recommends "$@" && return 0
  root apt-get update && root apt-get install -y --no-install-recommends "$@"
}

install_pip() {
  local folder=$1
  shift
  [ -x "$folder/bin/python" ] || python3 -m venv "$folder" || return 1
  "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
}

echo "-- go-ios"
case $(uname -m) in
  aarch64 | arm64) arch=arm64 ;;
  *) arch=amd64 ;;
esac
ios=$work/node_modules/go-ios/dist/go-ios-linux-${arch}_linux_${arch}/ios
install_go_ios() {
  [ -x "$ios" ] && return 0
  # The package's own script would put the binary into the system.
  (cd "$work" && npm install --silent --no-audit --no-fund --no-save --ignore-scripts --prefix "$work" go-ios@1.2.0)
  [ -x "$ios" ]
}
# It never ends by itself.
hears() {
  timeout 3 "$ios" listen > "$run/listen.log" 2>&1
  cat "$run/listen.log"
  grep -q "$udid" "$run/listen.log"
}
check "install go-ios" install_go_ios
check "ios list" says "$udid" "$ios" list
check "ios listen" hears
check "ios info, which needs a session" says '"SerialNumber":"SIMULATED0"' "$ios" info --udid "$udid"
check "ios devicename" says '"devicename":"Simulated iPhone' "$ios" devicename --udid "$udid"
check "ios apps" says 'com\.fingertip\.signin' "$ios" apps --list --udid "$udid"
check "ios apps --system" says 'com\.apple\.Preferences' "$ios" apps --system --list --udid "$udid"
port=$(free_port)
check "ios forward" forwards "$port" "$ios" forward --udid "$udid" "$port" 8100

echo "-- libimobiledevice"
check "install libimobiledevice-utils" install_apt ideviceinfo libimobiledevice-utils
check "install libusbmuxd-tools" install_apt iproxy libusbmuxd-tools
check "install ideviceinstaller" install_apt ideviceinstaller ideviceinstaller
check "idevice_id" says "^$udid" idevice_id -l
check "ideviceinfo" says '^ProductType: iPhone16,1$' ideviceinfo -u "$udid"
check "ideviceinfo of what needs a session" says '^SIMULATED0$' ideviceinfo -u "$udid" -k SerialNumber
check "ideviceinfo without a session" says '^DeviceName: Simulated iPhone' ideviceinfo -s -u "$udid"
check "ideviceinfo of a phone that is not there" fails ideviceinfo -u 00008130-FFFFFFFFFFFFFFFF
check "idevicename" says '^Simulated iPhone' idevicename -u "$udid"
check "idevicepair validate" says '^SUCCESS' idevicepair -u "$udid" validate
check "ideviceinstaller" says '^com\.fingertip\.signin,' ideviceinstaller -u "$udid" -l
port=$(free_port)
check "iproxy" forwards "$port" iproxy -u "$udid" "$port:8100"

echo "-- pymobiledevice3"
# An environment of its own, since it wants many packages.
pmd=$work/venv-usb/bin/pymobiledevice3
check "install pymobiledevice3" install_pip "$work/venv-usb" pymobiledevice3==11.45.0
check "usbmux list" says "\"Identifier\": \"$udid\"" "$pmd" usbmux list
check "lockdown info" says '"SerialNumber": "SIMULATED0"' "$pmd" lockdown info --udid "$udid"
check "apps list" says '"com\.fingertip\.signin": ' "$pmd" apps list --udid "$udid"
port=$(free_port)
check "usbmux forward" forwards "$port" "$pmd" usbmux forward "$port" 8100 --serial "$udid"

echo "-- facebook-wda"
cat > "$run/usb_client.py" <<'PYTHON'
import os, sys
import wda
from wda.usbmux.pyusbmux import MuxConnection

# It knows the environment variable no more than any other way to say where the muxer is.
create = MuxConnection.create_usbmux_socket
address = os.environ["USBMUXD_SOCKET_ADDRESS"]
MuxConnection.create_usbmux_socket = staticmethod(lambda usbmux_address=None: create(address))

client = wda.USBClient(sys.argv[1])
print(client.status()["ready"], tuple(client.window_size()), client.screenshot().size)
client.session("com.apple.Preferences")
print(client(label="General").exists)
PYTHON
check "install facebook-wda" install_pip "$work/venv" facebook-wda==1.5.4
check "USBClient" says '^True \(390, 844\) \(1170, 2532\)$' "$work/venv/bin/python" "$run/usb_client.py" "$udid"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
