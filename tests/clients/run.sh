#!/usr/bin/env bash
# Runs the clients that we did not write against the host and the simulated iPhone of this build.
#
# Needs python3 with venv, node and npm; installs the clients into the target folder. Prints each client's checks and, at
# the end, "clients: N passed, N failed".
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
"$work/venv/bin/pip" install --quiet --disable-pip-version-check mcp==2.3.0 facebook-wda==1.5.4
(cd "$work" && npm install --silent --no-audit --no-fund --no-save --prefix "$work" @modelcontextprotocol/sdk@1.32.2)
# Node looks for packages in the folders above the script.
cp "$clients"/*.mjs "$work/"

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

"$target/debug/examples/wda-simulator" --port 0 > "$run/simulator.log" 2>&1 &
jobs_to_end+=($!)
wait_for "$run/simulator.log" 'http://127\.0\.0\.1:[0-9]+'
simulator=$(grep -oE 'http://127\.0\.0\.1:[0-9]+' "$run/simulator.log" | head -n 1)

passed=0
failed=0
# client NAME COMMAND…: runs it and adds up the "N passed, N failed" of its last line.
client() {
  local name=$1
  shift
  echo "== $name"
  local log=$run/client.log
  timeout 300 "$@" 2>&1 | tee "$log" || true
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

client "Python MCP SDK" "$work/venv/bin/python" "$clients/mcp_python.py" "$target/debug/fingertip" "$run/fingertip.toml" "$url"
client "TypeScript MCP SDK" node "$work/mcp_typescript.mjs" "$target/debug/fingertip" "$run/fingertip.toml" "$url"
client "facebook-wda" "$work/venv/bin/python" "$clients/facebook_wda.py" "$simulator"

echo "clients: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
